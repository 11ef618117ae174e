"""Labels of a classifier, one per line.

| metric                  | columns of an item                  | live      | test    |
|-------------------------|-------------------------------------|-----------|---------|
| ``accuracy``            | ``correct``                         | 1         | exact   |
| ``f1`` (micro)          | ``tp``, ``pred``, ``gold``          | 1         | exact   |
| ``f1(X)``, ``precision(X)``, ``recall(X)`` | ``tp(X)``, ``pred(X)``, ``gold(X)`` | 2 | exact |
| ``macro-f1``, ``mcc``   | those of every class                | 2 a class | sampled |

With one label per item, micro-averaged precision, recall and F1 all equal the accuracy. A label
that the reference never has is a class, too, whose F1 is 0.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.data.labels import are
from betterthan.errors import Note, Remedy, UsageError, first_few
from betterthan.metrics.classes import class_columns
from betterthan.metrics.parsing import OF_CLASS, OVER_CLASSES, split
from betterthan.tasks.sources import Scored, Source, fault, only, parsed

METRICS = ("accuracy", *OF_CLASS, *OVER_CLASSES)
MOST_CELLS = 10**8


def recognise(text: str) -> bool:
    """Lines of one word each are labels."""
    return all(len(line.split()) == 1 for line in text.removesuffix("\n").split("\n"))


def score(systems: Sequence[Source], golds: Sequence[Source], metrics: Sequence[str]) -> Scored:
    """Columns of each line; those of the classes only where a metric needs them."""
    truth, answers = parsed(systems, only(golds), "line", labels_of)
    names = [system.name for system in systems]
    return score_labels(truth, dict(zip(names, answers, strict=True)), metrics)


def labels_of(source: Source) -> list[str]:
    """Labels of a file, one per line."""
    labels = [line.strip() for line in source.lines]
    if "" in labels:
        raise fault(source.at(labels.index("") + 1), "is empty: write one label per line")
    return labels


def score_labels(
    truth: Sequence[str], answers: Mapping[str, Sequence[str]], metrics: Sequence[str]
) -> Scored:
    """Columns of each item, from its true label and the label that each system gave it."""
    true = np.array(truth, dtype=object)[:, None]
    predicted = np.array(list(answers.values()), dtype=object).T
    right = (predicted == true).astype(np.int64)
    ones = np.ones_like(right)
    columns = {"correct": right, "tp": right, "pred": ones, "gold": ones}
    if any(name in OVER_CLASSES or inside for name, inside in map(split, metrics)):
        labels = sorted({*truth, *predicted.flat} - {""})  # which is no answer
        if 3 * len(labels) * predicted.size > MOST_CELLS:
            raise UsageError(
                f"there are {len(labels):,} different labels, too many for classes",
                Remedy("count labels that are right", "metric", "accuracy"),
            )
        for label in labels:
            here, there = are(predicted, label), are(true, label)
            counts = (here & there, here, np.broadcast_to(there, here.shape))
            columns |= zip(class_columns(label), (x.astype(np.int64) for x in counts), strict=True)
    notes = tuple(
        Note(
            f"no label of {name} is in the reference: {first_few(sorted({*own}))}",
            beside_verdict=True,
        )
        for name, own in answers.items()
        if {*own}.isdisjoint(truth)
    )
    return Scored(columns=columns, notes=notes)
