"""A bar or a spinner for those who wait: on stderr, on a terminal, after a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from betterthan.cli.screen import VOLUME

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds that nobody minds."""


@contextmanager
def busy(label: str) -> Iterator[None]:
    """Show that work goes on, and for how long, where nobody can tell how much there is."""
    if not _looked_at():
        yield
        return
    shown: list[Progress] = []
    lock = Lock()

    def show() -> None:
        with lock:
            if not done:
                shown.append(_spinning(label))

    done: list[bool] = []
    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            done.append(True)
            for spinner in shown:
                spinner.stop()


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that is told what is done and of how much; None where nobody looks on."""
    if not _looked_at():
        yield None
        return
    start = time.monotonic()
    shown: list[tuple[Progress, TaskID]] = []

    def tell(done: int, total: int) -> None:
        if not shown and time.monotonic() - start > PATIENCE:
            shown.append(_started(label, total))
        for bar, task in shown:
            bar.update(task, completed=done, total=total)

    try:
        yield tell
    finally:
        for bar, _ in shown:
            bar.stop()


def _looked_at() -> bool:
    return VOLUME.get() >= 0 and sys.stderr.isatty()


def _spinning(label: str) -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn()
    spinner = Progress(*columns, console=Console(stderr=True), transient=True)
    spinner.add_task(label, total=None)
    spinner.start()
    return spinner


def _started(label: str, total: int) -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(label, total=total)
