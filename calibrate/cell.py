"""One cell of the table of measurements, and what its replicates have in common."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.data.pair import Joint
from betterthan.testing.values import Bootstrap
from calibrate.worlds import drawn

ALPHA = 0.05
DRAWS = 999  # of sampled tests: 5 % is then a p-value that can be had
SAMPLED = Bootstrap(method="sample")
Answers = dict[str, bool | float | None]
"""What came true, by ``measure/method``: or a number, or None where no answer was given."""


@dataclass(frozen=True)
class Cell:
    """A line of the table: what is measured, in which world, and of what size.

    Attributes
    ----------
    what : str
        A key of :data:`calibrate.table.WHAT`.
    world : str
        How scores come about.
    items, clusters, unequal, tasks, systems, pairs
        Sizes: clusters of equal or unequal sizes, tasks, systems, judged pairs per item.
    shift : float
        How far the second system, or half of the systems, are ahead in quality.
    method : str
        How is ranked or tested, where only one way is measured.
    least : float or None
        Per cent of coverage that was documented, where it is not the usual one.
    folder : Path or None
        Tables of real scores.
    batches : int
        How often it is measured, in batches of a hundred.
    """

    what: str
    world: str
    items: int
    clusters: int = 0
    unequal: bool = False
    shift: float = 0.0
    tasks: int = 0
    systems: int = 2
    pairs: int = 0
    method: str = ""
    least: float | None = field(default=None, repr=False)
    folder: Path | None = field(default=None, repr=False)
    batches: int = field(default=10, repr=False)

    @property
    def place(self) -> str:
        """The world, as a row names it."""
        systems = f", {self.systems} systems" if self.systems > 2 else ""
        ahead = ", half ahead" if self.what == "ranks" else ", one ahead"
        shifted = self.shift and self.what in ("tests", "coverage", "score", "ranks")
        return self.world + systems + (ahead if shifted else "")

    @property
    def units(self) -> str:
        """The size, as a row names it."""
        if self.clusters:
            return f"{self.clusters} {'unequal' if self.unequal else 'equal'} clusters"
        return f"{self.items:,} items" + (f" of {self.tasks} tasks" if self.tasks else "")

    def joint(self, rng: np.random.Generator, shift: float | None = None) -> Joint:
        """The two systems of a world, paired."""
        size = (self.items, self.clusters, self.unequal)
        return drawn(rng, self.world, *size, shift=self.shift if shift is None else shift)


def inside(interval: Any, true: float) -> bool | None:
    """Whether an interval holds the truth; None where it has no ends."""
    if np.isinf(interval.low) and np.isinf(interval.high):
        return None
    return bool(interval.low <= true <= interval.high)


def rejected(pvalue: float) -> bool:
    """Whether p is at most 5 %, for which rounding does not count."""
    return pvalue <= ALPHA + 1e-12
