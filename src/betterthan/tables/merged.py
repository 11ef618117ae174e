"""Tables of several files, put together to one."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from betterthan.errors import COLUMN, BadValueError, FormatError, Remedy, first_few, how_many
from betterthan.tables.names import plain
from betterthan.tables.rows import Rows


def merged(tables: Sequence[Rows]) -> Rows:
    """Put the tables of several files together, one below the other."""
    first = tables[0]
    parts = all(t.wide and t.roles.scores == first.roles.scores for t in tables)
    if any(table.wide for table in tables) and not parts:
        raise FormatError(
            f"{first_few([t.origin for t in tables])}: tables with a column per system are read "
            "one at a time, or must have the same systems"
        )
    keys = [{*table.keys.columns} - {"system"} for table in tables]
    for table, has in zip(tables, keys, strict=True):
        if has != keys[0]:
            role = next(iter(has ^ keys[0]))
            raise FormatError(
                f"{first.origin} and {table.origin}: one has a column for the {role}, the other "
                "has none",
                Remedy("a column that both have", "columns", {role: COLUMN}),
            )
    percent = [any("%" in x for x in table.written) for table in tables]
    if any(percent) and not all(percent):
        some, other = (tables[percent.index(x)].origin for x in (True, False))
        raise BadValueError(f"{some} has percentages, {other} plain numbers: write them alike")
    scores = _alike([table.scores for table in tables], tables)
    whole = pl.concat(
        [
            _joined(table, each, None if parts else table.name)
            for table, each in zip(tables, scores, strict=True)
        ],
        how="diagonal_relaxed",
    )
    labels = _part(whole, "label ")
    return replace(
        first,
        keys=_part(whole, "key "),
        scores=_part(whole, "score "),
        labels=labels,
        roles=replace(
            first.roles,
            layout="wide" if parts else "long",
            scores=tuple(scores[0].columns),
            labels=tuple(labels.columns),
            texts=tuple(dict.fromkeys(x for table in tables for x in table.roles.texts)),
        ),
        written=tuple(dict.fromkeys(x for table in tables for x in table.written)),
        by_rows=any(table.by_rows for table in tables),
        origin=how_many(len(tables), "file"),
    )


def _joined(table: Rows, scores: pl.DataFrame, name: str | None) -> pl.DataFrame:
    """Put all columns of a table side by side, with the system ``name`` where none is known."""
    parts = {"key ": table.keys, "score ": scores, "label ": table.labels}
    columns = [c.alias(part + c.name) for part, frame in parts.items() for c in frame]
    whole = pl.DataFrame(columns)
    if name is None or "system" in table.keys.columns:
        return whole
    return whole.with_columns(pl.lit(name).alias("key system"))


def _part(whole: pl.DataFrame, part: str) -> pl.DataFrame:
    """Return the columns of one part under their own names."""
    return pl.DataFrame(
        [c.alias(c.name.removeprefix(part)) for c in whole if c.name.startswith(part)]
    )


def _alike(frames: Sequence[pl.DataFrame], tables: Sequence[Rows]) -> list[pl.DataFrame]:
    """Scores under the same names in all tables; one column each may be called as its system."""
    first = frames[0]
    if all(frame.width == 1 for frame in frames):
        names = {frame.columns[0] for frame in frames}
        if len(names) > 1 and all(
            plain(f.columns[0]) == plain(t.name) for f, t in zip(frames, tables, strict=True)
        ):
            return [frame.rename({frame.columns[0]: "score"}) for frame in frames]
    for frame, table in zip(frames, tables, strict=True):
        if {*frame.columns} != {*first.columns}:
            shared = [name for name in first.columns if name in frame.columns]
            if shared and all(set(shared) <= {*f.columns} for f in frames):
                return [f.select(shared) for f in frames]
            raise FormatError(
                f"{tables[0].origin} has the scores {first_few(first.columns)}, {table.origin} has "
                f"{first_few(frame.columns)}",
                Remedy("a column that every file has", "columns", {"score": COLUMN}),
            )
    return [frame.select(first.columns) for frame in frames]
