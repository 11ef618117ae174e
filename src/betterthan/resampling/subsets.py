"""Scores of several systems on random subsets, in which each unit is with probability 1/2.

The subsets are the same for all systems, and depend on the seed alone. Sums over them are exact
(see `summable`): units are taken eight at a time, as the bits of a random byte and a table of 256
sums. A subset on which some system's score is undefined, as that of no unit at all, is drawn again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.pair import Joint
from betterthan.metrics import MEDIAN, Metric
from betterthan.numeric import Floats, Ints, Numbers
from betterthan.resampling.counts import as_drawn
from betterthan.resampling.generator import BLOCK_ROWS, Rng, blocks
from betterthan.resampling.sums import summable
from betterthan.resampling.work import HERE, Work

PATIENCE = 50
"""How often undefined subsets are drawn again."""

REACH = 7.0
"""Standard deviations of the place of a median that are looked at."""

Drawn = Callable[[int, np.random.Generator], Floats]
"""Scores of so many subsets: ``(subsets, systems)``, NaN where one is undefined."""


def subset_scores(joint: Joint, draws: int, rng: Rng, work: Work = HERE) -> Floats:
    """Scores ``(draws, systems)`` on random subsets; NaN where they are hardly ever defined.

    Examples
    --------
    >>> from betterthan.data.pairing import joint_of
    >>> from betterthan.metrics import mean
    >>> scores = subset_scores(joint_of({"new": [0, 1, 1]}, mean()), 1000, 0)
    >>> sorted({round(x, 3) for x in scores[:, 0].tolist()})
    [0.0, 0.5, 0.667, 1.0]
    """
    drawn, cells = _draws_of(joint)
    task = _Defined(drawn, len(joint.systems))
    of_python = joint.opaque and joint.metric.function is not MEDIAN.function
    here = Work(1, work.executor) if of_python else work
    number = -(-draws // BLOCK_ROWS)
    return np.concatenate(list(here.map(task, blocks(cells, draws, rng), number)))


def _draws_of(joint: Joint) -> tuple[Drawn, int]:
    """How a block of subsets is drawn, and how many numbers describe one of them."""
    if not joint.opaque:
        columns = joint.tally.rows.astype(np.float64)
        columns[:, :-1] *= float(joint.unit)
        rows, counts = as_drawn(columns, joint.counts)
        exact = summable(rows, joint.units)
        return _Sums(joint.metric, len(joint.systems), exact, counts), -(-len(exact) // 64)
    items = joint.ordered_items
    codes = np.arange(joint.n) if items.codes is None else items.codes
    if joint.metric.function is MEDIAN.function:
        values = [x[:, 0].astype(np.float64) for x in items.values]
        return _Medians.of(values, codes, joint.units), joint.units
    return _BlackBox(joint.metric, items.values, codes, joint.units), joint.units


def _random_bits(units: int, rows: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Random bytes, a row per subset; "<u8" makes their order the same on every machine."""
    random = generator.integers(1 << 64, size=(rows, -(-units // 64)), dtype=np.uint64)
    return random.astype("<u8", copy=False).view(np.uint8)[:, : -(-units // 8)]


@dataclass(frozen=True, slots=True, eq=False)
class _Defined:
    """Draws a block of subsets, and those that are undefined again."""

    drawn: Drawn
    systems: int

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        rows, generator = block
        scores = self.drawn(rows, generator)
        for _ in range(PATIENCE):
            undefined = np.flatnonzero(~np.isfinite(scores).all(axis=1))
            if not undefined.size:
                break
            scores[undefined] = self.drawn(undefined.size, generator)
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums of the columns over subsets, finished; ``counts`` where rows stand for several units."""

    metric: Metric
    systems: int
    columns: NDArray[np.floating[Any]]
    counts: Ints | None

    def __call__(self, rows: int, generator: np.random.Generator) -> Floats:
        if self.counts is not None:
            chosen = generator.binomial(self.counts, 0.5, size=(rows, len(self.counts)))
            sums = chosen.astype(np.float64) @ self.columns.astype(np.float64)
        else:
            sums = self._looked_up(_random_bits(len(self.columns), rows, generator))
        sizes = sums[:, -1:]
        with np.errstate(all="ignore"):  # a user's metric may be undefined for some subsets
            blocks = sums[:, :-1].reshape(rows, self.systems, -1)
            scores = self.metric.finish(blocks, np.where(sizes > 0.0, sizes, 1.0))
        return np.where(sizes > 0.0, scores, np.nan)

    def _looked_up(self, chosen: NDArray[np.uint8]) -> Floats:
        """Sums by a table for every eight units."""
        width = self.columns.shape[1]
        eights = np.zeros((8 * chosen.shape[1], width))
        eights[: len(self.columns)] = self.columns
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
        sums = np.zeros((len(chosen), width))
        for k, byte in enumerate(np.ascontiguousarray(chosen.T)):
            sums += (bits @ eights[8 * k : 8 * k + 8]).take(byte, axis=0)
        return sums


@dataclass(frozen=True, slots=True, eq=False)
class _Medians:
    """Medians over subsets, from the values next to the middle and how many lie below these.

    ``windows`` has each system's values next to the middle, in order, and the unit of each;
    ``sizes`` how many of its items in a unit lie below them, and how many there are at all.
    """

    windows: list[tuple[Floats, Ints]]
    sizes: list[Floats]
    units: int

    @classmethod
    def of(cls, values: Sequence[Floats], codes: Ints, units: int) -> Self:
        """Take as many values as a median may move to, but for a chance of some 1e-12."""
        items = np.bincount(codes, minlength=units).astype(np.float64)
        reach = math.ceil(REACH * math.sqrt(float(items @ items))) + 2
        start, stop = max(len(codes) // 2 - reach, 0), len(codes) // 2 + reach
        windows, sizes = [], []
        for x in values:
            order = np.argsort(x, kind="stable")
            windows.append((x[order[start:stop]], codes[order[start:stop]]))
            below = np.bincount(codes[order[:start]], minlength=units)
            sizes.append(np.stack([below, items], axis=1))
        return cls(windows, sizes, units)

    def __call__(self, rows: int, generator: np.random.Generator) -> Floats:
        bits = np.unpackbits(_random_bits(self.units, rows, generator), axis=1, count=self.units)
        medians = []
        for (values, unit), sizes in zip(self.windows, self.sizes, strict=True):
            below, size = (bits @ sizes).astype(np.int64).T
            reached = np.cumsum(bits[:, unit], axis=1, dtype=np.int32) + below[:, None]
            first, second = (
                values[np.minimum((reached <= rank[:, None]).sum(axis=1), len(values) - 1)]
                for rank in ((size - 1) // 2, size // 2)
            )
            medians.append(np.where(size > 0, (first + second) / 2, np.nan))
        return np.stack(medians, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _BlackBox:
    """A metric that is computed afresh for each subset of the units."""

    metric: Metric
    values: tuple[Numbers, ...]
    codes: Ints
    units: int

    def __call__(self, rows: int, generator: np.random.Generator) -> Floats:
        bits = np.unpackbits(_random_bits(self.units, rows, generator), axis=1, count=self.units)
        nothing = [np.nan] * len(self.values)
        return np.array(
            [
                [self.metric.score(x[row[self.codes]]) for x in self.values]
                if row.any()
                else nothing
                for row in bits.view(np.bool_)
            ]
        )
