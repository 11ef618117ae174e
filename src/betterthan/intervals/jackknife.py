"""The jackknife standard error of delta, from sums alone."""

import math

import numpy as np
from scipy.special import stdtrit

from betterthan.data.pair import Pair, kept
from betterthan.intervals.ends import one_sided
from betterthan.numeric import Alternative
from betterthan.resampling.sums import jackknife_sums
from betterthan.results.interval import Interval
from betterthan.testing.mean_error import degrees_of_freedom

PADDING = 0.5
"""What the two added items win and lose, as a share of an item of average weight."""


@kept
def standard_error(pair: Pair) -> float | None:
    """Jackknife standard error of delta (Efron & Stein, 1981); None where there is none."""
    units = pair.units
    if pair.opaque or units < 2:
        return None
    times = pair.counts / 1.0
    columns = pair.tally.rows.astype(np.float64)
    columns[:, :-1] *= float(pair.unit)
    rest = jackknife_sums(columns, pair.counts)
    scores = pair.metric.finish(rest[:, :-1].reshape(len(rest), 2, -1), rest[:, -1:])
    delta = scores[:, 1] - scores[:, 0]
    if not np.isfinite(delta).all():
        return None
    spread = delta - float(times @ delta) / units
    power = math.frexp(float(np.abs(spread).max()))[1]  # squares of tiny numbers would vanish
    squares = (units - 1) / units * (times @ np.square(np.ldexp(spread, -power)))
    return math.ldexp(math.sqrt(squares), power)


def jackknife_interval(pair: Pair, confidence: float, alternative: Alternative) -> Interval:
    """Student's interval around delta with the jackknife's standard error.

    Clusters of unequal size have the degrees of freedom of their shares of the items. Of rates and
    ratios it is padded: two items are added, one gained and one lost by half of what an item's own
    score can be, as Bonett & Price (2012) add one of either kind to 0/1 scores. Systems that differ
    on few items would else have an interval of no width. Those two pull delta towards 0, so that
    the interval holds the one without them as well. Unbounded where the metric is undefined
    without some unit, and the error so unknown.
    """
    error = standard_error(pair)
    if error is None:
        name = "unbounded (undefined without some item)"
        return one_sided(Interval(-math.inf, math.inf, confidence, name), confidence, alternative)
    tail = (1 - confidence) / (2 if alternative == "two-sided" else 1)
    units, delta, method = float(pair.units), pair.delta, "jackknife t"
    sizes, df = pair.sizes, units - 1.0
    if sizes.min() < sizes.max():  # one large cluster among small ones is little more than one unit
        df = degrees_of_freedom(sizes / pair.n, pair.counts.astype(np.float64))
    half = float(stdtrit(df, 1 - tail)) * error
    low, high = delta - half, delta + half
    if reach := _reach(pair):
        part = pair.units / pair.n  # an item is a small part of a cluster
        more = units + 2.0 * part
        squares = units * (units - 1.0) * error**2 + 2.0 * (PADDING * reach * part) ** 2
        squares += 2.0 * part * units / more * delta**2  # the added ones lie around 0, not delta
        half = float(stdtrit(df + 2.0 * part, 1 - tail)) * math.sqrt(squares / (more * (more - 1)))
        centre = delta * units / more
        low, high = min(low, centre - half), max(high, centre + half)
        method = "padded jackknife t"
    return one_sided(Interval(low, high, confidence, method), confidence, alternative)


def _reach(pair: Pair) -> float:
    """How far apart two scores of an item can be: one for a rate, as seen for another ratio."""
    if pair.rate or pair.metric.form != "ratio":
        return float(pair.rate)
    both = np.vstack((pair.a, pair.b))  # numerators and denominators have one unit
    shares = both[both[:, 1] != 0]
    if not len(shares) or shares[:, 1].min() < 0:
        return 0.0
    share = shares[:, 0] / shares[:, 1]
    return float(share.max() - share.min())
