"""Medians of many resamples of the same values, from the few values next to the middle.

However a resample is drawn, its median lies within some standard deviations of the middle of the
values in order. So it is enough to count what lies below a window around the middle, a matrix
product, and to look through the window; where the median is not in it, all values are sorted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Bools, Floats, Ints

REACH = 7.0
"""Half the window, in standard deviations of how many of the drawn values lie below the middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The values next to the middle.

    Attributes
    ----------
    places : (window,) array of int
        Where they are, in ascending order of the values.
    values : (window,) array
        The values.
    low : (values,) array of bool
        Which values lie below the window.
    drawn : int
        How many values a resample has.
    """

    places: Ints
    values: Floats
    low: Bools
    drawn: int

    @classmethod
    def around_middle(cls, values: Floats, drawn: int) -> Self:
        """Window of values of which each resample has ``drawn``, evenly from small and large."""
        size = len(values)
        order = np.argsort(values, kind="stable")
        half = math.ceil(REACH * math.sqrt(drawn) / 2 * size / drawn) + 2
        start, stop = max(size // 2 - half, 0), min(size // 2 + half, size)
        low = np.zeros(size, dtype=np.bool_)
        low[order[:start]] = True
        return cls(order[start:stop], values[order[start:stop]], low, drawn)

    @property
    def kind(self) -> type[np.floating[Any]]:
        """Floats in which counts of drawn values are exact."""
        return np.float32 if self.drawn < 1 << 24 else np.float64

    def medians(
        self, below: NDArray[Any], weights: NDArray[Any], again: Callable[[int], float]
    ) -> Floats:
        """Medians of resamples that have so many values below the window, and these within.

        ``again(row)`` sorts all values of a resample whose median is elsewhere.
        """
        reached = np.cumsum(weights, axis=1) + below[:, None]
        first, second = (self.drawn - 1) // 2, self.drawn // 2  # the middle ones, from zero
        last = len(self.places) - 1
        at = [np.minimum((reached <= k).sum(axis=1), last) for k in (first, second)]
        medians = (self.values[at[0]] + self.values[at[1]]) / 2
        for row in np.flatnonzero((below > first) | (reached[:, -1] <= second)):
            medians[row] = again(int(row))
        return np.asarray(medians)


def bootstrap_medians(values: Floats, window: Window, counts: NDArray[np.uint8]) -> Floats:
    """Median of the values under each row of counts."""

    def again(row: int) -> float:
        return float(np.median(np.repeat(values, counts[row])))

    kind = window.kind
    below = counts.astype(kind) @ window.low.astype(kind)
    return window.medians(below, counts[:, window.places].astype(kind), again)


@dataclass(frozen=True, slots=True, eq=False)
class SwappedMedians:
    """Medians of two systems whose values are swapped item by item.

    Attributes
    ----------
    a, b : (items,) array
        Values of either.
    units : (units,) array of int
        Items that are swapped.
    window : Window
        Around the middle of both together, those of ``a`` first.
    slope : (units,) array
        How many more values below the window ``b`` has when the unit is swapped.
    columns : (window,) array of int
        Unit of each value in the window; -1 where it is not swapped.
    """

    a: Floats
    b: Floats
    units: Ints
    window: Window
    slope: Floats
    columns: Ints

    @classmethod
    def of(cls, a: Floats, b: Floats, units: Ints) -> Self:
        """Find the window once."""
        n, window = len(a), Window.around_middle(np.concatenate([a, b]), len(a))
        place = np.full(n, -1)
        place[units] = np.arange(len(units))
        slope = window.low[:n].astype(np.float64) - window.low[n:]
        return cls(a, b, units, window, slope[units], place[window.places % n])

    def gains(self, net: Floats) -> Floats:
        """Median of ``b`` less that of ``a`` for each row of signs: -1 where a unit is swapped."""
        n, window, live = len(self.a), self.window, self.columns >= 0
        in_b = np.tile(window.places >= n, (len(net), 1))
        in_b[:, live] ^= net[:, self.columns[live]] < 0
        of_b, total = float(window.low[n:].sum()), float(window.low.sum())
        below = of_b + (self.slope.sum() - net @ self.slope) / 2

        def again(row: int, first: Floats, second: Floats) -> float:
            pattern = np.zeros(n, dtype=np.bool_)
            pattern[self.units] = net[row] < 0
            return float(np.median(np.where(pattern, second, first)))

        weights = in_b.astype(window.kind)
        upper = window.medians(below, weights, lambda row: again(row, self.b, self.a))
        lower = window.medians(total - below, 1 - weights, lambda row: again(row, self.a, self.b))
        return np.asarray(upper - lower)
