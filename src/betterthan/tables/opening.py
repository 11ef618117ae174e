"""Tables in bytes: delimited text, JSON, JSON Lines or Parquet, told by their contents."""

import io
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from betterthan.errors import Choice, FormatError, Remedy, TooLargeError
from betterthan.grammar import Spelled
from betterthan.tables.cells import Place
from betterthan.tables.delimited import as_utf8, read_delimited
from betterthan.tables.records import read_json

Encoding = Literal["csv", "tsv", "json", "jsonl", "parquet"]
CELL = 24
"""Bytes that a cell of a Parquet file may take in memory."""
READ_AS: dict[str, Encoding] = {
    "csv": "csv", "tsv": "csv", "json": "jsonl", "jsonl": "jsonl", "parquet": "parquet"
}  # fmt: skip
"""Encodings, and the one of those that look alike which reads them all."""
ENCODINGS = tuple(READ_AS)


@dataclass(frozen=True, slots=True, repr=False)
class Written(Spelled):
    """How a table is written, where detection cannot tell: ``csv(header=no)``."""

    name: ClassVar[str] = "table"
    transposed: bool = False
    header: bool | None = None
    decimal: Literal["point", "comma"] = "point"


def opened(
    data: bytes,
    where: str,
    promised: str,
    written: Written,
    *,
    declared: Collection[str] = (),
    allowed: int | None = None,
) -> tuple[pl.DataFrame, Place]:
    """Return the table in a file's bytes; ``promised`` is its encoding by name.

    ``declared`` are columns that the user named, ``allowed`` the bytes that a table may take.
    """
    encoding = encoding_of(data, where)
    if READ_AS.get(promised, encoding) != encoding:
        raise FormatError(
            f"{where} looks like {encoding}, not {promised}",
            Remedy("read it as it looks", "input_format", encoding),
        )
    if encoding == "parquet":
        return read_parquet(data, where, allowed), Place(where)
    text = as_utf8(data, where)
    if encoding == "jsonl":
        return read_json(text, where, declared)
    return read_delimited(
        text,
        where,
        header=True if written.header is None and written.transposed else written.header,
        decimal_comma=written.decimal == "comma",
    )


def encoding_of(data: bytes, where: str) -> Encoding:
    """Tell by the first bytes how a table is written."""
    if data.startswith(b"PAR1"):
        return "parquet"
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # UTF-16
    if data.startswith(b"PK\x03\x04") or (b"\x00" in data[:1024] and not wide):
        raise FormatError(
            f"{where} is a binary file, an archive or a spreadsheet: save it as CSV, JSON Lines or "
            "Parquet"
        )
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").strip()
    named = head.startswith((b"{", b"[")) and b'"' in head
    return "jsonl" if named or head in (b"[]", b"{}") else "csv"


def read_parquet(
    data: bytes, where: str, allowed: int | None = None, columns: Collection[str] | None = None
) -> pl.DataFrame:
    """Read a Parquet file, or some of its columns."""
    try:
        lazy = pl.scan_parquet(io.BytesIO(data))
        names = lazy.collect_schema().names()
        cells = lazy.select(pl.len()).collect().item() * len(names)
        if allowed is None or cells * CELL <= allowed:
            return lazy.select(names if columns is None else list(columns)).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(
            f"{where} is a damaged or unfinished Parquet file ({reason}): write it again"
        ) from error
    size = cells * CELL // 2**30 + 1
    raise TooLargeError(
        f"{where} holds {cells:,} cells, more than may be held in memory",
        Remedy("count in place", "items", False),
        Remedy("allow for it", "limits", Choice(f'bt.Limits(memory="{size}G")')),
    )
