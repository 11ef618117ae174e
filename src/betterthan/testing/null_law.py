"""Laws as objects: of a signed sum under swaps, and of any statistic with listed values."""

import math
from dataclasses import dataclass

import numpy as np

from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability
from betterthan.numeric import TIE, Floats


@dataclass(frozen=True, slots=True, eq=False)
class NullLaw:
    """Law of a sum of whole numbers when every unit changes its sign by a fair coin.

    Attributes
    ----------
    sums : SignedSum
        Law of the sum.
    scale : float
        What a sum of one stands for.
    observed : float
        The value of the data.
    name : str
        What is summed up: the difference itself, or the statistic of a classic test.

    Examples
    --------
    >>> law = NullLaw(SignedSum.of(np.array([1, 1, 1, -1])), scale=0.25, observed=0.5)
    >>> deltas, masses = law.mass()
    >>> deltas.tolist(), masses.round(12).tolist()
    ([-1.0, -0.5, 0.0, 0.5, 1.0], [0.0625, 0.25, 0.375, 0.25, 0.0625])
    >>> law.tail(0.5).value, law.quantile(0.95), law.sd
    (0.3125, 1.0, 0.5)
    """

    sums: SignedSum
    scale: float
    observed: float
    name: str = "difference"

    @property
    def sd(self) -> float:
        """Standard deviation; the mean is zero."""
        return self.scale * math.sqrt(self.sums.variance)

    @property
    def largest(self) -> float:
        """Largest value that swaps can make; the law is symmetric."""
        return self.scale * self.sums.total

    def mass(self) -> tuple[Floats, Floats]:
        """Values and their probabilities, all but 1e-16 of the mass."""
        values, probabilities = self.sums.mass()
        return np.asarray(values * self.scale, dtype=np.float64), probabilities

    def coarse(self) -> "NullLaw":
        """A law near this one on a coarser lattice, to be drawn.

        Differences are rounded to a hundredth of their root mean square, which moves the sum by
        about 0.3 % of its standard deviation.
        """
        sums = self.sums
        mesh = math.isqrt(int(sums.variance // (max(sums.n, 1) * sums.unit**2 * 10_000)))
        if mesh <= 1:
            return self
        whole = np.rint(sums.steps / mesh).astype(np.int64)
        steps, group = np.unique(whole, return_inverse=True)
        counts = np.bincount(group, weights=sums.counts).astype(np.int64)
        rounded = SignedSum.of_counts(steps, counts)
        return NullLaw(rounded, self.scale * sums.unit * mesh, self.observed, self.name)

    def tail(self, value: float) -> Probability:
        """Probability of at least ``value``, ties within rounding included."""
        return self.sums.tail(math.ceil(value / self.scale * (1 - 1e-12) - 1e-9))

    def quantile(self, q: float) -> float:
        """Smallest value whose distribution function reaches ``q``."""
        return self.scale * self.sums.quantile(q)


@dataclass(frozen=True, slots=True, eq=False)
class ListedLaw:
    """Law whose values are listed: of F1 under swaps, of delta over all resamples.

    The probabilities come from a Fourier transform and are right to within ``1e-12`` absolutely;
    the p-value of a test, which is right relatively, is not read off here.

    Examples
    --------
    >>> law = ListedLaw.of(np.array([0.5, 0.0, 0.5]), np.array([0.25, 0.5, 0.25]), observed=0.5)
    >>> [x.tolist() for x in law.mass()], law.tail(0.5).value, law.sd
    ([[0.0, 0.5], [0.5, 0.5]], 0.5, 0.25)
    """

    values: Floats
    probabilities: Floats
    observed: float
    name: str = "difference"

    @classmethod
    def of(
        cls, values: Floats, probabilities: Floats, observed: float, name: str = "difference"
    ) -> "ListedLaw":
        """Put equal values together; those within rounding of each other are equal."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        slack = TIE * float(np.abs(ordered).max(initial=0.0))
        start = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > slack)
        masses = np.add.reduceat(probabilities[order], start)
        return cls(ordered[start], np.maximum(masses, 0.0), observed, name)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        mean = float(self.probabilities @ self.values)
        return math.sqrt(float(self.probabilities @ np.square(self.values - mean)))

    def mass(self) -> tuple[Floats, Floats]:
        """Values in ascending order and their probabilities."""
        return self.values, self.probabilities

    def tail(self, value: float) -> Probability:
        """Probability of at least ``value``, ties within rounding included."""
        slack = TIE * max(abs(value), float(np.abs(self.values).max(initial=0.0)))
        p = min(float(self.probabilities[self.values >= value - slack].sum()), 1.0)
        low, high = max(p - 1e-12, 0.0), min(p + 1e-12, 1.0)
        log, log_low, log_high = (math.log(x) if x else -math.inf for x in (p, low, high))
        return Probability(log, log_low, log_high)
