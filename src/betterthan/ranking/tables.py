"""Scores and judgments laid out for ranking: what every aggregation, test and diagnosis reads."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking.games import Games, battle_games, score_games
from betterthan.ranking.methods import TieRule
from betterthan.ranking.order import turned_judgments
from betterthan.ranking.outcome_tables import outcomes_of_battles, outcomes_of_scores
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.units import Units, effective_number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Prepared(ABC):
    """What scores and judgments have in common for a ranking.

    Attributes
    ----------
    systems : tuple of str
        Names.
    n : int
        Items or judgments.
    units : Units
        What is resampled.
    unit_of : (n,) array of int
        Which unit each item or judgment belongs to.
    content : tuple of arrays
        What a signature's fingerprint is taken of.
    source : str
        What was read and how it was understood.
    notes : tuple of str
        What the reader should know.
    sequence : (n,) array of int or None
        Items or judgments in the order of the data, where they are kept in another one.
    """

    systems: tuple[str, ...]
    n: int
    units: Units
    unit_of: Ints
    content: tuple[NDArray[Any], ...]
    source: str = ""
    notes: tuple[str, ...] = ()
    sequence: Ints | None = None
    _outcomes: dict[TieRule, Outcomes] = field(default_factory=dict, repr=False)

    def outcomes(self, rule: TieRule) -> Outcomes:
        """Who beat whom under a tie rule; counted once."""
        if rule not in self._outcomes:
            self._outcomes[rule] = self.counted(rule)
        return self._outcomes[rule]

    @abstractmethod
    def counted(self, rule: TieRule) -> Outcomes:
        """Count who beat whom under a tie rule."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable(_Prepared):
    """Scores as the aggregations read them.

    Attributes
    ----------
    scores : Scores
        What was read, without items that nobody has.
    values : (items, systems) array
        One number each, higher better whatever the metric's direction; NaN where missing.
    parts : (items, systems, k) array
        The metric's projected columns, in their own direction.
    metric : Metric
        How ``parts`` sums are finished into a score.
    sign : float
        -1 where lower is better.
    weights : (items,) array
        Weight of each item: all one, or such that every task weighs the same.
    given : Scores or None
        What was read, as it came.
    """

    scores: Scores
    values: Floats
    parts: Floats
    metric: Metric
    sign: float
    weights: Floats
    given: Scores | None = None

    @property
    def complete(self) -> bool:
        """Whether every system has every item."""
        return not bool(np.isnan(self.values).any())

    def among(self, at: Ints) -> Self:
        """Keep some of the systems, given by their places in order."""
        names = tuple(self.systems[k] for k in at)
        return replace(
            self,
            systems=names,
            scores=self.scores.select(*names),
            values=self.values[:, at],
            parts=self.parts[:, at],
            content=(self.parts[:, at], self.unit_of),
            _outcomes={},
        )

    def effective_units(self, rule: TieRule) -> Floats:
        """Units of equal weight that each system's items are worth."""
        weight = np.zeros((self.units.count, len(self.systems)))
        np.add.at(weight, self.unit_of, self.weights[:, None] * ~np.isnan(self.values))
        return effective_number(weight.sum(axis=0), np.square(weight).sum(axis=0))

    @property
    def sizes(self) -> Ints:
        """Items that each system was scored on."""
        return np.asarray(self._present.sum(axis=0))

    @property
    def clusters(self) -> Ints | None:
        """Clusters that each system was scored on; None where there are none."""
        if self.units.name != "clusters":
            return None
        return np.array([len(np.unique(self.unit_of[has])) for has in self._present.T])

    @property
    def _present(self) -> Bools:
        return np.asarray(~np.isnan(self.scores.values).any(axis=2))

    def counted(self, rule: TieRule) -> Outcomes:
        """Count every pair on every item both have."""
        weights, units, unit_of = self.weights, self.units, self.unit_of
        return outcomes_of_scores(
            self.systems, self.values, weights, units=units, unit_of=unit_of, rule=rule
        )

    def games(self, sequence: Ints, rng: np.random.Generator) -> Iterator[Games]:
        """Play items in the order of ``sequence``, shaped (orders, items); -1 is a pause."""
        return score_games(self.values, sequence, rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BattleTable(_Prepared):
    """Judgments as the aggregations read them; units are clusters, else items, else judgments.

    Attributes
    ----------
    judgments : Judgments
        As they came.
    left, right, outcome : (rows,) array
        Distinct judgments of each unit, sorted; the left system comes first by name.
    counts : (rows,) array of int
        How many judgments each row stands for.
    """

    judgments: Judgments
    left: Ints
    right: Ints
    outcome: Floats
    counts: Ints

    def among(self, at: Ints) -> Self:
        """Keep the judgments between some of the systems, given by their places in order."""
        place = np.full(len(self.systems), -1)
        place[at] = np.arange(len(at))
        left, right = place[self.left], place[self.right]
        kept = np.flatnonzero((left >= 0) & (right >= 0))
        counts, unit_of = self.counts[kept], np.arange(len(kept))
        units = Units("judgments", counts)
        if self.units.name != "judgments":
            seen, unit_of = np.unique(self.unit_of[kept], return_inverse=True)
            units = Units.single(self.units.name, len(seen))
        left, right, outcome = left[kept], right[kept], self.outcome[kept]
        return replace(
            self,
            systems=tuple(self.systems[k] for k in at),
            n=int(counts.sum()),
            units=units,
            unit_of=unit_of,
            content=(unit_of, left, right, outcome, counts),
            sequence=None,
            left=left,
            right=right,
            outcome=outcome,
            counts=counts,
            _outcomes={},
        )

    def effective_units(self, rule: TieRule) -> Floats:
        """Units of equal size that each system's judgments are worth, ties dropped or not."""
        m, sides = len(self.systems), np.concatenate([self.left, self.right])
        dropped = (self.outcome == 0.5) & (rule == "drop")
        times = np.tile(np.where(dropped, 0, self.counts).astype(np.float64), 2)
        if self.units.name == "judgments":
            return np.asarray(np.bincount(sides, times, minlength=m), dtype=np.float64)
        mine, at = np.unique(
            sides * self.units.count + np.tile(self.unit_of, 2), return_inverse=True
        )
        size, system = np.bincount(at, times), mine // self.units.count
        total = np.bincount(system, size, minlength=m)
        return effective_number(total, np.bincount(system, np.square(size), minlength=m))

    @property
    def sizes(self) -> Ints:
        """Judgments that each system took part in."""
        both, times = np.concatenate([self.left, self.right]), np.tile(self.counts, 2)
        return np.bincount(both, times, minlength=len(self.systems)).astype(np.int64)

    @property
    def clusters(self) -> Ints | None:
        """Clusters of the judgments that each system took part in; None where there are none."""
        if self.units.name != "clusters":
            return None
        sides = np.concatenate([self.left, self.right]) * self.units.count
        seen = np.unique(sides + np.tile(self.unit_of, 2)) // self.units.count
        return np.bincount(seen, minlength=len(self.systems))

    def counted(self, rule: TieRule) -> Outcomes:
        """Count the battles."""
        return outcomes_of_battles(
            self.systems,
            self.left,
            self.right,
            self.outcome,
            self.counts,
            units=self.units,
            unit_of=None if self.units.name == "judgments" else self.unit_of,
            rule=rule,
        )

    def one_by_one(self) -> Self:
        """Return a row for each judgment, and the order in which they came unless counted."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        came = None
        if self.judgments.counts is None:
            _, unit, (left, right, result) = turned_judgments(self.judgments)
            kind = 3 * (left * len(self.systems) + right) + result
            came = np.empty_like(rows)
            came[np.lexsort((kind,) if unit is None else (kind, unit))] = np.arange(self.n)
        alone = self.units.name == "judgments"
        return replace(
            self,
            left=self.left[rows],
            right=self.right[rows],
            outcome=self.outcome[rows],
            counts=np.ones_like(rows),
            units=Units.single("judgments", self.n) if alone else self.units,
            unit_of=np.arange(self.n) if alone else self.unit_of[rows],
            sequence=came,
        )

    def games(self, sequence: Ints, rng: np.random.Generator) -> Iterator[Games]:
        """Play rows in the order of ``sequence``, shaped (orders, rows)."""
        return battle_games(self.left, self.right, self.outcome, sequence)


Prepared = ScoreTable | BattleTable
