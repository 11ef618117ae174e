"""Bytes of files: pipes are read once, compressed bytes within limits of memory."""

import bz2
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from betterthan.errors import (
    Choice,
    FormatError,
    Remedy,
    TooLargeError,
    UsageError,
    Where,
    quote,
)

STDIN = "-"
CHUNK, PACKED = 1 << 20, 1 << 12
"""Bytes that are read at once, and compressed ones."""
DECODERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": lambda: import_module("zstandard").ZstdDecompressor().decompressobj(),
}
"""What decompresses a frame, by the bytes that it begins with."""
_NUMBERED = re.compile(r"/dev/fd/\d+|/proc/(self|\d+)/fd/\d+")
HARMLESS, RATIO = 1 << 24, 100
"""Bytes up to which any ratio of compression is fine, and the largest ratio of more bytes."""
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_allowed: ContextVar[int | None] = ContextVar("max_memory", default=None)

# Before Python 3.12 only the class for this operating system can be derived from.
if TYPE_CHECKING:
    Concrete = Path
else:
    Concrete = type(Path())


class NamedPath(Concrete):
    """A path, and what the user calls the system in it: ``NAME=FILE``."""

    called: str = ""


class Stream(NamedPath):
    """A path that can be read once; what was read is kept, and opened as often as needed."""

    held: bytes = b""

    def open(self, *_: Any, **__: Any) -> IO[Any]:  # type: ignore[override]
        """Open what was read, from its beginning."""
        return io.BytesIO(self.held)


@contextmanager
def readable(path: object) -> Iterator[None]:
    """Report what the operating system says of a path."""
    try:
        yield
    except OSError as error:  # a name that is too long, say
        name = quote(str(path))[1:-1]
        raise FormatError(f"cannot read {name}: {error}", where=Where(Path(str(path)))) from error


def as_stream(path: Path, number: str = "pipe") -> Path:
    """Read a pipe to its end, once; any other file is returned as it is.

    ``number`` is what a pipe is called that a shell numbered, as in ``<(command)``.
    """
    if isinstance(path, Stream):
        return path
    standard = str(path) in (STDIN, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
    with readable(path):
        mode = 0 if standard else path.stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return path
        if not (standard or stat.S_ISFIFO(mode) or str(path) == os.devnull):
            raise FormatError(f"{path} is a device or a socket: name a file or a pipe")
        shown = number if _NUMBERED.fullmatch(str(path)) else path
        stream = Stream("stdin" if str(path) == STDIN else shown)
        pipe = nullcontext(getattr(sys.stdin, "buffer", io.BytesIO()))
        with pipe if standard else path.open("rb") as file:
            stream.held = whole(file, str(stream))
        return stream


def whole(file: IO[bytes], name: str, size: int = 0) -> bytes:
    """Read a file to its end, but no more than the memory that is allowed; ``size`` is known."""
    check_size(size, name)
    content = io.BytesIO()
    while content.write(file.read(size + CHUNK)):
        size = 0
        check_size(content.tell(), name)
    return content.getvalue()


def decompressed(file: IO[bytes], name: str) -> IO[bytes]:
    """Decompress on the way; what swells beyond belief is an error before it fills memory."""
    decoder = _decoder(file)
    return io.BufferedReader(_Decompressed(file, decoder, name), CHUNK) if decoder else file


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, whatever it is called."""
    with path.open("rb") as file:
        return _decoder(file) is not None


def _decoder(file: IO[bytes]) -> Callable[[], Any] | None:
    start = file.read(max(map(len, DECODERS)))
    file.seek(0)
    return next((decoder for magic, decoder in DECODERS.items() if start.startswith(magic)), None)


class _Decompressed(io.RawIOBase):
    def __init__(self, file: IO[bytes], decoder: Callable[[], Any], name: str) -> None:
        self._file, self._name = file, name
        self._chunks = _decompressed(file, decoder)
        self._plain, self._size = b"", 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            self._plain = self._plain or next(filter(None, self._chunks), b"")
        except Exception as error:  # each library has errors of its own
            raise FormatError(
                f"cannot read {self._name}, which is damaged or cut off ({error}): copy it again",
                where=Where(Path(self._name)),
            ) from error
        part, self._plain = self._plain[: len(buffer)], self._plain[len(buffer) :]
        self._size += len(part)
        check_ratio(self._size + len(self._plain), self._file.tell(), self._name)
        buffer[: len(part)] = part
        return len(part)


def _decompressed(file: IO[bytes], decoder: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress frames, one after the other; zeros between them are padding."""
    frame: Any = None
    while packed := file.read(PACKED):
        while packed := packed if frame else packed.lstrip(b"\0"):
            frame = frame or decoder()
            yield frame.decompress(packed)
            packed = frame.unused_data
            frame = None if frame.eof else frame
    if frame:
        raise EOFError("it ends within a frame")


def check_ratio(size: int, stored: int, name: str) -> None:
    """Check that bytes do not swell beyond belief; a limit that the user set is believed."""
    if _allowed.get() is None and size > HARMLESS and size > RATIO * max(stored, 1):
        raise FormatError(
            f"{name} swells to more than {RATIO} times its size when decompressed",
            _allow("8G"),
            where=Where(Path(name)),
        )


def check_size(size: int, name: str) -> None:
    """Check that something fits into the memory that is allowed."""
    if size > allowed_memory():
        raise TooLargeError(
            f"{name} would take more memory than is allowed ({allowed_memory() / 2**30:.3g} GiB)",
            _allow(f"{max(2 * size >> 30, 1)}G"),
            where=Where(Path(name)),
        )


def _allow(memory: str) -> Remedy:
    return Remedy("allow for it", "limits", Choice(f'bt.Limits(memory="{memory}")'))


def allowed_memory() -> int:
    """Bytes that may be read at once: as set, or half of what the machine has."""
    if (limit := _allowed.get()) is not None:
        return limit
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not on every system
        return 1 << 32


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading may take.

    Attributes
    ----------
    memory : str or int, optional
        As in ``"8G"``; half of the machine's by default. If it is set, files may also swell as
        much as they like when they are decompressed.
    """

    memory: str | int | None = None


@contextmanager
def limited(limits: Limits | None) -> Iterator[None]:
    """Set how many bytes may be read at once, for a while; None leaves it as it is.

    >>> with limited(Limits("1.5M")):
    ...     allowed_memory()
    1572864
    """
    size = getattr(limits or Limits(), "memory", limits)
    match = _SIZE.fullmatch(str(size).strip())
    number = int(float(match[1]) * (1 << _UNITS[match[2].lower()])) if match else 0
    if number < 1 and size is not None:
        raise UsageError(
            f"limits must be a size with K, M, G or T, not {quote(size)}",
            Remedy("for example", "limits", Choice('bt.Limits(memory="8G")')),
        )
    before = _allowed.set(number or _allowed.get())
    try:
        yield
    finally:
        _allowed.reset(before)
