"""One number per item and system, and the independent units that are resampled."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan import metrics
from betterthan.data import Floats, Scores
from betterthan.errors import DataError, UsageError, first_few
from betterthan.metrics import Metric
from betterthan.pairs import FLOAT_NOISE
from betterthan.resampling import bootstrap_counts
from betterthan.sampling import Rng, blocks

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is resampled: items, clusters of items, or judgments; within strata where there are any.

    Attributes
    ----------
    name : str
        What a unit is called, in the plural.
    multiplicity : (kinds,) array of int
        How many units there are of each kind. Units with the same outcomes are of one kind.
    strata : (kinds,) array of int or None
        Stratum (task) of each kind; units are resampled within theirs.
    """

    name: str
    multiplicity: Ints
    strata: Ints | None = None

    @property
    def count(self) -> int:
        """Number of independent units."""
        return int(self.multiplicity.sum())

    def weights(self, resamples: int, rng: Rng = None) -> Iterator[Floats]:
        """Yield blocks of resampled multiplicities, one row a resample.

        Resampling units with replacement is a multinomial draw over their kinds, so a million
        battles among a few thousand kinds cost no more than the kinds.
        """
        kinds = len(self.multiplicity)
        single = bool((self.multiplicity == 1).all())
        if single and self.strata is None:
            for counts in bootstrap_counts(kinds, resamples, rng):
                yield counts.astype(np.float64)
            return
        groups = [np.arange(kinds)] if self.strata is None else members(self.strata)
        for rows, generator in blocks(kinds, resamples, rng):
            drawn = np.zeros((rows, kinds))
            for group in groups:
                times = self.multiplicity[group]
                total = int(times.sum())
                if single:
                    picks = generator.integers(total, size=(rows, total))
                    picks += np.arange(rows)[:, None] * total
                    tallied = np.bincount(picks.ravel(), minlength=rows * total)
                    drawn[:, group] = tallied.reshape(rows, total)
                else:
                    drawn[:, group] = generator.multinomial(total, times / total, size=rows)
            yield drawn


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
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
    units : Units
        What is resampled.
    unit_of : (items,) array of int
        Which unit each item belongs to.
    weights : (items,) array
        Weight of each item: all one, or such that every task weighs the same.
    notes : tuple of str
        What the reader should know.
    """

    scores: Scores
    values: Floats
    parts: Floats
    metric: Metric
    sign: float
    units: Units
    unit_of: Ints
    weights: Floats
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, in the order of the columns."""
        return self.scores.systems

    @property
    def complete(self) -> bool:
        """Whether every system has every item."""
        return not bool(np.isnan(self.values).any())


def score_table(
    scores: Scores, *, metric: str | Metric | None = None, tasks: str | None = None
) -> ScoreTable:
    """Read scores under a metric, in the direction of better.

    Methods that compare item by item need one number an item: the column itself for a mean, the
    metric of the single item (sentence F1, sentence error rate) for the others.
    """
    if metric is None:
        chosen = metrics.default(scores.columns)
    else:
        chosen = metrics.resolve(metric, scores.columns)
    lower = chosen.lower_is_better or scores.lower_is_better
    notes = scores.notes
    unscored = np.isnan(scores.values).all(axis=(1, 2))
    if unscored.all():
        raise DataError("every score is missing: there is nothing to rank")
    if unscored.any():
        scores = scores.only(np.flatnonzero(~unscored))
        notes += (f"{int(unscored.sum()):,} items that no system has do not count",)
    at = [scores.columns.index(column) for column in chosen.columns]
    parts = chosen.project(scores.values[:, :, at])
    if parts.shape[2] == 1 and chosen.form in ("mean", "blackbox"):
        values = parts[:, :, 0]
    elif chosen.form == "blackbox":
        raise UsageError(f"{chosen!r} has no value for a single item, so nothing can be paired")
    else:
        values = np.where(np.isnan(parts).any(axis=2), np.nan, chosen.finish(parts, 1.0))
        notes += (f"paired methods compare the {chosen!r} of single items",)
    sign = -1.0 if lower else 1.0
    units, unit_of = _units(scores, tasks)
    return ScoreTable(
        scores=scores,
        values=sign * values,
        parts=parts,
        metric=chosen,
        sign=sign,
        units=units,
        unit_of=unit_of,
        weights=_task_weights(scores, tasks),
        notes=notes,
    )


def codes_of(labels: Iterable[object]) -> tuple[Ints, tuple[object, ...]]:
    """Number labels in order of appearance.

    >>> codes_of(["b", "a", "b"])
    (array([0, 1, 0]), ('b', 'a'))
    """
    seen: dict[object, int] = {}
    codes = np.fromiter((seen.setdefault(x, len(seen)) for x in labels), np.int64)
    return codes, tuple(seen)


def signs_between(x: Floats, y: Floats) -> NDArray[np.int8]:
    """Sign of ``x - y``, zero where they differ by no more than rounding, or one is missing.

    Item means of several responses may differ in the last bits; that is a tie, not a win.
    """
    difference = x - y
    noise = FLOAT_NOISE * np.maximum(np.abs(x), np.abs(y))
    won = difference > noise
    return won.view(np.int8) - (difference < -noise).view(np.int8)


def members(strata: Ints) -> list[Ints]:
    """Positions of each stratum."""
    return [np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)]


def _units(scores: Scores, tasks: str | None) -> tuple[Units, Ints]:
    if scores.clusters is None:
        name, unit_of = "items", np.arange(scores.n)
    else:
        name = "clusters"
        unit_of, _ = codes_of(scores.clusters)
    count = int(unit_of.max()) + 1
    strata = None
    if tasks is not None:
        task_of, _ = codes_of(_task_labels(scores, tasks))
        strata = np.zeros(count, dtype=np.int64)
        strata[unit_of] = task_of
        astray = np.flatnonzero(strata[unit_of] != task_of)
        if astray.size:
            raise DataError(
                f"clusters must lie within one task, and those of items "
                f"{first_few(scores.item_names(astray))} do not: cluster by something finer"
            )
    return Units(name, np.ones(count, dtype=np.int64), strata), unit_of


def _task_labels(scores: Scores, tasks: str) -> NDArray[np.object_]:
    if tasks not in scores.groups:
        known = first_few(scores.groups) or "none"
        raise UsageError(f"there is no label column {tasks!r} to tell tasks; there are {known}")
    return scores.groups[tasks]


def _task_weights(scores: Scores, tasks: str | None) -> Floats:
    if tasks is None:
        return np.ones(scores.n)
    task_of, names = codes_of(_task_labels(scores, tasks))
    sizes = np.bincount(task_of)
    return np.asarray(scores.n / (len(names) * sizes[task_of]), dtype=np.float64)
