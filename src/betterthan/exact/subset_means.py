"""The interval of a mean by inverting the exact sign-flip test: means of subsets of the units.

Unit i has a total e_i and a weight w_i; the mean is ``sum e / sum w``. The test of the mean m flips
the signs of ``e - m w``. Patterns with a sum at least as large as the observed one flip a subset F
with ``sum_F (e - m w) <= 0``, so the one-sided p-value is the fraction of the ``2**u`` subsets that
are empty or have a mean ``sum_F e / sum_F w`` of at most m (the typical values of Hartigan 1969).
Hence each end of the interval is the k-th smallest or largest of these means, ``k = floor(2**u
tail)``, and m lies inside exactly if the test does not reject it. The level is exact if the
differences are symmetric about a common shift.

Of few units all means are listed. Of small lattices the joint distribution of sum and size of a
random subset gives an end as a ratio of integers. Otherwise the certified p-value of
:mod:`betterthan.exact.real` is searched, and the end is rounded outwards.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from betterthan.checks import check_level
from betterthan.data.arrays import as_floats
from betterthan.data.resolution import Whole, resolution
from betterthan.errors import BadValueError, UsageError, first_few
from betterthan.exact import real
from betterthan.exact.inputs import counts_of
from betterthan.exact.probability import check_alternative
from betterthan.exact.region import DEPTH, window, window_masses
from betterthan.exact.signed_reals import dot
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import TIE, Alternative, Floats, Ints

MAX_LISTED = 18  # units whose subset means are listed
MAX_COSINES = 1 << 19  # of the joint distribution of sum and size; beyond, a search is quicker
LOST = 1e-15  # mass the joint distribution may leave outside its window
ROUNDING = 1e-12  # what transform and summation may add to that, for each unit
PRECISION = 4e-3  # of an end that is searched, relative to the standard error
MAX_STEPS, PATIENCE = 60, 12  # of a search; so many by secants, before it halves
FAINT = 2.0**-300  # squares of numbers below, or above its inverse, are lost

EndFinder = Callable[[Floats], tuple[float, float]]
"""From totals to the lower end, and how far outside the exact one it may lie."""


@dataclass(frozen=True, slots=True)
class ShiftInterval:
    """A confidence interval for a shift, exact under a shift model.

    Attributes
    ----------
    low, high : float
        Ends, infinite where the data cannot bound the shift at this level.
    level : float
        ``1 - alpha``.
    estimate : float
        Mean of the differences, or their Hodges-Lehmann pseudo-median.
    slack : float
        How far outside the exact ends the printed ones may lie; they are never inside.
    engine : str
        How the ends were found.
    """

    low: float
    high: float
    level: float
    estimate: float
    slack: float
    engine: str

    def __contains__(self, shift: float) -> bool:
        return self.low <= shift <= self.high


def shift_interval(
    differences: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> ShiftInterval:
    """Confidence interval for a mean difference: shifts that the sign-flip test does not reject.

    Parameters
    ----------
    differences : array_like
        Finite differences, or totals of units with ``weights``; zeros belong to the data.
    counts : array_like of int, optional
        How many units have each difference; one by default. Differences may repeat.
    weights : array_like, optional
        Positive weights, such as the sizes of clusters; one by default. The mean is then
        ``sum(differences) / sum(weights)``.
    alpha : float
        One minus the level; all of it lies in one tail of a one-sided interval.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` bounds the mean from below, ``"less"`` from above.

    Examples
    --------
    >>> interval = shift_interval([3, 5, 1, 4, 4, 2, 6], alpha=0.1)
    >>> interval.low, interval.high, interval.estimate
    (2.333..., 5.0, 3.571...)
    """
    e = finite(differences)
    w = np.ones_like(e) if weights is None else as_floats(weights, "weights")
    if w.shape != e.shape or not (w > 0.0).all():
        raise UsageError(f"weights must hold a positive number per difference, got {w.shape}")
    units = _Units(w, counts_of(counts, e.size), tail_share(alpha, alternative))
    engine, lower_end = units.end_finder(e)
    low, below = lower_end(e) if alternative != "less" else (-math.inf, 0.0)
    high, above = lower_end(-e) if alternative != "greater" else (-math.inf, 0.0)
    mean = units.mean(e)
    return ShiftInterval(low, 0.0 - high, 1.0 - alpha, mean, max(below, above), engine)


def finite(differences: ArrayLike) -> Floats:
    """Return the differences as floats: finite, and at least one."""
    d = as_floats(differences, "differences").ravel()
    if d.size == 0:
        raise BadValueError("an interval needs at least one difference")
    bad = np.flatnonzero(~np.isfinite(d))
    if bad.size:
        raise BadValueError(
            f"differences are NaN or infinite at positions {first_few(bad)}: score these items or "
            "leave them out"
        )
    return d


def tail_share(alpha: float, alternative: Alternative) -> Fraction:
    """Fraction of the null distribution to be left out at one end."""
    check_level(alpha)
    check_alternative(alternative)
    share = Fraction(repr(float(alpha)))
    return share / 2 if alternative == "two-sided" else share


@dataclass(frozen=True, eq=False)
class _Units:
    """Weights and counts of the units, and the fraction of subsets to be left out."""

    weights: Floats
    counts: Ints
    share: Fraction

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def mean(self, e: Floats) -> float:
        return dot(self.counts, e) / dot(self.counts, self.weights)

    def standard_error(self, e: Floats) -> float:
        rest = e - self.mean(e) * self.weights
        squares = dot(self.counts, rest * rest) * self.n / max(self.n - 1, 1)
        return math.sqrt(squares) / dot(self.counts, self.weights)

    def end_finder(self, e: Floats) -> tuple[str, EndFinder]:
        """Choose how to find the lower end, by the data's shape."""
        if self.share.numerator << min(self.n, 2000) < self.share.denominator:
            return "too few items for the level", lambda _: (-math.inf, 0.0)
        if self.n <= MAX_LISTED:
            return "subset means listed", self._listed
        equal = self.weights.min() == self.weights.max()
        exact = resolution([e / self.weights[0]]) if equal else None
        if isinstance(exact, Whole):
            unit, scale = exact.unit, self.weights[0] * float(exact.unit)
            few = _cosines(np.rint(e / scale).astype(np.int64), self.counts) <= MAX_COSINES
            if few and ROUNDING * self.n < 1e-3 * self.share:
                return "law of sum and size", lambda x: (self._whole_end(x / scale, unit), 0.0)
        return "certified search", self._searched

    def _listed(self, e: Floats) -> tuple[float, float]:
        """The k-th smallest of all subset means, moved outwards by what rounding may hide."""
        sums, sizes = np.zeros(1), np.zeros(1)
        for x, w in zip(
            np.repeat(e, self.counts), np.repeat(self.weights, self.counts), strict=True
        ):
            sums, sizes = np.concatenate((sums, sums + x)), np.concatenate((sizes, sizes + w))
        rank = math.floor(self.share * sums.size)
        end = float(np.partition(sums[1:] / sizes[1:], rank - 1)[rank - 1])
        whole = all((x == np.rint(x)).all() for x in (e, self.weights))
        noise = 0.0 if whole else TIE * float(np.abs(e / self.weights).max())
        return end - noise, noise

    def _whole_end(self, e: Floats, unit: Fraction) -> float:
        """The same for multiples of a unit, from the joint distribution of sum and size."""
        d, n = np.rint(e).astype(np.int64), self.n
        centre = round(int(self.counts @ d) / n)
        moves = np.column_stack([d - centre, np.ones_like(d)])
        law = SwapLaw.of(np.zeros_like(moves), moves, self.counts)
        flat = np.zeros(law.steps.shape[1])
        box = window(law, [(flat, DEPTH)])
        mass, _ = window_masses(law, box, flat)
        sums, sizes = (np.broadcast_to(x, box.shape).ravel() for x in law.sums(box.axes))
        means = np.full(sums.size, np.inf)  # the empty subset is counted apart
        np.divide(sums, sizes, out=means, where=sizes > 0)
        order = np.argsort(means, kind="stable")
        over = 2.0**-n + np.cumsum(mass.ravel()[order]) > float(self.share) - ROUNDING * n
        k = int(order[int(np.argmax(over))])
        return float((centre + Fraction(int(sums[k]), int(sizes[k]))) * unit)

    def _searched(self, e: Floats) -> tuple[float, float]:
        """The same for numbers whose squares would be lost, divided by a power of two."""
        largest = float(np.abs(e).max())
        power = 0 if FAINT < largest < 1.0 / FAINT else math.frexp(largest)[1]
        end, slack = self._search(np.ldexp(e, -power))
        scaled = math.ldexp(end, power)
        return scaled if scaled or end <= 0.0 else math.ulp(0.0), math.ldexp(slack, power)

    def _search(self, e: Floats) -> tuple[float, float]:
        """Lower end by a search on certified p-values: the last m that is surely rejected.

        The probit of the p-value is nearly linear in m, so that a few secant steps are at the root;
        then one m is tried on either side of it, further away while the certificate is undecided.
        On a plateau of a p-value that moves in steps the secant crawls: what remains is halved.
        """
        alpha, mean, error = float(self.share), self.mean(e), self.standard_error(e)
        ratios = e / self.weights
        if error <= TIE * float(np.abs(ratios).max()):  # all differences are equal
            noise = TIE * abs(mean)
            return mean - noise, noise
        target, slope, last = float(ndtri(alpha)), 1.0 / error, None
        # Below the least mean of a unit only the empty subset counts; at the mean at least half do.
        rejected, accepted = float(ratios.min()) - PRECISION * error, mean
        offset, tolerance = 0.45 * PRECISION * error, PRECISION
        m = mean + float(stdtrit(self.n - 1, alpha)) * error
        for step in range(MAX_STEPS):
            m = m if rejected < m < accepted and step < PATIENCE else 0.5 * (rejected + accepted)
            p = real.pvalue(
                e - m * self.weights, counts=self.counts, alternative="greater", tolerance=tolerance
            )
            if p.log_high <= math.log(alpha):
                rejected = m
            elif p.log_low > math.log(alpha):
                accepted = m
            elif tolerance < PRECISION:
                offset *= 2.0
            if accepted - rejected <= 2.2 * offset:
                break
            z = float(np.clip(ndtri(p.value), -30.0, 8.0))
            if last is not None and abs(m - last[0]) > offset and (z - last[1]) * (m - last[0]) > 0:
                slope = (z - last[1]) / (m - last[0])
            last = (m, z)
            root = m + (target - z) / slope
            if abs(root - m) < 0.02 * error:
                tolerance = PRECISION / 2.0
            m = root - offset if root - rejected > 1.1 * offset else root + offset
        return rejected, accepted - rejected


def _cosines(d: Ints, counts: Ints) -> int:
    """Work of the joint distribution of sum and size: cells of a window times distinct values.

    Outside of the window less than LOST of either marginal law lies (Hoeffding 1963).
    """
    n = int(counts.sum())
    x = d - round(int(counts @ d) / n)
    reach = math.sqrt(2.0 * math.log(2.0 / LOST))
    squares = dot(counts, np.square(x, dtype=np.float64))  # of integers they may overflow
    span = min(int(counts @ np.abs(x)), math.ceil(reach * math.sqrt(squares))) + 2
    return span * (min(n, math.ceil(reach * math.sqrt(n))) + 2) * int(np.unique(d).size)
