"""What is listed, with an example of each: a result like all others, to print or to save."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from betterthan.results.protocol import Result

if TYPE_CHECKING:
    from betterthan.results.sheet import Sheet


class Entry(NamedTuple):
    """One thing: its name, what it is, what it needs and an example."""

    name: str
    about: str
    needs: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Result):
    """Things with their names; there is no plot of them."""

    title: str
    entries: Sequence[Entry]

    def sheet(self) -> "Sheet":
        """Return what is written of it."""
        from betterthan.results.sheet import Sheet, Table

        rows = [{k: v or None for k, v in entry._asdict().items()} for entry in self.entries]
        headers = ("name", "about", "needs")
        table = Table.of(headers, [entry[:3] for entry in self.entries], left=headers)
        return Sheet(title=self.title, kind="list", rows=rows, tables=(table,), layout="plain")
