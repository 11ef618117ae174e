"""Ranks of absolute differences, and the pseudo-median that belongs to them."""

import numpy as np

from betterthan.data.tally import Tally
from betterthan.numeric import Floats, Ints, Numbers

DIRECT = 256  # up to so many distinct values, all their pairs are laid out


def doubled_midranks(sizes: Numbers, counts: Ints, slack: Floats | None = None) -> Ints:
    """Twice the mid-rank of each value: whole numbers, ties and all.

    A value stands for as many equal ones as its count says. Neighbours in order of size that are no
    further apart than the larger ``slack`` of the two are tied; without slack only equal values
    are.

    >>> doubled_midranks(np.array([3, 1, 3, 7]), np.ones(4, dtype=int))
    array([5, 2, 5, 8])
    """
    order = np.argsort(sizes, kind="stable")
    gaps = np.diff(sizes[order])
    apart = gaps > (0 if slack is None else np.maximum(slack[order][1:], slack[order][:-1]))
    group = np.concatenate(([0], np.cumsum(apart)))
    held = np.zeros(int(group[-1]) + 1, dtype=np.int64)
    np.add.at(held, group, counts[order])
    last = np.cumsum(held)  # rank of the last member of each group of ties
    first = last - held + 1
    ranks = np.empty(sizes.size, dtype=np.int64)
    ranks[order] = (first + last)[group]
    return ranks


def pseudo_median(values: Numbers, counts: Ints) -> float:
    """Hodges-Lehmann estimate: the median of the averages of all pairs, each with itself included.

    It is the shift at which the signed-rank statistic is balanced (Hodges & Lehmann, 1963). The
    pairs are never laid out for large data: their number below a pivot is counted by binary search,
    and the pivot is bisected until few pairs are left (after Monahan, 1984).

    >>> pseudo_median(np.array([1, 2, 9]), np.ones(3, dtype=int))
    3.5
    """
    made = Tally.of([values], counts)
    distinct, times = made.rows[:, 0], made.counts
    n = made.units
    total = n * (n + 1) // 2
    middle = ((total - 1) // 2, total // 2)  # the one or two middle pairs, counted from zero
    if distinct.size > DIRECT:
        ascending = np.repeat(distinct, times).astype(np.float64)
        low, high = _ordered_sums(ascending, middle)
    else:
        i, j = np.triu_indices(distinct.size)
        sums = distinct[i].astype(np.float64) + distinct[j]
        pairs = np.where(i == j, times[i] * (times[i] + 1) // 2, times[i] * times[j])
        order = np.argsort(sums)
        at = np.searchsorted(np.cumsum(pairs[order]), middle, side="right")
        low, high = sums[order[at]].tolist()
    return float(low / 4.0 + high / 4.0)


def _ordered_sums(ascending: Floats, ranks: tuple[int, ...]) -> list[float]:
    """Those of the sums ``x_i + x_j``, ``i <= j``, that have these ranks (ascending, from zero)."""
    n = ascending.size
    own = np.arange(n)
    low, high = 2.0 * ascending[0], 2.0 * ascending[-1]
    start, stop = own, np.full(n, n)  # partners j of each i that are still in question
    while int((stop - start).sum()) > 4 * n:
        pivot = low + (high - low) / 2.0
        if not low < pivot < high:
            return [float(high)] * len(ranks)  # more equal sums than values
        split = np.maximum(np.searchsorted(ascending, pivot - ascending, side="right"), own)
        smaller = int((split - own).sum())
        if smaller > ranks[-1]:
            high, stop = pivot, np.minimum(stop, split)
        elif smaller <= ranks[0]:
            low, start = pivot, np.maximum(start, split)
        else:  # the pivot falls between the ranks: each is found on its own
            return [x for rank in ranks for x in _ordered_sums(ascending, (rank,))]
    lengths = stop - start
    i = np.repeat(own, lengths)
    j = np.arange(i.size) - np.repeat(np.cumsum(lengths) - lengths, lengths) + start[i]
    at = np.array(ranks) - int((start - own).sum())
    return [float(x) for x in np.partition(ascending[i] + ascending[j], at)[at]]
