"""A test of the mean of bounded values: right where few of them differ from zero.

A t statistic or sign flips see only the values that came up. Twenty equal systems in a row have no
spread, and yet a loss of five points may just not have shown itself. Gaffke (2005) adds one value
at the lower end of the range and weighs all of them at random, by exponential variables: the
p-value of ``mean <= 0`` is the chance that the weighted sum is not above zero. On 0/1 values it is
Clopper and Pearson's, with more and more values that of the t test. No law has been found for which
it errs more often than it says (Learned-Miller & Thomas, 2019); a proof there is not.
"""

import math
import sys

import numpy as np

from betterthan.intervals.roots import root
from betterthan.numeric import Floats

STEP = 0.05  # of the quadrature
BLOCK = 64  # points of it at a time
NEGLIGIBLE = 35.0  # exp(-35): terms below do not count
LEAST = sys.float_info.min  # no p-value is zero
MOST_DISTINCT = 20_000
"""Of more distinct values, neighbours are replaced by the lowest among them: p only grows."""


def gaffke_pvalue(values: Floats, counts: Floats, least: float) -> float:
    """P-value of a mean at most zero against a larger one.

    Parameters
    ----------
    values, counts : ndarray
        Values of independent units, and how many units have each.
    least : float
        Smallest value that a unit can have.

    Examples
    --------
    Without a loss among 59 items, one of five points is just ruled out: ``0.95 ** 59``.

    >>> round(gaffke_pvalue(np.array([0.05]), np.array([59.0]), -0.95), 4)
    0.0485
    """
    if least >= 0.0:
        return LEAST
    w, place = np.unique(values, return_inverse=True)
    held: Floats = np.bincount(place, weights=counts).astype(np.float64)
    if w.size > MOST_DISTINCT:
        starts = np.linspace(0, w.size, MOST_DISTINCT, endpoint=False).astype(np.int64)
        w, held = w[starts], np.add.reduceat(held, starts)
    w, held = np.append(least, w), np.append(1.0, held)
    return min(max(_not_above_zero(w, held), LEAST), 1.0)


def _not_above_zero(w: Floats, count: Floats) -> float:
    """P(sum of w E <= 0) for standard exponential E.

    Their law is inverted along the line through its saddlepoint, where nothing oscillates: small
    probabilities keep their digits.
    """
    w = w / math.sqrt(float(count @ np.square(w)))
    if w.max() <= 0.0:
        return 1.0

    def slope(s: float) -> float:  # s times that of log(M(-s) / s), M(-s) = prod 1 / (1 + s w)
        return float(-(s * w / (1.0 + s * w)) @ count) - 1.0

    saddle = root(slope, 0.0, (1.0 - 1e-12) / -w.min())
    bend = float(np.square(w / (1.0 + saddle * w)) @ count) + saddle**-2
    peak = -float(np.log1p(saddle * w) @ count) - math.log(saddle)
    total, v = 0.0, STEP * np.arange(BLOCK)
    while True:
        s = saddle + 1j * np.sinh(v) / math.sqrt(bend)
        log = -np.log1p(s[:, None] * w) @ count - np.log(s) - peak
        terms = np.exp(log).real * np.cosh(v)
        total += float(terms.sum() - (terms[0] / 2.0 if v[0] == 0.0 else 0.0))
        if log[-1].real + v[-1] < -NEGLIGIBLE:
            return math.exp(peak) * STEP * total / (math.pi * math.sqrt(bend))
        v = v + STEP * BLOCK
