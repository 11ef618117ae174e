"""Which cell of the block each row fills: its item, system, column and response, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from betterthan.data.labels import Ids
from betterthan.errors import COLUMN, AlignmentError, FormatError, Remedy, first_few, how_many
from betterthan.numeric import Floats, Ints
from betterthan.tables import cells
from betterthan.tables.rows import Rows

ROOM, SPARSE = 50_000_000, 100
"""Cells of a block that is always made, and how many times the rows a larger one may have."""


@dataclass(frozen=True, slots=True)
class Block:
    """Where the rows stand in the block; ``ids`` are None where items are paired by position.

    ``cell`` is the number of an item, system and metric, ``slot`` that of a response in it.
    """

    rows: Rows
    item: Ints
    system: Ints
    cell: Ints
    slot: Ints | int
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    n: int
    depth: int
    ids: Ids | None = None

    @classmethod
    def of(cls, rows: Rows) -> "Block":
        """Number the items, systems and metrics of rows in the order of appearance."""
        keys, columns = rows.keys, rows.columns
        item, ids = coded(keys["item"]) if "item" in keys else (_by_position(rows), None)
        if rows.wide:
            system, systems = np.zeros_like(item), pl.Series(rows.systems)
        else:
            system, systems = coded(keys["system"])
        n, names = int(item.max()) + 1, tuple(systems)
        if n * len(names) > max(ROOM, SPARSE * len(item)):
            raise FormatError(
                f"{how_many(len(names), 'system')} on {how_many(n, 'item')}, and only "
                f"{len(item):,} scores: barely any two systems have an item in common",
                Remedy("name their columns", "columns", {"system": COLUMN, "item": COLUMN}),
            )
        group = item if rows.wide else item * len(names) + system
        metric = coded(keys["metric"])[0] if "metric" in keys else None
        cell = group if metric is None else group * len(columns) + metric
        slot, depth = _slots(rows, group, cell)
        known = None if ids is None else Ids(ids)
        return cls(rows, item, system, cell, slot, names, columns, n, depth, known)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Items, systems, columns and responses."""
        return self.n, len(self.systems), len(self.columns), self.depth

    def named(self, items: Ints) -> str:
        """The first ids of some items, or their positions counted from one."""
        few = items[:5]
        shown = (few + 1).tolist() if self.ids is None else self.ids[few].tolist()
        return first_few(shown, len(items))

    def laid_out(self, values: Floats, columns: Sequence[str]) -> Floats:
        """Values of the rows as (items, systems, columns, responses), NaN where there are none."""
        width = values.shape[1]
        size = self.n * len(self.systems) * len(self.columns) // width
        block = np.full((size, width, self.depth), np.nan)
        block[self.cell, :, self.slot] = values
        block = block.reshape(self.shape)
        used = [self.columns.index(name) for name in columns]
        return block if len(used) == len(self.columns) else block[:, :, used]


def coded(column: pl.Series) -> tuple[Ints, pl.Series]:
    """Number the values of a column in the order of appearance; -1 where there is none.

    >>> import polars as pl
    >>> codes, values = coded(pl.Series(["b", "a", "b", None]))
    >>> codes.tolist(), values.to_list()
    ([0, 1, 0, -1], ['b', 'a'])
    """
    if column.null_count():
        codes = np.full(len(column), -1)
        codes[column.is_not_null().to_numpy()], values = coded(column.drop_nulls())
        return codes, values
    values = cells.once(column.rechunk())
    begins = values.ne_missing(values.shift()).to_numpy()
    runs = values.filter(begins)
    hashes = runs.hash()
    first = _first_rows(hashes)
    if not runs.gather(first).equals(runs):  # two of them have nearly the same hash
        exact = hashes if hashes.n_unique() == runs.n_unique() else runs
        first = _first_rows(exact.rank("dense").cast(pl.UInt64))
    new = first == np.arange(len(runs))
    codes = (np.cumsum(new) - 1)[first][np.cumsum(begins) - 1]
    return np.resize(codes, len(column)), runs.filter(new)


def _first_rows(keys: pl.Series) -> Ints:
    """Return the first row that has the same number, for each row.

    Numbers are sorted with their rows behind them, in 64 bits: large ones lose their first digits.
    """
    row = np.arange(len(keys), dtype=np.uint64)
    bits = np.uint64(len(keys).bit_length())
    ordered = np.sort(keys.to_numpy() << bits | row)
    number = ordered >> bits
    new = np.append(True, number[1:] != number[:-1])[: len(keys)]
    if not new.all():
        order = ordered & (2**bits - 1)
        row[order] = order[new][np.cumsum(new) - 1]
    return row.view(np.int64)


def _by_position(rows: Rows) -> Ints:
    """Number the rows of every system, which must have as many each, and no repeats."""
    keys = rows.keys
    if not keys.width:
        return np.arange(len(rows.scores))
    sizes = keys.drop("response", strict=False).group_by(pl.all(), maintain_order=True).len()
    if "response" in keys.columns or sizes["len"].n_unique() > 1:
        differ = ", ".join(f"{system!r} has {k:,}" for system, *_, k in sizes.head(5).rows())
        raise AlignmentError(
            f"{rows.origin}: systems have repeats or differ in their number of items ({differ}), "
            "and no column is known to name the item",
            Remedy("name the column of ids", "columns", {"item": COLUMN}),
        )
    return keys.select(pl.int_range(pl.len()).over(keys.columns)).to_series().to_numpy()


def _slots(rows: Rows, group: Ints, cell: Ints) -> tuple[Ints | int, int]:
    """Number the responses of each item and system, and say how many there are at most."""
    if "response" not in rows.keys.columns:
        times = np.bincount(cell)
        if times.max() > 1:
            raise _repeated(rows, np.flatnonzero(times[cell] > 1))
        return 0, 1
    response = rows.keys["response"]
    number = response.cast(pl.Float64, strict=False)
    rank = (response if number.null_count() else number).rank("dense").to_numpy()
    order = np.lexsort((cell, rank, group))
    new_group, new_rank, new_cell = (
        np.diff(x[order], prepend=-1) != 0 for x in (group, rank, cell)
    )
    repeated = ~(new_group | new_rank | new_cell)
    if repeated.any():
        raise _repeated(rows, order[repeated])
    number_of = np.cumsum(new_group | new_rank)
    slot = np.empty_like(cell)
    slot[order] = number_of - np.maximum.accumulate(np.where(new_group, number_of, 0))
    return slot, int(slot.max()) + 1


def _repeated(rows: Rows, repeated: Ints) -> AlignmentError:
    ids = rows.keys["item"][repeated].unique(maintain_order=True).to_list()
    what = f"the same {rows.roles.response}" if rows.roles.response else "a score"
    return AlignmentError(
        f"{rows.origin}: {how_many(len(ids), 'item', 'have')} {what} more than once "
        f"({first_few(ids)}): remove the duplicates",
        *_distinguishing(rows),
        Remedy("a column numbers the repeats", "columns", {"response": COLUMN}),
    )


def _distinguishing(rows: Rows) -> list[Remedy]:
    """Name a label with which no row repeats: a part of the id."""
    for name in rows.labels.columns:
        label = rows.labels[name]
        repeats = rows.keys.with_columns(label.alias("label")).is_duplicated().any()
        if not (repeats or label.null_count() or label.n_unique() == len(label)):
            item = "+".join((name, *rows.roles.item))
            return [Remedy(f"ids are unique within {name!r}", "columns", {"item": item})]
    return []
