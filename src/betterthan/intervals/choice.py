"""The tree that chooses an interval for delta, and the shared resamples behind those that need any.

`suited` is the only place that decides; the gate's bounds (`betterthan.intervals.margins`) follow
the same decision.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from betterthan.data.pair import Joint, Pair
from betterthan.exact.inversion import shift_interval
from betterthan.intervals.bootstrapped import IntervalKind, from_replicates
from betterthan.intervals.ends import central_confidence, one_sided, unbounded
from betterthan.intervals.jackknife import jackknife_interval, standard_error
from betterthan.intervals.means import student_interval, tango
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng
from betterthan.resampling.replicas import Replicas
from betterthan.results.interval import Interval

Suited = Literal["binary", "shift", "student", "resampled", "jackknife"]
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


def suited(pair: Pair) -> Suited:
    """How the uncertainty of delta is found.

    0/1 scores have laws of their own. Other means are shifted until the exact permutation test
    rejects, so that interval and p-value cannot contradict each other. Where a shift makes no sense
    (0/1 scores in clusters, clusters of unequal size), and for very many units, it is Student's t.
    Rates other than means (F1, BLEU) have the jackknife's t, padded, which covers with few items
    where the bootstrap does not. Other metrics are resampled; with very many units the jackknife is
    as good.
    """
    if pair.metric.form == "mean":
        if pair.clusters is None and pair.is_binary:
            return "binary"
        sizes = pair.sizes
        if pair.units <= INVERTIBLE and sizes.min() == sizes.max() and not pair.is_binary:
            return "shift"
        return "student"
    if pair.opaque:
        return "resampled"
    return "jackknife" if pair.rate or pair.units > RESAMPLABLE else "resampled"


class Deltas(NamedTuple):
    """Resampled deltas, delta itself, and its leave-one-out values where they are of use.

    ``times`` says how many units each leave-one-out value stands for.
    """

    drawn: Floats
    delta: float
    left_out: Floats | None
    times: Floats | None


class Resamples:
    """Scores of several systems on the same resamples, drawn when first needed."""

    def __init__(self, joint: Joint, rng: Rng) -> None:
        self._replicas = Replicas.of(joint)
        self._rng = rng
        self._drawn: dict[int, Floats] = {}

    def deltas(self, first: int, second: int, confidence: float) -> Deltas:
        """Delta between two systems, resampled often enough for a central interval."""
        joint = self._replicas.joint
        draws = _draws(joint, confidence)
        if draws not in self._drawn:
            self._drawn[draws] = np.concatenate(list(self._replicas.blocks(draws, self._rng)))

        def between(scores: Floats) -> Floats:
            return joint.metric.sign * (scores[:, second] - scores[:, first])

        drawn = between(self._drawn[draws])
        delta = float(between(self._replicas.scores[None])[0])
        if joint.opaque:
            # The jackknife fails for medians and the like (Efron & Tibshirani 1993, section 11.6).
            return Deltas(drawn, delta, None, None)
        left_out, times = self._replicas.left_out
        return Deltas(drawn, delta, between(left_out), times)


def difference_interval(
    pair: Pair,
    *,
    confidence: float,
    alternative: Alternative,
    deltas: Callable[[float], Deltas] | None = None,
) -> Interval:
    """Confidence interval for delta, by the method that suits the data; its name says which.

    Parameters
    ----------
    pair : Pair
        What is compared.
    confidence, alternative
        Level, and which ends are bounded.
    deltas : callable, optional
        Resampled deltas for a central interval of the given level, where several pairs share them.
    """
    how = suited(pair)
    if how == "binary":
        return tango(pair.wins, pair.losses, pair.n, confidence=confidence, alternative=alternative)
    if how == "shift" and pair.gains is not None:
        per_item = pair.gains.per_unit * (float(pair.gains.unit) / int(pair.sizes[0]))
        found = shift_interval(per_item, confidence=confidence, alternative=alternative)
        method = "permutation inversion (exact under a shift model)"
        return Interval(found.low, found.high, confidence, method)
    if how == "student":
        return student_interval(pair, confidence=confidence, alternative=alternative)
    if pair.units == 1:
        return one_sided(unbounded(confidence), confidence, alternative)
    both = central_confidence(confidence, alternative)
    beyond = _draws(pair, both) * 0.5 * (1.0 - both)
    if how == "jackknife" or (beyond < FEWEST_BEYOND and not pair.opaque):
        return jackknife_interval(pair, confidence, alternative)
    if deltas is None:
        shared = Resamples(pair, 0)
        drawn, delta, left_out, times = shared.deltas(0, 1, both)
    else:
        drawn, delta, left_out, times = deltas(both)
    kind: IntervalKind = "percentile" if left_out is None else "bca"
    made = from_replicates(drawn, delta, left_out, times, kind=kind, confidence=both)
    if kind == "bca" and standard_error(pair) is not None:  # BCa is too narrow with few units
        other = jackknife_interval(pair, both, "two-sided")
        low, high = min(made.low, other.low), max(made.high, other.high)
        name = f"{made.method}, no narrower than {other.method}"
        made = Interval(low, high, both, name, made.error)
    return one_sided(made, confidence, alternative)


def _draws(joint: Joint, confidence: float) -> int:
    """Resamples for a central interval at this level."""
    wanted = math.ceil(BEYOND / (0.5 * (1.0 - confidence)) - 1e-6)
    draws = min(max(wanted, RESAMPLES), MOST_RESAMPLES)
    return draws // BLACKBOX_SHARE if joint.opaque else draws
