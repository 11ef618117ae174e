"""A block of items x systems x columns: select by name, divide by label, and pair systems."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.checks import check_flag
from betterthan.data.labels import Ids, Labels, are, check_unique, places_of, rows_by_label
from betterthan.data.pair import Joint, Pair
from betterthan.data.pairing import joint_of
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    DataError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
    how_many,
    quote,
    settings,
)
from betterthan.metrics import Metric, default, mean, resolve
from betterthan.metrics.parsing import is_imported
from betterthan.numeric import Floats, Ints

Order = Literal["given", "by rows", "none"]
"""Where the order of systems is from: the user or columns; rows, keys or a folder, where another
order would mean the same; or rows that have them in different orders."""


ITEMS_NEEDED = "needs the single items, and a tally does not hold them: give the scores themselves"
EVEN = Remedy("give every system as many responses to an item")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreBlock:
    """What scores know of their systems and items, and how both are selected."""

    values: Floats
    systems: tuple[str, ...]
    columns: tuple[str, ...] = ("score",)
    items: Ids | None = None
    responses: Floats | None = None
    counts: Ints | None = None
    clusters: Labels | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)
    tasks: str | None = None
    tasks_declared: bool = False
    metric: str | None = None
    lower_is_better: bool | None = None
    lower: frozenset[str] = frozenset()
    order: Order = "given"
    source: str = ""
    notes: tuple[str, ...] = ()
    indivisible: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.values)
        if self.values.shape != (n, len(self.systems), len(self.columns)):
            raise DataError(
                f"values must have the shape (items, {len(self.systems)} systems, "
                f"{len(self.columns)} columns), got {self.values.shape}"
            )
        if n == 0:
            raise DataError("there are no items to compare: the data are empty")
        for what, names in (("system", self.systems), ("column", self.columns)):
            check_unique(what, names)
        if self.lower_is_better is not None:
            check_flag(self.lower_is_better, "lower_is_better")
        named = {"items": self.items, "clusters": self.clusters, **self.groups}
        for name, labels in named.items():
            if labels is not None and len(labels) != n:
                raise DataError(f"{name} has {len(labels):,} labels for {n:,} items")
        for array in (self.values, self.responses):
            if array is not None:
                array.flags.writeable = False

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.values) if self.counts is None else int(self.counts.sum())

    @property
    def times(self) -> Ints:
        """How many items each row of values stands for."""
        return np.ones(len(self.values), dtype=np.int64) if self.counts is None else self.counts

    def only(self, keep: NDArray[Any]) -> Self:
        """Return the same scores for some of the items (a mask or positions)."""
        return replace(
            self,
            values=self.values[keep],
            items=None if self.items is None else Ids(self.items[keep]),
            responses=None if self.responses is None else self.responses[keep],
            counts=None if self.counts is None else self.counts[keep],
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
        """Columns that an item's task is not measured by, as a mask of (items, columns)."""
        mask = np.zeros((len(self.values), len(self.columns)), dtype=np.bool_)
        if self.tasks is not None:
            blank = np.asarray(np.isnan(self.values).all(axis=1))
            for _, rows in rows_by_label(self.groups[self.tasks]):
                absent = blank[rows].all(axis=0)
                mask[rows] = absent & ~absent.all()  # a task without any score lacks all of them
        return mask

    def _unmeasured_by(self, metric: Metric) -> NDArray[np.bool_]:
        """Items whose task does not have the metric."""
        index = [self.columns.index(column) for column in metric.columns]
        return np.asarray(self.unmeasured[:, index].any(axis=1))

    def check_measured(self, metric: Metric) -> None:
        """Check that all tasks have a metric."""
        bad = self._unmeasured_by(metric)
        if self.tasks is None or not bad.any():
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
        return self.only(~self._unmeasured_by(metric))

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
        """Notes on several responses per item, and on unequal numbers of them, in that order."""
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

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, checked once: what tests and resamples start from."""
        chosen = self.measured(metric)
        index = [self.columns.index(column) for column in chosen.columns]
        places = self.positions(self.systems if systems is None else systems)
        if not places:
            raise UsageError("systems must name at least one; leave it out for all")
        self.check_measured(chosen)
        if self.counts is not None:
            check_sums(chosen)
        arrays = {self.systems[k]: self.values[:, k][:, index] for k in places}
        source = self if self.counts is None else None
        return joint_of(arrays, chosen, self.clusters, source=source, counts=self.counts)

    def pair(self, baseline: str, candidate: str, metric: str | Metric | None = None) -> Pair:
        """Two systems on the same units, checked once and carried to the end.

        Examples
        --------
        >>> from betterthan import Scores
        >>> pair = Scores.from_arrays({"base": [0, 1, 1], "new": [1, 1, 1]}).pair("base", "new")
        >>> pair.delta, pair.counts.tolist()
        (0.333..., [1, 2])
        """
        if baseline == candidate:
            raise UsageError(f"{baseline!r} cannot be compared with itself: name two systems")
        return self.joint((baseline, candidate), metric).pair(0, 1)

    def measured(self, metric: str | Metric | None = None) -> Metric:
        """Return the metric asked for, or else that of the data, in the direction of better."""
        if metric is None and self.metric is not None and is_imported(self.metric):
            raise UsageError(
                f"the tally is of {self.metric}, which runs code to be found",
                Remedy("run it", "metric", self.metric),
            )
        metric = self.metric if metric is None else metric
        if metric is None and len(self.columns) > 1:
            self.check_measured(mean(self.columns[0]))
        return self.towards_better(
            default(self.columns) if metric is None else resolve(metric, self.columns)
        )

    def towards_better(self, metric: Metric) -> Metric:
        """Return a metric in the direction that the data, or else its columns' names, say."""
        return metric.directed(self.lower_is_better, self.lower)

    def positions(self, systems: Iterable[str]) -> list[int]:
        """Indices of systems, or an error that lists those there are."""
        return places_of(systems, self.systems)

    def position(
        self, system: str, parameter: Literal["systems", "baseline", "candidate"] = "systems"
    ) -> int:
        """Index of a system, or an error that lists those there are."""
        return places_of([system], self.systems, parameter)[0]

    def baseline(
        self,
        named: str | None = None,
        candidates: Sequence[str] = (),
        *,
        whatever_rows: bool = False,
    ) -> str:
        """Return the baseline: the one named, or the first.

        If the order is that of rows, none is first: of two systems, the baseline is the one that is
        not a candidate; otherwise it must be named. ``whatever_rows`` requires the same baseline
        regardless of which rows come first.
        """
        if not isinstance(candidates, Collection) or isinstance(candidates, bytes):
            raise UsageError(f"candidates must be a list of systems, got {quote(candidates)}")
        if named is not None:
            return self.systems[self.position(named, "baseline")]
        if self.order == "given" or (self.order == "by rows" and not whatever_rows):
            return self.systems[0]
        rest = [name for name in self.systems if name not in candidates]
        if len(self.systems) == 2 and len(rest) == 1:
            return rest[0]
        raise UsageError(
            "the order of the systems is that of rows, keys or files, so that none of them is the "
            "first",
            *(Remedy("", "baseline", name) for name in sorted(rest or self.systems)[:5]),
        )


def check_sums(metric: Metric) -> None:
    """Check that sums are enough for a metric, so that a tally is."""
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} {ITEMS_NEEDED}")
