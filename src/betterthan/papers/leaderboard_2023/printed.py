"""The tables of the paper as they are printed."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FEWEST = "<0.00001"
"""What a printed 0 means: less than the program's precision, by the captions of the tables."""

SIMULATED, TOXICITY = range(5, 10), range(10, 15)
LAWS = {"simulated": SIMULATED, "toxicity": TOXICITY}
ALIKE = {"wins_vectorized": "wins"}
"""Tables 2 and 4 count wins over single responses with those over items."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A row of Tables 5 to 14; a number is empty where the copy that was transcribed is damaged."""

    table: int
    eps: float
    sampling: str
    metric: str
    estimated: str
    true: str

    @property
    def key(self) -> tuple[float, str, str]:
        """What it is about; a strategy that takes five responses takes as many as there are."""
        return self.eps, of_all(self.sampling), self.metric

    @property
    def gap(self) -> float | None:
        """Distance of the two numbers, if both are legible."""
        if not (self.estimated and self.true):
            return None
        return abs(printed_number(self.estimated) - printed_number(self.true))


@dataclass(frozen=True, slots=True)
class PrintedLeast:
    """A row of Tables 1 to 4: the least gap at every eps, over ``n`` combinations."""

    table: int
    row: str
    n: int
    least: dict[float, str]


def of_all(sampling: str) -> str:
    """Spell a strategy as the library does.

    >>> of_all("all_items/sample(5)")
    'all_items/sample(k)'
    """
    return sampling.replace("sample(5)", "sample(k)")


def printed_number(printed: str) -> float:
    """Read a printed number; what is below the precision is nothing.

    >>> printed_number("2.60E-05"), printed_number("<0.00001")
    (2.6e-05, 0.0)
    """
    return 0.0 if printed.startswith("<") else float(printed)


@cache
def printed() -> tuple[Printed, ...]:
    """Read Tables 5 to 14.

    Where one of a row's three numbers (estimated, true, difference) is damaged it is what the
    other two say, if Tables 1 to 4 or the number of its digits confirm it.
    """
    return tuple(
        Printed(
            int(r["table"]),
            float(r["eps"]),
            r["sampling"],
            r["metric"],
            _whole(r["estimated"]),
            _whole(r["true"]),
        )
        for r in _lines("tables_5_to_14.csv")
    )


@cache
def printed_least() -> tuple[PrintedLeast, ...]:
    """Read Tables 1 to 4."""
    fixed = ("table", "row", "n")
    return tuple(
        PrintedLeast(
            int(r["table"]),
            r["row"],
            int(r["n"]),
            {float(eps): value for eps, value in r.items() if eps not in fixed},
        )
        for r in _lines("tables_1_to_4.csv")
    )


def printed_behind(least: PrintedLeast, eps: float) -> list[Printed]:
    """Rows of Tables 5 to 14 whose least gap a number of Tables 1 to 4 is."""
    law = SIMULATED if least.table <= 2 else TOXICITY
    return [
        line
        for line in printed()
        if line.table in law
        and line.eps == eps
        and least.row in (line.sampling, ALIKE.get(line.metric, line.metric))
    ]


def _whole(printed: str) -> str:
    """Give a number the six digits that it was printed from, without its last zeros."""
    if printed == "0":
        return FEWEST
    return f"{float(printed):.6f}" if printed and "E" not in printed else printed


def _lines(name: str) -> list[dict[str, str]]:
    text = files("betterthan.papers.leaderboard_2023").joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
