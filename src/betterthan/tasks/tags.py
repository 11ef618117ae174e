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

from betterthan.errors import Choice, Remedy, Where, how_many
from betterthan.metrics.classes import class_columns
from betterthan.metrics.parsing import OF_CLASS
from betterthan.tasks.sources import (
    Scored,
    Source,
    check_words,
    columns_of,
    document_groups,
    fault,
    only,
    parsed,
)

METRICS = (*OF_CLASS, "token-accuracy")
DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLU])(?:-(.+))?")
_ANY = re.compile(r"\S+")
_USUAL = {"L": "E", "U": "S"}  # BILOU's names
Tags = list[str]
Span = tuple[int, int, str]  # first token, token after the last, type


class Sentence(NamedTuple):
    """Words and their tags; next to predicted tags, the gold ones belong to the words."""

    place: Where
    document: str
    words: list[list[str]]
    tags: Tags


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Spans that tags mark.

    A span starts at B and S, after O, E and S, and where the type changes; all else continues it.

    >>> spans_of(["I-PER", "I-PER", "O", "B-LOC", "B-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC'), (4, 5, 'LOC')]
    """
    spans: list[Span] = []
    before, open_type, start = "O", "", 0
    for k, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        prefix = _USUAL.get(prefix, prefix)
        starts = prefix != "O" and (prefix in "BS" or before in "OES" or kind != open_type)
        if before != "O" and (starts or prefix == "O"):
            spans.append((start, k, open_type))
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
    """Columns of each sentence; without golds, the gold tags are next to the predicted ones."""
    tags, gold = (1, only(golds)) if golds else (2, systems[0])
    allowed = _ANY if set(metrics) == {"token-accuracy"} else _TAG
    true, answers = parsed(systems, gold, "sentence", partial(_sentences, tags, allowed))
    for each in answers:
        for pair in zip(each, true, strict=True):
            check_words(*pair)
    truth = [x.tags if golds else [word[-1] for word in x.words] for x in true]
    predicted = [[sentence.tags for sentence in each] for each in answers]
    tagged = chain(truth, *predicted)
    types = sorted({kind for each in tagged for _, _, kind in spans_of(each)})
    names = ["correct", "total", "tp", "pred", "gold", *chain(*map(class_columns, types))]
    rows = [[_counts(*pair, types) for pair in zip(x, truth, strict=True)] for x in predicted]
    documents = document_groups([sentence.document for sentence in true])
    return Scored(columns=columns_of(names, rows), groups=documents)


def _counts(answer: Tags, truth: Tags, types: Sequence[str]) -> list[int]:
    """Right and all tokens; spans right, predicted and true, of all types and of each."""
    predicted, gold = {*spans_of(answer)}, {*spans_of(truth)}
    parts = (predicted & gold, predicted, gold)
    by_type = [Counter(kind for _, _, kind in part) for part in parts]
    row = [sum(map(str.__eq__, answer, truth)), len(truth), *map(len, parts)]
    return row + [counts[kind] for kind in types for counts in by_type]


def _sentences(tags: int, allowed: re.Pattern[str], source: Source) -> Iterator[Sentence]:
    """Sentences whose last fields are tags: the last one is of the sentence, others of words."""
    documents = 0
    words: list[list[str]] = []
    own: Tags = []
    for number, line in enumerate([*source.lines, ""], start=1):
        row = line.split()
        if row and row[0] != DOCUMENT:
            if len(row) <= tags or not all(map(allowed.fullmatch, row[-tags:])):
                wanted = f"a token and, last, {how_many(tags, 'tag')} such as O or B-PER"
                others = Remedy("they are tags of words", "metric", "token-accuracy")
                in_ref = Remedy("the right tags are in another file", "ref", Choice("FILE"))
                raise fault(
                    source.at(number),
                    f"a line must have {wanted}",
                    *[others] * (len(row) > tags and allowed is _TAG),
                    *[in_ref] * (tags > 1),
                )
            words.append([row[0], *row[-tags:-1]])
            own.append(row[-1])
        elif own:
            yield Sentence(source.at(number - len(own)), str(documents), words, own)
            words, own = [], []
        documents += row[:1] == [DOCUMENT]
