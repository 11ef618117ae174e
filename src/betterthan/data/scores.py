"""Scores: the one noun. An immutable, aligned block of items x systems x columns.

Everything that reads data ends here, and everything that tests or ranks starts here. Pairing is by
item id where there are ids, by position only where there are none and the lengths agree; nothing
is dropped, averaged or filled in without being asked for and said.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import (
    LARGEST_FLOAT,
    as_array,
    as_floats,
    mean_of_present,
    rectangle,
)
from betterthan.data.indexed import aligned, columns_in_order
from betterthan.data.labels import (
    Ids,
    Labels,
    are,
    check_names,
    check_unique,
    given_labels,
    is_missing,
    names_at,
    rows_by_label,
    whole_text,
)
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.resolution import Precision
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    BadValueError,
    Choice,
    DataError,
    MissingScoresError,
    Note,
    Remedy,
    UsageError,
    closest,
    first_few,
    how_many,
    no_truth_value,
    not_one_of,
    quote,
)
from betterthan.metrics import Metric, default, mean, resolve
from betterthan.numeric import Floats

if TYPE_CHECKING:
    import polars as pl

Missing = Literal["error", "drop", "worst", "pairwise"]
EVEN = Remedy("give every system as many responses to an item")
MOST = 3  # systems whose missing items are listed
SHARED = "sample"  # label of what several tasks have: two prompts to one question


@dataclass(frozen=True, slots=True, eq=False)
class Scores(NamedSystems):
    """Per-item results of several systems, aligned.

    Build it with :meth:`from_arrays`, :meth:`from_responses` or :func:`betterthan.read`.

    Attributes
    ----------
    values : (items, systems, columns) array
        What each system got on each item; item means where there are several responses. Read-only.
        NaN marks a cell nobody has, and only ``missing="pairwise"`` lets it in.
    systems, columns : tuple of str
        Names, in the order of the axes. The first system is the baseline, unless ``shuffled``.
    items : Ids or None
        Item ids, an array of str made when looked at; None when items were paired by position.
    responses : (items, systems, columns, responses) array or None
        The single responses (raters, seeds, epochs), NaN where an item has fewer.
    clusters : array of str or None
        A label per item; items of one cluster are never treated as independent.
    groups : mapping of str to arrays of str
        Further labels per item, for breakdowns.
    lower_is_better : bool
        Direction of the columns, where the metric does not know it.
    higher_is_better : bool
        Whether that is said, although a column's name or the metric says otherwise.
    lower : frozenset of str
        Columns of which their source says that less is better.
    tasks : str or None
        Label column of tasks that are measured each by itself: a column that nobody has on a task
        is none of its metrics, and NaN there.
    tasks_declared : bool
        Whether the user named that column, and so declares that a metric has one scale on all of
        them; tasks that a log names are known to have one where their scores have one range.
    shuffled : bool
        Whether the systems come in one order on some items and in another on others, as in a long
        table whose rows were shuffled: then none of them is the first.
    by_rows : bool
        Whether the systems come in the order of rows that name them, as in a long table, of keys in
        JSON or of a folder's files: others would make another the first; gates ask for theirs.
    source : str
        What was read and how it was understood, on one line.
    notes : tuple of str
        What the reader should know about the data.
    indivisible : mapping of str to str
        Columns that do not tell parts of the items apart, and why: rows of one item differ, or
        dropped items leave nothing of a part.
    precision : mapping of (str, str) to Precision
        How precise the source of a system's column was, by both names, where it tells.
    """

    values: Floats
    systems: tuple[str, ...]
    columns: tuple[str, ...] = ("score",)
    items: Ids | None = None
    responses: Floats | None = None
    clusters: Labels | None = None
    groups: Mapping[str, Labels] = field(default_factory=dict)
    lower_is_better: bool = False
    higher_is_better: bool = False
    lower: frozenset[str] = frozenset()
    tasks: str | None = None
    tasks_declared: bool = False
    shuffled: bool = False
    by_rows: bool = False
    source: str = ""
    notes: tuple[str, ...] = ()
    indivisible: Mapping[str, str] = field(default_factory=dict)
    precision: Mapping[tuple[str, str], Precision] = field(default_factory=dict)

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
            check_names(what, names)
        if self.items is not None and len(self.items) != n:
            raise DataError(f"there are {len(self.items):,} item ids for {n:,} items")
        for name, labels in [("clusters", self.clusters), *self.groups.items()]:
            if labels is not None and len(labels) != n:
                raise DataError(f"{name} has {len(labels):,} labels for {n:,} items")
        if not isinstance(self.lower_is_better, bool | np.bool_):
            raise no_truth_value("lower_is_better", self.lower_is_better)
        self.values.flags.writeable = False
        if self.responses is not None:
            self.responses.flags.writeable = False
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (getattr(self, name) for name in self.__slots__)
        return type(self), tuple(dict(f) if isinstance(f, MappingProxyType) else f for f in fields)

    def __repr__(self) -> str:
        """Return the size of the block: columns and clusters where there are any to speak of."""
        n, systems, columns = self.values.shape
        axes = [(n, "item"), (systems, "system"), *[(columns, "column")] * (columns > 1)]
        block = " x ".join(how_many(*axis) for axis in axes)
        if self.clusters is not None:
            block += f", {how_many(len(set(self.clusters.tolist())), 'cluster')}"
        return f"<Scores: {block}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the shape, and the first and last rows."""
        shape = repr(self).strip("<>").replace("<", "&lt;")
        if self.responses is not None:
            return f"<p>{shape}</p>"
        return f"<p>{shape}</p>{self.to_polars()._repr_html_()}"

    def to_polars(self) -> "pl.DataFrame":
        """Return one row per system and item: ``item, system, [labels ...,] columns ...``.

        Items that were paired by position are numbered from one; columns of whole numbers are
        written as such. The frame reads back as the same Scores.

        Examples
        --------
        >>> Scores.from_arrays({"base": [0, 1], "new": [1, 1]}).to_polars().rows()
        [('1', 'base', 0), ('2', 'base', 1), ('1', 'new', 1), ('2', 'new', 1)]
        """
        import polars as pl  # noqa: PLC0415 (slow to import)

        if self.responses is not None:
            raise UsageError(
                "several responses per item cannot be written as one row: keep the table"
            )
        n, systems, _ = self.values.shape
        items = np.arange(1, n + 1).astype(str).tolist() if self.items is None else self.items
        labels = {} if self.clusters is None else {"cluster": self.clusters}
        labels |= {name: values for name, values in self.groups.items() if name != "cluster"}
        data: dict[str, object] = {"item": [*items] * systems}
        data["system"] = [name for name in self.systems for _ in range(n)]
        data |= {name: [*values] * systems for name, values in labels.items()}
        for k, name in enumerate(self.columns):
            column = self.values[:, :, k].T.ravel()
            whole = bool((column == np.round(column)).all())  # NaN is not
            data[name] = column.astype(np.int64) if whole else column
        return pl.DataFrame(data)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.values)

    @property
    def paired_by(self) -> Literal["id", "position"]:
        """How items of different systems were matched."""
        return "position" if self.items is None else "id"

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, ArrayLike],
        *,
        columns: Sequence[str] | None = None,
        items: Sequence[object] | None = None,
        clusters: Sequence[object] | None = None,
        groups: Mapping[str, Sequence[object]] | None = None,
        lower_is_better: bool = False,
        missing: Missing = "error",
        metric: Metric | None = None,
    ) -> Self:
        """Scores from one array a system: ``(items,)``, or ``(items, k)`` with ``columns`` named.

        Plain arrays are paired by position, pandas Series and frames by their index.

        Examples
        --------
        >>> Scores.from_arrays({"base": [0, 1, 1], "new": [1, 1, 1]})
        <Scores: 3 items x 2 systems>
        """
        if not isinstance(metric, Metric | None):
            raise UsageError(
                f"metric must be a Metric, which knows the worst score, got {metric!r}"
            )
        arrays, labels, index = _paired(arrays, items, clusters, groups)
        raw = {
            name: as_array(columns_in_order(x, columns or (), name), f"system {name!r}")
            for name, x in arrays.items()
        }
        blocks = {name: as_floats(array, f"system {name!r}") for name, array in raw.items()}
        columns = _columns(blocks, columns)
        ids = labels.get("items", index)
        names = None if ids is None else given_labels(ids, "items")
        if names is not None:
            check_unique("item", names.tolist())
        known = {name: Precision.of(array.dtype) for name, array in raw.items()}
        return cls(
            values=np.stack([x[:, None] if x.ndim == 1 else x for x in blocks.values()], axis=1),
            systems=tuple(whole_text(str(name)) for name in blocks),
            columns=tuple(map(whole_text, columns)),
            items=None if names is None else Ids(names),
            clusters=None if clusters is None else given_labels(labels["clusters"], "clusters"),
            groups={
                whole_text(str(name)): given_labels(labels[f"groups[{name!r}]"], name, blank="")
                for name in groups or ()
            },
            lower_is_better=lower_is_better,
            precision={(s, c): p for s, p in known.items() if p is not None for c in columns},
        ).completed(missing, metric)

    @classmethod
    def from_responses(
        cls,
        responses: Mapping[str, ArrayLike | Sequence[ArrayLike]],
        *,
        column: str = "score",
        items: Sequence[object] | None = None,
        clusters: Sequence[object] | None = None,
        groups: Mapping[str, Sequence[object]] | None = None,
        **options: Any,
    ) -> Self:
        """Scores from several responses an item: per system a list of items, each a list.

        Items may have different numbers of responses; their mean is what ``values`` holds. An
        array or a frame has a row per item, NaN where it has fewer. The further options are those
        of :meth:`from_arrays`.

        Examples
        --------
        >>> Scores.from_responses({"a": [[1, 2], [3]], "b": [[2], [2, 4, 6]]}).values[:, :, 0]
        array([[1.5, 2. ],
               [3. , 4. ]])
        """
        systems, labels, index = _paired(responses, items, clusters, groups)
        blocks = {name: rectangle(rows, f"system {name!r}") for name, rows in systems.items()}
        depth = max(block.shape[1] for block in blocks.values())
        if depth == 0:
            raise DataError("there are no responses at all")
        padded = {
            name: np.pad(x, ((0, 0), (0, depth - x.shape[1])), constant_values=np.nan)
            for name, x in blocks.items()
        }
        scores = cls.from_arrays(
            {name: mean_of_present(block) for name, block in padded.items()},
            columns=(column,),
            items=labels.get("items", index),
            clusters=labels.get("clusters"),
            groups={name: labels[f"groups[{name!r}]"] for name in groups or ()},
            missing="pairwise",
            **options,
        )
        block = np.stack(list(padded.values()), axis=1)[:, :, None, :]
        return replace(scores, responses=block).completed("error", None)

    def completed(self, missing: Missing, metric: Metric | None = None) -> Self:
        """Treat cells that nobody has as the user chose.

        ``"error"`` names them, ``"drop"`` leaves out items that any system lacks, ``"worst"`` gives
        the metric's worst value, ``"pairwise"`` keeps the holes for methods that can use them.
        """
        if missing not in ("error", "drop", "worst", "pairwise"):
            raise not_one_of("missing", missing, get_args(Missing))
        largest = max(self.values.max(), -self.values.min()) if self.values.size else 0.0
        if largest <= LARGEST_FLOAT:  # so none is NaN
            return self
        self._check(np.isinf(self.values), BadValueError, "infinite scores")
        huge = np.abs(self.values) > LARGEST_FLOAT
        self._check(huge, BadValueError, "scores beyond 1e100 (divide all by one number)")
        holes = np.isnan(self.values) & ~self.unmeasured[:, None]
        if not holes.any() or missing == "pairwise":
            return self
        binary = metric is not None and metric.form == "mean" and _is_binary(self._singles)
        drop = Remedy("leave these items out for every system", "missing", "drop")
        if missing == "error":
            worst = [Remedy("count them as the worst score", "missing", "worst")] * binary
            self._check(holes, MissingScoresError, "no score", drop, *worst)
        if missing == "drop":
            return self._without(holes)
        if self.unmeasured.any():
            where = Remedy("read one task at a time", "where", {self.tasks: Choice("TASK")})
            raise UsageError("tasks with different metrics have no common worst value", drop, where)
        return self._filled(holes, worst_value(self._singles, metric))

    @property
    def _singles(self) -> Floats:
        """The single responses, where there are several, or else the values."""
        return self.values if self.responses is None else self.responses

    def _without(self, holes: NDArray[np.bool_]) -> Self:
        """Return the same without items that a system lacks."""
        missing = holes.any(axis=(1, 2))
        if missing.all():
            raise AlignmentError("no item has a score from every system: nothing is left")
        note = f"{int(missing.sum()):,} of {self.n:,} items dropped: a system has no score there"
        lost = {}
        for name, labels in self.groups.items():
            absent = set(labels[missing].tolist()) - set(labels[~missing].tolist())
            if absent:
                lost[name] = (
                    f"no item of {name} {first_few(sorted(absent))} has a score from every system: "
                    f"complete them, or leave those values of {name!r} out of the data"
                )
        left = self.only(np.flatnonzero(~missing))
        indivisible = {**self.indivisible, **lost}
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

    @property
    def unmeasured(self) -> NDArray[np.bool_]:
        """Which columns are no metrics of an item's task, as (items, columns)."""
        nobody = np.isnan(self.values).all(axis=1)
        if self.tasks is None or not nobody.any():
            return np.zeros_like(nobody)
        _, task = np.unique(self.labels(self.tasks), return_inverse=True)
        known = np.zeros((int(task.max()) + 1, nobody.shape[1]), dtype=np.bool_)
        np.logical_or.at(known, task, ~nobody)
        known |= ~known.any(axis=1, keepdims=True)  # a task without any score lacks all of them
        return np.asarray(~known[task])

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
        at = self.positions(systems)
        return replace(
            self,
            values=self.values[:, at],
            systems=tuple(self.systems[k] for k in at),
            responses=None if self.responses is None else self.responses[:, at],
            shuffled=False,
            by_rows=False,
        )

    def of(self, system: str, columns: Sequence[str] | None = None) -> Floats:
        """One system's ``(items, columns)`` array, in the order a metric wants."""
        at = [self.columns.index(c) for c in columns or self.columns]
        block: Floats = self.values[:, self.position(system)][:, at]
        return block

    def is_rate(self, metric: Metric, systems: Sequence[str] | None = None) -> bool:
        """Whether scores by this metric are printed in points: rates, and means of zeros and ones.

        Where items have several responses, those are what must be zeros and ones.

        Examples
        --------
        >>> from betterthan.metrics import MEDIAN, mean
        >>> scores = Scores.from_arrays({"base": [0, 1, 1], "new": [1, 1, 1]})
        >>> scores.is_rate(mean()), scores.is_rate(MEDIAN)
        (True, False)
        """
        if metric.percent or metric.form != "mean":
            return metric.percent
        block = self._singles
        at = self.positions(systems or self.systems)
        return _is_binary(block[:, at, self.columns.index(metric.columns[0])])

    def uneven(self, systems: Sequence[str] | None = None) -> int:
        """Count the items to which the systems, those that have them, gave unequal responses.

        Means of unequal numbers of responses follow different laws, be the systems the same: the
        mean of one 0/1 response beats that of five whenever it is 1 and they are not all.

        Examples
        --------
        >>> Scores.from_responses({"a": [[1, 2], [3]], "b": [[2, 2], [2, 4, 6]]}).uneven()
        1
        """
        if self.responses is None:
            return 0
        given = (~np.isnan(self.responses[:, self.positions(systems or self.systems)])).sum(axis=-1)
        fewest = np.where(given > 0, given, given.max(initial=1)).min(axis=1)
        return int(((given > fewest[:, None]).any(axis=(1, 2))).sum())

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
        """Say what becomes of several responses where means over items are compared."""
        if self.responses is None:
            return ()
        several = "several responses an item: their means are compared, items are the units"
        return several, *self.uneven_notes(systems)

    def uneven_notes(self, systems: Sequence[str] | None = None) -> tuple[str, ...]:
        """Say what can be compared where systems have unequal numbers of responses."""
        items = self.uneven(systems)
        if not items:
            return ()
        text = (
            f"unequal numbers of responses on {items:,} of {how_many(self.n, 'item')}: means are "
            "comparable, wins and losses are not; p is approximate, and too small where few items "
            "decide"
        )
        return (Note(text, EVEN, beside_verdict=True),)

    def measured(self, metric: str | Metric | None = None) -> Metric:
        """Return the metric asked for, or the mean of the only column, in the data's direction."""
        if metric is None and len(self.columns) > 1 and self.unmeasured.any():
            self.check_measured(mean(self.columns[0]))
        chosen = default(self.columns) if metric is None else resolve(metric, self.columns)
        return self.towards_better(chosen)

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, from the single items."""
        chosen = self.measured(metric)
        self.check_measured(chosen)
        at = [self.columns.index(column) for column in chosen.columns]
        places = self.positions(self.systems if systems is None else systems)
        if not places:
            raise UsageError("systems must name at least one; leave it out for all")
        arrays = {self.systems[k]: self.values[:, k][:, at] for k in places}
        precision = [self._precision(name, chosen) for name in arrays]
        return joint_of(arrays, chosen, self.clusters, source=self, precision=precision)

    def _precision(self, system: str, metric: Metric) -> Precision | None:
        """That of the columns of a metric, if all have the same."""
        known = {self.precision.get((system, column)) for column in metric.columns}
        return known.pop() if len(known) == 1 else None

    def labels(self, name: str) -> Labels:
        """One label column, or an error that lists those there are."""
        return self.groups[self._label(name)]

    def _label(self, name: str) -> str:
        """A label column by its name, in any case and with blanks or underscores."""
        alike = [own for own in self.groups if own == name]
        alike = alike or [own for own in self.groups if _plain(own) == _plain(str(name))]
        if len(alike) == 1:
            return alike[0]
        if name in self.indivisible:
            raise AlignmentError(self.indivisible[name])
        known = f"there are {first_few(self.groups)}" if self.groups else "there are none"
        close = closest(name, self.groups)
        raise UsageError(
            f"there is no label column {quote(name)}; {known}",
            *([Remedy("", "by", close)] if close else []),
        )

    def part_labels(self, name: str) -> Labels:
        """One label column, none of whose values is blank or was dropped."""
        name = self._label(name)
        labels = self.groups[name]
        blank = np.flatnonzero(are(labels, ""))
        if blank.size:
            raise AlignmentError(
                f"{how_many(blank.size, 'item', 'have')} no {name!r} "
                f"({first_few(self.item_names(blank))}): fill it in, or leave them out of the data"
            )
        if name in self.indivisible:
            raise AlignmentError(self.indivisible[name])
        return labels

    def parts(self, name: str) -> Iterator[tuple[str, Self]]:
        """The scores of each value of a label column, in the order of the values."""
        for label, rows in rows_by_label(self.part_labels(name)):
            yield label, replace(self.only(rows), notes=())

    def with_tasks(self, name: str) -> Self:
        """Return the same scores with one of the label columns as their tasks.

        Tasks weigh the same; that they are named declares that a metric has one scale on them.
        """
        return replace(self, tasks=self._label(name), tasks_declared=True)

    def by_task(self) -> dict[str, Self]:
        """The scores of each task, in the order of their names, with the metrics that it has."""
        if self.tasks is None:
            raise UsageError(
                "the data name no tasks", Remedy("name their column", "columns", {"task": COLUMN})
            )
        found = {}
        for task, rows in rows_by_label(self.part_labels(self.tasks)):
            part = self.only(rows)
            known = np.flatnonzero(~np.isnan(part.values).all(axis=(0, 1)))
            found[task] = replace(
                part,
                values=part.values[:, :, known],
                columns=tuple(part.columns[k] for k in known),
                responses=None if part.responses is None else part.responses[:, :, known],
                tasks=None,
                notes=(),
            )
        return found

    def check_measured(self, metric: Metric) -> None:
        """Check that all tasks have a metric."""
        if self.tasks is None:
            return
        at = [self.columns.index(column) for column in metric.columns]
        bad = self.unmeasured[:, at].any(axis=1)
        if bad.any():
            tasks = self.labels(self.tasks)
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
        at = [self.columns.index(column) for column in metric.columns]
        return self.only(np.flatnonzero(~self.unmeasured[:, at].any(axis=1)))

    def clustered_by(self, name: str | None) -> Self:
        """Return the same scores with one of the label columns as clusters."""
        return self if name is None else replace(self, clusters=self.labels(name))

    def item_names(self, at: NDArray[Any]) -> list[str]:
        """Ids of some items, or their positions counted from one."""
        return names_at(self.items, at)

    def _check(
        self, bad: NDArray[np.bool_], error: type[DataError], what: str, *remedies: Remedy
    ) -> None:
        """Check that there are no bad cells, or name the systems and items that have them."""
        lacking = [
            f"system {system!r} has {what} for {rows.size:,} of {how_many(self.n, 'item')} "
            f"({first_few(self.item_names(rows))})"
            for k, system in enumerate(self.systems)
            for rows in [np.flatnonzero(bad[:, k].any(axis=1))]
            if rows.size
        ]
        if lacking:
            more = f"; and {len(lacking) - MOST} more" if len(lacking) > MOST else ""
            raise error(f"{'; '.join(lacking[:MOST])}{more}", *remedies)


def _paired(
    arrays: Mapping[str, Any], items: Any, clusters: Any, groups: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any], Any | None]:
    """Bring the systems' arrays, and what goes along with them, into one order."""
    for what, mapping in (("arrays", arrays), ("groups", groups or {})):
        if not isinstance(mapping, Mapping) or any(map(is_missing, mapping)):
            raise UsageError(
                f"{what} must be a dictionary by name, as in {{'base': [0, 1], 'new': [1, 1]}}, "
                f"got {quote(mapping)}; data frames are read by bt.read(frame)"
            )
    if not arrays:
        raise DataError("there are no systems: pass at least one array of scores")
    along = {"items": items, "clusters": clusters}
    along |= {f"groups[{name!r}]": labels for name, labels in (groups or {}).items()}
    return aligned(arrays, {name: labels for name, labels in along.items() if labels is not None})


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def _columns(blocks: Mapping[str, Floats], columns: Sequence[str] | None) -> Sequence[str]:
    """Check that all systems have the same items and columns, and return the columns' names."""
    for name, block in blocks.items():
        if block.ndim not in (1, 2):
            raise DataError(
                f"system {name!r} must have the shape (items,) or (items, k), got {block.shape}"
            )
    lengths = {name: len(block) for name, block in blocks.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} has {k:,}" for name, k in lengths.items())
        raise AlignmentError(
            f"systems differ in their number of items ({listed}), and there are no ids to pair "
            "them by: pass scores of the same items, or Series whose index names them"
        )
    widths = {1 if block.ndim == 1 else block.shape[1] for block in blocks.values()}
    if len(widths) > 1:
        raise DataError("every system needs the same columns: arrays of (items,) or (items, k)")
    (width,) = widths
    if columns is None and width != 1:
        example = Choice(f"({', '.join(['NAME'] * width)})")
        raise UsageError(
            f"arrays have {width} columns, which have no names",
            Remedy("name them", "columns", example),
        )
    return columns or ("score",)


def _is_binary(values: Floats) -> bool:
    """Whether all values are 0 or 1, except for those that are missing."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def worst_value(values: Floats, metric: Metric | None) -> float:
    """Return the value that a missing score counts as, where the metric has a worst."""
    if metric is None or metric.form != "mean" or not _is_binary(values):
        raise UsageError(
            "only an accuracy or an error rate over 0/1 scores has a worst value",
            Remedy("leave the items without a score out", "missing", "drop"),
        )
    return 1.0 if metric.lower_is_better else 0.0
