"""Streams, read once: pipes, standard input, and bytes that are decompressed within limits."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from weakref import WeakSet

from betterthan.errors import Choice, FormatError, Remedy, TooLargeError, UsageError

STDIN = "-"
CHUNK = 1 << 20
GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
MAGIC = (GZIP, BZIP2, XZ, ZSTD)  # how compressed bytes begin
WITH_NULS = (*MAGIC, b"PAR1", b"PK", b"\xff\xfe", b"\xfe\xff")  # Parquet, archives, UTF-16 too
ZSTD_INPUT = 1 << 10  # bytes, of which a block of 128 KiB may take four
HARMLESS = 1 << 24  # bytes up to which no ratio of compression is suspicious
RATIO = 100  # logs and tables shrink to a fortieth, seldom to a hundredth
TEXT_HARMLESS, TEXT_RATIO = 1 << 22, 20  # of raw outputs, which take longer to score than to read
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_allowed: ContextVar[int | None] = ContextVar("max_memory", default=None)
_ended: WeakSet[IO[bytes]] = WeakSet()  # standard inputs that were read to their end

# Before Python 3.12 only the class for this operating system can be derived from.
if TYPE_CHECKING:
    Concrete = Path
else:
    Concrete = type(Path())


class Given(Concrete):
    """A path, and what the user calls the system in it: ``NAME=FILE``."""

    called: str = ""
    beside: str = ""  # what a folder holds that this file was taken from, and the rest left out


class Stream(Given):
    """A path that can be read but once; what was read is kept, and opened as often as needed.

    ``place`` is what messages call a pipe that a shell numbered.
    """

    held: bytes = b""
    place: str = ""

    def __str__(self) -> str:
        """Write what it is called, which for a pipe is no path."""
        return self.place or super().__str__()

    @property
    def name(self) -> str:
        """What it is called, without folders."""
        return self.place or super().name

    def open(self, *_: Any, **__: Any) -> IO[Any]:  # type: ignore[override]
        """Open what was read, from its beginning."""
        return io.BytesIO(self.held)

    def read_bytes(self) -> bytes:
        """Return what was read."""
        return self.held


def as_stream(path: Path) -> Path:
    """Read a pipe to its end, once; any other file is returned as it is.

    What never ends is refused.
    """
    if isinstance(path, Stream):
        return path
    if str(path) == STDIN:
        return _read_stdin(Stream("stdin"))
    try:
        found = path.stat()
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from error
    mode = found.st_mode
    if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and found.st_size):
        return path
    try:
        if stat.S_ISREG(mode):
            return _without_size(path)
        if str(path) in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            return _read_stdin(Stream(path))
        if stat.S_ISSOCK(mode):
            raise FormatError(f"{path} is a socket, which is no file: name a file or a pipe")
        if not stat.S_ISFIFO(mode) and not _is_null(found):
            raise _never_ends(path)  # not even opened: that alone makes some devices do things
        with path.open("rb") as file:
            return _held(Stream(path), file)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from error


def _read_stdin(stream: Stream) -> Stream:
    file = _standard_input()
    if not _held(stream, file).held and file in _ended:
        raise UsageError(
            f"{stream} is given twice, and can be read but once: write it to a file first"
        )
    _ended.add(file)
    return stream


def _standard_input() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise FormatError("there is no standard input to read: name a file")
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return stream  # not of the operating system
    if stat.S_ISCHR(mode) and not stream.isatty() and not _is_null(os.fstat(stream.fileno())):
        raise _never_ends("stdin")
    return stream


def _without_size(path: Path) -> Path:
    """Read a file that claims to be empty: it is, or the system makes it up, some for ever."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        data = file.read(CHUNK)  # None where one would have to wait
        if data == b"":
            return path
        while data and (more := file.read(CHUNK)) != b"":
            data = more and data + more
            check_size(len(data or b""), str(path))
    if data is None:
        raise _never_ends(path)
    stream = Stream(path)
    stream.held = data
    return stream


def _never_ends(path: object) -> FormatError:
    return FormatError(f"{path} is a device, which never ends: name a file or a pipe")


def _is_null(found: os.stat_result) -> bool:
    return os.path.exists(os.devnull) and found.st_rdev == os.stat(os.devnull).st_rdev


def _held(stream: Stream, file: IO[bytes]) -> Stream:
    stream.held = whole(file, str(stream), piped=True)
    return stream


def whole(file: IO[bytes], where: str, size: int = 0, *, piped: bool = False) -> bytes:
    """Read a file to its end, but no more than the memory that is allowed; ``size`` is known.

    What is ``piped`` may never end: if it is no text, its beginning is enough.
    """
    limit = allowed_memory()
    if size > limit:
        raise _too_large(size, where, limit)
    found = io.BytesIO(chunk := file.read(size + CHUNK))  # shared, and mostly all there is
    taken = found.seek(0, io.SEEK_END)
    # More than one NUL in a thousand: random bytes have four, and text with a stray one is read.
    if (
        piped
        and taken == CHUNK
        and not chunk.startswith(WITH_NULS)
        and chunk.count(0) * 1000 > CHUNK
    ):
        raise unknown_binary(where)
    while chunk and taken <= limit:
        chunk = file.read(CHUNK)
        taken += found.write(chunk)
    if taken > limit:
        raise _too_large(taken, where, limit)
    return found.getvalue()


