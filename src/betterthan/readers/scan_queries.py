"""What an engine is asked: distinct rows and their counts, and whether ids are sound.

Queries are written in narwhals, so that they are the same for polars, DuckDB, Ibis, Dask and Spark.
Nothing is summed but whole numbers: a tally does not depend on order, partitions or threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np

from betterthan.data.frames.cells import ids
from betterthan.data.labels import check_parts
from betterthan.data.resolution import Real, resolution
from betterthan.data.tallied import ClusterRows, Rows, no_cluster_sums
from betterthan.data.tally import Tally
from betterthan.errors import (
    FIRST,
    AlignmentError,
    BadValueError,
    Choice,
    FormatError,
    MissingScoresError,
    Remedy,
    first_few,
    how_many,
)

if TYPE_CHECKING:
    import polars as pl

    Lazy = nw.LazyFrame[Any]

AT_ONCE = 10_000_000  # ids that are grouped at once, where they are not in order
MARKS = 1 << 29  # bytes with which whole-number ids are marked
LARGEST_ID = 1 << 62
VALUE, HELD, COUNT, SIZE = "bt_value_", "bt_held_", "bt_count", "bt_size"
CLUSTER, LABEL, ITEM = "bt_cluster", "bt_label", "bt_item_"
ALIKE, NAMED = "bt_alike_", "bt_named"


@dataclass(frozen=True, slots=True, eq=False)
class ScannedItems:
    """One row per item in an engine: its values, cluster and label, under names of our own.

    Attributes
    ----------
    frame : narwhals LazyFrame
        The rows.
    where : str
        What messages call it.
    item : int
        How many columns make up the item's id.
    systems : tuple of str
        Names of the systems, one block of columns each.
    width : int
        Columns of a system.
    held : bool
        Whether the rows were put together from several, and count how many each system has.
    clustered, labelled : bool
        Whether there are such columns.
    parts : tuple of narwhals LazyFrame
        The same rows in parts that fit into memory, where they do not together.
    """

    frame: "Lazy"
    where: str
    item: int
    systems: tuple[str, ...]
    width: int
    held: bool = False
    clustered: bool = False
    labelled: bool = False
    parts: "tuple[Lazy, ...]" = ()
    values: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(f"{VALUE}{k}" for k in range(len(self.systems) * self.width))
        object.__setattr__(self, "values", names)

    @property
    def _checks(self) -> list[str]:
        """Columns that are 1 in every row of sound data."""
        if not self.held:
            return []
        alike = [name for name, has in ((CLUSTER, self.clustered), (LABEL, self.labelled)) if has]
        return [
            *(f"{HELD}{s}" for s in range(len(self.systems))),
            NAMED,
            *(ALIKE + n for n in alike),
        ]

    def tallied(self) -> tuple[Rows, dict[str, Rows]]:
        """Distinct rows of all items, and of those of each label."""
        rows = self._distinct()
        self._refuse_bad(rows)
        values = rows.select(self.values).cast(_float()).to_numpy()
        counts = rows[COUNT].to_numpy().astype(np.int64)
        labels = _spelled(rows[LABEL], self.where) if self.labelled else None
        distinct = [] if labels is None else labels.unique().sort().to_list()
        check_parts(distinct, int(counts.sum()))
        clusters: dict[str | None, ClusterRows] = {}
        if self.clustered:
            numbers = resolution([values], n=int(counts.sum()))
            if isinstance(numbers, Real):
                raise no_cluster_sums(self.where)
            unit = numbers.unit
            if not (np.rint(values * _per(unit)) == numbers.integers[0]).all():
                raise no_cluster_sums(self.where)
            clusters[None] = self._sums(unit, None)[None]
            if labels is not None:
                clusters |= self._sums(unit, LABEL)

        def of(label: str | None) -> Rows:
            here = slice(None) if label is None else (labels == label).to_numpy()  # type: ignore[union-attr]
            return Rows(Tally.of(list(values[here].T), counts[here]), clusters.get(label))

        return of(None), {label: of(label) for label in distinct}

    def _distinct(self) -> "pl.DataFrame":
        """Distinct rows and counts; those of several parts may list one more than once."""
        import polars as pl  # noqa: PLC0415 (heavy)

        keys = [*self.values, *self._checks, *([LABEL] if self.labelled else [])]
        return pl.concat(
            collected(part.group_by(keys).agg(nw.len().alias(COUNT)))
            for part in self.parts or (self.frame,)
        )

    def _sums(self, unit: Fraction, label: str | None) -> "dict[str | None, ClusterRows]":
        """Distinct sums over clusters, in whole numbers of the unit."""
        schema = self.frame.collect_schema()
        whole = [
            nw.col(name).cast(nw.Int64)
            if unit == 1 and schema[name].is_integer()
            else (nw.col(name).cast(nw.Float64) * _per(unit)).round(0).cast(nw.Int64)
            for name in self.values
        ]
        keys = [CLUSTER] if label is None else [CLUSTER, label]
        items = self.frame.select(
            *keys, *(made.alias(name) for made, name in zip(whole, self.values, strict=True))
        )
        sums = items.group_by(keys).agg(
            *(nw.col(name).sum() for name in self.values), nw.len().alias(SIZE)
        )
        blank = collected(sums.filter(nw.col(CLUSTER).is_null()).head(1))
        if len(blank):
            raise AlignmentError(
                f"{self.where}: {how_many(blank[SIZE][0], 'item', 'have')} no cluster: fill it in"
            )
        rest = [*([] if label is None else [label]), *self.values, SIZE]
        rows = collected(sums.group_by(rest).agg(nw.len().alias(COUNT)))
        if label is None:
            return {None: self._cluster_rows(rows, unit)}
        spelled = _spelled(rows[label], self.where)
        return {
            name: self._cluster_rows(rows.filter(spelled == name), unit)
            for name in spelled.unique().to_list()
        }

    def _cluster_rows(self, rows: "pl.DataFrame", unit: Fraction) -> ClusterRows:
        columns = [rows[name].to_numpy().astype(np.int64) for name in (*self.values, SIZE)]
        made = Tally.of(columns, rows[COUNT].to_numpy().astype(np.int64))
        return ClusterRows(made.rows[:, :-1], made.rows[:, -1], made.counts, unit)

    def _refuse_bad(self, rows: "pl.DataFrame") -> None:
        """Look for unsound rows among the distinct ones; only then ask for examples."""
        import polars as pl  # noqa: PLC0415 (heavy)

        if rows.is_empty():
            raise FormatError(f"{self.where} has no rows: there is nothing to compare")
        for s, system in enumerate(self.systems if self.held else ()):
            name = f"{HELD}{s}"
            for bad, what in ((pl.col(name) == 0, "lacks"), (pl.col(name) > 1, "repeats")):
                found = rows.filter(bad)
                if len(found):
                    asked = nw.col(name) == 0 if what == "lacks" else nw.col(name) > 1
                    self._refuse_items(system, what, int(found[COUNT].sum()), asked)
        for name in self._checks[len(self.systems) :] if self.held else ():
            found = rows.filter(pl.col(name).ne_missing(1))
            if len(found) and name == NAMED:
                raise AlignmentError(f"{self.where}: some rows have no item: fill them in")
            if len(found):
                what = "cluster" if name.endswith(CLUSTER) else "label"
                number = int(found[COUNT].sum())
                told = self._examples(nw.col(name) != 1, number)
                raise AlignmentError(
                    f"{self.where}: {how_many(number, 'item', 'have')} more than one {what} "
                    f"({told}): correct them"
                )
        for k, name in enumerate(self.values):
            system = self.systems[k // self.width]
            as_float = pl.col(name).cast(pl.Float64)
            found = rows.filter(as_float.is_null() | as_float.is_nan())
            if len(found):
                asked = nw.col(name).is_null()
                if rows.schema[name].is_float():
                    asked |= nw.col(name).is_nan()
                self._refuse_items(system, "has no score for", int(found[COUNT].sum()), asked)
            if len(rows.filter(as_float.is_infinite())):
                raise BadValueError(
                    f"{self.where}: system {system!r} has infinite scores: correct them"
                )
            beyond = rows.filter(as_float.abs() > 2.0**53)
            if rows.schema[name].is_integer() and len(beyond):
                raise BadValueError(
                    f"{self.where}: system {system!r} has a score of {beyond[name][0]}, a whole "
                    "number beyond 2^53",
                    Remedy("if it is an id, name the systems", "systems", Choice("A,B")),
                )

    def _refuse_items(self, system: str, what: str, number: int, bad: nw.Expr) -> NoReturn:
        told = self._examples(bad, number)
        if what == "repeats":
            raise AlignmentError(
                f"{self.where}: system {system!r} has {how_many(number, 'item')} more than once "
                f"({told}): remove the duplicates",
                Remedy("ids count anew within a document", "columns", {"item": TWO_COLUMNS}),
            )
        raise MissingScoresError(
            f"{self.where}: system {system!r} has no score for {how_many(number, 'item')} "
            f"({told}): fill it in, or leave the item out"
        )

    def _examples(self, bad: nw.Expr, number: int) -> str:
        """Ids of a few of so many rows; of tables without ids, nothing."""
        if not self.item:
            return "its items have no ids"
        names = [f"{ITEM}{k}" for k in range(self.item)]
        found = collected(self.frame.filter(bad).select(names).sort(names).head(FIRST))
        return first_few(ids([found[name] for name in names]).to_list(), number)

    def refuse_duplicates(self) -> None:
        """Refuse ids that occur twice, or are blank, of a table with a row per item."""
        names = [f"{ITEM}{k}" for k in range(self.item)]
        if not names:
            return
        frame = self.frame.select(names)
        native = frame.to_native()
        if _in_order(native, names) or _all_marked(native, names):
            return
        blank = collected(frame.filter(is_blank(frame, names)).select(nw.len()))
        if number := int(blank.item()):
            raise AlignmentError(
                f"{self.where}: {how_many(number, 'row', 'have')} no item: fill it in"
            )
        for part in in_parts(frame, names):
            twice = part.group_by(names).agg(nw.len().alias(COUNT)).filter(nw.col(COUNT) > 1)
            found = collected(twice.sort(names).head(FIRST + 1))
            if len(found):
                told = first_few(ids([found[name] for name in names]).to_list()[:FIRST])
                told += " and more" * (len(found) > FIRST)
                raise AlignmentError(
                    f"{self.where}: items occur more than once ({told}): remove the duplicates",
                    Remedy("ids count anew within a document", "columns", {"item": TWO_COLUMNS}),
                )


TWO_COLUMNS = Choice("COLUMN+COLUMN")


def is_blank(frame: "Lazy", names: Sequence[str]) -> nw.Expr:
    """Whether any of the columns that make up an id is null, or text without a letter."""
    schema = frame.collect_schema()
    blank = [nw.col(name).is_null() for name in names]
    blank += [nw.col(name) == "" for name in names if schema[name] == nw.String]
    blank += [nw.col(name).is_nan() for name in names if schema[name].is_float()]
    return reduce(or_, blank)


def collected(frame: "Lazy") -> "pl.DataFrame":
    """Run a query; polars in its streaming engine, which holds a part of the data at a time."""
    import polars as pl  # noqa: PLC0415 (heavy)

    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    made: pl.DataFrame = frame.collect("polars").to_native()
    return made


def _in_order(native: object, names: Sequence[str]) -> bool:
    """Whether ids rise from row to row, so that none can occur twice; told in one pass."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if len(names) != 1 or not isinstance(native, pl.LazyFrame):
        return False
    if not hasattr(native, "collect_batches"):
        return False
    last = None
    for batch in native.collect_batches(maintain_order=True, engine="streaming"):
        column = batch[names[0]]
        if not len(column):
            continue
        if column.null_count() or column.dtype.is_float() or column.dtype.is_nested():
            return False  # some are not compared, or not as they are spelled
        if not (column[1:] > column[:-1]).all() or (last is not None and column[0] <= last):
            return False
        last = column[-1]
    return True


