"""What systems are expected to win against all others, where all met equally often.

The wins less losses expected of strength ``x`` are ``F(x) = sum_j lean(x - theta_j)``: one function
for all systems. Davidson's ``lean(d) = sinh(d/2) / (cosh(d/2) + nu/2)`` and his chance of a tie,
``nu / (2 cosh(d/2) + nu)``, are analytic where ``|Im d| < pi``, whatever ``nu >= 0`` is: the poles
are where ``cosh(d/2) = -nu/2``. So F is a polynomial to the last digits, of a degree that depends
on how far apart the strengths are and not on their number: some fifty values of F, instead of one
for each system, give all.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.numeric import Floats

ROUNDING = 1e-14
"""Error of what a comparison is expected to give: that of the sums themselves is no smaller."""

STRIP = 0.9
"""Share of the way to the poles within which the functions are bounded."""

ROOM = 0.5
"""How much further than the data's strengths a resample's may lie, in log-strength and relative."""

WORTH = 3
"""So many times more systems than values: then the polynomial is quicker."""

CELLS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Expectations:
    """Values at Chebyshev's points of an interval that holds all strengths.

    ``middle`` and ``half`` are its centre and half its width, ``roots`` are ``exp(x / 2)`` at the
    points ``x``, and ``transform`` makes coefficients of Chebyshev polynomials out of values.
    """

    middle: float
    half: float
    roots: Floats
    transform: Floats

    @classmethod
    def around(cls, theta: Floats) -> Self | None:
        """Points for strengths near ``theta``; None where systems are too few to be worth it."""
        low, high = float(theta.min()), float(theta.max())
        middle, half = (low + high) / 2.0, (high - low) / 2.0 * (1.0 + ROOM) + ROOM
        points = degree(half) + 1
        if WORTH * points > theta.size:
            return None
        angle = np.pi * (np.arange(points) + 0.5) / points
        transform = 2.0 / points * np.cos(np.arange(points)[:, None] * angle)
        transform[0] /= 2.0
        return cls(middle, half, np.exp((middle + half * np.cos(angle)) / 2.0), transform)

    def gradient(self, point: Floats, lead: Floats, tied: Floats, played: Floats) -> Floats:
        """Slopes of log-likelihoods in strengths and, where ``point`` has it, tie parameter.

        ``point`` is (fits, systems) or one column more, ``played`` a column of how often any two
        systems met. Strengths outside the interval have no slope: NaN.
        """
        m = lead.shape[1]
        theta = point[:, :m]
        nu = np.exp(point[:, m]) if point.shape[1] > m else np.zeros(len(point))
        leans, ties = self._values(theta, nu)
        lean, even = self._read_off(
            (theta - self.middle) / self.half, leans @ self.transform.T, ties @ self.transform.T
        )
        slope = lead - played / 2.0 * lean
        if point.shape[1] == m:
            return np.asarray(slope)
        itself = m * nu / (2.0 + nu)  # a system does not tie with itself
        return np.concatenate([slope, (tied - played[:, 0] * (even - itself) / 2.0)[:, None]], 1)

    def _values(self, theta: Floats, nu: Floats) -> tuple[Floats, Floats]:
        """Sums over systems at the points, (fits, points): of leans, and of chances of ties."""
        at, fits = self.roots, max(1, CELLS // (self.roots.size * theta.shape[1]))
        leans, ties = np.empty((2, len(theta), at.size))
        for some in (slice(k, k + fits) for k in range(0, len(theta), fits)):
            root = np.exp(theta[some] / 2.0)
            square = root * root
            below = (at * at)[:, None] + square[:, None, :]
            below += (nu[some, None] * at)[:, :, None] * root[:, None, :]
            sides = np.stack([np.ones_like(root), square, root], axis=2)
            ones, squares, roots = np.moveaxis(np.divide(1.0, below, out=below) @ sides, 2, 0)
            leans[some], ties[some] = at * at * ones - squares, nu[some, None] * at * roots
        return leans, ties

    @staticmethod
    def _read_off(t: Floats, leans: Floats, ties: Floats) -> tuple[Floats, Floats]:
        """Polynomials of given coefficients: one at every system, one summed over them."""
        before, now = np.ones_like(t), t.copy()
        lean = leans[:, :1] + leans[:, 1:2] * now
        even = ties[:, 0] * t.shape[1] + ties[:, 1] * now.sum(axis=1)
        twice = 2.0 * t
        for k in range(2, leans.shape[1]):  # T_k = 2 t T_(k-1) - T_(k-2)
            np.subtract(twice * now, before, out=before)
            before, now = now, before
            lean += leans[:, k : k + 1] * now
            even += ties[:, k] * now.sum(axis=1)
        outside = (np.abs(t) > 1.0).any(axis=1)
        lean[outside], even[outside] = np.nan, np.nan
        return lean, even


def degree(half: float) -> int:
    """Degree of a polynomial that is as good as rounding over an interval of this half-width.

    Within ``STRIP`` of the poles a lean is at most ``1 / cos(STRIP pi / 2)`` and a chance of a tie
    at most 1, since the real part of ``cosh((x + iy) / 2)`` is ``cosh(x / 2) cos(y / 2)``. On the
    ellipse of that half-height interpolation of degree n is wrong by at most ``4 M rho ** -n /
    (rho - 1)`` (Trefethen, 2013, theorem 8.2).

    >>> degree(2.0), degree(4.0), degree(8.0)
    (31, 55, 105)
    """
    height = STRIP * np.pi / half
    rho = height + np.sqrt(1.0 + height * height)
    bound = 4.0 / np.cos(STRIP * np.pi / 2.0) / (rho - 1.0)
    return int(np.ceil(np.log(bound / ROUNDING) / np.log(rho)))
