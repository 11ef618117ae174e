"""A competition in summarisation: collections of news in the made-up language, and ROUGE.

A collection tells of facts, of which some matter more. Every document reports a few of them, those
that matter first, each time in other words; the summary of a human tells those that matter most.
Summarisers choose sentences of the documents, up to a hundred words.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from betterthan.metrics import parse
from betterthan.numeric import Floats
from betterthan.papers.bootstrap_2012.language import Grammar, Sentence, Words, draw_sentences
from betterthan.papers.bootstrap_2012.systems import (
    Collected,
    entries,
    examples,
    packed_counts,
    unpacked_counts,
)
from betterthan.papers.runner import Runner
from betterthan.tasks.rouge import overlap

COLLECTIONS, DOCUMENTS, FACTS, REPORTED = 48, 16, 24, 7
MOST_WORDS = 100
OTHER_WORD, NO_WORD = 0.2, 0.06
"""How often a fact is told with another word of the same kind, and with one left out."""

METRIC = "rouge2(r)"
SentenceGain = Callable[[Words, Sequence[Words]], float]


class Collection(NamedTuple):
    """Documents on one topic, sentence by sentence, and the summary that a human wrote."""

    documents: tuple[tuple[Words, ...], ...]
    summary: Words


@cache
def collections(seed: int) -> list[Collection]:
    """Draw the collections of the competition."""
    generator = np.random.default_rng([seed, 5])
    common = draw_sentences(Grammar("newswire"), 400, generator)
    kinds: dict[str, list[str]] = {}
    for sentence in common:
        for tag, word in zip(sentence.tags, sentence.words, strict=True):
            kinds.setdefault(tag, []).append(word)
    return [_collection(200 + at, kinds, generator) for at in range(COLLECTIONS)]


def _collection(
    topic: int, kinds: dict[str, list[str]], generator: np.random.Generator
) -> Collection:
    facts = draw_sentences(Grammar("newswire", drift=topic), FACTS, generator)
    weight = 1.0 / np.arange(1, FACTS + 1) ** 0.8
    documents = []
    for _ in range(DOCUMENTS):
        told = generator.choice(FACTS, REPORTED, replace=False, p=weight / weight.sum())
        order = np.argsort(told + generator.normal(0, 4, REPORTED))
        documents.append(tuple(_told(facts[told[k]], kinds, generator) for k in order))
    summary: list[str] = []
    for fact in np.argsort(np.arange(FACTS) + generator.normal(0, 1.5, FACTS)):
        if len(summary) < MOST_WORDS:
            summary += _told(facts[fact], kinds, generator)
    return Collection(tuple(documents), tuple(summary[:MOST_WORDS]))


def _told(fact: Sentence, kinds: dict[str, list[str]], generator: np.random.Generator) -> Words:
    """Tell a fact, some words of it replaced or left out."""
    words = []
    for tag, word in zip(fact.tags, fact.words, strict=True):
        u = generator.random()
        if u < OTHER_WORD:
            words.append(kinds[tag][generator.integers(len(kinds[tag]))])
        elif u > NO_WORD + OTHER_WORD:
            words.append(word)
    return tuple(words)


def lead(documents: Sequence[Sequence[Words]], strength: float) -> SentenceGain:
    """Prefer sentences that stand early; ``strength`` is how fast interest fades."""
    early = {s: -strength * at for document in documents for at, s in enumerate(document)}
    return lambda sentence, _: early[sentence]


def frequency(documents: Sequence[Sequence[Words]], strength: float) -> SentenceGain:
    """Prefer frequent words, less so once they were used (SumBasic)."""
    counts = Counter(word for document in documents for s in document for word in s)

    def gain(sentence: Words, chosen: Sequence[Words]) -> float:
        used = Counter(word for s in chosen for word in s)
        worth = [float(counts[w] ** (1.0 / (1 + strength * used[w]))) for w in sentence]
        return sum(worth) / len(sentence)

    return gain


def coverage(documents: Sequence[Sequence[Words]], strength: float) -> SentenceGain:
    """Prefer pairs of words that many documents have and the summary has not."""
    counts = Counter(
        pair for document in documents for pair in {p for s in document for p in pairwise(s)}
    )

    def gain(sentence: Words, chosen: Sequence[Words]) -> float:
        covered = {pair for s in chosen for pair in pairwise(s)}
        told = dict.fromkeys(pairwise(sentence))  # in order: sums of floats depend on it
        worth = [float(counts[pair] ** (1 + strength)) for pair in told if pair not in covered]
        return sum(worth) / len(sentence)

    return gain


def centrality(documents: Sequence[Sequence[Words]], strength: float) -> SentenceGain:
    """Prefer sentences like many others, and unlike those chosen."""
    sentences = [s for document in documents for s in document]
    table = _similarities(sentences)
    place = {s: k for k, s in enumerate(sentences)}
    degree = table.sum(axis=1)

    def gain(sentence: Words, chosen: Sequence[Words]) -> float:
        at = place[sentence]
        nearest = max((table[at, place[s]] for s in chosen), default=0.0)
        return float(degree[at] - 10 * strength * degree.mean() * nearest)

    return gain


def _similarities(sentences: Sequence[Words]) -> Floats:
    """Cosines of the sentences' words, weighted by how few sentences have them."""
    known = {word: k for k, word in enumerate({w: 0 for s in sentences for w in s})}
    table = np.zeros((len(sentences), len(known)))
    for k, sentence in enumerate(sentences):
        for word in sentence:
            table[k, known[word]] += 1.0
    table *= np.log(len(sentences) / (table > 0).sum(axis=0))
    norms = np.sqrt((table * table).sum(axis=1, keepdims=True))
    table = np.divide(table, norms, out=np.zeros_like(table), where=norms > 0)
    return np.asarray(table @ table.T, dtype=np.float64)


