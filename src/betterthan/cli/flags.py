"""Advice to callers in Python, in the words of the command line."""

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from betterthan.comparison.verdicts import Comparisons
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.design.checks import GateResult

    Data = TypeVar("Data", bound=Scores | Tallied | Judgments | Comparisons | GateResult)

# An argument as messages write it: name="value", name='value', name=True, or name=... and name=
# where the value is left to the reader.
_ARGUMENT = re.compile(r"""\b([a-z_]+)=(?:(["'])(.*?)\2|\.\.\.|True|(?=[\s).,;:]|$))""")
_RENAMED = {"texts": "text", "rng": "seed", "bounds": "bound"}


def as_flags(text: str) -> str:
    """Write the arguments that a message or note recommends as options.

    >>> as_flags('choose missing="drop", or name the column with input_format=...')
    'choose --missing drop, or name the column with --input-format'
    >>> as_flags("null='seeds' needs responses (response=)")
    '--null seeds needs responses (--response)'
    """

    def flag(argument: re.Match[str]) -> str:
        name, _, value = argument.groups()
        option = f"--{_RENAMED.get(name, name).replace('_', '-')}"
        return option if value is None else f"{option} {shlex.quote(value)}"

    return (
        _ARGUMENT.sub(flag, text)
        .replace("(bt.scan)", "(--scan)")
        .replace("(bt.scan_judgments)", "(rank --scan)")
    )


def with_flags(data: "Data") -> "Data":
    """Return the same data or results, their notes in the words of the command line."""
    return replace(data, notes=tuple(map(as_flags, data.notes))) if data.notes else data
