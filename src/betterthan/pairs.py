"""Two arrays in, one checked pair out: what every test does first.

Integers stay integers, so that the exact engine needs no conversion, and are never scanned for NaN.
Floats carry the rounding noise of whatever computed them (``0.3 - 0.2`` is not ``0.2 - 0.1``):
``noise`` says how close two values must be, as a share of their size, to count as tied.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data import as_floats, as_labels
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError, first_few
from betterthan.metrics import Metric

Numbers = NDArray[Any]  # int64 or float64: integers are kept as they come
Codes = NDArray[np.int64]
LARGEST_INTEGER = 2**53  # beyond it float64 skips integers
LARGEST_SUM = 2**61  # leaves the engine room to double a sum of differences in int64
LARGEST_FLOAT = 1e150  # squares stay finite
FLOAT_NOISE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Per-item columns of a baseline and a candidate on the same items.

    Attributes
    ----------
    a, b : (n, k) int64 or float64 arrays
        Baseline and candidate, of one dtype.
    clusters : (n,) int64 array or None
        The cluster of each item, numbered from zero; None when items are independent.
    n_clusters : int
        Number of units that are swapped as one: clusters, or items where there are no clusters.
    noise : float
        Values closer than this share of their size are tied; zero for integers.
    """

    a: Numbers
    b: Numbers
    clusters: Codes | None
    n_clusters: int
    noise: float

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.a)

    @property
    def scale(self) -> Numbers:
        """The size of the numbers behind each difference, ``max(|a|, |b|)``."""
        larger: Numbers = np.maximum(np.abs(self.a), np.abs(self.b))
        return larger

    @property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1."""
        return all(bool(((x == 0) | (x == 1)).all()) for x in (self.a, self.b))

    def differences(self) -> Numbers:
        """Candidate minus baseline, ``(n, k)``; float noise around zero is zero."""
        difference: Numbers = self.b - self.a
        if self.noise:
            difference[np.abs(difference) <= self.noise * self.scale] = 0.0
        return difference

    def per_unit(self, values: Numbers) -> Numbers:
        """Per-item values summed within clusters, or as they are where there are none."""
        if self.clusters is None:
            return values
        return cluster_sums(values, self.clusters, self.n_clusters)


def pair(a: ArrayLike, b: ArrayLike, metric: Metric, clusters: ArrayLike | None = None) -> Pair:
    """Check two systems' per-item values and pair them by position.

    Parameters
    ----------
    a, b : array_like
        Baseline and candidate: ``(n,)``, or ``(n, k)`` in the order of the metric's columns.
    metric : Metric
        Says how many columns there must be.
    clusters : array_like, optional
        A label per item; items of one cluster are not independent.

    Examples
    --------
    >>> from betterthan.metrics import mean
    >>> pair([1, 0, 1], [1, 1, 1], mean()).differences()[:, 0]
    array([0, 1, 0])
    """
    (left, noise_a), (right, noise_b) = _numbers(a, "a"), _numbers(b, "b")
    if len(left) != len(right):
        raise AlignmentError(
            f"a has {len(left):,} items and b has {len(right):,}: arrays are paired by position, "
            "so give both systems' values on the same items, in the same order"
        )
    if len(left) == 0:
        raise DataError("there are no items to compare: a and b are empty")
    for name, values in (("a", left), ("b", right)):
        if values.shape[1] != len(metric.columns):
            raise UsageError(
                f"{name} has {values.shape[1]} columns an item, but {metric!r} reads "
                f"{len(metric.columns)} ({', '.join(metric.columns)}): give an (items, "
                f"{len(metric.columns)}) array or choose another metric"
            )
    if left.dtype != right.dtype:
        left, right = left.astype(np.float64), right.astype(np.float64)
    codes, units = (None, len(left)) if clusters is None else cluster_codes(clusters, len(left))
    return Pair(left, right, codes, units, max(noise_a, noise_b))


def cluster_codes(labels: ArrayLike, n: int) -> tuple[Codes, int]:
    """Number the clusters from zero; also returns how many there are.

    >>> cluster_codes(["x", "y", "x"], 3)
    (array([0, 1, 0]), 2)
    """
    raw = np.asarray(labels)
    if raw.shape != (n,):
        raise AlignmentError(
            f"clusters has shape {raw.shape} for {n:,} items: give one label an item"
        )
    if raw.dtype.kind in "Of":
        missing = np.flatnonzero([x is None or x != x for x in raw.tolist()])  # noqa: PLR0124 (NaN)
        if missing.size:
            raise BadValueError(
                f"clusters has no label at positions {first_few(missing)}: give every item one "
                "(a label of its own where it stands alone)"
            )
        raw = as_labels(raw)
    if raw.dtype.kind in "iu" and int(raw.max()) - (least := int(raw.min())) < 4 * n:
        # Small signed integers would overflow; unsigned ones are not below their least.
        wide = raw.astype(np.int64, copy=False) if raw.dtype.kind == "i" else raw
        tags = (wide - least).astype(np.int64, copy=False)
        present = np.bincount(tags) > 0  # as good as sorting, and ten times faster
        return (np.cumsum(present) - 1)[tags], int(np.count_nonzero(present))
    distinct, codes = np.unique(raw, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(distinct)


def cluster_sums(values: Numbers, codes: Codes, n_clusters: int) -> Numbers:
    """Sum ``(n,)`` or ``(n, k)`` values within clusters; exact for integers.

    >>> cluster_sums(np.array([1, 2, 4]), np.array([0, 1, 0]), 2)
    array([5, 2])
    """
    if values.ndim == 2:
        return np.stack([cluster_sums(column, codes, n_clusters) for column in values.T], axis=1)
    sums: Numbers = np.zeros(n_clusters, dtype=values.dtype)
    np.add.at(sums, codes, values)
    return sums


def _numbers(array: ArrayLike, name: str) -> tuple[Numbers, float]:
    """Return finite ``(n, k)`` int64 or float64 values, and their rounding noise."""
    raw = array if isinstance(array, np.ndarray) else _rectangular(array, name)
    if isinstance(raw, np.ma.MaskedArray):
        # Masked cells become NaN, to be refused; asarray would unmask them.
        raw = np.where(np.ma.getmaskarray(raw), np.nan, np.ma.getdata(raw))
    if raw.ndim not in (1, 2):
        raise DataError(f"{name} has {raw.ndim} dimensions: give (items,) or (items, k) values")
    columns = raw[:, None] if raw.ndim == 1 else raw
    if columns.dtype.kind in "biu":
        return _integers(columns, name), 0.0
    # float32 results are noisy at float32's own precision, whatever they are stored in later.
    coarse = columns.dtype.kind == "f" and columns.dtype.itemsize < 8
    noise = 2.0 * float(np.finfo(columns.dtype).eps) if coarse else FLOAT_NOISE
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
            f"{name} holds values up to {largest:.0e}, whose squares overflow: rescale both systems"
        )
    return values, noise


def _rectangular(array: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asanyarray(array)
    except ValueError as error:
        raise BadValueError(f"{name} is not a rectangular array of numbers: {error}") from error


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
