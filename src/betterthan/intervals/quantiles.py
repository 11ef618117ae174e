"""Ends from bootstrap replicates: percentile, basic and BCa, with every degenerate case named.

Quantiles are order statistics, never interpolated: of ``b`` sorted replicates the
``floor((b + 1) tail)``-th for a lower end and its mirror image for an upper one (Efron & Tibshirani
1993, section 12.5), so that changing the sign of the data changes the sign of the interval. Their
Monte-Carlo error comes from the order statistics around them. A tail is the error at either end.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrik, ndtr, ndtri, stdtrit

from betterthan.numeric import Floats

SURE = 0.005
"""Tail of the 99 % interval of a quantile."""


@dataclass(frozen=True, eq=False)
class SampledLaw:
    """Law of a score or a difference by its replicates, in order of size; ``observed`` is its own.

    Examples
    --------
    >>> SampledLaw(np.arange(1.0, 1000.0), 400.0).between(0.05, 0.05)
    (50.0, 950.0)
    """

    ordered: Floats
    observed: float
    unit = 1.0

    def between(self, below: float, above: float) -> tuple[float, float]:
        """Order statistics that leave these shares below and above them."""
        b = self.ordered.size
        return float(self.ordered[_place(b, below)]), float(self.ordered[b - 1 - _place(b, above)])

    def share_below(self) -> tuple[float, float]:
        """Bracket of the share of replicates below the data; equal ones count half."""
        ranks = [np.searchsorted(self.ordered, self.observed, side) for side in ("left", "right")]
        share = float(sum(ranks)) / (2.0 * self.ordered.size)
        return share, share

    def error(self, below: float, above: float) -> float:
        """How far more replicates may move an end: half the wider of both 99 % intervals."""
        ends = (below, 1.0 - below), (1.0 - above, above)
        return max(quantile_error(self.ordered, *end) for end in ends)


def percentile_ends(replicates: Floats, tail: float = 0.025) -> tuple[Floats, Floats]:
    """Ends of the percentile interval of every column of (replicates, columns).

    Examples
    --------
    >>> low, high = percentile_ends(np.arange(1.0, 1000.0)[:, None], 0.05)
    >>> low.tolist(), high.tolist()
    ([50.0], [950.0])
    """
    low = _place(len(replicates), tail)
    high = len(replicates) - 1 - low
    ordered = np.partition(replicates, (low, high), axis=0)
    return ordered[low], ordered[high]


def expanded_tail(tail: float, units: int, strata: int = 1) -> float:
    """Tail at which a percentile interval of few units is as wide as Student's.

    Resamples spread too little, by ``(units - strata) / units``, and know nothing of t: Hesterberg
    (2015, section 5.3), "expanded percentile". Nothing is known without degrees of freedom.

    Examples
    --------
    >>> [round(expanded_tail(0.025, units), 4) for units in (8, 20, 200)]
    [0.0057, 0.0159, 0.024]
    """
    df = units - strata
    if df < 1:
        return tail
    return float(ndtr(math.sqrt(units / df) * float(stdtrit(df, tail))))


def corrected_tails(
    below: float, left_out: Floats, times: Floats, tail: float
) -> tuple[float, float] | str:
    """Probabilities beyond the ends of a BCa interval (Efron 1987), or why there is none.

    ``below`` is the share of resamples below the estimate, ``left_out`` its values without one
    unit, and ``times`` how many units each of these stands for.
    """
    if not 0.0 < below < 1.0:
        return "the estimate lies outside its replicates"
    if not np.isfinite(left_out).all():
        return "a leave-one-out value is undefined"
    z0, a, z = float(ndtri(below)), _acceleration(left_out, times), float(ndtri(tail))
    # Efron (1987), eq. 3.9 (there with z(alpha) on either side), written as two tail masses.
    lower, upper = z0 + z, z0 - z
    if min(1.0 - a * lower, 1.0 - a * upper) <= 0.0:
        return "the acceleration is too large to correct for"
    first = float(ndtr(z0 + lower / (1.0 - a * lower)))
    return first, float(ndtr(-(z0 + upper / (1.0 - a * upper))))


def quantile_error(ordered: Floats, below: float, above: float) -> float:
    """Half the 99 % interval of the quantile with these masses on either side."""
    low = binomial_rank(ordered.size, below, SURE)
    high = ordered.size + 1 - binomial_rank(ordered.size, above, SURE)
    if low < 1 or high > ordered.size:
        return math.inf
    return float(ordered[high - 1] - ordered[low - 1]) / 2.0


def binomial_rank(n: int, probability: float, tail: float) -> int:
    """Largest k with ``P(Binomial(n, probability) < k) <= tail``; 0 if there is none.

    Examples
    --------
    >>> [binomial_rank(n, 0.5, 0.025) for n in (5, 6, 100)]
    [0, 1, 40]
    """
    rank = float(bdtrik(tail, n, probability))  # NaN where the chance of none is larger already
    k = 0 if math.isnan(rank) else max(math.floor(rank), 0)
    return k + int(bdtr(k, n, probability) <= tail)


def _acceleration(left_out: Floats, times: Floats) -> float:
    """Sixth of the skewness of the jackknife's influence (Efron 1987, eq. 6.6); 0 if it is flat."""
    units = float(times.sum())
    influence = float(times @ left_out) / units - left_out
    # Cubes of very small and very large scores would be lost; a power of two changes no digit.
    power = math.frexp(float(np.abs(left_out).max()))[1]
    influence = np.ldexp(influence, -power)
    squares = float(times @ influence**2)
    if squares <= 1e-24 * units:
        return 0.0
    return float(times @ influence**3) / (6.0 * squares * math.sqrt(squares))


def _place(b: int, tail: float) -> int:
    """Position, from zero, of the order statistic with this mass below it."""
    return min(max(math.floor((b + 1) * tail * (1.0 + 1e-12)), 1), b) - 1
