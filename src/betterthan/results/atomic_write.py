"""Write files whole or not at all, and streams as they come."""

import os
import re
import stat
import sys
from functools import partial
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from betterthan.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

_STREAM = re.compile(r"(/dev|/proc/self)/(fd/\d+|stdout|stderr)")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one step: readers see the old one or the new one, never half of it.

    Pipes, devices and open streams (``/dev/stdout``) are written to and never replaced.
    """
    # A name that is not UTF-8 may be in the text: it is written as on a terminal.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: create it first")
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to write")
    if is_stream(path):
        sys.stdout.flush()  # what was printed comes first
        number = {"stdout": 1, "stderr": 2}.get(path.name) or int(path.name)
        with os.fdopen(os.dup(number), "wb") as stream:
            stream.write(data)
    elif path.exists() and not path.is_file():
        path.write_bytes(data)
    else:
        try:
            _replace(path.resolve(), data)  # a link stays a link: what it points to is replaced
        except OSError as error:  # it may name the temporary file
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def encode(frame: "pl.DataFrame", suffix: str) -> bytes:
    """Return a frame as the bytes of a file with this suffix."""
    buffer, separator = BytesIO(), "\t" if suffix == ".tsv" else ","
    columnar, lines, records = frame.write_parquet, frame.write_ndjson, frame.write_json
    known: dict[str, Any] = {
        ".parquet": columnar,
        ".pq": columnar,
        ".jsonl": lines,
        ".json": records,
    }
    known.get(suffix, partial(frame.write_csv, separator=separator))(buffer)
    return buffer.getvalue()


def is_stream(path: Path) -> bool:
    """Whether a path names an open stream of this process, such as ``/dev/stdout``."""
    return _STREAM.fullmatch(str(path)) is not None


def _replace(path: Path, data: bytes) -> None:
    """Write a file next to the old one, and put it in its place when all is on disk."""
    new = path.with_name(f".{path.name[:50]}.{token_hex(4)}")
    try:
        with new.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():  # it stays as private as it was
            new.chmod(stat.S_IMODE(path.stat().st_mode))
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
