"""From single items to rows of units: exact numbers, summed within clusters, and tallied."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

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
    values : tuple of (n, k) arrays
        Each system's columns, in the metric's order.
    exact : tuple of (n, k) arrays
        The values as they are counted: integers of ``unit`` where they are whole, floats otherwise.
    codes : (n,) int64 array or None
        The cluster of each item, numbered from zero; None when items are the units.
    source : Scores or None
        What they were taken from, with ids and labels.
    unit : Fraction
        What a one in ``exact`` stands for.
    counts : (n,) int64 array or None
        How many items there are of each; None where every item is listed.
    """

    values: tuple[Numbers, ...]
    exact: tuple[Numbers, ...]
    codes: Ints | None = None
    source: Any = None
    unit: Fraction = Fraction(1)
    counts: Ints | None = None

    @property
    def times(self) -> Ints:
        """How many items there are of each."""
        return np.ones(len(self.values[0]), dtype=np.int64) if self.counts is None else self.counts

    def select(self, places: Sequence[int]) -> "Items":
        """Return the same items of some systems."""
        values, exact = (tuple(x[k] for k in places) for x in (self.values, self.exact))
        return replace(self, values=values, exact=exact)

    def ordered(self) -> "Items":
        """The same, sorted by cluster and then by what items hold; clusters by what they hold."""
        numbers = None if self.codes is None else cluster_numbers(self.values, self.codes)
        order = item_order(self.values, numbers)
        codes = None if numbers is None else numbers[order]
        values, exact = (tuple(x[order] for x in some) for some in (self.values, self.exact))
        return Items(values, exact, codes, None, self.unit)


def rows_of_items(
    items: Items, metric: Metric, clusters: int | None, raw: Sequence[Any] | None = None
) -> dict[str, Any]:
    """Recover the exact numbers item by item, before anything is summed, and tally them.

    Returns what items decide of a joint: ``items``, ``tally``, ``unit`` and ``noise``. ``raw`` are
    the values as they came, where they are fractions or decimals of Python.
    """
    values, unit, noise = items.values, Fraction(1), 0.0
    if metric.spelling == "median":
        whole = resolved(np.hstack(values) / 1.0)
        values = tuple(np.hsplit(whole, len(values)))
        items = replace(items, values=values, exact=values)
    if metric.form == "blackbox":  # no sums: items stay as they are
        codes = items.codes
        last = np.zeros(len(values[0])) if codes is None else cluster_numbers(values, codes) / 1.0
        tally = Tally.of([*np.hstack(values).T / 1.0, last])
        return {"items": items, "tally": tally, "unit": unit, "noise": FLOAT_NOISE}
    if raw is not None or values[0].dtype.kind != "i":
        numbers = resolution(raw or values, int(items.times.sum()))
        unit, noise = numbers.unit, numbers.noise
        items = replace(
            items, exact=tuple(x.reshape(len(x), -1) for x in numbers.columns), unit=unit
        )
    blocks = [metric.project(x) for x in items.exact]
    if items.exact[0].dtype.kind == "i" and any(x.dtype.kind != "i" for x in blocks):
        blocks, noise = [x.astype(np.float64) for x in blocks], FLOAT_NOISE  # weights too large
    if items.codes is None or clusters is None:
        distinct = Tally.of([column for block in blocks for column in block.T], items.counts)
        ones = np.ones_like(distinct.rows, shape=(len(distinct.rows), 1))  # each unit is one item
        tally = Tally(np.hstack([distinct.rows, ones]), distinct.counts)
    else:
        sums = cluster_sums(np.hstack(blocks), items.codes, clusters)
        tally = Tally.of([*sums.T, np.bincount(items.codes, minlength=clusters)])
    return {"items": items, "tally": tally, "unit": unit, "noise": noise}
