"""What a test set could have detected."""

import math

import numpy as np
from scipy.special import ndtri

from betterthan.data.macro import Macro
from betterthan.data.pair import Pair
from betterthan.intervals.jackknife import standard_error
from betterthan.numeric import Alternative

POWER = 0.8


def detectable_effect(pair: Pair, *, alpha: float, alternative: Alternative) -> float | None:
    """Smallest true effect that a test set like this one detects in 80 % of cases, nearly.

    The planning formula ``(z_alpha + z_power) * se0`` with the standard error under the null, where
    swaps move each unit about zero: for a mean ``se0 = sqrt(sum d^2) / n``, the permutation law's
    own. It uses how much the items vary, not how large the observed effect is. None where so few
    units could show no effect at all, or only one larger than all of their differences together.
    """
    if isinstance(pair, Macro):
        null_error = _null_error(pair)
    elif (error := standard_error(pair)) is None:
        return None
    else:
        units = pair.units
        null_error = math.sqrt((units - 1) / units * error**2 + pair.delta**2 / units)
    if 2.0 ** ((alternative == "two-sided") - pair.units) > alpha:  # no swaps could show any
        return None
    if null_error == 0.0:  # identical systems: nothing is known about what could be detected
        return None
    tail = alpha / 2 if alternative == "two-sided" else alpha
    effect = (float(ndtri(1 - tail)) + float(ndtri(POWER))) * null_error
    return None if effect > _largest(pair) else effect


def _largest(pair: Pair) -> float:
    """The most that delta can be while units differ by as much as these do: all one way."""
    if (gains := pair.gains) is None or not gains.below:
        return math.inf
    return float(gains.counts @ np.abs(gains.values)) * float(gains.unit) / gains.below


def _null_error(macro: Macro) -> float:
    """Standard deviation of a mean over tasks under swaps, where the sum of gains decides it."""
    gains = macro.gains
    if gains is None:
        return 0.0
    return math.sqrt(float(gains.counts @ np.square(gains.values / 1.0))) * float(gains.unit)
