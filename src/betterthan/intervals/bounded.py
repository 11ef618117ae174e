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
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from betterthan.data.pair import Joint, Pair
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import Choice, Remedy, UsageError
from betterthan.intervals.gaffke import LEAST, gaffke_pvalue
from betterthan.intervals.roots import root
from betterthan.metrics import Metric
from betterthan.numeric import TIE, Floats

Some = TypeVar("Some", bound=Joint)
Bounds = tuple[float, float]
BOUNDS = Remedy("declare what one score can be", "bounds", (Choice("LOW"), Choice("HIGH")))
BETA = 1e-3  # error of the interval of the baseline's score
FINE = 1e-9  # precision of an interval's ends, as a share of the bounds' width
GRID = 9  # values of the baseline's score that are looked at
SURE_RATES = ("aer", "error-rate")  # lower is better, and yet above one there is nothing


@dataclass(frozen=True, eq=False)
class BoundedScore:
    """One system's sums, N and D of each distinct unit, and the bounds of a unit's ``N / D``."""

    sums: Floats
    counts: Floats
    bounds: Bounds
    largest: float

    def interval(self, error: float) -> Bounds:
        """Scores that the system may have; either end errs with half of ``error``."""
        above, below = (self.counts @ self.sums).tolist()
        fine = FINE * (self.bounds[1] - self.bounds[0])

        def end(side: float, limit: float) -> float:
            observed = above / below if below else limit
            if side * (observed - limit) <= fine:
                return limit
            if self.above(observed, side) <= error / 2:
                return observed
            sides = (side, error / 2)
            return root(self._excess, limit, observed, args=sides, within=fine)

        return end(1.0, self.bounds[0]), end(-1.0, self.bounds[1])

    def above(self, r: float, side: float = 1.0) -> float:
        """P-value of a score that is at most r; with ``side=-1`` of one that is at least r."""
        least = side * ((self.bounds[0] if side > 0 else self.bounds[1]) - r) * self.largest
        return gaffke_pvalue(side * (self.sums[:, 0] - r * self.sums[:, 1]), self.counts, least)

    def _excess(self, r: float, side: float, error: float) -> float:
        """Positive where the score may be r, seen from one side; nearly linear in r."""
        at_limit = r == (self.bounds[0] if side > 0 else self.bounds[1])
        p = LEAST if at_limit else self.above(r, side)
        return float(ndtri(p) - ndtri(error))


@dataclass(frozen=True, eq=False)
class BoundedRatio:
    """Sums of a pair's units, and the bounds of a unit's ``N / D``.

    Attributes
    ----------
    a, b : (rows, 2) arrays
        N and D of the two systems on each distinct unit.
    counts : (rows,) array
        How many units there are of each.
    sign : float
        Direction of better.
    bounds : (float, float)
        Least and largest N / D of a unit.
    """

    a: Floats
    b: Floats
    counts: Floats
    sign: float
    bounds: Bounds

    @property
    def swapped(self) -> "BoundedRatio":
        """The two systems exchanged."""
        return BoundedRatio(self.b, self.a, self.counts, self.sign, self.bounds)

    @property
    def width(self) -> float:
        """How far two scores can be apart."""
        return self.bounds[1] - self.bounds[0]

    @cached_property
    def largest(self) -> float:
        """Largest denominator of a unit."""
        return float(max(self.a[:, 1].max(), self.b[:, 1].max()))

    @cached_property
    def delta(self) -> float:
        """Difference towards better."""
        (n, d), (m, e) = self.counts @ self.a, self.counts @ self.b
        return float(self.sign * ((m / e if e else 0.0) - (n / d if d else 0.0)))

    @cached_property
    def shared(self) -> bool:
        """Whether both systems have the same denominator on every unit."""
        return bool((self.a[:, 1] == self.b[:, 1]).all())

    @cached_property
    def references(self) -> Floats:
        """Scores that the baseline may have: one if it does not matter."""
        if self.shared:
            return np.array([self.bounds[0]])
        alone = BoundedScore(self.a, self.counts, self.bounds, self.largest)
        return np.linspace(*alone.interval(BETA), GRID)

    def above(self, x: float) -> float:
        """P-value of ``delta <= x`` against ``delta > x``."""
        if abs(x) >= self.width:
            return LEAST if x < 0.0 else 1.0
        found = max(self._above(x, r) for r in self.references.tolist())
        return found if self.shared else min(found + BETA, 1.0)

    def lower(self, alpha: float) -> float:
        """Bound below delta: what the test rejects ends here."""

        def excess(x: float) -> float:
            return self.above(x) - alpha

        least, delta = -self.width, self.delta
        if delta <= least or excess(delta) <= 0.0:
            return delta
        fine = 1e-9 if self.shared else 1e-5
        return root(excess, least, delta, within=fine * self.width)

    def _above(self, x: float, r: float) -> float:
        (n, d), (m, e) = self.a.T, self.b.T
        g = self.sign * ((m - r * e) - (n - r * d)) - x * e
        low, high = self.bounds
        if self.sign > 0:
            lost, kept = low - r - x, high - r
        else:
            lost, kept = r - high - x, r - low
        least = lost - kept if self.shared else min(lost, 0.0) - max(kept, 0.0)
        return gaffke_pvalue(g, self.counts, self.largest * least)


