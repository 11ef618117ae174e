"""Members of zip archives, read as fast as they lie there and no larger than they say."""

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from betterthan.readers.files import all_bytes
from betterthan.readers.streams import check_ratio, check_size

ZIP = b"PK\x03\x04"
ZSTANDARD = 93
ENCRYPTED = 0x1
DAMAGED = (
    *(zipfile.BadZipFile, OSError, EOFError, RuntimeError),
    *(zlib.error, struct.error, UnicodeError),
)
"""What reading a damaged archive may raise."""

LOCAL_HEADER = struct.Struct("<26x2H")  # ends in the lengths of the name and of the extra field


def opened_archive(path: Path) -> IO[bytes]:
    """Open an archive; one that is compressed once more is held in memory."""
    with path.open("rb") as file:
        compressed = not file.read(len(ZIP)).startswith(ZIP)
    return io.BytesIO(all_bytes(path)) if compressed else path.open("rb")


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member, decompressed; of Zstandard the library knows nothing before Python 3.14."""
    info = archive.getinfo(name)
    most = info.file_size + 1  # more than there is to be shows in the checksum
    where = f"{archive.filename or 'the archive'}: {name}"
    check_size(info.file_size, where)
    check_ratio(info.file_size, info.compress_size, where)
    if info.flag_bits & ENCRYPTED:
        raise zipfile.BadZipFile(f"{name} is encrypted")
    if info.header_offset < 0:
        raise zipfile.BadZipFile(f"{name} lies before the beginning")
    if info.compress_type == zipfile.ZIP_DEFLATED:  # many and small: faster than archive.read
        return _checked(zlib.decompressobj(-15).decompress(_stored(archive, info), most), info)
    if info.compress_type != ZSTANDARD:
        return archive.read(name)
    import zstandard  # noqa: PLC0415 (only for such members)

    try:
        with zstandard.ZstdDecompressor().stream_reader(_stored(archive, info)) as stream:
            data = stream.read(most)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from error
    return _checked(data, info)


def _checked(data: bytes, info: zipfile.ZipInfo) -> bytes:
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"bad CRC-32 for file {info.filename!r}")
    return data


def _stored(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Bytes of a member as they are in the archive, behind its local header."""
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.seek(info.header_offset)
    header = file.read(LOCAL_HEADER.size)
    if len(header) < LOCAL_HEADER.size or not header.startswith(ZIP):
        raise zipfile.BadZipFile(f"{info.filename} is not where the archive says it is")
    name, extra = LOCAL_HEADER.unpack(header)
    file.seek(name + extra, 1)
    return file.read(info.compress_size)
