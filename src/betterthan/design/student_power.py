"""Power of paired tests of a mean: Student's t, and the sign-flip test of few units.

For normal differences Student's t is exact; for others it is what the central limit theorem makes
of the paired tests of a mean, the permutation test among them. Its p-values have no steps, but
those of few units have: ``n`` units have ``2^n`` swaps, so that no one-sided p is below ``2^-n``
and no two-sided one below ``2^(1-n)``. Fewer units than a level takes reject nothing, and a few
more are still behind the t-test: their power is simulated.
"""

import math
from functools import cache

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from betterthan.design.detection import Detection, PlannedTest
from betterthan.intervals.few_units import extreme_swaps
from betterthan.numeric import TIE, Alternative, Bools, Floats

NODES = 200
LISTED = 14  # units whose subsets are listed
MOST_SETS, CELLS, BATCH_CELLS = 20_000, 1 << 24, 1 << 21


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Nodes in (-1, 1) and weights that sum to one."""
    node, weight = np.polynomial.legendre.leggauss(NODES)
    return node, weight / 2.0


def normal_power(effect: float, sd: float, units: int, test: PlannedTest) -> Detection:
    """Power of the paired t-test over ``units`` differences of this mean and deviation.

    Given the observed deviation the mean must exceed a fixed border; the deviation is then
    integrated out, by Gauss-Legendre quadrature over its own probability. The same sums give the
    errors of sign and size, which the noncentral t alone does not.
    """
    freedom = units - 1
    level = test.alpha / 2 if test.alternative == "two-sided" else test.alpha
    critical = -float(stdtrit(freedom, level))
    node, weight = _nodes()
    observed = np.sqrt(chdtri(freedom, (1.0 - node) / 2.0) / freedom)  # of the true deviation
    error = sd / math.sqrt(units)
    border = critical * observed  # of the mean, in standard errors
    chances, sizes = [], []
    for towards, unwanted in ((1.0, "less"), (-1.0, "greater")):
        if test.alternative == unwanted:
            chances.append(0.0)
            sizes.append(0.0)
            continue
        shift = towards * effect / error
        beyond = ndtr(shift - border)
        density = np.exp(-np.square(border - shift) / 2.0) / math.sqrt(2.0 * math.pi)
        chances.append(float(weight @ beyond))
        sizes.append(error * float(weight @ (shift * beyond + density)))  # E[X; X > border]
    return Detection.of_sides(
        chances,
        sizes,
        effect,
        error=1e-6,
        kind="asymptotic",
        engine="t-test, normal differences",
    )


def fewest_units(alpha: float, alternative: Alternative) -> int:
    """Least number of units that can reject at this level.

    >>> fewest_units(0.05, "two-sided"), fewest_units(0.05, "greater")
    (6, 5)
    """
    needed = math.ceil(-math.log2(alpha * (1.0 + TIE))) + (alternative == "two-sided")
    return max(needed, 1)


def sets_of(units: int) -> int:
    """Number of simulated sets of these units that take a quarter of a second."""
    return int(np.clip(CELLS >> min(units, LISTED), 1, MOST_SETS))


def power_of_few(sets: Floats, effect: float, test: PlannedTest, *, of: str) -> Detection:
    """Power over simulated sets of differences, a row each, every one of which is tested."""
    number, units = sets.shape
    allowed = extreme_swaps(units, test.alpha, test.alternative)
    hit = np.zeros(number, dtype=bool)
    for towards, unwanted in ((1.0, "less"), (-1.0, "greater")):
        if test.alternative != unwanted:
            hit |= rejected(towards * sets, allowed)
    engine = f"exact tests of {number:,} simulated sets of {of}"
    return Detection.sampled(hit, sets.mean(axis=1), effect, engine)


def rejected(d: Floats, allowed: int) -> Bools:
    """Rows with at most the allowed number of sign flips whose sum is no less than their own.

    A flip of some units leaves as much if their sum is not positive. Of more units than are listed
    the lowest are enough, unless more flips are allowed than there are of these: where the sum of
    some units with a higher one is not positive, so is that with each of the lower ones instead.
    """
    lowest = np.sort(d, axis=1)[:, :LISTED]
    hit = np.zeros(len(d), dtype=bool)
    # All subsets of the negative units count.
    hopeful = np.flatnonzero(2.0 ** np.count_nonzero(lowest < 0.0, axis=1) <= allowed)
    width = lowest.shape[1]
    subsets = (np.arange(1 << width) >> np.arange(width)[:, None] & 1) / 1.0
    for start in range(0, hopeful.size, rows := BATCH_CELLS >> width):
        rows_at = hopeful[start : start + rows]
        hit[rows_at] = np.count_nonzero(lowest[rows_at] @ subsets <= 0.0, axis=1) <= allowed
    return hit
