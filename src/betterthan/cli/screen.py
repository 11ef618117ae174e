"""The terminal that we are shown on: its width, its colours, and how much it is told."""

import os
import shutil
import sys
from contextvars import ContextVar

VOLUME: ContextVar[int] = ContextVar("volume", default=0)
"""How much one command says: -1 the verdict alone, 1 also what was understood and how long it
took."""

NARROWEST = 40


def screen_width(stream: object = None) -> int | None:
    """How wide lines may be; None where a program reads them, and gets them whole.

    ``COLUMNS`` counts everywhere, as the user's wish.
    """
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return max(int(wanted), NARROWEST)
    if not is_terminal(stream or sys.stdout):
        return None
    return max(shutil.get_terminal_size().columns, NARROWEST)


def coloured() -> bool:
    """Whether colours are shown: on a terminal that has any, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(sys.stdout)


def is_terminal(stream: object) -> bool:
    """Whether somebody looks at what is written."""
    asked = getattr(stream, "isatty", None)
    return bool(asked is not None and asked())
