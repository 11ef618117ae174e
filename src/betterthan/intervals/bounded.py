"""One-sided tests and bounds of delta where every unit's score lies between known bounds.

A system's score is a quotient ``N / D`` of sums over independent units: for a mean D counts items,
for F1 ``N = 2 tp`` and ``D = 2 tp + fp + fn``. With the baseline's score r, the claim that delta
exceeds x is the claim that

    g = sign (N_b - r D_b) - sign (N_a - r D_a) - x D_b

has a mean above zero. A unit's g cannot lie below a number that follows from the bounds of N / D
and from the largest D, so that Gaffke's test applies, whatever the law of the units. It is taken
that no unit is larger than the largest that was seen. Where both systems share their denominators r
cancels; else p is the largest one over a confidence interval of r, plus that interval's error
(Berger & Boos, 1994).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from scipy.special import ndtri

from betterthan.data.pair import Joint, Pair
from betterthan.data.scores import Scores
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.intervals.gaffke import LEAST, gaffke_pvalue
from betterthan.intervals.roots import root
from betterthan.metrics import Metric
from betterthan.numeric import TIE, Floats

Bounds = tuple[float, float]
BOUNDS = Remedy("declare what one score can be", "bounds", (Choice("LOW"), Choice("HIGH")))
BETA = 1e-3  # error of the interval of the baseline's score
FINE = 1e-9  # precision of an end, as a share of the bounds' width
MIRROR = np.array([-1.0, 1.0])  # turns the sign of N
GRID = 9  # values of the baseline's score that are looked at
SURE_RATES = ("aer", "error-rate")  # lower is better, and yet above one there is nothing


@dataclass(frozen=True, eq=False)
class BoundedRatio:
    """Sums of a pair's units, and the bounds of a unit's ``N / D``, all towards better.

    Attributes
    ----------
    a, b : (rows, 2) arrays
        N and D of the two systems on each distinct unit.
    counts : (rows,) array
        How many units there are of each.
    bounds, stated : (float, float)
        Least and largest N / D of a unit, and the same before they were turned towards better.
    """

    a: Floats
    b: Floats
    counts: Floats
    bounds: Bounds
    stated: Bounds

    @property
    def swapped(self) -> "BoundedRatio":
        """The two systems exchanged."""
        return replace(self, a=self.b, b=self.a)

    @property
    def width(self) -> float:
        """How far two scores can be apart."""
        return self.bounds[1] - self.bounds[0]

    @cached_property
    def delta(self) -> float:
        """Difference towards better."""
        first, second = (_quotient(x, self.counts, 0.0) for x in (self.a, self.b))
        return second - first

    @cached_property
    def shared(self) -> bool:
        """Whether both systems have the same denominator on every unit."""
        return bool((self.a[:, 1] == self.b[:, 1]).all())

    @cached_property
    def largest(self) -> float:
        """Largest denominator of a unit."""
        return float(max(self.a[:, 1].max(), self.b[:, 1].max()))

    @cached_property
    def references(self) -> Floats:
        """Scores that the baseline may have: one if it does not matter."""
        if self.shared:
            return np.array([self.bounds[0]])
        ends = bounded_score(self.a, self.counts, self.bounds, BETA, self.largest)
        return np.linspace(*ends, GRID)

    @cached_property
    def above(self) -> Callable[[float], float]:
        """P-value of ``delta <= x`` against ``delta > x``, a function of ``x``."""
        return cache(self._above)

    def _above(self, x: float) -> float:
        if abs(x) >= self.width:
            return LEAST if x < 0.0 else 1.0
        (n, d), (m, e) = self.a.T, self.b.T
        low, high = self.bounds
        pvalues = []
        for r in self.references.tolist():
            lost, spared = low - r - x, high - r
            least = lost - spared if self.shared else min(lost, 0.0) - max(spared, 0.0)
            g = (m - r * e) - (n - r * d) - x * e
            pvalues.append(gaffke_pvalue(g, self.counts, self.largest * least))
        return max(pvalues) if self.shared else min(max(pvalues) + BETA, 1.0)

    def lower(self, alpha: float) -> float:
        """Bound below delta: what the test rejects ends here."""
        return _lowest(self.above, -self.width, self.delta, alpha, FINE * self.width)


def bounded_ratio(pair: Pair, declared: Bounds | None = None) -> BoundedRatio | None:
    """Return the pair with the bounds of its scores; None where there are none."""
    known = bounded_sums(pair, declared)
    if known is None:
        return None
    (a, b), stated = known
    if not pair.metric.lower_is_better:
        return BoundedRatio(a, b, pair.counts / 1.0, stated, stated)
    turned = -stated[1], -stated[0]
    return BoundedRatio(a * MIRROR, b * MIRROR, pair.counts / 1.0, turned, stated)


def bounded_score(
    sums: Floats, counts: Floats, bounds: Bounds, error: float, largest: float | None = None
) -> Bounds:
    """Scores that a system may have; either end errs with half of ``error``.

    ``largest`` is the largest denominator of a unit, by default of those that were seen.
    """
    low, high = bounds
    reach = float(sums[:, 1].max()) if largest is None else largest

    def least(sums: Floats, limit: float) -> float:
        def pvalue(r: float) -> float:
            return gaffke_pvalue(sums[:, 0] - r * sums[:, 1], counts, (limit - r) * reach)

        observed = _quotient(sums, counts, limit)
        return _lowest(pvalue, limit, observed, error / 2.0, FINE * (high - low))

    return least(sums, low), -least(sums * MIRROR, -high)


def _quotient(sums: Floats, counts: Floats, empty: float) -> float:
    above, below = (counts @ sums).tolist()
    return above / below if below else empty


def _lowest(
    pvalue: Callable[[float], float], limit: float, observed: float, alpha: float, fine: float
) -> float:
    """What is not rejected begins here, between a limit and what was observed."""
    if observed - limit <= fine:
        return limit
    if pvalue(observed) <= alpha:
        return observed
    aim = float(ndtri(alpha))  # on this scale p is nearly linear
    return root(lambda x: float(ndtri(pvalue(x))) - aim, limit, observed, fine)


def bounded_sums(
    joint: Joint, declared: Bounds | None = None
) -> tuple[tuple[Floats, ...], Bounds] | None:
    """Each system's N and D of every distinct unit, and the bounds of N / D; None without any.

    Declared bounds come first. Rates have them by themselves: means of 0/1 scores, and other means
    and ratios of which higher is better as long as every score seen lies between 0 and 1. Latencies
    and costs below one do not: a later one may be larger.
    """
    metric, systems = joint.metric, range(len(joint.systems))
    if metric.form not in ("mean", "ratio"):
        if declared is not None:
            raise UsageError(
                f"bounds of single scores say nothing about {metric!r}, which is not a mean or a "
                "ratio of sums",
                Remedy("leave the bounds out"),
            )
        return None
    if metric.form == "mean":
        sizes = joint.sizes.astype(np.float64)[:, None]
        blocks = tuple(np.hstack((joint.values(k)[:, :1], sizes)) for k in systems)
        low, high = joint.span
    else:
        blocks = tuple(joint.values(k) for k in systems)
        every = np.vstack(blocks)
        empty = every[:, 1] == 0.0
        if every[:, 1].min() < 0.0 or empty.all() or every[empty, 0].any():
            return None
        low, high = joint.stated_span or _seen(every)
    if declared is not None:
        slack = TIE * max(abs(declared[0]), abs(declared[1]))
        if low < declared[0] - slack or high > declared[1] + slack:
            wider = Remedy("", "bounds", (min(low, declared[0]), max(high, declared[1])))
            raise UsageError(
                f"scores from {low:g} to {high:g} do not lie within the bounds declared, "
                f"{declared[0]:g} to {declared[1]:g}",
                BOUNDS if joint.rate else wider,
            )
        return blocks, declared
    if (metric.form == "mean" and joint.is_binary) or are_shares(metric, low, high):
        return blocks, (0.0, 1.0)
    return None


def bounds_in_all(scores: Scores) -> Callable[[Pair], Pair]:
    """Have a pair bounded by 0 and 1 only if all scores of the metric in the data are.

    Another system, or another part of the items, may show that a score can lie beyond.
    """

    @cache
    def span(metric: Metric) -> Bounds:
        measured = scores.measured_by(metric)
        each = (_span(measured.joint((name,), metric)) for name in measured.systems)
        low, high = zip(*each, strict=True)
        return min(low), max(high)

    def bounded(pair: Pair) -> Pair:
        if pair.metric.percent or pair.opaque or bounded_sums(pair) is None:
            return pair
        low, high = span(pair.metric)
        shares = are_shares(pair.metric, low, high)
        return pair if shares else replace(pair, stated_span=(low, high))

    return bounded


def _span(joint: Joint) -> Bounds:
    return joint.span if joint.metric.form == "mean" else _seen(joint.values(0))


def _seen(sums: Floats) -> Bounds:
    """Least and largest N / D."""
    shares = sums[sums[:, 1] != 0.0]
    shares = shares[:, 0] / shares[:, 1]
    return float(shares.min(initial=np.inf)), float(shares.max(initial=-np.inf))


def are_shares(metric: Metric, low: float, high: float) -> bool:
    """Whether scores from ``low`` to ``high`` are taken to lie between 0 and 1, all."""
    rising = not metric.lower_is_better or metric.spelling in SURE_RATES
    return rising and low >= 0.0 and high <= 1.0
