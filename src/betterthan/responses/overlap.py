"""The overlap of a null and an alternative law: Algorithm 2 of Wein et al. (2023)."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import BadValueError
from betterthan.results import Alternative
from betterthan.sampling import clopper_pearson, plus_one

Floats = NDArray[np.float64]

TIE = 1e-12
"""Statistics closer than this share of the largest are ties: the rest is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Draws of delta under the null and the alternative hypothesis, and how far they overlap.

    Attributes
    ----------
    null, alternative : (draws,) arrays
        Candidate minus baseline, towards better, in each of the resampled test sets.
    pvalue, low, high : float
        Share of pairs whose null delta is at least as extreme as the alternative one, and a 99 %
        confidence interval for it.
    pairs : int
        Number of such pairs, of ``draws`` squared.
    """

    null: Floats
    alternative: Floats
    pvalue: float
    low: float
    high: float
    pairs: int


def overlap(
    null: Floats, alternative: Floats, side: Alternative = "two-sided", scale: float = 0.0
) -> Overlap:
    """Compare all pairs of a null and an alternative draw in ``O(M log M)``.

    ``"greater"`` counts the pairs whose null value is at least the alternative one, ``"less"``
    those whose null value is at most it, and ``"two-sided"`` takes the smaller of the two, as the
    authors do. Every draw must be a number. Ties count, so identical systems give 1. ``scale`` is
    the size of the numbers that the draws are made of, where that may be more than their own.

    Examples
    --------
    >>> overlap(np.array([-1.0, 0.0, 1.0]), np.array([0.5, 1.0, 2.0]), "greater").pairs
    2
    """
    if side == "two-sided":
        return min(
            (overlap(null, alternative, one, scale) for one in ("greater", "less")),
            key=lambda o: o.pairs,
        )
    undefined = int((~np.isfinite(null)).sum() + (~np.isfinite(alternative)).sum())
    if undefined:
        raise BadValueError(
            f"the metric is NaN or infinite on {undefined:,} of {null.size + alternative.size:,} "
            "test sets: let it return a number for all responses that an item can have"
        )
    towards = 1.0 if side == "greater" else -1.0
    x, y = towards * null, towards * alternative
    slack = TIE * max(float(np.abs(x).max()), float(np.abs(y).max()), scale)
    # above[j]: null draws that reach alternative draw j; below[i]: the other way round.
    above = x.size - np.searchsorted(np.sort(x), y - slack, side="left")
    below = np.searchsorted(np.sort(y), x + slack, side="right")
    pairs = int(above.sum())
    low, high = _interval(above / x.size, below / y.size)
    p = plus_one(pairs, x.size * y.size)
    return Overlap(null, alternative, p, min(low, p), max(high, p), pairs)


def _interval(above: Floats, below: Floats) -> tuple[float, float]:
    """Ninety-nine per cent Clopper-Pearson interval for the share of pairs.

    The share is a two-sample U-statistic. Draw ``j`` enters it with ``above[j] + below[j]``, which
    gives its variance (Hoeffding, 1948) and so an effective number of independent pairs (Korn &
    Graubard, 1998), never taken to be more than the draws there are.
    """
    draws, share = above.size, float(above.mean())
    variance = float(np.var(above + below)) / draws
    effective = draws
    if variance > 0.0:
        effective = max(1, min(draws, floor(share * (1.0 - share) / variance)))
    hits = share * effective
    return (
        clopper_pearson(floor(hits), effective)[0],
        clopper_pearson(min(ceil(hits), effective), effective)[1],
    )
