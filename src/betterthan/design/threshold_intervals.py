"""How far other systems and other items would move a threshold.

Both are drawn anew, and their variances added. Systems: resampled, a pair counting as often as the
product of its systems' draws (Snijders & Borgatti, 1999). Items: random halves of them, which
differ from each other as two samples of their size do, so that the variance of the halves'
thresholds is that of the whole one (Shao & Wu, 1989). A smooth statistic could do with leaving out
a twentieth; a percentile within a band of p-values is not smooth, and its variance would come out
ten times too large.

Logarithms are added up: a threshold falls with the root of the number of items, and its
logarithm varies on a half as it does on the whole. What belongs to single pairs is in either
variance, so that the sum is rather too large. The interval is one of what studies of as many
systems and items give on average: the percentile of few pairs is itself too low on average.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from betterthan.data.arrays import cluster_codes
from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.data.tally import cluster_numbers, item_order
from betterthan.design.system_pairs import StudyTest, gains_of_pairs
from betterthan.errors import BadValueError
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints
from betterthan.resampling.generator import as_generator
from betterthan.resampling.replicas import Replicas

NODE_RESAMPLES = 1000
HALVES = 20
FEWEST_PAIRS = 5  # just significant; of fewer the variance is a guess
FEWEST_UNITS = 20  # so that a half has ten
OF_THE_DIFFERENCE = ("bootstrap", "permutation", "t", "mcnemar")
"""Tests whose p is about that of the difference over its standard error."""

Half = tuple[Floats, Floats]
"""Gains of all pairs on half of the items, and their p-values."""


def unit_order(scores: Scores) -> tuple[Ints, Ints]:
    """The unit (item or cluster) of every item, numbered by what it holds, and items in that order.

    Neither the order of the data nor that of the systems moves either.
    """
    held = [scores.of(name) for name in sorted(scores.systems)]
    if scores.clusters is None:
        order = item_order(held, None)
        return np.argsort(order), order
    numbers = cluster_numbers(held, cluster_codes(scores.clusters, scores.n)[0])
    return numbers, item_order(held, numbers)


def halves(
    scores: Scores,
    names: Sequence[str],
    metric: Metric,
    pairs: Sequence[tuple[int, int]],
    study: StudyTest,
) -> tuple[Half, ...]:
    """Pairs of systems on random halves of the items, or of the clusters; none of too few.

    Tests of the difference itself are replaced by Student's t with the jackknife's standard error,
    or, for a black box, with that of a few resamples.
    """
    numbers, _ = unit_order(scores)
    units = int(numbers.max()) + 1
    if units < FEWEST_UNITS:
        return ()
    parts = _split(numbers, units, study)
    return tuple(_tested(scores.only(part).joint(names, metric), pairs, study) for part in parts)


def _split(numbers: Ints, units: int, study: StudyTest) -> Iterator[Ints]:
    """Items of one half after another, both of each split."""
    generator = as_generator(study.rng)
    for _ in range(HALVES // 2):
        first = generator.permutation(units) < units // 2
        yield np.flatnonzero(first[numbers])
        yield np.flatnonzero(~first[numbers])


def _tested(joint: Joint, pairs: Sequence[tuple[int, int]], study: StudyTest) -> Half:
    if study.test.name not in OF_THE_DIFFERENCE:
        wanted = frozenset(pairs)
        gains = gains_of_pairs(joint, study, lambda i, j: (i, j) in wanted)
        return np.array([g.gain for g in gains]), np.array([g.result.pvalue for g in gains])
    try:
        return _student(joint, np.array(pairs), study)
    except BadValueError:  # not defined on these items: there is no threshold either
        return np.zeros(len(pairs)), np.ones(len(pairs))


def _student(joint: Joint, pairs: Ints, study: StudyTest) -> Half:
    """Gains of pairs and Student's p-values, from one covariance matrix of all scores."""
    replicas = Replicas.of(joint)
    if joint.opaque:
        draws = min(max((study.resamples or 0) // 100, 20), 100)
        covariance = np.cov(np.concatenate(list(replicas.blocks(draws, study.rng))).T)
    else:
        rest, times = replicas.left_out
        spread = rest - times @ rest / times.sum()
        covariance = (1.0 - 1.0 / times.sum()) * (spread.T * times) @ spread
    first, second = pairs.T
    gains = np.abs(replicas.scores[second] - replicas.scores[first])
    variance = covariance[first, first] + covariance[second, second]
    error = np.sqrt(np.maximum(variance - 2.0 * covariance[first, second], 0.0))
    t = np.divide(gains, error, out=np.where(gains > 0.0, math.inf, 0.0), where=error > 0.0)
    return gains, stdtr(joint.units - 1.0, -t)


def threshold_interval(
    gains: Floats, weights: Floats, of_halves: Sequence[Floats], percentile: float
) -> tuple[float, float] | None:
    """95 % interval of the percentile of gains; None where too little is known.

    Parameters
    ----------
    gains : (pairs,) array
        Of the pairs that are just significant.
    weights : (resamples, pairs) array
        How often each counts when systems are drawn anew.
    of_halves : sequence of arrays
        Gains of the pairs that are just significant on each half of the items.
    percentile : float
        Of gains.
    """
    value = float(np.percentile(gains, percentile)) if gains.size >= FEWEST_PAIRS else 0.0
    by_items = np.array([np.percentile(x, percentile) for x in of_halves if x.size])
    by_systems = weighted_percentiles(gains, weights, percentile)
    enough = by_systems.size >= NODE_RESAMPLES // 2 and by_items.size > HALVES // 2
    if not enough or min(value, by_systems.min(), by_items.min()) <= 0.0:
        return None
    variance = np.log(by_systems).var(ddof=1) + np.log(by_items).var(ddof=1)
    reach = float(stdtrit(min(by_items.size, gains.size) - 1.0, 0.975) * np.sqrt(variance))
    return value * math.exp(-reach), value * math.exp(reach)


def weighted_percentiles(gains: Floats, weights: Floats, percentile: float) -> Floats:
    """Percentile of gains for each row of weights; without those that leave nothing."""
    order = np.argsort(gains)
    reached = np.cumsum(weights[:, order], axis=1)
    reached = reached[reached[:, -1] > 0]
    places = (reached < percentile / 100.0 * reached[:, -1:]).sum(axis=1)
    return np.asarray(gains[order][np.minimum(places, gains.size - 1)])
