"""Test sets drawn anew from the items at hand, clusters whole."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.data.items import Items
from betterthan.data.pair import Joint
from betterthan.numeric import Ints, Numbers

WHOLE_LIMIT = 2**31  # smaller integers are summed exactly over any number of items


@dataclass(frozen=True, slots=True, eq=False)
class UnitDraws:
    """The units of a test set, items or clusters, from which others are drawn.

    ``members`` holds the items of each unit, or the items themselves where they are the units;
    ``values`` each system's columns, as integers where they are whole: that is not to be found out
    again of every test set.
    """

    members: Ints | list[Ints]
    values: tuple[Numbers, ...]

    @classmethod
    def of(cls, items: Items) -> Self:
        """Take the units from items in order, so that the order of the data leaves no trace."""
        order = np.arange(len(items.values[0]))
        values = tuple(_whole(x) for x in items.values)
        if items.codes is None:
            return cls(order, values)
        return cls(np.split(order, np.flatnonzero(np.diff(items.codes)) + 1), values)

    def draw(self, units: int, generator: np.random.Generator) -> tuple[Ints, Ints | None]:
        """Items of units drawn with replacement, and the number of each item's cluster, if any.

        A cluster that is drawn twice is two clusters.
        """
        drawn = generator.integers(len(self.members), size=units)
        if isinstance(self.members, np.ndarray):
            return self.members[drawn], None
        rows = [self.members[k] for k in drawn]
        return np.concatenate(rows), np.repeat(np.arange(units), [len(items) for items in rows])

    def swapped(
        self, units: int, chance: float, generator: np.random.Generator
    ) -> tuple[Numbers, Numbers, Ints | None]:
        """Columns of two systems on units drawn, some of which change places; and the clusters."""
        rows, clusters = self.draw(units, generator)
        swap = generator.random(units) < chance
        crossed = (swap if clusters is None else swap[clusters])[:, None]
        first, second = (x[rows] for x in self.values)
        return np.where(crossed, second, first), np.where(crossed, first, second), clusters


def _whole(values: Numbers) -> Numbers:
    whole = values.astype(np.int64) if np.abs(values).max() < WHOLE_LIMIT else values
    return whole if (whole == values).all() else values


def units_for(joint: Joint, items: int) -> int:
    """Units that make up about so many items; at least one."""
    return max(round(items * joint.units / joint.n), 1)
