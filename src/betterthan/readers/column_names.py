"""Names of a file's columns, or of the fields of its first record, before it is read."""

import csv
from collections.abc import Iterable
from pathlib import Path

from betterthan.errors import FormatError
from betterthan.readers.files import BOM, opened
from betterthan.readers.logs import json_logs


def names_in(path: Path, head: bytes) -> Iterable[str]:
    """Names of the columns of a table, or of the fields of its first record."""
    if head.startswith(b"PAR1"):
        return _parquet(path)
    if json_logs.is_json(head):
        return json_logs.top_keys(head)
    first = next(iter(head.removeprefix(BOM).decode(errors="replace").splitlines()), "")
    delimiter = max(",\t;", key=first.count)
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]


def _parquet(path: Path) -> Iterable[str]:
    import polars as pl  # noqa: PLC0415 (heavy)

    try:
        with opened(path) as file:
            return pl.read_parquet_schema(file)
    except (FormatError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return ()  # a damaged file: reading it says more
