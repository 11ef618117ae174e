"""Values of scores: numbers, present or missing, and what a missing one counts as."""

from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import BadValueError, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats

Missing = Literal["error", "drop", "worst", "pairwise"]


def as_floats(array: ArrayLike, what: str) -> Floats:
    """Turn array-likes of numbers and truth values into float64, or say what is wrong with them."""
    try:
        raw = np.asarray(array)
    except ValueError as error:
        raise BadValueError(f"{what} is not a rectangular array of numbers: {error}") from error
    if raw.dtype.kind not in "biuf":
        numbers = int | float | Fraction | Decimal
        if raw.dtype == object and all(x is None or isinstance(x, numbers) for x in raw.flat):
            try:
                return raw.astype(np.float64)
            except OverflowError as error:
                raise BadValueError(
                    f"{what} holds numbers beyond 1e308: rescale both systems"
                ) from error
        raise BadValueError(f"{what} holds {raw.dtype} values; scores must be numbers")
    return raw.astype(np.float64)


def mean_of_present(block: Floats) -> Floats:
    """Means over the last axis of what is not NaN; NaN where nothing is."""
    present = ~np.isnan(block)
    counts = present.sum(axis=-1)
    totals = np.where(present, block, 0.0).sum(axis=-1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def zeros_and_ones(values: Floats) -> bool:
    """Whether all values are 0 or 1, but for those that are missing."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def worst_value(values: Floats, metric: Metric | None) -> float:
    """Return the value that a missing score counts as, where the metric has a worst."""
    if metric is None or metric.form != "mean" or not zeros_and_ones(values):
        raise UsageError(
            'missing="worst" needs a metric with a worst value, an accuracy or error rate over 0/1 '
            'scores: choose missing="drop"'
        )
    return 1.0 if metric.lower_is_better else 0.0
