"""What to do next, as commands that can be pasted: they carry every option that was given."""

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from betterthan.cli.input import Input
from betterthan.cli.output import command_line

if TYPE_CHECKING:
    from betterthan.comparison.comparing import Comparisons

MEANS = ("mean", "accuracy")
_ANY_FORMAT = re.compile(r" (--format[= ]|-f ?)table\b")  # as it is; each step has its own

_STREAM = re.compile(r"(^|=)(-|/dev/fd/\d+|/proc/\w+/fd/\d+)$")
_SENTENCES = re.compile(r" --(explain|methods)\b")  # a table for a paper has its caption


def next_step(
    found: "Comparisons",
    files: Sequence[str],
    source: Input,
    *,
    metric: Sequence[str] | None,
    alternative: str,
    scan: bool,
) -> list[str]:
    """Suggest a report, a table for a paper and, after one comparison of means, a power analysis.

    The effect to plan for is half of what this test set detects, to one digit. Inside the tour,
    which prints commands of its own, there is nothing to suggest.
    """
    if sys.argv[1:2] != ["compare"] or any(map(_STREAM.search, sys.argv)):
        return []
    again = _ANY_FORMAT.sub("", command_line())
    steps = [f"{again} -o report.html", f"{_SENTENCES.sub('', again)} --format latex"]
    only = found.comparisons[0]
    raw = getattr(source, "ref", None)
    if len(found.comparisons) == 1 and only.mde and only.metric.startswith(MEANS) and not raw:
        half = only.mde * (100.0 if only.percent else 1.0) / 2.0
        words = ["betterthan", "power", *files, *_reading(source)]
        words += ["--scan"] if scan else []
        words += [word for name in metric or () for word in ("--metric", name)]
        words += ["--baseline", only.baseline, "--candidate", only.candidate]
        words += ["--alternative", alternative] if alternative != "two-sided" else []
        words += ["--alpha", f"{found.alpha:g}"] if found.alpha != 0.05 else []
        words += ["--mde", f"{float(f'{half:.1g}'):g}"]
        steps.append(shlex.join(words))
    return [f"{'' if k else 'Next:':5} {step}" for k, step in enumerate(steps)]


def _reading(source: Input) -> Iterator[str]:
    """The options of reading that were given; the systems are named otherwise."""
    for field in fields(Input):
        value = getattr(source, field.name)
        if field.name == "systems" or value in (None, [], field.default):
            continue
        flag = f"--{field.name.replace('_', '-')}"
        if value is True:
            yield flag
        else:
            for one in value if isinstance(value, list) else [value]:
                yield from (flag, str(one))
