"""Which scores and differences have an ideal bootstrap: the law of all resamples at once.

A mean has one, and so has a ratio; the difference of two systems is again such a ratio if both
share one denominator (accuracy, token accuracy, WER, recall). Of whole numbers it is exact, of
others certified: bracketed from both sides. A difference of F1 has none: its denominators differ,
and what is asked is not linear in the sums.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, Self

import numpy as np
from scipy.special import ndtri

from betterthan.data.pair import Joint, Pair
from betterthan.exact.drawn_reals import tail_of_real_draws
from betterthan.exact.extremal import WantedPrecision
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.numeric import TIE, Floats, Ints

NEAR = 2e-3
"""Standard errors by which an end of a certified interval may be wide, either way."""

NEWTON = 8
"""Most steps towards an end; two or three are usual."""

NEGLIGIBLE = 1e-12
"""Probability of an undefined ratio that no quantile notices."""


class LawOfResamples(Protocol):
    """Law of a resampled delta."""

    @property
    def observed(self) -> Fraction:
        """The delta of the data themselves, in units of the law."""

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or above ``r`` units; above, if ``strict``."""

    def lower(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or below ``r`` units; below, if ``strict``."""


def share_below(law: LawOfResamples) -> tuple[float, float]:
    """Bracket of the share of resamples below the data themselves; equal ones count half."""
    made = [law.lower(law.observed, strict=strict) for strict in (False, True)]
    return sum(p.low for p in made) / 2.0, sum(p.high for p in made) / 2.0


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
        _check_linear(pair)
        _check_whole(pair)
        first, second = pair.a, pair.b
        return cls._of(pair, int(pair.metric.sign) * (second[:, 0] - first[:, 0]), first)

    @classmethod
    def of_score(cls, joint: Joint) -> Self:
        """Law of the first system's score; raises as :meth:`of_delta` does."""
        _check_form(joint)
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

    def between(self, below: float, above: float) -> tuple[float, float]:
        """Quantiles with these probabilities below and above; raises where undefined ones matter.

        With half the error on either side it is the percentile interval.
        """
        if self.ratio.total[1] == 0:
            return 0.0, 0.0
        if self.ratio.undefined.value > NEGLIGIBLE:
            raise BudgetExceededError("too many resamples have an empty denominator")
        low, high = self.ratio.between(below, above)
        return float(low) * self.unit, float(high) * self.unit

    @property
    def width(self) -> float:
        """How wide either end may be."""
        return 0.0

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


def _check_linear(pair: Pair) -> None:
    _check_form(pair)
    if pair.metric.form == "ratio" and (pair.a[:, 1] != pair.b[:, 1]).any():
        raise BudgetExceededError(f"the systems have different denominators of {pair.metric!r}")


def _check_form(joint: Joint) -> None:
    if joint.metric.form not in ("mean", "ratio"):
        raise BudgetExceededError(f"{joint.metric!r} is neither a mean nor a ratio")


def _check_whole(joint: Joint) -> None:
    if not joint.whole:
        raise BudgetExceededError("scores are not whole numbers")


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedLaw:
    """Law of a resampled delta of real numbers, ``sum d / sum w``: its tails are bracketed.

    Attributes
    ----------
    d, w : (rows,) arrays
        Difference towards better of each row of equal units, and its denominator, positive.
    size : (rows,) array
        Size of the numbers that the difference is made of.
    counts : (rows,) array
        How many units have each row.
    observed : Fraction
        The delta of the data themselves.
    tolerance : float
        Relative width asked of the brackets.
    """

    d: Floats
    w: Floats
    size: Floats
    counts: Ints
    observed: Fraction
    tolerance: float

    @classmethod
    def of_delta(cls, pair: Pair, tolerance: float) -> Self:
        """Law of the difference towards better; raises as that of whole numbers does."""
        _check_linear(pair)
        a, b = (x.astype(np.float64) * float(pair.unit) for x in (pair.a, pair.b))
        size = np.maximum(np.abs(a[:, 0]), np.abs(b[:, 0]))
        gain = pair.metric.sign * (b[:, 0] - a[:, 0])
        return cls._of(pair, gain, a, size, observed=pair.delta, tolerance=tolerance)

    @classmethod
    def of_score(cls, joint: Joint, tolerance: float) -> Self:
        """Law of the first system's score."""
        _check_form(joint)
        columns = joint.blocks[0].astype(np.float64) * float(joint.unit)
        top = columns[:, 0]
        observed = joint.score(0)
        return cls._of(joint, top, columns, np.abs(top), observed=observed, tolerance=tolerance)

    @classmethod
    def _of(
        cls,
        joint: Joint,
        top: Floats,
        columns: Floats,
        size: Floats,
        *,
        observed: float,
        tolerance: float,
    ) -> Self:
        w = joint.sizes.astype(np.float64) if joint.metric.form == "mean" else columns[:, 1]
        sign = -1.0 if w.max() < 0.0 else 1.0
        if (sign * w).min() <= 0.0:
            raise BudgetExceededError("some units have no denominator")
        return cls(sign * top, sign * w, size, joint.counts, Fraction(observed), tolerance)

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Bracket of the probability of a resample at or above ``r``, and of one above it."""
        z = self.d - float(r) * self.w
        scale = float((self.size + abs(float(r)) * self.w).max())
        doubt = TIE * scale * float(self.counts.sum())
        return tail_of_real_draws(z, self.counts, WantedPrecision(self.tolerance, None), doubt)

    def lower(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Bracket of the probability of a resample at or below ``r``, and of one below it."""
        return self._mirrored.tail(-r, strict=strict)

    @property
    def _mirrored(self) -> Self:
        return replace(self, d=-self.d, observed=-self.observed)

    @property
    def standard_error(self) -> float:
        """Standard error of the resampled ratio, to first order."""
        rest = self.d - float(self.observed) * self.w
        return math.sqrt(float(self.counts @ np.square(rest))) / float(self.counts @ self.w)

    def between(self, below: float, above: float) -> tuple[float, float]:
        """Quantiles with these probabilities below and above, surely outside of the true ones."""
        return self._end(below), -self._mirrored._end(above)

    @property
    def width(self) -> float:
        """How wide either end may be: a few thousandths of a standard error."""
        return 2.0 * NEAR * self.standard_error

    @property
    def unit(self) -> float:
        """What values are multiples of: the scores are in their own unit."""
        return 1.0

    def _end(self, probability: float) -> float:
        """A value surely below the quantile, and another that is near it surely above.

        In units of the normal law the law of a mean is nearly a straight line, which Newton's
        method follows in a few steps.
        """
        middle, spread, aim = float(self.observed), self.standard_error, float(ndtri(probability))
        end = middle + aim * spread
        for _ in range(NEWTON):
            step = aim - float(ndtri(self.lower(Fraction(end)).value))
            step = min(max(step, -1.0), 1.0)  # infinite where no resample, or every one, is below
            end += step * spread
            if not abs(step) > NEAR / 4.0:
                break
        below, above = end - NEAR * spread, end + NEAR * spread
        if not self.lower(Fraction(below)).high <= probability <= self.lower(Fraction(above)).low:
            raise BudgetExceededError("the law of all resamples has steps where the interval ends")
        return below
