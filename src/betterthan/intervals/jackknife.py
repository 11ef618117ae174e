"""The jackknife standard error of delta, from sums alone."""

import math

import numpy as np

from betterthan.data.pair import Pair, kept
from betterthan.resampling.sums import jackknife_sums
from betterthan.testing.mean_error import degrees_of_freedom


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


def degrees(pair: Pair) -> float:
    """Degrees of freedom of the error; those of clusters of unequal size by their shares."""
    sizes = pair.sizes
    if sizes.min() == sizes.max():
        return pair.units - 1.0
    return degrees_of_freedom(sizes / pair.n, pair.counts.astype(np.float64))
