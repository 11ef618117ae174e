"""The distribution of integer vector sums under fair swaps, in coordinates of their lattice.

``n`` items each add one of two integer vectors, stay or swap, with probability 1/2.  Written as
``sums = origin + basis @ x``, the random part ``x`` is a sum of fair coins times integer steps on
a lattice of full rank: constant and dependent columns are gone, common divisors too, and items
with the same difference up to sign are one step with a count.

Exponential tilting (Esscher, 1932) gives every coin the odds ``exp(tilt . step)``.  Any tilt is
exact, for ``P(x) = exp(K(tilt) - tilt . x) P_tilt(x)`` with the cumulant generating function ``K``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.tally import row_codes
from betterthan.exact.inputs import counts_of
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Floats, Ints

_MAX_LOG_ODDS = 30.0


def differing(stay: Ints, swap: Ints) -> NDArray[np.bool_]:
    """Which items change anything when swapped (one column at a time: rows are short)."""
    live = np.zeros(len(stay), dtype=np.bool_)
    for left, right in zip(stay.T, swap.T, strict=True):
        live |= left != right
    return live


@dataclass(frozen=True, slots=True)
class SwapLaw:
    """Distribution of ``origin + basis @ x``, ``x`` a sum of fair coins times ``steps``.

    Parameters
    ----------
    origin : (m,) array
        The sums at ``x = 0``.
    basis : (m, r) array
        A basis of the lattice that the differences generate; ``r`` is its rank.
    steps : (J, r) array
        The distinct differences, up to sign, in coordinates of the basis.
    counts : (J,) array
        How many items have each step.
    observed : (r,) array
        ``x`` when every item stays.
    """

    origin: Ints
    basis: Ints
    steps: Ints
    counts: Ints
    observed: Ints

    @classmethod
    def of(
        cls, stay: Ints, swap: Ints, counts: ArrayLike | None = None, *, echelon: bool = False
    ) -> Self:
        """Group the rows of (n, m) ``stay`` and ``swap`` and reduce their lattice.

        A row stands for one item, or for as many as ``counts`` holds.
        ``echelon`` keeps later coordinates out of earlier columns: the first alone moves the
        first column, at the price of a larger window.
        """
        times = counts_of(counts, len(stay))
        live = differing(stay, swap)
        moves = swap[live] - stay[live]
        first = np.argmax(moves != 0, axis=1)[:, None]
        flipped = np.take_along_axis(moves, first, axis=1)[:, 0] < 0
        moves[flipped] *= -1
        codes, size = row_codes(list(moves.T)) if len(moves) else (np.zeros(0, np.int64), 0)
        distinct = np.empty((size, moves.shape[1]), dtype=np.int64)
        distinct[codes] = moves
        # A flipped item is at its far end when it stays: swapping and staying change places.
        copies, flips = (
            np.bincount(codes, weights, size).astype(np.int64)
            for weights in (times[live], times[live] * flipped)
        )
        origin = times @ stay - flips @ distinct
        steps, basis = _lattice_coordinates(distinct)
        _shorten(steps, basis, copies, echelon=echelon)
        return cls(origin, basis, steps, copies, flips @ steps)

    @property
    def span(self) -> Ints:
        """Sum of all steps; ``x`` is symmetric about half of it."""
        return self.counts @ self.steps

    def moments(self, tilt: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance of ``x`` under ``tilt``."""
        tanh = np.tanh(self.steps @ tilt / 2)
        mean = (self.span + (self.counts * tanh) @ self.steps) / 2
        variance = self.counts * (1 - tanh**2) / 4
        return mean, (self.steps.T * variance) @ self.steps

    def log_cosh(self, tilt: Floats) -> float:
        """Cumulant generating function of ``x - span/2``: sum of ``log cosh(tilt . step / 2)``."""
        half = np.sinh(self.steps @ tilt / 4)
        return float(self.counts @ np.log1p(2 * half**2))

    def sums(self, axes: Sequence[Ints]) -> list[Ints]:
        """Columns of ``origin + basis @ x`` for coordinates that broadcast."""
        columns = []
        for start, row in zip(self.origin, self.basis, strict=True):
            terms = [b * x for b, x in zip(row, axes, strict=True) if b]
            columns.append(sum(terms, np.asarray(start)))
        return columns

    def usable_tilt(self, tilt: Floats) -> Floats:
        """A tilt near the one asked for: finite odds, and few enough bits to multiply exactly."""
        largest = float(np.abs(self.steps @ tilt).max(initial=0.0))
        if not math.isfinite(largest) or largest == 0.0:
            return np.zeros(len(tilt))
        tilt = tilt * min(1.0, _MAX_LOG_ODDS / largest)
        scale = 2.0 ** (24 - math.frexp(float(np.abs(tilt).max()))[1])
        return np.asarray(np.rint(tilt * scale) / scale)

    def rate(self, tilt: Floats) -> float:
        """Large-deviation rate at the tilted mean: the mass beyond is about ``exp(-rate)``."""
        mean, _ = self.moments(tilt)
        return float(tilt @ (mean - self.span / 2)) - self.log_cosh(tilt)

    def tilt_to(self, target: Floats) -> Floats:
        """Tilt that moves the mean of ``x`` to ``target``, as nearly as odds of 1e13 allow."""
        tilt = np.zeros(len(target))
        for _ in range(30):
            mean, cov = self.moments(tilt)
            move = np.linalg.lstsq(cov, target - mean, rcond=None)[0]
            move *= min(1.0, 2.0 / max(float(np.abs(self.steps @ move).max()), 1e-300))
            tilt = tilt + move
            if (
                float(np.abs(self.steps @ tilt).max()) > _MAX_LOG_ODDS
                or np.abs(move @ cov @ move) < 1e-6
            ):
                break
        return self.usable_tilt(tilt)


