"""Data prepared for ranking, once: what every aggregation, test and diagnosis reads."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan import metrics
from betterthan.blame import blames_arguments
from betterthan.comparison.item_by_item import single_scores
from betterthan.comparison.over_tasks import on_one_scale
from betterthan.data.accepted import Frame, as_scores
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.data.tally import Tally
from betterthan.data.uneven_digits import refuse_cut
from betterthan.errors import (
    PAIRWISE,
    DataError,
    MissingScoresError,
    UsageError,
    first_few,
    how_many,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints
from betterthan.ranking.games import Games, battle_games, score_games
from betterthan.ranking.likelihood import TieRule
from betterthan.ranking.order import sorted_scores, turned_judgments
from betterthan.ranking.outcome_tables import outcomes_of_battles, outcomes_of_scores
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.result import Aggregation
from betterthan.ranking.units import Units, codes_of, effective_number


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
        return np.asarray((~np.isnan(self.scores.values).any(axis=2)).sum(axis=0))

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
Rankable = Scores | Tallied | Frame | Judgments | Prepared


@blames_arguments
def prepare(
    data: Rankable, *, metric: str | Metric | None = None, tasks: str | None = None
) -> Prepared:
    """Check data and lay them out for ranking; every function of this package takes the result.

    Systems are sorted by name, items and judgments by what they hold: the order in which they came
    changes no number.

    Parameters
    ----------
    data : Scores, Tallied, data frame or Judgments
        Items by systems, distinct rows and their counts, or battles. What is prepared already
        comes back as it is.
    metric : str or Metric, optional
        What is measured; the only column by default.
    tasks : str, optional
        Label column naming each item's task: tasks weigh the same, items are resampled within;
        those that scores were read with by default.

    Examples
    --------
    >>> ready = prepare(Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1]}))
    >>> ready.n, ready.units.name, prepare(ready) is ready
    (3, 'items', True)
    """
    if isinstance(data, Tallied):
        metric = data.measured(metric) if data.metric is not None else metric
        data = data.expanded()
    if not isinstance(data, Judgments | ScoreTable | BattleTable):
        try:
            data = as_scores(data, tasks=tasks, metric=metric)
        except MissingScoresError as error:
            raise error.with_remedies(PAIRWISE) from error
        if data.tasks is not None:
            scaled = on_one_scale(data, metric, named=tasks is not None)
            metric = metric if scaled is data else None  # its columns have become one
            data, tasks = scaled, scaled.tasks
    if len(data.systems) < 2:
        raise DataError("there is nothing to rank: give at least two systems")
    if isinstance(data, Scores):
        ordered, came = sorted_scores(data, tasks)
        made = score_table(ordered, metric=metric, tasks=tasks)
        _refuse_cut(data, made.metric)
        kept = ~np.isnan(ordered.values).all(axis=(1, 2))
        return replace(made, given=data, sequence=np.argsort(came[kept]))
    if metric is not None or tasks is not None:
        what = "judgments" if isinstance(data, Judgments) else "data that are prepared already"
        raise UsageError(f"metric and tasks are for scores, not for {what}")
    return battle_table(data) if isinstance(data, Judgments) else data


def _refuse_cut(scores: Scores, metric: Metric) -> None:
    """Refuse scores of two systems that differ by their digits alone, as comparisons do."""
    at = [scores.columns.index(column) for column in metric.columns]
    values = scores.values[:, :, at]
    there = values[~np.isnan(values).any(axis=(1, 2))]
    refuse_cut(scores.systems, [there[:, k] for k in range(len(scores.systems))])


def usual_method(table: Prepared) -> Aggregation:
    """Bradley-Terry; of items with unequal numbers of responses the mean, which alone is fair."""
    uneven = isinstance(table, ScoreTable) and table.scores.uneven()
    return "mean" if uneven else "bradley-terry"


def score_table(
    scores: Scores, *, metric: str | Metric | None = None, tasks: str | None = None
) -> ScoreTable:
    """Read scores under a metric, in the direction of better.

    Methods that compare item by item need one number per item: the column itself for a mean, the
    metric of the single item (sentence F1, sentence error rate) for the others.
    """
    if not scores.lower_is_better:
        chosen = scores.measured(metric)
    elif metric is None:
        chosen = metrics.default(scores.columns)
    else:
        chosen = metrics.resolve(metric, scores.columns)
    notes = scores.notes
    unscored = np.isnan(scores.values).all(axis=(1, 2))
    if unscored.all():
        raise DataError("every score is missing: there is nothing to rank")
    if unscored.any():
        scores = scores.only(np.flatnonzero(~unscored))
        notes += (
            f"{how_many(int(unscored.sum()), 'item', 'do')} not count: no system has a score there",
        )
    at = [scores.columns.index(column) for column in chosen.columns]
    parts = chosen.project(scores.values[:, :, at])
    values = single_scores(chosen, parts)
    if chosen.form not in ("mean", "blackbox"):
        notes += (f"paired methods compare the {chosen!r} of single items",)
    sign = -1.0 if chosen.lower_is_better or scores.lower_is_better else 1.0
    units, unit_of, weights = _units(scores, tasks)
    return ScoreTable(
        systems=scores.systems,
        n=scores.n,
        units=units,
        unit_of=unit_of,
        content=(parts, unit_of),
        source=scores.source,
        notes=notes,
        scores=scores,
        values=sign * values,
        parts=parts,
        metric=chosen,
        sign=sign,
        weights=weights,
    )


def battle_table(judgments: Judgments) -> BattleTable:
    """Count judgments, and tell what of them is resampled as one: each where none shares its item.

    Their order is that of the units' names, then of systems and outcomes.
    """
    names, unit, columns = turned_judgments(judgments)
    found = Tally.of(columns if unit is None else [unit, *columns], judgments.counts)
    left, right, result = (column.copy() for column in found.rows.T[-3:])
    unit_of, units = np.arange(len(left)), Units("judgments", found.counts)
    if unit is not None:
        name = "items" if judgments.clusters is None else "clusters"
        unit_of, units = found.rows[:, 0].copy(), Units.single(name, int(unit.max()) + 1)
    return BattleTable(
        systems=names,
        n=judgments.n,
        units=units,
        unit_of=unit_of,
        content=(unit_of, left, right, result, found.counts),
        source=judgments.source,
        notes=judgments.notes,
        judgments=judgments,
        left=left,
        right=right,
        outcome=result / 2,
        counts=found.counts,
    )


def _units(scores: Scores, tasks: str | None) -> tuple[Units, Ints, Floats]:
    """What is resampled, the unit of each item, and its weight."""
    name, unit_of, count = "items", np.arange(scores.n), scores.n
    if scores.clusters is not None:
        name, (unit_of, count) = "clusters", codes_of(scores.clusters)
    if tasks is None:
        return Units.single(name, count), unit_of, np.ones(scores.n)
    task_of, number = codes_of(scores.part_labels(tasks))
    strata = np.zeros(count, dtype=np.int64)
    strata[unit_of] = task_of
    astray = np.flatnonzero(strata[unit_of] != task_of)
    if astray.size:
        raise DataError(
            f"clusters must lie within one task, and those of items "
            f"{first_few(scores.item_names(astray))} do not: cluster by something finer"
        )
    weights = scores.n / (number * np.bincount(task_of)[task_of])
    return Units.single(name, count, strata), unit_of, np.asarray(weights, dtype=np.float64)
