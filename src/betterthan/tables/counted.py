"""Distinct rows of a table and how often each occurs, grouped and counted where the table is.

The queries are the same for polars, DuckDB, Ibis, Dask and Spark. Nothing is summed but integers,
so that a tally does not depend on the order of rows, partitions or threads: it equals that of the
single items to the last digit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from betterthan import errors
from betterthan.data.tallied import Rows
from betterthan.data.tally import Tally
from betterthan.errors import Remedy, first_few, how_many
from betterthan.tables import rows as typed_rows
from betterthan.tables.cells import joined, texts

Lazy = nw.LazyFrame[Any]
READ_ITEMS = Remedy("hold the single items", "items", True)
ITEM, CLUSTER, LABEL, SYSTEM, VALUE, ROWS, COUNT, FLAG = (
    f"bt_{name}_" for name in "item cluster label system value rows count flag".split()
)
FAULTS = (
    (errors.MissingScoresError, "without a score: fill it in, or leave the item out"),
    (errors.AlignmentError, "with a score more than once: remove the duplicates"),
    (errors.AlignmentError, "whose rows differ in their cluster or label: correct them"),
    (errors.AlignmentError, "without an id, a cluster or a label: fill it in"),
)
"""What can be wrong with an item, numbered from 1; of several faults the last is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What is counted, in columns with the names of this module: ``bt_item_0``, ``bt_value_0`` ...

    Each of the ``systems`` has ``width`` columns of values, one block after the other. In a long
    table all share ``width`` columns, and ``raw`` are the values of its column of systems by which
    each system is called.
    """

    where: str
    ids: tuple[str, ...]
    clusters: tuple[str, ...]
    label: tuple[str, ...]
    systems: tuple[str, ...]
    width: int = 1
    raw: tuple[Sequence[Any], ...] = ()

    @property
    def values(self) -> list[str]:
        """Values of an item, one block of columns per system."""
        return [f"{VALUE}{k}" for k in range(self.width * len(self.systems))]

    @property
    def rows(self) -> list[str]:
        """Columns that count the rows which an item of a long table has of each system."""
        return [f"{ROWS}{k}" for k in range(len(self.raw))]

    @property
    def shared(self) -> tuple[str, ...]:
        """Columns that have one value per item."""
        return *self.clusters, *self.label


def collected(frame: Lazy) -> pl.DataFrame:
    """Run a query; polars in its streaming engine, which holds a part of the data at a time."""
    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        try:
            return native.collect(engine="streaming")
        except pl.exceptions.PanicException as panic:  # a defect of polars, on odd data
            raise pl.exceptions.ComputeError(str(panic)) from panic
    result: pl.DataFrame = frame.collect("polars").to_native()
    return result


def with_numbers(frame: Lazy, scores: Sequence[str], head: typed_rows.Rows) -> Lazy:
    """Make numbers of scores, as in the first rows, and blanks of text that is not a number."""
    schema = frame.collect_schema()
    text = [name for name in scores if schema[name] == nw.String]
    other = [name for name in scores if schema[name] == nw.Boolean or schema[name].is_decimal()]
    known = [name for name in scores if name in other or schema[name].is_numeric()]
    native = frame.with_columns(nw.col(name).cast(nw.Float64) for name in other).to_native()
    if len(known) + len(text) < len(scores) or (text and not isinstance(native, pl.LazyFrame)):
        raise errors.FormatError(f"{head.origin}: scores must be numbers to be counted", READ_ITEMS)
    cells = pl.col(text).str.strip_chars()
    if "true/false as 1/0" in head.written:
        cells = cells.str.to_lowercase().replace(["true", "false"], ["1", "0"])
    native = native.with_columns(cells.cast(pl.Float64, strict=False)) if text else native
    result: Lazy = nw.from_native(native)
    return result


def tallied(frame: Lazy, counting: Counting) -> tuple[Rows, dict[str, Rows]]:
    """Return the distinct rows of all items, and of those of each label."""
    if counting.ids and not counting.raw:
        _check_ids(frame, counting)
    items = _pivoted(frame, counting) if counting.raw else frame
    differs = [(3, nw.col(x) != nw.col(f"{x}max")) for x in counting.shared if counting.raw]
    flag = _fault(items, 4, [*counting.ids, *counting.shared], differs)
    items = items.with_columns(flag.alias(FLAG))
    shared = counting.shared if counting.clusters else counting.label
    keys = [*counting.values, *counting.rows, FLAG, *shared]
    rows = collected(items.group_by(keys).agg(nw.len().alias(COUNT)))
    _check(rows, items, counting)
    rows = rows.with_columns(pl.col(counting.values).cast(pl.Float64), pl.col(COUNT).cast(pl.Int64))
    labels = texts(rows[LABEL]) if counting.label else pl.Series([], dtype=pl.String)
    parts = {name: rows.filter(labels == name) for name in sorted({*labels})}
    values = [rows[x].to_numpy() for x in counting.values]
    one = np.zeros(len(rows)) if counting.clusters else None
    unit = Rows.of(values, one, counting.where).unit if counting.clusters else None
    return _rows(rows, unit, counting), {x: _rows(y, unit, counting) for x, y in parts.items()}


def _rows(rows: pl.DataFrame, unit: Fraction | None, counting: Counting) -> Rows:
    """Return distinct rows, and distinct sums over clusters in integers of the unit."""
    columns, counts = [rows[x].to_numpy() for x in counting.values], rows[COUNT].to_numpy()
    if unit is None:
        return Rows(Tally.of(columns, counts))
    ones = unit.denominator / unit.numerator
    whole = (pl.col(counting.values) * ones).round().cast(pl.Int64) * pl.col(COUNT)
    sums = rows.select(*counting.clusters, whole, COUNT).group_by(counting.clusters).sum()
    tally = Tally.of([sums[x].to_numpy() for x in (*counting.values, COUNT)])
    return Rows(Tally.of(columns, counts), tally, unit)


def _fault(
    frame: Lazy, blank: int, names: Sequence[str], others: Sequence[tuple[int, nw.Expr]]
) -> nw.Expr:
    """Return the largest number of an item's faults, or 0; one is a blank in some columns."""
    schema = frame.collect_schema()
    faults = [*others, *((blank, nw.col(x).is_null()) for x in names)]
    faults += [(blank, nw.col(x) == "") for x in names if schema[x] == nw.String]
    faults += [(blank, nw.col(x).is_nan()) for x in names if schema[x].is_float()]
    return nw.max_horizontal(nw.lit(0), *(x.cast(nw.Int64) * fault for fault, x in faults))


