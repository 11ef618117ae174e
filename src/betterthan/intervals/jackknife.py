"""The jackknife standard error of delta, from sums alone."""

import math

import numpy as np
from scipy.special import stdtrit

from betterthan.data.pair import Pair
from betterthan.intervals.ends import one_sided
from betterthan.numeric import Alternative
from betterthan.resampling.replicas import Replicas
from betterthan.results.interval import Interval

PADDING = 0.5
"""What the two added items win and lose, as a share of an item of average weight."""


def standard_error(pair: Pair) -> float | None:
    """Jackknife standard error of delta (Efron & Stein, 1981); None where there is none."""
    return pair.keep("jackknife", lambda: _standard_error(pair))


def _standard_error(pair: Pair) -> float | None:
    units = pair.units
    if pair.opaque or units < 2:
        return None
    left_out, times = Replicas.of(pair).left_out
    delta = left_out[:, 1] - left_out[:, 0]
    if not np.isfinite(delta).all():
        return None
    spread = delta - float(times @ delta) / units
    return float(np.sqrt((units - 1) / units * (times @ np.square(spread))))


def jackknife_interval(pair: Pair, confidence: float, alternative: Alternative) -> Interval:
    """Student's interval around delta with the jackknife's standard error.

    Of rates it is padded: two items are added, one gained and one lost by half, as Bonett & Price
    (2012) add one of either kind to 0/1 scores. Systems that differ on few items would else have an
    interval of no width. Unbounded where the metric is undefined without some unit, and the error
    so unknown.
    """
    error = standard_error(pair)
    if error is None:
        name = "unbounded (undefined without some item)"
        return one_sided(Interval(-math.inf, math.inf, confidence, name), confidence, alternative)
    tail = (1 - confidence) / (2 if alternative == "two-sided" else 1)
    units, delta, method = float(pair.units), pair.delta, "jackknife t"
    if pair.rate:
        added = 2.0 * (PADDING * pair.units / pair.n) ** 2  # an item is a small part of a cluster
        squares = units * (units - 1.0) * error**2 + added
        units += 2.0
        delta, error = delta * pair.units / units, math.sqrt(squares / (units * (units - 1.0)))
        method = "padded jackknife t"
    half = float(stdtrit(units - 1.0, 1 - tail)) * error
    found = Interval(delta - half, delta + half, confidence, method)
    return one_sided(found, confidence, alternative)
