"""Files that are written whole or not at all."""

import errno
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from betterthan.errors import UsageError

WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
PATIENCE = 5.0  # seconds in which somebody may begin to read from a pipe


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one step: readers see the old one or the new one, never half of it.

    Errors of the system name the file that was meant, whichever one was at fault.
    """
    # A file name that is not UTF-8 may be among the names: spelled out, as on a terminal.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        _write(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write(path: Path, data: bytes) -> None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to write")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: create it first")
    given = path
    with suppress(RuntimeError):  # a link to itself, before Python 3.13
        path = path.resolve()  # a link stays a link: what it points to is replaced
    if path.is_symlink():
        raise UsageError(f"{given} is a link to itself: name a file to write")
    if path.exists() and not path.is_file():
        _hand_over(path, data)
        return
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
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
