"""What a test set could have detected, and how much of it a verdict hangs on."""

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from betterthan.data.gains import Gains
from betterthan.data.macro import Macro, tasks_of
from betterthan.data.pair import Pair
from betterthan.exact import real
from betterthan.exact.lattice import SignedSum
from betterthan.intervals.ends import sides
from betterthan.intervals.few_units import FINE, extreme_swaps, least_pvalue
from betterthan.intervals.jackknife import standard_error
from betterthan.numeric import TIE, Alternative

POWER = 0.8
FEWEST = 30  # differing units that tell how skewed they are
TINY = 1e-300


def detectable_effect(pair: Pair, *, alpha: float, alternative: Alternative) -> float | None:
    """Smallest true effect that a test set like this one detects in 80 % of cases, nearly.

    The planning formula ``(t_level + t_power) * se``, with the spread of the units around the
    observed effect, however large that is; ties stay ties. So few units as reject for the ``k``
    largest of their swaps alone fall short of it: for ``k = 1`` all of them must favour one system,
    whose chance for normal differences is 80 % at ``z(0.8^(1/n)) sqrt(n) se``, and others lie
    between. Items that are right or wrong have the spread that swaps give them, ``se0 = sqrt(sum
    d^2) / n``, and are taken to disagree as often whatever the effect; in
    clusters of ``m`` the variance is taken to be larger by ``delta^2 / m``.

    Differences that are skewed, or far from all others, say so themselves, from 30 units on: what
    `_skewed` makes of them keeps the claim at 79 to 81 % for lognormal scores of 100 or 200 items.

    None where so few units could show no effect at all, or only one that the metric cannot reach,
    or that takes more than the units which differ.
    """
    units, tail = pair.units, alpha / sides(alternative)
    gains, live, tied, wide = pair.gains, units, 0.0, 0.0
    limit = _room(pair, alternative) if pair.rate else math.inf
    alike, more = False, 0.0
    if gains is not None and gains.below:
        sizes = np.abs(gains.values) * (float(gains.unit) / gains.below)
        live = int(gains.counts @ (sizes > 0.0))
        tied = (units - live) / max(live, 1)
        alike = np.unique(sizes[sizes > 0.0]).size == 1
        if alike:
            limit = min(limit, float(gains.counts @ sizes))
            wide = math.sqrt(float(gains.counts @ np.square(sizes)))
        elif pair.metric.form == "mean" and pair.rate and pair.is_binary:
            tasks = tasks_of(pair)
            differ = sum((x.wins + x.losses) / x.n for x in tasks) / len(tasks)
            limit, tied = min(limit, differ), 0.0
            # Signs vary the more, the fewer of them are the same.
            more = sum(x.delta**2 / x.n for x in tasks) / len(tasks) ** 2
    swaps = extreme_swaps(live, alpha, alternative)
    if not swaps or units < 2:  # no swaps could show any
        return None
    if alike:
        far, rest, left = float(ndtri(1.0 - tail) + ndtri(POWER)), wide**2, 1.0
    else:
        error = _over_tasks(pair) if isinstance(pair, Macro) else standard_error(pair)
        reached = swaps * least_pvalue(min(live, FINE), alternative) / sides(alternative)
        tail = min(tail, reached)
        far = float(stdtrit(units - 1, 1.0 - tail) + stdtrit(units - 1, POWER))
        all_one_way = float(ndtri(POWER ** (1.0 / live))) * math.sqrt(live)
        far += max(all_one_way - far, 0.0) / swaps
        far *= 1.0 if gains is None else _skewed(gains, tail, alternative)
        # What is no tie is shifted by more than the effect: e^2 = far^2 (v + e^2 tied) / n.
        rest = (error or 0.0) ** 2 + more - pair.delta**2 * tied / units
        left = 1.0 - far**2 * tied / units
    effect = far * math.sqrt(rest / left) if rest > 0.0 < left else 0.0
    return effect if 0.0 < effect <= limit else None


