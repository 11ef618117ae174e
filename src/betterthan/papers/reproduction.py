"""A paper regenerated: its exhibits, and whether what it says holds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from scipy.stats import norm

from betterthan.errors import UsageError
from betterthan.papers.boards import check_folder
from betterthan.papers.catalogue import Paper, paper_of
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Cell, CellRuling, Claim
from betterthan.papers.runner import JobProgress, Runner
from betterthan.results.protocol import Result

CONFIDENCE = 0.99
MANY = 20
"""Numbers from which on it is said whether their errors are of the right size."""


@dataclass(frozen=True, slots=True)
class Reproduction(Result):
    """Outcome of :func:`reproduce`; it has no plot of its own, its exhibits have pictures."""

    paper: Paper
    exhibits: tuple[Exhibit, ...]
    quick: bool
    seed: int
    real: bool = False

    @property
    def cells(self) -> list[tuple[Exhibit, Cell]]:
        """Every number, with the exhibit it stands in."""
        return [(exhibit, cell) for exhibit in self.exhibits for cell in exhibit.cells]

    @property
    def claims(self) -> list[tuple[Exhibit, Claim]]:
        """Every claim, with the exhibit it stands in."""
        return [(exhibit, claim) for exhibit in self.exhibits for claim in exhibit.claims]

    @property
    def multiple(self) -> float:
        """Standard errors allowed so that all numbers jointly agree with probability 99 %."""
        compared = sum(cell.ours is not None for _, cell in self.cells)
        return float(norm.isf((1 - CONFIDENCE) / (2 * max(1, compared))))

    @property
    def typical(self) -> float | None:
        """Root mean square of the standardised differences of numbers that agree, if many have one.

        It is 1 if the errors are what they are said to be, and less where they allow too much.
        """
        found = [
            cell.standardised for _, cell in self.cells if cell.ruling(self.multiple) == "agrees"
        ]
        known = [z for z in found if z is not None]
        return math.hypot(*known) / len(known) ** 0.5 if len(known) >= MANY else None

    def counts(self) -> dict[CellRuling, int]:
        """How many numbers agree, differ, and are not available."""
        found: dict[CellRuling, int] = {
            "agrees": 0,
            "differs": 0,
            "unexplained": 0,
            "not available": 0,
        }
        for _, cell in self.cells:
            found[cell.ruling(self.multiple)] += 1
        return found

    @property
    def holds(self) -> bool:
        """Whether every claim holds and every difference is explained."""
        unexplained = self.counts()["unexplained"]
        return unexplained == 0 and all(claim.holds for _, claim in self.claims)


def reproduce(
    paper: str,
    exhibits: Sequence[str] | None = None,
    *,
    quick: bool = False,
    rng: int = 0,
    workers: int = 1,
    executor: Any = None,
    progress: JobProgress | None = None,
    folder: str | PathLike[str] | None = None,
    data: str | PathLike[str] | None = None,
) -> Reproduction:
    """Regenerate a paper, or some of its exhibits.

    Parameters
    ----------
    paper : str
        A name of :data:`PAPERS`.
    exhibits : sequence of str, optional
        Such as "Table 2"; all by default.
    quick : bool
        Smaller sizes: minutes instead of hours.
    rng : int
        Seed, on which every number depends, and on nothing else.
    workers : int
        Processes.
    executor : concurrent.futures.Executor, optional
        Who does the work instead.
    progress : callable, optional
        Called with an exhibit, how many of its jobs are done, and of how many.
    folder : path, optional
        Where finished jobs are kept, so that a run that was stopped goes on from there.
    data : path, optional
        Folder with scores of the papers' own systems: ``SETUP__METRIC.csv``
        (``item[,section],SYSTEM...``), ``groups.csv`` (``system,group[,class]``) and
        ``ratings.csv`` (``item,rater...``). Without it data are simulated, or bundled.
    """
    chosen = paper_of(paper)
    makers = chosen.exhibits
    named = {name.lower(): name for name in makers}
    names = [named.get(name.lower(), name) for name in exhibits or makers]
    if unknown := [name for name in names if name not in makers]:
        raise UsageError(
            f"{paper} has no exhibit {unknown[0]!r} here; there are {', '.join(makers)}"
        )
    tables = None if data is None else Path(data)
    if tables is not None:
        check_folder(tables)
    runner = Runner(
        quick,
        rng,
        workers,
        folder=None if folder is None else Path(folder),
        data=tables,
        progress=progress,
        executor=executor,
    )
    made = tuple(makers[name](runner) for name in names)
    return Reproduction(chosen, made, quick, rng, real=tables is not None)
