"""Bracket of the tail of a tilted sum by functions of limited bandwidth.

``X`` is a sum less its threshold. Under the tilt ``lam``, with exponent ``log E[exp(lam X)]``,

    ``P(X >= 0) = exp(exponent) E_lam[f(X)]``,  ``f(x) = exp(-lam x) 1[x >= 0]``.

Graham & Vaaler (1981) give the functions M >= f >= m of least area whose Fourier transform lives in
``[-delta, delta]``. Summed over shifts by ``L`` they have the finite expectations

    ``(1/Q) sum_{|k| < Q} M_hat(k/Q) E_lam[exp(2 pi i k X / L)]``,  ``Q = delta L``,

and nearly all of the Q characteristic values are provably negligible. Whatever is summed up, signs
or draws, says which of them are not, and their values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import erfcx

from betterthan.exact.probability import BRACKET, LOG2, Probability
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

MAX_PASSES = 8
"""Passes, each with more frequencies: altogether a few seconds at most."""


def summed_shifts(*sides: Callable[[float], float]) -> Callable[[float], float]:
    """Bound on a sum over all shifts, a function of their period.

    Each side gives the logarithm of a bound on the term at a distance. It is concave, so that the
    terms of a side add up to less than a geometric series.
    """

    def bound(period: float) -> float:
        total = 0.0
        for side in sides:
            first, second = side(period), side(2.0 * period)
            if second >= first:
                return math.inf
            total += math.exp(min(first, 700.0)) / -math.expm1(second - first)
        return total * (1.0 + 1e-6)  # rounding of the moments

    return bound


class TiltedLaw(Protocol):
    """A sum less its threshold, tilted by ``lam`` so that its mean ``excess`` is near zero."""

    @property
    def lam(self) -> float:
        """The tilt, positive."""

    @property
    def excess(self) -> float:
        """``E_lam[X]``."""

    @property
    def sd(self) -> float:
        """Standard deviation of X under the tilt."""

    @property
    def exponent(self) -> float:
        """``log E[exp(lam X)]``."""

    @property
    def exponent_doubt(self) -> float:
        """Bound on the rounding error of the exponent."""

    def chernoff(self, doubt: float) -> Probability:
        """Bracket without a transform; X is known to ``+-doubt``."""

    def aliasing(self) -> Callable[[float], float]:
        """Bound on ``sum_{j != 0} E_lam[f(X + j L)]``, a function of the period L."""

    def alive(self, period: float, frequencies: int, cut: float) -> Ints:
        """Frequencies ``1 <= k < Q`` not proven to have ``log|E_lam[..]| <= -cut``."""

    def waves(self, k: Ints, period: float, floor: float) -> Complexes | None:
        """``E_lam[exp(2 pi i k X / L)]``, or 0 if below ``floor``; None if that is too much."""

    def rounding(self, k: Ints, period: float) -> Floats:
        """Bound on the rounding error of the waves."""


@dataclass(frozen=True, slots=True)
class WantedPrecision:
    """How narrow a bracket has to be: its relative width, and the level it must not straddle."""

    tolerance: float
    alpha: float | None

    def met_by(self, p: Probability) -> bool:
        """Whether the bracket is narrow enough and leaves no doubt about alpha."""
        return width(p) <= self.tolerance and not self.straddled_by(p)

    def straddled_by(self, p: Probability) -> bool:
        """Whether ``p <= alpha`` is still open."""
        if self.alpha is None or self.alpha <= 0.0:
            return False
        return p.log_low <= math.log(self.alpha) < p.log_high

    def scaled(self, factor: float) -> "WantedPrecision":
        """Return the goal for ``factor`` times the probability."""
        return WantedPrecision(self.tolerance, None if self.alpha is None else self.alpha * factor)

    def complement(self) -> "WantedPrecision":
        """Return the goal for one minus the probability."""
        return WantedPrecision(self.tolerance, None if self.alpha is None else 1.0 - self.alpha)


def width(p: Probability) -> float:
    """Relative width of a bracket, relative to its lower end."""
    return math.expm1(min(p.log_high - p.log_low, 700.0)) if p.log_high > -math.inf else 0.0


def refine(law: TiltedLaw, goal: WantedPrecision, *, doubt: float, limit: int) -> Probability:
    """Add frequencies until the goal is met, progress stops or the effort limit is reached.

    X is known to ``+-doubt``; ``limit`` is the most frequencies of a pass.
    """
    best = law.chernoff(doubt)
    tolerance = goal.tolerance
    period, alias, frequencies = plan(law, tolerance)
    for _ in range(MAX_PASSES):
        p = bracket(law, period, alias, min(frequencies, limit), doubt=doubt, tolerance=tolerance)
        if p is None:  # too many frequencies are alive: a coarser bracket is all we can afford
            limit = min(frequencies, limit) // 16
            if limit < 64:
                break
            continue
        before, best = best, _intersect(best, p)
        stalled = width(best) > 0.7 * width(before)
        if goal.met_by(best) or frequencies >= limit or stalled:
            break
        need = width(best) / tolerance
        if goal.straddled_by(best) and need <= 1.0:
            tolerance /= 8.0
            period, alias, frequencies = plan(law, tolerance)
        else:
            frequencies = int(frequencies * min(max(1.25 * need, 1.5), 16.0)) + 1
    return best


def expected_tail(law: TiltedLaw) -> float:
    """``E_lam[f(X)]`` if X were normal: decides the effort, never the result."""
    z = law.excess / law.sd
    return 0.5 * math.exp(-z * z / 2.0) * float(erfcx((law.lam * law.sd - z) / math.sqrt(2)))


def plan(law: TiltedLaw, tolerance: float) -> tuple[float, float, int]:
    """Period L, its aliasing error and number of frequencies Q for a bracket of this width."""
    z = law.excess / law.sd
    density = math.exp(-z * z / 2.0) / (law.sd * math.sqrt(2.0 * math.pi))
    period, alias = 3.0 * law.sd, law.aliasing()
    while alias(period) > tolerance / 16.0 * expected_tail(law):
        period *= 1.1
    bandwidth = density / (0.8 * tolerance * expected_tail(law))
    return period, alias(period), math.ceil(period * bandwidth) + 1


def bracket(
    law: TiltedLaw,
    period: float,
    alias: float,
    frequencies: int,
    *,
    doubt: float,
    tolerance: float,
) -> Probability | None:
    """Bracket by Q ``frequencies``; None if too many are alive to be evaluated.

    X is known to ``+-doubt``; ``tolerance`` decides what is negligible.
    """
    Q, a = frequencies, law.lam * period / frequencies
    # |M_hat(t)| <= exp(a/2) / (2 pi t) + 1/pi, summed over 1 <= |k| < Q and divided by Q:
    weight = (math.exp(min(a, 1400.0) / 2.0) * (1.0 + math.log(Q)) + 2.0) / math.pi
    floor = min(tolerance / 16.0 * expected_tail(law) / weight, 0.5)
    k = law.alive(period, Q, -math.log(floor))
    waves = law.waves(k, period, floor)
    if waves is None:
        return None
    major = majorant_transform(k / Q, a)
    minor = major - (1.0 - k / Q)
    lost = float((np.abs(major) * law.rounding(k, period)).sum())
    error = weight * floor + (2.0 * lost + 64.0 * UNIT_ROUNDOFF / a) / Q

    def expectation(transform: Complexes, at_zero: float, shift: float) -> float:
        moved = transform * waves * np.exp((2j * math.pi * shift / period) * k)
        return (at_zero + 2.0 * float(moved.real.sum())) / Q

    upper = expectation(major, -1.0 / math.expm1(-a), doubt) + error
    lower = expectation(minor, 1.0 / math.expm1(a), -doubt) - error - alias
    blur = law.exponent_doubt + law.lam * doubt
    high = min(law.exponent + math.log(upper) + blur, 0.0)
    low = law.exponent + math.log(lower) - blur if lower > 0.0 else -math.inf
    return Probability(high, min(low, high), high, how=BRACKET)


def majorant_transform(t: Floats, a: float) -> Complexes:
    """Fourier transform on (0, 1) of the extremal majorant of ``exp(-a x) 1[x >= 0]``.

    Graham & Vaaler (1981); the minorant's is smaller by ``1 - t``.
    """
    decay = np.exp(-a - 2j * np.pi * t)
    gap = -np.expm1(-a - 2j * np.pi * t)
    out: Complexes = (1.0 - t) / gap + (a / math.expm1(a) - a * decay / gap) / (2j * np.pi)
    return out


def _intersect(p: Probability, q: Probability) -> Probability:
    """Combine two rigorous brackets of one probability; the value is the middle."""
    low, high = max(p.log_low, q.log_low), min(p.log_high, q.log_high)
    low = min(low, high)
    middle = high + math.log1p(math.exp(low - high)) - LOG2
    return Probability(min(max(middle, low), high), low, high, how=BRACKET)
