"""Which scores and differences have an ideal bootstrap: the law of all resamples at once.

A mean of whole numbers has one, and so has a ratio of them; the difference of two systems is
again such a ratio if both share one denominator (accuracy, token accuracy, WER, recall). A
difference of F1 has none: its denominators differ, and what is asked is not linear in the sums.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from betterthan.data.pair import Joint, Pair
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.numeric import Ints

NEGLIGIBLE = 1e-12
"""Probability of an undefined ratio that no quantile notices."""


@dataclass(frozen=True, slots=True)
class IdealLaw:
    """Law of a resampled score or delta: a ratio of whole numbers, times ``unit``.

    A resample whose denominators are all zero scores 0, as the metrics say.
    """

    ratio: ResampledRatio
    unit: float

    @classmethod
    def of_delta(cls, pair: Pair) -> Self:
        """Law of the difference towards better.

        Raises
        ------
        BudgetExceededError
            Where the metric or the data have no such law, with the reason.
        """
        _check_whole(pair)
        first, second = pair.a, pair.b
        if pair.metric.form == "ratio" and (first[:, 1] != second[:, 1]).any():
            raise BudgetExceededError(f"the systems have different denominators of {pair.metric!r}")
        return cls._of(pair, int(pair.metric.sign) * (second[:, 0] - first[:, 0]), first)

    @classmethod
    def of_score(cls, joint: Joint) -> Self:
        """Law of the first system's score; raises as :meth:`of_delta` does."""
        _check_whole(joint)
        columns = joint.blocks[0]
        return cls._of(joint, columns[:, 0], columns)

    @classmethod
    def _of(cls, joint: Joint, top: Ints, columns: Ints) -> Self:
        if joint.metric.form == "mean":
            return cls(ResampledRatio.of(top, joint.sizes, joint.counts), float(joint.unit))
        below = columns[:, 1]
        if below.min() < 0 < below.max():
            raise BudgetExceededError("denominators of both signs have no ideal law")
        if top[below == 0].any():
            raise BudgetExceededError("numerators without a denominator have no ideal law")
        # The unit is that of both numbers, and cancels.
        sign = -1 if below.min() < 0 else 1
        return cls(ResampledRatio.of(sign * top, sign * below, joint.counts), 1.0)

    @property
    def observed(self) -> Fraction:
        """The score or delta of the data themselves, in units."""
        top, bottom = self.ratio.total
        return Fraction(top, bottom) if bottom else Fraction(0)

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or above ``r`` units; above, if ``strict``."""
        if (r >= 0 if strict else r <= 0) or not self._has_empty:
            return self.ratio.tail(r, strict=strict)
        grain, shift = self._grain, 1 if strict else -1
        return self.ratio.event(grain * r.denominator, grain * r.numerator + shift, not strict)

    def lower(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or below ``r`` units; below, if ``strict``."""
        if (r <= 0 if strict else r >= 0) or not self._has_empty:
            return self.ratio.lower(r, strict=strict)
        grain, shift = self._grain, 1 if strict else -1
        return self.ratio.event(-grain * r.denominator, -grain * r.numerator + shift, not strict)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Percentile interval; raises where undefined resamples matter to it."""
        if self.ratio.total[1] == 0:
            return 0.0, 0.0
        if self.ratio.undefined.value > NEGLIGIBLE:
            raise BudgetExceededError("too many resamples have an empty denominator")
        low, high = self.ratio.interval(confidence)
        return float(low) * self.unit, float(high) * self.unit

    @property
    def _has_empty(self) -> bool:
        """Whether a resample may have nothing below the line."""
        return not self.ratio.w.all()

    @property
    def _grain(self) -> int:
        """More than a sum of denominators can be: ``Σw`` then breaks ties and nothing else.

        Resamples with ``Σw = Σd = 0`` score 0, but ``q Σd >= p Σw`` holds for them whatever p/q
        is. ``grain (q Σd - p Σw) + Σw >= 1`` holds in the same cases but for these, and
        ``grain (q Σd - p Σw) - Σw >= 0`` for these and where ``q Σd > p Σw``.
        """
        return self.ratio.n * int(self.ratio.w.max()) + 1


def _check_whole(joint: Joint) -> None:
    if joint.metric.form not in ("mean", "ratio"):
        raise BudgetExceededError(f"{joint.metric!r} is neither a mean nor a ratio")
    if not joint.whole:
        raise BudgetExceededError("scores are not whole numbers")
