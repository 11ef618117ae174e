"""The interval of one system's own score, by its own scores alone.

Right or wrong answers have Clopper and Pearson's exact interval. Other scores whose bounds are
known, because the metric or the user says so, have Gaffke's, which holds whatever the distribution.
All others have Student's t, medians their order statistics, black boxes the bootstrap. Where no
spread was seen and no bounds are known, the interval is unbounded: no score is certain.
"""

import math

import numpy as np
from scipy.special import bdtr, stdtrit

from betterthan.data.pair import Joint
from betterthan.intervals.bootstrapped import RESAMPLES, from_replicates
from betterthan.intervals.bounded import Bounds, bounded_score
from betterthan.intervals.ends import Ends, unbounded
from betterthan.intervals.quantiles import expanded_tail
from betterthan.metrics import MEDIAN
from betterthan.resampling.generator import Rng, binomial_ends
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Work
from betterthan.testing.mean_error import quotient_error


def score_interval(
    joint: Joint,
    *,
    alpha: float = 0.05,
    bounds: Bounds | None = None,
    rng: Rng = 0,
    resamples: int | None = None,
    work: Work = HERE,
) -> Ends:
    """Confidence interval for the score of the only system, by the method that suits the data.

    Parameters
    ----------
    joint : Joint
        One system.
    alpha : float
        One minus the level.
    bounds : (float, float), optional
        Minimum and maximum score of a single item, where the metric does not say so.
    rng, resamples, work
        Seed, number and workers of the bootstrap, which only black boxes need.

    Examples
    --------
    >>> from betterthan.data.pairing import joint_of
    >>> from betterthan.metrics import mean
    >>> ends = score_interval(joint_of({"new": [1, 1, 1, 1, 1]}, mean()))
    >>> round(ends.low, 3), ends.high
    (0.478, 1.0)
    """
    tail = alpha / 2.0
    inherent = not joint.opaque and (joint.metric.percent or joint.is_binary)
    known = bounded_score(joint, bounds) if inherent or bounds is not None else None
    if known is not None:
        binary = joint.is_binary and known.bounds == (0.0, 1.0)
        if joint.metric.form == "mean" and joint.clusters is None and binary:
            low, high = binomial_ends(round(joint.score(0) * joint.n), joint.n, tail)
            return Ends(low, high, "exact for right or wrong answers (Clopper-Pearson)")
        least, most = known.bounds
        return Ends(
            *known.interval(alpha), f"Gaffke's bounds for scores from {least:g} to {most:g}"
        )
    if joint.opaque and joint.metric.function is MEDIAN.function and joint.clusters is None:
        return _of_median(joint, tail)
    if joint.units == 1:
        return unbounded("one unit")
    if joint.opaque:
        return _resampled(joint, tail, rng, resamples, work)
    return _student(joint, tail)


def median_ranks(n: int, tail: float) -> int:
    """Largest k for which the k-th value lies above the median with a chance of at most ``tail``.

    Counted from 1; 0 where there is none. That chance is ``P(Binomial(n, 1/2) < k)``.

    Examples
    --------
    >>> median_ranks(5, 0.025), median_ranks(6, 0.025), median_ranks(100, 0.025)
    (0, 1, 40)
    """
    k = max(0, math.floor(n / 2 - 2.0 * math.sqrt(-0.5 * n * math.log(tail))))  # Hoeffding
    while 2 * (k + 1) <= n + 1 and bdtr(k, n, 0.5) <= tail:
        k += 1
    return k


def _of_median(joint: Joint, tail: float) -> Ends:
    k = median_ranks(joint.n, tail)
    if not k:
        return unbounded("too few items for a median")
    ordered = np.sort(joint.known_items.values[0][:, 0].astype(np.float64))
    return Ends(float(ordered[k - 1]), float(ordered[-k]), "order statistics")


def _resampled(joint: Joint, tail: float, rng: Rng, resamples: int | None, work: Work) -> Ends:
    replicas = Replicas.of(joint)
    drawn = np.concatenate(list(replicas.blocks(resamples or RESAMPLES, rng, work=work)))[:, 0]
    wider = expanded_tail(tail, joint.units)
    return from_replicates(drawn, float(replicas.scores[0]), None, kind="percentile", tail=wider)


def _student(joint: Joint, tail: float) -> Ends:
    """Student's t: of a quotient of sums, or around the jackknife's values for other metrics."""
    if joint.metric.form == "sums":
        totals, times = _pseudo_values(joint)
        sizes = np.ones_like(totals)
        method = "jackknife t"
    else:
        values, times = joint.values(0), joint.counts
        totals = values[:, 0]
        sizes = joint.sizes / 1.0 if joint.metric.form == "mean" else values[:, 1]
        method = "Student's t" if joint.clusters is None else "cluster-robust t"
    if not np.isfinite(totals).all() or sizes.min() < 0.0 or not times @ sizes:
        return unbounded("undefined without some items")
    seen = sizes > 0.0
    made = quotient_error(
        totals, sizes, times, scale=float(np.abs(totals[seen] / sizes[seen]).max())
    )
    if made.standard_error == 0.0:
        return unbounded("no two scores differ")
    score, half = joint.score(0), -float(stdtrit(made.df, tail)) * made.standard_error
    low, high = score - half, score + half
    if joint.metric.percent:
        low, high = max(low, 0.0), high if joint.metric.lower_is_better else min(high, 1.0)
    return Ends(low, high, method)


def _pseudo_values(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """The jackknife's pseudo-values (Tukey 1958), and how many units have each."""
    left_out, times = Replicas.of(joint).left_out
    units = float(joint.units)
    return units * joint.score(0) - (units - 1.0) * left_out[:, 0], times.astype(np.int64)
