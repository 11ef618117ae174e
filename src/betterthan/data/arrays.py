"""Arrays as they come: finite numbers, integers kept, and clusters numbered and summed.

Integers stay integers, so that the exact engine needs no conversion, and are never scanned for NaN.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
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
LARGE = 1e12  # whole numbers that may differ by what is taken for rounding
FLOAT_NOISE = 1 / LARGE  # of computed doubles that are no whole numbers, as a share of their size


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
                f"{len(values):,} items: subtract one number from all scores, or write them in a "
                f"larger unit (at most {limit:,})"
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


def refuse_lost(
    systems: Sequence[Numbers], codes: Ints | None = None, clusters: int | None = None
) -> None:
    """Refuse large numbers whose differences, on an item or in a cluster, are lost as rounding.

    Those of numbers that are not whole, on an item, may be nothing else.
    """
    if max(float(np.fmax.reduce(np.abs(x), None, initial=0.0)) for x in systems) < LARGE:
        return
    for a, b in combinations(systems, 2):
        d, size = b / 1.0 - a, np.maximum(np.abs(a), np.abs(b)) / 1.0
        whole = (a == np.rint(a)) & (b == np.rint(b))
        d[~whole & (np.abs(d) <= FLOAT_NOISE * size)] = 0.0
        if codes is not None and clusters is not None:
            d, size = (cluster_sums(x, codes, clusters) for x in (d, size))
        lost = (d != 0.0) & (np.abs(d) <= FLOAT_NOISE * size)
        if lost.any():
            raise _too_close("item" if codes is None else "cluster", size[lost][0], d[lost][0])


def refuse_lost_fractions(systems: Sequence[ArrayLike]) -> None:
    """Refuse fractions and decimals, which are exact, that differ on an item by no more than that.

    Where both are whole, their doubles tell.
    """
    kept = (np.asarray(array) for array in systems)
    known = [raw.ravel().tolist() for raw in kept if raw.dtype.kind in "iuO"]
    if not any(isinstance(x, Fraction | Decimal) for values in known for x in values):
        return
    noise = Fraction(FLOAT_NOISE)
    for cells in zip(*known, strict=False):  # unequal lengths are refused later, by name
        values = sorted(
            Fraction(x)
            for x in cells
            if isinstance(x, Fraction | int) or (isinstance(x, Decimal) and x.is_finite())
        )
        for low, high in pairwise(values):
            whole = low.denominator == high.denominator == 1
            if not whole and low < high <= low + noise * max(abs(low), abs(high)):
                raise _too_close("item", high, high - low)


def _too_close(unit: str, size: float | Fraction, d: float | Fraction) -> BadValueError:
    return BadValueError(
        f"scores of one {unit} reach {float(size):.17g} and differ by {abs(float(d)):.6g}, which "
        "would be taken for rounding: subtract one number from all scores, or round those that are "
        "the same"
    )
