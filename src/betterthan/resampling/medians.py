"""Medians of many resamples of the same values, from the few values next to the middle.

However a resample is drawn, its median lies within some standard deviations of the middle of the
values in order. So it is enough to count what lies below a window around the middle, and to look
through the window; where the median is not in it, all values are sorted.

Where a value lies far from the middle it matters only on which side. So of many units only those
that have a value in some system's window are drawn one by one, and of all others no more than how
many of each kind come up: their number is binomial or multinomial. The distribution is that of
drawing every unit, for some ``sqrt(n)`` draws instead of n. Where a median is outside its window,
the other units of that resample are drawn after all, given their numbers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Bools, Floats, Ints, Numbers
from betterthan.resampling.draws import draw_halves
from betterthan.resampling.sums import weighted_sums

REACH = 7.0
"""Half the window, in standard deviations of how many of the drawn values lie below the middle."""

RUN = 64
"""Values next to each other that are counted together."""

LARGEST_PART = 0.5
"""Largest fraction of units next to the middle at which the others are drawn by their number."""

MOST_SYSTEMS = 30
"""Most systems whose sides of a value fit in one number."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The values next to the middle, in ascending order, and their ``places``.

    ``low`` says of every value whether it lies below them.
    """

    places: Ints
    values: Floats
    low: Bools

    @classmethod
    def around_middle(cls, values: Floats, spread: float) -> Self:
        """Window of values of which resamples move the median by some ``spread`` places."""
        size = len(values)
        order = np.argsort(values, kind="stable")
        half = math.ceil(REACH * spread) + 2
        start, stop = max(size // 2 - half, 0), min(size // 2 + half, size)
        low = np.zeros(size, dtype=np.bool_)
        low[order[:start]] = True
        return cls(order[start:stop], values[order[start:stop]], low)

    def medians(
        self,
        below: NDArray[Any],
        weights: Numbers,
        drawn: int | Ints,
        sampled: Callable[[int], Floats],
    ) -> Floats:
        """Medians of resamples that have so many values below the window, and these within.

        ``drawn`` is how many values a resample has, and ``sampled(row)`` are all values of one
        whose median is not in the window. The median of no values is NaN.
        """
        drawn = np.broadcast_to(drawn, len(weights))
        first, second = (drawn - 1) // 2, drawn // 2  # the middle ones, from zero
        rows, width = weights.shape
        # Whole runs are counted first, and then one of them is looked through.
        runs = np.zeros((rows, -(-width // RUN), RUN), dtype=np.float32)
        runs.reshape(rows, -1)[:, :width] = weights
        reached = np.cumsum(runs.sum(axis=2), axis=1, dtype=np.float64) + below[:, None]
        reached = np.hstack([below[:, None], reached])

        def place(rank: Ints) -> Ints:
            run = np.minimum((reached[:, 1:] <= rank[:, None]).sum(axis=1), runs.shape[1] - 1)
            each = np.arange(rows)
            within = np.cumsum(runs[each, run], axis=1) + reached[each, run][:, None]
            index = RUN * run + (within <= rank[:, None]).sum(axis=1)
            return np.asarray(np.minimum(index, width - 1))

        medians = (self.values[place(first)] + self.values[place(second)]) / 2
        for row in np.flatnonzero((below > first) | (reached[:, -1] <= second)):
            values = sampled(int(row))
            medians[row] = np.median(values) if len(values) else np.nan
        return np.asarray(medians)


@dataclass(frozen=True, slots=True, eq=False)
class Medians:
    """Medians of several systems, by how often each unit is taken.

    Attributes
    ----------
    values : tuple of (items,) arrays
        Every system's.
    codes : (items,) array of int
        The unit of each item.
    windows : tuple of Window
        Every system's.
    """

    values: tuple[Floats, ...]
    codes: Ints
    windows: tuple[Window, ...]

    @classmethod
    def of(cls, values: tuple[Floats, ...], codes: Ints) -> Self:
        """Find the windows; units have as many items as their code occurs."""
        sizes = np.bincount(codes) / 1.0
        spread = math.sqrt(float(sizes @ sizes)) / 2
        return cls(values, codes, tuple(Window.around_middle(x, spread) for x in values))

    def __call__(self, taken: Numbers) -> Floats:
        """Medians ``(rows, systems)`` for rows of how often each unit is taken."""

        def sampled(values: Floats, row: int) -> Floats:
            return np.repeat(values, taken[row][self.codes])

        low = [np.bincount(self.codes, weights=window.low) for window in self.windows]
        below = weighted_sums(taken, np.stack([*low, np.bincount(self.codes)], axis=1))
        drawn = below[:, -1].astype(np.int64)
        each = zip(self.values, self.windows, below.T, strict=False)
        medians = [
            window.medians(
                lower, taken[:, self.codes[window.places]], drawn, partial(sampled, values)
            )
            for values, window, lower in each
        ]
        return np.stack(medians, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class ResampledMedians:
    """Medians of several systems on resampled items, most of which are drawn by their number.

    ``near`` are the items with a value in a window, ``kinds`` the others, by the windows that they
    are below.
    """

    medians: Medians
    near: Ints
    kinds: tuple[Ints, ...]

    @classmethod
    def of(cls, medians: Medians) -> Self | None:
        """Separate the items, where that spares most of the draws."""
        n, windows = len(medians.codes), medians.windows
        inside = np.zeros(n, dtype=np.bool_)
        for window in windows:
            inside[window.places] = True
        if inside.sum() > LARGEST_PART * n or len(windows) > MOST_SYSTEMS:
            return None
        far = np.flatnonzero(~inside)
        code = np.zeros(len(far), dtype=np.int64)
        for window in windows:
            code = 2 * code + window.low[far]
        kinds = tuple(far[code == kind] for kind in np.unique(code))
        return cls(medians, np.flatnonzero(inside), kinds)

    @property
    def size(self) -> int:
        """How many numbers describe a resample."""
        return len(self.near) + len(self.kinds)

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Medians ``(rows, systems)`` of that many resamples."""
        n, m = len(self.medians.codes), len(self.near)
        within = generator.binomial(n, m / n, size=rows)
        sizes = np.array([len(kind) for kind in self.kinds])
        others = generator.multinomial(n - within, sizes / sizes.sum())
        cells = np.repeat(np.arange(0, rows * m, m), within)
        cells += generator.integers(m, size=cells.size)
        counts = np.bincount(cells, minlength=rows * m).reshape(rows, m)

        @cache
        def drawn(row: int) -> Ints:
            """All items of a resample."""
            rest = (
                kind[generator.integers(len(kind), size=times)]
                for kind, times in zip(self.kinds, others[row].tolist(), strict=True)
            )
            return np.concatenate([np.repeat(self.near, counts[row]), *rest])

        def sampled(values: Floats, row: int) -> Floats:
            return values[drawn(row)]

        # Items of one kind are on one side of every window, as the first of them is.
        typical = np.concatenate([self.near, [kind[0] for kind in self.kinds]])
        low = np.stack([window.low[typical] for window in self.medians.windows], axis=1) / 1.0
        below = weighted_sums(np.hstack([counts, others]), low)
        each = zip(self.medians.values, self.medians.windows, below.T, strict=True)
        medians = [
            window.medians(
                lower, counts[:, np.searchsorted(self.near, window.places)], n, partial(sampled, x)
            )
            for x, window, lower in each
        ]
        return np.stack(medians, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class SwappedMedians:
    """Medians of two systems whose values are swapped item by item.

    Attributes
    ----------
    a, b : (items,) array
        Values of either.
    window : Window
        Around the middle of both together, those of ``a`` first.
    near : (m,) array of int
        Items that are swapped one by one.
    across, beside : arrays of int
        Other items that are swapped: with one value below the window and one above, or with both
        on one side.
    """

    a: Floats
    b: Floats
    window: Window
    near: Ints
    across: Ints
    beside: Ints

    @classmethod
    def of(cls, a: Floats, b: Floats, units: Ints) -> Self:
        """Find the window, and separate the swapped items if that spares most draws."""
        n, window = len(a), Window.around_middle(np.concatenate([a, b]), math.sqrt(len(a)))
        inside = np.zeros(n, dtype=np.bool_)
        inside[window.places % n] = True
        near = units[inside[units]]
        if len(near) > LARGEST_PART * len(units):
            return cls(a, b, window, units, units[:0], units[:0])
        far = units[~inside[units]]
        across = window.low[:n][far] != window.low[n:][far]
        return cls(a, b, window, near, far[across], far[~across])

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Median of ``b`` less that of ``a`` after that many random swaps."""
        n, window = len(self.a), self.window
        swapped = draw_halves(len(self.near), rows, generator, None)
        crossed = generator.binomial(len(self.across), 0.5, size=rows)  # whose low value is in b
        low_a, low_b = window.low[:n] / 1.0, window.low[n:] / 1.0
        moved = weighted_sums(swapped, (low_a - low_b)[self.near, None])[:, 0]
        below = low_b.sum() - low_b[self.across].sum() + crossed + moved
        column = np.full(n, -1)  # the last one is of items that are not swapped
        column[self.near] = np.arange(len(self.near))
        swaps = np.hstack([swapped, np.zeros((rows, 1), dtype=np.uint8)])
        in_b = swaps[:, column[window.places % n]] ^ (window.places >= n)

        @cache
        def pattern(row: int) -> Bools:
            """A swap with so many low values in b, each of them as likely as the other."""
            items = np.zeros(n, dtype=np.bool_)
            items[self.near] = swapped[row]
            goes_to_b = np.zeros(len(self.across), dtype=np.bool_)
            goes_to_b[generator.permutation(len(self.across))[: crossed[row]]] = True
            items[self.across] = goes_to_b != window.low[n:][self.across]
            items[self.beside] = generator.random(len(self.beside)) < 0.5
            return items

        def of_b(row: int) -> Floats:
            return np.where(pattern(row), self.a, self.b)

        def of_a(row: int) -> Floats:
            return np.where(pattern(row), self.b, self.a)

        new = window.medians(below, in_b, n, of_b)
        return new - window.medians(window.low.sum() - below, 1 - in_b, n, of_a)
