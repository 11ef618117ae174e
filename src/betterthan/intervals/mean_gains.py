"""The interval of a mean difference: its sign-flip test inverted, widened where little is known."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import stdtrit

from betterthan.data.macro import tasks_of
from betterthan.data.pair import Pair
from betterthan.errors import how_many
from betterthan.exact.subset_means import shift_interval
from betterthan.intervals.ends import Ends, sides, unbounded
from betterthan.intervals.few_units import least_pvalue
from betterthan.numeric import Alternative, Floats, Ints, Numbers
from betterthan.testing.mean_error import quotient_error

SEARCHED = 50_000
"""Distinct differences up to which the test is inverted; of more, Student's t says the same."""


@dataclass(frozen=True, eq=False)
class MeanGains:
    """One gain per unit and its weight: delta is the quotient of their sums, times ``unit``.

    Attributes
    ----------
    totals : (m,) array
        Gains of the units towards better, integers where they are whole.
    weights : (m,) array
        Sizes of the units, or their shares of the tasks; all positive.
    counts : (m,) array of int
        How many units have both.
    unit : float
        What a quotient of one stands for.
    span : float
        How far apart two scores of an item can be, as declared or seen.
    noun : str
        What a unit is.
    """

    totals: Numbers
    weights: Numbers
    counts: Ints
    unit: float
    span: float
    noun: str

    @classmethod
    def of(cls, pair: Pair) -> Self | None:
        """Gains where their sum decides delta; None for other metrics."""
        gains = pair.weighted_gains
        if gains is None or gains.weights.min() <= 0:
            return None
        noun = "item" if pair.clusters is None else "cluster"
        span = max(map(_span, tasks_of(pair)))
        return cls(gains.values, gains.weights, gains.counts, float(gains.unit), span, noun)

    @property
    def units(self) -> int:
        """Number of units."""
        return int(self.counts.sum())

    @property
    def differing(self) -> int:
        """Number of units on which the systems differ."""
        return int(self.counts[self.totals != 0].sum())

    @property
    def spread(self) -> float:
        """How far apart the gains per weight of two units are."""
        ratios = self.totals / self.weights
        return float(ratios.max() - ratios.min()) * self.unit

    def interval(self, alpha: float, alternative: Alternative) -> Ends:
        """Means that the test does not reject, or more of them where too little was seen."""
        ends = self.inverted(alpha, alternative)
        few = least_pvalue(self.differing, alternative) > alpha
        seen = math.isfinite(ends.low) or math.isfinite(ends.high)
        if not seen or not (few or self.spread == 0.0):
            return ends
        why = f"only {how_many(self.differing, self.noun)} differ" + "s" * (self.differing == 1)
        if not few:
            why = "all differences are equal"
        if self.span == 0.0:
            return unbounded("no two scores differ")
        padded = self.student(alpha, alternative, stake=self.span)
        low, high = min(ends.low, padded.low), max(ends.high, padded.high)
        return Ends(low, high, f"{ends.method}, widened: {why}", ends.error)

    def inverted(self, alpha: float, alternative: Alternative) -> Ends:
        """Means that the sign-flip test does not reject."""
        if len(self.counts) > SEARCHED:
            return self.student(alpha, alternative)
        found = shift_interval(
            self.totals,
            counts=self.counts,
            weights=self.weights,
            alpha=alpha,
            alternative=alternative,
        )
        if math.isinf(found.low) and math.isinf(found.high):
            return unbounded(f"{how_many(self.units, self.noun)} cannot reach this level")
        low, high, error = (x * self.unit for x in (found.low, found.high, found.slack))
        return Ends(low, high, "from the same test", error)

    def student(self, alpha: float, alternative: Alternative, stake: float = 0.0) -> Ends:
        """Student's t, cluster-robust; two more units win and lose a ``stake``."""
        totals, weights, counts = self.totals * self.unit, self.weights, self.counts
        if stake:
            weight = float(counts @ weights) / self.units
            totals = np.append(totals, np.array([1.0, -1.0]) * stake * weight)
            weights, counts = np.append(weights, [weight] * 2), np.append(counts, [1, 1])
        method = "Student's t" if self.noun == "item" else "cluster-robust t"
        return student(totals, weights, counts, alpha=alpha, method=method, alternative=alternative)


def student(
    totals: Floats,
    weights: Numbers,
    counts: Ints,
    *,
    alpha: float,
    method: str,
    alternative: Alternative = "two-sided",
) -> Ends:
    """Student's interval of the quotient of two sums over units, robust if weights differ."""
    seen = weights > 0.0
    scale = float(np.abs(totals[seen] / weights[seen]).max())
    fit = quotient_error(totals, weights / 1.0, counts, scale=scale)
    half = -float(stdtrit(fit.df, alpha / sides(alternative))) * fit.standard_error
    return Ends(fit.mean - half, fit.mean + half, method).on(alternative)


def _span(pair: Pair) -> float:
    """How far apart two scores of an item can be: as the metric says, or as seen."""
    if pair.metric.percent or pair.metric.holds == "0 or 1":
        return 1.0
    if pair.metric.form == "ratio":
        shares = np.concatenate([x[:, 0] / x[:, 1] for x in (pair.a, pair.b)])
        return float(shares.max() - shares.min())
    low, high = pair.span
    return 1.0 if pair.is_binary else high - low
