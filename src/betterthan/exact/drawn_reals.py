"""Certified tail of a sum of draws from real numbers: the ideal bootstrap without a lattice.

A resample of n units is n independent draws from them, so that the characteristic function of its
sum is the n-th power of one average of waves, ``phi``. That dies next to zero already, at some
``1 / sqrt(n)``, and the tail is bracketed by :mod:`betterthan.exact.extremal` from the few
frequencies that are left: a million units take some thirty passes over them, and no resample.

That the others are dead is proved in two ways. Next to zero, with variance v and fourth central
moment m of the tilted law ``|phi|**2 <= 1 - theta**2 v + theta**4 (m + 3 v**2) / 12``: it is the
mean of ``cos(theta (z - z'))`` over two draws, and ``cos(x) <= 1 - x**2/2 + x**4/24``. Further
out a few units W of mass w vouch for all: ``|phi| <= 1 - w + |sum over W|``.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.exact.draws import raised_power, tilt_of_draws, waves_less_one
from betterthan.exact.extremal import (
    CHUNK,
    TiltedLaw,
    WantedPrecision,
    refine,
    strongest,
    summed_shifts,
)
from betterthan.exact.probability import BRACKET, BudgetExceededError, Probability, log_share
from betterthan.numeric import UNIT_ROUNDOFF, Complexes, Floats, Ints

MAX_FREQUENCIES = 1 << 20
"""Effort limit: frequencies examined in one pass, a second or so."""

MAX_TERMS = 1 << 26
"""Effort limit: waves (frequency times distinct value) added up in one pass, some two seconds."""

CHERNOFF = np.array([1.0, 2.0, 3.0, 4.5, 6.0, 8.0, 11.0])
"""Where the tails of the tilted law are bounded, in units of one over its standard deviation."""

INNER = (0.9999, 0.999, 0.99, 0.9)
"""Fractions of the values whose moments alone may prove frequencies dead."""

FARTHEST = 600.0
"""Largest exponent of a moment."""


def tail_of_real_draws(z: Floats, counts: Ints, goal: WantedPrecision, doubt: float) -> Probability:
    """Bracket ``P(Z >= 0)`` and ``P(Z > 0)``, Z the sum of as many draws as there are units.

    Parameters
    ----------
    z, counts : (values,) arrays
        Values, and how many units have each.
    goal : Precision
        How narrow the bracket has to be.
    doubt : float
        How far Z may be from the sum of the numbers meant.

    Raises
    ------
    BudgetExceededError
        If the bracket is wider than asked: most often since Z is 0 with sizeable probability.

    Examples
    --------
    >>> z = np.sqrt(np.arange(1.0, 201.0)) - 9.9
    >>> p = tail_of_real_draws(z, np.ones(200, dtype=np.int64), WantedPrecision(1e-3, None), 1e-9)
    >>> p.low <= p.value <= p.high, p.error < 1e-3
    (True, True)
    """
    n, exponent = int(counts.sum()), math.frexp(float(np.abs(z).max()))[1]
    z, doubt = np.ldexp(z, -exponent), math.ldexp(doubt, -exponent)
    if n * float(z.max()) < -doubt:
        return Probability.of(0.0).by(BRACKET)
    if n * float(z.min()) > doubt:
        return Probability.of(1.0).by(BRACKET)
    if float(counts @ z) > 0.0:  # the likely event: its complement is the tail
        return tail_of_real_draws(-z, counts, goal.complement(), doubt).complement()
    if n * float(z.max()) <= doubt:
        raise BudgetExceededError("rounding hides whether any resample is as extreme")
    law = TiltedDraws.at(z, counts)
    p = refine(law, goal, doubt=doubt, limit=MAX_FREQUENCIES)
    if not WantedPrecision(goal.tolerance, None).met_by(p):
        raise BudgetExceededError(
            f"its law is known to lie between {p.low:.3g} and {p.high:.3g} only, since single "
            "sums have a sizeable probability"
        )
    return p


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TiltedDraws(TiltedLaw):
    """The distribution of a sum of n draws, tilted so that its mean is near zero or above.

    Attributes
    ----------
    mass : (m,) array
        Probability of each point under the tilt.
    n : int
        Number of draws.
    units : (m,) array
        Rounding errors in each mass, in units of the last place.
    """

    mass: Floats
    n: int
    units: Floats

    @classmethod
    def at(cls, z: Floats, counts: Ints) -> Self:
        """Tilt values of mean at most zero; any tilt is exact, so roughly will do."""
        n = int(counts.sum())
        mean = float(counts @ z) / n
        spread = math.sqrt(float(counts @ np.square(z - mean)))
        lam = max(tilt_of_draws(z, counts), 2.0 / spread)
        growth = np.expm1(lam * z)
        gain = float((counts * growth).sum()) / n
        # Not 1 + growth: masses far below one keep their digits.
        mass = counts * np.exp(lam * z) / (n * (1.0 + gain))
        units = 4.0 + math.log2(n) + lam * np.abs(z)
        slips = float((counts * (np.abs(growth) + UNIT_ROUNDOFF) * units).sum()) / (1.0 + gain)
        middle = float((mass * z).sum())
        exponent = n * math.log1p(gain)
        return cls(
            points=z,
            mass=mass,
            n=n,
            units=units,
            lam=lam,
            excess=n * middle,
            sd=math.sqrt(n * float((mass * np.square(z - middle)).sum())),
            exponent=exponent,
            exponent_doubt=4.0 * UNIT_ROUNDOFF * (slips + abs(exponent) + 1.0),
            log_least=n * log_share(int(counts[z == z.max()].sum()), n),
        )

    def aliasing(self) -> Callable[[float], float]:
        """Bound on ``sum_{j != 0} E_lam[f(X + j L)]``, a function of the period L.

        ``f(X - y) <= 1[X >= y] <= exp(s (X - y))``, and ``f(X + y) <= exp(-s (X + y))`` for s up to
        ``lam``. The least of such lines is concave in y, so that the shifts to either side add up
        to less than a geometric series.
        """
        steepest = FARTHEST / float(np.abs(self.points).max())
        up = self._moments(np.minimum(CHERNOFF / self.sd, steepest))
        down = self._moments(
            -np.minimum(np.append(CHERNOFF / self.sd, self.lam), min(self.lam, steepest))
        )

        return summed_shifts(
            lambda far: min(log - s * far for s, log in up),
            lambda far: min(log - s * far for s, log in down),
        )

    def _moments(self, slopes: Floats) -> list[tuple[float, float]]:
        """Pairs of ``|s|`` and ``log E_lam[exp(s X)]``."""
        moments = (float((self.mass * np.expm1(s * self.points)).sum()) for s in slopes.tolist())
        logs = (self.n * math.log1p(moment) for moment in moments)
        doubts = UNIT_ROUNDOFF * self.n * 64.0
        return [(abs(s), log + doubts) for s, log in zip(slopes.tolist(), logs, strict=True)]

    def waves(self, k: Ints, period: float, floor: float) -> Complexes | None:
        """``E_lam[exp(2 pi i k X / L)]``: n-th powers, from ``phi - 1`` for their accuracy."""
        if k.size * self.points.size > max(MAX_TERMS, 64 * self.points.size):
            return None
        theta = k.astype(np.float64) * (-2.0 * math.pi / period)
        rows = max(1, CHUNK // self.points.size)
        parts = [
            waves_less_one(theta[i : i + rows], self.points) @ self.mass
            for i in range(0, k.size, rows)
        ]
        return raised_power(np.concatenate([*parts, np.empty(0, dtype=np.complex128)]), self.n)

    def rounding(self, k: Ints, period: float) -> Floats:
        """Bound on the rounding error of the waves: the exponent's, n times that of an average."""
        slips = self.n * float((self.mass * self.units * np.abs(self.points)).sum())
        return UNIT_ROUNDOFF * (256.0 + (8.0 * math.pi / period * slips) * k.astype(np.float64))

    def curvatures(self, cut: float) -> Iterator[tuple[float, float, float]]:
        """Proof of dead frequencies by the moments of all points, or of the inner ones.

        Those of a share w of the mass have ``n log|phi| <= -n w x / 2``,
        ``x = theta**2 v - theta**4 a``, since ``|phi| <= 1 - w + w sqrt(1 - x)``. The fewer far
        points are among them, the further out and the narrower is the range.
        """
        far = np.abs(self.points - self.excess / self.n)
        for reach in (math.inf, *np.quantile(far, INNER).tolist()):
            inner = slice(None) if reach == math.inf else far <= reach
            z, mass = self.points[inner], self.mass[inner]
            w = float(mass.sum())
            square = np.square(z - float((mass * z).sum()) / w)
            v, m = float((mass * square).sum()) / w, float((mass * square * square).sum()) / w
            yield v, (m + 3.0 * v * v) / 12.0, 2.0 * cut / (self.n * w)

    def witnesses(self, cut: float) -> tuple[Ints, Floats, float, bool]:
        """Points from the half that weigh most under the tilt."""
        order = strongest(self.mass)
        mass = self.mass[order]
        return order, mass, float(mass.sum()) + math.expm1(-cut / self.n), True
