"""Spans in tagged tokens, counted as conlleval does (Tjong Kim Sang & Buchholz, 2000).

Files have one token per line, fields separated by blanks, the tag last, sentences apart by an empty
line; in files of predictions beside gold, the last two fields are the gold tag and the predicted
one. IOB1, IOB2, IOBES and BILOU are read alike: a span goes on while its tags do.

| metric                        | columns of a sentence              | live | test  |
|-------------------------------|------------------------------------|------|-------|
| ``f1``, ``precision``, ``recall`` | ``tp``, ``pred``, ``gold``     | 2    | exact |
| ``f1(X)`` and its kin         | ``tp(X)``, ``pred(X)``, ``gold(X)`` of a type | 2 | exact |
| ``token-accuracy``            | ``correct``, ``total``             | 1    | exact |

``-DOCSTART-`` lines begin a document and are no tokens.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from betterthan.errors import AlignmentError, FormatError
from betterthan.metrics.classes import class_columns
from betterthan.metrics.spelling import OF_CLASS
from betterthan.tasks.sources import (
    Column,
    Scored,
    Source,
    check_case,
    check_not_empty,
    paired,
    the_gold,
)

METRICS = (*OF_CLASS, "token-accuracy")
DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLU])(?:-(.+))?")
_USUAL = {"L": "E", "U": "S"}  # BILOU's names


class Span(NamedTuple):
    """Tokens from ``start`` up to ``end``, not included, of one type."""

    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Fields of each token, the line of the first, and the document it is in."""

    line: int
    document: int
    rows: list[list[str]]


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Spans that tags mark.

    A span starts at B and S, after O, E and S, and where the type changes; all else continues it.

    >>> [tuple(span) for span in spans_of(["I-PER", "I-PER", "O", "B-LOC", "B-LOC"])]
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    """
    found: list[Span] = []
    before, kind, start = "O", "", 0
    for k, tag in enumerate([*tags, "O"]):
        prefix, now = _parts(tag)
        starts = prefix != "O" and (prefix in "BS" or before in "OES" or now != kind)
        if before != "O" and (starts or prefix == "O"):
            found.append(Span(start, k, kind))
        if starts:
            start = k
        before, kind = prefix, now
    return found


def recognise(text: str) -> bool:
    """Tell lines whose last field is a tag, with a span among them.

    Beside tokens a few may be misspelt: that is for the reader to say, with the line.
    """
    rows = _rows(text)
    good = sum(_TAG.fullmatch(row[-1]) is not None for row in rows)
    least = len(rows) / 2 if min(map(len, rows), default=1) > 1 else len(rows) - 0.5
    return any(row[-1] != "O" for row in rows) and good > least


def recognise_pairs(text: str) -> bool:
    """Tell predictions beside gold: at least a token and two tags on each line."""
    rows = _rows(text[: text.find("\n", 4096) + 1]) if len(text) > 4096 else _rows(text)
    if min(map(len, rows), default=0) < 3:
        return False  # most files are told by their first lines
    rows = _rows(text)
    if len({len(row) for row in rows}) != 1:
        return False
    tags = [tag for row in rows for tag in row[-2:]]
    return any(tag != "O" for tag in tags) and all(_TAG.fullmatch(tag) for tag in tags)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence, against a gold file."""
    del metrics  # all of them are cheap
    gold = the_gold(golds, "tagging")
    truth = list(_sentences(gold, fields=1))
    answers = []
    for system, pairs in paired(systems, gold, truth, "sentence", partial(_sentences, fields=1)):
        for mine, theirs in pairs:
            _check_tokens(system, mine, gold, theirs, tags=1)
        answers.append([_tags(system, mine, -1) for mine, _ in pairs])
    tags = [_tags(gold, sentence, -1) for sentence in truth]
    _check_types(systems, answers, gold, tags)
    return _scored(truth, tags, answers)


def score_pairs(systems: Sequence[Source]) -> Scored:
    """Columns of each sentence, from files that hold the gold tags beside the predicted ones."""
    first = systems[0]
    truth = list(_sentences(first, fields=3))
    answers = []
    for system, pairs in paired(systems, first, truth, "sentence", partial(_sentences, fields=3)):
        for mine, theirs in pairs:
            _check_tokens(system, mine, first, theirs, tags=2)
            for k, (a, b) in enumerate(zip(mine.rows, theirs.rows, strict=True)):
                if a[-2] != b[-2]:
                    raise AlignmentError(
                        f"{system.at(mine.line + k)} has the gold tag {a[-2]!r} where "
                        f"{first.at(theirs.line + k)} has {b[-2]!r}: score all systems against "
                        "the same gold"
                    )
        answers.append([_tags(system, mine, -1) for mine, _ in pairs])
    tags = [_tags(first, sentence, -2) for sentence in truth]
    _check_types(systems, answers, Source("the gold", ""), tags)
    return _scored(truth, tags, answers)


