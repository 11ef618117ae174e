"""Tango's score interval and test for a difference of two accuracies on the same items."""

import math

from scipy.special import ndtri

from betterthan.errors import BadValueError, UsageError
from betterthan.exact.probability import Probability
from betterthan.intervals.ends import Ends, sides
from betterthan.numeric import Alternative
from betterthan.testing.tails import normal_pvalue


def tango(
    wins: int, losses: int, n: int, *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Ends:
    """Score interval for a difference of two accuracies on the same items (Tango, 1998).

    Parameters
    ----------
    wins, losses : int
        Items that only the candidate, and only the baseline, got right.
    n : int
        All items, ties included.
    alpha : float
        One minus the level.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives a lower bound alone, ``"less"`` an upper one.

    Examples
    --------
    >>> ends = tango(9, 3, 32)
    >>> round(ends.low, 3), round(ends.high, 3)
    (-0.027, 0.39)
    """
    _check_counts(wins, losses, n)
    z = -float(ndtri(alpha / sides(alternative)))
    low, high = -_tango_upper(losses, wins, n, z), _tango_upper(wins, losses, n, z)
    return Ends(low, high, "Tango's score interval").on(alternative)


def tango_pvalue(
    wins: int, losses: int, n: int, *, margin: float = 0.0, alternative: Alternative = "two-sided"
) -> Probability:
    """Score test of ``delta = margin`` for two accuracies on the same items (Tango, 1998).

    It is the test that :func:`tango` inverts; at ``margin=0`` it is McNemar's chi-square test
    without continuity correction. ``alternative="greater"`` with a negative margin tests
    non-inferiority. Its value is asymptotic: the bounds of the answer coincide.

    Examples
    --------
    >>> round(tango_pvalue(9, 3, 32).value, 4)
    0.0833
    """
    _check_counts(wins, losses, n)
    if not -1.0 < margin < 1.0:
        raise UsageError(f"a margin between two accuracies lies within (-1, 1), not {margin!r}")
    if wins == losses == margin == 0:  # 0 / 0: no evidence either way
        return Probability.of(1.0)
    return normal_pvalue(_tango_z(wins, losses, n, margin), alternative)


def _tango_z(wins: int, losses: int, n: int, delta: float) -> float:
    """Score statistic of ``P(win) - P(loss) = delta``."""
    if delta < 0.0:  # the mirrored problem, where nothing cancels
        return -_tango_z(losses, wins, n, -delta)
    # q = P(loss) given delta maximises the likelihood: 2n q^2 + B q - C = 0 (Tango 1998, eq. 7-9).
    B = (2 * n - wins + losses) * delta - (wins + losses)
    C = losses * delta * (1.0 - delta)
    root = math.sqrt(B * B + 8.0 * n * C)
    q = (root - B) / (4.0 * n) if B <= 0.0 else 2.0 * C / (root + B)
    return (wins - losses - n * delta) / math.sqrt(n * (2.0 * q + delta * (1.0 - delta)))


def _tango_upper(wins: int, losses: int, n: int, z: float) -> float:
    """The delta above the estimate at which the score statistic has fallen to ``-z``."""
    if wins == n:
        return 1.0
    low, high = (wins - losses) / n, 1.0
    while low < (middle := low + (high - low) / 2) < high:  # to the last bit
        if _tango_z(wins, losses, n, middle) > -z:
            low = middle
        else:
            high = middle
    return high


def _check_counts(wins: int, losses: int, n: int) -> None:
    if n < 1 or wins < 0 or losses < 0 or wins + losses > n:
        raise BadValueError(
            f"{wins} wins and {losses} losses do not fit into {n} items: counts are at least 0 "
            "and wins + losses at most n >= 1"
        )
