"""Labels of a classifier, a line each.

| metric                  | columns of an item                  | live      | test    |
|-------------------------|-------------------------------------|-----------|---------|
| ``accuracy``            | ``correct``                         | 1         | exact   |
| ``f1`` (micro)          | ``tp``, ``pred``, ``gold``          | 1         | exact   |
| ``f1(X)`` and its kin   | ``tp(X)``, ``pred(X)``, ``gold(X)`` | 2         | exact   |
| ``macro-f1``, ``mcc``   | those of every class                | 2 a class | sampled |

With one label per item, micro-averaged precision, recall and F1 all equal the accuracy.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from betterthan.data.labels import are
from betterthan.errors import (
    Choice,
    FormatError,
    Note,
    Remedy,
    UsageError,
    first_few,
    how_many,
)
from betterthan.metrics.classes import class_columns
from betterthan.metrics.spelling import OF_CLASS, OVER_CLASSES, split
from betterthan.tasks.label_rows import rows_note
from betterthan.tasks.line_headers import LABELS
from betterthan.tasks.sources import (
    Scored,
    Source,
    check_case,
    check_counts,
    check_not_empty,
    the_gold,
)

METRICS = ("accuracy", *OF_CLASS, *OVER_CLASSES)
MOST_CELLS = 10**8
FEW_LINES = 5


def recognise(text: str) -> bool:
    """Lines of one word each are labels."""
    lines = text.split("\n")[:-1] or [text]
    return all(len(line.split()) == 1 for line in lines)


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line; those of the classes only where a metric needs them."""
    gold = the_gold(golds, "classification")
    truth = _labels(gold)
    answers = []
    for system in systems:
        answers.append(_labels(system))
        check_counts("line", (system, len(system.lines)), (gold, len(truth)))
    true = np.array(truth, dtype=object)[:, None]
    said = np.array(answers, dtype=object).T
    right = (said == true).astype(np.int64)
    ones = np.ones_like(right)
    columns = {"correct": right, "tp": right, "pred": ones, "gold": ones}
    calls = [split(metric) for metric in metrics]
    if any(name in OVER_CLASSES or inside for name, inside in calls):
        labels = sorted({*truth, *said.flat})
        if 3 * len(labels) * said.size > MOST_CELLS:
            raise UsageError(
                f"{gold.name} has {len(labels):,} different lines, too many for classes",
                Remedy("count lines of text that equal the reference", "metric", "exact-match"),
            )
        for label in labels:
            tp, pred, of_gold = class_columns(label)
            here, there = are(said, label), are(true, label)
            columns[tp] = (here & there).astype(np.int64)
            columns[pred] = here.astype(np.int64)
            columns[of_gold] = np.broadcast_to(there, said.shape).astype(np.int64)
    macro = any(name == "macro-f1" for name, _ in calls)
    notes = _strangers(systems, answers, gold, set(truth)) if macro else ()
    return Scored(columns=columns, notes=tuple(notes))


def doubts(systems: Sequence[Source], golds: Sequence[Source]) -> tuple[Note, ...]:
    """Ids or a header among the labels, and systems that have other labels than the gold."""
    gold = the_gold(golds, "classification")
    truth = _labels(gold)
    answers = [(system, _labels(system)) for system in systems]
    notes = rows_note([gold, *systems])
    if len(truth) < FEW_LINES:
        return notes
    notes += _header_note([(gold, truth), *answers])
    classes = Counter(truth)
    for system, labels in answers:
        mine = Counter(labels)
        check_case(system, mine, gold, classes, "label")
        # Answers that are nearly all different are not classes, and may all be wrong.
        if mine.keys().isdisjoint(classes) and len(classes) <= len(truth) / 2:
            text = (
                f"no label of {system.name} occurs in {gold.name}: "
                f"{first_few(name for name, _ in mine.most_common())} against "
                f"{first_few(name for name, _ in classes.most_common())}"
            )
            remedy = Remedy("score against the labels of these items", "ref", Choice("FILE"))
            notes += (Note(text, remedy, beside_verdict=True),)
    return notes


def _strangers(
    systems: Sequence[Source], answers: Sequence[list[str]], gold: Source, classes: set[str]
) -> list[str]:
    """Say which labels the gold has nowhere: each lowers a system's macro-F1 as a class of 0."""
    notes = []
    for system, labels in zip(systems, answers, strict=True):
        others = [label for label in labels if label not in classes]
        if others:
            notes.append(
                f"{system.name}: {len(others):,} of {how_many(len(labels), 'label', 'are')} no "
                f"class of {gold.name} ({first_few(dict.fromkeys(others))}): in its macro-F1 they "
                "count as classes of their own"
            )
    return notes


def _header_note(files: Sequence[tuple[Source, list[str]]]) -> tuple[Note, ...]:
    """Say so if all files begin with a word for labels that none of them has elsewhere."""
    firsts = {labels[0] for _, labels in files}
    later = {label for _, labels in files for label in labels[1:]}
    if not firsts.isdisjoint(later) or any(first.lower() not in LABELS for first in firsts):
        return ()
    source, labels = files[0]
    text = (
        f"{source.at(1)} looks like a header: {labels[0]!r} counts as an item and as a class; if "
        "it is not a label, delete it in all files"
    )
    return (Note(text, beside_verdict=True),)


def _labels(source: Source) -> list[str]:
    check_not_empty(source)
    labels = [line.strip() for line in source.lines]
    if "" in labels:
        raise FormatError(
            f"{source.at(labels.index('') + 1)} is empty: every line is the label of an item"
        )
    return labels
