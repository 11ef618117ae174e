"""The table: what is measured, in which worlds, of what sizes, and what is promised of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibrate import decisions, intervals
from calibrate.cell import Answers, Cell
from calibrate.populations import POPULATIONS
from calibrate.worlds import EVALUATIONS

WHAT: dict[str, Callable[[Cell, np.random.Generator], Answers]] = {
    "coverage": intervals.coverage,
    "own intervals": intervals.own_intervals,
    "score": intervals.score,
    "by name": intervals.by_name,
    "ideal interval": intervals.ideal_interval,
    "ratings": intervals.ratings,
    "thresholds": intervals.threshold,
    "families": intervals.families,
    "tests": decisions.tests,
    "one-sided": decisions.one_sided,
    "ideal": decisions.ideal,
    "gates": decisions.gates,
    "assumed": decisions.assumed,
    "ranks": decisions.ranks,
    "sampled": decisions.sampled,
    "detects": decisions.detects,
}


class Measure(NamedTuple):
    """What a measure says, its nominal per cent, and the promise: a limit that is tolerated."""

    text: str
    nominal: float | None = None
    promise: str = ""


MEASURES = {
    "coverage": Measure("a 95 % interval holds the difference", 95, ">= 93"),
    "width": Measure("width of the interval of `compare`, in per cent of Student's t", 100),
    "contradiction": Measure("verdict and interval of `compare` disagree", 0, "<= 0"),
    "own interval": Measure("the interval of another test holds what that test compares", 95),
    "score": Measure("the interval of `score` holds the score", 95, ">= 93"),
    "joint intervals": Measure("four intervals hold together", 95, ">= 93"),
    "by name": Measure("`bootstrap_interval` or Student's t holds a difference of zero", 95),
    "ideal interval": Measure("the ideal bootstrap's interval holds a difference of zero", 95),
    "ratings": Measure("a board's interval holds a rating", 95, ">= 93"),
    "thresholds": Measure(
        "the interval of a threshold holds the average of such studies", 95, ">= 93"
    ),
    "type I": Measure("a test rejects, two-sided, where both systems have one law", 5, "<= 5"),
    "one-sided": Measure("the same in favour of the candidate", 5, "<= 5"),
    "ideal": Measure("the ideal bootstrap of reals rejects", 5, "<= 5"),
    "power": Measure("a test rejects where one system is ahead"),
    "family": Measure("any of four verdicts is false", 5, "<= 5"),
    "false PASS": Measure("a gate passes a candidate at the border of its goal", 5, "<= 5"),
    "assumed PASS": Measure("the same where a model is assumed instead of bounds", 5),
    "true PASS": Measure("a gate passes an equal system"),
    "joint ranks": Measure("all true ranks lie in their rank sets", 95, ">= 93"),
    "bracket": Measure("the bracket of a sampled p holds the exact one", 99, ">= 98"),
    "detects": Measure(
        "the exact test rejects at the effect that a comparison prints as detectable", 80
    ),
}
FEW = 50
"""Units below which nothing is promised of bootstrap tests and of skewed scores without bounds."""


def promise(cell: Cell, measure: str, method: str) -> str:
    """The limit of one answer; empty where nothing is promised, as a note in the terminal says."""
    units = cell.clusters or cell.items
    skewed = cell.world == "seconds (skewed)"
    if measure == "score" and method == "as it is" and skewed and units < FEW:
        return ""
    if measure in ("type I", "one-sided", "ideal") and "bootstrap" in method and units < FEW:
        return ""
    if measure == "coverage":
        documented = "" if cell.least is None else f">= {cell.least:g}"
        return (documented or MEASURES[measure].promise) if method == "compare" else ""
    if measure == "width" and not cell.clusters:
        return "<= 103"
    if measure == "joint intervals" and method in ("hochberg", "max-t"):
        return ""
    return MEASURES[measure].promise


@dataclass(frozen=True)
class Line:
    """A line of the table: everything of these worlds, sizes and shifts.

    A size is a number of items, or of clusters of ten items and whether they are unequal. ``quick``
    are the worlds and the sizes of the quick grid.
    """

    what: str
    worlds: tuple[str, ...]
    sizes: tuple[Any, ...]
    quick: tuple[tuple[str, ...], tuple[Any, ...]] = ((), ())
    shift: float = 0.0
    more: dict[str, Any] = field(default_factory=dict)

    def cells(self, *, quick: bool) -> Iterator[Cell]:
        """All cells of the line, or the quick ones."""
        worlds, sizes = self.quick if quick else (self.worlds, self.sizes)
        for world, size in product(worlds, sizes):
            clusters, unequal = size if isinstance(size, tuple) else (0, False)
            items = 10 * clusters or size
            least = DOCUMENTED.get(world, {}).get(items) if self.what == "coverage" else None
            cell = Cell(self.what, world, items, clusters, unequal, self.shift, least=least)
            yield replace(cell, **self.more)


def _documented(*percent: float, sizes: tuple[int, ...] = (10, 20, 50, 200, 1000)) -> Any:
    return dict(zip(sizes, (round(x - 1.0, 1) for x in percent), strict=True))


DOCUMENTED: dict[str, dict[int, float]] = {
    "shares, sd .05": _documented(95.2, 95.3, 95.0, 94.8, 94.8),
    "ratings, half tied": _documented(97.5, 94.5, 94.6, 94.7, 95.6),
    "ratings, 90 % tied": _documented(100, 99.8, 98.0, 95.4, 94.3),
    "t with 3 df": _documented(95.1, 95.4, 95.6, 95.6, 95.1),
    "lognormal": _documented(83.5, 86.8, 89.8, 92.9, 94.1),
    "rare losses": _documented(35.8, 55.5, 87.4, 91.6, 94.3),
    "F1": _documented(95.3, 95.2, 95.0, 95.0, sizes=(20, 50, 200, 1000)),
    "BLEU": _documented(90.3, 94.5, 95.4, 95.0, sizes=(20, 50, 200, 1000)),
    "real boards": _documented(94.2, 94.5, 94.4, 94.9, 95.2),
    "clusters, skewed effects": _documented(89, 89, 89, sizes=(80, 200, 400)),
    "clusters, effect tied to size": _documented(83, 83, 83, sizes=(80, 200, 400)),
}
"""Coverage that the documentation promises, less one point, where it is not the usual one."""

FAIR = tuple(name for name, world in EVALUATIONS.items() if world.same_law)
ALL = tuple(EVALUATIONS)
SPOILED = tuple(x for x in ALL if x not in FAIR)
BOUNDED = tuple(x for x in ALL if x not in ("real", "BLEU"))  # without bounds nothing passes
ALIKE = tuple(x for x in BOUNDED if EVALUATIONS[x].alike > 0.6)
OTHERS = tuple(x for x in BOUNDED if x not in ALIKE)
REALS = ("bounded 0-1", "real", "seconds (skewed)")
BINARY = tuple(x for x in POPULATIONS if x.startswith("0/1"))
SINGLE = tuple(x for x in POPULATIONS if not x.startswith(("0/1", "clusters")))
CLUSTERS = tuple(product((8, 20, 40), (False, True)))
DESIGNS = tuple(product((8, 20, 100), (False, True)))
UNEQUAL = ((8, True), (20, True), (100, True))
SIZES, COVERED = (5, 10, 20, 50, 200, 2000), (10, 20, 50, 200, 1000)
TASKS = ("normal", "0/1, 20 % differ, effect 0.5")
OWN = ("normal", "shares, sd .05", "t with 3 df", "lognormal", "ratings, half tied", TASKS[1])

TABLE = (
    Line("coverage", SINGLE, COVERED, (SINGLE, (20,)), more={"batches": 15}),
    Line("coverage", BINARY, COVERED, (BINARY[:3], (20,))),
    Line("coverage", ("F1",), COVERED[1:], (("F1",), (20,)), 0.3, {"batches": 12}),
    Line("coverage", ("BLEU",), COVERED[1:], shift=0.3, more={"batches": 8}),
    Line("coverage", ("clusters", "clusters, skewed effects"), CLUSTERS, more={"batches": 15}),
    Line("coverage", ("0/1", "ratings 1-5"), CLUSTERS, shift=0.3, more={"batches": 15}),
    Line("coverage", ("clusters, effect tied to size",), CLUSTERS[1::2], more={"batches": 15}),
    Line("coverage", TASKS, COVERED[2:], more={"tasks": 5}),
    Line("own intervals", OWN, (20, 50, 200), (("normal",), (20,)), more={"batches": 3}),
    Line("score", FAIR, SIZES, (FAIR, (5, 20)), more={"batches": 3}),
    Line("score", FAIR, SIZES, shift=0.3, more={"batches": 3}),
    Line("score", SPOILED, SIZES, more={"batches": 3}),
    Line("score", ALL, DESIGNS, more={"batches": 3}),
    Line("by name", FAIR, (20, 50, 200), (("0/1", "F1"), (20,))),
    Line("ideal interval", REALS, (20, 50, 200)),
    Line("ideal", REALS, (20, 50, 200, 2000), (("real",), (50,))),
    *(
        Line("ratings", ("real",), (8, 20, 50, 200), (("real",), (20,)), more=more)
        for more in ({"systems": 10, "method": "mean"}, {"systems": 10, "method": "median"})
    ),
    Line("families", ("0/1", "ratings 1-5", "bounded 0-1", "F1"), (20, 200), (("0/1",), (20,))),
    Line("tests", ALL, SIZES, (ALL, (5, 20, 50))),
    Line("tests", FAIR, SIZES, shift=0.3),
    Line("tests", ALL, DESIGNS, (ALL, ((8, True), (20, True)))),
    Line("one-sided", FAIR, (20, 50, 200), (FAIR, (20,))),
    *(
        line
        for worlds, shift in ((OTHERS, -0.4), (ALIKE, -1.0))
        for line in (
            Line("gates", worlds, (20, 50, 200, 1000), (worlds, (50,)), shift),
            Line("gates", worlds, UNEQUAL, shift=shift),
            Line("assumed", worlds, (50, 200), shift=shift),
        )
    ),
    Line("sampled", ("0/1", "ratings 1-5"), (50,), (("0/1", "ratings 1-5"), (50,))),
    Line("detects", ("0/1", "ratings 1-5", "F1"), (200,), (("0/1",), (200,))),
)
MEAN, BT = "mean", "bradley-terry"
BOARDS = (
    *((MEAN, "real", n, m, 0.0, 0) for n, m in ((8, 5), (20, 10), (44, 50))),
    *((MEAN, "0/1", n, m, 0.0, 0) for n, m in ((8, 10), (20, 10), (44, 50), (200, 10))),
    (MEAN, "real", 20, 10, 1.0, 0),
    (MEAN, "skewed", 20, 10, 0.0, 0),
    (MEAN, "unlike", 20, 10, 0.0, 0),
    (MEAN, "unlike", 44, 10, 0.0, 0),
    ("median", "real", 20, 10, 0.0, 0),
    (BT, "real", 8, 5, 0.0, 0),
    (BT, "real", 20, 10, 0.0, 0),
    (BT, "real", 20, 10, 1.0, 0),
    (BT, "0/1", 44, 10, 0.0, 0),
    (BT, "real", 200, 10, 0.5, 0),
    (BT, "judgments", 8, 5, 0.0, 6),
    (BT, "judgments", 15, 8, 0.0, 28),
    (BT, "judgments", 60, 8, 1.0, 10),
)
"""What is ranked by, the kind of score, items, systems, the lead of half of them, judged pairs."""

COLLECTIONS = (
    ("0/1", 200, 20, "t", 0),
    ("0/1", 200, 20, "bootstrap", 0),
    ("0/1", 200, 40, "t", 0),
    ("0/1", 200, 40, "t", 40),
    ("real", 50, 20, "t", 0),
    ("real", 200, 20, "t", 0),
    ("real", 200, 40, "t", 0),
    ("unlike systems", 200, 40, "t", 0),
    ("unlike items", 200, 40, "t", 0),
)
"""The kind of score, items, systems, the test of each pair, and clusters."""


def cells(*, quick: bool = False, folder: Path | None = None) -> Iterator[Cell]:
    """All cells, or those of the quick grid; with a folder of tables also real boards."""
    if folder is not None and not quick:
        for items in COVERED:
            least = DOCUMENTED["real boards"][items]
            yield Cell("coverage", "real boards", items, least=least, folder=folder, batches=30)
    for line in TABLE:
        yield from line.cells(quick=quick)
    for method, world, items, systems, lead, pairs in BOARDS:
        if not quick or (systems <= 10 and items <= 20):
            yield Cell(
                "ranks", world, items, shift=lead, systems=systems, pairs=pairs, method=method
            )
    for world, items, systems, test, clusters in COLLECTIONS[:1] if quick else COLLECTIONS:
        yield Cell("thresholds", world, items, clusters, systems=systems, method=test)
