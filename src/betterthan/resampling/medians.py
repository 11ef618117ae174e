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

RUN = 64
"""Values next to each other that are counted together."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The values next to the middle, in ascending order, and their ``places``.

    ``low`` says of every value whether it lies below them, ``drawn`` how many a resample has.
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
        first, second = (self.drawn - 1) // 2, self.drawn // 2  # the middle ones, from zero
        rows, width = weights.shape
        # Whole runs are counted first, and then one of them is looked through.
        runs = np.zeros((rows, -(-width // RUN), RUN), dtype=weights.dtype)
        runs.reshape(rows, -1)[:, :width] = weights
        reached = np.cumsum(runs.sum(axis=2), axis=1) + below[:, None]
        reached = np.hstack([np.asarray(below)[:, None], reached])

        def at(k: int) -> Ints:
            run = np.minimum((reached[:, 1:] <= k).sum(axis=1), runs.shape[1] - 1)
            each = np.arange(rows)
            within = np.cumsum(runs[each, run], axis=1) + reached[each, run][:, None]
            return np.asarray(np.minimum(RUN * run + (within <= k).sum(axis=1), width - 1))

        medians = (self.values[at(first)] + self.values[at(second)]) / 2
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
