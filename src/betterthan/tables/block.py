"""Which cell of the block each row fills: its item, its system and its response, as numbers."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from betterthan.data.labels import Ids
from betterthan.errors import COLUMN, AlignmentError, FormatError, Remedy, first_few, how_many
from betterthan.numeric import Floats, Ints
from betterthan.tables import cells
from betterthan.tables.rows import Rows

ROOM, SPARSE = 50_000_000, 100
"""Cells of a block that is always made, and how many times the rows a larger one may have."""


@dataclass(frozen=True, slots=True)
class Block:
    """Where the rows stand in the block; ``ids`` are None where items are paired by position."""

    rows: Rows
    item: Ints
    system: Ints
    names: tuple[str, ...]
    n: int
    ids: Ids | None = None

    @classmethod
    def of(cls, rows: Rows) -> "Block":
        """Number the items and the systems of rows in the order of appearance."""
        count = len(rows.scores)
        system, names = np.zeros(count, dtype=np.int64), (rows.name,)
        if "system" in rows.keys.columns:
            system, values = coded(rows.keys["system"])
            names = tuple(values.to_list())
        if "item" in rows.keys.columns:
            item, values = coded(rows.keys["item"])
            block = cls(rows, item, system, names, len(values), Ids(values))
        else:
            item = _by_position(rows, system, names)
            block = cls(rows, item, system, names, int(item.max()) + 1)
        if block.n * len(names) > max(ROOM, SPARSE * count):
            raise FormatError(
                f"{how_many(len(names), 'system')} on {how_many(block.n, 'item')}, and only "
                f"{count:,} scores: barely any two systems have an item in common",
                Remedy("name their columns", "columns", {"system": COLUMN, "item": COLUMN}),
            )
        return block

    @property
    def cell(self) -> Ints:
        """The number of each row's cell."""
        return self.item * len(self.names) + self.system

    def named(self, items: Ints) -> str:
        """The first ids of some items, or their positions counted from one."""
        few = items[:5]
        shown = (few + 1).tolist() if self.ids is None else self.ids[few].tolist()
        return first_few(shown, len(items))

    def filled(self) -> Floats:
        """Scores as (items, systems, columns, responses), NaN where there are none."""
        cell, size = self.cell, self.n * len(self.names)
        slot, depth = self._slots(cell, size)
        scores = self.rows.scores
        filled = np.full((size, scores.width, depth), np.nan)
        filled[cell, :, slot] = scores.cast(pl.Float64).fill_null(np.nan).to_numpy()
        return filled.reshape(self.n, len(self.names), scores.width, depth)

    def _slots(self, cell: Ints, size: int) -> tuple[Ints | int, int]:
        """Number the responses of each cell, and say how many there are at most."""
        filled = np.bincount(cell, minlength=size)
        if filled.max(initial=0) <= 1:
            return 0, 1
        if "response" not in self.rows.keys.columns:
            raise _repeated(self.rows, filled[cell] > 1)
        response = self.rows.keys["response"]
        number = response.cast(pl.Float64, strict=False)
        rank = (response if number.null_count() else number).rank("dense").to_numpy()
        order = np.lexsort((rank, cell))
        same = (np.diff(cell[order]) == 0) & (np.diff(rank[order]) == 0)
        if same.any():
            raise _repeated(self.rows, np.isin(np.arange(len(cell)), order[1:][same]))
        return positions(cell, order), int(filled.max())


def coded(column: pl.Series) -> tuple[Ints, pl.Series]:
    """Number the values of a column in the order of appearance; -1 where there is none.

    >>> import polars as pl
    >>> codes, values = coded(pl.Series(["b", "a", "b", None]))
    >>> codes.tolist(), values.to_list()
    ([0, 1, 0, -1], ['b', 'a'])
    """
    values = cells.once(column)
    new = (values.ne_missing(values.shift()) & values.is_not_null()).to_numpy()
    row = np.arange(len(values))
    if values.filter(new).hash().n_unique() < np.count_nonzero(new):  # some value comes again
        row = _first_rows(values.hash())
        if not values.gather(row).eq_missing(values).all():  # two of them have the same hash
            row = _first_rows(values)
        new &= row == np.arange(len(values))
    codes = np.where(values.is_null(), -1, (np.cumsum(new) - 1)[row])
    return np.resize(codes, len(column)), values.filter(new)


def _first_rows(values: pl.Series) -> Ints:
    """Return the first row that has the same value, for each row."""
    rank = values.rank("dense").fill_null(0).to_numpy()
    first = np.empty(int(rank.max()) + 1, dtype=np.int64)
    first[rank[::-1]] = np.arange(len(rank))[::-1]
    rows: Ints = first[rank]
    return rows


def positions(group: Ints, order: Ints | None = None) -> Ints:
    """Position of each row among the rows of its group, in some order of all rows."""
    order = np.argsort(group, kind="stable") if order is None else order
    sizes = np.bincount(group)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - starts
    return place


def _by_position(rows: Rows, system: Ints, names: tuple[str, ...]) -> Ints:
    """Number the rows of every system, which must have as many each."""
    if "response" in rows.keys.columns:
        raise FormatError(
            f"{rows.origin}: repeats ({rows.roles.response!r}) belong to items, and no column is "
            "known to name the item",
            Remedy("name its column", "columns", {"item": COLUMN}),
        )
    sizes = np.bincount(system).tolist()
    if len({*sizes}) > 1:
        listed = ", ".join(f"{s!r} has {k:,}" for s, k in zip(names[:5], sizes, strict=False))
        raise AlignmentError(
            f"{rows.origin}: systems differ in their number of items ({listed}), and there are no "
            "ids to pair them by",
            Remedy("name the column of ids", "columns", {"item": COLUMN}),
        )
    return positions(system)


def _repeated(rows: Rows, repeated: NDArray[np.bool_]) -> AlignmentError:
    some, who = rows.keys.filter(repeated), "the table"
    if "system" in some.columns:
        who = f"system {some['system'][0]!r}"
        some = some.filter(pl.col("system") == pl.col("system").first())
    ids = some["item"].unique(maintain_order=True).to_list()
    again = f"the same {rows.roles.response}" if rows.roles.response else "a score"
    return AlignmentError(
        f"{rows.origin}: {who} has {again} more than once for {how_many(len(ids), 'item')} "
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
