"""What is resampled: items, clusters of items, or judgments."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from betterthan.numeric import Floats, Ints
from betterthan.resampling.counts import bootstrap_counts, stratified_counts
from betterthan.resampling.generator import Rng


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

    def weights(self, resamples: int, rng: Rng = None) -> Iterator[Floats]:
        """Yield blocks of resampled multiplicities, one row per resample."""
        if self.strata is not None:  # of units that are one of a kind
            blocks = stratified_counts(self.groups, resamples, rng)
        else:
            counts = None if (self.multiplicity == 1).all() else self.multiplicity
            blocks = bootstrap_counts(len(self.multiplicity), resamples, rng, counts=counts)
        return (drawn.astype(np.float64) for drawn in blocks)


def codes_of(labels: Iterable[object]) -> tuple[Ints, int]:
    """Number labels in order of appearance; also returns how many differ.

    >>> codes_of(["b", "a", "b"])
    (array([0, 1, 0]), 2)
    """
    seen: dict[object, int] = {}
    codes = np.fromiter((seen.setdefault(x, len(seen)) for x in labels), np.int64)
    return codes, len(seen)
