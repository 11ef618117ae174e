"""The effect beside the p-value: its interval, wins and losses, and what could be detected."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from betterthan.bootstrap_interval import from_replicates, one_sided
from betterthan.exact.inversion import shift_interval
from betterthan.intervals import Interval, t_interval, tango
from betterthan.metrics import Metric
from betterthan.pairs import Numbers, Pair
from betterthan.replicas import Replicas
from betterthan.results import Alternative
from betterthan.sampling import Rng

Floats = NDArray[np.float64]
POWER = 0.8
INVERTIBLE = 50_000
"""Most units for which the test is inverted; with more, Student's t is the same."""

RESAMPLABLE = 20_000
"""Most units that are resampled for an interval."""

RESAMPLES = 10_000
BLACKBOX_RESAMPLES = 2_000


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


def standard_error(metric: Metric, pair: Pair) -> float | None:
    """Jackknife standard error of delta (Efron & Stein, 1981); None where there is none."""
    units = pair.n_clusters
    if metric.form == "blackbox" or units < 2:
        return None
    left_out = Replicas.of_pair(pair, metric).left_out()
    delta = left_out[:, 1] - left_out[:, 0]
    spread = delta - delta.mean()
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


class Resamples:
    """Scores of several systems on the same resamples, drawn when first needed."""

    def __init__(
        self,
        values: Sequence[Numbers],
        metric: Metric,
        clusters: NDArray[np.int64] | None,
        units: int,
        rng: Rng,
    ) -> None:
        self._replicas = Replicas.of(values, metric, clusters, units)
        self._rng = rng

    @cached_property
    def _tables(self) -> tuple[Floats, Floats, Floats]:
        """Replicates, leave-one-out values and the scores themselves: a column a system."""
        blackbox = self._replicas.metric.form == "blackbox"
        draws = BLACKBOX_RESAMPLES if blackbox else RESAMPLES
        drawn = np.concatenate(list(self._replicas.blocks(draws, self._rng)))
        return drawn, self._replicas.left_out(), self._replicas.scores[None]

    def deltas(self, first: int, second: int) -> tuple[Floats, Floats, float]:
        """Replicates and leave-one-out values of delta, and delta itself."""
        sign = self._replicas.metric.sign
        drawn, left_out, (delta,) = (
            sign * (table[:, second] - table[:, first]) for table in self._tables
        )
        return drawn, left_out, float(delta)


def difference_interval(
    metric: Metric,
    pair: Pair,
    *,
    level: float,
    alternative: Alternative,
    deltas: Callable[[], tuple[Floats, Floats, float]],
) -> Interval:
    """Confidence interval for delta, by the method that suits the data; its name says which.

    0/1 scores get Tango's score interval. Other means get the shifts that the exact permutation
    test does not reject, so that interval and p-value cannot contradict each other. Where a shift
    makes no sense (0/1 scores in clusters, clusters of unequal size), and for very many items, it
    is Student's t. Other metrics are resampled (BCa), all pairs from the same resamples; with very
    many items the jackknife is as good.
    """
    units = pair.n_clusters
    if metric.form == "mean":
        gains = pair.differences()[:, 0] * metric.sign
        if pair.clusters is None and pair.is_binary:
            wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
            return tango(wins, losses, pair.n, level=level, alternative=alternative)
        sizes = pair.per_unit(np.ones(pair.n, dtype=np.int64))
        if units <= INVERTIBLE and sizes.min() == sizes.max() and not pair.is_binary:
            per_unit = pair.per_unit(gains) / sizes[0]
            return _inverted(per_unit, level, alternative)
        return t_interval(gains, level=level, alternative=alternative, clusters=pair.clusters)
    if units == 1:
        return Interval(-math.inf, math.inf, level, "unbounded (one unit)")
    if units > RESAMPLABLE and metric.form != "blackbox":
        return _jackknifed(metric, pair, level, alternative)
    drawn, left_out, delta = deltas()
    both = level if alternative == "two-sided" else 2.0 * level - 1.0
    found = from_replicates(drawn, left_out, delta, kind="bca", level=both)
    return one_sided(found, level, alternative)


def _inverted(gains: Floats, level: float, alternative: Alternative) -> Interval:
    found = shift_interval(gains, level=level, alternative=alternative)
    method = "permutation inversion (exact under a shift model)"
    return Interval(found.low, found.high, level, method)


def _jackknifed(metric: Metric, pair: Pair, level: float, alternative: Alternative) -> Interval:
    """Student's interval around delta with the jackknife's standard error."""
    delta = metric.sign * (metric.score(pair.b) - metric.score(pair.a))
    error = standard_error(metric, pair) or 0.0
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    half = float(stdtrit(pair.n_clusters - 1, 1 - tail)) * error
    low = -math.inf if alternative == "less" else delta - half
    high = math.inf if alternative == "greater" else delta + half
    return Interval(low, high, level, "jackknife t")
