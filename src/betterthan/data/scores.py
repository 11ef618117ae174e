"""Scores: the one noun. An immutable, aligned block of items x systems x columns.

Everything that reads data ends here, and everything that tests or ranks starts here. Pairing is by
item id where there are ids, by position only where there are none and the lengths agree; nothing
is dropped, averaged or filled in without being asked for and said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import (
    as_array,
    as_floats,
    column_names,
    columns_in_order,
    mean_of_present,
    named_arrays,
    rectangle,
)
from betterthan.data.labels import (
    Ids,
    Labels,
    check_names,
    check_unique,
    given_labels,
    whole_text,
)
from betterthan.data.missing import Missing, complete, is_binary
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.data.parts import LabelledItems
from betterthan.data.resolution import Precision
from betterthan.errors import (
    DataError,
    UsageError,
    how_many,
    no_truth_value,
)
from betterthan.metrics import Metric, default, mean, resolve
from betterthan.numeric import Floats

if TYPE_CHECKING:
    import polars as pl

SHARED = "sample"  # label of what several tasks have: two prompts to one question


@dataclass(frozen=True, slots=True, eq=False)
class Scores(LabelledItems):
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
        arrays, labels, index = named_arrays(arrays, items, clusters, groups)
        raw = {
            name: as_array(columns_in_order(x, columns or (), name), f"system {name!r}")
            for name, x in arrays.items()
        }
        blocks = {name: as_floats(array, f"system {name!r}") for name, array in raw.items()}
        columns = column_names(blocks, columns)
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
        systems, labels, index = named_arrays(responses, items, clusters, groups)
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
        return complete(self, missing, metric)  # type: ignore[return-value]

    @property
    def _singles(self) -> Floats:
        """The single responses, where there are several, or else the values."""
        return self.values if self.responses is None else self.responses

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
            shuffled=False,
            by_rows=False,
        )

    def of(self, system: str, columns: Sequence[str] | None = None) -> Floats:
        """One system's ``(items, columns)`` array, in the order a metric wants."""
        index = [self.columns.index(c) for c in columns or self.columns]
        block: Floats = self.values[:, self.position(system)][:, index]
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
        index = self.positions(systems or self.systems)
        return is_binary(block[:, index, self.columns.index(metric.columns[0])])

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
        index = [self.columns.index(column) for column in chosen.columns]
        places = self.positions(self.systems if systems is None else systems)
        if not places:
            raise UsageError("systems must name at least one; leave it out for all")
        arrays = {self.systems[k]: self.values[:, k][:, index] for k in places}
        precision = [self._precision(name, chosen) for name in arrays]
        return joint_of(arrays, chosen, self.clusters, source=self, precision=precision)

    def _precision(self, system: str, metric: Metric) -> Precision | None:
        """That of the columns of a metric, if all have the same."""
        known = {self.precision.get((system, column)) for column in metric.columns}
        return known.pop() if len(known) == 1 else None
