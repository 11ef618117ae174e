"""The effect beside the p-value: its interval, wins and losses, and what could be detected."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from betterthan.bootstrap_intervals import (
    Kind,
    central_level,
    from_replicates,
    one_sided,
    unbounded,
)
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

RESAMPLES, MOST_RESAMPLES = 10_000, 100_000
"""Resamples for an interval: so many at 95 %, and no more than that however high its level."""

BEYOND = 250
"""Resamples wanted beyond either end of an interval."""

FEWEST_BEYOND = 20
"""With fewer resamples than this beyond an end, the jackknife knows it better."""

BLACKBOX_SHARE = 5
"""A black box, which is slow to score, is resampled less often by this factor."""


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
    if not np.isfinite(delta).all():
        return None
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
    if null_error == 0.0:  # identical systems: nothing is known about what could be detected
        return None
    tail = alpha / 2 if alternative == "two-sided" else alpha
    return (float(ndtri(1 - tail)) + float(ndtri(POWER))) * null_error


class Deltas(NamedTuple):
    """Resampled deltas, delta itself, and its leave-one-out values where they are of use."""

    drawn: Floats
    delta: float
    left_out: Floats | None


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
        self._drawn: dict[int, Floats] = {}

    @cached_property
    def _left_out(self) -> Floats:
        return self._replicas.left_out()

    def deltas(self, first: int, second: int, level: float) -> Deltas:
        """Delta between two systems, resampled often enough for a central interval."""
        metric = self._replicas.metric
        draws = _draws(metric, level)
        if draws not in self._drawn:
            self._drawn[draws] = np.concatenate(list(self._replicas.blocks(draws, self._rng)))

        def between(scores: Floats) -> Floats:
            return metric.sign * (scores[:, second] - scores[:, first])

        return Deltas(
            between(self._drawn[draws]),
            float(between(self._replicas.scores[None])[0]),
            # The jackknife fails for medians and the like (Efron & Tibshirani 1993, section 11.6).
            None if metric.form == "blackbox" else between(self._left_out),
        )


def difference_interval(
    metric: Metric,
    pair: Pair,
    *,
    level: float,
    alternative: Alternative,
    deltas: Callable[[float], Deltas],
) -> Interval:
    """Confidence interval for delta, by the method that suits the data; its name says which.

    0/1 scores get Tango's score interval. Other means get the shifts that the exact permutation
    test does not reject, so that interval and p-value cannot contradict each other. Where a shift
    makes no sense (0/1 scores in clusters, clusters of unequal size), and for very many items, it
    is Student's t. Other metrics are resampled, all pairs from the same resamples: BCa where the
    metric decomposes, percentile for a black box. With very many items the jackknife is as good,
    and at very high levels, of which there are no resamples, it is better.
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
        return one_sided(unbounded(level), level, alternative)
    both = central_level(level, alternative)
    beyond = _draws(metric, both) * 0.5 * (1.0 - both)
    if metric.form != "blackbox" and (units > RESAMPLABLE or beyond < FEWEST_BEYOND):
        return _jackknifed(metric, pair, level, alternative)
    drawn, delta, left_out = deltas(both)
    kind: Kind = "percentile" if left_out is None else "bca"
    found = from_replicates(drawn, delta, left_out, kind=kind, level=both)
    return one_sided(found, level, alternative)


def _draws(metric: Metric, level: float) -> int:
    """Resamples for a central interval at this level."""
    wanted = math.ceil(BEYOND / (0.5 * (1.0 - level)) - 1e-6)
    draws = min(max(wanted, RESAMPLES), MOST_RESAMPLES)
    return draws // BLACKBOX_SHARE if metric.form == "blackbox" else draws


def _inverted(gains: Floats, level: float, alternative: Alternative) -> Interval:
    found = shift_interval(gains, level=level, alternative=alternative)
    method = "permutation inversion (exact under a shift model)"
    return Interval(found.low, found.high, level, method)


def _jackknifed(metric: Metric, pair: Pair, level: float, alternative: Alternative) -> Interval:
    """Student's interval around delta with the jackknife's standard error.

    Unbounded where the metric is undefined without some unit, and the error so unknown.
    """
    error = standard_error(metric, pair)
    if error is None:
        unknown = Interval(-math.inf, math.inf, level, "unbounded (undefined without some item)")
        return one_sided(unknown, level, alternative)
    delta = metric.sign * (metric.score(pair.b) - metric.score(pair.a))
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    half = float(stdtrit(pair.n_clusters - 1, 1 - tail)) * error
    low = -math.inf if alternative == "less" else delta - half
    high = math.inf if alternative == "greater" else delta + half
    return Interval(low, high, level, "jackknife t")
