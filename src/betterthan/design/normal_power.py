"""Power of Student's t for differences of a known standard deviation.

For normal differences this is exact; for others it is what the central limit theorem makes of the
paired tests of a mean, the permutation test among them.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr, stdtrit

from betterthan.design.detection import Detection, PlannedTest

NODES = 200


@cache
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
