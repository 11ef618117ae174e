"""Which scores and differences have an ideal bootstrap: the law of all resamples at once.

A mean has one, and so has a ratio; the difference of two systems is again such a ratio if both
share one denominator (accuracy, token accuracy, WER, recall). Of integers it is exact, of
others certified: bracketed from both sides. A difference of F1 has none: its denominators differ,
and what is asked is not linear in the sums.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from scipy.special import ndtri

from betterthan.data.pair import Joint, Pair
from betterthan.exact.drawn_reals import tail_of_real_draws
from betterthan.exact.extremal import WantedPrecision
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.numeric import TIE, Floats, Ints, Numbers

NEAR = 2e-3
"""Standard errors by which an end of a certified interval may be wide, either way."""

NEWTON = 8
"""Most steps towards an end; two or three are usual."""

NEGLIGIBLE = 1e-12
"""Probability of an undefined ratio that no quantile notices."""


class LawOfResamples(ABC):
    """Law of a resampled score, or of a resampled delta."""

    @property
    @abstractmethod
    def observed(self) -> Fraction:
        """The score or delta of the data themselves, in units."""

    @property
    @abstractmethod
    def mirrored(self) -> Self:
        """The law with its sign changed."""

    @abstractmethod
    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or above ``r`` units; above, if ``strict``."""

    def lower(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or below ``r`` units; below, if ``strict``."""
        return self.mirrored.tail(-r, strict=strict)

    def share_below(self) -> tuple[float, float]:
        """Bracket of the share of resamples below the data; equal ones count half."""
        ends = [self.lower(self.observed, strict=strict) for strict in (False, True)]
        return sum(p.low for p in ends) / 2.0, sum(p.high for p in ends) / 2.0


def ratio_of(joint: Joint) -> tuple[Numbers, Numbers, Numbers]:
    """Numerator and denominator of every row, and the size of what the numerator is made of.

    Of a pair they are those of the difference towards better, else those of the first system.
    Denominators are not negative.
    """
    if joint.metric.form not in ("mean", "ratio"):
        raise BudgetExceededError(f"{joint.metric!r} is neither a mean nor a ratio")
    first = joint.blocks[0]
    top, size = first[:, 0], np.abs(first[:, 0])
    if isinstance(joint, Pair):
        if joint.metric.form == "ratio" and (joint.a[:, 1] != joint.b[:, 1]).any():
            raise BudgetExceededError(
                f"the systems have different denominators of {joint.metric!r}"
            )
        top = int(joint.metric.sign) * (joint.b[:, 0] - joint.a[:, 0])
        size = np.maximum(size, np.abs(joint.b[:, 0]))
    bottom = joint.sizes if joint.metric.form == "mean" else first[:, 1]
    if bottom.min() < 0 < bottom.max():
        raise BudgetExceededError("denominators of both signs have no ideal law")
    sign = -1 if bottom.min() < 0 else 1
    return sign * top, sign * bottom, size


@dataclass(frozen=True, slots=True)
class IdealLaw(LawOfResamples):
    """Law of a ratio of integers, times ``unit``.

    A resample whose denominators are all zero scores 0, as the metrics say.
    """

    ratio: ResampledRatio
    unit: float
    width = 0.0

    @classmethod
    def of(cls, joint: Joint) -> Self:
        """Law of the first system's score, or of the difference of a pair.

        Raises
        ------
        BudgetExceededError
            Where the metric or the data have no such law, with the reason.
        """
        top, bottom, _ = ratio_of(joint)
        if not joint.whole:
            raise BudgetExceededError("scores are not whole numbers")
        if top[bottom == 0].any():
            raise BudgetExceededError("numerators without a denominator have no ideal law")
        # The unit of a ratio is that of both numbers, and cancels.
        unit = float(joint.unit) if joint.metric.form == "mean" else 1.0
        return cls(ResampledRatio.of(top, bottom, joint.counts), unit)

    @property
    def observed(self) -> Fraction:
        """The score or delta of the data themselves, in units."""
        top, bottom = self.ratio.total
        return Fraction(top, bottom) if bottom else Fraction(0)

    @property
    def mirrored(self) -> Self:
        """The law with its sign changed."""
        return replace(self, ratio=replace(self.ratio, d=-self.ratio.d))

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Probability of a resample at or above ``r`` units; above, if ``strict``.

        Resamples with ``Σw = Σd = 0`` score 0, but ``q Σd >= p Σw`` holds for them whatever p/q
        is. More than a sum of denominators can be is ``grain``, so that ``Σw`` breaks ties and
        nothing else: ``grain (q Σd - p Σw) + Σw >= 1`` holds in the same cases but for these, and
        ``grain (q Σd - p Σw) - Σw >= 0`` for these and where ``q Σd > p Σw``.
        """
        if (r >= 0 if strict else r <= 0) or self.ratio.w.all():
            return self.ratio.tail(r, strict=strict)
        grain, shift = self.ratio.n * int(self.ratio.w.max()) + 1, 1 if strict else -1
        return self.ratio.event(grain * r.denominator, grain * r.numerator + shift, not strict)

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


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedLaw(LawOfResamples):
    """Law of a ratio of real numbers, ``sum d / sum w``: its tails are bracketed.

    Attributes
    ----------
    d, w : (rows,) arrays
        Numerator of each row of equal units, and its denominator, positive.
    size : (rows,) array
        Size of the numbers that the numerator is made of.
    counts : (rows,) array
        How many units have each row.
    value : Fraction
        The score or delta of the data themselves.
    tolerance : float
        Relative width asked of the brackets.
    """

    d: Floats
    w: Floats
    size: Floats
    counts: Ints
    value: Fraction
    tolerance: float
    unit = 1.0

    @classmethod
    def of(cls, joint: Joint, tolerance: float) -> Self:
        """Law of the first system's score, or of the difference of a pair."""
        top, bottom, size = ratio_of(joint)
        if bottom.min() <= 0:
            raise BudgetExceededError("some units have no denominator")
        one = float(joint.unit)
        w = bottom / 1.0 if joint.metric.form == "mean" else bottom * one
        observed = joint.delta if isinstance(joint, Pair) else joint.score(0)
        return cls(top * one, w, size * one, joint.counts, Fraction(observed), tolerance)

    @property
    def observed(self) -> Fraction:
        """The score or delta of the data themselves."""
        return self.value

    @property
    def mirrored(self) -> Self:
        """The law with its sign changed."""
        return replace(self, d=-self.d, value=-self.value)

    def tail(self, r: Fraction, *, strict: bool = False) -> Probability:
        """Bracket of the probability of a resample at or above ``r``, and of one above it."""
        z = self.d - float(r) * self.w
        scale = float((self.size + abs(float(r)) * self.w).max())
        doubt = TIE * scale * float(self.counts.sum())
        return tail_of_real_draws(z, self.counts, WantedPrecision(self.tolerance, None), doubt)

    @property
    def standard_error(self) -> float:
        """Standard error of the resampled ratio, to first order."""
        rest = self.d - float(self.observed) * self.w
        return math.sqrt(float(self.counts @ np.square(rest))) / float(self.counts @ self.w)

    def between(self, below: float, above: float) -> tuple[float, float]:
        """Quantiles with these probabilities below and above, surely outside of the true ones."""
        return self._end(below), -self.mirrored._end(above)

    @property
    def width(self) -> float:
        """How wide either end may be: a few thousandths of a standard error."""
        return 2.0 * NEAR * self.standard_error

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
