"""The interval of a mean difference: its sign-flip test inverted, widened where little is known."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import stdtrit

from betterthan.data.macro import Macro
from betterthan.data.pair import Pair
from betterthan.errors import how_many
from betterthan.exact.subset_means import shift_interval
from betterthan.intervals.ends import Ends, sides
from betterthan.numeric import Alternative, Ints, Numbers
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
        span = max(map(_span, pair.parts if isinstance(pair, Macro) else [pair]))
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
        ends = self._inverted(alpha, alternative)
        few = 2.0 ** (sides(alternative) - 1 - self.differing) > alpha
        seen = math.isfinite(ends.low) or math.isfinite(ends.high)
        if not seen or not (few or self.spread == 0.0):
            return ends
        why = f"only {how_many(self.differing, self.noun)} differ" + "s" * (self.differing == 1)
        if not few:
            why = "all differences are equal"
        if self.span == 0.0:
            return Ends(-math.inf, math.inf, "unbounded: no two scores differ").on(alternative)
        padded = self.student(alpha, alternative, stake=self.span)
        low, high = min(ends.low, padded.low), max(ends.high, padded.high)
        return Ends(low, high, f"{ends.method}, widened: {why}", ends.error).on(alternative)

    def _inverted(self, alpha: float, alternative: Alternative) -> Ends:
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
            method = f"unbounded: {how_many(self.units, self.noun)} cannot reach this level"
            return Ends(found.low, found.high, method)
        low, high, error = (x * self.unit for x in (found.low, found.high, found.slack))
        return Ends(low, high, "from the same test", error)

    def student(self, alpha: float, alternative: Alternative, stake: float = 0.0) -> Ends:
        """Student's t, cluster-robust; two more units win and lose a ``stake``."""
        totals, weights, counts = self.totals / 1.0, self.weights, self.counts
        if stake:
            weight = float(counts @ weights) / self.units
            totals = np.append(totals, np.array([1.0, -1.0]) * stake / self.unit * weight)
            weights, counts = np.append(weights, [weight] * 2), np.append(counts, [1, 1])
        scale = float(np.abs(totals / weights).max())
        made = quotient_error(totals, weights, counts, scale=scale)
        half = -float(stdtrit(made.df, alpha / sides(alternative))) * made.standard_error
        method = "Student's t" if self.noun == "item" else "cluster-robust t"
        low, high = (self.unit * (made.mean + side * half) for side in (-1.0, 1.0))
        return Ends(low, high, method).on(alternative)


def _span(pair: Pair) -> float:
    """How far apart two scores of an item can be: as the metric says, or as seen."""
    if pair.metric.percent or pair.metric.holds == "0 or 1":
        return 1.0
    if pair.metric.form == "ratio":
        shares = np.concatenate([x[:, 0] / x[:, 1] for x in (pair.a, pair.b)])
        return float(shares.max() - shares.min())
    low, high = pair.span
    return 1.0 if pair.is_binary else high - low
