"""``python -m betterthan``."""

import os
import sys
from contextlib import suppress
from typing import TextIO

INTERRUPTED = 130


def main() -> None:
    """Run the command line; what is broken before it can start is no regression either."""
    try:
        from betterthan.cli import main as run  # noqa: PLC0415 (its failure has an exit code)
    except KeyboardInterrupt:
        print("betterthan: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(_broken(error))
    try:
        run()
    except SystemExit as stop:
        lost = _emptied(sys.stdout)
        if lost and not stop.code:
            with suppress(OSError, ValueError):
                print(f"betterthan: standard output: {lost}", file=sys.stderr)
        _emptied(sys.stderr)
        if stop.code == INTERRUPTED:  # threads that are still at work are not waited for
            os._exit(INTERRUPTED)
        if lost and not stop.code:
            sys.exit(4)
        raise


def _emptied(stream: TextIO) -> str:
    """Write what is held back, and say why not: it is dropped, or Python would exit with 120."""
    try:
        stream.flush()
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return getattr(error, "strerror", None) or str(error)
    return ""


def _broken(error: Exception) -> int:
    print(f"betterthan: the installation is broken: {error}", file=sys.stderr)
    return 70


if __name__ == "__main__":
    # `python -m` puts the working folder first: a file there must not stand in for a module.
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]
    main()
