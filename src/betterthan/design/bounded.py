"""Tests of the mean of bounded values: right where few of them differ from zero.

A t statistic or sign flips see only the values that came up. Twenty equal systems in a row have no
spread, and yet a loss of five points may just not have shown itself. Gaffke (2005) adds one value
at the lower end of the range and weighs all of them at random, by exponential variables: the
p-value of ``mean <= x`` is the chance that the weighted sum of ``value - x`` is not above zero. On
0/1 values it is Clopper and Pearson's, with more and more values that of the t test. No law has
been found for which it errs more often than it says (Learned-Miller & Thomas, 2019).
"""

import math
import sys

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Floats = NDArray[np.float64]

STEP = 0.05  # of the quadrature
BLOCK = 64  # points of it at a time
NEGLIGIBLE = 35.0  # exp(-35): terms below do not count
LEAST = sys.float_info.min  # no p-value is zero
RESOLUTION = 1e-9


def bounded_pvalue(totals: Floats, sizes: Floats, x: float, *, least: float = -1.0) -> float:
    """P-value of a mean at most ``x`` against a larger one.

    Parameters
    ----------
    totals, sizes : ndarray
        Sum and number of the values in each independent unit.
    x : float
        The mean in question.
    least : float
        Smallest value there can be.

    Examples
    --------
    Without a loss among 59 items, one of five points is just ruled out: ``0.95 ** 59``.

    >>> round(bounded_pvalue(np.zeros(59), np.ones(59), -0.05), 4)
    0.0485
    """
    if x <= least:
        return LEAST
    weights = np.append(totals - x * sizes, (least - x) * sizes.max())
    return min(max(_not_above_zero(weights), LEAST), 1.0)


def bounded_bound(totals: Floats, sizes: Floats, alpha: float, *, least: float = -1.0) -> float:
    """Lower confidence bound of the mean: the values that the test rejects end here."""

    def excess(x: float) -> float:
        return bounded_pvalue(totals, sizes, x, least=least) - alpha

    mean = float(totals.sum() / sizes.sum())
    if mean <= least or excess(mean) <= 0.0:
        return mean
    return float(brentq(excess, least, mean, xtol=RESOLUTION))


def _not_above_zero(weights: Floats) -> float:
    """P(sum of w E <= 0) for standard exponential E.

    Their law is inverted along the line through its saddlepoint, where nothing oscillates: small
    probabilities keep their digits.
    """
    w, count = np.unique(weights / math.sqrt(float(weights @ weights)), return_counts=True)
    if w[0] >= 0.0 or w[-1] <= 0.0:
        return 0.0 if w[0] >= 0.0 else 1.0

    def slope(s: float) -> float:  # s times that of log(M(-s) / s), M(-s) = prod 1 / (1 + s w)
        return float(-(s * w / (1.0 + s * w)) @ count) - 1.0

    saddle = float(brentq(slope, 0.0, (1.0 - 1e-12) / -w[0]))
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
