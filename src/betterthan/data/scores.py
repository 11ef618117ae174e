"""Scores: the one noun. An immutable, aligned block of items x systems x columns.

Everything that reads data ends here, and everything that tests or ranks starts here. Pairing is by
item id where there are ids, by position only where there are none and the lengths agree; nothing
is dropped, averaged or filled in without being asked for and said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import (
    LARGEST_FLOAT,
    aligned,
    as_floats,
    column_names,
    columns_in_order,
    mean_of_present,
    rectangle,
)
from betterthan.data.block import ITEMS_NEEDED, ScoreBlock
from betterthan.data.labels import Ids, check_unique, given_labels, whole_text
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    DataError,
    MissingScoresError,
    Remedy,
    UsageError,
    Where,
    first_few,
    how_many,
    listing,
    not_one_of,
    quote,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats

if TYPE_CHECKING:
    import polars as pl

Missing = Literal["error", "drop", "worst", "pairwise"]
DROP = Remedy("leave these items out for every system", "missing", "drop")
WORST = Remedy("count them as the worst score", "missing", "worst")
MOST = 3  # systems whose missing items are listed
SHARED = "sample"  # label of what several tasks have: two prompts to one question


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(ScoreBlock):
    """Per-item results of several systems, aligned.

    Build it with :meth:`from_arrays`, :meth:`from_responses` or :func:`betterthan.read`.

    Attributes
    ----------
    values : (items, systems, columns) array
        What each system got on each item; item means where there are several responses. Read-only.
        NaN marks a missing cell, and only ``missing="pairwise"`` lets it in.
    systems, columns : tuple of str
        Names, in the order of the axes. The first system is the baseline, unless ``order`` says
        otherwise.
    items : Ids or None
        Item ids, an array of str made when looked at; None when items were paired by position.
    responses : (items, systems, columns, responses) array or None
        The single responses (raters, seeds, epochs), NaN where an item has fewer.
    counts : (rows,) array of int or None
        How many items have each row of values, in a tally (:func:`betterthan.tally`) that holds
        distinct rows instead of the single items; None where every item is listed.
    clusters : array of str or None
        A label per item; items of one cluster are never treated as independent.
    groups : mapping of str to arrays of str
        Further labels per item, for breakdowns.
    lower_is_better : bool or None
        Direction of all columns, where it was declared.
    lower : frozenset of str
        Columns of which their source says that less is better.
    tasks : str or None
        Label column of tasks, each of which has its own metrics: a column that no system has on a
        task is not one of them, and NaN there.
    tasks_declared : bool
        Whether the user named that column, which declares that a metric has one scale on all
        tasks; tasks that a log names have one scale where their scores have one range.
    metric : str or None
        What is compared where nothing else is asked for, if that was stated.
    order : "given", "by rows" or "none"
        Where the order of the systems is from. With "none", as in a long table whose rows were
        shuffled, no system is the first; with "by rows", as in other long tables, JSON or a folder,
        the first is the baseline, except in gates.
    source : str
        What was read and how it was understood, on one line.
    notes : tuple of str
        What the reader should know about the data.
    indivisible : mapping of str to str
        Columns by which items cannot be divided, and why: rows of one item differ, or a part has
        no items left.
    """

    def __repr__(self) -> str:
        """Return the size of the block: columns and clusters where there are any to speak of."""
        rows, systems, columns = self.values.shape
        axes = [(self.n, "item"), (systems, "system"), *[(columns, "column")] * (columns > 1)]
        block = " x ".join(how_many(*axis) for axis in axes)
        if self.clusters is not None:
            block += f", {how_many(len(set(self.clusters.tolist())), 'cluster')}"
        if self.counts is not None:
            block += f", in {how_many(rows, 'distinct row')}"
        return f"<Scores: {block}>"

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

        if self.counts is not None:
            raise UsageError(f"a table of items {ITEMS_NEEDED}")
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
        lower_is_better: bool | None = None,
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
        systems, labels = _in_order(arrays, items, clusters, groups)
        blocks = {
            name: as_floats(columns_in_order(x, columns or (), name), f"system {name!r}")
            for name, x in systems.items()
        }
        names = column_names(blocks, columns)
        return cls(
            values=np.stack([x[:, None] if x.ndim == 1 else x for x in blocks.values()], axis=1),
            systems=tuple(blocks),
            columns=tuple(map(whole_text, names)),
            lower_is_better=lower_is_better,
            **labels,
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
        lower_is_better: bool | None = None,
    ) -> Self:
        """Scores from several responses an item: per system a list of items, each a list.

        Items may have different numbers of responses; their mean is what ``values`` holds. An
        array or a frame has a row per item, NaN where it has fewer.

        Examples
        --------
        >>> Scores.from_responses({"a": [[1, 2], [3]], "b": [[2], [2, 4, 6]]}).values[:, :, 0]
        array([[1.5, 2. ],
               [3. , 4. ]])
        """
        systems, labels = _in_order(responses, items, clusters, groups)
        blocks = {name: rectangle(rows, f"system {name!r}") for name, rows in systems.items()}
        column_names({name: mean_of_present(block) for name, block in blocks.items()}, None)
        depth = max(block.shape[1] for block in blocks.values())
        padded = [
            np.pad(x, ((0, 0), (0, depth - x.shape[1])), constant_values=np.nan)
            for x in blocks.values()
        ]
        block = np.stack(padded, axis=1)[:, :, None, :]
        return cls(
            values=mean_of_present(block),
            systems=tuple(blocks),
            columns=(whole_text(column),),
            responses=block,
            lower_is_better=lower_is_better,
            **labels,
        ).completed("error")

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
        block = self.values if self.responses is None else self.responses
        index = self.positions(systems or self.systems)
        return is_binary(block[:, index, self.columns.index(metric.columns[0])])

    def completed(self, missing: Missing, metric: Metric | None = None) -> Self:
        """Treat missing cells as the user chose.

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


def _in_order(
    arrays: Mapping[str, Any], items: Any, clusters: Any, groups: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Bring the systems' arrays and the labels of items into one order, and check the labels."""
    for what, mapping in (("arrays", arrays), ("groups", groups or {})):
        if not isinstance(mapping, Mapping):
            raise UsageError(
                f"{what} must be a dictionary by name, as in {{'base': [0, 1], 'new': [1, 1]}}, "
                f"got {quote(mapping)}; data frames are read by bt.read(frame)"
            )
    if not arrays:
        raise DataError("there are no systems: pass at least one array of scores")
    named = {f"groups[{name!r}]": labels for name, labels in (groups or {}).items()}
    along = {"items": items, "clusters": clusters, **named}
    systems, along, index = aligned(arrays, along)
    along["items"] = index if items is None else along["items"]
    labels = {
        name: None if x is None else given_labels(x, name, blank="" if name in named else None)
        for name, x in along.items()
    }
    ids = labels["items"]
    if ids is not None:
        check_unique("item", ids.tolist())
    return {whole_text(str(name)): array for name, array in systems.items()}, {
        "items": None if ids is None else Ids(ids),
        "clusters": labels["clusters"],
        "groups": {whole_text(str(x)): labels[f"groups[{x!r}]"] for x in groups or ()},
    }


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
