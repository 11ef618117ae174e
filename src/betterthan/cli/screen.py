"""The terminal: its width and colours, what is told on stderr, and a bar for those who wait."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from betterthan.results.escaping import inert_all

QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether the verdict alone is printed."""

NARROWEST = 40


def screen_width(stream: object = None) -> int | None:
    """How wide lines may be; None where a program reads them and gets them whole.

    ``COLUMNS`` counts everywhere: the user set it.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), NARROWEST)
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
    return bool(getattr(stream, "isatty", bool)())


def say(*lines: str, wrapped: bool = True) -> None:
    """Write lines on stderr: notes and progress; data go to stdout.

    Commands are not ``wrapped``, so that they can be pasted.
    """
    if QUIET.get():
        return
    sys.stdout.flush()  # a terminal shows both in the order they were written
    text = "\n".join(inert_all(lines))
    if wrapped and (width := screen_width(sys.stderr)) is not None:
        from betterthan.render.wrapping import lines_of

        text = lines_of(lines, 0, width)
    with suppress(OSError):  # a stderr that is full or closed takes nothing from the result
        print(text, file=sys.stderr)


@contextmanager
def busy(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show that work goes on, to those who wait at a terminal.

    Yields a function that takes what is done and the total, where it is known; None where no one
    looks.
    """
    if QUIET.get() or not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
