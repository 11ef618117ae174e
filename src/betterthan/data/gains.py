"""Differences towards better: of units, where their sum decides, and of single items."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.data.resolution import FLOAT_NOISE, SINGLE_NOISE, Whole, resolution
from betterthan.data.tally import distinct_rows
from betterthan.numeric import TIE, UNIT_ROUNDOFF, Floats, Ints, Numbers

if TYPE_CHECKING:
    from betterthan.data.pair import Pair

COARSER = 16  # a unit of differences is so much coarser than the rounding of the scores


@dataclass(frozen=True, eq=False)
class Gains:
    """Differences towards better, and how many units or items have each.

    Attributes
    ----------
    values : (m,) array
        The differences, integers where they are ``whole``.
    counts : (m,) int64 array
        How many there are of each.
    weights : (m,) array
        What each unit weighs: its items, the denominator that both systems share, or its part of
        the mean over tasks.
    unit : Fraction
        What a one stands for.
    below : float
        What the sum is divided by to give delta.
    error : float
        How far a signed sum may be from that of the numbers meant.
    slack : (m,) array or None
        How far apart two real-valued differences of items may be by rounding alone.
    """

    values: Numbers
    counts: Ints
    weights: Numbers
    unit: Fraction
    below: float = 1.0
    error: float = 0.0
    slack: Floats | None = None

    def grouped(self) -> "Gains":
        """The same with equal differences of equal weights counted together."""
        first, counts = distinct_rows([self.values, self.weights], self.counts)
        values, weights = self.values[first] + 0, self.weights[first]  # there is one zero
        return replace(self, values=values, counts=counts, weights=weights)

    def unweighted(self) -> "Gains":
        """The same with equal differences of any weight counted together."""
        return replace(self, weights=np.ones_like(self.counts)).grouped()

    @cached_property
    def total(self) -> Any:
        """Their sum, exact for integers."""
        return (self.values @ self.counts).item()

    @property
    def whole(self) -> bool:
        """Whether they are integers."""
        return self.values.dtype.kind == "i"

    @property
    def per_unit(self) -> Numbers:
        """One gain per unit, in order of size."""
        repeated: Numbers = np.repeat(self.values, self.counts)
        return repeated


def unit_gains(pair: "Pair") -> Gains | None:
    """Differences towards better, where the sum of one per unit decides.

    That is a mean, or a ratio whose denominator is the same for both systems on every unit.
    """
    form, a, b = pair.metric.form, pair.a, pair.b
    if form != "mean" and (form != "ratio" or (a[:, 1] != b[:, 1]).any()):
        return None
    d, unit = b[:, 0] - a[:, 0], pair.unit
    below, weights, towards = float(pair.n), pair.sizes / 1.0, int(pair.metric.sign)
    single = SINGLE_NOISE if pair.noise == SINGLE_NOISE else 0.0
    if form == "mean" and not pair.whole:
        larger = np.maximum(np.abs(a[:, 0]), np.abs(b[:, 0]))
        d[np.abs(d) <= FLOAT_NOISE * larger] = 0.0
        # Differences may have a unit though scores have none: the smallest is a multiple of it.
        steps = np.abs(d[d != 0.0])
        scale = Fraction(float(steps.min())) if steps.size > 1 else Fraction(1)
        with np.errstate(over="ignore"):  # next to the smallest of floats; infinity has no unit
            exact = resolution([d / float(scale)], pair.units)
        bits = single * float(larger.max())  # a unit not much coarser is the last bit of the type
        if isinstance(exact, Whole) and exact.unit * scale >= COARSER * bits:
            d, unit = exact.columns[0], exact.unit * scale
    elif form == "ratio":
        total, weights = pair.counts @ a[:, 1], a[:, 1] * float(unit)
        towards *= int(np.sign(total))
        below = abs(float(total)) * float(unit)
    # A double is meant to within a few roundings.
    error = 0.0 if d.dtype.kind == "i" else 2.0 * (single or 16.0 * UNIT_ROUNDOFF) * _size(pair)
    d = d if towards == 1 else d * d.dtype.type(towards)
    return Gains(d, pair.counts, weights, unit, below, error).grouped()


def _size(pair: "Pair") -> float:
    """Sum of the larger of both numbers, of items: those of a cluster may cancel out."""
    blocks, counts = (pair.blocks, pair.counts) if pair.items is None else pair.of_items
    a, b = (np.abs(x[:, 0]) for x in blocks)
    return float(np.sort(counts * np.maximum(a, b)).sum())


def item_gains(pair: "Pair") -> Gains:
    """Every item's difference towards better; rows of items where they are the units.

    Those that are rounding noise are zero.
    """
    (first, second), counts = pair.of_items
    unit = pair.unit
    if pair.metric.form == "mean":
        first, second = first[:, 0], second[:, 0]
    else:
        first, second = (pair.metric.finish(x * float(unit), 1) for x in (first, second))
        unit = Fraction(1)
    gain = int(pair.metric.sign) * (second - first)
    if gain.dtype.kind == "i":
        return Gains(gain, counts, np.ones_like(counts), unit)
    slack = max(pair.rounding, TIE) * np.maximum(np.abs(first), np.abs(second))
    gain = np.where(np.abs(gain) <= slack, 0.0, gain)
    return Gains(gain, counts, np.ones_like(counts), unit, slack=slack)
