"""The shell that we were started from: its streams, and its exit codes.

Exit codes: 0 fine, 1 a regression is shown (gate), 2 usage, 3 inconclusive (gate), 4 the data are
misaligned or unreadable or a library cannot be loaded to read them, 70 a defect of our own, 130
interrupted. Nothing but a ruling of the gate ever exits with 1.
"""

import codecs
import errno
import io
import os
import re
import sys
import traceback
from contextlib import suppress
from types import FrameType
from typing import cast

import typer

from betterthan.results.inert import inert

DEFECT, INTERRUPTED = 70, 130
_NOT_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
LONGEST = 2000  # characters of a message; its end is the remedy
# What a terminal without Unicode shows.
_PLAIN = {
    **{"│": "|", "─": "-", "–": "-", "—": "-", "−": "-", "·": "-", "…": "...", "→": "->"},
    **{"≥": ">=", "≤": "<=", "±": "+/-", "×": "x", "∞": "inf", "Δ": "delta", "²": "2"},
    **{"•": "*", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "█": "#", "′": "'", "≠": "!="},
}


class Ruled(typer.Exit):
    """The end of a gate: the one way to exit with 1."""


def prepare_environment() -> None:
    """Keep from libraries what they would fall over, and settings that lie in this folder."""
    os.environ.pop("SOURCE_DATE_EPOCH", None)  # nothing that is written has a date
    os.environ["MPLBACKEND"] = "agg"  # nothing is shown in a window
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch(r"[1-9]\d{0,4}", os.environ.get(name, "1"), re.ASCII):
            del os.environ[name]
    for name in list(os.environ):  # polars falls over what it does not understand
        if name.startswith(("POLARS_", "RAYON_")) and not _understood(name, os.environ[name]):
            del os.environ[name]
    if os.path.exists("matplotlibrc"):  # anybody's: it could have LaTeX run, and modules imported
        here = os.open(".", os.O_RDONLY)
        os.chdir("/")
        with suppress(Exception):  # whoever draws will say so
            import matplotlib as mpl

            del mpl
        os.fchdir(here)
        os.close(here)


def _understood(name: str, value: str) -> bool:
    """Whether polars may see a variable: how many threads, and what it needs on some machines."""
    if name in ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        return bool(re.fullmatch(r"[1-9]\d{0,3}", value, re.ASCII))
    return name == "POLARS_SKIP_CPU_CHECK" or (name == "POLARS_TEMP_DIR" and os.path.isdir(value))


def prepare_streams() -> None:
    """Make standard streams that take any text, whatever the locale, and that nothing slips into.

    A descriptor that is closed would be given to the next file that is opened, and what was meant
    for the terminal be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Standard output that is closed cannot be written to: that must be seen.
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(1, encoding="utf-8", closefd=False)  # noqa: SIM115 (to the end)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    codecs.register_error("betterthan", _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="betterthan")


def _plain(error: UnicodeError) -> tuple[str, int]:
    fault = cast(UnicodeEncodeError, error)
    lost = fault.object[fault.start : fault.end]
    escaped = (c.encode("ascii", "backslashreplace").decode() for c in lost)
    return "".join(_PLAIN.get(c, e) for c, e in zip(lost, escaped, strict=True)), fault.end


def exit_code(stop: SystemExit) -> int:
    """Turn how click ended the program into our exit codes."""
    cause = stop.__context__
    code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    if code == INTERRUPTED or isinstance(cause, typer.Abort | KeyboardInterrupt):
        return explain(KeyboardInterrupt())
    return 2 if code == 1 and not isinstance(cause, Ruled) else code


def explain(error: BaseException) -> int:
    """Say what went wrong, in one line, and return the exit code."""
    from betterthan.cli.flags import as_flags
    from betterthan.errors import BetterthanError

    if isinstance(error, BetterthanError):
        complain(as_flags(str(error)))
        return error.exit_code
    if was_interrupted(error):
        complain("interrupted")
        return INTERRUPTED
    if isinstance(error, MemoryError):
        complain(
            "there is not enough memory for this: give fewer items, systems or resamples, count a "
            "table in place (--scan of compare, gate and power), or use a machine that has more"
        )
        return 4
    if isinstance(error, OSError):
        named = os.fsdecode(error.filename) if error.filename else ""
        where = f"{named}: " if named else "standard output: " * _is_of_output(error)
        complain(f"{where}{error.strerror or error}")
        return 4
    if type(error).__name__ == "PanicException" and "TooManyOpenFiles" in str(error):
        complain("too many files are open: allow more (ulimit -n), or give fewer")
        return 4
    if library := _not_loaded(error):
        while error.__cause__ is not None:  # what NumPy says of it is a page
            error = error.__cause__
        complain(
            f"{library} cannot be loaded ({str(error) or type(error).__name__}): allow more memory "
            "(ulimit -v) if there is a limit, or else install it again, pip install "
            f"--force-reinstall {library}"
        )
        return 4
    if os.environ.get("BETTERTHAN_DEBUG"):
        traceback.print_exception(error)
        return DEFECT
    complain(f"internal error, {type(error).__name__}: {error}")
    with suppress(OSError):
        print(
            "This is a defect of betterthan, not of your data. Run again with BETTERTHAN_DEBUG=1 "
            "for the details and report them.",
            file=sys.stderr,
        )
    return DEFECT


def was_interrupted(error: BaseException | None) -> bool:
    """Whether the user stopped us; compiled modules make errors of their own of it on import."""
    if isinstance(error, ImportError):
        return was_interrupted(error.__cause__) or was_interrupted(error.__context__)
    return isinstance(error, KeyboardInterrupt)


def _not_loaded(error: BaseException) -> str:
    """Library of others that failed while it was imported; none where it is no such failure.

    Polars passes over its compiled part where that cannot be loaded, and lacks its names later.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    others = [frame for frame in frames if _library(frame) not in ("betterthan", "importlib")]
    importing = [frame for frame in others if frame.f_code.co_name == "<module>"]
    if importing and isinstance(error, Exception):
        return _library(importing[0])
    if isinstance(error, NameError) and others and others[-1] is frames[-1]:
        return _library(others[-1])
    absent = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0]
    return absent if absent and absent != "betterthan" else ""


def _library(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_of_output(error: OSError) -> bool:
    """Whether standard output took nothing: files that cannot be written to are named."""
    return isinstance(error, io.UnsupportedOperation) or error.errno in _NOT_WRITTEN


def complain(message: str) -> None:
    """Write a message on stderr, in one line of a sensible length."""
    text = inert(message)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]} … {text[-LONGEST // 4 :]}"
    with suppress(OSError):  # nobody can be told
        print(f"betterthan: {text}", file=sys.stderr)
