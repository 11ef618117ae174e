"""Work that kills its worker; light, for every worker imports it."""

import os
import signal
from pathlib import Path


def square(task: int) -> int:
    return task * task


def square_after(folder: Path, deaths: int, task: int) -> int:
    """Square, but die on the third task as often as that."""
    if task == 3 and len(list(folder.iterdir())) < deaths:
        (folder / str(os.getpid())).touch()
        die()
    return task * task


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
