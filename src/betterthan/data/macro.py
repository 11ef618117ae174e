"""The mean over tasks: a pair on several tasks, each of which weighs the same.

Delta is the plain mean of the tasks' deltas. Where the sum of one gain per unit decides each of
them, it decides the mean too, once gains are weighted: a unit of task ``t`` has the weight
``unit_t / (T * below_t)``, for a mean ``1 / (T * n_t)``. Weights are fractions; gains that are
whole numbers stay whole numbers of one common unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Self

import numpy as np

from betterthan.data.arrays import cluster_sums
from betterthan.data.gains import Gains
from betterthan.data.pair import Pair
from betterthan.data.resolution import LARGEST_SUM
from betterthan.data.tally import Tally
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import UNIT_ROUNDOFF, Ints, Numbers


@dataclass(frozen=True, eq=False)
class Macro(Pair):
    """A baseline and a candidate on several tasks that weigh the same.

    Examples
    --------
    >>> from betterthan.data.pairing import pair_of
    >>> from betterthan.metrics import mean
    >>> parts = pair_of([0, 0], [1, 1], mean()), pair_of([1, 1, 1, 0], [0, 1, 1, 0], mean())
    >>> macro = Macro.of(parts)
    >>> macro.delta, macro.gains.values.tolist(), macro.gains.unit
    (0.375, [-1, 0, 2], Fraction(1, 8))
    """

    parts: tuple[Pair, ...] = ()
    shared: bool = False

    @classmethod
    def of(cls, parts: Sequence[Pair], units: Sequence[Ints] | None = None) -> Self:
        """Put the tasks' pairs together; all have the same systems and one direction.

        ``units`` numbers the unit of each item, task by task, where units of different tasks are
        the same: clusters that lie in several tasks are swapped as one.
        """
        first = parts[0]
        if any(part.opaque for part in parts):
            raise UsageError(f"{first.metric!r} has no mean over tasks: it scores no single item")
        if len({part.metric.sign for part in parts}) > 1:
            raise UsageError("tasks with opposite directions have no mean: compare them one by one")
        names = dict.fromkeys(repr(part.metric) for part in parts)
        of = f" of {next(iter(names))}" if len(names) == 1 else ""
        metric = Metric(
            f"mean over {len(parts)} tasks{of}",
            ("score",),
            "mean",
            numerator=(1,),
            lower_is_better=first.metric.lower_is_better,
            spelled=False,
        )
        gains = _summed(parts, units) if units is not None else _weighted(parts)
        if gains is None:
            rows = np.array([[0.0, 0.0, 1.0]])
            tally = Tally(rows, np.array([sum(part.units for part in parts)]))
        else:
            column = gains.values
            blank = np.zeros_like(column)
            tally = Tally(np.stack([blank, column, blank + 1], axis=1), gains.counts)
        clusters = [part.clusters for part in parts if part.clusters is not None]
        apart = sum(clusters) if clusters else None
        macro = cls(
            metric=metric,
            systems=first.systems,
            tally=tally,
            unit=Fraction(1) if gains is None else gains.unit,
            noise=0.0,
            n=sum(part.n for part in parts),
            clusters=apart if units is None else int(max(x.max() for x in units)) + 1,
            parts=tuple(parts),
            shared=units is not None,
        )
        vars(macro)["gains"] = gains  # known already
        return macro

    def lean(self) -> Self:
        """The same without what only tells where the data came from."""
        macro = replace(self, parts=tuple(part.lean() for part in self.parts))
        vars(macro)["gains"] = self.gains
        return macro

    @cached_property
    def gains(self) -> Gains | None:
        """Weighted differences towards better, where their sum decides."""
        return _weighted(self.parts)

    @cached_property
    def scores(self) -> tuple[float, float]:
        """Means of the tasks' scores."""
        first, second = (
            sum(scores) / len(self.parts)
            for scores in zip(*(part.scores for part in self.parts), strict=True)
        )
        return first, second

    @cached_property
    def delta(self) -> float:
        """Mean of the tasks' deltas."""
        if self.gains is not None and self.gains.whole:
            return float(self.gains.total * self.gains.unit)
        return sum(part.delta for part in self.parts) / len(self.parts)

    @cached_property
    def outcomes(self) -> tuple[int, int, int]:
        """Items on which the candidate is better, as good, and worse."""
        wins, ties, losses = (
            sum(some) for some in zip(*(part.outcomes for part in self.parts), strict=True)
        )
        return wins, ties, losses

    @property
    def rate(self) -> bool:
        """Whether scores are printed in points: those of all tasks are."""
        return all(part.rate for part in self.parts)

    @property
    def hashed(self) -> tuple[Numbers, ...]:
        """What the data hash is taken over."""
        return tuple(array for part in self.parts for array in part.hashed)


