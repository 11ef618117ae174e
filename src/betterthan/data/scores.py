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

from betterthan.blame import blames_arguments
from betterthan.checks import several
from betterthan.data.arrays import (
    LARGE,
    LARGEST_FLOAT,
    TOO_LARGE,
    refuse_lost,
    refuse_lost_fractions,
)
from betterthan.data.checked_names import check_names, check_unique
from betterthan.data.frames.alignment import align, understood
from betterthan.data.frames.evidence import refuse_other_units
from betterthan.data.frames.foreign import to_polars
from betterthan.data.frames.index_column import with_index
from betterthan.data.frames.reader_options import Options, documented, names_given
from betterthan.data.frames.roles import plain
from betterthan.data.frames.typed_rows import TypedRows, typed_rows
from betterthan.data.given import as_array, given_labels, is_missing
from betterthan.data.ids import Ids, Labels, are, names_at, rows_by_label, whole_text
from betterthan.data.indexed import aligned, columns_in_order
from betterthan.data.lost_parts import lost_parts
from betterthan.data.named_systems import NamedSystems
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.values import (
    Missing,
    as_floats,
    has_worst,
    mean_of_present,
    rectangle,
    worst_value,
    zeros_and_ones,
)
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    BadValueError,
    Choice,
    DataError,
    FormatError,
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

EVEN = Remedy("give every system as many responses to an item")
MOST = 3  # systems whose lacking items are listed
SHARED = "sample"  # label of what several tasks have: two prompts to one question


def _own(values: Floats) -> Floats:
    """Values in memory of our own, where they are still in somebody else's."""
    root = values
    while isinstance(root.base, np.ndarray):
        root = root.base
    return values if root.base is None else values.copy()


def _paired(
    arrays: Mapping[str, Any], items: Any, clusters: Any, groups: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any], Any | None]:
    """Bring what was given for systems, and what goes along with them, into one order."""
    for what, given in (("arrays", arrays), ("groups", groups or {})):
        if not isinstance(given, Mapping):
            raise UsageError(
                f"{what} are given by their names, as in {{'base': [0, 1], 'new': [1, 1]}}, and a "
                f"{type(given).__name__} was given; data frames are read by bt.read(frame)"
            )
        for name in filter(is_missing, given):
            raise UsageError(f"{what} are given by their names, and {name} is none: name it")
    if not arrays:
        raise DataError("there are no systems: give at least one array of scores")
    along = {"items": items, "clusters": clusters}
    along |= {f"groups[{name!r}]": labels for name, labels in (groups or {}).items()}
    return aligned(arrays, {name: labels for name, labels in along.items() if labels is not None})


