"""Power of the sign-flip test of few units, whose p-values are coarse.

``n`` units have ``2^n`` swaps, so that no one-sided p is below ``2^-n`` and no two-sided one below
``2^(1-n)``: fewer units than that takes reject nothing, and a few more are still behind the t-test,
which has no such steps.
"""

import math

import numpy as np
from scipy.special import ndtri

from betterthan.design.detection import Detection, PlannedTest
from betterthan.intervals.few_units import extreme_swaps
from betterthan.numeric import TIE, Alternative, Bools, Floats

LISTED = 14  # units whose subsets are listed
MOST_SETS, CELLS, BATCH_CELLS = 20_000, 1 << 24, 1 << 21


def fewest_units(alpha: float, alternative: Alternative) -> int:
    """Least number of units that can reject at this level.

    >>> fewest_units(0.05, "two-sided"), fewest_units(0.05, "greater")
    (6, 5)
    """
    needed = math.ceil(-math.log2(alpha * (1.0 + TIE))) + (alternative == "two-sided")
    return max(needed, 1)


def sets_of(units: int) -> int:
    """Simulated sets of so many units that a quarter of a second allows."""
    return int(np.clip(CELLS >> min(units, LISTED), 1, MOST_SETS))


def power_of_few(sets: Floats, effect: float, test: PlannedTest, *, of: str) -> Detection:
    """Power over simulated sets of differences, a row each, every one of which is tested."""
    number, units = sets.shape
    allowed = extreme_swaps(units, test.alpha, test.alternative)
    sides = [
        rejected(towards * sets, allowed)
        if test.alternative != unwanted
        else np.zeros(number, bool)
        for towards, unwanted in ((1.0, "less"), (-1.0, "greater"))
    ]
    size = np.abs(sets.mean(axis=1))
    power = float((sides[0] | sides[1]).mean())
    spread = max(power * (1.0 - power), 1.0 / number) / number
    return Detection.of_sides(
        [float(side.mean()) for side in sides],
        [float((size * side).mean()) for side in sides],
        effect,
        error=-float(ndtri(0.005)) * math.sqrt(spread),
        kind="sampled",
        engine=f"exact tests of {number:,} simulated sets of {of}",
    )


def rejected(d: Floats, allowed: int) -> Bools:
    """Which rows have at most so many sign flips whose sum is no less than their own.

    A flip of some units leaves as much if their sum is not positive. Of more units than are listed
    the lowest are enough, unless more flips are allowed than there are of these: where the sum of
    some units with a higher one is not positive, so is that with each of the lower ones instead.
    """
    lowest = np.sort(d, axis=1)[:, :LISTED]
    found = np.zeros(len(d), dtype=bool)
    # All subsets of the negative units count.
    hopeful = np.flatnonzero(2.0 ** np.count_nonzero(lowest < 0.0, axis=1) <= allowed)
    width = lowest.shape[1]
    subsets = (np.arange(1 << width) >> np.arange(width)[:, None] & 1) / 1.0
    for start in range(0, hopeful.size, rows := BATCH_CELLS >> width):
        at = hopeful[start : start + rows]
        found[at] = np.count_nonzero(lowest[at] @ subsets <= 0.0, axis=1) <= allowed
    return found
