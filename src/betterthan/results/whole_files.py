"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from betterthan.errors import UsageError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one step: readers see the old one or the new one, never half of it."""
    # A file name that is not UTF-8 may be among the names: spelled out, as on a terminal.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to write")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: create it first")
    try:
        path = path.resolve()  # a link stays a link: what it points to is replaced
    except RuntimeError as error:  # before Python 3.13
        raise UsageError(f"{path} is a link to itself: name a file to write") from error
    if path.exists() and not path.is_file():  # a pipe or a device takes it as it comes
        with path.open("wb") as stream:
            stream.write(data)
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)  # what does not fit is found here, before the old file goes
        # mkstemp makes private files; a result is as readable as any other new file.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
