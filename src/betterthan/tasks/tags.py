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
from itertools import chain
from typing import NamedTuple

from betterthan.errors import AlignmentError, FormatError, how_many
from betterthan.metrics.classes import class_columns
from betterthan.metrics.spelling import OF_CLASS
from betterthan.tasks.sources import (
    Scored,
    Source,
    columns_of,
    document_groups,
    only,
    paired,
)

METRICS = (*OF_CLASS, "token-accuracy")
DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLU])(?:-(.+))?")
_ANY = re.compile(r"\S+")
_USUAL = {"L": "E", "U": "S"}  # BILOU's names
Tags = list[str]


class Span(NamedTuple):
    """Tokens from ``start`` up to ``end``, not included, of one type."""

    start: int
    end: int
    type: str


class Sentence(NamedTuple):
    """Tokens and their tags; next to predicted tags, the gold ones belong to the tokens."""

    place: str
    document: str
    tokens: list[list[str]]
    tags: Tags


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
    """Tell tokens whose last fields are tags, with a span among them."""
    lines = (line.split() for line in text.split("\n")[:-1])
    rows = [row for row in lines if row and row[0] != DOCUMENT]
    good = all(len(row) > tags and all(map(_TAG.fullmatch, row[-tags:])) for row in rows)
    return good and any(row[-1] != "O" for row in rows)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each sentence, against a reference file."""
    allowed = _ANY if set(metrics) == {"token-accuracy"} else _TAG
    return _scored(systems, only(golds), 1, allowed)


def score_pairs(systems: Sequence[Source]) -> Scored:
    """Columns of each sentence, from files that hold the gold tags next to the predicted ones."""
    return _scored(systems, systems[0], 2, _TAG)


def _scored(systems: Sequence[Source], gold: Source, tags: int, allowed: re.Pattern[str]) -> Scored:
    answers: list[list[Tags]] = []
    for pairs in paired(systems, gold, "sentence", partial(_sentences, tags, allowed)):
        for ours, theirs in pairs:
            if ours.tokens != theirs.tokens:
                raise AlignmentError(
                    f"{ours.place}: this sentence has other tokens or gold tags than "
                    f"{theirs.place}: tag the gold's tokens"
                )
        answers.append([ours.tags for ours, _ in pairs])
        true = [theirs for _, theirs in pairs]
    truth = [x.tags if tags == 1 else [token[-1] for token in x.tokens] for x in true]
    documents = [sentence.document for sentence in true]
    tagged = chain(truth, *answers)
    every = sorted({span.type for each in tagged for span in spans_of(each)})
    of_types = chain.from_iterable(map(class_columns, every))
    names = ["correct", "total", "tp", "pred", "gold", *of_types]
    rows = [[_counts(*pair, every) for pair in zip(each, truth, strict=True)] for each in answers]
    return Scored(columns=columns_of(names, rows), groups=document_groups(documents))


def _counts(answer: Tags, truth: Tags, types: Sequence[str]) -> list[int]:
    """Right and all tokens; spans right, predicted and true, of all types and of each."""
    predicted, gold = {*spans_of(answer)}, {*spans_of(truth)}
    parts = (predicted & gold, predicted, gold)
    by_type = [Counter(span.type for span in part) for part in parts]
    row = [sum(map(str.__eq__, answer, truth)), len(truth), *map(len, parts)]
    return row + [counts[kind] for kind in types for counts in by_type]


def _sentences(tags: int, allowed: re.Pattern[str], source: Source) -> Iterator[Sentence]:
    """Sentences whose last fields are tags: the last one is of the sentence, others of tokens."""
    documents = 0
    tokens: list[list[str]] = []
    own: Tags = []
    for number, line in enumerate([*source.lines, ""], start=1):
        row = line.split()
        if row and row[0] != DOCUMENT:
            if len(row) <= tags or not all(map(allowed.fullmatch, row[-tags:])):
                raise FormatError(
                    f"{source.at(number)} does not end in {how_many(tags, 'tag')}: write the token "
                    "first and the tag last, O, or B, I, E or S and the type as in B-PER"
                )
            tokens.append([row[0], *row[-tags:-1]])
            own.append(row[-1])
        elif own:
            yield Sentence(source.at(number - len(own)), str(documents), tokens, own)
            tokens, own = [], []
        documents += row[:1] == [DOCUMENT]
