"""Values of scores: numbers, present or missing, and what a missing one counts as."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.given import EXACT, as_array
from betterthan.errors import BadValueError, DataError, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Floats

SIGNALLING = 'a signalling NaN, Decimal("sNaN"): write None where a value is missing'
Missing = Literal["error", "drop", "worst", "pairwise"]


def as_floats(array: ArrayLike, what: str) -> Floats:
    """Turn array-likes of numbers and truth values into float64, or say what is wrong with them.

    None is rounded beyond 2^53, where doubles skip whole numbers.
    """
    raw = as_array(array, what)
    if raw.dtype.kind not in "biuf":
        numbers = int | float | Fraction | Decimal
        if raw.dtype != object or not all(x is None or isinstance(x, numbers) for x in raw.flat):
            raise BadValueError(f"{what} holds {raw.dtype} values; scores must be numbers")
    try:
        floats = raw.astype(np.float64)
    except OverflowError as error:
        raise BadValueError(f"{what} holds numbers beyond 1e308: rescale both systems") from error
    except ValueError as error:
        raise BadValueError(f"{what} holds {SIGNALLING}") from error
    if raw.dtype.itemsize >= 8 and raw.dtype != np.float64:
        _refuse_rounded(raw, floats, what)
    return floats


def _refuse_rounded(raw: NDArray[Any], floats: Floats, what: str) -> None:
    beyond = np.abs(floats) >= EXACT
    for given, made in zip(raw[beyond].tolist(), floats[beyond].tolist(), strict=True):
        if given != made:
            said = int(given) if given == int(given) else given
            raise BadValueError(
                f"{what} holds {said}, a number beyond 2^53 that would be rounded to {int(made)}: "
                "subtract one number from all scores, or write them in a larger unit"
            )


def rectangle(data: ArrayLike | Sequence[ArrayLike], what: str) -> Floats:
    """Items x responses of an array, a frame or a list of lists; short rows are filled with NaN.

    >>> rectangle([[1, 2], [3]], "gold")
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    if np.isscalar(data) or data is None:
        raise DataError(f"{what} is a single value: give items x responses")
    rows: list[ArrayLike]
    if hasattr(data, "__iter__") and not hasattr(data, "__array__") and not hasattr(data, "keys"):
        rows = list(data)  # type: ignore[arg-type]
    else:
        raw = as_array(data, what)
        if raw.dtype != object or raw.ndim != 1:
            floats = as_floats(raw, what)
            return floats[:, None] if floats.ndim == 1 else floats
        rows = raw.tolist()
    made = [np.atleast_1d(as_floats(row, f"{what}, item {i + 1}")) for i, row in enumerate(rows)]
    if any(row.ndim != 1 for row in made):
        raise DataError(f"{what} has more than two dimensions: give items x responses")
    block = np.full((len(made), max((row.size for row in made), default=0)), np.nan)
    for i, row in enumerate(made):
        block[i, : row.size] = row
    return block


def mean_of_present(block: Floats) -> Floats:
    """Means over the last axis of what is not NaN; NaN where nothing is."""
    present = ~np.isnan(block)
    counts = present.sum(axis=-1)
    totals = np.where(present, block, 0.0).sum(axis=-1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def zeros_and_ones(values: Floats) -> bool:
    """Whether all values are 0 or 1, but for those that are missing."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def has_worst(values: Floats, metric: Metric | None) -> bool:
    """Whether a metric has a worst value: an accuracy or an error rate over scores of 0 and 1."""
    return metric is not None and metric.form == "mean" and zeros_and_ones(values)


def worst_value(values: Floats, metric: Metric | None) -> float:
    """Return the value that a missing score counts as, where the metric has a worst."""
    if metric is None or not has_worst(values, metric):
        raise UsageError(
            "only an accuracy or an error rate over 0/1 scores has a worst value",
            Remedy("leave the items without a score out", "missing", "drop"),
        )
    return 1.0 if metric.lower_is_better else 0.0
