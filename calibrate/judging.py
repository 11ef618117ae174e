"""What was measured, with its error, beside what is promised.

The errors of all promises together are simultaneous: Clopper and Pearson's limits, each at
``0.05 / number of promises`` (Bonferroni). A promise is broken where its limit says so.
"""

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from betterthan.resampling.generator import binomial_ends
from betterthan.testing.bootstrap import FEW
from calibrate.cells import Cell, named
from calibrate.store import Counts


class Promise(NamedTuple):
    """A nominal share, and the least or largest that is tolerated (None: nothing is promised)."""

    nominal: float | None
    least: float = 0.0
    most: float = 1.0
    judged: bool = True


PROMISES = {
    "type I": Promise(0.05, most=0.05),
    "one-sided": Promise(0.05, most=0.05),
    "family": Promise(0.05, most=0.05),
    "false PASS": Promise(0.05, most=0.05),
    "coverage": Promise(0.95, least=0.93),
    "score": Promise(0.95, least=0.93),
    "joint intervals": Promise(0.95, least=0.93),
    "joint ranks": Promise(0.95, least=0.93),
    "ratings": Promise(0.95, least=0.93),
    "thresholds": Promise(0.95, least=0.93),
    "ideal": Promise(0.05, most=0.05),
    "ideal interval": Promise(0.95, judged=False),
    "bracket": Promise(0.99, least=0.98),
    "detects": Promise(0.8, judged=False),
    "by name": Promise(0.95, judged=False),
    "assumed PASS": Promise(0.05, judged=False),
    "power": Promise(None, judged=False),
    "true PASS": Promise(None, judged=False),
}
FEWEST = 50
"""Answers below which nothing is judged: a method that nearly always refuses."""


@dataclass(frozen=True)
class Measured:
    """One measure of one cell; ``earlier`` than the present code, where that is so."""

    cell: Cell
    measure: str
    method: str
    true: int
    given: int
    low: float = 0.0
    high: float = 1.0
    earlier: bool = False

    @property
    def share(self) -> float:
        """Share of the replicates that had an answer."""
        return self.true / max(self.given, 1)

    @property
    def error(self) -> float:
        """Its standard error."""
        return math.sqrt(self.share * (1.0 - self.share) / max(self.given, 1))

    @property
    def promise(self) -> Promise:
        """What should hold."""
        return PROMISES[self.measure]

    @property
    def judged(self) -> bool:
        """Whether something is promised here; see :func:`exempt`."""
        return self.promise.judged and self.given >= FEWEST and not exempt(self)

    @property
    def broken(self) -> bool:
        """Whether the promise is shown not to hold."""
        return self.judged and (self.high < self.promise.least or self.low > self.promise.most)

    def __str__(self) -> str:
        nominal = (
            "" if self.promise.nominal is None else f", nominal {100 * self.promise.nominal:g}"
        )
        span = f"[{100 * self.low:.1f}, {100 * self.high:.1f}]"
        said = f"{self.measure} of {self.method}: {100 * self.share:.1f} % {span}{nominal}"
        return f"{said} ({self.given} replicates; {named(self.cell)})"


def exempt(one: Measured) -> str:
    """Why nothing is promised of this measurement; empty where something is.

    The terminal says the same: the interval's note, or the name of its method.
    """
    facts = vars(one.cell)
    units = facts.get("clusters") or facts.get("items", 0)
    skewed = facts.get("world") == "seconds (skewed)"
    if one.measure == "score" and one.method == "as it is" and skewed and units < 50:
        return (
            "scores without bounds and fewer than 50 units: a note says what is taken for granted"
        )
    tested = one.measure in ("type I", "one-sided", "ideal")
    if tested and "bootstrap" in one.method and units < FEW:
        return f"bootstrap of fewer than {FEW} units: a note says that it is meant for many"
    return ""


def judge(cells: Iterable[tuple[Cell, Counts]], earlier: Container[Cell] = ()) -> list[Measured]:
    """Measurements with simultaneous limits; those of some cells were made by earlier code."""
    found = [
        Measured(cell, *_named(name), *counted, earlier=cell in earlier)
        for cell, counts in cells
        for name, counted in counts.items()
    ]
    tail = 0.05 / max(sum(one.judged for one in found), 1) / 2.0
    return [_limited(one, tail) for one in found]


def _named(name: str) -> tuple[str, str]:
    measure, _, method = name.partition("/")
    return measure, method


def _limited(one: Measured, tail: float) -> Measured:
    low, high = binomial_ends(one.true, one.given, tail) if one.given else (0.0, 1.0)
    return replace(one, low=low, high=high)


def of_measure(found: Sequence[Measured], measure: str) -> list[Measured]:
    """Those of one measure."""
    return [one for one in found if one.measure == measure]
