"""Spans in tagged tokens, counted as conlleval does (Tjong Kim Sang & Buchholz, 2000).

Files have one token per line, fields separated by blanks, the tag last, sentences apart by an empty
line; in files of predictions next to gold, the last two fields are the gold tag and the predicted
one. IOB1, IOB2, IOBES and BILOU are read alike: a span goes on while its tags do.

| metric                        | columns of a sentence              | live | test  |
|-------------------------------|------------------------------------|------|-------|
| ``f1``, ``precision``, ``recall`` | ``tp``, ``pred``, ``gold``     | 2    | exact |
| ``f1(X)``, ``precision(X)``, ``recall(X)`` | ``tp(X)``, ``pred(X)``, ``gold(X)`` | 2 | exact |
| ``token-accuracy``            | ``correct``, ``total``             | 1    | exact |

``-DOCSTART-`` lines begin a document and are not tokens. Where ``token-accuracy`` is the only
metric, tags may be anything, such as parts of speech.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from betterthan.errors import AlignmentError, FormatError
from betterthan.metrics.classes import class_columns
from betterthan.metrics.spelling import OF_CLASS
from betterthan.tasks.sources import (
    Scored,
    Source,
    columns_of,
    document_groups,
    only_gold,
    paired,
    unknown_names,
)

METRICS = (*OF_CLASS, "token-accuracy")
DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLU])(?:-(.+))?")
_USUAL = {"L": "E", "U": "S"}  # BILOU's names
Tags = list[str]


class Span(NamedTuple):
    """Tokens from ``start`` up to ``end``, not included, of one type."""

    start: int
    end: int
    type: str


class Sentence(NamedTuple):
    """Fields of each token, the file and line of the first, and the document it is in."""

    source: Source
    line: int
    document: int
    rows: list[list[str]]


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Spans that tags mark.

    A span starts at B and S, after O, E and S, and where the type changes; all else continues it.

    >>> [tuple(span) for span in spans_of(["I-PER", "I-PER", "O", "B-LOC", "B-LOC"])]
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    """
    spans: list[Span] = []
    before, open_type, start = "O", "", 0
    for k, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        prefix = _USUAL.get(prefix, prefix)
        starts = prefix != "O" and (prefix in "BS" or before in "OES" or kind != open_type)
        if before != "O" and (starts or prefix == "O"):
            spans.append(Span(start, k, open_type))
        if starts:
            start = k
        before, open_type = prefix, kind
    return spans


def recognise(text: str, tags: int = 1) -> bool:
    """Tell lines whose last fields are tags, with a span among them.

    Next to tokens a few may be misspelt, for :func:`score` to name; tags alone, and two tags next
    to a token, must all be tags.
    """
    lines = (line.split() for line in text.split("\n")[:-1])
    rows = [row for row in lines if row and row[0] != DOCUMENT]
    width = min(map(len, rows), default=0)
    good = sum(all(map(_TAG.fullmatch, row[-tags:])) for row in rows)
    needed = len(rows) / 2 if width > tags == 1 else len(rows) - 0.5
    return width >= 2 * tags - 1 and good > needed and any(row[-1] != "O" for row in rows)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence, against a reference file."""
    any_tag = set(metrics) == {"token-accuracy"}
    return _scored(systems, only_gold(golds, "tagging"), tags=1, any_tag=any_tag)


def score_pairs(systems: Sequence[Source]) -> Scored:
    """Columns of each sentence, from files that hold the gold tags next to the predicted ones."""
    return _scored(systems, systems[0], tags=2)


def _scored(systems: Sequence[Source], gold: Source, *, tags: int, any_tag: bool = False) -> Scored:
    """Columns of each sentence: of two tags per token, the first is the gold's."""
    truth: list[Sentence] = []
    answers: list[list[Tags]] = []
    for pairs in paired(systems, gold, "sentence", partial(_sentences, tags, any_tag)):
        for ours, theirs in pairs:
            _check_tokens(ours, theirs, tags)
        answers.append([[row[-1] for row in ours.rows] for ours, _ in pairs])
        truth = [theirs for _, theirs in pairs]
    true = [[row[-tags] for row in sentence.rows] for sentence in truth]
    known, *types = (
        {span.type for tags in tagged for span in spans_of(tags)} for tagged in (true, *answers)
    )
    every = sorted(known.union(*types))
    of_types = [column for kind in every for column in class_columns(kind)]
    names = ["correct", "total", "tp", "pred", "gold", *of_types]
    rows = [[_counts(*pair, every) for pair in zip(each, true, strict=True)] for each in answers]
    notes = []
    for system, own in zip(systems, types, strict=True):
        notes += unknown_names("span type", system.name, sorted(own), known)
    documents = document_groups([str(sentence.document) for sentence in truth])
    return Scored(columns=columns_of(names, rows), groups=documents, notes=tuple(notes))


def _counts(answer: Tags, truth: Tags, types: Sequence[str]) -> list[int]:
    """Right and all tokens; spans right, predicted and true, of all types and of each."""
    predicted, gold = {*spans_of(answer)}, {*spans_of(truth)}
    parts = (predicted & gold, predicted, gold)
    by_type = [Counter(span.type for span in part) for part in parts]
    row = [sum(map(str.__eq__, answer, truth)), len(truth), *map(len, parts)]
    return row + [counts[kind] for kind in types for counts in by_type]


def _sentences(tags: int, any_tag: bool, source: Source) -> Iterator[Sentence]:
    document, width = 0, 0
    rows: list[list[str]] = []
    for number, line in enumerate([*source.lines, ""], start=1):
        row = line.split()
        if not row or row[0] == DOCUMENT:
            if rows:
                yield Sentence(source, number - len(rows), document, rows)
                rows = []
            document += bool(row)
            continue
        width = width or len(row)
        if len(row) != width or width < 2 * tags - 1:
            raise FormatError(
                f"{source.at(number)} has {len(row)} fields, not {max(width, 2 * tags - 1)}: write "
                "the token first and the tag last, and an empty line after a sentence"
            )
        for tag in row[-tags:]:
            if not any_tag and not _TAG.fullmatch(tag):
                raise FormatError(
                    f"{source.at(number)}: {tag!r} is not a tag: write O, or B, I, E or S and the "
                    "type, as in B-PER"
                )
        rows.append(row)


def _check_tokens(ours: Sentence, theirs: Sentence, tags: int) -> None:
    """Raise an error for other tokens, or gold tags, than the gold's; tags alone have no tokens."""
    tokens = min(len(ours.rows[0]), len(theirs.rows[0])) > tags
    known = [
        [(row[:1] if tokens else [], row[-tags:-1]) for row in sentence.rows]
        for sentence in (ours, theirs)
    ]
    if known[0] != known[1]:
        k = next(k for k, (a, b) in enumerate(zip_longest(*known)) if a != b)
        raise AlignmentError(
            f"{ours.source.at(ours.line + k)} has another token or gold tag than "
            f"{theirs.source.at(theirs.line + k)}: tag the gold's tokens"
        )