def _pivoted(frame: Lazy, counting: Counting) -> Lazy:
    """Make one row per item of a long table: its values by system, and its fault."""
    own = [reduce(or_, (nw.col(SYSTEM) == x for x in raw)) for raw in counting.raw]
    cells = [(is_own, f"{VALUE}{k}") for is_own in own for k in range(counting.width)]
    beside = frame.select(
        *(*counting.ids, *counting.shared),
        *(
            is_own.cast(nw.Int64).alias(name)
            for is_own, name in zip(own, counting.rows, strict=True)
        ),
        *(
            nw.when(is_own).then(nw.col(cell)).alias(name)
            for name, (is_own, cell) in zip(counting.values, cells, strict=True)
        ),
    )
    return beside.group_by(list(counting.ids)).agg(
        *(nw.col(name).max() for name in counting.values),
        *(nw.col(name).sum() for name in counting.rows),
        *(nw.col(name).min() for name in counting.shared),
        *(nw.col(name).max().alias(f"{name}max") for name in counting.shared),
    )


def _check(rows: pl.DataFrame, items: Lazy, counting: Counting) -> None:
    """Check distinct rows; only if one is at fault, some items that have it are looked for."""
    repeated = [(2, nw.col(x) > 1) for x in counting.rows]
    fault = nw.max_horizontal(nw.col(FLAG), _fault(items, 1, counting.values, repeated))
    known = nw.from_native(rows).select(fault.alias(FLAG), COUNT).to_native()
    if largest := int(known[FLAG].max()):  # type: ignore[arg-type]
        some = collected(items.filter(fault == largest).head(errors.FIRST))
        number = int(known.filter(pl.col(FLAG) == largest)[COUNT].sum())
        raise _error(largest, some, number, counting)
    numbers = rows.select(pl.col(counting.values).cast(pl.Float64).abs().max())
    if max(numbers.row(0)) >= typed_rows.EXACT:
        raise errors.BadValueError(
            f"{counting.where} has numbers beyond 2^53, where floats skip whole ones: subtract one "
            "number from all scores",
            READ_ITEMS,
        )


def _error(fault: int, some: pl.DataFrame, number: int, counting: Counting) -> Exception:
    """Return the error of so many items, of which some are named."""
    error, message = FAULTS[fault - 1]
    named = joined([some[x] for x in counting.ids]).drop_nulls().to_list() if counting.ids else []
    shown = f" ({first_few(sorted(named), number)})" if named else ""
    return error(f"{counting.where}: {how_many(number, 'item')}{shown} {message}", READ_ITEMS)


def _check_ids(frame: Lazy, counting: Counting) -> None:
    """Check that no id of a table with a row per item occurs twice."""
    ids, first = list(counting.ids), pl.col(counting.ids[0])
    native = frame.select(ids).to_native()
    if isinstance(native, pl.LazyFrame):  # sorting takes half the memory of grouping
        if native.select((first > first.shift(1)).all()).collect(engine="streaming").item():
            return  # ids in order
        same = pl.all_horizontal(pl.col(x) == pl.col(x).shift(1) for x in ids)
        repeated = nw.from_native(native.sort(ids).filter(same))
    else:
        counts = frame.group_by(ids).agg(nw.len().alias(COUNT))
        repeated = counts.filter(nw.col(COUNT) > 1)
    some = collected(repeated.head(errors.FIRST)).drop_nulls()  # blanks have an error of their own
    if len(some):
        raise _error(2, some, len(some), counting)
