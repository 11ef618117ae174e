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
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from betterthan.exact.probability import BRACKET, LOG2, Probability
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

MAX_PASSES = 8
"""Passes, each with more frequencies: altogether a few seconds at most."""

MAX_WITNESSES = 1024
"""Most points that vouch for dead frequencies."""

CHUNK = 1 << 18  # numbers held in memory at a time
BLOCK = 64  # neighbouring frequencies treated alike
LIGHT = 1 << 18  # multiplications of a matrix product too small for BLAS to start threads
UNIT32 = 2.0**-24  # largest relative error of one rounding to a single


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TiltedLaw(ABC):
    """A sum less its threshold, tilted by ``lam`` so that its mean ``excess`` is near zero.

    Attributes
    ----------
    points : (m,) array
        Distinct values of what is summed.
    lam : float
        The tilt, positive.
    excess, sd : float
        Mean and standard deviation of X under the tilt.
    exponent, exponent_doubt : float
        ``log E[exp(lam X)]``, and a bound on its rounding error.
    log_least : float
        Logarithm of the probability of the largest X.
    """

    points: Floats
    lam: float
    excess: float
    sd: float
    exponent: float
    exponent_doubt: float
    log_least: float

    def chernoff(self, doubt: float) -> Probability:
        """Bracket without a transform: Chernoff's bound above, the largest X below.

        X is known to ``+-doubt``.
        """
        high = min(self.exponent + self.exponent_doubt + self.lam * doubt, 0.0)
        low = min(self.log_least * (1.0 + 8.0 * UNIT_ROUNDOFF), high)
        return Probability((low + high) / 2.0, low, high, how=BRACKET)

    @abstractmethod
    def aliasing(self) -> Callable[[float], float]:
        """Bound on ``sum_{j != 0} E_lam[f(X + j L)]``, a function of the period L."""

    @abstractmethod
    def waves(self, k: Ints, period: float, floor: float) -> Complexes | None:
        """``E_lam[exp(2 pi i k X / L)]``, or 0 if below ``floor``; None if that is too much."""

    @abstractmethod
    def rounding(self, k: Ints, period: float) -> Floats:
        """Bound on the rounding error of the waves."""

    @abstractmethod
    def curvatures(self, cut: float) -> Iterator[tuple[float, float, float]]:
        """Triples (v, a, needed): waves are below ``exp(-cut)`` where the moments prove it.

        That is where ``theta**2 v - theta**4 a >= needed``, ``theta = 2 pi k / L``.
        """

    @abstractmethod
    def witnesses(self, cut: float) -> tuple[Ints, Floats, float, bool]:
        """Positions and weights of some points, and the limit of a sum that they prove dead.

        The sum is of ``weight exp(i theta point)``; its modulus counts, or else its real part.
        """

    def alive(self, period: float, frequencies: int, cut: float) -> Ints:
        """Frequencies ``1 <= k < Q`` not proven to have ``log|E_lam[..]| <= -cut``."""
        step = 2.0 * math.pi / period
        first = last = 0
        for v, a, needed in self.curvatures(cut):
            root = v * v - 4.004 * a * needed
            if root <= 0.0:
                continue
            near, far = 2.002 * needed / (v + math.sqrt(root)), (v + math.sqrt(root)) / (2.0 * a)
            begin = max(math.ceil(1.001 * math.sqrt(near) / step), 1)
            if last and begin > last + 1:  # a gap, which is left to the witnesses
                break
            first = first or begin
            last = max(last, begin - 1, math.floor(0.999 * math.sqrt(far) / step))
        low = np.arange(1, min(first, frequencies))
        if last + 1 >= frequencies:
            return low
        return np.concatenate((low, self._unproven(step, last + 1, frequencies, cut)))

    def _unproven(self, step: float, start: int, stop: int, cut: float) -> Ints:
        """Frequencies in ``[start, stop)`` that a sample of the points cannot prove dead.

        With ``k = i B + j`` the sums of waves at all k are a matrix product, in single precision.
        """
        chosen, weights, limit, modulus = self.witnesses(cut)
        points, total = self.points[chosen], float(weights.sum())
        limit -= total * (points.size + 8) * 8.0 * UNIT32
        limit -= total * stop * UNIT_ROUNDOFF * (16.0 + 4.0 * step * float(np.abs(points).max()))
        if limit <= 0.0 and modulus:
            return np.arange(start, stop)

        def packed(z: Complexes) -> NDArray[Any]:
            if modulus:
                return z.astype(np.complex64)
            return np.concatenate((z.real, z.imag), axis=1).astype(np.float32)

        sign = 1j if modulus else -1j  # the real part of a product is that of one with a conjugate
        right = packed(powers(np.exp(sign * step * points), BLOCK)).T
        rows = max(LIGHT // right.size, 1)
        blocks = min(CHUNK // (rows * points.size), (stop - start) // (rows * BLOCK)) + 1
        leap = powers(np.exp(1j * step * BLOCK * points), blocks * rows) * weights
        found = []
        for k in range(start, stop, blocks * rows * BLOCK):
            left = packed(leap * np.exp(1j * (k * step) * points))
            sums = left.reshape(blocks, rows, -1) @ right
            found.append(
                np.flatnonzero((np.abs(sums) if modulus else sums) > np.float32(limit)) + k
            )
        alive = np.concatenate(found)
        return alive[alive < stop]


def strongest(importance: Floats) -> NDArray[np.intp]:
    """Positions of at most `MAX_WITNESSES` from the more important half."""
    size = importance.size
    keep = max(size // 2, min(size, MAX_WITNESSES))
    return np.argpartition(importance, size - keep)[size - keep :][:: -(-keep // MAX_WITNESSES)]


def powers(base: Complexes, count: int) -> Complexes:
    """Rows ``base**0, ..., base**(count - 1)``, by doubling."""
    table = np.ones((1, base.size), dtype=np.complex128)
    square = base
    while table.shape[0] < count:
        table = np.concatenate((table, table * square))
        square = square * square
    return table[:count]


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
    aliased = alias * math.exp(min(law.lam * doubt, 700.0))  # shifted by the doubt, too
    lower = expectation(minor, 1.0 / math.expm1(a), -doubt) - error - aliased
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
