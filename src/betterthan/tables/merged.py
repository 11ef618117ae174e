"""Tables of several files, put together to one."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from betterthan.errors import COLUMN, FormatError, Remedy, first_few, how_many
from betterthan.metrics.costs import plain
from betterthan.tables.rows import Rows

ROW = "bt_row"


def merged(tables: Sequence[Rows]) -> Rows:
    """Put the tables of several files together, one below the other."""
    first = tables[0]
    if len(tables) == 1:
        return first
    for table in tables:
        differ = {*table.keys.columns} ^ {*first.keys.columns}
        if role := next(iter(sorted(differ)), None):
            raise FormatError(
                f"{first.origin} and {table.origin}: one has a column for the {role}, the other "
                "has none",
                Remedy("a column that both have", "columns", {role: COLUMN}),
            )
    scores = _alike(tables)
    numbered = [table.scores.select(pl.int_range(pl.len()).alias(ROW)) for table in tables]
    labels = [rows.hstack([*table.labels]) for rows, table in zip(numbered, tables, strict=True)]
    described = pl.concat(labels, how="diagonal_relaxed").drop(ROW)
    return replace(
        first,
        keys=pl.concat([table.keys for table in tables], how="diagonal"),
        scores=pl.concat(scores, how="diagonal_relaxed"),
        labels=described,
        roles=replace(
            first.roles,
            layout=first.roles.layout if first.wide else "long",
            scores=tuple(scores[0].columns),
            labels=tuple(described.columns),
        ),
        written=tuple(dict.fromkeys(x for table in tables for x in table.written)),
        by_rows=any(table.by_rows for table in tables),
        origin=how_many(len(tables), "file"),
    )


def _alike(tables: Sequence[Rows]) -> list[pl.DataFrame]:
    """Scores under the same names in all tables; one column each may be called as its system."""
    frames = [table.scores for table in tables]
    names = {tuple(frame.columns) for frame in frames}
    named = all([plain(x) for x in t.scores.columns] == [plain(t.name)] for t in tables)
    if named and len(names) > 1:
        return [frame.rename({frame.columns[0]: "score"}) for frame in frames]
    shared = [name for name in frames[0].columns if all(name in f.columns for f in frames)]
    if len(names) == 1 or (shared and not tables[0].wide):
        return [frame.select(shared) for frame in frames]
    other = next(table for table in tables if table.scores.columns != frames[0].columns)
    raise FormatError(
        f"{tables[0].origin} has the scores {first_few(frames[0].columns)}, {other.origin} has "
        f"{first_few(other.scores.columns)}",
        Remedy("a column that every file has", "columns", {"score": COLUMN}),
    )
