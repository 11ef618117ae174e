"""Labels, clusters, parts, tasks, responses and missing scores of items known one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from betterthan.data.arrays import LARGEST_FLOAT
from betterthan.data.labels import Ids, Labels, are, rows_by_label
from betterthan.data.named_systems import NamedSystems
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    BadValueError,
    DataError,
    MissingScoresError,
    Note,
    Remedy,
    UsageError,
    Where,
    closest,
    first_few,
    how_many,
    listing,
    not_one_of,
    quote,
    settings,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats

Missing = Literal["error", "drop", "worst", "pairwise"]
EVEN = Remedy("give every system as many responses to an item")
DROP = Remedy("leave these items out for every system", "missing", "drop")
WORST = Remedy("count them as the worst score", "missing", "worst")
MOST = 3  # systems whose missing items are listed


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledItems(NamedSystems):
    """What scores know of their items besides the numbers."""

    values: Floats
    items: Ids | None = None
    responses: Floats | None = None
    clusters: Labels | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)
    tasks: str | None = None
    tasks_declared: bool = False
    indivisible: Mapping[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.values)

    def only(self, keep: NDArray[Any]) -> Self:
        """Return the same scores for some of the items (a mask or positions)."""
        return replace(
            self,
            values=self.values[keep],
            items=None if self.items is None else Ids(self.items[keep]),
            responses=None if self.responses is None else self.responses[keep],
            clusters=None if self.clusters is None else self.clusters[keep],
            groups={name: labels[keep] for name, labels in self.groups.items()},
        )

    def select(self, *systems: str) -> Self:
        """Return the same items for some of the systems, in the order given."""
        index = self.positions(systems)
        return replace(
            self,
            values=self.values[:, index],
            systems=tuple(self.systems[k] for k in index),
            responses=None if self.responses is None else self.responses[:, index],
            order="given",
        )

    def item_names(self, index: NDArray[Any]) -> list[str]:
        """Ids of some items, or their positions counted from one."""
        if self.items is None:
            return [f"row {k + 1}" for k in np.atleast_1d(index).tolist()]
        return [str(name) for name in self.items[np.atleast_1d(index)]]

    def labels(self, name: str) -> Labels:
        """One label column, none of whose values is blank or was dropped."""
        if name not in (*self.groups, *self.indivisible):
            known = f"there are {first_few(self.groups)}" if self.groups else "there are none"
            raise UsageError(
                f"there is no label column {quote(name)}; {known}",
                *settings("by", closest(str(name), self.groups)),
            )
        if name in self.indivisible:
            raise AlignmentError(self.indivisible[name])
        labels = self.groups[name]
        blank = np.flatnonzero(are(labels, ""))
        if blank.size:
            raise AlignmentError(
                f"{how_many(blank.size, 'item', 'have')} no {name!r} "
                f"({first_few(self.item_names(blank))}): fill it in, or leave them out of the data"
            )
        return labels

    def parts(self, name: str) -> Iterator[tuple[str, Self]]:
        """The scores of each value of a label column, in the order of the values."""
        for label, rows in rows_by_label(self.labels(name)):
            yield label, replace(self.only(rows), notes=())

    def with_tasks(self, name: str) -> Self:
        """Return the same scores with one of the label columns as their tasks.

        Tasks weigh the same; that they are named declares that a metric has one scale on them.
        """
        return replace(self, tasks=name, tasks_declared=True)

    def by_task(self) -> dict[str, Self]:
        """The scores of each task, in the order of their names, with the metrics that it has."""
        if self.tasks is None:
            raise UsageError(
                "the data name no tasks", Remedy("name their column", "columns", {"task": COLUMN})
            )
        tasks = {}
        for task, part in self.parts(self.tasks):
            known = np.flatnonzero(~np.isnan(part.values).all(axis=(0, 1)))
            tasks[task] = replace(
                part,
                values=part.values[:, :, known],
                columns=tuple(part.columns[k] for k in known),
                responses=None if part.responses is None else part.responses[:, :, known],
                tasks=None,
            )
        return tasks

    @property
    def unmeasured(self) -> NDArray[np.bool_]:
        """Which columns are no metrics of an item's task, as (items, columns)."""
        mask = np.zeros((self.n, len(self.columns)), dtype=np.bool_)
        if self.tasks is not None:
            nobody = np.asarray(np.isnan(self.values).all(axis=1))
            for _, rows in rows_by_label(self.groups[self.tasks]):
                absent = nobody[rows].all(axis=0)
                mask[rows] = absent & ~absent.all()  # a task without any score lacks all of them
        return mask

    def _unmeasured_by(self, metric: Metric) -> NDArray[np.bool_]:
        """Items whose task does not have the metric."""
        index = [self.columns.index(column) for column in metric.columns]
        return np.asarray(self.unmeasured[:, index].any(axis=1))

    def check_measured(self, metric: Metric) -> None:
        """Check that all tasks have a metric."""
        if self.tasks is None or not (bad := self._unmeasured_by(metric)).any():
            return
        tasks = self.groups[self.tasks]
        lacking = dict.fromkeys(tasks[bad].tolist())
        having = [task for task in dict.fromkeys(tasks.tolist()) if task not in lacking]
        raise UsageError(
            f"{metric!r} is not measured on {first_few(lacking)}",
            *(Remedy("read one task", "where", {self.tasks: task}) for task in having[:3]),
        )

    def measured_by(self, metric: Metric) -> Self:
        """Return the same scores on those items whose tasks have the metric."""
        if self.tasks is None:
            return self
        return self.only(np.flatnonzero(~self._unmeasured_by(metric)))

    def uneven(self, systems: Sequence[str] | None = None) -> int:
        """Count the items to which the systems, those that have them, gave unequal responses.

        Means of unequal numbers of responses follow different laws, be the systems the same: the
        mean of one 0/1 response beats that of five whenever it is 1 and they are not all.

        Examples
        --------
        >>> from betterthan import Scores
        >>> Scores.from_responses({"a": [[1, 2], [3]], "b": [[2, 2], [2, 4, 6]]}).uneven()
        1
        """
        if self.responses is None:
            return 0
        counts = (~np.isnan(self.responses[:, self.positions(systems or self.systems)])).sum(
            axis=-1
        )
        fewest = np.where(counts > 0, counts, counts.max(initial=1)).min(axis=1)
        return int(((counts > fewest[:, None]).any(axis=(1, 2))).sum())

    def check_even(self, method: str, remedy: Remedy, systems: Sequence[str] | None = None) -> None:
        """Raise an error where items' means must have one law, and are of unequal numbers."""
        items = self.uneven(systems)
        if items:
            raise UsageError(
                f"systems have unequal numbers of responses on {items:,} of "
                f"{how_many(self.n, 'item')}: means of more responses vary less, so {method} would "
                "find winners among systems that are the same",
                remedy,
                EVEN,
            )

    def response_notes(self, systems: Sequence[str] | None = None) -> tuple[str, ...]:
        """Say what becomes of several responses, and of unequal numbers of them, in that order."""
        if self.responses is None:
            return ()
        several = "several responses an item: their means are compared, items are the units"
        if not (items := self.uneven(systems)):
            return (several,)
        text = (
            f"unequal numbers of responses on {items:,} of {how_many(self.n, 'item')}: means are "
            "comparable, wins and losses are not; p is approximate, and too small where few items "
            "decide"
        )
        return several, Note(text, EVEN, beside_verdict=True)

    def completed(self, missing: Missing, metric: Metric | None = None) -> Self:
        """Treat cells that nobody has as the user chose.

        ``"error"`` names them, ``"drop"`` leaves out items that any system lacks, ``"worst"`` gives
        the metric's worst value, ``"pairwise"`` keeps the holes for methods that can use them.
        """
        if missing not in get_args(Missing):
            raise not_one_of("missing", missing, get_args(Missing))
        values = self.values
        if max(values.max(), -values.min()) <= LARGEST_FLOAT:  # so none is NaN
            return self
        infinite = "scores that are infinite or beyond 1e100"
        self._check_cells(np.abs(values) > LARGEST_FLOAT, BadValueError, infinite)
        metric = None if metric is None else self.towards_better(metric)
        holes = np.isnan(values) & ~self.unmeasured[:, None]
        if missing == "pairwise" or not holes.any():
            return self
        if missing == "drop":
            return self._without(np.asarray(holes.any(axis=(1, 2))))
        singles = values if self.responses is None else self.responses
        if missing == "error":
            remedies = [DROP, WORST] if has_worst(singles, metric) else [DROP]
            self._check_cells(holes, MissingScoresError, "no score", *remedies)
        return self._filled(holes, worst_value(singles, metric))

    def _without(self, missing: NDArray[np.bool_]) -> Self:
        """Return the same without items that a system lacks."""
        if missing.all():
            raise AlignmentError("no item has a score from every system: nothing is left")
        note = f"{int(missing.sum()):,} of {self.n:,} items dropped: a system has no score there"
        indivisible = {**self.indivisible}
        for name, labels in self.groups.items():
            if absent := {*labels[missing]} - {*labels[~missing]}:
                indivisible[name] = (
                    f"no item of {name} {first_few(sorted(absent))} has a score from every system: "
                    f"complete them, or leave those values of {name!r} out of the data"
                )
        left = self.only(np.flatnonzero(~missing))
        return replace(left, notes=(*self.notes, note), indivisible=indivisible)

    def _filled(self, holes: NDArray[np.bool_], worst: float) -> Self:
        """Return the same with the worst value where there is none, as often as others have it."""
        responses = self.responses
        if responses is not None:
            most = (~np.isnan(responses)).sum(axis=-1).max(axis=1, keepdims=True)
            absent = np.arange(responses.shape[-1]) < np.maximum(most, 1)[..., None]
            responses = np.where(holes[..., None] & absent, worst, responses)
        note = f"{int(holes.sum()):,} missing scores counted as the worst value, {worst:g}"
        values = np.where(holes, worst, self.values)
        return replace(self, values=values, responses=responses, notes=(*self.notes, note))

    def _check_cells(
        self, bad: NDArray[np.bool_], error: type[DataError], what: str, *remedies: Remedy
    ) -> None:
        """Check that there are no bad cells, or name the systems and items that have them."""
        lacks: NDArray[np.bool_] = np.asarray(bad.any(axis=2))
        lacking = [
            f"system {system!r} has {what} for {rows.size:,} of {how_many(self.n, 'item')} "
            f"({first_few(self.item_names(rows))})"
            for system, rows in zip(self.systems, map(np.flatnonzero, lacks.T), strict=True)
            if rows.size
        ]
        if lacking:
            items = self.item_names(np.flatnonzero(lacks.any(axis=1)))
            raise error(listing(lacking, MOST), *remedies, where=Where(items=tuple(items)))


def is_binary(values: Floats) -> bool:
    """Whether all values are 0 or 1, except for those that are missing."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def has_worst(values: Floats, metric: Metric | None) -> bool:
    """Whether a missing score can count as the worst: that of a mean of zeros and ones."""
    return metric is not None and metric.form == "mean" and is_binary(values)


def worst_value(values: Floats, metric: Metric | None) -> float:
    """Return the value that a missing score counts as, where the metric has a worst."""
    if metric is None or not has_worst(values, metric):
        raise UsageError(
            "only an accuracy or an error rate over 0/1 scores has a worst value", DROP
        )
    return 1.0 if metric.lower_is_better else 0.0
