"""Tables of several files, put together to one."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from betterthan.errors import COLUMN, FormatError, Remedy, first_few, how_many
from betterthan.tables.names import plain
from betterthan.tables.rows import Rows

FILE = "bt_file"


def merged(tables: Sequence[Rows]) -> Rows:
    """Put the tables of several files together, one below the other."""
    first = tables[0]
    parts = all(t.wide and t.roles.scores == first.roles.scores for t in tables)
    if any(table.wide for table in tables) and not parts:
        raise FormatError(
            f"{first_few([t.origin for t in tables])}: tables with a column per system are read "
            "one at a time, or must have the same systems"
        )
    for table in tables:
        differ = ({*table.keys.columns} ^ {*first.keys.columns}) - {"system"}
        if role := next(iter(differ), None):
            raise FormatError(
                f"{first.origin} and {table.origin}: one has a column for the {role}, the other "
                "has none",
                Remedy("a column that both have", "columns", {role: COLUMN}),
            )
    scores = _alike(tables)
    labels = pl.concat([_beside(t.labels, t, FILE) for t in tables], how="diagonal_relaxed").drop(
        FILE
    )
    return replace(
        first,
        keys=pl.concat([table.keys for table in tables], how="diagonal"),
        scores=pl.concat(scores, how="diagonal_relaxed"),
        labels=labels,
        roles=replace(
            first.roles,
            layout=first.roles.layout if parts else "long",
            scores=tuple(scores[0].columns),
            labels=tuple(labels.columns),
        ),
        written=tuple(dict.fromkeys(x for table in tables for x in table.written)),
        by_rows=any(table.by_rows for table in tables),
        origin=how_many(len(tables), "file"),
    )


def _beside(frame: pl.DataFrame, table: Rows, name: str) -> pl.DataFrame:
    """Put a column of the table's own name next to others, of which there may be none."""
    own = pl.Series(name, [table.name]).new_from_index(0, len(table.scores))
    return pl.DataFrame([*frame, own])


def _alike(tables: Sequence[Rows]) -> list[pl.DataFrame]:
    """Scores under the same names in all tables; one column each may be called as its system."""
    frames = [table.scores for table in tables]
    names = {tuple(frame.columns) for frame in frames}
    named = all([plain(x) for x in t.scores.columns] == [plain(t.name)] for t in tables)
    if named and len(names) > 1:
        return [frame.rename({frame.columns[0]: "score"}) for frame in frames]
    shared = [name for name in frames[0].columns if all(name in f.columns for f in frames)]
    if shared:
        return [frame.select(shared) for frame in frames]
    other = next(table for table in tables if table.scores.columns != frames[0].columns)
    raise FormatError(
        f"{tables[0].origin} has the scores {first_few(frames[0].columns)}, {other.origin} has "
        f"{first_few(other.scores.columns)}",
        Remedy("a column that every file has", "columns", {"score": COLUMN}),
    )
