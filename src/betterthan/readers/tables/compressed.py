"""Tables compressed by bzip2, xz or Zstandard: decompressed within limits."""

import bz2
import io
import lzma
import sys
from pathlib import Path
from typing import IO

from betterthan.errors import FormatError
from betterthan.readers.streams import CHUNK, check_ratio, check_size

BZIP2, XZ, ZSTD = b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
SUFFIXES = (".bz2", ".xz", ".zst")


def plain_name(path: Path) -> Path:
    """Return a path without the suffix that says how it is compressed.

    >>> str(plain_name(Path("runs/base.csv.xz")))
    'runs/base.csv'
    """
    return path.with_suffix("") if path.suffix.lower() in SUFFIXES else path


def decompressed(data: bytes, where: str) -> bytes:
    """Return the bytes that these hold where they are compressed; others as they are."""
    if not data.startswith((BZIP2, XZ, ZSTD)):
        return data
    made = io.BytesIO()
    try:
        with _opened(data) as file:
            while chunk := file.read(CHUNK):
                made.write(chunk)
                check_ratio(made.tell(), len(data), where)
                check_size(made.tell(), where)
    except FormatError:
        raise
    except Exception as error:  # each library has errors of its own
        raise FormatError(
            f"cannot read {where}, which is damaged or cut off ({error}): copy it again"
        ) from error
    return made.getvalue()


def _opened(data: bytes) -> IO[bytes]:
    held = io.BytesIO(data)
    if data.startswith(BZIP2):
        return bz2.open(held)
    if data.startswith(XZ):
        return lzma.open(held)
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 (seldom needed)

        return zstd.open(held)
    import zstandard  # noqa: PLC0415 (seldom needed)

    return zstandard.ZstdDecompressor().stream_reader(held, read_across_frames=True)
