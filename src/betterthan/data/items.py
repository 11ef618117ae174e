"""Items: what systems got on each item, in exact numbers, before anything is summed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from betterthan.data.arrays import cluster_sums
from betterthan.data.resolution import FLOAT_NOISE, resolution, resolved
from betterthan.data.tally import Tally, cluster_numbers, item_order
from betterthan.metrics import Metric
from betterthan.numeric import Ints, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The single items behind the units, or distinct ones and how many there are of each.

    Attributes
    ----------
    exact : tuple of (n, k) arrays
        Each system's columns, in the metric's order: integers of ``unit`` where all are whole,
        floats otherwise. A black box gets them as they came.
    codes : (n,) int64 array or None
        The cluster of each item, numbered from zero; None when items are the units.
    counts : (n,) int64 array or None
        How many items there are of each; None where every item is listed.
    source : Scores or None
        What they were taken from, with ids and labels.
    unit : Fraction
        What a one stands for.
    noise : float
        Values closer than this share of their size are tied; zero for integers.
    """

    exact: tuple[Numbers, ...]
    codes: Ints | None = None
    counts: Ints | None = None
    source: Any = None
    unit: Fraction = Fraction(1)
    noise: float = 0.0

    def resolved(self, metric: Metric) -> Self:
        """Return the same in the exact numbers that are behind what came."""
        if metric.spelling == "median":
            whole = resolved(np.hstack(self.exact) / 1.0)
            return replace(self, exact=tuple(np.hsplit(whole, len(self.exact))), noise=FLOAT_NOISE)
        if metric.form == "blackbox":
            return replace(self, noise=FLOAT_NOISE)
        if self.exact[0].dtype.kind == "i":
            return self
        numbers = resolution(self.exact, self.n)
        exact = tuple(x.reshape(len(x), -1) for x in numbers.columns)
        return replace(self, exact=exact, unit=numbers.unit, noise=numbers.noise)

    @property
    def values(self) -> tuple[Numbers, ...]:
        """Each system's columns as they are read."""
        if self.unit == 1:
            return self.exact
        above, below = map(float, self.unit.as_integer_ratio())
        return tuple(x * above / below for x in self.exact)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.exact[0]) if self.counts is None else int(self.counts.sum())

    @property
    def times(self) -> Ints:
        """How many items there are of each."""
        return np.ones(self.n, dtype=np.int64) if self.counts is None else self.counts

    def select(self, places: Sequence[int]) -> Self:
        """Return the same items of some systems."""
        return replace(self, exact=tuple(self.exact[k] for k in places))

    def ordered(self) -> Self:
        """The same, sorted by cluster and then by what items hold; clusters by what they hold."""
        numbers = None if self.codes is None else cluster_numbers(self.exact, self.codes)
        order = item_order(self.exact, numbers)
        codes = None if numbers is None else numbers[order]
        return replace(self, exact=tuple(x[order] for x in self.exact), codes=codes, source=None)

    def tally(self, metric: Metric) -> Tally:
        """Tally the units: their projected columns, summed within clusters, and their sizes.

        Rows of a black box, which has no sums, are items and the numbers of their clusters.
        """
        if metric.form == "blackbox":
            codes = None if self.codes is None else cluster_numbers(self.exact, self.codes)
            last = np.zeros(self.n) if codes is None else codes
            return Tally.of([x / 1.0 for x in (*np.hstack(self.exact).T, last)])
        columns = [column for x in self.exact for column in metric.project(x).T]
        if self.codes is None:
            tally = Tally.of(columns, self.counts)
            ones = np.ones_like(tally.rows, shape=(len(tally.rows), 1))
            return Tally(np.hstack([tally.rows, ones]), tally.counts)
        sizes = np.bincount(self.codes, self.counts).astype(np.int64)
        values, codes = np.stack(columns, axis=1), self.codes
        if self.counts is not None and values.dtype.kind == "i":
            values = values * self.counts[:, None]
        elif self.counts is not None:  # added up one by one, as single items are
            values, codes = (np.repeat(x, self.counts, axis=0) for x in (values, codes))
        return Tally.of([*cluster_sums(values, codes, len(sizes)).T, sizes])
