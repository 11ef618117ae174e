"""The interval of a mean difference: its sign-flip test inverted, widened where little is known."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import stdtrit

from betterthan.data.macro import Macro
from betterthan.data.pair import Pair
from betterthan.data.resolution import FLOAT_NOISE
from betterthan.data.tally import Tally
from betterthan.errors import how_many
from betterthan.exact.subset_means import shift_interval
from betterthan.intervals.ends import Ends, sides
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
    weights: Floats
    counts: Ints
    unit: float
    span: float
    noun: str

    @classmethod
    def of(cls, pair: Pair) -> Self | None:
        """Gains where their sum decides delta; None for other metrics."""
        noun = "item" if pair.clusters is None else "cluster"
        if isinstance(pair, Macro):
            parts = [cls.of(part) for part in pair.parts]
            known = [part for part in parts if part is not None]
            if pair.gains is None or len(known) < len(parts):
                return None
            if (both := pair.rows) is not None and both.weights is not None:
                span = max(part.span for part in known)
                return cls(both.values, both.weights, both.counts, float(both.unit), span, noun)
            return cls._over_tasks(known, noun)
        gains = pair.gains
        if gains is None or not gains.below:
            return None
        if pair.metric.form == "mean" and pair.sizes.min() == pair.sizes.max():
            sizes = np.full(len(gains.counts), float(pair.sizes[0]))
            unit = float(gains.unit)
            return cls(gains.values, sizes, gains.counts, unit, _span(pair), noun)
        return cls._of_unequal_units(pair, noun)

    @classmethod
    def _of_unequal_units(cls, pair: Pair, noun: str) -> Self | None:
        """Gains with the sizes of the clusters, or the denominators that both systems share."""
        weights = pair.sizes if pair.metric.form == "mean" else pair.a[:, 1]
        first, second = pair.a[:, 0], pair.b[:, 0]
        if weights.min() <= 0:
            return None
        totals = int(pair.metric.sign) * (second - first)
        if totals.dtype.kind == "f":
            larger = np.maximum(np.abs(first), np.abs(second))
            totals[np.abs(totals) <= FLOAT_NOISE * larger] = 0.0
        tally = Tally.of([totals, weights.astype(totals.dtype)], pair.counts)
        unit = float(pair.unit) if pair.metric.form == "mean" else 1.0
        weight = tally.rows[:, 1].astype(np.float64)
        return cls(tally.rows[:, 0], weight, tally.counts, unit, _span(pair), noun)

    @classmethod
    def _over_tasks(cls, parts: list[Self], noun: str) -> Self:
        """Tasks weigh the same, and their units accordingly."""
        shares = [1.0 / (len(parts) * float(part.counts @ part.weights)) for part in parts]
        each = list(zip(parts, shares, strict=True))
        return cls(
            np.concatenate([part.totals * (part.unit * share) for part, share in each]),
            np.concatenate([part.weights * share for part, share in each]),
            np.concatenate([part.counts for part in parts]),
            1.0,
            max(part.span for part in parts),
            noun,
        )

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
    if pair.clusters is not None and pair.items is None and pair.stated_span is None:
        one = float(pair.unit)
        means = np.concatenate([x[:, 0] * one / pair.sizes for x in (pair.a, pair.b)])
        return float(means.max() - means.min())
    low, high = pair.span
    return 1.0 if pair.is_binary else high - low
