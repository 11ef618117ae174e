"""The terminal: its width and colours, what is said on stderr, and a bar for those who wait."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING

from betterthan.results.escaping import inert_all

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether the verdict alone is printed."""

NARROWEST = 40
PATIENCE = 1.0
"""Seconds before a bar appears."""


def screen_width(stream: object = None) -> int | None:
    """How wide lines may be; None where a program reads them and gets them whole.

    ``COLUMNS`` counts everywhere: the user set it.
    """
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked) > 0:
        return max(int(asked), NARROWEST)
    if not is_terminal(stream or sys.stdout):
        return None
    return max(shutil.get_terminal_size().columns, NARROWEST)


def coloured() -> bool:
    """Whether colours are shown: on a terminal that has any, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(sys.stdout)


def is_terminal(stream: object) -> bool:
    """Whether someone looks at what is written."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty is not None and isatty())


def say(*lines: str, wrapped: bool = True) -> None:
    """Write lines on stderr: notes and progress; data go to stdout.

    Commands are not ``wrapped``, so that they can be pasted.
    """
    if QUIET.get():
        return
    sys.stdout.flush()  # a terminal shows both in the order they were written
    width = screen_width(sys.stderr) if wrapped else None
    if width is None:
        text = "\n".join(inert_all(lines))
    else:
        from betterthan.render.wrapping import lines_of

        text = lines_of(lines, 0, width)
    with suppress(OSError):  # a stderr that is full or closed takes nothing from the result
        print(text, file=sys.stderr)


@contextmanager
def busy(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show that work goes on, to those who wait for longer than a second.

    Yields a function that takes what is done and the total, where it is known; None where no one
    looks.
    """
    if QUIET.get() or not is_terminal(sys.stderr):
        yield None
        return
    shown: list[tuple[Progress, TaskID]] = []
    lock, ended = Lock(), Event()

    def show() -> None:
        with lock:
            if not ended.is_set():
                bar = _bar()
                shown.append((bar, bar.add_task(label, total=None)))

    def update(done: int, total: int) -> None:
        for bar, task in shown:
            bar.update(task, completed=done, total=total)

    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        ended.set()
        with lock:
            for bar, _ in shown:
                bar.stop()


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar
