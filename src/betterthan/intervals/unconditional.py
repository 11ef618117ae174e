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
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln, xlogy

from betterthan.errors import UsageError
from betterthan.exact.probability import Probability
from betterthan.intervals.binary import tango
from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import clopper_pearson

PIECES = 64  # of the nuisance's range, to begin with
TOLERANCE = 5e-4  # of arcsin(sqrt p): p = .05 is known to within .0002, p = 1e-5 to within 4e-6
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


@dataclass(frozen=True, slots=True)
class _Region:
    """Outcomes at least as extreme: at ``l`` losses, ``least_wins[l]`` wins or more."""

    n: int
    least_wins: Ints
    log_choose: Floats  # logarithms of n over l

    def probability(self, win: Floats, loss: Floats) -> Floats:
        """P(region) for arrays of chances of a win and of a loss on one item."""
        reach = _reach(self.n, loss)
        first = np.maximum(np.floor(self.n * loss - reach), 0).astype(np.int64)
        last = np.ceil(self.n * loss + reach).astype(np.int64)
        last = np.minimum(last, self.least_wins.size - 1)
        within = np.arange(max(int((last - first).max()) + 1, 1))
        some = max(AT_ONCE // within.size, 1)
        blocks = [slice(start, start + some) for start in range(0, win.size, some)]
        found = [self._summed(win[b], loss[b], first[b, None] + within, last[b]) for b in blocks]
        return np.minimum(np.concatenate(found), 1.0)

    def _summed(self, win: Floats, loss: Floats, losses: Ints, last: Ints) -> Floats:
        """Sum over losses, a row of them for each of the chances; none beyond the last counts."""
        k = np.minimum(losses, last[:, None])
        log = self.log_choose[k] + xlogy(k, loss[:, None])
        log += xlogy(self.n - k, 1.0 - loss[:, None])
        row, column = np.nonzero((log > NEGLIGIBLE) & (losses <= last[:, None]))
        weight, k = np.exp(log[row, column]), k[row, column]
        given = np.minimum(win / np.maximum(1.0 - loss, np.finfo(float).tiny), 1.0)[row]
        least, rest = self.least_wins[k], self.n - k
        tail = (least <= 0).astype(np.float64)
        possible = np.flatnonzero((least >= 1) & (least <= rest))
        least, rest = least[possible], rest[possible]
        tail[possible] = betainc(least, rest - least + 1, given[possible])
        return np.bincount(row, weight * tail, minlength=win.size).astype(np.float64)


def _reach(n: int, chance: Floats | float) -> Floats:
    """How far from its mean a binomial is looked at."""
    return np.asarray(REACH * np.sqrt(n * chance * (1.0 - chance)) + 20.0)


def tango_score(wins: Ints | Floats, losses: Ints | Floats, n: int, delta: float) -> Floats:
    """Tango's (1998) score statistic of ``P(win) - P(loss) = delta <= 0``, elementwise.

    Without a difference and without a discordant item it is 0 / 0: no evidence, zero.
    """
    d = -delta
    # Restricted likelihood estimate of P(win), the smaller chance: 2n q^2 + B q - C = 0.
    B = (2 * n - losses + wins) * d - (wins + losses)
    C = wins * d * (1.0 - d)
    root = np.sqrt(B * B + 8.0 * n * C)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(B <= 0.0, (root - B) / (4.0 * n), 2.0 * C / (root + B))
        z = (wins - losses + n * d) / np.sqrt(n * (2.0 * q + d * (1.0 - d)))
    return np.where(np.isnan(z), 0.0, z)


def unconditional_pvalue(wins: int, losses: int, n: int, *, margin: float = 0.0) -> Probability:
    """Exact p-value of ``P(win) - P(loss) <= -margin`` against a larger difference.

    Parameters
    ----------
    wins, losses : int
        Items that only the candidate, and only the baseline, got right.
    n : int
        All items.
    margin : float
        Loss in accuracy that is tolerated; zero tests superiority, a negative one superiority by
        more than its size.

    Returns
    -------
    Probability
        The upper end of a certified bracket, which is valid; its ``low`` is the lower end.

    Examples
    --------
    >>> round(unconditional_pvalue(3, 4, 100, margin=0.1).value, 4)
    0.0047
    """
    if wins < 0 or losses < 0 or n < 1 or wins + losses > n:
        raise UsageError(f"{wins} wins and {losses} losses do not fit into {n} items")
    if not -1.0 < margin < 1.0:
        raise UsageError(f"a margin between two accuracies lies within (-1, 1), not {margin!r}")
    low, high = _maximum(wins, losses, n, margin, confidence=None)
    return Probability(math.log(high), math.log(low) if low > 0 else -math.inf, math.log(high))


def unconditional_bound(
    wins: int,
    losses: int,
    n: int,
    *,
    alpha: float,
    between: tuple[float, float] = (-1.0, 1.0),
) -> float:
    """Lower confidence bound of the difference, by inverting the exact test.

    Parameters
    ----------
    wins, losses, n : int
        As in :func:`unconditional_pvalue`.
    alpha : float
        Error allowed.
    between : (float, float)
        Differences that are known to be rejected, and not to be.

    Examples
    --------
    >>> round(unconditional_bound(3, 4, 100, alpha=0.05), 3)
    -0.062
    """

    def rejected(delta: float) -> bool:
        return _maximum(wins, losses, n, -delta, confidence=alpha)[1] <= alpha

    estimate = (wins - losses) / n
    low, high = between[0], min(between[1], estimate)
    guess = tango(wins, losses, n, alpha=alpha, alternative="greater").low
    fine = max(RESOLUTION * (estimate - guess), 1e-9)
    if low < guess < high:  # start next to the asymptotic bound and walk away from it
        step = 10 * fine
        if rejected(guess):
            low = guess
            while low + step < high and rejected(low + step):
                low, step = low + step, 2 * step
            high = min(high, low + step)
        else:
            high = guess
            while low < high - step and not rejected(high - step):
                high, step = high - step, 2 * step
            low = max(low, high - step)
    while high - low > fine:
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return low


@lru_cache(maxsize=REMEMBERED)
def _maximum(
    wins: int, losses: int, n: int, margin: float, confidence: float | None
) -> tuple[float, float]:
    """Bracket of the largest probability of the region.

    If a level is given, only as narrow as it takes to see on which side of it the maximum lies;
    where that takes too long the bracket contains it, and the level counts as passed.
    """
    share = clopper_pearson(wins + losses, n, 1.0 - BETA)
    loss = min((max(share[1], abs(margin)) + margin) / 2.0, 1.0)
    most = math.ceil(n * loss + float(_reach(n, loss))) + 1  # losses beyond have no chance
    region = _region(wins, losses, n, margin, min(most, n))
    room = np.clip((np.array(share) - abs(margin)) / (1.0 - abs(margin)), 0.0, 1.0)
    first, last = np.arcsin(np.sqrt(room)).tolist()
    edges = np.linspace(first, last, PIECES + 1)
    value = _probabilities(region, edges, margin)
    reach = math.sqrt(n)
    best = float(value.max())
    confidence = None if confidence is None else confidence - BETA
    left, right = edges[:-1], edges[1:]
    at_left, at_right = value[:-1], value[1:]
    evaluations = value.size
    while True:
        # Between its ends arcsin(sqrt P) rises no faster than reach: the peak of a tent.
        peak = np.arcsin(np.sqrt(at_left)) + np.arcsin(np.sqrt(at_right))
        peak = (peak + reach * (right - left)) / 2.0
        upper = np.where(peak >= np.pi / 2, 1.0, np.square(np.sin(np.minimum(peak, np.pi / 2))))
        top = max(best, float(upper.max(initial=0.0)))
        near = math.sin(math.asin(math.sqrt(best)) + TOLERANCE) ** 2 if best < 0.999 else 1.0
        goal = max(near, LEAST - BETA) if confidence is None else confidence
        decided = confidence is not None and (best > confidence or evaluations > SEARCHED)
        if decided or top <= goal or evaluations > MOST_EVALUATIONS:
            return min(best + BETA, 1.0), min(top + BETA, 1.0)
        open_ = upper > goal
        left, right, at_left, at_right = (x[open_] for x in (left, right, at_left, at_right))
        middle = (left + right) / 2.0
        at_middle = _probabilities(region, middle, margin)
        evaluations += middle.size
        best = max(best, float(at_middle.max()))
        left, right = np.concatenate((left, middle)), np.concatenate((middle, right))
        at_left, at_right = (
            np.concatenate((at_left, at_middle)),
            np.concatenate((at_middle, at_right)),
        )


def _region(wins: int, losses: int, n: int, margin: float, most: int) -> _Region:
    """Outcomes with a score at least the observed one, of up to ``most`` losses.

    The score grows with the wins and falls with the losses (Hsueh et al., 2001), so that there is
    one border for every number of losses: found by halving, for all of them at once.
    """
    mirrored = margin < 0.0  # test the other system, whose difference has the other sign

    def score_of(w: Ints, lost: Ints) -> Floats:
        if mirrored:
            return -tango_score(lost, w, n, margin)
        return tango_score(w, lost, n, -margin)

    observed = float(score_of(np.array([wins]), np.array([losses]))[0])
    border = observed - TIE * max(1.0, abs(observed))
    k = np.arange(most + 1, dtype=np.int64)
    low, high = np.full(most + 1, -1), n - k + 1  # a score below the border, and one not below
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = score_of(np.maximum(middle, 0), k) >= border
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return _Region(n, high, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _probabilities(region: _Region, v: Floats, margin: float) -> Floats:
    """P(region) at a disagreement of ``|margin| + (1 - |margin|) sin(v)^2``."""
    share = abs(margin) + (1.0 - abs(margin)) * np.square(np.sin(v))
    win = np.clip((share - margin) / 2.0, 0.0, 1.0)
    return region.probability(win, np.clip((share + margin) / 2.0, 0.0, 1.0))
