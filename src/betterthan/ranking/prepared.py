"""prepare(): data checked and laid out for ranking, once."""

from dataclasses import replace

import numpy as np

from betterthan import metrics
from betterthan.comparison.item_by_item import single_scores
from betterthan.comparison.over_tasks import on_one_scale
from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.data.tallied import expanded
from betterthan.data.tally import Tally
from betterthan.errors import (
    COLUMN,
    PAIRWISE,
    DataError,
    MissingScoresError,
    Remedy,
    UsageError,
    first_few,
    how_many,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints
from betterthan.ranking.methods import BradleyTerry, Mean, Method
from betterthan.ranking.order import sorted_scores, turned_judgments
from betterthan.ranking.tables import BattleTable, Prepared, ScoreTable
from betterthan.ranking.units import Units, codes_of
from betterthan.tables.accepted import Frame, as_scores

Rankable = Scores | Frame | Judgments | Prepared


def prepare(data: Rankable, *, metric: str | Metric | None = None) -> Prepared:
    """Check data and lay them out for ranking; every function of this package takes the result.

    Systems are sorted by name, items and judgments by what they hold: the order in which they came
    changes no number. Tasks that scores were read with weigh the same, and items are resampled
    within them.

    Parameters
    ----------
    data : Scores, data frame or Judgments
        Items by systems, distinct rows and their counts, or battles. What is prepared already
        comes back as it is.
    metric : str or Metric, optional
        What is measured; the only column by default.

    Examples
    --------
    >>> ready = prepare(Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1]}))
    >>> ready.n, ready.units.name, prepare(ready) is ready
    (3, 'items', True)
    """
    if isinstance(data, Scores) and data.counts is not None:
        metric = data.measured(metric) if data.metric is not None else metric
        data = expanded(data)
    if not isinstance(data, Judgments | ScoreTable | BattleTable):
        try:
            data = as_scores(data, metric=metric)
        except MissingScoresError as error:
            raise error.with_remedies(PAIRWISE) from error
        if data.tasks is not None:
            scaled = on_one_scale(data, metric)
            metric = metric if scaled is data else None  # its columns have become one
            data = scaled
    if len(data.systems) < 2:
        raise DataError(
            f"there is one system only, {data.systems[0]!r}: nothing to rank",
            Remedy("its score, with an interval", command="score"),
        )
    if isinstance(data, Scores):
        tasks = data.tasks
        ordered, came = sorted_scores(data, tasks)
        made = score_table(ordered, metric=metric, tasks=tasks)
        kept = ~np.isnan(ordered.values).all(axis=(1, 2))
        return replace(made, given=data, sequence=np.argsort(came[kept]))
    if metric is not None:
        what = "judgments" if isinstance(data, Judgments) else "data that are prepared already"
        raise UsageError(f"metric is for scores, not for {what}")
    return battle_table(data) if isinstance(data, Judgments) else data


def usual_method(table: Prepared) -> Method:
    """Means of scores; judgments have none, and Bradley-Terry strengths."""
    return Mean() if isinstance(table, ScoreTable) else BradleyTerry()


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
    task_of, number = codes_of(scores.labels(tasks))
    strata = np.zeros(count, dtype=np.int64)
    strata[unit_of] = task_of
    astray = np.flatnonzero(strata[unit_of] != task_of)
    if astray.size:
        raise DataError(
            "clusters must lie within one task, and those of items "
            f"{first_few(scores.item_names(astray))} do not",
            Remedy("cluster by something finer", "cluster", COLUMN),
        )
    weights = scores.n / (number * np.bincount(task_of)[task_of])
    return Units.single(name, count, strata), unit_of, np.asarray(weights, dtype=np.float64)
