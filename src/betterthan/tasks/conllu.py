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

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os.path import commonprefix
from typing import NamedTuple

import numpy as np

from betterthan.errors import AlignmentError
from betterthan.metrics.named import UNIVERSAL
from betterthan.numeric import Ints
from betterthan.tasks.sources import Scored, Source, document_groups, fault, only
from betterthan.tasks.word_pairs import ROOT, Word, aligned_words

METRICS = tuple(UNIVERSAL)
SHOWN = 20  # characters of texts that differ
BLOCK = "block"
UNKNOWN = -2  # a head that is not aligned
FIELDS = 10


class Sentence(NamedTuple):
    """Name and document of a sentence, and its first character."""

    id: str
    document: str
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A file, as far as it was read: words and sentences, and the forms of all tokens."""

    source: Source
    forms: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)

    @property
    def characters(self) -> str:
        """All characters without blanks."""
        return "".join(self.forms)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence of the gold."""
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


def _counted(gold: Text, system: Text) -> dict[str, Ints]:
    """What each sentence of the gold holds of the gold, of a system, and of both alike."""
    starts = [sentence.start for sentence in gold.sentences]

    def per_sentence(words: Iterable[Word]) -> Ints:
        places = np.searchsorted(starts, [word.start for word in words], "right") - 1
        return np.bincount(places, minlength=len(starts))

    pairs = aligned_words(gold.words, system.words)
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


def _blocks(gold: Text, systems: Sequence[Text]) -> list[str]:
    """The block of each sentence of the gold, which ends where a sentence ends in all files."""
    starts = [{sentence.start for sentence in text.sentences} for text in (gold, *systems)]
    shared = set.intersection(*starts)
    blocks: list[str] = []
    for number, sentence in enumerate(gold.sentences, start=1):
        name = sentence.id or str(number)
        blocks.append(name if sentence.start in shared else blocks[-1])
    return blocks


def _check_characters(gold: Text, system: Text) -> None:
    """Raise an error for texts that differ in more than blanks, and show the first place."""
    texts = [system.characters, gold.characters]
    if texts[0] != texts[1]:
        place = len(commonprefix(texts))  # noqa: RUF071 (of texts, character by character)
        theirs, ours = (text[place : place + SHOWN] or "nothing more" for text in texts)
        text = (
            f"the text differs from the gold's at character {place + 1:,}: {theirs!r}, not {ours!r}"
        )
        raise fault(system.source.at(), text, kind=AlignmentError)


def read_conllu(source: Source) -> Text:
    """Read a CoNLL-U file.

    Empty nodes (``2.1``) are left out. Heads need not form a tree: every word is scored by itself.
    """
    text = Text(source)
    rows: list[tuple[int, list[str]]] = []
    name, document, documents = "", "", 0
    for number, line in enumerate([*source.lines, ""], start=1):
        if line.startswith("#"):
            key, _, value = map(str.strip, line[1:].partition("="))
            if key == "sent_id":
                name = value
            elif key.startswith("newdoc"):
                documents += 1
                document = value or str(documents)
        elif line.strip():
            fields = line.split("\t")
            if len(fields) != FIELDS or not _bare(fields[1]):
                wanted = f"{FIELDS} fields between tabs, the second not empty"
                raise fault(source.at(number), f"a line must have {wanted}")
            if "." not in fields[0]:
                rows.append((number, fields))
        elif rows:
            _add(text, name, document, rows)
            rows, name = [], ""
    if not text.sentences:
        raise fault(source.at(1), "the file has no words, only blank lines or comments")
    return text


def _add(text: Text, name: str, document: str, rows: Sequence[tuple[int, list[str]]]) -> None:
    """Add a sentence of numbered rows of fields."""
    first, joined_until = len(text.words), 0
    start = end = text.words[-1].end if text.words else 0
    text.sentences.append(Sentence(name, document, start))
    count = sum("-" not in fields[0] for _, fields in rows)
    for line, fields in rows:
        place = len(text.words) - first + 1
        number, joins, last = fields[0].partition("-")
        head = _int(fields[6])
        fits = joined_until < place <= _int(last) <= count if joins else 0 <= head <= count
        if number != str(place) or not fits:
            wrong = f"the id {fields[0]!r} or the head {fields[6]!r}"
            raise fault(text.source.at(line), f"{wrong} does not fit word {place} of {count}")
        if joins or place > joined_until:
            text.forms.append(_bare(fields[1]))  # without blanks, as tokenizers may drop them
            start, end = end, end + len(text.forms[-1])
        if joins:
            joined_until = _int(last)
            continue
        form, lemma, upos, xpos, _, _, relation = fields[1:8]
        main, place_of_head = relation.partition(":")[0], first + head - 1 if head else ROOT
        known = (_bare(form), lemma, upos, xpos, place_of_head, main, start, end)
        text.words.append(Word(*known, joined=place <= joined_until))


def _int(text: str) -> int:
    """Return a number of a word, or -1."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else -1


def _bare(form: str) -> str:
    if form.isascii() and " " not in form:
        return form
    return "".join(c for c in form if unicodedata.category(c) != "Zs")
