"""Names of a file's columns, or of the fields of its first record, before it is read."""

import csv
from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO, StringIO
from pathlib import Path

from betterthan.errors import FormatError
from betterthan.readers.files import BOM, all_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.streams import Stream


def names_in(path: Path, head: bytes) -> Iterable[str]:
    """Names of the columns of a table, or of the fields of its first record."""
    if head.startswith(b"PAR1"):
        if isinstance(path, Stream):
            return _parquet.__wrapped__(path, ())
        found = path.stat()
        return _parquet(path, (found.st_mtime_ns, found.st_size))
    if head.lstrip()[:1] in (b"{", b"["):
        return json_logs.top_keys(head)
    text = head.removeprefix(BOM).decode(errors="replace")
    first = next(iter(text.splitlines()), "")
    delimiter = max(",\t;", key=first.count)
    try:
        return [name.strip() for name in next(csv.reader(StringIO(text), delimiter=delimiter), [])]
    except csv.Error:  # no line of names
        return ()


@lru_cache(maxsize=8)  # every family of formats asks about the same file
def _parquet(path: Path, changed: tuple[int, ...]) -> tuple[str, ...]:
    import polars as pl  # noqa: PLC0415 (heavy)

    del changed
    try:
        return tuple(pl.read_parquet_schema(BytesIO(all_bytes(path))))
    except (FormatError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return ()  # a damaged file: reading it says more
