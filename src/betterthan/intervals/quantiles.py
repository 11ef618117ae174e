"""Ends from bootstrap replicates: percentile, basic and BCa, with every degenerate case named.

Quantiles are order statistics, never interpolated: of ``b`` sorted replicates the
``floor((b + 1) tail)``-th for a lower end and its mirror image for an upper one (Efron & Tibshirani
1993, section 12.5), so that changing the sign of the data changes the sign of the interval. Their
Monte-Carlo error comes from the order statistics around them. A tail is the error at either end.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrik, ndtr, ndtri, stdtrit

from betterthan.numeric import Floats

SURE = 0.005
"""Tail of the 99 % interval of a quantile."""


class BootstrapEnds(NamedTuple):
    """Both ends, the method that they were made by, and why if that is not the one asked for.

    ``error`` says how far more replicates may move an end: half the wider one of the 99 % intervals
    for the two quantiles, infinite where there are too few replicates to tell.
    """

    low: float
    high: float
    method: str
    note: str = ""
    error: float = 0.0


def percentile_interval(replicates: ArrayLike, tail: float = 0.025) -> BootstrapEnds:
    """Quantiles of the replicates themselves.

    Examples
    --------
    >>> percentile_interval(range(1, 1000), 0.05)[:2]
    (50.0, 950.0)
    """
    return _between(_sorted(replicates), (tail, tail), "percentile")


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


def upper_quantile(replicates: Floats, tail: float = 0.05) -> float:
    """Upper end of a one-sided percentile interval: a critical value.

    Examples
    --------
    >>> upper_quantile(np.arange(1.0, 1000.0), 0.05)
    950.0
    """
    at = len(replicates) - 1 - _place(len(replicates), tail)
    return float(np.partition(replicates, at)[at])


def basic_interval(replicates: ArrayLike, estimate: float, tail: float = 0.025) -> BootstrapEnds:
    """Percentile interval reflected at the estimate (Davison & Hinkley 1997, eq. 5.6).

    Examples
    --------
    >>> basic_interval(range(1, 1000), 400, 0.05)[:2]
    (-150.0, 750.0)
    """
    made = percentile_interval(replicates, tail)
    low, high = 2.0 * estimate - made.high, 2.0 * estimate - made.low
    return made._replace(low=low, high=high, method="basic")


def bca_interval(
    replicates: ArrayLike,
    jackknife: ArrayLike,
    estimate: float,
    tail: float = 0.025,
    times: ArrayLike | None = None,
) -> BootstrapEnds:
    """Bias-corrected and accelerated interval (Efron 1987), from leave-one-out values.

    ``times`` says how many units each leave-one-out value stands for, one by default.

    Replicates equal to the estimate count half below it. If all replicates are the same, the
    interval is that point. Where the correction does not exist (the estimate lies outside the
    replicates, a leave-one-out value is undefined, the acceleration passes its pole) the
    percentile interval is returned, and its ``method`` and ``note`` say so.
    """
    ordered = _sorted(replicates)
    if ordered[0] == ordered[-1]:
        return _between(ordered, (tail, tail), "bca", "all replicates are equal")
    below = float(
        np.searchsorted(ordered, estimate, "left") + np.searchsorted(ordered, estimate, "right")
    ) / (2.0 * ordered.size)
    left_out = np.asarray(jackknife, dtype=np.float64)
    tails = corrected_tails(below, left_out, times, tail)
    if isinstance(tails, str):
        return _between(ordered, (tail, tail), "percentile", tails)
    return _between(ordered, tails, "bca")


def corrected_tails(
    below: float, left_out: Floats, times: ArrayLike | None, tail: float
) -> tuple[float, float] | str:
    """Probabilities beyond the ends of a BCa interval, or why there is none.

    ``below`` is the share of resamples below the estimate; ``left_out`` as in `bca_interval`.
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
    k: int = max(math.floor(bdtrik(tail, n, probability)), 0)
    return k + int(bdtr(k, n, probability) <= tail)


def _acceleration(left_out: Floats, times: ArrayLike | None) -> float:
    """Sixth of the skewness of the jackknife's influence (Efron 1987, eq. 6.6); 0 if it is flat."""
    if left_out.size == 0:
        return 0.0
    held = np.ones(left_out.size) if times is None else np.asarray(times, dtype=np.float64)
    units = float(held.sum())
    influence = float(held @ left_out) / units - left_out
    # Cubes of very small and very large scores would be lost; a power of two changes no digit.
    power = math.frexp(float(np.abs(left_out).max()))[1]
    influence = np.ldexp(influence, -power)
    squares = float(held @ influence**2)
    if squares <= 1e-24 * units:
        return 0.0
    return float(held @ influence**3) / (6.0 * squares * math.sqrt(squares))


def _between(
    ordered: Floats, tails: tuple[float, float], method: str, note: str = ""
) -> BootstrapEnds:
    """Order statistics that leave these masses below and above them."""
    b = ordered.size
    first, last = tails
    low, high = (_place(b, tail) for tail in tails)
    errors = quantile_error(ordered, first, 1.0 - first), quantile_error(ordered, 1.0 - last, last)
    return BootstrapEnds(
        float(ordered[low]), float(ordered[b - 1 - high]), method, note, max(errors)
    )


def _place(b: int, tail: float) -> int:
    """Position, from zero, of the order statistic with this mass below it."""
    return min(max(math.floor((b + 1) * tail * (1.0 + 1e-12)), 1), b) - 1


def _sorted(replicates: ArrayLike) -> Floats:
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"replicates must be one column of at least one, not {values.shape}")
    if undefined := int(np.isnan(values).sum()):
        raise ValueError(f"{undefined} of {values.size} replicates are undefined (NaN)")
    return np.sort(values)
