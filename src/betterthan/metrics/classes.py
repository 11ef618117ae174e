"""Metrics of what is right, predicted and true: of spans, of one class, or over all classes.

A class ``X`` has three columns: ``tp(X)``, ``pred(X)`` and ``gold(X)``, of an item the number of
right, of predicted and of true instances. ``f1(X)`` is a ratio of them, with an exact test; what
averages over classes is a ``sums`` metric and is sampled.
"""

import re
from collections.abc import Iterable

import numpy as np

from betterthan.metrics.algebra import Metric, divide, ratio, sums
from betterthan.numeric import Floats

PARTS = ("tp", "pred", "gold")
_OF_CLASS = re.compile(r"tp\((.+)\)", re.DOTALL)


def class_columns(label: str) -> tuple[str, str, str]:
    """Columns of one class.

    >>> class_columns("PER")
    ('tp(PER)', 'pred(PER)', 'gold(PER)')
    """
    tp, pred, gold = (f"{part}({label})" for part in PARTS)
    return tp, pred, gold


def classes_of(columns: Iterable[str]) -> tuple[str, ...]:
    """Classes that a data set has the columns of, in the order of its columns."""
    present = set(columns)
    labels = (match[1] for match in map(_OF_CLASS.fullmatch, columns) if match)
    return tuple(label for label in labels if present.issuperset(class_columns(label)))


def share(spelling: str, right: str, total: str) -> Metric:
    """Fraction of all that is right."""
    metric = ratio({right: 1}, {total: 1}, percent=True, spelling=spelling)
    return metric.counting((right, total))


def f1_of(spelling: str, right: str, *sizes: str) -> Metric:
    """F1 of what is right, from the sizes of what is predicted and of what is true."""
    metric = ratio({right: 2}, dict.fromkeys(sizes, 1), percent=True, spelling=spelling)
    return metric.counting(*((right, size) for size in sizes))


def of_class(name: str, label: str) -> Metric:
    """Precision, recall or F1 of one class.

    >>> of_class("f1", "PER").columns
    ('tp(PER)', 'pred(PER)', 'gold(PER)')
    """
    tp, pred, gold = class_columns(label)
    spelling = f"{name}({label})"
    if name == "f1":
        return f1_of(spelling, tp, pred, gold)
    return share(spelling, tp, pred if name == "precision" else gold)


def macro_f1(labels: Iterable[str]) -> Metric:
    """Mean of the classes' F1, over the classes that the gold or the system has at all."""
    return sums(_columns(labels), macro_f1_from_counts, percent=True, spelling="macro-f1")


def mcc(labels: Iterable[str]) -> Metric:
    """Matthews' correlation coefficient, for any number of classes and one label per item."""
    return sums(_columns(labels), mcc_from_counts, spelling="mcc")


def macro_f1_from_counts(counts: Floats) -> Floats:
    """Macro-F1 from summed counts ``(..., 3 * classes)``: all tp, then all pred, then all gold."""
    tp, pred, gold = _by_class(counts)
    present = (pred + gold > 0).sum(axis=-1)
    return divide(divide(2.0 * tp, pred + gold).sum(axis=-1), present.astype(np.float64))


def mcc_from_counts(counts: Floats) -> Floats:
    """Matthews' correlation from the same counts; 0 where either side has but one class.

    Gorodkin (2004), eq. 8: the correlation of two indicator matrices.
    """
    tp, pred, gold = _by_class(counts)
    n = gold.sum(axis=-1)
    covariance = n * tp.sum(axis=-1) - (pred * gold).sum(axis=-1)
    spread = (n**2 - np.square(pred).sum(axis=-1)) * (n**2 - np.square(gold).sum(axis=-1))
    return divide(covariance, np.sqrt(np.maximum(spread, 0.0)))


def _columns(labels: Iterable[str]) -> tuple[str, ...]:
    known = tuple(labels)
    return tuple(f"{part}({label})" for part in PARTS for label in known)


def _by_class(counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Counts ``(..., classes)`` of right, predicted and true instances."""
    k = counts.shape[-1] // 3
    return counts[..., :k], counts[..., k : 2 * k], counts[..., 2 * k :]
