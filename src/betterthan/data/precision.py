"""Precision: how exactly a number came, by the bits of its type or the decimals of a text."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.numeric import Floats

FLOAT_NOISE = 1e-12  # of computed doubles, as a fraction of their size
SINGLE_BITS, FEW_BITS = 24, 16
SINGLE_NOISE = 2.0 ** (2 - SINGLE_BITS)
SAMPLE = 8  # values that rule out most types and units


@dataclass(frozen=True, slots=True)
class Precision:
    """How precise the source of a column was: bits of a binary number, decimals of a text.

    >>> Precision.of(np.dtype(np.float32)), Precision(decimals=2)
    (Precision(bits=24, decimals=None), Precision(bits=53, decimals=2))
    """

    bits: int = 53
    decimals: int | None = None

    @classmethod
    def of(cls, kind: np.dtype[Any]) -> "Precision | None":
        """Return that of an array's type; None where the values have to tell."""
        return {"float16": HALF, "float32": SINGLE}.get(kind.name)

    @property
    def noise(self) -> float:
        """Four roundings, as a fraction of the number: what a few operations leave."""
        return FLOAT_NOISE if self.bits > SINGLE_BITS else 2.0 ** (2 - self.bits)

    @property
    def computed(self) -> float:
        """The same of possible multiples of a unit, where those of few bits were only stored."""
        return 2.0**-self.bits if self.bits < FEW_BITS else self.noise

    def rounded(self, values: Floats) -> Floats:
        """Round to numbers of so many bits."""
        if self.bits >= DOUBLE.bits:
            return values
        fraction, power = np.frexp(values)
        return np.asarray(np.ldexp(np.rint(fraction * 2.0**self.bits), power - self.bits))

    def holds(self, values: Floats) -> bool:
        """Whether values are such numbers, or (of few bits) single-precision prints of them."""
        for some in (values[:SAMPLE], values):  # the first few tell most columns
            others = some[self.rounded(some) != some]
            printed = (
                self.bits < FEW_BITS and (self.rounded(others) == SINGLE.rounded(others)).all()
            )
            if others.size and not (printed and all(map(_is_print, np.unique(others).tolist()))):
                return False
        return True

    def shows(self, values: Floats) -> bool:
        """Whether values need all these bits: multiples of a power of two may be of any type."""
        fraction, power = np.frexp(values)
        if self.bits > FEW_BITS:
            scaled = np.ldexp(fraction, FEW_BITS)
        else:
            largest = int(np.max(power, where=values != 0.0, initial=-2000))
            scaled = np.ldexp(values, self.bits - largest)
        return bool((scaled != np.rint(scaled)).any())


BFLOAT, HALF, SINGLE, DOUBLE = Precision(8), Precision(11), Precision(SINGLE_BITS), Precision()
TYPES = (BFLOAT, HALF, SINGLE, DOUBLE)


def _is_print(value: float) -> bool:
    """Whether a number is how a single-precision number is printed."""
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(value)
    return value in (float(str(single)), float(f"{float(single):.9g}"))
