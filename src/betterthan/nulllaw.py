"""The null law of delta as an object: what the permutation test compares the data with."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class NullLaw:
    """Law of delta when every unit is swapped by a fair coin, for whole-number differences.

    Attributes
    ----------
    sums : SignedSum
        Law of the sum of differences.
    scale : float
        Delta of a sum of one.

    Examples
    --------
    >>> law = NullLaw(SignedSum.of(np.array([1, 1, 1, -1])), scale=0.25)
    >>> deltas, masses = law.mass()
    >>> deltas.tolist(), masses.round(12).tolist()
    ([-1.0, -0.5, 0.0, 0.5, 1.0], [0.0625, 0.25, 0.375, 0.25, 0.0625])
    >>> law.tail(0.5).value, law.quantile(0.95), law.sd
    (0.3125, 1.0, 0.5)
    """

    sums: SignedSum
    scale: float

    @property
    def sd(self) -> float:
        """Standard deviation; the mean is zero."""
        return self.scale * math.sqrt(self.sums.variance)

    @property
    def largest(self) -> float:
        """Largest delta that swaps can make; the law is symmetric."""
        return self.scale * self.sums.total

    def mass(self) -> tuple[Floats, Floats]:
        """Values of delta and their probabilities, all but 1e-16 of the mass."""
        values, probabilities = self.sums.mass()
        return np.asarray(values * self.scale, dtype=np.float64), probabilities

    def tail(self, delta: float) -> Probability:
        """Probability of at least ``delta``, ties within rounding included."""
        return self.sums.tail(math.ceil(delta / self.scale * (1 - 1e-12) - 1e-9))

    def quantile(self, q: float) -> float:
        """Smallest delta whose distribution function reaches ``q``."""
        return self.scale * self.sums.quantile(q)
