"""The difference of two ratios of sums under swaps: where it is extreme, and how to tilt there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.exact.inputs import counts_of
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import UNIT_ROUNDOFF, Floats, Ints

_NEVER = 1 << 60
_NO_TILT = 1.5  # a mass above exp(-1.5) or so keeps its digits without tilting


@dataclass(frozen=True, slots=True)
class RatioCase:
    """Delta of two ratios as a function of one system's sums (den, num), and the observed value.

    The pair's totals ``D`` and ``N`` are conserved, so that the other system has the rest.
    """

    den_total: int
    num_total: int
    den_least: int  # fewest that the system can get by swaps
    den_most: int
    proper: bool  # no item has a negative denominator
    observed: Fraction

    @classmethod
    def of(cls, a: Ints, b: Ints, counts: ArrayLike | None = None) -> Self:
        """The case of rows (den, num), delta being b's ratio less a's."""
        times = counts_of(counts, len(a))
        den_a, den_b = a[:, 0], b[:, 0]
        den, num = (int(t) for t in times @ b)
        den_total, num_total = (int(t) for t in times @ a + (den, num))
        least, most = (int(times @ f(den_a, den_b)) for f in (np.minimum, np.maximum))
        proper = bool(min(den_a.min(initial=0), den_b.min(initial=0)) >= 0)
        blank = cls(den_total, num_total, least, most, proper, Fraction(0))
        return replace(blank, observed=blank.delta(den, num))

    def delta(self, den: int, num: int) -> Fraction:
        """Exact difference; a ratio with denominator 0 is 0."""
        ours = Fraction(num, den) if den else Fraction(0)
        rest = self.den_total - den
        return ours - (Fraction(self.num_total - num, rest) if rest else Fraction(0))

    def extreme(self, sums: Sequence[Ints]) -> NDArray[np.bool_]:
        """Where delta is at least the observed one: doubles decide, and fractions near ties."""
        den, num = sums
        rest, observed = self.den_total - den, float(self.observed)
        pairs = ((num, den), (self.num_total - num, rest))
        left, right = (np.divide(n, d, out=np.zeros((n + d).shape), where=d != 0) for n, d in pairs)
        # Each of the three terms is within a unit of its last place, and so is each subtraction.
        largest = sum(float(np.abs(r).max(initial=0.0)) for r in (left, right))
        margin = 8 * UNIT_ROUNDOFF * (largest + abs(observed))
        gap = left - right - observed
        extreme: NDArray[np.bool_] = gap >= -margin
        close = np.nonzero(extreme & (gap <= margin))
        points = zip(*(np.broadcast_to(x, gap.shape)[close].tolist() for x in sums), strict=True)
        extreme[close] = [self.delta(*point) >= self.observed for point in points]
        return extreme

    def first_extreme(self, law: SwapLaw, x: Ints) -> Ints:
        """Least ``x[1]`` of each row ``x[0]``, a denominator, at which delta is extreme.

        For denominators ``0 < d < D``, delta >= o means ``n >= d (N + o (D - d)) / D``.  Doubles
        place the threshold between two lattice points; integers do so where that is in doubt.
        """
        observed, step = float(self.observed), int(law.basis[1, 1])
        den, start = law.origin[:, None] + law.basis[:, :1] * x
        share = den / self.den_total
        place = (share * (self.num_total + observed * (self.den_total - den)) - start) / step
        scale = np.abs(share) * (abs(self.num_total) + abs(observed) * self.den_total)
        first: Ints = np.ceil(np.clip(place, -_NEVER, _NEVER)).astype(np.int64)
        doubt = (
            np.abs(place - np.rint(place)) <= 16 * UNIT_ROUNDOFF * (scale + np.abs(start)) / step
        )
        for i in np.flatnonzero(doubt | (den <= 0) | (den >= self.den_total)):
            least = self._least_num(int(den[i]))
            exact = _NEVER if least is None else math.ceil((least - int(start[i])) / step)
            first[i] = max(-_NEVER, min(exact, _NEVER))
        return first

    def _least_num(self, den: int) -> Fraction | None:
        """Exact numerator from which delta is extreme; None for impossible denominators."""
        if not 0 <= den <= self.den_total:
            return None
        if den == 0:  # then only the other system's ratio counts
            return self.num_total + self.observed * self.den_total
        if den == self.den_total:
            return self.observed * self.den_total
        return den * (self.num_total + self.observed * (self.den_total - den)) / self.den_total

    def dominating_tilt(self, law: SwapLaw) -> Floats:
        """Tilt along the gradient of delta, to a mean at which delta is the observed one.

        That mean is the most probable point of the region (the dominating point of Ney, 1983); a
        few steps of a fixed-point iteration find it.
        """
        nothing: Floats = np.zeros(law.steps.shape[1])
        tilt: Floats = nothing
        strength, observed = 0.0, float(self.observed)
        for _ in range(8 if observed > 0 else 0):
            mean, cov = law.moments(tilt)
            den, num = (float(t) for t in law.origin + law.basis @ mean)
            den_rest, num_rest = self.den_total - den, self.num_total - num
            if den * den_rest == 0:
                return nothing
            gradient = np.array([-num / den**2 - num_rest / den_rest**2, 1 / den + 1 / den_rest])
            along = gradient @ law.basis
            slope = float(along @ cov @ along)
            if not 0 < slope < math.inf:
                break
            strength += (observed - num / den + num_rest / den_rest) / slope
            strength = min(max(strength, 0.0), 30.0 / float(np.abs(law.steps @ along).max()))
            tilt = (strength * along).astype(np.float64)
        tilt = law.usable_tilt(tilt)
        return tilt if law.rate(tilt) >= _NO_TILT else nothing

    def log_sup(self, law: SwapLaw, tilt: Floats) -> float | None:
        """Bound ``-tilt . (x - span / 2)`` on the extreme region; None without such a bound.

        The region's edge ``n = d (N + o (D - d)) / D`` is concave in ``d`` for o >= 0, so that the
        bound is attained at the least or largest ``d``; at 0 and D one of the ratios is 0.
        """
        if not self.proper or law.basis.shape != (2, 2) or tilt[1] < 0:
            return None
        if not tilt.any():
            return 0.0
        slope_den, slope_num = np.linalg.solve(law.basis.T.astype(np.float64), tilt)
        total_den, total_num, observed = self.den_total, self.num_total, float(self.observed)
        corners = [
            (d, d * (total_num + observed * (total_den - d)) / total_den)
            for d in (self.den_least, self.den_most)
        ]
        if self.den_least == 0:
            corners += [(0, total_num + observed * total_den), (total_den, observed * total_den)]
        bound = max(
            -slope_num * (num - total_num / 2) - slope_den * (den - total_den / 2)
            for den, num in corners
        )
        return float(bound + 1e-9 * (1 + abs(bound)))
