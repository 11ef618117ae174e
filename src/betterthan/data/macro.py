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
from typing import Any, Self

import numpy as np

from betterthan.data.arrays import cluster_sums
from betterthan.data.gains import Gains
from betterthan.data.pair import Pair
from betterthan.data.resolution import LARGEST_SUM
from betterthan.data.tally import Tally
from betterthan.metrics import mean
from betterthan.numeric import UNIT_ROUNDOFF, Ints, Numbers


@dataclass(frozen=True, eq=False)
class Macro(Pair):
    """A baseline and a candidate on several tasks that weigh the same.

    Attributes
    ----------
    parts : tuple of Pair
        The tasks, of the same systems and one direction.
    shared : bool
        Whether some units lie in several tasks.
    weighted_gains : Gains or None
        Weighted differences towards better, where their sum decides. A unit that lies in several
        tasks weighs the sum of the shares ``1 / (T * n_t)`` of its items.

    Examples
    --------
    >>> from betterthan.data.pairing import pair_of
    >>> parts = pair_of([0, 0], [1, 1], mean()), pair_of([1, 1, 1, 0], [0, 1, 1, 0], mean())
    >>> macro = Macro.of(parts)
    >>> macro.delta, macro.gains.values.tolist(), macro.gains.unit
    (0.375, [-1, 0, 2], Fraction(1, 8))
    """

    parts: tuple[Pair, ...] = ()
    shared: bool = False
    weighted_gains: Gains | None = None

    @classmethod
    def of(cls, parts: Sequence[Pair], units: Sequence[Ints] | None = None) -> Self:
        """Put the tasks' pairs together.

        ``units`` numbers the unit of each item, task by task, where units of different tasks are
        the same: clusters that lie in several tasks are swapped as one.
        """
        metrics = {repr(part.metric): part.metric for part in parts}
        name, metric = next(iter(metrics.items()))
        spelling = f"mean over {len(parts)} tasks" + f" of {name}" * (len(metrics) == 1)
        lower, shared = metric.lower_is_better, units is not None
        unit_of = None if units is None else np.concatenate(units)
        number = sum(part.units for part in parts) if unit_of is None else int(unit_of.max()) + 1
        clustered = shared or any(part.clusters is not None for part in parts)
        weighted = _weighted_gains(parts, unit_of)
        tally, unit = Tally(np.array([[0.0, 0.0, 1.0]]), np.array([number])), Fraction(1)
        if weighted is not None:
            gains, unit = weighted.unweighted(), weighted.unit
            blank = np.zeros_like(gains.values)
            tally = Tally(np.stack([blank, gains.values, blank + 1], axis=1), gains.counts)
        return cls(
            metric=replace(mean(), spelling=spelling, lower_is_better=lower),
            systems=parts[0].systems,
            tally=tally,
            unit=unit,
            noise=0.0,
            n=sum(part.n for part in parts),
            clusters=number if clustered else None,
            parts=tuple(parts),
            shared=shared,
            weighted_gains=weighted,
        )

    def lean(self) -> Self:
        """The same without what only tells where the data came from."""
        return replace(self, parts=tuple(part.lean() for part in self.parts))

    @cached_property
    def scores(self) -> tuple[float, float]:
        """Means of the tasks' scores."""
        first, second = zip(*(part.scores for part in self.parts), strict=True)
        return sum(first) / len(self.parts), sum(second) / len(self.parts)

    @cached_property
    def delta(self) -> float:
        """Mean of the tasks' deltas."""
        if self.gains is not None and self.gains.whole:
            return float(self.gains.total * self.gains.unit)
        return sum(part.delta for part in self.parts) / len(self.parts)

    @cached_property
    def outcomes(self) -> tuple[int, int, int]:
        """Items on which the candidate is better, as good, and worse."""
        wins, ties, losses = zip(*(part.outcomes for part in self.parts), strict=True)
        return sum(wins), sum(ties), sum(losses)

    @cached_property
    def is_binary(self) -> bool:
        """Whether the score of every single item is 0 or 1 on every task."""
        return all(part.is_binary for part in self.parts)

    @cached_property
    def rate(self) -> bool:
        """Whether scores are printed in points: those of all tasks are."""
        return all(part.rate for part in self.parts)

    @property
    def hashed(self) -> tuple[Numbers, ...]:
        """What the data hash is taken over."""
        return tuple(array for part in self.parts for array in part.hashed)


def tasks_of(pair: Pair) -> Sequence[Pair]:
    """The pair on each task, or the pair itself."""
    return pair.parts if isinstance(pair, Macro) else (pair,)


def _weighted_gains(parts: Sequence[Pair], unit_of: Ints | None) -> Gains | None:
    """Gains of all tasks' units, each with its weight; None where no sum of gains decides."""
    tasks = []
    for part in parts:
        gains = part.weighted_gains
        if gains is None or (unit_of is not None and part.metric.form != "mean"):
            return None
        share = 1 / (len(parts) * Fraction(gains.below)) if gains.below else Fraction(0)
        error = gains.error * float(gains.unit * share)
        if unit_of is not None:  # items one by one: their clusters may lie in several tasks
            items = part.known_items
            d = int(part.metric.sign) * (items.exact[1] - items.exact[0])[:, 0]
            gains = Gains(d, items.times, items.times, items.unit)
        weights = gains.weights * float(share)
        tasks.append(replace(gains, unit=gains.unit * share, error=error, weights=weights))
    gains = _together(tasks)
    if unit_of is not None:
        units = np.ones(int(unit_of.max()) + 1, dtype=np.int64)
        values, weights = (
            cluster_sums(x, unit_of, units.size) for x in (gains.values, gains.weights)
        )
        gains = replace(gains, values=values, counts=units, weights=weights)
    return gains.grouped()


def _together(tasks: Sequence[Gains]) -> Gains:
    """Gains times their units: integers of one unit where they are such and fit."""
    units = [gains.unit for gains in tasks if gains.unit] or [Fraction(1)]
    below = lcm(*(unit.denominator for unit in units))
    unit = Fraction(gcd(*(int(unit * below) for unit in units)), below)
    times: list[Any] = [int(gains.unit / unit) for gains in tasks]
    sums = [float(gains.counts @ np.abs(gains.values)) for gains in tasks]
    whole, error = all(gains.whole for gains in tasks), 0.0
    if not whole or np.dot(times, sums) > LARGEST_SUM:
        unit, times = Fraction(1), [float(gains.unit) for gains in tasks]
        rounding = 4.0 * UNIT_ROUNDOFF * float(np.dot(times, sums))  # of weight and product
        error = sum(gains.error for gains in tasks) + rounding
    values = np.concatenate([k * gains.values for k, gains in zip(times, tasks, strict=True)])
    counts = np.concatenate([gains.counts for gains in tasks])
    weights = np.concatenate([gains.weights for gains in tasks])
    return Gains(values, counts, weights, unit, error=error)
