"""A process forked from one that has read data cannot read: it lacks the threads of polars.

It would wait for them for ever. One that is spawned, or forked before anything was read, has its
own.
"""

import os
from functools import cache

from betterthan.errors import UsageError


def refuse_after_fork() -> None:
    """Refuse to read in a process that was forked since the first reading."""
    if _first_reader() != os.getpid():
        raise UsageError(
            "data were read before this process was forked, and it would wait for ever for threads "
            'that it does not have: start it anew (multiprocessing.get_context("spawn")), or read '
            "before forking and hand the scores on"
        )


@cache
def _first_reader() -> int:
    """The process that asked first, also in those that are forked from it."""
    return os.getpid()
