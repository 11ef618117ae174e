"""``python -m betterthan``."""

import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

INTERRUPTED = 130
UNHEARD = 5.0
"""Seconds after Ctrl-C by which a command that goes on has not heard it."""
LEAST = 3 * 2**29
"""Bytes of addresses without which OpenBLAS exits with 1 or waits for ever, and polars aborts."""


def main() -> None:
    """Run the command line; what is broken before it can start is no regression either."""
    interruptions = _listened_for()
    try:
        _started()
    except KeyboardInterrupt:  # before there was a command to say so
        _interrupted()
    except SystemExit:
        if interruptions:  # and yet the command came to its end
            _interrupted()
        raise


def _listened_for() -> list[int]:
    """List each Ctrl-C from now on, for Python may drop it, and end what has not heard of it.

    What is raised in a finaliser, or where compiled code asks whether an object has an attribute,
    is dropped: a gate would go on, and pass.
    """
    heard: list[int] = []

    def ring(number: int, _: object) -> NoReturn:
        heard.append(number)
        if hasattr(signal, "setitimer"):  # of Unix alone
            signal.setitimer(signal.ITIMER_REAL, UNHEARD)
        raise KeyboardInterrupt

    def dropped(what: "sys.UnraisableHookArgs") -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            _interrupted()
        sys.__unraisablehook__(what)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, ring)
        sys.unraisablehook = dropped
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, lambda *_: _interrupted())
    return heard


def _interrupted() -> NoReturn:
    """Say so and end: threads that are still at work are not waited for."""
    with suppress(OSError, ValueError):
        print("error: interrupted", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


def _started() -> None:
    if memory := _little_memory():
        print(
            f"error: memory is limited to {memory / 2**20:,.0f} MB (ulimit -v), and libraries "
            f"break with so little: allow at least {LEAST / 2**20:,.0f} MB",
            file=sys.stderr,
        )
        sys.exit(4)
    try:
        from betterthan.cli import main as run  # noqa: PLC0415 (its failure has an exit code)
    except Exception as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error  # of which a compiled module made its own
        sys.exit(_not_loaded(error))
    try:
        run()
    except SystemExit as stop:
        lost = _emptied(sys.stdout)
        if lost and not stop.code:
            with suppress(OSError, ValueError):
                print(f"error: standard output: {lost}", file=sys.stderr)
        _emptied(sys.stderr)
        if stop.code == INTERRUPTED:  # and has said so
            os._exit(INTERRUPTED)
        if lost and not stop.code:
            sys.exit(4)
        raise


def _little_memory() -> int:
    """Return the limit on what the process may address, if that is too little; else nothing."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # noqa: PLC0415 (of Unix alone)
    except ImportError:
        return 0
    limit = getrlimit(RLIMIT_AS)[0]
    return limit if limit != RLIM_INFINITY and limit < LEAST else 0


def _emptied(stream: TextIO) -> str:
    """Write what is held back, and say why not: it is dropped, or Python would exit with 120."""
    try:
        stream.flush()
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return getattr(error, "strerror", None) or str(error)
    return ""


def _not_loaded(error: Exception) -> int:
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    print(
        f"error: it cannot be loaded ({said}): allow more memory (ulimit -v) if there is a "
        "limit, or else install it again",
        file=sys.stderr,
    )
    return 4


if __name__ == "__main__":
    # `python -m` puts the working folder first: a file there must not stand in for a module.
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]
    main()
