"""A published number next to ours, and the published numbers of a paper from its CSV."""

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

CellRuling = Literal["agrees", "differs", "unexplained", "not available"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a paper.

    Attributes
    ----------
    name : str
        Where it stands: row and column.
    published : str
        As it is printed; its last digit says how far it was rounded. ``<0.001`` is a bound.
    ours : float or None
        What we computed; None where it cannot be.
    error : float
        Standard error of ours.
    published_error : float
        Standard error of the published number, from the number of draws the paper states.
    reason : str
        Why the two differ, where they are known to; why there is none of ours.
    """

    name: str
    published: str
    ours: float | None
    error: float = 0.0
    published_error: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        if self.ours is None and not self.reason:
            raise ValueError(f"{self.name}: a number that is not available needs a reason")

    @property
    def value(self) -> float:
        """The published number, or the bound below which it lies."""
        return float(Decimal(self.published.removeprefix("<")))

    @property
    def bound(self) -> bool:
        """Whether the paper only says that it is less."""
        return self.published.startswith("<")

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit that was printed."""
        exponent = Decimal(self.published.removeprefix("<")).as_tuple().exponent
        return 0.5 * 10.0**exponent if isinstance(exponent, int) and not self.bound else 0.0

    @property
    def standardised(self) -> float | None:
        """Difference over its standard error, where it has one."""
        error = math.hypot(self.error, self.published_error)
        return None if self.ours is None or self.bound or not error else self.away / error

    @property
    def away(self) -> float:
        """Ours minus the published number."""
        return math.nan if self.ours is None else self.ours - self.value

    def allowed(self, multiple: float) -> float:
        """How far the two may be apart: rounding and so many standard errors."""
        return self.rounding + multiple * math.hypot(self.error, self.published_error)

    def ruling(self, multiple: float) -> CellRuling:
        """Compare, allowing for rounding and so many standard errors of the difference."""
        if self.ours is None:
            return "not available"
        allowed = self.allowed(multiple)
        # The decimal that was meant may lie a rounding error of the sum beyond the bound.
        if (self.away if self.bound else abs(self.away)) <= allowed * (1 + 1e-9):
            return "agrees"
        return "differs" if self.reason else "unexplained"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper that can be checked, and what was found."""

    text: str
    holds: bool
    evidence: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of ours, its standard error, and that of the published one."""

    value: float
    error: float = 0.0
    published_error: float = 0.0


@cache
def printed_rows(name: str) -> tuple[dict[str, str], ...]:
    """Read a CSV of what a paper prints."""
    text = files("betterthan.papers").joinpath(f"{name}.csv").read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def cells_of(
    paper: str,
    exhibit: str,
    ours: Mapping[str, Measured],
    reason: str | Callable[[str], str],
    missing: str,
) -> tuple[Cell, ...]:
    """Compare every number that an exhibit prints with ours, by the name of the cell.

    ``reason`` says why they may differ, ``missing`` why there is none of ours.
    """
    rows = [row for row in printed_rows(paper) if row["exhibit"] == exhibit]
    cells = []
    for name, published in ((row["cell"], row["printed"]) for row in rows):
        if name in ours:
            m, why = ours[name], reason if isinstance(reason, str) else reason(name)
            cells.append(Cell(name, published, m.value, m.error, m.published_error, why))
        else:
            cells.append(Cell(name, published, None, reason=missing))
    return tuple(cells)
