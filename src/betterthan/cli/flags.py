"""Advice to callers in Python, in the words of the command line."""

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from betterthan.comparison.verdicts import Comparisons
    from betterthan.data.judgments import Judgments
    from betterthan.data.scores import Scores
    from betterthan.data.tallied import Tallied
    from betterthan.design.checks import GateResult

    Data = TypeVar("Data", bound=Scores | Tallied | Judgments | Comparisons | GateResult)

# What may be an argument: anything else is a name from the data (`top_p=.9`).
ARGUMENTS = """
    accuracy agreement all alpha alternative assume band baseline bins bound bounds budget by
    candidate clamp cluster cluster_size comparisons confidence config copies correction docs
    draw each effect eps eps_a eps_b even explain filter format goal gold group_by group_column
    groups icc input_format interval intervals item item_cost items label law lower_is_better
    margin max_memory mde method methods metric missing no_header null on output percentile plan
    plan_hash plot power published raters recentre ref repeats resamples response responses rng
    sampling save scan scheduler score sd sd_raters sd_repeats seal seed segments separation
    similarity simulations size strict system systems task tasks test test_sets tex_label text
    texts threshold ties unchecked unit variant width workers
""".split()
# Quoted text is from the data. An argument as messages write it: name="value", name='value',
# name=True, or name=... and name= where the value is left to the reader.
_ARGUMENT = re.compile(
    r"""(?<![\w=])(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)"""
    rf"""|(?<![\w.-])({"|".join(ARGUMENTS)})=(?:(["'])(.*?)\2|\.\.\.|True|(?=[\s),;:]|\.?(?:\s|$)))"""
)
_RENAMED = {"texts": "text", "rng": "seed", "bounds": "bound"}


def as_flags(text: str) -> str:
    """Write the arguments that a message or note recommends as options.

    >>> as_flags('choose missing="drop", or name the column with input_format=...')
    'choose --missing drop, or name the column with --input-format'
    >>> as_flags("null='seeds' needs responses (response=)")
    '--null seeds needs responses (--response)'
    >>> as_flags("system 'alpha=.05' has no score: choose missing=...")
    "system 'alpha=.05' has no score: choose --missing"
    """

    def flag(argument: re.Match[str]) -> str:
        name, _, value = argument.groups()
        if name is None:
            return argument[0]
        option = f"--{_RENAMED.get(name, name).replace('_', '-')}"
        return option if value is None else f"{option} {shlex.quote(value)}"

    return (
        _ARGUMENT.sub(flag, text)
        .replace("(bt.scan)", "(--scan)")
        .replace("(bt.read)", "(without --scan)")
        .replace("(bt.scan_judgments)", "(rank --scan)")
    )


def overview_lines(overview: "Sequence[str]") -> list[str]:
    """Lines of an overview, with the advice in them; names of systems and metrics are no advice."""
    advice = ("missing ", "! ")
    return [as_flags(line) if line.lstrip().startswith(advice) else line for line in overview]


def with_flags(data: "Data") -> "Data":
    """Return the same data or results, their notes in the words of the command line."""
    return replace(data, notes=tuple(map(as_flags, data.notes))) if data.notes else data
