"""Intervals for a difference of means, each named after its method.

Accuracies (0/1 scores) get Tango's score interval, other means Student's t. One-sided intervals
leave one side unbounded: ``alternative="greater"`` gives ``(low, inf)``.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from betterthan.errors import BadValueError, UsageError
from betterthan.exact.probability import Probability
from betterthan.metrics import mean
from betterthan.pairs import FLOAT_NOISE, cluster_sums, pair
from betterthan.results import Alternative
from betterthan.tails import normal_pvalue

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, the method that made it, and how far sampling may move its ends."""

    low: float
    high: float
    level: float
    method: str
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class MeanError:
    """A mean and its standard error; ``units`` independent items or clusters stand behind it."""

    mean: float
    standard_error: float
    units: int

    @property
    def degenerate(self) -> bool:
        """Whether nothing is known about the spread: one unit, or all differences equal."""
        return self.standard_error == 0.0


def tango(
    wins: int, losses: int, n: int, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Interval:
    """Score interval for a difference of two accuracies on the same items (Tango, 1998).

    Parameters
    ----------
    wins, losses : int
        Items that only the candidate, and only the baseline, got right.
    n : int
        All items, ties included.
    level : float
        Confidence level.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives a lower bound alone, ``"less"`` an upper one.

    Examples
    --------
    >>> made = tango(9, 3, 32)
    >>> round(made.low, 3), round(made.high, 3)
    (-0.027, 0.39)
    """
    _check_counts(wins, losses, n)
    z = -float(ndtri(_tail(level, alternative)))
    low = -_tango_upper(losses, wins, n, z) if alternative != "less" else -math.inf
    high = _tango_upper(wins, losses, n, z) if alternative != "greater" else math.inf
    return Interval(low, high, level, "Tango score")


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


def t_interval(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    clusters: ArrayLike | None = None,
) -> Interval:
    """Student's interval for a mean difference; cluster-robust where clusters are given.

    Where all differences are equal the t distribution has nothing to work with. Swapping signs
    still has: the interval is then the inversion of the sign-flip test, a single point once the
    units are many enough for that test to reject at all, and unbounded before.

    Examples
    --------
    >>> made = t_interval([1, 2, 3])
    >>> round(made.low, 3), round(made.high, 3)
    (-0.484, 4.484)
    """
    d = np.asarray(differences)
    checked = pair(np.zeros_like(d), d, mean(), clusters)
    made = mean_error(checked.differences()[:, 0], checked.clusters)
    tail = _tail(level, alternative)
    method = "Student t" if clusters is None else "cluster-robust t"
    if made.degenerate:
        sides = 1 if alternative == "two-sided" else 0
        half = 0.0 if 2.0 ** (sides - made.units) <= 1.0 - level else math.inf
        method = "sign flips (no spread observed)"
    else:
        half = -float(stdtrit(made.units - 1, tail)) * made.standard_error
    low = made.mean - half if alternative != "less" else -math.inf
    high = made.mean + half if alternative != "greater" else math.inf
    return Interval(low, high, level, method)


def mean_error(
    differences: NDArray[np.int64] | Floats,
    clusters: NDArray[np.int64] | None = None,
    *,
    scale: float | None = None,
) -> MeanError:
    """Mean per item and its standard error from independent items, or from clusters of them.

    The clustered variance is the sandwich of the intercept-only regression with the small-sample
    factor C / (C - 1) (Liang & Zeger, 1986; Cameron & Miller, 2015); with one item a cluster it is
    the usual one. A spread within the rounding noise of ``scale`` is none.
    """
    n = len(differences)
    average = float(differences.sum() / n)
    residuals = differences - average
    units = n
    if clusters is not None:
        units = int(clusters.max()) + 1
        residuals = cluster_sums(residuals, clusters, units)
    size = float(np.abs(differences).max()) if scale is None else scale
    spread = float(np.abs(residuals).max())
    if units == 1 or spread <= FLOAT_NOISE * size * (n / units):
        return MeanError(average, 0.0, units)
    # Scaled by the largest residual, squares neither overflow nor underflow.
    squares = float(np.square(residuals / spread).sum())
    return MeanError(average, spread * math.sqrt(squares * units / (units - 1)) / n, units)


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


def _tail(level: float, alternative: Alternative) -> float:
    """Error allowed on each side that is bounded."""
    if not 0.0 < level < 1.0:
        raise UsageError(f"a confidence level lies between 0 and 1, not {level!r}")
    return (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)


def _check_counts(wins: int, losses: int, n: int) -> None:
    if n < 1 or wins < 0 or losses < 0 or wins + losses > n:
        raise BadValueError(
            f"{wins} wins and {losses} losses do not fit into {n} items: counts are at least 0 "
            "and wins + losses at most n >= 1"
        )
