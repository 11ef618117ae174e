"""Files and tables in engines, opened lazily and counted where they are."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import FormatError, first_few, how_many
from betterthan.readers import table_files
from betterthan.readers.files import first_bytes, is_address, is_scanned, mapped, suffix
from betterthan.readers.options import Options, names_given
from betterthan.readers.streams import allowed_memory
from betterthan.readers.table_files import LOOKED_AT
from betterthan.tables import counted as ask
from betterthan.tables.aligned import read_as
from betterthan.tables.cells import Place, complete, texts
from betterthan.tables.counted import READ_ITEMS, Lazy, collected
from betterthan.tables.delimited import header_of
from betterthan.tables.frames import in_engine
from betterthan.tables.item_labels import may_share
from betterthan.tables.names import plain, role_of
from betterthan.tables.rows import Rows, check_systems, merged, values_called, where_column

CELL, HELD = 64, 1 << 30
"""Bytes that reading a cell takes, and up to which items are held on the largest machine."""
MOST_SYSTEMS = 1000
KINDS = ("parquet", "jsonl", "csv", "tsv")
ENGINES = ("polars", "narwhals", "duckdb", "ibis", "dask", "pyspark", "py4j")


def kind_of(source: Any) -> str:
    """Return the kind of a source that can be opened lazily: frame, parquet, csv ...; else ''."""
    if not isinstance(source, str | PathLike):
        return "frame"
    path = Path(source)
    known = is_address(source) or is_scanned(path)
    return suffix(path) if known and suffix(path) in KINDS else ""


def fits(source: Any) -> bool:
    """Whether the items of a table may be held; those that can only be read always are."""
    room, kind = min(allowed_memory() // 2, HELD), kind_of(source)
    if kind in ("frame", "parquet") or is_address(source):
        try:
            with reported("the table"):
                table = opened(source)
                rows = collected(table.select(nw.len())).item()
                return bool(rows * len(table.collect_schema()) * CELL <= room)
        except FormatError:  # a damaged file: reading it says more
            return True
    head, size = first_bytes(Path(source)), Path(source).stat().st_size if kind else 0
    cells = max(map(head.count, (b",", b"\t", b";", b"|"))) + head.count(b"\n")
    return size * max(4, CELL * cells / (len(head) or 1)) <= room


def opened(source: Any) -> Lazy:
    """Return a source as a lazy frame; delimited text is text, as it is when it is read."""
    kind, away = kind_of(source), is_address(source)
    if kind == "frame":
        return in_engine(source)
    path = str(source)
    if kind == "parquet":  # what it says of its smallest and largest values need not be true
        return nw.from_native(pl.scan_parquet(path, glob=away, use_statistics=False))
    if kind == "jsonl":
        return nw.from_native(pl.scan_ndjson(path, infer_schema_length=LOOKED_AT))
    if not kind:
        raise FormatError(f"{path} cannot be counted in place, as {first_few(KINDS)}", READ_ITEMS)
    sign, names, blank_lines = "\t" if kind == "tsv" else ",", None, away
    if not away:
        sign, names = header_of(first_bytes(Path(path)), path, tabs=kind == "tsv")
        data = mapped(Path(path))
        blank_lines = max(data.find(b"\n\n"), data.find(b"\n\r\n")) > 0
    table = pl.scan_csv(path, glob=away, separator=sign, new_columns=names, infer_schema=False)
    blank = pl.all_horizontal(pl.all().is_null())
    return nw.from_native(table.filter(~blank) if blank_lines else table)


@contextmanager
def reported(where: str) -> Iterator[None]:
    """Report what an engine raises as an error in the data."""
    try:
        yield
    except BaseException as error:
        if type(error).__module__.lstrip("_").partition(".")[0] not in ENGINES:
            raise
        reason = " ".join(str(error).partition("\n\n")[0].split())
        raise FormatError(f"{where} cannot be counted in place ({reason})", READ_ITEMS) from error


def kept(frame: Lazy, where: Mapping[str, str] | None, place: str) -> Lazy:
    """Keep the rows that were asked for."""
    for name, wanted in (where or {}).items():
        column = where_column(name, wanted, frame.collect_schema().names(), place)
        values = collected(frame.select(column).unique())[column].drop_nulls()
        chosen = values_called(wanted, texts(values), place)
        raw = values.filter(texts(values).is_in(chosen)).to_list()
        frame = frame.filter(nw.col(column).is_in(raw))
    return frame


def count(sources: Sequence[Any], options: Options) -> Tallied:
    """Group and count tables where they are: one, its parts, or one per system."""
    names = [f"system {k}" for k in range(1, len(sources) + 1)]
    if isinstance(sources[0], Path):
        sources, names = table_files.chosen_files(sources, options)
    places = [str(x) if isinstance(x, str | PathLike) else "the frame" for x in sources]
    with reported(places[0]):
        several = zip(sources, places, strict=True)
        tables = [kept(opened(source), options.where, place) for source, place in several]
        heads = [collected(table.head(LOOKED_AT)) for table in tables]
        named = list(zip(heads, map(Place, places), strict=True))
        rows = table_files.rows_of_tables(named, names, replace(options, where=None))
        return _counted(tables, rows, options)


def _counted(tables: Sequence[Lazy], rows: Sequence[Rows], options: Options) -> Tallied:
    """Count tables whose first rows were read as any table is."""
    first = merged(rows) if len(rows) > 1 else rows[0]
    found, where = first.roles, first.origin
    long = not (first.wide or found.counts)
    if found.metric or found.response or found.task or (long and not found.item):
        raise FormatError(f"{where} has repeats, tasks or no ids, and is not counted", READ_ITEMS)
    asked = names_given(options.systems, first.systems)
    known = [name for name in asked if not long or name in first.systems]
    sample = table_files.scores_of(first, replace(options, missing="pairwise", systems=known))
    raw: tuple[list[Any], ...] = ()
    systems, columns = sample.systems, sample.columns
    by = next((x for x in found.labels if plain(x) in map(plain, first.declared.label[:1])), None)
    several = zip(tables, rows, strict=True)
    frame = stacked([_own_names(table, one, sample, by) for table, one in several])
    if long:
        systems, raw = _systems(frame, asked, [one.name for one in rows], where)
    if asked and long:
        frame = frame.filter(nw.col(ask.SYSTEM).is_in([x for values in raw for x in values]))
    schema = frame.collect_schema().names()
    counting = ask.Counting(
        where=where,
        ids=tuple(x for x in schema if x.startswith(ask.ITEM)),
        clusters=tuple(x for x in schema if x.startswith(ask.CLUSTER)),
        label=(ask.LABEL,) if by else (),
        systems=systems,
        width=len(columns),
        raw=raw,
    )
    counts, labelled = ask.tallied(frame, counting)
    n = counts.items.units
    near = [x for x in sample.groups if role_of(x) == "cluster" and not found.cluster]
    groups = {x: int(collected(tables[0].select(nw.col(x).n_unique())).item()) for x in near}
    told = [*read_as(first, systems, columns, [by] if by else []), how_many(n, "item")]
    metric = repr(sample.measured(options.metrics[0])) if len(options.metrics) == 1 else None
    return Tallied(
        systems=systems,
        columns=columns,
        rows=counts,
        by=by,
        labelled=labelled,
        metric=metric,
        lower_is_better=sample.lower_is_better,
        lower=sample.lower,
        shuffled=long and not asked and found.system is not None,
        source=" · ".join([*told, "grouped and counted in place"]),
        notes=tuple(may_share(x, k, n) for x, k in groups.items() if k < n),
    )


def _own_names(table: Lazy, rows: Rows, sample: Scores, by: str | None) -> Lazy:
    """Give the columns that are counted the names by which they are."""
    found, there = rows.roles, rows.scores.columns
    scores = [x if x in there else there[0] for x in sample.columns]
    if rows.wide or found.counts:
        of = found.counts or {system: {"score": system} for system in sample.systems}
        scores = [of[system][column] for system in sample.systems for column in sample.columns]
    own = {ask.ITEM: found.item, ask.CLUSTER: found.cluster, ask.VALUE: scores}
    names = {f"{key}{k}": x for key, columns in own.items() for k, x in enumerate(columns)}
    names |= {ask.LABEL: by} if by else {}
    if found.counts and found.item == ("item",) and "item" not in table.columns:
        del names[f"{ask.ITEM}0"]  # the number of the row
    system = nw.lit(rows.name) if found.system is None else nw.col(found.system)
    return ask.with_numbers(table, scores, rows).select(
        *(nw.col(x).alias(name) for name, x in names.items()),
        *([] if rows.wide or found.counts else [system.alias(ask.SYSTEM)]),
    )


def stacked(tables: Sequence[Lazy]) -> Lazy:
    """Put tables together; columns of different types become of one."""
    if len(tables) == 1:
        return tables[0]
    kinds = [dict(table.collect_schema()) for table in tables]
    mixed = [x for x in kinds[0] if len({str(kind.get(x)) for kind in kinds}) > 1]
    casts = {x: nw.Float64 if x.startswith(ask.VALUE) else nw.String for x in mixed}
    columns = [nw.col(x).cast(kind) for x, kind in casts.items()]
    return nw.concat([x.with_columns(*columns) if mixed else x for x in tables])


def _systems(
    frame: Lazy, asked: Sequence[str], files: Sequence[str], where: str
) -> tuple[tuple[str, ...], tuple[list[Any], ...]]:
    """Return the systems of a long table, and what each is called in it; in the order of files."""
    values = collected(frame.select(ask.SYSTEM).unique())[ask.SYSTEM]
    names = complete(texts(values), "system", Place(where))
    if len(names) > MOST_SYSTEMS:
        raise FormatError(f"{where} has more than {MOST_SYSTEMS:,} systems", READ_ITEMS)
    there = sorted({*names}, key=lambda x: (files.index(x) if x in files else 0, x))
    check_systems(asked, there, where)
    raw = {name: values.filter(names == name).to_list() for name in asked or there}
    return tuple(raw), tuple(raw.values())
