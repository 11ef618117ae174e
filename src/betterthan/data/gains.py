"""Differences towards better: of units, where their sum decides, and of single items."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from betterthan.numeric import Floats, Ints, Numbers


class Gains(NamedTuple):
    """Differences towards better that decide by their sum.

    ``values`` holds the distinct ones in order, integers where they are ``whole``, and ``counts``
    how many units have each; ``total`` is their sum, exact for integers, ``unit`` what a one stands
    for and ``below`` what the sum is divided by to give delta. ``error`` bounds how far a signed
    sum may be from that of the numbers meant.
    """

    values: Numbers
    counts: Ints
    total: Any
    whole: bool
    unit: Fraction
    below: float
    error: float

    @classmethod
    def of(
        cls, values: Numbers, counts: Ints, unit: Fraction, below: float, error: float = 0.0
    ) -> "Gains":
        """Sum them up."""
        total, whole = (values @ counts).item(), values.dtype.kind == "i"
        return cls(values, counts, total, whole, unit, below, error)

    @property
    def per_unit(self) -> Numbers:
        """One gain per unit, in order of size."""
        repeated: Numbers = np.repeat(self.values, self.counts)
        return repeated


class ItemGains(NamedTuple):
    """Differences of items towards better, zero where they are rounding noise.

    ``counts`` says how many items each stands for, ``unit`` what a one stands for, and ``slack``
    how far apart two values may be by rounding alone (None for integers).
    """

    values: Numbers
    counts: Ints
    unit: float
    slack: Floats | None
