"""The tree that chooses an interval for delta, and the shared resamples behind those that need any.

`suited` is the only place that decides. A gate's claim that there is no loss must hold whatever the
law of the scores, and has bounds of its own (`betterthan.intervals.margins`); that there is one it
claims by the interval from here.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from betterthan.data.macro import Macro
from betterthan.data.pair import Joint, Pair
from betterthan.exact.inversion import shift_interval
from betterthan.intervals.bootstrapped import IntervalKind, difference_of, from_replicates
from betterthan.intervals.ends import central_confidence, one_sided, unbounded
from betterthan.intervals.jackknife import jackknife_interval, standard_error
from betterthan.intervals.means import student_interval, tango
from betterthan.intervals.padding import padded_interval, widened
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Work
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
    rejects, so that no interval excludes zero unless the test rejects. Where a shift makes no sense
    (0/1 scores in clusters, clusters of unequal size), and for very many units, it is Student's t.
    Either is widened to the padded t, which allows for what did not come up. Ratios, and rates
    other than means (F1, BLEU), have the jackknife's t, padded, which covers with few items where
    the bootstrap does not. Other metrics are resampled; with very many units the jackknife is as
    good.
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
    rate = pair.rate or pair.metric.form == "ratio"
    return "jackknife" if rate or pair.units > RESAMPLABLE else "resampled"


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

    def __init__(self, joint: Joint, rng: Rng, work: Work = HERE) -> None:
        self._joint, self._rng, self._work = joint, rng, work
        self._drawn: dict[int, Floats] = {}

    @cached_property
    def _replicas(self) -> Replicas:
        return Replicas.of(self._joint)

    def deltas(self, first: int, second: int, confidence: float) -> Deltas:
        """Delta between two systems, resampled often enough for a central interval."""
        joint, replicas = self._joint, self._replicas
        draws = draws_for(joint, confidence)
        if draws not in self._drawn:
            blocks = replicas.blocks(draws, self._rng, work=self._work)
            self._drawn[draws] = np.concatenate(list(blocks))

        def between(scores: Floats) -> Floats:
            return joint.metric.sign * (scores[:, second] - scores[:, first])

        drawn = between(self._drawn[draws])
        delta = float(between(replicas.scores[None])[0])
        if joint.opaque:
            # The jackknife fails for medians and the like (Efron & Tibshirani 1993, section 11.6).
            return Deltas(drawn, delta, None, None)
        left_out, times = replicas.left_out
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
    made = _difference(pair, confidence, alternative, deltas)
    return replace(made, of=difference_of(pair.metric))


def _difference(
    pair: Pair,
    confidence: float,
    alternative: Alternative,
    deltas: Callable[[float], Deltas] | None,
) -> Interval:
    if isinstance(pair, Macro):
        return _over_tasks(pair, confidence, alternative)
    how = suited(pair)
    if how == "binary":
        return tango(pair.wins, pair.losses, pair.n, confidence=confidence, alternative=alternative)
    if how == "shift" and pair.gains is not None:
        per_item = pair.gains.per_unit * (float(pair.gains.unit) / int(pair.sizes[0]))
        found = shift_interval(per_item, confidence=confidence, alternative=alternative)
        method = "permutation inversion (exact under a shift model)"
        made = Interval(found.low, found.high, confidence, method)
        return widened(made, padded_interval(pair, confidence=confidence, alternative=alternative))
    if how == "student":
        made = student_interval(pair, confidence=confidence, alternative=alternative)
        return widened(made, padded_interval(pair, confidence=confidence, alternative=alternative))
    if pair.units == 1:
        return one_sided(unbounded(confidence), confidence, alternative)
    both = central_confidence(confidence, alternative)
    beyond = draws_for(pair, both) * 0.5 * (1.0 - both)
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
        made = widened(made, jackknife_interval(pair, both, "two-sided"))
    return one_sided(made, confidence, alternative)


def _over_tasks(macro: Macro, confidence: float, alternative: Alternative) -> Interval:
    """Interval of a mean over tasks from the tasks' own (MOVER; Zou & Donner, 2008).

    An end lies as far from delta as the root of the tasks' squared distances, divided by their
    number: their limits stand for their variances, where those are largest. Where tasks share
    units the distances themselves add up, as if the tasks were wholly dependent.
    """
    parts = [
        difference_interval(part, confidence=confidence, alternative=alternative)
        for part in macro.parts
    ]
    power = 1 if macro.shared else 2

    def reach(distances: Iterable[float]) -> float:
        return float(np.linalg.norm(list(distances), ord=power)) / len(parts)

    both = list(zip(macro.parts, parts, strict=True))
    low = macro.delta - reach(part.delta - found.low for part, found in both)
    high = macro.delta + reach(found.high - part.delta for part, found in both)
    methods = "; ".join(dict.fromkeys(found.method for found in parts))
    return Interval(low, high, confidence, f"MOVER over tasks ({methods})")


def draws_for(joint: Joint, confidence: float) -> int:
    """Resamples for a central interval at this level."""
    wanted = math.ceil(BEYOND / (0.5 * (1.0 - confidence)) - 1e-6)
    draws = min(max(wanted, RESAMPLES), MOST_RESAMPLES)
    return draws // BLACKBOX_SHARE if joint.opaque else draws
