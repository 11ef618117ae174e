"""What a paper exhibits: a table or a figure, regenerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from betterthan.papers.printed_cells import Cell, Claim
from betterthan.results.protocol import Result
from betterthan.results.sheet import Table

Look = Literal["line", "points", "bars"]


@dataclass(frozen=True, slots=True)
class Series:
    """Named points, in the order they are drawn; ``low`` and ``high`` end their error bars."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    look: Look = "line"


@dataclass(frozen=True, slots=True)
class Curves(Result):
    """Several series over the same axes; ``ticks`` name the places 0, 1, 2 ... of x.

    Plots: ``curves``.
    """

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log: Literal["", "x", "y", "xy"] = ""
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of a picture: a result, and the kind of plot that is drawn of it."""

    result: Result
    kind: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of several panels, side by side."""

    caption: str
    panels: tuple[Panel, ...]


def pictured(caption: str, shown: Result) -> tuple[Picture, ...]:
    """Return the pictures of an exhibit that has one, of one panel."""
    return (Picture(caption, (Panel(shown),)),)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper, regenerated.

    Attributes
    ----------
    name : str
        As the paper calls it: "Table 2", "Figure 3".
    title : str
        What it shows.
    cells : tuple of Cell
        Its numbers, published beside ours.
    claims : tuple of Claim
        What the paper says about it that can be checked.
    pictures : tuple of Picture
        Figures.
    remarks : tuple of str
        How it was made, and what to know.
    tables : tuple of Table
        Numbers of ours that have no published counterpart.
    on : str
        The data that it is made on.
    """

    name: str
    title: str
    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remarks: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    on: str = ""

    @property
    def slug(self) -> str:
        """Its name as it stands in a file name."""
        return "".join(c if c.isalnum() else "-" for c in self.name.lower()).strip("-")
