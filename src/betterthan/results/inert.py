"""Text from files and names, made harmless to whoever shows it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# Control characters; marks that turn the direction of writing; separators of lines and paragraphs;
# halves of surrogate pairs, and what has no place in text at all.
ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def inert(text: str) -> str:
    r"""Write characters that control a terminal or hide from its reader as what they are.

    >>> print(inert("a\x1b[31mb\nc\u202ed"))
    a\x1b[31mb\nc\u202ed
    """
    return ACTIVE.sub(_spelled, text)


def inert_all(texts: Iterable[str]) -> tuple[str, ...]:
    """Write active characters as what they are, in each of several texts."""
    return tuple(ACTIVE.sub(_spelled, text) for text in texts)


def inert_text(text: str) -> str:
    """Write active characters as what they are, but for the ends of lines."""
    return "\n".join(inert_all(text.split("\n")))


def inert_lines(text: str) -> str:
    """Write active characters as what they are, in each of several lines.

    A line that goes on with two blanks is meant; any other line feed is part of a name.
    """
    return "\n  ".join(inert_all(text.split("\n  ")))


def _spelled(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()


@contextmanager
def calmed(ax: Any) -> Iterator[list[Any]]:
    """Make what is written into axes plain text: no formulas of matplotlib, no active characters.

    The axes that were drawn into are put into the list; what was in ``ax`` before stays as it was.
    """
    from matplotlib import rcParams  # noqa: PLC0415 (slow to import)
    from matplotlib.text import Text  # noqa: PLC0415 (slow to import)
    from matplotlib.ticker import FixedFormatter, FuncFormatter  # noqa: PLC0415

    drawn_before = [] if ax is None or callable(ax) else ax.findobj(Text)
    before = {text: text.get_text() for text in drawn_before}
    dollar = "\\$" if rcParams["text.parse_math"] else "$"
    drawn: list[Any] = []

    def calm(text: str) -> str:
        return inert_text(text).replace("\\$", "$").replace("$", dollar)

    yield drawn
    for axes in drawn:
        for axis in (axes.xaxis, axes.yaxis):  # labels of ticks are written when they are drawn
            if isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter):
                said = [label.get_text() for label in axis.get_majorticklabels()]
                if list(map(calm, said)) != said:
                    axis.set_ticklabels(map(calm, said))
        for text in axes.findobj(Text):
            if text.get_text() != before.get(text, ""):
                text.set_text(calm(text.get_text()))
