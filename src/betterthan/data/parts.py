"""Labels, clusters, parts, tasks and responses of items that are known one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.labels import Ids, Labels, are, rows_by_label
from betterthan.data.named_systems import NamedSystems
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
    how_many,
    quote,
    settings,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats

EVEN = Remedy("give every system as many responses to an item")


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
        if self.tasks is None:
            return np.zeros((self.n, len(self.columns)), dtype=np.bool_)
        nobody = np.isnan(self.values).all(axis=1)
        _, task = np.unique(self.groups[self.tasks], return_inverse=True)
        known = np.zeros((int(task.max()) + 1, nobody.shape[1]), dtype=np.bool_)
        np.logical_or.at(known, task, ~nobody)
        known |= ~known.any(axis=1, keepdims=True)  # a task without any score lacks all of them
        return np.asarray(~known[task])

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
