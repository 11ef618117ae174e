"""Translators that learn: phrases greedily, words with a language model; and combinations of them.

Both read what they know off the links of the diagonal aligner.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from betterthan.papers.bootstrap_2012.aligners import Lexical, LinkSet
from betterthan.papers.bootstrap_2012.language import Words
from betterthan.papers.bootstrap_2012.translation import SentencePair

Translator = Callable[[Words], Words]
PhraseTable = dict[Words, Counter[Words]]

ORDERS = (1, 2, 3, 4)


def extract(pairs: Sequence[SentencePair], links: Sequence[LinkSet], longest: int) -> PhraseTable:
    """Count phrases and their translations, of those that no link leaves (Koehn et al., 2003)."""
    table: PhraseTable = defaultdict(Counter)
    for pair, found in zip(pairs, links, strict=True):
        by_source: dict[int, list[int]] = defaultdict(list)
        by_target: dict[int, list[int]] = defaultdict(list)
        for i, j in found:
            by_source[i].append(j)
            by_target[j].append(i)
        for start in range(len(pair.source)):
            for end in range(start + 1, min(start + longest, len(pair.source)) + 1):
                reached = [j for i in range(start, end) for j in by_source[i]]
                if not reached:
                    continue
                low, high = min(reached), max(reached)
                back = [i for j in range(low, high + 1) for i in by_target[j]]
                if high - low < longest + 2 and start <= min(back) and max(back) < end:
                    table[pair.source[start:end]][pair.target[low : high + 1]] += 1
    return table


def phrases(pairs: Sequence[SentencePair], longest: int = 3, tension: float = 4.0) -> Translator:
    """Translate from left to right by the longest phrases known, each in its commonest way."""
    model = Lexical(pairs, tension)
    table = extract(pairs, [model.links(pair) for pair in pairs], longest)
    best = {source: max(sorted(made), key=made.__getitem__) for source, made in table.items()}

    def translate(words: Words) -> Words:
        made: list[str] = []
        at = 0
        while at < len(words):
            for length in range(min(longest, len(words) - at), 0, -1):
                found = best.get(words[at : at + length])
                if found is not None or length == 1:
                    made += found or (words[at],)
                    at += length
                    break
        return tuple(made)

    return translate


def words_in_context(
    pairs: Sequence[SentencePair], choices: int = 3, trust: float = 1.0, tension: float = 1.0
) -> Translator:
    """Translate word by word, and choose among translations by bigrams of the target."""
    model = Lexical(pairs, tension)
    table = extract(pairs, [model.links(pair) for pair in pairs], 1)
    units: dict[str, list[tuple[float, Words]]] = {}
    for (word,), made in table.items():
        total = sum(made.values())
        common = sorted(made.items(), key=lambda one: (-one[1], one[0]))[:choices]
        units[word] = [(math.log(count / total), unit) for unit, count in common]
    bigrams: Counter[tuple[str, str]] = Counter()
    before: Counter[str] = Counter()
    for pair in pairs:
        for both in zip(("^", *pair.target), pair.target, strict=False):
            bigrams[both] += 1
            before[both[0]] += 1
    single = Counter(word for pair in pairs for word in pair.target)
    total = sum(single.values())

    def follows(first: str, second: str) -> float:
        backed = (single[second] + 0.5) / (total + 1)
        return math.log((bigrams[first, second] + 2.0 * backed) / (before[first] + 2.0))

    def extended(beam: tuple[float, Words], unit: tuple[float, Words]) -> tuple[float, Words]:
        score, made = beam
        score += unit[0]
        last = made[-1] if made else "^"
        for word in unit[1]:
            score += trust * follows(last, word)
            last = word
        return score, made + unit[1]

    def translate(words: Words) -> Words:
        beams: list[tuple[float, Words]] = [(0.0, ())]
        for word in words:
            options = units.get(word, [(0.0, (word,))])
            # The best of every last word is enough: bigrams look no further back.
            beams = [max(extended(beam, unit) for beam in beams) for unit in options]
        return max(beams)[1]

    return translate


TRANSLATORS: dict[str, Callable[..., Translator]] = {
    "phrases": phrases,
    "words": words_in_context,
}


def combined(outputs: Sequence[Words], weights: Sequence[float]) -> Words:
    """Choose the output whose pairs of words most others have too (Kumar & Byrne, 2004)."""
    votes: dict[tuple[str, str], float] = defaultdict(float)
    pairs = [set(zip(("^", *words), (*words, "$"), strict=True)) for words in outputs]
    for weight, found in zip(weights, pairs, strict=True):
        for pair in found:
            votes[pair] += weight
    scored = [sum(votes[p] for p in found) / (len(found) + 1) for found in pairs]
    return max(zip(scored, outputs, strict=True))[1]


def bleu_counts(made: Words, reference: Words) -> tuple[int, ...]:
    """Columns of BLEU of one sentence: lengths, then matches and totals by order."""
    matches, totals = [], []
    for n in ORDERS:
        of = [
            Counter(zip(*(words[k:] for k in range(n)), strict=False))
            for words in (made, reference)
        ]
        matches.append(sum((of[0] & of[1]).values()))
        totals.append(max(len(made) - n + 1, 0))
    return (len(made), len(reference), *matches, *totals)
