"""What is listed, with an example of each: a result like all others, to print or to save."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import indent, wrap
from typing import TYPE_CHECKING

from betterthan.results.protocol import Result

if TYPE_CHECKING:
    from betterthan.results.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing: its name, what it is, what it needs and an example."""

    name: str
    about: str
    needs: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Result):
    """Things with their names; ``closing`` is said after them."""

    title: str
    entries: Sequence[Entry]
    closing: Sequence[str] = field(default=())

    def sheet(self) -> "Sheet":
        """Return what is written of it."""
        from betterthan.results.sheet import Sheet, Table

        rows = [
            {
                "name": e.name,
                "about": e.about,
                "needs": e.needs or None,
                "example": e.example or None,
            }
            for e in self.entries
        ]
        cells = [(e.name, e.about, e.needs) for e in self.entries]
        return Sheet(
            title=self.title,
            kind="list",
            rows=rows,
            tables=(Table.of(("name", "about", "needs"), cells, left=("name", "about", "needs")),),
            remarks=tuple(self.closing),
            layout="plain",
        )

    def text(self) -> str:
        """Write it for people: names at the margin, all else below them."""
        return "\n".join([*map(_written, self.entries), *self.closing])


def _written(entry: Entry) -> str:
    lines = [entry.name]
    lines += [f"  {line}" for text in (entry.about, entry.needs) for line in wrap(text, 90)]
    return "\n".join([*lines, *([indent(entry.example, "    ")] if entry.example else [])])
