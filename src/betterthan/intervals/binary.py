"""Tango's score interval for a difference of two accuracies on the same items."""

import math

import numpy as np
from scipy.special import ndtri

from betterthan.intervals.ends import Ends, sides
from betterthan.intervals.roots import root
from betterthan.numeric import Alternative, Floats, Ints


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
    z = -float(ndtri(alpha / sides(alternative)))
    low, high = -_upper(losses, wins, n, z), _upper(wins, losses, n, z)
    return Ends(low, high, "Tango's score interval").on(alternative)


def tango_score(wins: Ints | int, losses: Ints | int, n: int, delta: float) -> Floats:
    """Tango's (1998) score statistic of ``P(win) - P(loss) = delta``, elementwise.

    At ``delta = 0`` it is McNemar's, without continuity correction. Without a difference and
    without a discordant item it is 0 / 0: no evidence, zero.

    Examples
    --------
    >>> round(float(tango_score(9, 3, 32, 0.0)), 4)
    1.7321
    """
    if delta < 0.0:  # the mirrored problem, where nothing cancels
        return -tango_score(losses, wins, n, -delta)
    # q = P(loss) given delta maximises the likelihood: 2n q^2 + B q - C = 0 (Tango 1998, eq. 7-9).
    B = (2 * n - wins + losses) * delta - (wins + losses)
    C = losses * delta * (1.0 - delta)
    root = np.sqrt(B * B + 8.0 * n * C)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(B <= 0.0, (root - B) / (4.0 * n), 2.0 * C / (root + B))
        z = (wins - losses - n * delta) / np.sqrt(n * (2.0 * q + delta * (1.0 - delta)))
    return np.where(np.isnan(z), 0.0, z)


def _upper(wins: int, losses: int, n: int, z: float) -> float:
    """The delta above the estimate at which the score statistic has fallen to ``-z``."""
    estimate = (wins - losses) / n
    if wins == n or z <= 0.0:
        return estimate
    almost = math.nextafter(1.0, 0.0)
    return root(lambda x: float(tango_score(wins, losses, n, x)) + z, estimate, almost, 1e-16)
