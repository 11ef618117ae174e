"""Files, addresses in object storage, frames and tables in engines, opened lazily."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from betterthan.errors import FormatError, first_few
from betterthan.readers.files import first_bytes, is_address, mapped, suffix
from betterthan.readers.files import opened as open_bytes
from betterthan.readers.logs.json_logs import is_json, top_keys
from betterthan.readers.options import Options
from betterthan.readers.streams import allowed_memory, is_compressed
from betterthan.tables.counted import READ_ITEMS, Lazy, collected
from betterthan.tables.delimited import HEADER, as_utf8, header_of
from betterthan.tables.delimited import LOOKED_AT as LINES
from betterthan.tables.frames import in_engine

LOOKED_AT = 10_000
"""Rows from which the roles of columns are told, of tables that are only counted."""
CELL, HELD = 64, 1 << 30
"""Bytes that reading a cell takes, and up to which items are held on the largest machine."""
KINDS = ("parquet", "jsonl", "csv", "tsv")
ENGINES = ("polars", "narwhals", "duckdb", "ibis", "dask", "pyspark", "py4j")
COUNTED = {"item", "system", "score", "cluster", "label"}
"""Roles of columns that can be counted in place."""


def is_counted(sources: Sequence[Any], options: Options, roles: set[str] = COUNTED) -> bool:
    """Whether tables are counted where they are: as declared, or if items would fill the memory."""
    usual = options.missing == "error" and options.input_format is None
    if not (usual and {*options.columns} <= roles and options.cluster_file is None):
        return False
    if options.items != "auto" or any(map(nw.dependencies.is_into_dataframe, sources)):
        return options.items is False
    kinds, local = list(map(kind_of, sources)), nw.dependencies.is_polars_lazyframe
    remote = (k == "frame" and not local(x) for k, x in zip(kinds, sources, strict=True))
    return any(remote) or (all(kinds) and not all(map(fits, sources)))


def kind_of(source: Any) -> str:
    """Return the kind of a source that can be opened lazily: frame, parquet, csv ...; else ''."""
    if not isinstance(source, str | Path):
        return "frame"
    kind = suffix(Path(source))
    if isinstance(source, str) or kind not in KINDS:  # an address in object storage
        return kind if kind in KINDS else ""
    scanned = source.is_file() and not is_compressed(source)
    return kind if scanned and (kind == "parquet" or b"\0" not in first_bytes(source)) else ""


def fits(source: Any) -> bool:
    """Whether the items of a table may be held; those that can only be read always are."""
    room, kind = min(allowed_memory() // 2, HELD), kind_of(source)
    if kind and isinstance(source, Path) and kind != "parquet":
        head = first_bytes(source)
        cells = len(re.findall(rb"[,\t;|\n]", head)) / (len(head) or 1)
        return bool(source.stat().st_size * max(4, CELL * cells) <= room)
    try:
        with reported(source):
            table = opened(source)
            rows = int(collected(table.select(nw.len())).item())
        return rows * len(table.columns) * CELL <= room
    except FormatError:  # not to be counted, or damaged: reading it says more
        return True


def opened(source: Any, header: bool | None = None) -> Lazy:
    """Return a source as a lazy frame; delimited text is text, as it is when it is read.

    ``header`` says whether the first line of delimited text has names, if that was declared.
    """
    if (kind := kind_of(source)) == "frame":
        return in_engine(source)
    path, away = str(source), isinstance(source, str)
    if kind == "parquet":  # what it says of its smallest and largest values need not be true
        return nw.from_native(pl.scan_parquet(path, glob=away, use_statistics=False))
    if kind == "jsonl":
        table = pl.scan_ndjson(path, infer_schema_length=LOOKED_AT)
        _check_fields(table, path)
        return nw.from_native(table)
    if not kind:
        raise FormatError(f"{path} cannot be counted in place, as {first_few(KINDS)}", READ_ITEMS)
    lines = _lines(path).head(LINES).collect()["line"].fill_null("") if away else ()
    head = "\n".join(lines).encode() if away else first_bytes(source)
    sign, names, named = header_of(whole_lines(head, path), path, header)
    if sign == " " or not (named or header is False):
        raise FormatError(
            f"{path} has no names on line 1 or blanks between columns, and is not read in place",
            *([READ_ITEMS] if not away else [HEADER] * (sign != " ")),
        )
    table = _scan(path, separator=sign, has_header=named, new_columns=names)
    blank_lines = away or any(mapped(source).find(x) > 0 for x in (b"\n\n", b"\n\r\n"))
    blank = pl.all_horizontal(pl.all().is_null())
    return nw.from_native(table.filter(~blank) if blank_lines else table)


def _lines(path: str) -> pl.LazyFrame:
    """Lines of a text, as they are."""
    return _scan(path, separator="\x1f", has_header=False, new_columns=["line"], quote_char=None)


def _scan(path: str, **how: Any) -> pl.LazyFrame:
    return pl.scan_csv(path, glob=is_address(path), infer_schema=False, **how)


def _check_fields(table: pl.LazyFrame, path: str) -> None:
    """Check that no line has a field twice, of which polars would take the last."""
    fields = (f'"{re.escape(name)}"\\s*:' for name in table.collect_schema())
    twice = pl.any_horizontal(pl.col("line").str.count_matches(field) > 1 for field in fields)
    if _lines(path).select(twice.any()).collect(engine="streaming").item():
        raise FormatError(
            f"{path} has lines with the same field twice, and is not read in place",
            *[READ_ITEMS] * (not is_address(path)),
        )


def whole_lines(head: bytes, where: str) -> bytes:
    """Return the beginning of a text as UTF-8, without a line that is cut off."""
    return as_utf8(head[: head.rfind(b"\n") + 1] or head, where)


@contextmanager
def reported(source: Any) -> Iterator[None]:
    """Report what an engine raises as an error in the data."""
    try:
        yield
    except BaseException as error:
        unreachable = isinstance(error, OSError) and is_address(source)
        if not (unreachable or type(error).__module__.lstrip("_").partition(".")[0] in ENGINES):
            raise
        reason = " ".join(str(error).partition("\n\n")[0].split())
        raise FormatError(f"{place_of(source)} cannot be read ({reason})") from error


def place_of(source: Any) -> str:
    """What messages call a source."""
    return str(source) if isinstance(source, str | PathLike) else "the data frame"


def stacked(tables: Sequence[Lazy]) -> Lazy:
    """Put tables together; columns of different types become of one."""
    if len(tables) == 1:
        return tables[0]
    kinds = [table.collect_schema() for table in tables]
    mixed = {x: {kind[x] for kind in kinds if x in kind} for x in kinds[0]}
    casts = [
        nw.col(x).cast(nw.Float64 if all(kind.is_numeric() for kind in of) else nw.String)
        for x, of in mixed.items()
        if len(of) > 1
    ]
    return nw.concat([x.with_columns(casts) for x in tables])


def names_in(path: Path, head: bytes) -> Collection[str]:
    """Names of a table's columns, or of the fields of the first record of a file."""
    try:
        if head.startswith(b"PAR1"):
            with open_bytes(path) as file:
                return [*pl.read_parquet_schema(file)]
        if is_json(head):
            return top_keys(head)
        sign, names, named = header_of(whole_lines(head, str(path)), str(path))
        return names if named and sign != " " else ()  # words of a text are not names
    except (FormatError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return ()  # reading it says more
