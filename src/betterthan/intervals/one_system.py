"""The interval of one system's own score: the same tree as for differences, with one branch fewer.

0/1 scores have Clopper and Pearson's interval, other scores with bounds Gaffke's: both hold
whatever the law of the scores, at 0 and 100 % too. Means and ratios of scores without bounds have
Student's t, no narrower than Hall's interval, which allows for skewness; rates that are functions
of sums (BLEU) the padded jackknife's t; medians their order statistics; black boxes the bootstrap.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, stdtrit

from betterthan.data.pair import Joint
from betterthan.errors import Note
from betterthan.intervals.bootstrapped import from_replicates
from betterthan.intervals.bounded import BOUNDS, Bounds, bounded_score, bounded_sums
from betterthan.intervals.choice import draws_for
from betterthan.intervals.ends import error_share, unbounded
from betterthan.intervals.quantiles import expanded_confidence
from betterthan.metrics import MEDIAN
from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng, binomial_ends
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Work
from betterthan.results.interval import Interval
from betterthan.testing.mean_error import MeanError, degrees_of_freedom, quotient_error

PADDED = 2.0
"""Items that the padded jackknife adds to a rate: one of 0 and one of 1."""

FEW_UNITS = 50
"""With fewer units, a skewed law of scores without bounds is not covered as often as it says."""


class ScoreInterval(NamedTuple):
    """An interval, and what it takes for granted (nothing: an empty text)."""

    interval: Interval
    given: str = ""


def score_interval(
    joint: Joint,
    *,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    rng: Rng = 0,
    resamples: int | None = None,
    work: Work = HERE,
) -> ScoreInterval:
    """Confidence interval for the score of the only system, by the method that suits the data.

    Parameters
    ----------
    joint : Joint
        One system.
    confidence : float
        Its level.
    bounds : (float, float), optional
        Least and largest score that a single item can have, where the metric does not say so.
    rng : None, int or Generator
        Seed of the bootstrap, which only black boxes need.
    resamples : int, optional
        Resamples of the bootstrap; by default as many as the level asks for.
    work : Work
        Who draws it.

    Examples
    --------
    >>> from betterthan.data.pairing import joint_of
    >>> from betterthan.metrics import mean
    >>> made = score_interval(joint_of({"new": [1, 1, 1, 1, 1]}, mean())).interval
    >>> round(made.low, 3), made.high, made.method
    (0.478, 1.0, 'Clopper-Pearson')
    """
    made = _suited(
        joint, confidence=confidence, bounds=bounds, rng=rng, resamples=resamples, work=work
    )
    return ScoreInterval(replace(made.interval, of="score"), made.given)


def _suited(
    joint: Joint,
    *,
    confidence: float,
    bounds: Bounds | None,
    rng: Rng,
    resamples: int | None,
    work: Work,
) -> ScoreInterval:
    tail = error_share(confidence, "two-sided")
    if joint.opaque:
        bounded_sums(joint, bounds)  # which a black box cannot have
        return _opaque(joint, confidence, rng, resamples, work)
    known = bounded_score(joint, bounds)
    if known is not None:
        binary = joint.is_binary and known.bounds == (0.0, 1.0)
        if joint.metric.form == "mean" and joint.clusters is None and binary:
            low, high = binomial_ends(round(joint.score(0) * joint.n), joint.n, tail)
            return ScoreInterval(Interval(low, high, confidence, "Clopper-Pearson"))
        low, high = known.interval(2.0 * tail)
        least, most = known.bounds
        method = f"Gaffke's bounds for scores from {least:g} to {most:g}"
        return ScoreInterval(Interval(low, high, confidence, method))
    if joint.units == 1:
        return ScoreInterval(unbounded(confidence))
    if joint.metric.form == "sums":
        return ScoreInterval(_jackknifed(joint, confidence))
    return _skewed(joint, confidence)


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


def _opaque(
    joint: Joint, confidence: float, rng: Rng, resamples: int | None, work: Work
) -> ScoreInterval:
    tail = error_share(confidence, "two-sided")
    if joint.metric.function is MEDIAN.function and joint.clusters is None:
        k = median_ranks(joint.n, tail)
        ordered = np.sort(joint.known_items.values[0][:, 0].astype(np.float64))
        low, high = (ordered[k - 1], ordered[-k]) if k else (-math.inf, math.inf)
        method = "order statistics" if k else "unbounded (too few items for a median)"
        return ScoreInterval(Interval(float(low), float(high), confidence, method))
    if joint.units == 1:
        return ScoreInterval(unbounded(confidence))
    wider = expanded_confidence(confidence, joint.units)
    replicas = Replicas.of(joint)
    draws = resamples or draws_for(joint, wider)
    drawn = np.concatenate(list(replicas.blocks(draws, rng, work=work)))[:, 0]
    estimate = float(replicas.scores[0])
    made = from_replicates(drawn, estimate, None, kind="percentile", confidence=wider)
    method = f"expanded {made.method}"
    given = "resamples of a black box: right for smooth scores of many items"
    return ScoreInterval(Interval(made.low, made.high, confidence, method, made.error), given)


def _jackknifed(joint: Joint, confidence: float) -> Interval:
    """Student's t around the score with the jackknife's standard error; of a rate, padded.

    A score of 0 or 100 % has no spread, and yet is not certain: one item of either is added.
    """
    units, score = float(joint.units), joint.score(0)
    left_out, times = Replicas.of(joint).left_out
    without = left_out[:, 0]
    if not np.isfinite(without).all():
        name = "unbounded (undefined without some item)"
        return Interval(-math.inf, math.inf, confidence, name)
    spread = without - float(times @ without) / units
    squares = (units - 1.0) ** 2 * float(times @ np.square(spread))
    sizes, df = joint.sizes, units - 1.0
    if sizes.min() < sizes.max():  # one large cluster among small ones is little more than one unit
        df = degrees_of_freedom(sizes / joint.n, joint.counts.astype(np.float64))
    tail, method = error_share(confidence, "two-sided"), "jackknife t"
    least, most = -math.inf, math.inf
    if joint.metric.percent:
        added = joint.units / joint.n  # an item is a small part of a cluster
        total = units + PADDED * added
        score = (units * score + PADDED / 2.0 * added) / total
        squares += PADDED / 2.0 * (score**2 + (1.0 - score) ** 2) * added**2
        df += total - units
        units, method = total, "padded jackknife t"
        if not joint.metric.lower_is_better:  # no BLEU lies above 1; a TER may
            most = 1.0
        least = 0.0
    half = -float(stdtrit(df, tail)) * math.sqrt(squares / (units * (units - 1.0)))
    if half == 0.0:
        return Interval(-math.inf, math.inf, confidence, "unbounded (no spread observed)")
    return Interval(max(score - half, least), min(score + half, most), confidence, method)


def _skewed(joint: Joint, confidence: float) -> ScoreInterval:
    """Student's t for a quotient of sums, and no narrower than Hall's interval."""
    values = joint.values(0)
    if joint.metric.form == "mean":
        totals, sizes = values[:, 0], joint.sizes.astype(np.float64)
    else:
        totals, sizes = values[:, 0], values[:, 1]
        if float(joint.counts @ sizes) == 0.0 or (sizes < 0.0).any():
            name = "unbounded (the denominator may be zero)"
            return ScoreInterval(Interval(-math.inf, math.inf, confidence, name))
    seen = sizes > 0.0
    largest = float(np.abs(totals[seen] / sizes[seen]).max())
    made = quotient_error(totals, sizes, joint.counts, scale=largest)
    if made.standard_error == 0.0:
        given = Note("no spread was observed", BOUNDS)
        name = "unbounded (no spread observed)"
        return ScoreInterval(Interval(-math.inf, math.inf, confidence, name), given)
    low, high = _hall(made, totals - sizes * made.mean, joint.counts / 1.0, confidence)
    if joint.metric.percent:
        low = max(low, 0.0)
    method = "Student t" if joint.clusters is None else "cluster-robust t"
    given = Note("rare scores far from all others are not allowed for", BOUNDS)
    if joint.units < FEW_UNITS:
        what = "items" if joint.clusters is None else "clusters"
        given = Note(
            f"{joint.units} {what} without bounds: nearly symmetric scores are taken for granted",
            BOUNDS,
        )
    return ScoreInterval(Interval(low, high, confidence, f"{method}, widened for skewness"), given)


def _hall(
    made: MeanError, residuals: Floats, counts: Floats, confidence: float
) -> tuple[float, float]:
    """Ends of Student's interval, or of Hall's where that reaches further.

    Hall (1992, "On the removal of skewness by transformation") turns t into a cubic of it whose
    law has no skewness left to the first order; the cubic is monotone and has a simple inverse.
    """
    units, t = made.units, -float(stdtrit(made.df, error_share(confidence, "two-sided")))
    scaled = residuals / float(np.abs(residuals).max())
    squares, cubes = float(counts @ scaled**2) / units, float(counts @ scaled**3) / units
    skew, root = cubes / squares**1.5, math.sqrt(units)

    def turned(z: float) -> float:
        if abs(skew) < 1e-9:
            return z
        inner = 1.0 + skew * (z / root - skew / (6.0 * units))
        return float(root * 3.0 / skew * (np.cbrt(inner) - 1.0))

    low, high = max(t, turned(t)), min(-t, turned(-t))
    return made.mean - made.standard_error * low, made.mean - made.standard_error * high