def unknown_binary(where: str) -> FormatError:
    """Return the error for what is neither text nor of a format that is known."""
    return FormatError(
        f"{where} is a binary file of unknown format: write it as CSV, JSONL or Parquet"
    )


def decompressed(file: IO[bytes], where: str, *, text: bool = False) -> IO[bytes]:
    """Decompress on the way; what swells beyond belief is refused before it fills memory.

    A file that is not compressed is returned as it is, from its beginning.
    """
    start = file.read(max(map(len, MAGIC)))
    file.seek(0)
    if not start.startswith(MAGIC):
        return file
    return io.BufferedReader(_Decompressed(file, start, where, text), CHUNK)


class _Decompressed(io.RawIOBase):
    def __init__(self, file: IO[bytes], start: bytes, where: str, text: bool) -> None:
        self._file, self._where, self._size, self._text = file, where, 0, text
        self._plain = _reader(file, start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk = self._plain.read(len(buffer))
        except Exception as error:  # each library has errors of its own
            raise FormatError(
                f"cannot read {self._where}, which is damaged or cut off ({error}): copy it again"
            ) from error
        self._size += len(chunk)
        check_ratio(self._size, self._file.tell(), self._where, text=self._text)
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _reader(file: IO[bytes], start: bytes) -> IO[bytes]:
    if start.startswith(GZIP):
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    if start.startswith(BZIP2):
        return bz2.open(file)
    if start.startswith(XZ):
        return lzma.open(file)
    return _Zstandard(file)  # type: ignore[return-value]


class _Zstandard:
    """Frames of Zstandard one after the other; the library's own reader takes half a frame for all.

    Little is put in at a time, since a few bytes may become very many.
    """

    def __init__(self, file: IO[bytes]) -> None:
        import zstandard  # noqa: PLC0415 (seldom needed)

        self._file, self._frame = file, zstandard.ZstdDecompressor().decompressobj
        self._open: Any = None
        self._rest = b""
        self._made = memoryview(b"")

    def read(self, count: int) -> bytes:
        """Return some of what comes next, at most so many bytes; nothing at the end."""
        while not self._made:
            data = self._rest or self._file.read(ZSTD_INPUT)
            if not data:
                if self._open is not None:
                    raise EOFError("it ends within a frame")
                break
            self._open = self._open or self._frame()
            self._made = memoryview(self._open.decompress(data))
            self._rest = self._open.unused_data
            if self._open.eof:
                self._open = None
        found, self._made = self._made[:count], self._made[count:]
        return bytes(found)


def check_ratio(size: int, stored: int, where: str, *, text: bool = False) -> None:
    """Refuse compressed bytes that swell beyond belief; who sets a limit himself is believed."""
    harmless, ratio = (TEXT_HARMLESS, TEXT_RATIO) if text else (HARMLESS, RATIO)
    if _allowed.get() is None and size > harmless and size > ratio * max(stored, 1):
        raise FormatError(
            f"{where} swells to more than {ratio} times its size when decompressed",
            _allowing("8G"),
        )


def check_size(size: int, where: str) -> None:
    """Refuse what would not fit into the memory that is allowed."""
    if size > (limit := allowed_memory()):
        raise _too_large(size, where, limit)


def _too_large(size: int, where: str, limit: int) -> TooLargeError:
    return TooLargeError(
        f"{where} would take more than {_told(limit)} of memory: leave out what is not needed",
        _allowing(f"{max(2 * size >> 30, 1)}G"),
    )


def _allowing(memory: str) -> Remedy:
    return Remedy("allow for it", "limits", Choice(f'bt.Limits(memory="{memory}")'))


def _told(size: int) -> str:
    """Write a size in the unit that suits it.

    >>> _told(1024), _told(3 << 29)
    ('1 KiB', '1.5 GiB')
    """
    power = min(max(size.bit_length() - 1, 0) // 10, 4)
    return f"{size / (1 << 10 * power):.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def allowed_memory() -> int:
    """Bytes that may be read at once: as asked, or half of what the machine has."""
    asked = _allowed.get()
    if asked is not None:
        return asked
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not on every system
        return 1 << 32


def allow_memory(size: str | int) -> None:
    """Set how many bytes may be read at once, in this thread and from now on."""
    _allowed.set(_bytes(size))


@contextmanager
def memory(size: str | int | None) -> Iterator[None]:
    """Set how many bytes may be read at once, for a while; None leaves it as it is.

    >>> with memory("1.5M"):
    ...     allowed_memory()
    1572864
    """
    before = _allowed.set(_allowed.get() if size is None else _bytes(size))
    try:
        yield
    finally:
        _allowed.reset(before)


def _bytes(size: str | int) -> int:
    found = _SIZE.fullmatch(str(size).strip())
    number = int(float(found[1]) * (1 << _UNITS[found[2].lower()])) if found else 0
    if number < 1:
        raise UsageError(f"a size is a number with K, M, G or T behind it, not {size!r}")
    return number
