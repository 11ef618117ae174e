"""Sentences in lines of a width."""

import re
from collections.abc import Sequence
from textwrap import wrap

from betterthan.results.inert import inert_all

_LABEL = re.compile(r"(?:\w+ {2,}|! |- )")  # what the rest of a paragraph stands behind
_TOGETHER = re.compile(r" (?=%)|(?<=\d) (?=points|items)|(?<=[ (]p) (?=[=<])|(?<=[=<]) (?=\d)")
_OPTION = re.compile(r"(--[a-z-]+) (?=[^\s-])")


def lines_of(lines: Sequence[str], indent: int, columns: int | None) -> str:
    """Write lines behind a margin; what is too long goes on under its own beginning.

    A number keeps its unit, and an option its value.

    >>> print(lines_of(["! items share a document: --cluster document"], 1, 30))
     ! items share a document:
       --cluster document
    """
    out = []
    for line in inert_all(lines):
        whole = (" " * indent + line).rstrip()
        if columns is None or len(whole) <= columns:
            out.append(whole)
            continue
        label = _LABEL.match(line)
        parts = wrap(
            _OPTION.sub("\\1\xa0", _TOGETHER.sub("\xa0", line)),
            max(columns, 20),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + (len(label[0]) if label else 2)),
            break_long_words=False,
            break_on_hyphens=False,
        )
        out += [part.rstrip().replace("\xa0", " ") for part in parts]
    return "\n".join(out)
