"""Arrays as they come: finite numbers, integers kept, and clusters numbered and summed.

Integers stay integers, so that the exact engine needs no conversion, and are never scanned for NaN.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.given import as_array, given_labels
from betterthan.data.values import as_floats
from betterthan.errors import AlignmentError, BadValueError, DataError, first_few
from betterthan.numeric import Ints, Numbers

LARGEST_INTEGER = 2**53  # beyond it float64 skips integers
LARGEST_SUM = 2**61  # leaves the engine room to double a sum of differences in int64
LARGEST_FLOAT = 1e100  # cubes stay finite
TOO_LARGE = "scores beyond 1e100"
FLOAT_NOISE = 1e-12  # of computed doubles that are no whole numbers, as a share of their size


def cluster_codes(labels: ArrayLike, n: int) -> tuple[Ints, int]:
    """Number the clusters from zero; also returns how many there are.

    >>> cluster_codes(["x", "y", "x"], 3)
    (array([0, 1, 0]), 2)
    """
    raw = np.empty(0, dtype=object)
    if type(labels) is np.ndarray:
        raw = labels
    elif hasattr(labels, "__array__") and not isinstance(labels, np.ndarray):
        raw = as_array(labels, "clusters")
    if raw.dtype.kind in "Of" and set(map(type, raw.tolist())) != {str}:
        raw = given_labels(labels, "clusters")
    if raw.shape != (n,):
        raise AlignmentError(
            f"clusters has shape {raw.shape} for {n:,} items: give one label an item"
        )
    if raw.dtype.kind in "iu" and int(raw.max()) - (least := int(raw.min())) < 4 * n:
        # Small signed integers would overflow; unsigned ones are not below their least.
        wide = raw.astype(np.int64, copy=False) if raw.dtype.kind == "i" else raw
        tags = (wide - least).astype(np.int64, copy=False)
        present = np.bincount(tags) > 0  # as good as sorting, and ten times faster
        return (np.cumsum(present) - 1)[tags], int(np.count_nonzero(present))
    distinct, codes = np.unique(raw, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(distinct)


def cluster_sums(values: Numbers, codes: Ints, n_clusters: int) -> Numbers:
    """Sum ``(n,)`` or ``(n, k)`` values within clusters; exact for integers.

    Floats are summed in order of size, so that the order of the items does not show in the bits.

    >>> cluster_sums(np.array([1, 2, 4]), np.array([0, 1, 0]), 2)
    array([5, 2])
    """
    sums: Numbers = np.zeros((n_clusters, *values.shape[1:]), dtype=values.dtype)
    for column, into in zip(np.atleast_2d(values.T), np.atleast_2d(sums.T), strict=True):
        if values.dtype.kind == "f":
            order = np.argsort(column)
            np.add.at(into, codes[order], column[order])
        else:
            np.add.at(into, codes, column)
    return sums


def as_numbers(array: ArrayLike, name: str) -> Numbers:
    """Return finite ``(n, k)`` values: int64, or float64 as they come."""
    raw = array if type(array) is np.ndarray else as_array(array, name)
    if raw.ndim not in (1, 2):
        raise DataError(f"{name} has {raw.ndim} dimensions: give (items,) or (items, k) values")
    columns = raw[:, None] if raw.ndim == 1 else raw
    if columns.dtype.kind in "biu":
        return _integers(columns, name)
    values = as_floats(columns, name) if columns.dtype != np.float64 else columns
    largest = max(values.max(), -values.min()) if values.size else 0.0
    if not largest <= LARGEST_FLOAT:  # NaN compares false
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if bad.size:
            raise BadValueError(
                f"{name} is NaN or infinite at positions {first_few(bad)}: score these items or "
                "leave them out of both systems"
            )
        raise BadValueError(
            f"{name} holds {TOO_LARGE}, up to {largest:.0e}: divide all by one number"
        )
    return values


def _integers(values: NDArray[Any], name: str) -> NDArray[np.int64]:
    if values.dtype.itemsize >= 8 and values.size:
        largest = max(int(values.max()), -int(values.min()))
        limit = min(LARGEST_INTEGER, LARGEST_SUM // len(values))
        if largest > limit:
            raise BadValueError(
                f"{name} holds integers up to {largest:,}, too large to sum exactly over "
                f"{len(values):,} items: rescale both systems (at most {limit:,}) or pass floats"
            )
    return values.astype(np.int64, copy=False)


def fits(arrays: Sequence[Ints], n: int | None = None) -> bool:
    """Whether integers of ``n`` items can be projected, summed and doubled without overflow."""
    largest = max(int(np.abs(x).max(initial=0)) for x in arrays)
    return largest <= min(LARGEST_INTEGER, LARGEST_SUM // (n or len(arrays[0])))


def as_fractions(array: ArrayLike) -> list[Fraction] | None:
    """Values as fractions where any of them is a Fraction or a Decimal; None for plain numbers."""
    raw = np.asarray(array)
    if raw.dtype != object or raw.size == 0:
        return None
    values = raw.ravel().tolist()
    exact = (Fraction, Decimal, int)
    if not any(isinstance(x, Fraction | Decimal) for x in values):
        return None
    if not all(isinstance(x, exact) for x in values) or any(
        isinstance(x, Decimal) and not x.is_finite() for x in values
    ):
        return None
    return [Fraction(x) for x in values]


def common_integers(arrays: Sequence[ArrayLike]) -> tuple[list[Ints], Fraction] | None:
    """Arrays of which any holds fractions or decimals, as integers times one exact unit.

    >>> from decimal import Decimal
    >>> common_integers([[Fraction(1, 3), Fraction(1, 2)], [Decimal("0.5"), 1]])
    ([array([2, 3]), array([3, 6])], Fraction(1, 6))
    """
    found = [as_fractions(array) for array in arrays]
    if all(values is None for values in found):
        return None
    shapes = [np.shape(np.asarray(array)) for array in arrays]
    exact = [
        [Fraction(x) for x in np.asarray(array).ravel().tolist()] if values is None else values
        for array, values in zip(arrays, found, strict=True)
    ]
    unit = Fraction(1, lcm(*(x.denominator for values in exact for x in values)))
    integers = [[int(x / unit) for x in values] for values in exact]
    if max(abs(x) for values in integers for x in values) > LARGEST_INTEGER:
        return None
    return [
        np.array(values, dtype=np.int64).reshape(shape)
        for values, shape in zip(integers, shapes, strict=True)
    ], unit
