"""Plain help pages: an option and what it means on one line, in groups, without boxes."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from betterthan.cli.screen import screen_width

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel

_UNTITLED = ("", "Positional", "Parameters")
WIDTH = 100  # where no terminal says it
COLUMN = 30  # where the meaning of an option begins


class HelpPage:
    """Write the panels of ``--help`` as text; cyclopts calls it."""

    def __call__(self, console: Any, options: Any, panel: "HelpPanel") -> None:
        """Write one group of options or commands."""
        if not panel.entries:
            return
        title = _plain(panel.title)
        lines = [] if title in _UNTITLED else [title]
        for entry in panel.entries:
            lines += _entry(_labels(entry), _plain(entry.description), screen_width() or WIDTH)
        print("\n".join(lines) + "\n")

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Write nothing: the description shows how a command is typed."""

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Write what a command answers, with examples as they are typed."""
        text = _plain(description).strip()
        if text:
            print(text + "\n")


def _labels(entry: "HelpEntry") -> str:
    names = [*entry.positive_names, *entry.positive_shorts, *entry.negative_names]
    return " ".join(filter(None, [", ".join(names), entry.metavar or ""]))


def _entry(label: str, meaning: str, width: int) -> list[str]:
    room = max(width - COLUMN, 24)
    first, *rest = wrap(meaning, room, break_on_hyphens=False) or [""]
    head = f"  {label}".ljust(COLUMN)
    lines = [head + first] if len(head) <= COLUMN else [head, " " * COLUMN + first]
    return [line.rstrip() for line in [*lines, *(" " * COLUMN + line for line in rest)]]


def _plain(text: Any) -> str:
    """Return the text of what cyclopts would write with styles."""
    text = getattr(text, "primary_renderable", text)
    return "" if text is None else str(getattr(text, "plain", text))
