"""From resampled scores to rank sets, shares of first places, tiers and comparison intervals.

Everything here takes ``scores`` (one number per system, higher better) and ``resamples`` of them
(one row per resample), whatever aggregation they came from.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import stdtrit

from betterthan.errors import UsageError
from betterthan.intervals.quantiles import percentile_ends
from betterthan.numeric import Bools, Floats, Ints

CELLS = 1 << 16
"""Differences of resampled scores at a time: what stays in the processor's cache."""

NOISE = 1e-9
"""Scores this close, as a share of the largest, are equal: fits are exact to 1e-10."""


@dataclass(frozen=True, slots=True, eq=False)
class RankSets:
    """Ranks that each system may have, from decisions about pairs.

    A system's rank is at least one plus the number of systems that are above it, and at most the
    number of those that it is not above: it is above those that it beats, and whatever is below
    them. All sets hold together whenever no decision is wrong; Holm's or Bonferroni's adjustment
    makes a wrong one among all pairs rare. Wins that go round in a circle leave the order of those
    on it open.

    Attributes
    ----------
    low, high : (systems,) array of int
        Best and worst rank each system may have.
    separated : (systems, systems) array of bool
        The decisions: whether the row's system is better than the column's.
    critical : float
        Critical value of the largest studentised difference, for comparison intervals.
    errors : (systems, systems) array or None
        Bootstrap standard error of each difference, or the sandwich's where resamples needed a
        ghost, which holds them together, and it is larger; None where systems are too many.
    """

    low: Ints
    high: Ints
    separated: Bools
    critical: float
    errors: Floats | None

    @classmethod
    def of(cls, separated: Bools, critical: float, errors: Floats | None) -> Self:
        """Rank sets of decisions.

        Examples
        --------
        >>> first = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> sets = RankSets.of(first, 2.0, np.zeros((3, 3)))
        >>> list(zip(sets.low.tolist(), sets.high.tolist()))
        [(1, 1), (2, 3), (2, 3)]
        """
        above = order_of(separated)
        low, high = 1 + above.sum(axis=0), len(above) - above.sum(axis=1)
        return cls(low, high, separated, critical, errors)


def order_of(beats: Bools) -> Bools:
    """Who is above whom: directly or through others, unless that holds both ways.

    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> order_of(chain).sum(axis=1).tolist(), order_of(chain | chain[::-1, ::-1]).any().item()
    ([2, 1, 0], False)
    """
    m = len(beats)
    first = np.arange(m)  # systems come best first as a rule, and none is beaten by one below it
    if np.tril(beats).any():
        first = np.argsort(-np.count_nonzero(beats, axis=1), kind="stable")
    ordered = beats[np.ix_(first, first)]
    downwards = not np.tril(ordered).any()
    reached, changed = np.packbits(ordered, axis=1), bool(m)
    while changed:
        changed = False
        for k in range(m - 1, -1, -1):
            mine = reached[k]
            below = np.flatnonzero(np.unpackbits(mine, count=m))
            if downwards and below.size:  # all below are complete: what one has reached, it has
                below = np.flatnonzero(np.unpackbits(mine & ~reached[below[0]], count=m))
            more = np.bitwise_or.reduce(reached[below], axis=0) | mine
            if not np.array_equal(more, mine):
                reached[k], changed = more, not downwards
    found = np.empty((m, m), dtype=bool)
    found[np.ix_(first, first)] = np.unpackbits(reached, axis=1, count=m).view(bool)
    return np.asarray(found & ~found.T)


