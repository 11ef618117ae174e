"""The effect beside the p-value: its interval, wins and losses, and what could be detected."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from betterthan.intervals import Interval, t_interval, tango
from betterthan.metrics import Metric
from betterthan.pairs import Numbers, Pair
from betterthan.results import Alternative
from betterthan.sampling import Rng

Floats = NDArray[np.float64]
POWER = 0.8


def win_tie_loss(metric: Metric, pair: Pair) -> tuple[int, int, int] | tuple[None, None, None]:
    """Items on which the candidate is better, level and worse; nothing for a black box."""
    if metric.form == "blackbox":
        return None, None, None
    if metric.form == "mean":
        gain = pair.differences()[:, 0] * metric.sign
        scale: Numbers = pair.scale[:, 0]
    else:
        a, b = (metric.finish(metric.project(x), 1) for x in (pair.a, pair.b))
        gain, scale = metric.sign * (b - a), np.maximum(np.abs(a), np.abs(b))
    noise = max(pair.noise, 1e-12) * scale
    wins, losses = (int(np.count_nonzero(side > noise)) for side in (gain, -gain))
    return wins, pair.n - wins - losses, losses


def is_binary(pair: Pair) -> bool:
    """Whether all scores are 0 or 1."""
    return all(bool(((x == 0) | (x == 1)).all()) for x in (pair.a, pair.b))


def jackknife(metric: Metric, pair: Pair) -> Floats:
    """Delta with each unit (item or cluster) left out, from sums alone."""
    sizes = pair.per_unit(np.ones(pair.n, dtype=np.int64))
    scores = []
    for values in (pair.a, pair.b):
        parts = pair.per_unit(metric.project(values))
        scores.append(metric.finish(parts.sum(axis=0) - parts, pair.n - sizes))
    return metric.sign * (scores[1] - scores[0])


def standard_error(metric: Metric, pair: Pair) -> float | None:
    """Jackknife standard error of delta (Efron & Stein, 1981); None where there is none."""
    units = pair.n_clusters
    if metric.form == "blackbox" or units < 2:
        return None
    left_out = jackknife(metric, pair)
    spread = left_out - left_out.mean()
    return float(np.sqrt((units - 1) / units * np.square(spread).sum()))


def detectable_effect(
    metric: Metric, pair: Pair, *, alpha: float, alternative: Alternative
) -> float | None:
    """Smallest true effect that a test set like this one detects in 80 % of cases, nearly.

    The planning formula ``(z_alpha + z_power) * se0`` with the standard error under the null, where
    swaps move each unit about zero: for a mean ``se0 = sqrt(sum d^2) / n``, the permutation law's
    own. It uses how much the items vary, not how large the observed effect is.
    """
    error = standard_error(metric, pair)
    if error is None:
        return None
    delta = metric.score(pair.b) - metric.score(pair.a)
    units = pair.n_clusters
    null_error = math.sqrt((units - 1) / units * error**2 + delta**2 / units)
    tail = alpha / 2 if alternative == "two-sided" else alpha
    return (float(ndtri(1 - tail)) + float(ndtri(POWER))) * null_error


def difference_interval(
    metric: Metric, pair: Pair, *, level: float, alternative: Alternative, rng: Rng = None
) -> Interval:
    """Confidence interval for delta, by the method that suits the data; its name says which."""
    if metric.form == "mean":
        gains = pair.differences()[:, 0] * metric.sign
        if pair.clusters is None and is_binary(pair):
            wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
            return tango(wins, losses, pair.n, level=level, alternative=alternative)
        return t_interval(gains, level=level, alternative=alternative, clusters=pair.clusters)
    return jackknife_interval(metric, pair, level=level, alternative=alternative)


def jackknife_interval(
    metric: Metric, pair: Pair, *, level: float, alternative: Alternative
) -> Interval:
    """Student's interval around delta with the jackknife's standard error."""
    delta = metric.sign * (metric.score(pair.b) - metric.score(pair.a))
    error = standard_error(metric, pair)
    if error is None:
        return Interval(-math.inf, math.inf, level, "none (one unit, or a black box)")
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    half = float(stdtrit(pair.n_clusters - 1, 1 - tail)) * error
    low = -math.inf if alternative == "less" else delta - half
    high = math.inf if alternative == "greater" else delta + half
    return Interval(low, high, level, "jackknife t")
