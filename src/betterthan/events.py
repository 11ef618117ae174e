"""What a bootstrap test asks of a resample, and of the law of all resamples."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import UsageError
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import Probability
from betterthan.exact.swaplaw import BudgetExceededError
from betterthan.metrics import Metric
from betterthan.montecarlo import ORIENT, Sampled
from betterthan.pairs import Pair
from betterthan.results import Alternative
from betterthan.swaps import Swaps

Floats = NDArray[np.float64]
Variant = Literal["shift", "sign"]
VARIANTS = ("shift", "sign")


@dataclass(frozen=True, slots=True)
class IdealLaw:
    """Law of the resampled delta: a ratio of whole numbers, times ``unit``."""

    ratio: ResampledRatio
    unit: float

    @classmethod
    def of(cls, made: Pair, metric: Metric) -> Self:
        """The law of all resamples, where both systems share one denominator of whole numbers.

        Raises
        ------
        BudgetExceededError
            Where the metric or the data have no such law, with the reason.
        """
        swaps = Swaps.of(made, metric)
        if swaps.gains is None or not swaps.shape.whole:
            raise BudgetExceededError(
                "only whole-number scores with one denominator for both systems have an ideal law"
            )
        if metric.form == "mean":
            sizes = made.per_unit(np.ones(made.n, dtype=np.int64))
            return cls(ResampledRatio.of(swaps.gains, sizes), swaps.unit)
        below = swaps.stay[:, 1]
        if below.min() < 0 < below.max():
            raise BudgetExceededError("denominators of both signs have no ideal law")
        return cls(ResampledRatio.of(swaps.gains, np.abs(below)), 1.0)

    @property
    def delta(self) -> Fraction:
        """The observed delta, in units."""
        top, bottom = self.ratio.total
        return Fraction(top, bottom) if bottom else Fraction(0)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """When a resample speaks against the claim, for one pair of systems or many at once.

    The ``shift`` variant compares the deviation ``delta* - centre`` with delta; the centre is delta
    unless recentred, hence ``delta* >= 2 delta``. The ``sign`` variant compares delta* with zero;
    its two-sided p is twice that of the side on which delta is.
    """

    variant: Variant
    alternative: Alternative
    delta: Floats

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UsageError(f"variant is one of {', '.join(VARIANTS)}, not {self.variant!r}")
        if self.alternative not in ORIENT:
            raise UsageError(f"alternative is two-sided, greater or less, not {self.alternative!r}")

    @property
    def doubled(self) -> bool:
        """Whether the p-value is twice that of one side."""
        return self.variant == "sign" and self.alternative == "two-sided"

    def of_law(self, law: IdealLaw) -> Probability:
        """P-value of one pair from the law of all resamples; comparisons are exact."""
        lower, tail, nothing = law.ratio.lower, law.ratio.tail, Fraction(0)
        if self.variant == "sign":
            greater = self.alternative == "greater" or (self.doubled and law.delta >= 0)
            p = lower(nothing) if greater else tail(nothing)
            return p.doubled() if self.doubled else p
        twice = 2 * law.delta
        if self.alternative == "greater":
            return tail(twice)
        if self.alternative == "less":
            return lower(twice)
        if not twice:
            return Probability.of(1.0)
        return lower(min(twice, nothing)).plus(tail(max(twice, nothing)))

    def hits(self, deltas: Floats, centre: Floats, slack: float | Floats) -> NDArray[np.int64]:
        """Count the rows of ``(rows, pairs)`` deltas that speak against the claim.

        Those within ``slack`` of the border do: ties count, and rounding must not break them.
        """
        orient = ORIENT[self.alternative]
        if self.variant == "shift":
            against = orient(deltas - centre) >= orient(self.delta) - slack
        elif self.doubled:
            against = deltas * np.where(self.delta >= 0, 1.0, -1.0) <= slack
        else:
            against = orient(deltas) <= slack
        return np.asarray(np.count_nonzero(against, axis=0), dtype=np.int64)

    def finished(self, p: Sampled) -> Sampled:
        """Double a p-value that counted one side of two."""
        if not self.doubled:
            return p
        value, low, high = (min(2 * x, 1.0) for x in (p.value, p.low, p.high))
        return Sampled(value, low, high, p.resamples)
