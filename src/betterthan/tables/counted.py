"""Distinct rows of a table and how often each occurs, grouped and counted where the table is.

The queries are the same for polars, DuckDB, Ibis, Dask and Spark. Nothing is summed, so that a
tally does not depend on the order of rows, partitions or threads: it equals that of the single
items to the last digit.

A query has columns with the names of this module: ``bt_item_0``, ``bt_cluster_0``, ``bt_label_``
and ``bt_value_0`` ... In a table with a row per item, each system has as many columns of values as
there are scores, one block after the other. In a long table ``bt_system_`` says whose they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import polars as pl

from betterthan import errors
from betterthan.data.labels import Labels
from betterthan.data.scores import Scores
from betterthan.data.tallied import grouped
from betterthan.errors import Remedy, first_few, how_many
from betterthan.tables.cells import joined, numbers
from betterthan.tables.rows import EXACT

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


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is counted: ``systems`` by name, with the values that a column of systems has of each.

    ``width`` is the number of scores.
    """

    frame: Lazy
    where: str
    systems: Mapping[str, Sequence[Any]]
    width: int

    @cached_property
    def names(self) -> list[str]:
        """Columns of the table."""
        return self.frame.collect_schema().names()

    def called(self, *names: str) -> list[str]:
        """Return the columns that hold parts of the item, the cluster or the label."""
        return [x for x in self.names if x.startswith(names)]

    @property
    def values(self) -> list[str]:
        """Values of an item, one block of columns per system."""
        return [f"{VALUE}{k}" for k in range(self.width * len(self.systems))]

    def tallied(self, label: str | None, **known: Any) -> Scores:
        """Return the distinct rows and their counts, with what is known of the systems."""
        rows = self._counted().with_columns(pl.col(COUNT).cast(pl.Int64))
        for k in range(self.width):
            rows = rows.with_columns(self._numbers(rows.select(self.values[k :: self.width])))
        self._check(rows)
        tally = Scores(
            values=rows.select(self.values).to_numpy().reshape(-1, len(self.systems), self.width),
            counts=rows[COUNT].to_numpy(),
            clusters=_labels(rows, clusters) if (clusters := self.called(CLUSTER)) else None,
            groups={} if label is None else {label: _labels(rows, [LABEL])},
            **known,
        )
        return grouped(tally)

    def _counted(self) -> pl.DataFrame:
        """Count the items of equal values; each row has the ids of one item as an example."""
        items, faults = self.frame, []
        ids, shared = self.called(ITEM), self.called(CLUSTER, LABEL)
        if SYSTEM in self.names:
            items = self._pivoted()
            faults += [(2, nw.col(f"{ROWS}{k}") > 1) for k in range(len(self.systems))]
            faults += [(3, nw.col(x) != nw.col(f"{x}max")) for x in shared]
        elif ids:
            self._check_ids()
        kinds = items.collect_schema()
        for x in (*ids, *shared):
            faults += [(4, nw.col(x).is_null())]
            faults += [(4, nw.col(x) == "")] * (kinds[x] == nw.String)
            faults += [(4, nw.col(x).is_nan())] * kinds[x].is_float()
        flag = nw.max_horizontal(nw.lit(0), *(x.cast(nw.Int64) * fault for fault, x in faults))
        groups = items.with_columns(flag.alias(FLAG)).group_by(*self.values, FLAG, *shared)
        return collected(groups.agg(nw.len().alias(COUNT), *(nw.col(x).min() for x in ids)))

    def _pivoted(self) -> Lazy:
        """Make one row per item of a long table: its values and its number of rows by system."""
        ids, shared = self.called(ITEM), self.called(CLUSTER, LABEL)
        own = [nw.col(SYSTEM).is_in(list(raw)) for raw in self.systems.values()]
        cells = [(x, f"{VALUE}{k}") for x in own for k in range(self.width)]
        beside = self.frame.select(
            *(*ids, *shared),
            *(x.cast(nw.Int64).alias(f"{ROWS}{k}") for k, x in enumerate(own)),
            *(
                nw.when(x).then(nw.col(cell)).alias(name)
                for name, (x, cell) in zip(self.values, cells, strict=True)
            ),
        )
        return beside.group_by(ids).agg(
            *(nw.col(name).max() for name in self.values),
            *(nw.col(f"{ROWS}{k}").sum() for k in range(len(own))),
            *(nw.col(name).min() for name in shared),
            *(nw.col(name).max().alias(f"{name}max") for name in shared),
        )

    def _numbers(self, cells: pl.DataFrame) -> list[pl.Series]:
        """Read the cells of one score as numbers, those of all systems alike."""
        read = numbers(cells.unpivot().to_series(1))
        if read is None or len(read.odd):
            raise errors.BadValueError(f"{self.where}: scores must be numbers", READ_ITEMS)
        values, n = read.values.cast(pl.Float64), len(cells)
        return [values.slice(k * n, n).alias(name) for k, name in enumerate(cells.columns)]

    def _check(self, rows: pl.DataFrame) -> None:
        """Check distinct rows: the faults of their items, and their values."""
        values = pl.col(self.values)
        lacking = pl.any_horizontal(values.is_null() | values.is_nan()).cast(pl.Int64)
        faults = rows.select(pl.max_horizontal(FLAG, lacking)).to_series()
        if largest := int(faults.max()):  # type: ignore[arg-type]
            bad = rows.filter(faults == largest)
            raise self._error(largest, bad, int(bad[COUNT].sum()))
        if max(rows.select(values.abs().max()).row(0)) >= EXACT:
            raise errors.BadValueError(
                f"{self.where} has numbers beyond 2^53, where floats skip whole ones: subtract one "
                "number from all scores",
                READ_ITEMS,
            )

    def _check_ids(self) -> None:
        """Check that no id of a table with a row per item occurs twice."""
        ids = self.called(ITEM)
        first = pl.col(ids[0])
        native = self.frame.select(ids).to_native()
        if isinstance(native, pl.LazyFrame):  # sorting takes half the memory of grouping
            if native.select((first > first.shift(1)).all()).collect(engine="streaming").item():
                return  # ids in order
            same = pl.all_horizontal(pl.col(x) == pl.col(x).shift(1) for x in ids)
            repeated = nw.from_native(native.sort(ids).filter(same))
        else:
            counts = self.frame.group_by(ids).agg(nw.len().alias(COUNT))
            repeated = counts.filter(nw.col(COUNT) > 1)
        some = collected(repeated.head(errors.FIRST)).drop_nulls()  # blanks have their own error
        if len(some):
            raise self._error(2, some, len(some))

    def _error(self, fault: int, some: pl.DataFrame, number: int) -> Exception:
        """Return the error of so many items, of which some are named."""
        error, message = FAULTS[fault - 1]
        ids = self.called(ITEM)
        named = [x for x in _labels(some, ids) if x is not None] if ids else []
        shown = f" ({first_few(sorted(named), number)})" if named else ""
        return error(f"{self.where}: {how_many(number, 'item')}{shown} {message}", READ_ITEMS)


def _labels(rows: pl.DataFrame, columns: Sequence[str]) -> Labels:
    """One label of several columns for each row."""
    return joined([rows[x] for x in columns]).to_numpy().astype(object)