def _rows(text: str) -> list[list[str]]:
    lines = (line.split() for line in text.split("\n")[:-1])
    return [row for row in lines if row and row[0] != DOCUMENT]


def _scored(
    sentences: Sequence[TaggedSentence],
    truth: Sequence[list[str]],
    answers: Sequence[Sequence[list[str]]],
) -> Scored:
    gold = [spans_of(tags) for tags in truth]
    found = [[spans_of(tags) for tags in answer] for answer in answers]
    types = sorted({span.type for spans in [gold, *found] for group in spans for span in group})
    columns = dict(zip(("tp", "pred", "gold"), _counts(gold, found, None), strict=True))
    for kind in types:
        columns |= zip(class_columns(kind), _counts(gold, found, kind), strict=True)
    columns["correct"] = np.array(
        [
            [
                sum(a == b for a, b in zip(*pair, strict=True))
                for pair in zip(said, truth, strict=True)
            ]
            for said in answers
        ]
    ).T
    columns["total"] = np.array([[len(tags) for tags in truth]] * len(answers)).T
    documents = [str(sentence.document) for sentence in sentences]
    groups = {"document": documents} if len(set(documents)) > 1 else {}
    return Scored(columns=columns, groups=groups)


def _counts(
    gold: Sequence[list[Span]], found: Sequence[Sequence[list[Span]]], kind: str | None
) -> tuple[Column, Column, Column]:
    """Spans right, predicted and true, of one type or of all."""
    rows = [
        [
            (len(a & b), len(a), len(b))
            for a, b in (
                ({s for s in spans if kind in (None, s.type)} for spans in pair)
                for pair in zip(said, gold, strict=True)
            )
        ]
        for said in found
    ]
    tp, pred, true = np.array(rows).transpose(2, 1, 0)
    return tp, pred, true


def _sentences(source: Source, fields: int) -> Iterator[TaggedSentence]:
    check_not_empty(source)
    document, start = 0, 0
    rows: list[list[str]] = []
    width, first = None, 0
    for number, line in enumerate([*source.lines, ""], start=1):
        row = line.split()
        if row and row[0] != DOCUMENT:
            if width is None:
                width, first = len(row), number
            if len(row) != width or width < fields:
                needs = f"line {first:,} has {width}" if width >= fields else f"{fields} are needed"
                raise FormatError(
                    f"{source.at(number)} has {len(row)} fields where {needs}: write the token "
                    "first and the tag last, and an empty line after a sentence"
                )
            start = start or number
            rows.append(row)
            continue
        if rows:
            yield TaggedSentence(start, document, rows)
            rows, start = [], 0
        document += bool(row)


def _tags(source: Source, sentence: TaggedSentence, field: int) -> list[str]:
    tags = [row[field] for row in sentence.rows]
    for k, tag in enumerate(tags):
        if not _TAG.fullmatch(tag):
            raise FormatError(
                f"{source.at(sentence.line + k)}: {tag!r} is no tag: write O, or B, I, E or S and "
                "the type, as in B-PER"
            )
    return tags


def _check_types(
    systems: Sequence[Source],
    answers: Sequence[Sequence[list[str]]],
    gold: Source,
    truth: Sequence[list[str]],
) -> None:
    """Refuse types that differ from the gold's in case alone."""
    theirs = _types(truth)
    for system, answer in zip(systems, answers, strict=True):
        check_case(system, _types(answer), gold, theirs, "type")


def _types(sentences: Sequence[list[str]]) -> set[str]:
    tags = {tag for tags in sentences for tag in tags}
    return {_parts(tag)[1] for tag in tags} - {""}


def _check_tokens(
    system: Source, mine: TaggedSentence, gold: Source, theirs: TaggedSentence, *, tags: int
) -> None:
    """Refuse a sentence whose tokens are not those of the gold; tags alone have none."""
    if len(mine.rows) != len(theirs.rows):
        raise AlignmentError(
            f"{system.at(mine.line)}: the sentence has {len(mine.rows)} tokens, and "
            f"{len(theirs.rows)} at {gold.at(theirs.line)}: tag the gold's tokens"
        )
    if len(mine.rows[0]) <= tags or len(theirs.rows[0]) <= tags:
        return
    for k, (a, b) in enumerate(zip(mine.rows, theirs.rows, strict=True)):
        if a[0] != b[0]:
            raise AlignmentError(
                f"{system.at(mine.line + k)} has the token {a[0]!r} where "
                f"{gold.at(theirs.line + k)} has {b[0]!r}: tag the gold's tokens"
            )


def _parts(tag: str) -> tuple[str, str]:
    prefix, _, kind = tag.partition("-")
    return _USUAL.get(prefix, prefix), kind
