"""Step-down max-T: several comparisons adjusted by the joint law of their shared swaps.

A unit is swapped in all pairs or in none, so that the dependence between comparisons is that of the
data (Westfall & Young, 1993). All swaps are gone through where they are few; otherwise so many are
drawn that chance does not choose the verdict.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan.comparison.multiplicity import Bracket
from betterthan.data.arrays import cluster_sums
from betterthan.data.pair import Pair
from betterthan.data.resolution import FLOAT_NOISE
from betterthan.data.tally import Tally
from betterthan.errors import Remedy, UsageError
from betterthan.numeric import TIE, Alternative, Floats, Ints
from betterthan.resampling.draws import as_drawn, draw_signs
from betterthan.resampling.generator import (
    as_generator,
    clopper_pearson,
)
from betterthan.results.tests import Kind, TestResult
from betterthan.testing.montecarlo import CONFIDENCE, LOOKS, ORIENT
from betterthan.testing.request import Request

ENUMERATED = 1 << 20
"""Most different outcomes of all swaps that are gone through rather than drawn."""

UNITS = 1 << 11
"""Most units for that: their binomial laws are written out."""

_BLOCK = 1 << 14  # outcomes gone through at a time

Block = tuple[int, np.random.Generator]


def max_t(
    pairs: Sequence[Pair],
    results: Sequence[TestResult],
    request: Request,
) -> tuple[Bracket, Floats]:
    """Step-down max-T p-values of pairs on the same items, tested by permutation, and their levels.

    Sums of differences are divided by their null standard deviation, which swaps leave as it is,
    and so have one scale. Each comparison's own distribution is exact; their joint one is right
    where the differences are jointly symmetric under the null, which for several systems says more
    than that their labels may be exchanged (Holm's correction assumes nothing of the kind).

    No p-value is below that of its own test, which in the joint distribution it never is.

    Drawn p-values have 99 % intervals that hold for all comparisons together. If the request names
    no ``resamples`` there are as many draws as it takes until no interval has alpha in it, up to
    the last of ``LOOKS``; every look has its share of the error. A p-value whose interval still has
    alpha in it is put at the upper end: chance gives no verdict.
    """
    joint, raw = _Joint.of(pairs, results[0].alternative), Bracket.of(results)
    share = joint.of_all_swaps()
    if share is not None:
        value, low, high = (joint.stepped(share, p) for p in (raw.value, raw.low, raw.high))
        return Bracket(value, low, high, np.log10(value), raw.together), joint.levels(request)
    looks = LOOKS if request.resamples is None else (request.resamples,)
    confidence = 1.0 - (1.0 - CONFIDENCE) / (len(looks) * len(pairs))
    generator, hits, done = as_generator(request.rng), np.zeros(len(pairs), dtype=np.int64), 0
    unsettled = np.ones(len(pairs), dtype=bool)
    for look in looks:
        hits += sum(request.work.draw(joint.hits, len(joint.gains), look - done, generator))
        done = look
        ends = np.array([clopper_pearson(int(k), done, confidence) for k in hits])
        p = (1.0 + hits) / (1.0 + done)  # the +1 rule moves p up, and the ends with it
        value = joint.stepped(p, raw.value)
        low = joint.stepped(np.minimum(ends[:, 0], p), raw.low)
        high = joint.stepped(np.maximum(ends[:, 1], p), raw.high)
        unsettled = (low <= request.alpha) & (request.alpha < high)
        if not unsettled.any():
            break
    value = np.where(unsettled, high, value)
    value = joint.stepped(value[joint.order], value)
    drawn: Sequence[Kind] = ["sampled"] * len(pairs)
    adjusted = Bracket(value, low, high, np.log10(value), drawn, done)
    return adjusted, joint.levels(request)


@dataclass(frozen=True, slots=True, eq=False)
class _Joint:
    """Statistics of all comparisons under shared swaps, from the least extreme of the data.

    ``gains`` have a row for each unit, or for ``counts`` units that are alike, and a column for
    each comparison in that ``order``; a statistic is as extreme as the data from ``thresholds`` on.
    """

    gains: Floats
    counts: Ints | None
    alternative: Alternative
    thresholds: Floats
    order: NDArray[np.intp]

    @classmethod
    def of(cls, pairs: Sequence[Pair], alternative: Alternative) -> "_Joint":
        # Sorted by name, so that the order of the systems leaves no trace in what is drawn.
        names = sorted(
            range(len(pairs)), key=lambda k: (*sorted(pairs[k].systems), pairs[k].metric.spelling)
        )
        turn = np.array([-1.0 if pairs[k].systems[0] > pairs[k].systems[1] else 1.0 for k in names])
        tally = Tally.of([_unit_gains(pairs[k]) * s for k, s in zip(names, turn, strict=True)])
        gains, counts = as_drawn((tally.rows * turn)[:, np.argsort(names)], tally.counts)
        times = np.ones(len(gains)) if counts is None else counts / 1.0
        norm = np.sqrt(times @ np.square(gains))
        gains = gains / np.where(norm > 0.0, norm, 1.0)
        # Sums that cancel keep their rounding, which is a share of what is summed.
        slack = TIE * float((times @ np.abs(gains)).max(initial=0.0))
        for k, pair in enumerate(pairs):
            if pair.rounding > FLOAT_NOISE and pair.gains is not None and norm[k] > 0.0:
                slack = max(slack, pair.gains.error / float(norm[k]))
        observed = ORIENT[alternative](times @ gains)
        order = np.argsort(-observed, kind="stable")[::-1]
        return cls(gains[:, order], counts, alternative, observed[order] - slack, order)

    def statistics(self, block: Block) -> Floats:
        """Draw a block of swaps, and all statistics under each."""
        net = draw_signs(len(self.gains), *block, self.counts)
        return np.asarray(ORIENT[self.alternative](net @ self.gains))

    def hits(self, block: Block) -> Ints:
        """Count the drawn swaps in which some statistic is as extreme."""
        return np.asarray(np.count_nonzero(self.extreme(self.statistics(block)), axis=0))

    def extreme(self, statistics: Floats) -> NDArray[np.bool_]:
        """Whether a comparison, or one that is less extreme in the data, is as extreme as it."""
        return np.asarray(np.maximum.accumulate(statistics, axis=1) >= self.thresholds)

    def of_all_swaps(self) -> Floats | None:
        """Shares of all swaps that are as extreme, if their outcomes are not too many."""
        moved = self.gains.any(axis=1)
        differ, counts = self.gains[moved], None if self.counts is None else self.counts[moved]
        units = len(differ) if counts is None else int(counts.sum())
        if not units:
            return np.ones(len(self.order))
        if units > UNITS:
            return None
        # A unit and its mirror image are swapped alike: the one's staying is the other's swap.
        first = differ[np.arange(len(differ)), (differ != 0.0).argmax(axis=1)]
        alike = Tally.of(list((differ * np.sign(first)[:, None] + 0.0).T), counts)
        sizes = [c + 1 for c in alike.counts.tolist()]
        if math.prod(sizes) > ENUMERATED:
            return None
        share = np.zeros(len(self.order))
        for net, weights in _outcomes(sizes):
            share += weights @ self.extreme(ORIENT[self.alternative](net @ alike.rows))
        return np.minimum(share, 1.0)

    def stepped(self, shares: Floats, own: Floats) -> Floats:
        """Shares in the order of the pairs, none below its own p or that of a more extreme one."""
        steps = np.maximum.accumulate(np.maximum(shares, own[self.order])[::-1])[::-1]
        return np.asarray(steps[np.argsort(self.order)])

    def levels(self, request: Request) -> Floats:
        """How likely each statistic is as large as the critical value of the largest of them."""
        drawn = request.work.draw(self.statistics, len(self.gains), LOOKS[0], request.rng)
        statistics = np.concatenate(list(drawn))
        largest = np.sort(statistics.max(axis=1))
        critical = largest[-max(math.floor((LOOKS[0] + 1) * request.alpha), 1)]
        # An end of the critical value itself is not below it by rounding.
        share = (statistics >= critical * (1.0 - TIE)).mean(axis=0)[np.argsort(self.order)]
        return np.asarray(np.clip(share, request.alpha / len(self.order) / 2.0, request.alpha))


def _outcomes(sizes: Sequence[int]) -> Iterator[tuple[Floats, Floats]]:
    """Net signs of classes of units that are swapped alike, and their chances, in blocks.

    ``sizes`` are one more than the units of each: so many outcomes it has.
    """
    laws = [[math.comb(n - 1, k) / 2 ** (n - 1) for k in range(n)] for n in sizes]
    total = math.prod(sizes)
    for start in range(0, total, _BLOCK):
        index = np.arange(start, min(start + _BLOCK, total))
        swapped = np.unravel_index(index, sizes)
        net = [n - 1 - 2.0 * k for n, k in zip(sizes, swapped, strict=True)]
        weights = np.ones(len(index))
        for law, k in zip(laws, swapped, strict=True):
            weights *= np.array(law)[k]
        yield np.stack(net, axis=1), weights


def _unit_gains(pair: Pair) -> Floats:
    """Differences towards better of each unit, in the order of the data."""
    if pair.gains is None:
        raise UsageError(
            f"max-T compares means, not {pair.metric!r}",
            Remedy("adjusts any metric", "correction", "holm"),
        )
    items = pair.known_items
    a, b = (pair.metric.project(x) for x in items.exact)
    d = (b - a)[:, 0]
    if items.codes is not None:
        d = cluster_sums(d, items.codes, pair.units)
    towards = pair.metric.sign
    if pair.metric.form == "ratio":
        towards *= float(np.sign(a[:, 1].sum()))
    return np.asarray(towards * d, dtype=np.float64)
