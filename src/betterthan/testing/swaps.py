"""What the permutation test swaps: the rows of a pair on which the systems differ."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from betterthan.data.gains import Gains
from betterthan.data.macro import Macro
from betterthan.data.pair import Pair, kept
from betterthan.errors import BadValueError
from betterthan.exact.lattice import SignedSum
from betterthan.metrics import MEDIAN
from betterthan.metrics.algebra import Form
from betterthan.numeric import TIE, UNIT_ROUNDOFF, Bools, Floats, Ints, Numbers
from betterthan.resampling.draws import as_drawn, draw_signs
from betterthan.resampling.medians import SwappedMedians


@dataclass(frozen=True, slots=True)
class Shape:
    """All that the choice of an engine depends on.

    Attributes
    ----------
    form : str
        How the metric decomposes; ``"tasks"`` is a mean over tasks of one that no sum decides.
    additive : bool
        Whether the sum of one difference per unit decides: a mean, or a ratio whose denominator is
        the same for both systems on every unit.
    live : int
        Columns in which the systems differ, after a ratio was projected onto its two.
    whole : bool
        Whether all columns are integers, in disguise perhaps (0.25 is a whole number of
        quarters).
    units : int
        Items or clusters on which the systems differ.
    steps, cost : int
        Of whole-number differences: how many distinct sizes they have, and the lattice engine's
        estimate of its own work.
    unit : Fraction
        What a one stands for, where columns are integers.
    """

    form: Form | Literal["tasks"]
    additive: bool
    live: int
    whole: bool
    units: int
    steps: int = 0
    cost: int = 0
    unit: Fraction = Fraction(1)

    @property
    def scored(self) -> bool:
        """Whether one metric scores all items, or the sum of one difference per unit decides."""
        return self.form != "tasks"

    @classmethod
    def of_law(
        cls, law: SignedSum, total: int, form: Form = "mean", unit: Fraction = Fraction(1)
    ) -> "Shape":
        """Shape of whole-number differences, by their law and their sum."""
        steps = int(law.steps.size)
        cost = law.cost(abs(total)) if steps > 1 else 0
        return cls(form, True, int(law.n > 0), True, law.n, steps, cost, unit)


@dataclass(frozen=True, eq=False)
class Swaps:
    """A pair ready to be swapped, and what the choice of an engine depends on.

    ``law`` is the null law of the sum of gains, when they are integers.
    """

    pair: Pair
    law: SignedSum | None
    shape: Shape

    @staticmethod
    @kept
    def of(pair: Pair) -> "Swaps":
        """Make the swaps of a pair, which keeps them."""
        form = pair.metric.form
        if isinstance(pair, Macro) and pair.gains is None:
            tasks = [Swaps.of(part) for part in pair.parts]
            differing = tuple(task for task in tasks if task.shape.live)
            most = max((task.shape.live for task in differing), default=0)
            units = sum(task.shape.units for task in differing)
            shape = Shape("tasks", False, most, False, units)
            return TaskSwaps(pair, None, shape, differing, len(tasks))
        if pair.opaque:
            units = int(np.count_nonzero(_differing_units(pair)))
            return Swaps(pair, None, Shape(form, False, int(units > 0), False, units))
        if pair.gains is None:
            moves = pair.b != pair.a
            live = int(moves.any(axis=0).sum())
            units = int(pair.counts[moves.any(axis=1)].sum())
            shape = Shape(form, False, live, pair.whole, units, unit=pair.unit)
            return Swaps(pair, None, shape)
        gains = pair.gains
        if gains.whole:
            law = SignedSum.of(gains.values, gains.counts)
            return Swaps(pair, law, Shape.of_law(law, gains.total, form, gains.unit))
        units = int(gains.counts[gains.values != 0].sum())
        return Swaps(pair, None, Shape(form, True, int(units > 0), False, units))

    @property
    def gains(self) -> Gains:
        """Differences towards better, where the sum of one per unit decides."""
        assert self.pair.gains is not None
        return self.pair.gains

    @cached_property
    def rows(self) -> tuple[Numbers, Numbers, Ints]:
        """What a unit adds to the baseline's sums as it stays and as it swaps, and how often.

        The other way round for the candidate. Only rows on which the systems differ.
        """
        pair = self.pair
        live = (pair.b != pair.a).any(axis=1)
        return pair.a[live], pair.b[live], pair.counts[live]

    @cached_property
    def _sums(self) -> tuple[Numbers, Numbers]:
        """Sums of baseline and candidate over all units."""
        return self.pair.counts @ self.pair.a, self.pair.counts @ self.pair.b

    @cached_property
    def observed(self) -> float:
        """Delta as swapped data are scored, with the same rounding."""
        if self.pair.opaque or self.pair.gains is not None:
            return self.pair.delta
        return float(self.of_sums(self._sums[1]))

    @property
    def scale(self) -> float:
        """Size of the scores, of which rounding errors are a tiny share."""
        return max(map(abs, self.pair.scores))

    @property
    def slack(self) -> float:
        """How close to the observed delta another is a tie.

        Half a step where sums of integers decide, unless they are so large that they are
        rounded; the rounding of the terms of a real sum; the rounding of the scores where they are
        computed from several sums.
        """
        gains = self.pair.gains
        if gains is None:
            return TIE * self.scale
        one = float(gains.unit) / (gains.below or 1.0)
        if gains.whole:
            sizes = np.abs(self.pair.a[:, 0] / 1.0) + np.abs(self.pair.b[:, 0] / 1.0)
            total = float(self.pair.unit) * float(self.pair.counts @ sizes)
            return max(0.5 * one, 8.0 * UNIT_ROUNDOFF * total / (gains.below or 1.0))
        rounding = 256.0 * UNIT_ROUNDOFF * float(gains.counts @ np.abs(gains.values))
        return one * max(gains.error, rounding)

    def of_sums(self, sums: Numbers) -> Floats:
        """Delta from the candidate's projected sums ``(..., j)``: the baseline has the rest."""
        total, unit = self._sums[0] + self._sums[1], float(self.pair.unit)
        candidate, rest = (np.asarray(s, dtype=np.float64) * unit for s in (sums, total - sums))
        finish, n = self.pair.metric.finish, self.pair.n
        with np.errstate(all="ignore"):  # a user's metric may be undefined for some swaps
            return self.pair.metric.sign * (finish(candidate, n) - finish(rest, n))

    @cached_property
    def drawn(self) -> tuple[Numbers, Ints | None]:
        """What a swap moves, per row or per unit as they are drawn, and the counts.

        Gains where their sum decides, else half of the difference of the columns.
        """
        if (gains := self.pair.gains) is not None:
            live = gains.values != 0
            return as_drawn(gains.values[live], gains.counts[live])
        stay, swap, counts = self.rows
        return as_drawn((swap - stay) / 2.0, counts)

    def of_net_signs(self, net: Floats) -> Floats:
        """Delta of each row of net signs (how many units stay less how many swap)."""
        if self.pair.opaque:
            return np.array([self.of_pattern(row < 0) for row in net])
        if (gains := self.pair.gains) is not None:
            return np.asarray(net @ self.drawn[0] * (float(gains.unit) / (gains.below or 1.0)))
        stay, swap, counts = self.rows
        middle = self._sums[1] - counts @ (swap - stay) / 2.0
        return self.of_sums(middle + net @ self.drawn[0])

    @property
    def cells(self) -> int:
        """How many numbers are drawn for one swap."""
        if self.medians is not None:
            return len(self.medians.near)
        return self.shape.units if self.pair.opaque else len(self.drawn[0])

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Delta of so many random swaps; of medians only items next to the middle are drawn."""
        if self.medians is not None:
            return self.pair.metric.sign * self.medians.draw(rows, generator)
        counts = None if self.pair.opaque else self.drawn[1]
        return self.of_net_signs(draw_signs(self.cells, rows, generator, counts))

    @cached_property
    def medians(self) -> SwappedMedians | None:
        """The quick way to medians of items; None for anything else."""
        if not self.pair.opaque or self.pair.metric.function is not MEDIAN.function:
            return None
        items = self.pair.ordered_items
        if items.codes is not None:
            return None
        a, b = (x[:, 0].astype(np.float64) for x in items.values)
        return SwappedMedians.of(a, b, self.differing_units)

    @cached_property
    def differing_units(self) -> Ints:
        """Units of a black box on which the systems differ, of those in order."""
        return np.flatnonzero(_differing_units(self.pair))

    def of_pattern(self, swapped: Bools) -> float:
        """Delta of a black box, scored afresh with some of the differing units swapped."""
        items = self.pair.ordered_items
        pattern = np.zeros(self.pair.units, dtype=np.bool_)
        pattern[self.differing_units] = swapped
        rows = pattern if items.codes is None else pattern[items.codes]
        score, (a, b) = self.pair.metric.score, items.values
        swap = rows[:, None]
        delta = score(np.where(swap, a, b)) - score(np.where(swap, b, a))
        if np.isnan(delta):
            raise BadValueError(
                f"{self.pair.metric!r} is NaN or infinite where items are swapped: let it return a "
                "number for whatever scores a system may have"
            )
        return self.pair.metric.sign * delta


@dataclass(frozen=True, eq=False)
class TaskSwaps(Swaps):
    """A mean over tasks of a metric that no sum decides: each task is swapped and scored.

    ``differing`` are the tasks on which the systems differ, of so many ``tasks``.
    """

    differing: tuple[Swaps, ...]
    tasks: int

    @cached_property
    def observed(self) -> float:
        """Delta as swapped data are scored, with the same rounding."""
        return sum(part.observed for part in self.differing) / self.tasks

    @property
    def slack(self) -> float:
        """How close to the observed delta another is a tie."""
        return sum(part.slack for part in self.differing) / self.tasks

    @cached_property
    def drawn(self) -> tuple[Numbers, Ints | None]:
        """Rows of all tasks, and how many units each stands for."""
        rows = [part.drawn for part in self.differing]
        counts = [np.ones(len(x), dtype=np.int64) if n is None else n for x, n in rows]
        times = np.concatenate(counts)
        return np.zeros(len(times)), times

    def of_net_signs(self, net: Floats) -> Floats:
        """Mean of the tasks' deltas for each row of net signs."""
        ends = np.cumsum([len(part.drawn[0]) for part in self.differing])[:-1]
        blocks = np.split(net, ends, axis=1)
        deltas = [
            part.of_net_signs(block) for part, block in zip(self.differing, blocks, strict=True)
        ]
        return np.asarray(sum(deltas) / self.tasks)


def _differing_units(pair: Pair) -> Bools:
    """Which units of a black box hold items on which the systems differ."""
    items = pair.ordered_items
    a, b = items.values
    differ = (a != b).any(axis=1)
    if items.codes is None:
        return np.asarray(differ)
    return np.bincount(items.codes, weights=differ, minlength=pair.units) > 0
