"""Universal Dependencies: words, tags, heads and relations, as the CoNLL 2018 shared task scores.

Files are CoNLL-U with the same characters; sentences, tokens and words may be a system's own.
Words are aligned by their characters (:mod:`betterthan.tasks.word_pairs`), and every metric is an
F1: twice the aligned words that are right over the words of both files. Relations are compared
without their subtypes (``nmod:poss`` is ``nmod``), features as far as they are universal, and
punctuation counts.

| metric | right is an aligned word with the gold's |
|---|---|
| ``ud-sentences``, ``ud-tokens``, ``ud-words`` | own characters, and nothing else |
| ``upos``, ``xpos``, ``ufeats``, ``alltags``, ``lemmas`` | tag, features, all three, or lemma |
| ``uas``, ``las`` | head, which is aligned as well; and relation |
| ``clas`` | the same, of content words only |
| ``mlas`` | also tag, features and function words |
| ``blex`` | also lemma |

An item is a sentence of the gold: it holds the gold's words, the pairs with them, and those words,
tokens and sentences of a system that begin in it. So items add up to the scorer's own counts.
Sentences of the gold that some system runs together are no independent items: they are a cluster,
which ends where a sentence ends in all files.
"""

from collections.abc import Iterable, Sequence
from os.path import commonprefix

import numpy as np

from betterthan.errors import AlignmentError, Remedy
from betterthan.metrics.named import UNIVERSAL
from betterthan.numeric import Ints
from betterthan.tasks.conllu_files import FIELDS, ROOT, UdText, Word, read_conllu
from betterthan.tasks.sources import Scored, Source, document_groups, only
from betterthan.tasks.word_pairs import aligned_words

METRICS = tuple(UNIVERSAL)
SHOWN = 20  # characters of texts that differ
BLOCK = "block"
CONTENT = frozenset(
    (
        "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
        "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
        "root dep"
    ).split()
)
FUNCTIONAL = frozenset("aux cop mark det clf case cc".split())
UNKNOWN = -2  # a head that is not aligned
Helper = tuple[int, str, str, str]


def recognise(text: str) -> bool:
    """Tell tokens of ten fields, separated by tabs."""
    tokens = [line for line in text.split("\n")[:-1] if line.strip() and not line.startswith("#")]
    return bool(tokens) and all(line.count("\t") == FIELDS - 1 for line in tokens)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence of the gold."""
    del metrics  # all of them are cheap
    gold = read_conllu(only(golds))
    texts = [read_conllu(source) for source in systems]
    for text in texts:
        _check_characters(gold, text)
    counted = [_counted(gold, text) for text in texts]
    ids = [sentence.id for sentence in gold.sentences]
    groups = document_groups([sentence.document for sentence in gold.sentences])
    blocks = _blocks(gold, texts)
    joined = len(set(blocks)) < len(blocks)
    return Scored(
        columns={name: np.stack([each[name] for each in counted], axis=1) for name in counted[0]},
        items=ids if all(ids) and len(set(ids)) == len(ids) else None,
        groups={**groups, BLOCK: blocks} if joined else groups,
        cluster=BLOCK if joined else None,
    )


def _counted(gold: UdText, system: UdText) -> dict[str, Ints]:
    """What each sentence of the gold holds of the gold, of a system, and of both alike."""
    starts = [sentence.start for sentence in gold.sentences]

    def per_sentence(characters: Iterable[int]) -> Ints:
        places = np.searchsorted(starts, np.fromiter(characters, np.int64), "right") - 1
        return np.bincount(places, minlength=len(starts))

    counts = {name: per_sentence(starts) for name, starts in _right(gold, system).items()}
    for name, text in (("gold", gold), ("system", system)):
        content = [word for word in text.words if word.relation in CONTENT]
        counts[f"{name}_sentences"] = per_sentence(s.start for s in text.sentences)
        counts[f"{name}_tokens"] = per_sentence(start for start, _ in text.tokens)
        counts[f"{name}_words"] = per_sentence(w.start for w in text.words)
        counts[f"{name}_content_words"] = per_sentence(w.start for w in content)
    return counts


def _right(gold: UdText, system: UdText) -> dict[str, list[int]]:
    """First characters of the sentences, tokens and words that are right, by what is counted."""
    sentences = [{(s.start, s.end) for s in text.sentences} for text in (gold, system)]
    right: dict[str, list[int]] = {column: [] for column, _ in UNIVERSAL.values()}
    right["sentences_correct"] = [start for start, _ in sentences[0] & sentences[1]]
    right["tokens_correct"] = [start for start, _ in {*gold.tokens} & {*system.tokens}]
    pairs = aligned_words(gold, system)
    in_gold = {theirs: ours for ours, theirs in pairs} | {ROOT: ROOT}
    helpers = [
        _function_words(gold.words, range(len(gold.words))),
        _function_words(system.words, [in_gold.get(k, UNKNOWN) for k in range(len(system.words))]),
    ]
    for ours, theirs in pairs:
        a, b = gold.words[ours], system.words[theirs]
        tags = a.upos == b.upos and a.features == b.features
        lemma = a.lemma in ("_", b.lemma)
        head = a.head == in_gold.get(b.head, UNKNOWN)
        labelled = head and a.relation == b.relation
        content = labelled and a.relation in CONTENT
        helped = helpers[0].get(ours) == helpers[1].get(theirs)
        decisions = {
            "words_correct": True,
            "upos_correct": a.upos == b.upos,
            "xpos_correct": a.xpos == b.xpos,
            "ufeats_correct": a.features == b.features,
            "alltags_correct": tags and a.xpos == b.xpos,
            "lemmas_correct": lemma,
            "head_correct": head,
            "label_correct": labelled,
            "clas_correct": content,
            "mlas_correct": content and tags and helped,
            "blex_correct": content and lemma,
        }
        for column, good in decisions.items():
            if good:
                right[column].append(a.start)
    return right


def _function_words(words: Sequence[Word], in_gold: Sequence[int]) -> dict[int, list[Helper]]:
    """Function words that depend on each word, by the words of the gold that they are."""
    helpers: dict[int, list[Helper]] = {}
    for place, word in zip(in_gold, words, strict=True):
        if word.relation in FUNCTIONAL and word.head != ROOT:
            helper = (place, word.relation, word.upos, word.features)
            helpers.setdefault(word.head, []).append(helper)
    return helpers


def _blocks(gold: UdText, systems: Sequence[UdText]) -> list[str]:
    """The block of each sentence of the gold, which ends where a sentence ends in all files."""
    starts = [{sentence.start for sentence in text.sentences} for text in (gold, *systems)]
    shared = set.intersection(*starts)
    blocks: list[str] = []
    for number, sentence in enumerate(gold.sentences, start=1):
        name = sentence.id or str(number)
        blocks.append(name if sentence.start in shared else blocks[-1])
    return blocks


def _check_characters(gold: UdText, system: UdText) -> None:
    """Raise an error for texts that differ in more than blanks, and show the first place."""
    texts = [system.characters, gold.characters]
    if texts[0] != texts[1]:
        place = len(commonprefix(texts))  # noqa: RUF071 (of texts, character by character)
        theirs, ours = (text[place : place + SHOWN] or "nothing more" for text in texts)
        raise AlignmentError(
            f"{system.source.name} has another text than {gold.source.name}, from character "
            f"{place + 1:,} on: {theirs!r}, not {ours!r}. Files are aligned by their characters",
            Remedy("parse the gold's text"),
        )