def _lattice_coordinates(vectors: Ints) -> tuple[Ints, Ints]:
    """Coordinates of the vectors in a basis of the lattice they generate, and that basis (m, r).

    Euclid's algorithm on one column after the other gives an echelon basis (Hermite normal form);
    Python integers where intermediate results might overflow.
    """
    rest: NDArray[Any] = vectors.astype(
        object if np.abs(vectors).max(initial=0) > 1000 else np.int64
    )
    rows, pivots = [], []
    for column in range(vectors.shape[1]):
        while (active := np.flatnonzero(rest[:, column])).size:
            pivot = active[np.argmin(np.abs(rest[active, column]))]
            others = active[active != pivot]
            if not others.size:
                rows.append(rest[pivot] * (1 if rest[pivot, column] > 0 else -1))
                pivots.append(column)
                rest[pivot] = 0
                break
            quotients = rest[others, column] // rest[pivot, column]
            rest[others] -= quotients[:, None] * rest[pivot]
            if len(others) > 64:  # many vectors become equal on the way
                rest = rest[rest.any(axis=1)]
    left: NDArray[Any] = vectors.astype(rest.dtype)
    steps = np.zeros((len(vectors), len(rows)), dtype=np.int64)
    try:
        for i, (row, column) in enumerate(zip(rows, pivots, strict=True)):
            quotients = left[:, column] // row[column]
            steps[:, i] = quotients
            left -= quotients[:, None] * row
        basis = np.array(rows, dtype=np.int64).reshape(len(rows), vectors.shape[1]).T
    except OverflowError as error:
        raise BudgetExceededError(
            "the lattice of the differences needs coordinates beyond 64 bits"
        ) from error
    return steps, basis.copy()


def _shorten(steps: Ints, basis: Ints, counts: Ints, *, echelon: bool) -> None:
    """Change the basis, in place, to coordinates of small variance: a small window.

    Subtracting multiples of one coordinate from another while it helps is the reduction of
    Lagrange and Gauss in two dimensions, and a pairwise form of it in more.
    """
    gram = ((steps.T * counts.astype(np.float64)) @ steps).tolist()
    rank = len(gram)
    moved = True
    while moved:
        moved = False
        for i in range(rank):
            for j in range(i if echelon else rank):
                factor = round(gram[i][j] / gram[j][j]) if i != j else 0
                gain = factor * (2 * gram[i][j] - factor * gram[j][j])
                if factor and gain > 1e-9 * gram[i][i]:
                    steps[:, i] -= factor * steps[:, j]
                    basis[:, j] += factor * basis[:, i]
                    gram = ((steps.T * counts.astype(np.float64)) @ steps).tolist()
                    moved = True
