"""Outcomes: who beat whom, per independent unit.

What a Bradley-Terry fit needs of a unit is linear in it, so a resample is a product of weights and
a table. A unit counts by the ``lead`` (half of wins minus losses) of each *system* and its number
of ties: with 50 systems that are 51 columns, not 3,675.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import DataError
from betterthan.numeric import Floats
from betterthan.ranking.likelihood import Likelihood, Sums
from betterthan.ranking.methods import BradleyTerry, TieRule, other
from betterthan.ranking.units import Units


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Who beat whom, and what each unit contributed.

    Attributes
    ----------
    systems : tuple of str
        Names.
    counted : (systems * systems, 3) array
        Losses, ties and wins of the first of two systems, at ``first * systems + second`` with
        ``first < second``; the same under every tie rule.
    likelihood : Likelihood
        That of the tie rule, on the pairs that were compared at least once under it.
    losses, ties, wins : (pairs,) array
        Totals of these pairs, from the viewpoint of the left one; dropped ties too.
    table : (kinds, columns) array or sparse matrix
        ``lead``, ``tied`` and ``played`` of one unit of each kind, side by side.
    units : Units
        What is resampled.
    """

    systems: tuple[str, ...]
    counted: Floats
    likelihood: Likelihood
    losses: Floats
    ties: Floats
    wins: Floats
    table: Any
    units: Units

    @classmethod
    def of(
        cls,
        likelihood: Likelihood,
        systems: tuple[str, ...],
        counted: NDArray[Any],
        table: Any,
        units: Units,
    ) -> Self:
        """Outcomes of a table whose columns are those that the likelihood needs."""
        counts = counted.astype(np.float64)
        at = likelihood.left * len(systems) + likelihood.right
        losses, ties, wins = counts[at].T
        return cls(systems, counts, likelihood, losses, ties, wins, table, units)

    @property
    def rule(self) -> TieRule:
        """How ties count."""
        return self.likelihood.rule

    @property
    def undecided(self) -> bool:
        """Whether every comparison was a tie: all strengths are equal then, whatever the model."""
        return not (self.wins.any() or self.losses.any())

    def sums(self, weights: NDArray[Any]) -> Sums:
        """Sum units with weights of shape ``(..., kinds)``."""
        return self.split(np.asarray(weights @ self.table, dtype=np.float64))

    def split(self, sums: Floats) -> Sums:
        """Cut rows of the table, or sums of them, into their parts."""
        m = len(self.systems)
        return Sums(sums[..., :m], sums[..., m : m + 1], sums[..., m + 1 :])

    def total(self) -> Sums:
        """Sum the units as they were observed."""
        return self.sums(self.units.multiplicity)

    def matrix(self, counts: Floats, mirrored: Floats) -> Floats:
        """Square matrix with ``counts`` of pairs above the diagonal and ``mirrored`` below."""
        square = np.zeros((len(self.systems),) * 2)
        left, right = self.likelihood.left, self.likelihood.right
        square[left, right], square[right, left] = counts, mirrored
        return square


def compared_pairs(counted: NDArray[Any], rule: TieRule, systems: int) -> Likelihood:
    """Likelihood on the pairs compared at least once; where ties are dropped, once without one."""
    some = counted[:, ::2] if rule == "drop" else counted
    pairs = np.flatnonzero(some.any(axis=1))
    if pairs.size:
        return Likelihood(rule, pairs // systems, pairs % systems, systems)
    if rule == "drop":
        raise DataError(
            "no comparison is left once ties are dropped", other(BradleyTerry(), ties="half-win")
        )
    raise DataError("no two systems have an item in common: nothing can be compared")
