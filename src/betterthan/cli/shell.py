"""The shell that started us: its streams, and errors as messages and exit codes.

Exit codes: 0 a result, or PASS; 1 REGRESSION and 3 CAN'T TELL (``gate`` only); 2 usage; 4 the data
cannot be read or paired, or a library cannot be loaded; 5 an exhibit differs (``reproduce``); 70 an
internal error; 130 interrupted; 141 the reader of a pipe is gone.
"""

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

from betterthan.cli.advice import as_flag, retyped
from betterthan.errors import BetterthanError, Remedy, as_keyword
from betterthan.results.escaping import inert

DEFECT, INTERRUPTED, UNREADABLE = 70, 130, 4
LONGEST = 3900  # characters of a message with its remedies


def prepare_streams() -> None:
    """Make standard streams that take any text, whatever the locale, even where they are closed."""
    os.environ["MPLBACKEND"] = "agg"  # nothing opens a window
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 (to the end)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Write what is held back: what cannot be written is an error like any other."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python tries once more
        raise


def explain(error: BaseException, words: Sequence[str], flags: dict[str, set[str]]) -> int:
    """Print what went wrong and what to type instead, and return the exit code.

    ``words`` is what was typed, ``flags`` the options of each command.
    """
    if isinstance(error, BetterthanError):
        corrected = getattr(error, "corrected", None)
        known = [f"try:   {shlex.join(['betterthan', *corrected])}"] if corrected else []
        shown = [f"         {line}" for line in error.details]
        complain(error.message, *shown, *known, *_tries(error.remedies, words, flags))
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    if isinstance(error, MemoryError):
        complain("there is not enough memory for this: use fewer items, systems or resamples")
        return UNREADABLE
    if isinstance(error, OSError):
        where = os.fsdecode(error.filename) if error.filename else "standard output"
        complain(f"{where}: {error.strerror or error}")
        return UNREADABLE
    if isinstance(error, ImportError):
        while error.__cause__ is not None:  # what NumPy says about it is a page
            error = error.__cause__
        complain(f"a library cannot be loaded ({error}): install betterthan again")
        return UNREADABLE
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
        head = "       " if any(line.startswith("try:") for line in lines) else "try:   "
        command = retyped(words, remedy, flags.get(remedy.command or "", set()))
        lines.append(f"{head}{command}{'     ' if remedy.does else ''}{remedy.does}")
    return lines


def complain(message: str, *lines: str) -> None:
    """Print an error on stderr."""
    text = "\n".join([f"error: {inert(message)}", *map(inert, lines)])
    with suppress(OSError):  # stderr may be full
        print(text if len(text) < LONGEST else f"{text[:LONGEST]} ...", file=sys.stderr)
