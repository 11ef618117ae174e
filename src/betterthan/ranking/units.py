"""What is resampled: items, clusters of items, or judgments."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import Remedy, UsageError
from betterthan.numeric import Floats, Ints
from betterthan.resampling.draws import draw_block, draw_strata
from betterthan.resampling.generator import Rng, as_count
from betterthan.resampling.work import HERE, Progress, Sampling, Work

Made = TypeVar("Made")
FEWEST = 2
"""Resamples that it takes to see how a score varies."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """How often units are resampled, from which seed, and who does it."""

    number: int
    rng: Rng
    work: Work = HERE
    progress: Progress | None = None

    @classmethod
    def of(cls, sampling: Sampling, rng: Rng, usual: int) -> Self:
        """Take the keywords of a call; ``usual`` is the number where none is given."""
        number = as_count(sampling.get("resamples"))
        number = usual if number is None else number
        if number < FEWEST:
            raise UsageError(
                f"resamples must be at least {FEWEST}, got {number}",
                Remedy("", "resamples", usual),
            )
        return cls(number, rng, Work.of(sampling), sampling.get("progress"))

    def tell(self, drawn: int) -> None:
        """Say how many have been drawn."""
        if self.progress is not None:
            self.progress(drawn, self.number)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Independent units, resampled within strata where there are any.

    Attributes
    ----------
    name : str
        What a unit is called, in the plural.
    multiplicity : (kinds,) array of int
        How many units there are of each kind. Units with the same outcomes are of one kind.
    strata : (kinds,) array of int or None
        Stratum (task) of each kind; units are resampled within theirs.
    """

    name: str
    multiplicity: Ints
    strata: Ints | None = None

    @classmethod
    def single(cls, name: str, count: int, strata: Ints | None = None) -> "Units":
        """Units of which no two are alike."""
        return cls(name, np.ones(count, dtype=np.int64), strata)

    @property
    def count(self) -> int:
        """Number of independent units."""
        return int(self.multiplicity.sum())

    @property
    def groups(self) -> list[Ints]:
        """Positions of the kinds of each stratum; of all where there are no strata."""
        if self.strata is None:
            return [np.arange(len(self.multiplicity))]
        return [np.flatnonzero(self.strata == s) for s in range(int(self.strata.max()) + 1)]

    def draw(self, block: tuple[int, np.random.Generator]) -> Floats:
        """Draw one block of resampled multiplicities."""
        if self.strata is not None:  # of units that are one of a kind
            return draw_strata(self.groups, *block).astype(np.float64)
        counts = None if (self.multiplicity == 1).all() else self.multiplicity
        return draw_block(len(self.multiplicity), *block, counts).astype(np.float64)

    def resampled(self, measure: Callable[[Floats], Made], draws: Draws) -> Iterator[Made]:
        """What is measured of each block of resamples, in their order, whoever draws it."""
        task, kinds = _Measured(self, measure), len(self.multiplicity)
        return draws.work.draw(task, kinds, draws.number, draws.rng, draws.progress)


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """Draws a block of resamples and measures it."""

    units: Units
    measure: Callable[[Floats], Any]

    def __call__(self, block: tuple[int, np.random.Generator]) -> Any:
        return self.measure(self.units.draw(block))


def effective_number(total: NDArray[Any], squares: NDArray[Any]) -> Floats:
    """Kish's number of equal units that unequal ones are worth, from sums of sizes and squares.

    >>> effective_number(np.array([12.0, 12.0]), np.array([48.0, 104.0])).round(2).tolist()
    [3.0, 1.38]
    """
    return np.asarray(np.divide(total**2, squares, out=np.zeros(len(total)), where=squares > 0))


def codes_of(labels: Iterable[object]) -> tuple[Ints, int]:
    """Number labels in order of appearance; also returns how many differ.

    >>> codes_of(["b", "a", "b"])
    (array([0, 1, 0]), 2)
    """
    seen: dict[object, int] = {}
    codes = np.fromiter((seen.setdefault(x, len(seen)) for x in labels), np.int64)
    return codes, len(seen)
