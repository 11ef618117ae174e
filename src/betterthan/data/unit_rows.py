"""From single items to rows of units: the numbers that are meant, what is summed, how often."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np

from betterthan.data.arrays import FLOAT_NOISE, cluster_sums, refuse_lost
from betterthan.data.canonical import cluster_numbers, item_order
from betterthan.data.meant import as_meant, noise_of, whole_numbers
from betterthan.data.tally import Tally
from betterthan.data.whole import as_lattice
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints, Numbers

COARSER = 16  # than the rounding of scores is a unit of their differences


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The single items behind the units.

    Attributes
    ----------
    values : tuple of (n, k) arrays
        Each system's columns, in the metric's order.
    meant : tuple of (n, k) arrays
        The values as they are counted: integers of ``unit`` where they are whole, floats of one
        precision where they are not.
    codes : (n,) int64 array or None
        The cluster of each item, numbered from zero; None when items are the units.
    source : Scores or None
        What they were taken from, with ids and labels.
    unit : Fraction
        What a one in ``meant`` stands for.
    """

    values: tuple[Numbers, ...]
    meant: tuple[Numbers, ...]
    codes: Ints | None = None
    source: Any = None
    unit: Fraction = Fraction(1)

    def ordered(self) -> "Items":
        """The same, sorted by cluster and then by what items hold; clusters by what they hold."""
        numbers = None if self.codes is None else cluster_numbers(self.values, self.codes)
        order = item_order(self.values, numbers)
        codes = None if numbers is None else numbers[order]
        values, meant = (tuple(x[order] for x in some) for some in (self.values, self.meant))
        return Items(values, meant, codes, None, self.unit)


class Counted(TypedDict):
    """What of a joint its items decide."""

    items: Items
    tally: Tally
    unit: Fraction
    noise: float


def rows_meant(
    items: Items, metric: Metric, clusters: int | None, counts: Ints | None = None
) -> Counted:
    """Recover the numbers meant item by item, before anything is summed, and tally them.

    ``counts`` says how many items there are of each, where equal ones are listed once.
    """
    values = items.values
    if metric.spelling == "median":
        rounded = tuple(np.hsplit(as_meant(np.hstack(values) / 1.0), len(values)))
        items = replace(items, values=rounded, meant=rounded)
    if metric.form == "blackbox" or values[0].dtype.kind == "i":
        return rows_of_units(items, metric, clusters, counts=counts)
    meant, unit = whole_numbers(values, len(values[0]) if counts is None else int(counts.sum()))
    if unit is None and items.codes is not None:
        refuse_lost(values, items.codes, clusters)
    noise = noise_of(meant) if unit is None else 0.0
    items = replace(items, meant=meant, unit=unit or Fraction(1))
    return rows_of_units(items, metric, clusters, noise, counts)


def rows_of_units(
    items: Items,
    metric: Metric,
    clusters: int | None,
    noise: float = 0.0,
    counts: Ints | None = None,
) -> Counted:
    """Rows of all systems' projected sums per unit and its size."""
    codes, meant = items.codes, items.meant
    if metric.form == "blackbox":  # no sums: items stay as they are
        last = np.zeros(len(meant[0])) if codes is None else cluster_numbers(meant, codes) / 1.0
        tally, noise = Tally.of([*np.hstack(meant).T / 1.0, last]), FLOAT_NOISE
        return {"items": items, "tally": tally, "unit": Fraction(1), "noise": noise}
    blocks = [metric.project(x) for x in meant]
    if meant[0].dtype.kind == "i" and any(x.dtype.kind != "i" for x in blocks):
        blocks, noise = [x.astype(np.float64) for x in blocks], FLOAT_NOISE  # weights too large
    if codes is None or clusters is None:
        made = Tally.of([column for block in blocks for column in block.T], counts)
        rows = np.ones_like(made.rows, shape=(len(made.rows), made.rows.shape[1] + 1))
        rows[:, :-1] = made.rows  # every unit is one item
        tally = Tally(rows, made.counts)
    else:
        sums = cluster_sums(np.hstack(blocks), codes, clusters)
        tally = Tally.of([*sums.T, np.bincount(codes, minlength=clusters)])
    return {"items": items, "tally": tally, "unit": items.unit, "noise": noise}


def whole_differences(d: Floats, rounding: float) -> tuple[Ints, Fraction] | None:
    """Differences as whole numbers of a unit, where they are such though the scores may not be.

    Whatever their unit is, the least of them is a multiple of it. One that is not much coarser than
    the rounding of the scores is the last bit of their type, and none of theirs.
    """
    least = Fraction(1)
    if np.count_nonzero(d) > 1:
        least = Fraction(float(np.abs(d[d != 0.0]).min()))
    with np.errstate(over="ignore"):  # beside the least of floats; infinity has no unit
        found = as_lattice(d / float(least))
    if found is None or found[1] * least < COARSER * rounding:
        return None
    return found[0][0], found[1] * least
