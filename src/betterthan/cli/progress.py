"""A progress bar for those who wait: on stderr, on a terminal, after a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds that nobody minds."""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that is told what is done and of how much; None where nobody looks on."""
    if not sys.stderr.isatty():
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


def _started(label: str, total: int) -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task(label, total=total)
