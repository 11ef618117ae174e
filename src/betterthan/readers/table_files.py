"""Tables in files: one, or several put together, each with a system or more."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.scores import Scores
from betterthan.errors import BetterthanError, UsageError
from betterthan.metrics import Metric, parse
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes, refuse_partial, suffix, system_names
from betterthan.tables.aligned import aligned
from betterthan.tables.opening import ENCODINGS, Written, opened
from betterthan.tables.roles import Declared, Layout
from betterthan.tables.rows import Rows, merged, typed
from betterthan.tables.transposed import turned

if TYPE_CHECKING:
    import polars as pl

    from betterthan.tables.cells import Place

LAYOUTS: tuple[Layout, ...] = ("wide", "long", "single")
LOOKED_AT = 10_000
"""Rows from which the roles of columns are told, of tables that are only counted."""
FORMATS = (*LAYOUTS, "transposed", *ENCODINGS)
EXAMPLES = {
    "wide": Example(
        "a table with a column per system",
        "betterthan compare runs.csv",
        "item,base,new\nq1,0,1\nq2,1,1",
    ),
    "long": Example(
        "a table with a row per item and system",
        "betterthan compare runs.csv --metric f1",
        "item,system,tp,fp,fn\ns1,crf,2,1,0\ns1,bert,3,0,0",
    ),
    "single": Example(
        "one file per system",
        "betterthan compare base.csv new.csv",
        "item,score\nq1,0.5\nq2,0.75",
    ),
    "transposed": Example(
        "a table with a row per system, if asked",
        "betterthan compare runs.csv --input-format 'csv(transposed=yes)'",
        "system,q1,q2\nbase,0,1\nnew,1,1",
    ),
}


def recognise(path: Path, head: bytes) -> bool:
    """Tables are what is nothing else; ``read`` says what is wrong with files that are not."""
    del path, head
    return True


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of one table, or of several put together."""
    files, names = chosen_files(files, options)
    rows = rows_of_tables([frame_of(path, options) for path in files], names, options)
    return scores_of(merged(rows) if len(rows) > 1 else rows[0], options)


def chosen_files(files: Sequence[Path], options: Options) -> tuple[list[Path], list[str]]:
    """Return files and what their systems are called; files of other systems decide nothing."""
    refuse_partial(files)
    names = system_names(files)
    chosen = names_given(options.systems, names)
    if len(files) > 1 and chosen and {*chosen} <= {*names}:
        files = [file for file, name in zip(files, names, strict=True) if name in chosen]
        names = [name for name in names if name in chosen]
    return list(files), names


def rows_of_tables(
    tables: "Sequence[tuple[pl.DataFrame, Place]]", names: Sequence[str], options: Options
) -> list[Rows]:
    """Typed rows of tables: of one, of its parts, or of one per system."""
    many = len(tables) > 1 and not _are_parts(tables[:2], options)
    declared = declared_of(options, many=many)
    return [
        rows_of(frame, declared, options, place, origin=Path(place.name).name, name=name)
        for (frame, place), name in zip(tables, names, strict=True)
    ]


def _are_parts(tables: "Sequence[tuple[pl.DataFrame, Place]]", options: Options) -> bool:
    """Whether tables have the same systems in their columns, and different items."""
    declared = declared_of(options)
    try:
        first, other = (
            rows_of(frame.head(LOOKED_AT), declared, options, place) for frame, place in tables
        )
    except BetterthanError:  # of which reading them one by one tells more
        return False
    wide = all(table.wide or table.roles.counts for table in (first, other))
    if not wide or first.systems != other.systems or "item" not in first.keys.columns:
        return False
    return not first.keys["item"].is_in(other.keys["item"].to_list()).any()


def frame_of(path: Path, options: Options) -> "tuple[pl.DataFrame, Place]":
    """Return the table in a file, and what its rows are called."""
    form = options.input_format
    written = Written(
        encoding=next((encoding for encoding in ENCODINGS if encoding == form), None),
        header=options.header,
        decimal_comma=options.decimal_comma,
    )
    return opened(all_bytes(path), str(path), suffix(path), written, options.columns)


def rows_of(
    frame: "pl.DataFrame",
    declared: Declared,
    options: Options,
    place: "Place",
    *,
    origin: str = "",
    name: str = "system",
) -> Rows:
    """Typed rows of a table, turned if it has a row per system."""
    if options.input_format == "transposed":
        frame, declared = turned(frame, declared, place.name)
    return typed(frame, declared, place, origin=origin, name=name, where=options.where)


def scores_of(rows: Rows, options: Options) -> Scores:
    """Scores of rows, as they were asked for."""
    return aligned(
        rows,
        systems=names_given(options.systems, rows.systems),
        metric=options.metrics,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )


def declared_of(options: Options, *, many: bool = False) -> Declared:
    """Return what was declared of columns."""

    def several(name: str) -> tuple[str, ...]:
        return tuple(names_given(getattr(options, name), ()))

    form = options.input_format
    return Declared(
        item=several("item"),
        system=options.system,
        score=several("score"),
        response=options.response,
        cluster=several("cluster"),
        label=several("label"),
        task=options.tasks,
        systems=() if many else several("systems"),
        metrics=tuple(map(_columns, options.metrics)),
        layout=next((layout for layout in LAYOUTS if layout == form), None),
        many=many,
    )


def _columns(metric: Any) -> tuple[str, ...]:
    """Columns that a metric reads; none where only the data say what it is."""
    try:
        return (metric if isinstance(metric, Metric) else parse(metric)).columns
    except UsageError:
        return ()