def _weighted(parts: Sequence[Pair]) -> Gains | None:
    """Gains of all tasks' units, each with its weight; None where no sum of gains decides."""
    gains = [part.gains for part in parts]
    known = [gain for gain in gains if gain is not None]
    if len(known) < len(parts):
        return None
    weights = [
        gain.unit / (len(parts) * Fraction(gain.below)) if gain.below else Fraction(0)
        for gain in known
    ]
    return _together(
        [gain.values for gain in known],
        [gain.counts for gain in known],
        weights,
        error=sum(gain.error * float(w) for gain, w in zip(known, weights, strict=True)),
    )


def _summed(parts: Sequence[Pair], units: Sequence[Ints]) -> Gains | None:
    """Gains of units that lie in several tasks: sums of their items' weighted gains."""
    if any(part.metric.form != "mean" for part in parts):
        return None
    values, weights, error = [], [], 0.0
    for part in parts:
        items = part.known_items
        a, b = items.exact
        d = int(part.metric.sign) * (b - a)[:, 0]
        weights.append(items.unit / (len(parts) * part.n))
        values.append(d)
        gains = part.gains
        scale = float(gains.unit) / gains.below if gains is not None and gains.below else 0.0
        error += 0.0 if gains is None else gains.error * scale / len(parts)
    ones = [np.ones(len(d), dtype=np.int64) for d in values]
    every = _together(values, ones, weights, error=error, tallied=False)
    count = int(max(x.max() for x in units)) + 1
    tally = Tally.of([cluster_sums(every.values, np.concatenate(units), count)])
    return every._replace(values=tally.rows[:, 0], counts=tally.counts)


def _together(
    values: Sequence[Numbers],
    counts: Sequence[Ints],
    weights: Sequence[Fraction],
    *,
    error: float,
    tallied: bool = True,
) -> Gains:
    """Values times their weights: integers of one unit where they are such and fit."""
    unit = _common([w for w in weights if w] or [Fraction(1)])
    times = [int(w / unit) for w in weights]
    reach = sum(
        k * int(n @ np.abs(v)) for k, v, n in zip(times, values, counts, strict=True)
        if v.dtype.kind == "i"
    )  # fmt: skip
    if all(v.dtype.kind == "i" for v in values) and reach <= LARGEST_SUM:
        column = np.concatenate([k * v for k, v in zip(times, values, strict=True)])
    else:
        unit = Fraction(1)
        column = np.concatenate([float(w) * v for w, v in zip(weights, values, strict=True)])
        sizes = sum(
            float(w) * float(n @ np.abs(v)) for w, v, n in zip(weights, values, counts, strict=True)
        )
        error += 4.0 * UNIT_ROUNDOFF * sizes  # of the weight and of the product
    number = np.concatenate(counts)
    if tallied:
        tally = Tally.of([column], number)
        column, number = tally.rows[:, 0], tally.counts
    return Gains.of(column, number, unit, 1.0, 0.0 if column.dtype.kind == "i" else error)


def _common(weights: Sequence[Fraction]) -> Fraction:
    """The largest number of which all weights are whole multiples."""
    below = lcm(*(w.denominator for w in weights))
    return Fraction(gcd(*(int(w * below) for w in weights)), below)