def _all_marked(native: object, names: Sequence[str]) -> bool:
    """Whether whole-number ids are all different: each marks a place of its own, in one pass."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if len(names) != 1 or not isinstance(native, pl.LazyFrame):
        return False
    if not (native.collect_schema()[names[0]].is_integer() and hasattr(native, "collect_batches")):
        return False
    column = pl.col(names[0])
    ends = native.select(low=column.min(), high=column.max(), rows=pl.len())
    low, high, rows = ends.collect(engine="streaming").row(0)
    if low is None or high - low >= min(8 * rows, MARKS) or max(-low, high) > LARGEST_ID:
        return False
    marked = np.zeros(high - low + 1, dtype=np.bool_)
    for batch in native.collect_batches(maintain_order=False, engine="streaming"):
        if batch[names[0]].null_count():
            return False
        marked[batch[names[0]].to_numpy().astype(np.int64) - low] = True
    return int(np.count_nonzero(marked)) == int(rows)


def in_parts(frame: "Lazy", names: Sequence[str], rows: int = 1) -> "list[Lazy]":
    """Rows in parts that fit into memory, equal ids together; other engines see to it.

    ``rows`` says how many rows an id has.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    native = frame.to_native()
    if not isinstance(native, pl.LazyFrame):
        return [frame]
    number = int(collected(frame.select(nw.len())).item())
    parts = math.ceil(number / (AT_ONCE * rows))
    if parts <= 1:
        return [frame]
    code = pl.struct(names).hash() % parts
    return [nw.from_native(native.filter(code == k)) for k in range(parts)]


def _spelled(labels: "pl.Series", where: str) -> "pl.Series":
    spelled = ids([labels])
    if spelled.null_count() or (spelled == "").any():
        raise AlignmentError(f"{where}: some items have no label: fill them in")
    return spelled


def _per(unit: Fraction) -> float:
    return unit.denominator / unit.numerator


def _float() -> Any:
    import polars as pl  # noqa: PLC0415 (heavy)

    return pl.Float64