def bounded_ratio(pair: Pair, declared: Bounds | None = None) -> BoundedRatio | None:
    """Return the pair with the bounds of its scores; None where there are none."""
    made = bounded_sums(pair, declared)
    if made is None:
        return None
    (a, b), bounds = made
    return BoundedRatio(a, b, pair.counts.astype(np.float64), pair.metric.sign, bounds)


def bounded_score(joint: Joint, declared: Bounds | None = None) -> BoundedScore | None:
    """Return the only system with the bounds of its scores; None where there are none."""
    made = bounded_sums(joint, declared)
    if made is None:
        return None
    (sums,), bounds = made
    return BoundedScore(sums, joint.counts.astype(np.float64), bounds, float(sums[:, 1].max()))


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
        if (every[:, 1] < 0.0).any() or not every[:, 1].any():
            return None
        empty = every[:, 1] == 0.0
        if every[empty, 0].any():
            return None
        low, high = _seen(every)
        if joint.stated_span is not None:
            low, high = joint.stated_span
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


def as_in_all(joint: Some, span_in_all: Callable[[Metric], Bounds]) -> Some:
    """The same, bounded by 0 and 1 only if all scores of the metric in the data are.

    Another system, or another part of the items, may show that a score can lie beyond.
    """
    metric = joint.metric
    if metric.percent or metric.form not in ("mean", "ratio") or bounded_sums(joint) is None:
        return joint
    span = span_in_all(metric)
    return joint if are_shares(metric, *span) else replace(joint, stated_span=span)


def spans_in(scores: Scores | Tallied) -> Callable[[Metric], Bounds]:
    """Least and largest score of a metric in the data, which are looked through but once."""

    @cache
    def span(metric: Metric) -> Bounds:
        measured = scores.measured_by(metric) if isinstance(scores, Scores) else scores
        each = (_span(measured.joint((name,), metric)) for name in measured.systems)
        low, high = zip(*each, strict=True)
        return min(low), max(high)

    return span


def _span(joint: Joint) -> Bounds:
    return joint.span if joint.metric.form == "mean" else _seen(joint.values(0))


def _seen(sums: Floats) -> Bounds:
    """Least and largest N / D."""
    shares = sums[sums[:, 1] != 0.0]
    shares = shares[:, 0] / shares[:, 1]
    return float(shares.min(initial=np.inf)), float(shares.max(initial=-np.inf))


def are_shares(metric: Metric, low: float, high: float, whole: float = 1.0) -> bool:
    """Whether scores from ``low`` to ``high`` are taken to lie between 0 and ``whole``, all."""
    rising = not metric.lower_is_better or metric.spelling in SURE_RATES
    return rising and low >= 0.0 and high <= whole
