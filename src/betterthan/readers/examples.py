"""What a format looks like, and how it is used: what ``betterthan formats`` shows."""

from typing import NamedTuple


class Example(NamedTuple):
    """One format: what it is, a command that reads it, and its first lines."""

    title: str
    command: str
    sample: str
