"""Parquet: damaged files are refused, whatever the library that reads them does about it."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, TypeVar

from betterthan.errors import FormatError
from betterthan.readers.streams import check_size
from betterthan.readers.tables.parquet_sizes import Bytes, checked_size

if TYPE_CHECKING:
    import polars as pl

Read = TypeVar("Read")
MAGIC = b"PAR1"
CELL = 32  # bytes that a value takes until it is compared: it is copied three times
SHORTEST = 12  # the mark twice, and the length of the footer
_stderr = threading.Lock()


def read_parquet(data: bytes, where: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the table in a Parquet file, or some of its columns."""
    import polars as pl  # noqa: PLC0415 (heavy)

    def read() -> "pl.DataFrame":
        lazy = pl.scan_parquet(BytesIO(data))
        height = lazy.select(pl.len()).collect().item()
        width = len(lazy.collect_schema() if columns is None else columns)
        check_size(CELL * height * width, where)
        return pl.read_parquet(data, columns=None if columns is None else list(columns))

    return _guarded(read, data, where)


def parquet_names(data: bytes, where: str) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    import polars as pl  # noqa: PLC0415 (heavy)

    return _guarded(lambda: list(pl.read_parquet_schema(BytesIO(data))), data, where)


def check_file(path: Path) -> None:
    """Refuse a damaged file that is to be scanned, however large, by what its footer declares."""
    import polars as pl  # noqa: PLC0415 (heavy)

    where = str(path)
    if path.stat().st_size < SHORTEST:
        raise FormatError(f"{where} is a damaged Parquet file, or cut off: write it again")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        _guarded(pl.scan_parquet(path, glob=False).collect_schema, data, where)


def _guarded(read: Callable[[], Read], data: Bytes, where: str) -> Read:
    """Read a file whose ends are right; a panic of the library is an error like any other."""
    import polars as pl  # noqa: PLC0415 (heavy)

    footer = int.from_bytes(data[-8:-4], "little")
    whole = len(data) >= SHORTEST and data[-4:] == MAGIC and footer <= len(data) - SHORTEST
    if not whole:
        raise FormatError(f"{where} is a damaged Parquet file, or cut off: write it again")
    try:
        size = checked_size(data, where)
        if isinstance(data, bytes):
            check_size(size, where)
        with quiet():
            return read()
    except FormatError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        raise FormatError(f"{where} is a damaged Parquet file: write it again") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what a panic writes to standard error from the user, who gets one line instead."""
    with _stderr:
        try:
            kept, held = os.dup(2), TemporaryFile()  # noqa: SIM115 (closed below)
        except OSError:  # there is none, or no place for it
            yield
            return
        with held:
            os.dup2(held.fileno(), 2)
            try:
                yield
            finally:
                os.dup2(kept, 2)
                os.close(kept)
            held.seek(0)  # nothing has failed, and what others said meanwhile is passed on
            with suppress(OSError):
                os.write(2, held.read())
