"""Medians of resamples and swaps, drawn in detail next to the middle only.

Where a value lies far from the middle it matters only on which side. So units that have a value
in some system's window are drawn one by one, and of all others no more than how many of each kind
come up: their number is binomial or multinomial. That is the law of drawing every unit, for some
``sqrt(n)`` draws instead of n. Where a median is outside its window, the other units of that
resample are drawn after all, given their numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Self

import numpy as np

from betterthan.numeric import Bools, Floats, Ints
from betterthan.resampling.medians import Window
from betterthan.resampling.signs import draw_signs

LARGEST_PART = 0.5
"""Units next to the middle that are worth telling apart from the others, as a share of all."""

MOST_SYSTEMS = 30
"""Systems of which the sides of a value are told by one number."""


@dataclass(frozen=True, slots=True, eq=False)
class ResampledMedians:
    """Medians of several systems on the same resampled units.

    ``values`` are every system's, ``windows`` those next to its middle; ``near`` are the units with
    a value in a window, ``kinds`` the others, by the windows that they are below.
    """

    values: tuple[Floats, ...]
    windows: tuple[Window, ...]
    near: Ints
    kinds: tuple[Ints, ...]

    @classmethod
    def of(cls, values: tuple[Floats, ...], windows: tuple[Window, ...]) -> Self | None:
        """Tell the units apart, where that spares most of the draws."""
        n = len(values[0])
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
        return cls(values, windows, np.flatnonzero(inside), kinds)

    @property
    def size(self) -> int:
        """How many numbers describe a resample."""
        return len(self.near) + len(self.kinds)

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Medians ``(rows, systems)`` of so many resamples."""
        n, m = len(self.values[0]), len(self.near)
        within = generator.binomial(n, m / n, size=rows)
        sizes = np.array([len(kind) for kind in self.kinds])
        others = generator.multinomial(n - within, sizes / sizes.sum())
        cells = np.repeat(np.arange(0, rows * m, m), within)
        cells += generator.integers(m, size=cells.size)
        counts = np.bincount(cells, minlength=rows * m).reshape(rows, m)

        @cache
        def drawn(row: int) -> Ints:
            """All units of a resample."""
            rest = (
                kind[generator.integers(len(kind), size=times)]
                for kind, times in zip(self.kinds, others[row].tolist(), strict=True)
            )
            return np.concatenate([np.repeat(self.near, counts[row]), *rest])

        def again(values: Floats, row: int) -> float:
            return float(np.median(values[drawn(row)]))

        made = []
        for values, window in zip(self.values, self.windows, strict=True):
            sides = np.array([window.low[kind[0]] for kind in self.kinds], dtype=np.int64)
            weights = counts.astype(window.kind)
            below = weights @ window.low[self.near].astype(window.kind) + others @ sides
            columns = np.searchsorted(self.near, window.places)
            made.append(window.medians(below, weights[:, columns], partial(again, values)))
        return np.stack(made, axis=1)


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
        """Find the window, and tell the items that are swapped apart if that spares most draws."""
        n, window = len(a), Window.around_middle(np.concatenate([a, b]), len(a))
        inside = np.zeros(n, dtype=np.bool_)
        inside[window.places % n] = True
        near = units[inside[units]]
        if len(near) > LARGEST_PART * len(units):
            return cls(a, b, window, units, units[:0], units[:0])
        far = units[~inside[units]]
        across = window.low[:n][far] != window.low[n:][far]
        return cls(a, b, window, near, far[across], far[~across])

    @property
    def is_partial(self) -> bool:
        """Whether some of the items that are swapped are told by their number alone."""
        return len(self.across) + len(self.beside) > 0

    def gains(
        self,
        swapped: Bools,
        crossed: Ints | None = None,
        pattern: Callable[[int], Bools] | None = None,
    ) -> Floats:
        """Median of ``b`` less that of ``a``, for rows of the near items that are swapped.

        Of those across the window, ``crossed`` have their low value in ``b``; ``pattern(row)``
        tells which items of a row are swapped, near or not.
        """
        n, window = len(self.a), self.window
        low_a, low_b = window.low[:n].astype(window.kind), window.low[n:].astype(window.kind)
        place = np.full(n, -1)
        place[self.near] = np.arange(len(self.near))
        columns = place[window.places % n]
        live = columns >= 0
        in_b = np.tile(window.places >= n, (len(swapped), 1))
        in_b[:, live] ^= swapped[:, columns[live]]
        below = low_b.sum() + swapped.astype(window.kind) @ (low_a - low_b)[self.near]
        if crossed is not None:
            below = below + (crossed - low_b[self.across].sum())

        def whole(row: int) -> Bools:
            made = np.zeros(n, dtype=np.bool_)
            made[self.near] = swapped[row]
            return made

        rows = pattern or whole
        weights, total = in_b.astype(window.kind), float(window.low.sum())
        upper = window.medians(
            below, weights, lambda row: float(np.median(np.where(rows(row), self.a, self.b)))
        )
        lower = window.medians(
            total - below,
            1 - weights,
            lambda row: float(np.median(np.where(rows(row), self.b, self.a))),
        )
        return np.asarray(upper - lower)

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Median of ``b`` less that of ``a`` after so many random swaps."""
        swapped = draw_signs(len(self.near), rows, generator, None) < 0
        crossed = generator.binomial(len(self.across), 0.5, size=rows)
        low_in_b = self.window.low[len(self.a) :][self.across]

        @cache
        def pattern(row: int) -> Bools:
            """A swap with so many low values in b, each of them as likely as the other."""
            made = np.zeros(len(self.a), dtype=np.bool_)
            made[self.near] = swapped[row]
            goes_to_b = np.zeros(len(self.across), dtype=np.bool_)
            goes_to_b[generator.permutation(len(self.across))[: crossed[row]]] = True
            made[self.across] = goes_to_b != low_in_b
            made[self.beside] = generator.random(len(self.beside)) < 0.5
            return made

        return self.gains(swapped, crossed, pattern)
