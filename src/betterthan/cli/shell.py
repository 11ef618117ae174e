"""The shell that started us: its streams, our errors and exit codes.

Exit codes: 0 a result, or PASS; 1 REGRESSION and 3 CAN'T TELL (``gate`` alone); 2 usage; 4 the data
cannot be read or paired, or a library cannot be loaded; 5 an exhibit differs (``reproduce``); 70 an
internal error; 130 interrupted; 141 the reader of a pipe is gone.
"""

import codecs
import errno
import io
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from betterthan.cli.advice import as_flag, retyped
from betterthan.errors import BetterthanError, Remedy, as_keyword
from betterthan.results.escaping import ACTIVE, inert, inert_text

DEFECT, INTERRUPTED = 70, 130
LONGEST = 4000  # characters of a message
_NOT_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
# What a terminal without Unicode shows.
_PLAIN = {
    **{"│": "|", "─": "-", "–": "-", "—": "-", "−": "-", "·": "-", "…": "...", "→": "->"},
    **{"≥": ">=", "≤": "<=", "±": "+/-", "×": "x", "∞": "inf", "Δ": "delta", "²": "2"},
    **{"•": "*", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "█": "#", "′": "'", "≠": "!="},
}


class Ruling(SystemExit):
    """The end of a gate: the one way to exit with 1."""


def prepare_environment() -> None:
    """Keep from libraries what they cannot read, and settings that lie in this folder."""
    os.environ.pop("SOURCE_DATE_EPOCH", None)  # nothing that is written has a date
    os.environ["MPLBACKEND"] = "agg"  # nothing opens a window
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch(r"[1-9]\d{0,4}", os.environ.get(name, "1"), re.ASCII):
            del os.environ[name]
    for name in list(os.environ):
        if name.startswith(("POLARS_", "RAYON_")) and not _readable(name, os.environ[name]):
            del os.environ[name]
    if os.path.exists("matplotlibrc"):  # anyone's: it could have LaTeX run
        here = os.open(".", os.O_RDONLY)
        os.chdir("/")
        with suppress(Exception):
            import matplotlib as mpl

            del mpl
        os.fchdir(here)
        os.close(here)


def _readable(name: str, value: str) -> bool:
    """Whether polars can read a variable; with others it panics."""
    if name in ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        return bool(re.fullmatch(r"[1-9]\d{0,3}", value, re.ASCII))
    return name == "POLARS_SKIP_CPU_CHECK" or (name == "POLARS_TEMP_DIR" and os.path.isdir(value))


def prepare_streams() -> None:
    """Make standard streams that take any text, whatever the locale.

    A descriptor that is closed would be given to the next file that is opened: what is meant for
    the terminal would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Output that is closed cannot be written to: that must be seen.
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


def explain(error: BaseException, words: Sequence[str], flags: dict[str, set[str]]) -> int:
    """Print what went wrong and what to type instead, and return the exit code.

    ``words`` is what was typed, ``flags`` the options of each command.
    """
    if isinstance(error, BetterthanError):
        corrected = getattr(error, "corrected", None)
        known = [f"try:   {shlex.join(['betterthan', *corrected])}"] if corrected else None
        complain(error.message, *(known or _tries(error.remedies, words, flags)))
        return error.exit_code
    if was_interrupted(error):
        complain("interrupted")
        return INTERRUPTED
    if isinstance(error, MemoryError):
        complain("there is not enough memory for this: use fewer items, systems or resamples")
        return 4
    if isinstance(error, OSError):
        named = os.fsdecode(error.filename) if error.filename else ""
        where = f"{named}: " if named else "standard output: " * _is_of_output(error)
        complain(f"{where}{error.strerror or error}")
        return 4
    if type(error).__name__ == "PanicException" and "TooManyOpenFiles" in str(error):
        complain("too many files are open: allow more (ulimit -n), or pass fewer")
        return 4
    if library := _not_loaded(error):
        while error.__cause__ is not None:  # what NumPy says of it is a page
            error = error.__cause__
        complain(
            f"{library} cannot be loaded ({str(error) or type(error).__name__}): allow more memory "
            "(ulimit -v) if there is a limit, or install it again: pip install --force-reinstall "
            f"{library}"
        )
        return 4
    if os.environ.get("BETTERTHAN_DEBUG"):
        traceback.print_exception(error)
        return DEFECT
    complain(
        f"internal error, {type(error).__name__}: {error}",
        "This is a defect of betterthan, not of your data. Run again with BETTERTHAN_DEBUG=1 for "
        "the details, and report them.",
    )
    return DEFECT


def _tries(
    remedies: Sequence[Remedy], words: Sequence[str], flags: dict[str, set[str]]
) -> list[str]:
    """Write remedies as commands to paste, and what has to be done by hand as a sentence."""
    lines: list[str] = []
    for remedy in remedies:
        if not (as_flag(remedy) or remedy.command):
            python = f" (in Python: {as_keyword(remedy)})" if remedy.parameter else ""
            lines.append(f"       {remedy.does}{python}")
            continue
        known = flags.get(remedy.command or "", set())
        head = "       " if any(line.startswith("try:") for line in lines) else "try:   "
        command = retyped(words, remedy, known)
        if ACTIVE.search(command) or len(command) > LONGEST // 4:  # names that nobody can paste
            command = as_flag(remedy) or f"betterthan {remedy.command}"
        lines.append(f"{head}{command}{'     ' if remedy.does else ''}{remedy.does}")
    return lines


def was_interrupted(error: BaseException | None) -> bool:
    """Whether the user stopped us; compiled modules turn it into errors of their own on import."""
    if isinstance(error, ImportError):
        return was_interrupted(error.__cause__) or was_interrupted(error.__context__)
    return isinstance(error, KeyboardInterrupt)


def _not_loaded(error: BaseException) -> str:
    """Name a library that failed while it was imported; empty where that is not what happened.

    Polars passes over its compiled part where that cannot be loaded, and lacks its names later.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    names = [str(f.f_globals.get("__name__", "")).partition(".")[0] for f in frames]
    others = [(n, f) for n, f in zip(names, frames, strict=True) if n not in _OURS]
    importing = [name for name, frame in others if frame.f_code.co_name == "<module>"]
    if importing and isinstance(error, Exception):
        return importing[0]
    if isinstance(error, NameError) and others and others[-1][1] is frames[-1]:
        return others[-1][0]
    absent = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0]
    return absent if absent and absent != "betterthan" else ""


_OURS = ("betterthan", "importlib", "cyclopts")


def _is_of_output(error: OSError) -> bool:
    """Whether standard output took nothing: files that cannot be written to are named."""
    return isinstance(error, io.UnsupportedOperation) or error.errno in _NOT_WRITTEN


def complain(message: str, *lines: str) -> None:
    """Print an error on stderr."""
    text = inert(message)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]} ... {text[-LONGEST // 4 :]}"
    with suppress(OSError):  # no one can be told
        print("\n".join([f"error: {text}", *map(inert_text, lines)]), file=sys.stderr)
