"""The interval of one system's own score, by its own scores alone.

Right or wrong answers have Clopper and Pearson's exact interval. Other scores whose bounds are
known, because the metric or the user says so, have Gaffke's, which holds whatever the distribution.
All others have Student's t, medians their order statistics, black boxes the bootstrap. Where no
spread was seen and no bounds are known, the interval is unbounded: no score is certain.
"""

import math
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from betterthan.data.pair import Joint
from betterthan.intervals.bootstrapped import bootstrap_ends
from betterthan.intervals.bounded import Bounds, bounded_score, bounded_sums
from betterthan.intervals.ends import Ends, unbounded
from betterthan.intervals.jackknife import jackknife_error
from betterthan.intervals.mean_gains import student
from betterthan.intervals.quantiles import binomial_rank, expanded_tail
from betterthan.metrics import MEDIAN
from betterthan.resampling.generator import binomial_ends
from betterthan.testing.request import Request


def score_interval(
    joint: Joint, request: Request | None = None, bounds: Bounds | None = None
) -> Ends:
    """Confidence interval for the score of the only system, by the method that suits the data.

    Parameters
    ----------
    joint : Joint
        One system.
    request : Request, optional
        The level, and the seed, number and workers of the bootstrap, which only black boxes need;
        seed 0 by default.
    bounds : (float, float), optional
        Minimum and maximum score of a single item, where the metric does not say so.

    Examples
    --------
    >>> from betterthan.data.pairing import joint_of
    >>> from betterthan.metrics import mean
    >>> ends = score_interval(joint_of({"new": [1, 1, 1, 1, 1]}, mean()))
    >>> round(ends.low, 3), ends.high
    (0.478, 1.0)
    """
    request = request or Request(rng=0)
    alpha, tail = request.alpha, request.alpha / 2.0
    inherent = not joint.opaque and (joint.metric.percent or joint.is_binary)
    known = bounded_sums(joint, bounds) if inherent or bounds is not None else None
    if known is not None:
        (sums,), (low, high) = known
        single = joint.metric.form == "mean" and joint.clusters is None
        if single and joint.is_binary and (low, high) == (0.0, 1.0):
            ends = binomial_ends(round(joint.score(0) * joint.n), joint.n, tail)
            return Ends(*ends, "exact for right or wrong answers (Clopper-Pearson)")
        ends = bounded_score(sums, joint.counts / 1.0, (low, high), alpha)
        return Ends(*ends, f"Gaffke's bounds for scores from {low:g} to {high:g}")
    if joint.opaque and joint.metric.function is MEDIAN.function and joint.clusters is None:
        return _of_median(joint, tail)
    if joint.units == 1:
        return unbounded("one unit")
    if joint.opaque:
        wider = replace(request, alpha=2.0 * expanded_tail(tail, joint.units))
        return bootstrap_ends(joint, "percentile", wider, "sample")
    return _student(joint, alpha)


def _of_median(joint: Joint, tail: float) -> Ends:
    """Order statistics: the k-th value lies above the median with ``P(Binomial(n, 1/2) < k)``."""
    k = binomial_rank(joint.n, 0.5, tail)
    if not k:
        return unbounded("too few items for a median")
    ordered = np.sort(joint.known_items.values[0][:, 0].astype(np.float64))
    return Ends(float(ordered[k - 1]), float(ordered[-k]), "order statistics")


def _student(joint: Joint, alpha: float) -> Ends:
    """Student's t: of a quotient of sums, or with the jackknife's error for other metrics."""
    metric, undefined = joint.metric, unbounded("undefined without some items")
    if metric.form == "sums":
        error, score = jackknife_error(joint), joint.score(0)
        if error is None:
            return undefined
        half = -float(stdtrit(joint.units - 1.0, alpha / 2.0)) * error
        ends = Ends(score - half, score + half, "jackknife t")
    else:
        sums = joint.values(0)
        sizes = joint.sizes / 1.0 if metric.form == "mean" else sums[:, 1]
        if sizes.min() < 0.0 or not joint.counts @ sizes:
            return undefined
        method = "Student's t" if joint.clusters is None else "cluster-robust t"
        ends = student(sums[:, 0], sizes, joint.counts, alpha=alpha, method=method)
    if ends.low == ends.high:
        return unbounded("no two scores differ")
    if not metric.percent:
        return ends
    most = math.inf if metric.lower_is_better else 1.0
    return replace(ends, low=max(ends.low, 0.0), high=min(ends.high, most))