@dataclass(frozen=True, slots=True, eq=False)
class Scores(NamedSystems):
    """Per-item results of several systems, aligned.

    Build it with :meth:`from_arrays`, :meth:`from_responses`, :meth:`from_frame` or
    :func:`betterthan.read`.

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

    def __post_init__(self) -> None:
        n = len(self.values)
        if self.values.shape != (n, len(self.systems), len(self.columns)):
            raise DataError(
                f"values have shape {self.values.shape}, which is not items x "
                f"{len(self.systems)} systems x {len(self.columns)} columns"
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
    @blames_arguments
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
        arrays, labels, index = _paired(arrays, items, clusters, groups)
        ids = labels.get("items", index)
        given = {
            name: as_array(columns_in_order(x, columns or (), name), f"system {name!r}")
            for name, x in arrays.items()
        }
        blocks = {name: as_floats(array, f"system {name!r}") for name, array in given.items()}
        if any(array.dtype == object for array in given.values()):
            refuse_lost_fractions(list(given.values()))
        if single := [name for name, block in blocks.items() if not block.ndim]:
            raise UsageError(f"system {single[0]!r} has a single value: give one score an item")
        blocks = {name: b[:, None] if b.ndim == 1 else b for name, b in blocks.items()}
        lengths = {name: len(block) for name, block in blocks.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name!r} has {k:,}" for name, k in lengths.items())
            raise AlignmentError(
                f"systems differ in their number of items ({listed}), and there are no ids to pair "
                "them by: pass scores of the same items, or Series whose index names them"
            )
        widths = {block.shape[1:] for block in blocks.values()}
        if len(widths) > 1 or any(len(w) != 1 for w in widths):
            raise DataError("every system needs the same columns: arrays of (items,) or (items, k)")
        (width,) = next(iter(widths))
        if columns is None:
            if width != 1:
                example = Choice(f"({', '.join(['NAME'] * width)})")
                raise UsageError(
                    f"arrays have {width} columns, which have no names",
                    Remedy("name them", "columns", example),
                )
            columns = ("score",)
        if metric is not None and not isinstance(metric, Metric):
            raise UsageError(
                f"metric must be a Metric, which knows the worst score, got {quote(metric)}"
            )
        names = None if ids is None else given_labels(ids, "items")
        if names is not None:
            check_unique("item", names.tolist())
        scores = cls(
            values=np.stack(list(blocks.values()), axis=1),
            systems=tuple(whole_text(str(name)) for name in blocks),
            columns=tuple(map(whole_text, columns)),
            items=None if names is None else Ids(names),
            clusters=None if clusters is None else given_labels(labels["clusters"], "clusters"),
            groups={
                whole_text(str(name)): given_labels(labels[f"groups[{name!r}]"], name, blank="")
                for name in groups or ()
            },
            lower_is_better=lower_is_better,
        )
        if width == 1 and not lower_is_better:
            refuse_other_units(scores.systems, scores.values[:, :, 0], "the arrays")
        return scores.completed(missing, metric)

    @classmethod
    @blames_arguments
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
        given, labels, index = _paired(responses, items, clusters, groups)
        blocks = {name: rectangle(rows, f"system {name!r}") for name, rows in given.items()}
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

    @classmethod
    @blames_arguments
    @documented
    def from_frame(cls, frame: Any, **options: Any) -> Self:
        """Scores from any data frame (polars, pandas, pyarrow ...), its layout told by its columns.

        A table with a system column is long: one row per item and system; its columns of numbers
        are the scores (or, where there is a metric column, its metrics are). Without one it is
        wide, one column of numbers per system; or it holds the scores of a single system, when its
        columns are named so (``score``, ``correct``, ``tp`` ...). Columns of text are labels of the
        items. The index of a pandas frame is a column like any other, and names the items where no
        column does; one that only counts the rows is left out.

        Parameters
        ----------
        frame : data frame
            Anything that narwhals knows.
        **options
            The fields of :class:`betterthan.data.frames.reader_options.Options`.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"id": ["q1", "q2"], "base": [0, 1], "new": [1, 1]})
        >>> Scores.from_frame(frame).source
        'wide table · item=id · systems base, new · 2 items paired by id'
        """
        if options.get("systems") is not None:
            options["systems"] = several("systems", options["systems"])
        frame, given = with_index(frame, Options(**options))
        return cls.from_rows(typed_rows(to_polars(frame), given), given, borrowed=True)

    @classmethod
    def from_rows(cls, rows: TypedRows, options: Options, *, borrowed: bool = False) -> Self:
        """Scores from rows whose columns have found their roles; what readers end in.

        Rows that are ``borrowed`` from the caller's frame are copied: he may change them.
        """
        named = options.systems is not None and rows.layout != "wide"
        chosen = names_given(options.systems, rows.systems) if named else []
        rows = rows.of_systems(chosen) if chosen else rows
        block, metric, clusters = align(rows, options)
        if len(block.columns) == 1:
            pair = names_given(options.opponents, block.systems) if options.opponents else ()
            refuse_other_units(
                block.systems,
                block.values[:, :, 0],
                rows.origin,
                named=(*chosen, options.baseline, *pair),
                percent=rows.percent,
                cost=options.lower_is_better or block.columns[0] in rows.lower,
            )
        if rows.tasks is not None and rows.tasks not in block.groups:
            raise FormatError(
                f"{rows.origin}: {rows.tasks!r} does not name one task per item, shared by several "
                "items",
                *(Remedy("", "columns", {"task": name}) for name in [*block.groups][:3]),
            )
        if rows.empty:
            block = block._replace(notes=(*block.notes, *rows.empty_notes))
        if borrowed:
            block = block._replace(values=_own(block.values))
        total = len(block.values)
        scores = made = cls(
            **block._asdict(),
            lower_is_better=options.lower_is_better,
            lower=rows.lower,
            tasks=rows.tasks,
            tasks_declared=options.tasks is not None,
            by_rows=rows.by_rows,
            source=understood(rows, block, total=total, clusters=clusters),
        )
        if chosen:
            scores = scores.select(*chosen)
        elif scores.shuffled:
            ordered = scores.select(*sorted(scores.systems))
            scores = replace(ordered, shuffled=True, by_rows=scores.by_rows)
        done = scores.completed(options.missing, metric)
        if done is made:
            return made
        kept = block._replace(
            **{name: getattr(done, name) for name in ("systems", "values", "responses", "clusters")}
        )
        if done.clusters is not None and len(done.values) < total:
            clusters = len(set(done.clusters))
        return replace(done, source=understood(rows, kept, total=total, clusters=clusters))

    def completed(self, missing: Missing, metric: Metric | None = None) -> Self:
        """Treat cells that nobody has as the user chose.

        ``"error"`` names them, ``"drop"`` leaves out items that any system lacks, ``"worst"`` gives
        the metric's worst value, ``"pairwise"`` keeps the holes for methods that can use them.
        """
        if missing not in ("error", "drop", "worst", "pairwise"):
            raise not_one_of("missing", missing, get_args(Missing))
        largest = max(self.values.max(), -self.values.min()) if self.values.size else 0.0
        if largest < LARGE:  # so none is NaN
            return self
        infinite = np.isinf(self.values)
        if infinite.any():
            self._refuse(infinite, BadValueError, "infinite scores")
        huge = np.abs(self.values) > LARGEST_FLOAT
        if huge.any():
            self._refuse(huge, BadValueError, f"{TOO_LARGE} (divide all by one number)")
        refuse_lost(list(self.values.swapaxes(0, 1)))
        holes = np.isnan(self.values) & ~self.unmeasured[:, None]
        if not holes.any() or missing == "pairwise":
            return self
        if missing == "error":
            remedies = [Remedy("leave these items out for every system", "missing", "drop")]
            if has_worst(self.values, metric):
                remedies.append(Remedy("count them as the worst score", "missing", "worst"))
            self._refuse(holes, MissingScoresError, "no score", *remedies)
        if missing == "drop":
            keep = np.flatnonzero(~holes.any(axis=(1, 2)))
            if not keep.size:
                raise AlignmentError("no item has a score from every system: nothing is left")
            dropped = self.n - keep.size
            note = f"{dropped:,} of {self.n:,} items dropped: a system has no score there"
            kept = self.only(keep)
            lacking = np.asarray(holes.any(axis=2))
            lost = lost_parts(self.groups, self.systems, lacking)
            return replace(
                kept,
                notes=(*self.notes, note),
                indivisible={**self.indivisible, **lost},
            )
        if self.unmeasured.any():
            raise UsageError(
                "tasks with different metrics have no worst value in common",
                Remedy("leave these items out for every system", "missing", "drop"),
                Remedy("read one task at a time", "where", {self.tasks: Choice("TASK")}),
            )
        singles = self.values if self.responses is None else self.responses
        worst = worst_value(singles, metric)
        filled = np.where(holes, worst, self.values)
        responses = self.responses
        if responses is not None:  # as many as others gave to the item, all of them the worst
            most = (~np.isnan(responses)).sum(axis=-1).max(axis=1, keepdims=True)
            absent = np.arange(responses.shape[-1]) < np.maximum(most, 1)[..., None]
            responses = np.where(holes[..., None] & absent, worst, responses)
        note = f"{int(holes.sum()):,} missing scores counted as the worst value, {worst:g}"
        return replace(self, values=filled, responses=responses, notes=(*self.notes, note))

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

    @blames_arguments
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

    @blames_arguments
    def of(self, system: str, columns: Sequence[str] | None = None) -> Floats:
        """One system's ``(items, columns)`` array, in the order a metric wants."""
        at = [self.columns.index(c) for c in columns or self.columns]
        block: Floats = self.values[:, self.position(system)][:, at]
        return block

    @blames_arguments
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
        block = self.values if self.responses is None else self.responses
        at = self.positions(systems or self.systems)
        return zeros_and_ones(block[:, at, self.columns.index(metric.columns[0])])

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
            self.refuse_other_metrics(mean(self.columns[0]))
        chosen = default(self.columns) if metric is None else resolve(metric, self.columns)
        return self.towards_better(chosen)

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, from the single items."""
        chosen = self.measured(metric)
        self.refuse_other_metrics(chosen)
        at = [self.columns.index(column) for column in chosen.columns]
        places = self.positions(self.systems if systems is None else systems)
        if not places:
            raise UsageError("systems must name at least one; leave it out for all")
        arrays = {self.systems[k]: self.values[:, k][:, at] for k in places}
        return joint_of(arrays, chosen, self.clusters, source=self)

    @blames_arguments
    def labels(self, name: str) -> Labels:
        """One label column, or an error that lists those there are."""
        return self.groups[self._label(name)]

    def _label(self, name: str) -> str:
        """A label column as it is spelled, which options need not do as to its case and blanks."""
        if not isinstance(name, str):
            raise UsageError(f"label columns are named by text, not by {quote(name)}")
        if name in self.groups:
            return name
        alike = [own for own in self.groups if plain(own) == plain(name)]
        if len(alike) == 1:
            return alike[0]
        if name in self.indivisible:
            raise AlignmentError(self.indivisible[name])
        known = f"there are {first_few(self.groups)}" if self.groups else "there are none"
        close = closest(name, self.groups)
        raise UsageError(
            f"there is no label column {name!r}; {known}",
            *([Remedy("", "by", close)] if close else []),
        )

    def part_labels(self, name: str) -> Labels:
        """One label column whose values are told apart: none is blank, or gone without a word."""
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

    @blames_arguments
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

    def refuse_other_metrics(self, metric: Metric) -> None:
        """Say so where a metric is none of some task's."""
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

    @blames_arguments
    def clustered_by(self, name: str | None) -> Self:
        """Return the same scores with one of the label columns as clusters."""
        return self if name is None else replace(self, clusters=self.labels(name))

    @blames_arguments
    def item_names(self, at: NDArray[Any]) -> list[str]:
        """Ids of some items, or their positions counted from one."""
        return names_at(self.items, at)

    def _refuse(
        self, bad: NDArray[np.bool_], error: type[DataError], what: str, *remedies: Remedy
    ) -> None:
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
