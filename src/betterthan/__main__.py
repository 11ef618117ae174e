"""``python -m betterthan``, and the entry point of the command line."""

import os
import sys

INTERRUPTED, UNREADABLE = 130, 4
LEAST_MEMORY = 3 * 2**29
"""Bytes of addresses (``ulimit -v``) below which OpenBLAS exits with 1, as a regression does."""


def main() -> None:
    """Run the command line; a library that cannot be loaded is not a regression."""
    _check_memory()
    try:
        from betterthan.cli.app import main as run  # noqa: PLC0415 (its failure has an exit code)

        run()
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            os._exit(INTERRUPTED)  # threads that are still at work are not waited for
        raise
    except KeyboardInterrupt:
        _end("interrupted", INTERRUPTED)
    except Exception as error:
        _end(f"a library cannot be loaded ({error}): install betterthan again", UNREADABLE)


def _check_memory() -> None:
    try:
        from resource import RLIMIT_AS, getrlimit  # noqa: PLC0415 (Unix only)
    except ImportError:
        return
    if 0 <= getrlimit(RLIMIT_AS)[0] < LEAST_MEMORY:  # -1 is unlimited
        _end(f"memory is limited: allow at least {LEAST_MEMORY >> 20:,} MB (ulimit -v)", UNREADABLE)


def _end(message: str, code: int) -> None:
    print(f"error: {message}", file=sys.stderr, flush=True)
    os._exit(code)


if __name__ == "__main__":
    # `python -m` puts the working folder first: a file there must not stand in for a module.
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]
    main()
