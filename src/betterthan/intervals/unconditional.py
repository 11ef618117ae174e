"""Exact tests of a difference of two accuracies on the same items, against any margin.

McNemar's conditional test knows one hypothesis only, no difference. Against a margin the share of
items on which the systems disagree is a nuisance that no conditioning removes, so its worst case is
taken: the p-value is the largest probability, over that share, of data at least as extreme (Hsueh,
Liu & Chen, 2001, who show that the boundary of the null hypothesis suffices). What is extreme is
said by Tango's (1998) score statistic. Shares that the data all but exclude need not be looked at:
the maximum is over a confidence interval of the share, and the error of that interval, a millionth,
is added to p (Berger & Boos, 1994).

The maximum is certified. The derivative of the probability P of any event is its covariance with
the score, so that by Cauchy-Schwarz ``|d arcsin(sqrt P)| <= sqrt(n I) / 2`` for the Fisher
information I of one item about the nuisance. With ``share = |margin| + (1 - |margin|) sin(v)^2``
that information is at most 4: in ``v`` the slope is at most ``sqrt(n)``. Pieces of the range that
cannot hold the maximum are dropped, the others are halved.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln, xlogy

from betterthan.intervals.binary import tango, tango_score
from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import clopper_pearson

PIECES = 64  # of the nuisance's range, to begin with
TOLERANCE = 5e-4  # of arcsin(sqrt p): p = .05 is known to within .0002, p = 1e-5 to within 4e-6
NEAR_ONE = 0.999  # p-values above are not told apart
BETA = 1e-6  # error of the interval of the nuisance; no p-value is smaller
LEAST = 3.0 * BETA  # up to here p is an upper bound: BETA, and what the search left open
METHOD = "exact unconditional test, score statistic"
REACH = 8.0  # standard deviations of the losses beyond which terms are dropped: below 1e-14
NEGLIGIBLE = -50.0  # logarithm of a term that is dropped, be it within reach
AT_ONCE = 1 << 17  # terms that are held in memory
MOST_EVALUATIONS = 20_000
SEARCHED = 600  # evaluations for one step of the search for a bound, which may end conservatively
RESOLUTION = 4e-3  # of a confidence bound, as a share of its distance from the estimate
TIE = 1e-9  # scores this close are equal
REMEMBERED = 1 << 14  # maxima: the parts of a breakdown often have the same counts


@lru_cache(maxsize=REMEMBERED)
def unconditional_pvalue(
    wins: int, losses: int, n: int, x: float = 0.0, alpha: float | None = None
) -> tuple[float, float]:
    """Exact p-value of ``P(win) - P(loss) <= x`` against a larger difference.

    Parameters
    ----------
    wins, losses : int
        Items that only the candidate, and only the baseline, got right.
    n : int
        All items.
    x : float
        The largest difference that is not shown: zero tests superiority, a negative one
        non-inferiority.
    alpha : float, optional
        Stop where p is known to lie on one side of this level; where that takes too long the
        bracket contains it.

    Returns
    -------
    (float, float)
        A certified bracket, whose upper end is a valid p-value.

    Examples
    --------
    >>> round(unconditional_pvalue(3, 4, 100, -0.1)[1], 4)
    0.0047
    """
    share = np.array(clopper_pearson(wins + losses, n, 1.0 - BETA))
    loss = min((max(share[1], abs(x)) - x) / 2.0, 1.0)
    most = math.ceil(n * loss + REACH * math.sqrt(n * loss * (1.0 - loss)) + 20.0) + 1
    least_wins = _least_wins(wins, losses, n, x, min(most, n))  # more losses have no chance

    def angles(v: Floats) -> Floats:
        """``arcsin(sqrt P)`` at a disagreement of ``|x| + (1 - |x|) sin(v)^2``."""
        share = abs(x) + (1.0 - abs(x)) * np.square(np.sin(v))
        win, loss = (np.clip((share + side * x) / 2.0, 0.0, 1.0) for side in (1.0, -1.0))
        parts = np.array_split(np.arange(v.size), 1 + v.size * least_wins.size // AT_ONCE)
        chances = [_probability(n, least_wins, win[part], loss[part]) for part in parts]
        return np.arcsin(np.sqrt(np.minimum(np.concatenate(chances), 1.0)))

    room = np.clip((share - abs(x)) / (1.0 - abs(x)), 0.0, 1.0)
    first, last = np.arcsin(np.sqrt(room)).tolist()
    edges = np.linspace(first, last, PIECES + 1)
    height = angles(edges)
    pieces = np.stack([edges[:-1], edges[1:], height[:-1], height[1:]])
    best, evaluations = float(height.max()), height.size
    while True:
        left, right, at_left, at_right = pieces
        # Between its ends a piece rises no faster than sqrt(n): the peak of a tent.
        peaks = np.minimum((at_left + at_right + math.sqrt(n) * (right - left)) / 2.0, np.pi / 2)
        top = max(best, float(peaks.max(initial=0.0)))
        if alpha is None:
            near = best + TOLERANCE if math.sin(best) ** 2 < NEAR_ONE else np.pi / 2
            goal, decided = max(near, math.asin(math.sqrt(LEAST - BETA))), False
        else:
            goal = math.asin(math.sqrt(max(alpha - BETA, 0.0)))
            decided = best > goal or evaluations > SEARCHED
        if decided or top <= goal or evaluations > MOST_EVALUATIONS:
            low, high = np.minimum(np.square(np.sin([best, top])) + BETA, 1.0).tolist()
            return low, high
        left, right, at_left, at_right = pieces[:, peaks > goal]
        middle = (left + right) / 2.0
        height = angles(middle)
        best, evaluations = max(best, float(height.max())), evaluations + height.size
        halves = [left, middle, at_left, height], [middle, right, height, at_right]
        pieces = np.hstack(halves)


def unconditional_bound(
    wins: int, losses: int, n: int, alpha: float, between: tuple[float, float] = (-1.0, 1.0)
) -> float:
    """Lower confidence bound of the difference, by inverting the exact test.

    ``between`` are differences that are known to be rejected, and not to be.

    Examples
    --------
    >>> round(unconditional_bound(3, 4, 100, 0.05), 3)
    -0.062
    """
    estimate = (wins - losses) / n
    low, high = between[0], min(between[1], estimate)
    x = tango(wins, losses, n, alpha=alpha, alternative="greater").low
    fine = max(RESOLUTION * (estimate - x), 1e-9)
    # Walk away from the asymptotic bound in steps that double, then halve what is left.
    step = 10 * fine if low < x < high else math.inf
    while high - low > fine:
        x = x if low < x < high else (low + high) / 2
        if unconditional_pvalue(wins, losses, n, x, alpha)[1] <= alpha:
            low, x = x, x + step
        else:
            high, x = x, x - step
        step *= 2
    return low


def _least_wins(wins: int, losses: int, n: int, x: float, most: int) -> Ints:
    """How many wins are as extreme as those observed, at each number of losses up to ``most``.

    The score grows with the wins and falls with the losses (Hsueh et al., 2001), so that there is
    one border for every number of losses: found by halving, for all of them at once.
    """
    observed = float(tango_score(wins, losses, n, x))
    border = observed - TIE * max(1.0, abs(observed))
    k = np.arange(most + 1)
    low, high = np.full(most + 1, -1), n - k + 1  # a score below the border, and one not below
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = tango_score(np.maximum(middle, 0), k, n, x) >= border
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def _probability(n: int, least_wins: Ints, win: Floats, loss: Floats) -> Floats:
    """Chance of so many wins, for arrays of chances of a win and of a loss on one item."""
    k = np.arange(least_wins.size)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    log = log + xlogy(k, loss[:, None]) + xlogy(n - k, 1.0 - loss[:, None])
    row, k = np.nonzero(log > NEGLIGIBLE)
    given = np.minimum(win / np.maximum(1.0 - loss, np.finfo(float).tiny), 1.0)
    least, rest = np.maximum(least_wins[k], 0), n - k
    enough = np.where(least > 0, betainc(least, rest - least + 1, given[row]), 1.0)
    enough[least > rest] = 0.0
    chances = np.bincount(row, np.exp(log[row, k]) * enough, minlength=win.size)
    return chances.astype(np.float64)