def _skewed(gains: Gains, tail: float, alternative: Alternative) -> float:
    """How much larger the effect is than the planning formula's, by skewness and kurtosis.

    A shift is found where it exceeds ``t s / sqrt(n)`` less the mean of the noise. With skewness g
    and excess kurtosis k that threshold has the variance ``1 - t g / sqrt(n) + t^2 k / (4 n)`` and
    about the skewness of the mean; its quantile follows from Cornish & Fisher. Heavy tails often do
    not show in a sample: 6 k / (8 n) is added, which was found by simulation.
    """
    live = gains.values != 0
    values, counts = gains.values[live] / 1.0, gains.counts[live]
    n = int(counts.sum())
    if n < FEWEST:
        return 1.0
    x = values - float(counts @ values) / n
    x = x / max(float(np.abs(x).max()), TINY)
    square, cube, fourth = (float(counts @ x**k) / n for k in (2, 3, 4))
    if square <= TIE:
        return 1.0
    g = cube / square**1.5 / math.sqrt(n) * (-1.0 if alternative == "less" else 1.0)
    k = max(fourth / square**2 - 3.0, 0.0) / n
    t, z = float(stdtrit(n - 1, 1.0 - tail)), float(stdtrit(n - 1, POWER))
    variance = max(1.0 - t * g + t * t * k / 4.0, 0.1)
    quantile = math.sqrt(variance) * (z - g / variance**1.5 / 6.0 * (z * z - 1.0))
    return float((1.0 + 6.0 * k / 8.0) * (t + quantile) / (t + z))


def _room(pair: Pair, alternative: Alternative) -> float:
    """The most that a rate can change from the baseline's, on the side that is looked at.

    Error rates of words may exceed one: those that get worse have no limit.
    """
    first, error_rate = pair.scores[0], pair.metric.lower_is_better
    better = first if error_rate else 1.0 - first
    worse = math.inf if error_rate else first
    return {"greater": better, "less": worse}.get(alternative, max(better, worse))


def _over_tasks(macro: Macro) -> float | None:
    """Standard error of a mean over tasks, where the sum of gains decides it."""
    gains = macro.gains
    if gains is None:
        return None
    if macro.shared:  # clusters that lie in several tasks
        mean = gains.total / macro.units
        squares = float(gains.counts @ np.square(gains.values - mean))
        return math.sqrt(squares * macro.units / (macro.units - 1)) * float(gains.unit)
    errors = [standard_error(part) for part in macro.parts]
    known = [error for error in errors if error is not None]
    return math.hypot(*known) / len(errors) if len(known) == len(errors) else None


def units_to_turn(pair: Pair, *, alpha: float, alternative: Alternative) -> int | None:
    """Least number of units that would have to turn for the test not to reject any more.

    Turning a unit leaves the null distribution of the sum of gains as it is, and takes twice its
    gain from the sum: those with the largest gains are turned first.
    """
    gains = pair.gains
    if gains is None:
        return None
    towards = 1 if gains.total > 0 else -1
    order = np.argsort(-towards * gains.values, kind="stable")
    values, counts = towards * gains.values[order], gains.counts[order]
    law = SignedSum.of(values, counts) if gains.whole else None
    ends = np.cumsum(counts)

    def rejects(k: int) -> bool:
        """Whether the test rejects with the k largest gains turned."""
        turned = np.clip(k - (ends - counts), 0, counts)
        if (total := (counts - 2 * turned) @ values) <= 0:
            return False
        if law is not None:
            p = law.tail(int(total))
        else:
            parts = np.concatenate([values, -values]), np.concatenate([counts - turned, turned])
            some = parts[1] > 0
            p = real.pvalue(parts[0][some], counts=parts[1][some], alternative="greater")
        return p.value <= alpha / sides(alternative)

    low, high = 0, int(counts[values > 0].sum())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rejects(middle) else (low, middle)
    return high