def critical_value(
    scores: Floats, resamples: Floats, errors: Floats, confidence: float, units: int
) -> float:
    """Critical value of the largest studentised difference of any two systems.

    The quantile of its bootstrap law, or that of Student's law under Bonferroni's adjustment where
    this is larger: with few units the bootstrap's is too small.
    """
    m, least = len(scores), 1e-12 * max(float(np.abs(scores).max()), 1e-300)
    if units < 2 or not (errors > least).any():
        return float("inf")
    errors = np.where(errors > least, errors, np.inf)  # what does not vary is not the largest
    largest, of_system = np.zeros(len(resamples)), np.ascontiguousarray(resamples.T)
    rows = max(1, CELLS // len(largest))
    for first in range(m - 1):
        for start in range(first + 1, m, rows):
            others = slice(start, start + rows)
            moved = of_system[first] - of_system[others]
            moved -= (scores[first] - scores[others])[:, None]
            np.abs(moved, out=moved)
            moved /= errors[first, others][:, None]
            np.maximum(largest, moved.max(axis=0), out=largest)
    tail = (1.0 - confidence) / (m * (m - 1))
    _, critical = percentile_ends(largest, 1.0 - confidence)
    return max(float(critical), -float(stdtrit(units - 1, tail)))


def difference_errors(resamples: Floats) -> Floats:
    """Bootstrap standard error of the difference of every two systems; zero if nothing varied."""
    if len(resamples) < 2:
        return np.zeros((resamples.shape[1],) * 2)
    return errors_of_differences(np.atleast_2d(np.cov(resamples, rowvar=False)))


def errors_of_differences(covariance: Floats) -> Floats:
    """Standard error of the difference of every two systems whose scores vary together so.

    >>> errors_of_differences(np.array([[2.0, 1.0], [1.0, 4.0]])).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    variance = np.diagonal(covariance)
    return np.asarray(np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0)))


def share_in_top(resamples: Floats, k: int = 1) -> Floats:
    """Share of resamples in which each system is among the best ``k``; ties share the places.

    With ``k = 1`` this is how often each comes first. It is a share of resamples, not a
    posterior probability.

    >>> share_in_top(np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [0.75, 0.25]
    """
    count, m = resamples.shape
    if not 1 <= k <= m:
        raise UsageError(f"k must be from 1 to {m}, the number of systems, got {k}")
    if not count:
        return np.full(m, np.nan)
    shares = np.zeros(m)
    noise = NOISE * float(np.abs(resamples).max())
    for row in range(0, count, 1024):
        block = resamples[row : row + 1024]
        edge = -np.sort(-block, axis=1)[:, k - 1 : k]
        above = block > edge + noise
        level = ~above & (block >= edge - noise)
        places = k - above.sum(axis=1, keepdims=True)
        shares += (above + level * places / level.sum(axis=1, keepdims=True)).sum(axis=0)
    return np.asarray(shares / count)


def tiers(beats: Bools, scores: Floats) -> Ints:
    """Tiers as in WMT: a line is drawn where all above beat all below; numbered from one.

    Parameters
    ----------
    beats : (systems, systems) array of bool
        Whether the row's system is significantly better than the column's.
    scores : (systems,) array
        Higher better; the order in which lines may be drawn.

    Examples
    --------
    >>> beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tiers(beats, np.array([3.0, 2.0, 1.0])).tolist()
    [1, 2, 2]
    """
    order = np.argsort(-scores, kind="stable")
    tier = np.ones(len(scores), dtype=np.int64)
    current = 1
    for k in range(1, len(order)):
        if beats[np.ix_(order[:k], order[k:])].all():
            current += 1
        tier[order[k]] = current
    return tier


def quasi_errors(difference_error: Floats) -> Floats:
    """Quasi standard errors: ``q_i**2 + q_j**2`` approximates the variance of each difference.

    Firth & de Menezes (2004), by least squares on the variances; with them a reader of the table
    can judge any two systems without the covariance. Never negative; two systems share evenly.
    """
    m = len(difference_error)
    variance = difference_error**2
    if m == 2:
        return np.full(2, difference_error[0, 1] / np.sqrt(2))
    # Normal equations of v_ij = a_i + a_j over all pairs: (m - 2) a_i + sum a = row sums.
    rows = variance.sum(axis=1)
    total = rows.sum() / (2 * (m - 1))
    return np.asarray(np.sqrt(np.maximum((rows - total) / (m - 2), 0.0)))


def comparison_interval(
    scores: Floats, difference_error: Floats, critical: float
) -> tuple[Floats, Floats]:
    """Intervals to compare systems with: two that do not overlap differ significantly.

    Goldstein & Healy (1995): ``critical / sqrt(2)`` quasi standard errors either way. With the
    critical value of the rank sets the reading holds for all pairs at once.
    """
    reach = critical / np.sqrt(2) * quasi_errors(difference_error)
    return scores - reach, scores + reach


def rounded(scores: Floats, size: float = 0.0) -> Floats:
    """Scores in units of their noise, so that equal ones are equal and sort as they came.

    Noise is that of the largest score, or of scores of some ``size``, whichever is larger.
    """
    scale = NOISE * max(float(np.abs(scores).max()), size)
    return np.asarray(np.round(scores / scale)) if scale > 0 else scores
