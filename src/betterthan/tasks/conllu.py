"""Universal Dependencies: words, tags, heads and relations, as the CoNLL 2018 shared task scores.

Files are CoNLL-U with the same characters; sentences, tokens and words may be a system's own.
Words are aligned by their characters (:mod:`betterthan.tasks.word_pairs`), and every metric is an
F1: twice the aligned words that are right over the words of both files. Relations are compared
without their subtypes (``nmod:poss`` is ``nmod``), and punctuation counts.

| metric | right is an aligned word with the gold's |
|---|---|
| ``ud-words`` | own characters, and nothing else |
| ``upos``, ``xpos``, ``lemmas`` | tag, or lemma |
| ``uas``, ``las`` | head, which is aligned as well; and relation |

An item is a sentence of the gold: it holds the gold's words, the pairs with them, and those words
of a system that begin in it. So items add up to the scorer's own counts.
Sentences of the gold that some system runs together are no independent items: they are a cluster,
which ends where a sentence ends in all files.
"""

from collections.abc import Iterable, Sequence
from os.path import commonprefix

import numpy as np

from betterthan.errors import AlignmentError
from betterthan.metrics.named import UNIVERSAL
from betterthan.numeric import Ints
from betterthan.tasks.conllu_files import ROOT, UdText, Word, read_conllu
from betterthan.tasks.sources import Scored, Source, document_groups, fault, only
from betterthan.tasks.word_pairs import aligned_words

METRICS = tuple(UNIVERSAL)
SHOWN = 20  # characters of texts that differ
BLOCK = "block"
UNKNOWN = -2  # a head that is not aligned


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

    def per_sentence(words: Iterable[Word]) -> Ints:
        places = np.searchsorted(starts, [word.start for word in words], "right") - 1
        return np.bincount(places, minlength=len(starts))

    pairs = aligned_words(gold, system)
    in_gold = {theirs: ours for ours, theirs in pairs} | {ROOT: ROOT}
    aligned = [(gold.words[ours], system.words[theirs]) for ours, theirs in pairs]
    same_head = [(a, b) for a, b in aligned if a.head == in_gold.get(b.head, UNKNOWN)]
    right = {
        "words_correct": aligned,
        "upos_correct": [(a, b) for a, b in aligned if a.upos == b.upos],
        "xpos_correct": [(a, b) for a, b in aligned if a.xpos == b.xpos],
        "lemmas_correct": [(a, b) for a, b in aligned if a.lemma in ("_", b.lemma)],
        "head_correct": same_head,
        "label_correct": [(a, b) for a, b in same_head if a.relation == b.relation],
    }
    words = {column: [a for a, _ in both] for column, both in right.items()}
    words |= {"gold_words": gold.words, "system_words": system.words}
    return {column: per_sentence(some) for column, some in words.items()}


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
        text = (
            f"the text differs from the gold's at character {place + 1:,}: {theirs!r}, not {ours!r}"
        )
        raise fault(system.source.at(), text, kind=AlignmentError)
