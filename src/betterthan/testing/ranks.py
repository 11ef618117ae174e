"""Ranks of absolute differences, and the pseudo-median that belongs to them."""

import numpy as np

from betterthan.data.tally import Tally
from betterthan.numeric import Floats, Ints, Numbers

LISTED = 1 << 16  # pairs of distinct values that are laid out


def doubled_midranks(sizes: Numbers, counts: Ints, slack: Floats | None = None) -> Ints:
    """Twice the mid-rank of each value: integers, ties and all.

    A value stands for as many equal ones as its count says. Neighbours in order of size that are no
    further apart than the larger ``slack`` of the two are tied; without slack only equal values
    are.

    >>> doubled_midranks(np.array([3, 1, 3, 7]), np.ones(4, dtype=int))
    array([5, 2, 5, 8])
    """
    order = np.argsort(sizes, kind="stable")
    gaps = np.diff(sizes[order])
    separate = gaps > (0 if slack is None else np.maximum(slack[order][1:], slack[order][:-1]))
    group = np.cumsum(np.concatenate(([False], separate)))[: sizes.size]
    held = np.bincount(group, counts[order]).astype(np.int64)
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
    distinct = Tally.of([values], counts)
    ascending, times = distinct.rows[:, 0].astype(np.float64), distinct.counts
    total = distinct.units * (distinct.units + 1) // 2
    low, high = _ordered_sums(ascending, times, ((total - 1) // 2, total // 2))
    return low / 4.0 + high / 4.0


def _ordered_sums(x: Floats, times: Ints, ranks: tuple[int, ...]) -> list[float]:
    """Those of the sums ``x_i + x_j``, ``i <= j``, that have these ranks (ascending, from zero).

    Values ascend, and each occurs as many ``times``.
    """
    own, copies = np.arange(x.size), times.astype(np.float64)
    before = np.concatenate(([0.0], np.cumsum(copies)))
    with_itself = copies * (copies - 1.0) / 2.0  # counted twice in the square of its copies

    def pairs_up_to(partner: Ints) -> int:
        pairs = copies @ (before[partner] - before[:-1])
        return int(pairs - with_itself @ (partner > own))

    low, high = 2.0 * x[0], 2.0 * x[-1]
    start, stop = own, np.full(x.size, x.size)  # partners j of each i that are still in question
    while int((stop - start).sum()) > max(x.size, LISTED):
        pivot = low + (high - low) / 2.0
        if not low < pivot < high:
            return [float(high)] * len(ranks)  # more equal sums than values
        split = np.maximum(np.searchsorted(x, pivot - x, side="right"), own)
        smaller = pairs_up_to(split)
        if smaller > ranks[-1]:
            high, stop = pivot, np.minimum(stop, split)
        elif smaller <= ranks[0]:
            low, start = pivot, np.maximum(start, split)
        else:  # the pivot falls between the ranks: each is found on its own
            return [y for rank in ranks for y in _ordered_sums(x, times, (rank,))]
    lengths = stop - start
    i = np.repeat(own, lengths)
    j = np.arange(i.size) - np.repeat(np.cumsum(lengths) - lengths, lengths) + start[i]
    sums, pairs = x[i] + x[j], copies[i] * copies[j] - np.where(i == j, with_itself[i], 0)
    order = np.argsort(sums)
    targets = np.array(ranks) - pairs_up_to(start)
    index = np.searchsorted(np.cumsum(pairs[order]), targets, side="right")
    return [float(y) for y in sums[order[index]]]
