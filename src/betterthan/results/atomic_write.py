"""Files that are written whole or not at all, and streams that are written to."""

import errno
import os
import re
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from betterthan.errors import UsageError, quote

WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
PATIENCE = 5.0  # seconds in which somebody may begin to read from a pipe
LINKS = 40  # that one name may lead over
_STREAMS = re.compile(r"/dev/fd|(/proc/\d+)(/task/\d+)?/fd")  # folders of what processes have open


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one step: readers see the old one or the new one, never half of it.

    What is no file, or is open as a stream (``/dev/stdout``), is written to and never replaced.
    Errors of the system name the file that was meant, whichever one was at fault.
    """
    # A file name that is not UTF-8 may be among the names: spelled out, as on a terminal.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        _write(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write(path: Path, data: bytes) -> None:
    if "\0" in str(path):
        raise UsageError(f"a file name cannot have a null character, as {quote(str(path))} has")
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to write")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: create it first")
    place = stream_of(path)
    if place is not None and (number := _own(place)) is not None:
        _pour(number, data, path)
        return
    if path.exists() and not path.is_file():
        _hand_over(path, data)
        return
    if place is not None:  # whose place in the file is not ours to move: it would write over it
        raise UsageError(f"{path} is open in another process: name a file to write")
    given = path
    with suppress(RuntimeError):  # a link to itself, before Python 3.13
        path = path.resolve()  # a link stays a link: what it points to is replaced
    if path.is_symlink():
        raise UsageError(f"{given} is a link to itself: name a file to write")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)  # what does not fit is found here, before the old file goes
        # mkstemp makes private files; a result is as readable as what it replaces, or any new file.
        umask = os.umask(0)
        os.umask(umask)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~umask
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _hand_over(path: Path, data: bytes) -> None:
    """Give it to a pipe or a device, which take it as it comes: no disk, and no pipe unread."""
    if path.is_block_device():
        raise UsageError(f"{path} is a disk: name a file to write")
    end = time.monotonic() + PATIENCE
    while True:
        try:  # opened without waiting: a pipe that nobody reads would be waited for for ever
            handle = os.open(path, os.O_WRONLY | WITHOUT_WAITING)
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > end or not path.is_fifo():
                what = "a pipe that nobody reads" if path.is_fifo() else "nobody's to write to"
                raise UsageError(
                    f"{path} is {what}: name a file to write, or start the reader"
                ) from error
            time.sleep(0.02)
    os.set_blocking(handle, True)
    with _readers_that_end(path), os.fdopen(handle, "wb") as stream:
        stream.write(data)


def stream_of(path: Path) -> Path | None:
    """Find the stream of a process that a name leads to; None where it leads to none.

    What it is open on is not looked at: a file is the shell's, and others write to it as well.

    >>> stream_of(Path("results.json"))
    """
    for _ in range(LINKS):  # one at a time: the last one leads out of the folder of streams
        folder = os.path.realpath(path.parent)
        if _STREAMS.fullmatch(folder) and path.name.isdecimal():
            return Path(folder, path.name)
        if not path.is_symlink():
            break
        path = Path(folder, os.readlink(path))
    return None


def _own(place: Path) -> int | None:
    """Return the number of a stream of this process; None where it is another's."""
    found = _STREAMS.fullmatch(str(place.parent))
    ours = found and (found[1] is None or found[1] == os.path.realpath("/proc/self"))
    return int(place.name) if ours else None


def _pour(number: int, data: bytes, path: Path) -> None:
    """Write to a stream of this process, after what was said before."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        with _readers_that_end(path), open(number, "wb", closefd=False) as opened:
            opened.write(data)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        raise UsageError(
            f"{path} is not open to be written to: name a file to write, or have the shell open it"
        ) from error


@contextmanager
def _readers_that_end(path: Path) -> Iterator[None]:
    """Say so where a reader ends too early: it ends the command line unheard, as for `| head`."""
    before = None
    with suppress(AttributeError, ValueError):  # Windows; threads, where it is ignored as it is
        before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    except BrokenPipeError as error:
        raise UsageError(
            f"who reads {path} ended before all was written: name a file to write, or have it all "
            "read"
        ) from error
    finally:
        if before is not None:
            signal.signal(signal.SIGPIPE, before)


def add_to(path: Path, text: str) -> None:
    """Add to the end of a file, of a new one where there is none; no pipe is waited for."""
    data = text.encode(errors="backslashreplace")
    place = stream_of(path)
    if place is not None and (number := _own(place)) is not None:
        _pour(number, data, path)
        return
    if place is not None or (path.exists() and not path.is_file() and str(path) != os.devnull):
        raise UsageError("it is no file that can be added to: name one")
    with path.open("ab") as stream:
        stream.write(data)
