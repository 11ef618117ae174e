"""Members of zip archives, decompressed to no more than they say they hold."""

import io
import struct
import zipfile
import zlib
from copy import copy
from pathlib import Path
from typing import IO

from betterthan.readers.files import all_bytes
from betterthan.readers.streams import check_ratio, check_size, decompressed, is_compressed

ZIP = b"PK\x03\x04"
ZSTANDARD = 93
DAMAGED = (zipfile.error, zlib.error, struct.error, OSError, EOFError, RuntimeError, ValueError)
"""What reading a damaged archive may raise."""


def opened_archive(path: Path) -> IO[bytes]:
    """Open an archive; one that is compressed once more is held in memory."""
    return io.BytesIO(all_bytes(path)) if is_compressed(path) else path.open("rb")


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member, decompressed; the library does not know Zstandard before Python 3.14."""
    info = archive.getinfo(name)
    where = f"{archive.filename or 'the archive'}: {name}"
    check_size(info.file_size, where)
    check_ratio(info.file_size, info.compress_size, where)
    if info.compress_type != ZSTANDARD:
        return archive.read(info)
    packed = copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    del packed.CRC  # of what it holds, not of these bytes
    data = decompressed(io.BytesIO(archive.read(packed)), where).read(info.file_size + 1)
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"bad CRC-32 for file {name!r}")
    return data
