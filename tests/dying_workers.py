"""Work that kills its worker or lasts; light, for every worker imports it."""

import os
import signal
import time
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


def sleep(seconds: float) -> None:
    print(flush=True)
    time.sleep(seconds)
