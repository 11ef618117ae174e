"""The jackknife standard error of a score or of delta, from sums alone."""

import math

import numpy as np

from betterthan.data.pair import Joint, Pair, kept
from betterthan.resampling.replicas import Replicas
from betterthan.testing.mean_error import degrees_of_freedom


def jackknife_error(joint: Joint) -> float | None:
    """Jackknife standard error (Efron & Stein, 1981) of the only score, or of a difference."""
    units = joint.units
    if joint.opaque or units < 2:
        return None
    scores, times = Replicas.of(joint).left_out
    values = np.diff(scores, axis=1, prepend=0.0)[:, -1]
    if not np.isfinite(values).all():
        return None
    spread = values - float(times @ values) / units
    power = math.frexp(float(np.abs(spread).max()))[1]  # squares of tiny numbers would vanish
    squares = (units - 1) / units * (times @ np.square(np.ldexp(spread, -power)))
    return math.ldexp(math.sqrt(squares), power)


standard_error = kept(jackknife_error)
"""Jackknife standard error of delta; None where there is none."""


def degrees(pair: Pair) -> float:
    """Degrees of freedom of the error; those of clusters of unequal size by their shares."""
    sizes = pair.sizes
    if sizes.min() == sizes.max():
        return pair.units - 1.0
    return degrees_of_freedom(sizes / pair.n, pair.counts.astype(np.float64))