SUMMARISERS: dict[str, Callable[[Sequence[Sequence[Words]], float], SentenceGain]] = {
    "frequency": frequency,
    "coverage": coverage,
    "centrality": centrality,
    "lead": lead,
}


def summary(documents: Sequence[Sequence[Words]], gain: SentenceGain) -> Words:
    """Choose sentences one by one, the best that still fits; of equals, the first."""
    left = list(dict.fromkeys(s for document in documents for s in document if s))
    chosen: list[Words] = []
    words = 0
    while fitting := [s for s in left if words + len(s) <= MOST_WORDS]:
        best = max(fitting, key=lambda s: gain(s, chosen))
        left.remove(best)
        chosen.append(best)
        words += len(best)
    return tuple(word for s in chosen for word in s)


def competing_summariser(seed: np.random.SeedSequence, language: int, entry: dict[str, Any]) -> str:
    """Summarise as an entry of the competition does; it reads some of the documents."""
    read = examples(entry, DOCUMENTS)
    rows = []
    for found in collections(language):
        documents = [found.documents[k] for k in read]
        made = summary(documents, SUMMARISERS[entry["kind"]](documents, entry["smoothing"]))
        common, _, reference = overlap("rouge2", made, found.summary)
        rows.append((common, reference))
    return packed_counts(rows)


@cache
def summarisation_competition(runner: Runner) -> Collected:
    """Fifty-eight summarisers of twenty-four groups on 48 collections."""
    teams = entries(runner.seed + 2, 58, 24, list(SUMMARISERS), DOCUMENTS)
    jobs = [{"language": runner.seed, "entry": entry} for entry in teams]
    found = runner.map("2012 summarisation competition", competing_summariser, jobs)
    shares = (
        (common / total)[:, None] for common, total in (unpacked_counts(x, 2).T for x in found)
    )
    return Collected.of_teams(teams, shares, columns=parse(METRIC).columns)
