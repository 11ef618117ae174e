"""What one unit of a test set may show: the law of the difference between two systems.

Sizes of differences and the chance of a positive sign are kept apart, because a paired test
conditions on the sizes: under its null hypothesis only the signs are random.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from betterthan.checks import check_whole, is_number
from betterthan.errors import Remedy, UsageError, quote
from betterthan.numeric import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceLaw:
    """Distribution of the integer difference on one unit (an item or a cluster).

    Attributes
    ----------
    sizes : (k,) int64 array
        Possible sizes of a difference, ascending and positive.
    shares : (k,) array
        Probability of each size; the rest are ties.
    heads : (k,) array
        Probability that a difference of that size favours the candidate.
    scale : float
        Delta that one step of one unit stands for, before division by the number of units.
    """

    sizes: Ints
    shares: Floats
    heads: Floats
    scale: float = 1.0

    @classmethod
    def of(cls, values: ArrayLike, chances: ArrayLike, *, scale: float = 1.0) -> Self:
        """Law of signed values with these probabilities; values may repeat.

        >>> law = DifferenceLaw.of([-1, 0, 1], [0.1, 0.6, 0.3])
        >>> law.shares, law.heads
        (array([0.4]), array([0.75]))
        """
        d = np.asarray(values, dtype=np.int64)
        chance = np.asarray(chances, dtype=np.float64)
        live = (d != 0) & (chance > 0.0)
        d, chance = d[live], chance[live]
        sizes, at = np.unique(np.abs(d), return_inverse=True)
        shares, wins = (
            np.bincount(at, mass, sizes.size).astype(np.float64, copy=False)
            for mass in (chance, chance * (d > 0))
        )
        return cls(sizes, shares, wins / shares, scale)

    @classmethod
    def rounded(cls, values: Floats, chances: Floats, step: float) -> Self:
        """Law of real values on a lattice: each falls on one of its neighbours, its mean stays.

        What is added to the variance is at most a fourth of the squared step.
        """
        below = np.floor(values / step)
        above = values / step - below
        return cls.of(
            np.concatenate((below, below + 1.0)),
            np.concatenate((chances * (1.0 - above), chances * above)),
            scale=step,
        )

    @classmethod
    def of_one_size(cls, share: float, effect: float, *, scale: float = 1.0) -> Self:
        """Law of differences of one size, in so large a share of units, whose mean is ``effect``.

        >>> DifferenceLaw.of_one_size(0.4, 0.2).heads
        array([0.75])
        """
        largest = scale * share
        if abs(effect) > largest * (1 + 1e-12):
            raise UsageError(
                f"an effect of {effect:g} is impossible: systems that differ this rarely have at "
                f"most {largest:.4g}",
                Remedy("", "effect", math.copysign(largest, effect)),
            )
        tilt = min(max(effect / largest, -1.0), 1.0) if effect else 0.0
        return cls(np.array([1]), np.array([share]), np.array([(1.0 + tilt) / 2.0]), scale)

    @property
    def effect(self) -> float:
        """True delta; of a fair law exactly zero, in spite of rounding."""
        mass = self.shares * self.sizes
        mean = float(mass @ (2 * self.heads - 1))
        return self.scale * mean if abs(mean) > 1e-14 * float(mass.sum()) else 0.0

    @property
    def null_sd(self) -> float:
        """Standard deviation of one unit's delta when signs are fair."""
        return self.scale * float(np.sqrt(self.shares @ np.square(self.sizes, dtype=np.float64)))


def check_clusters(size: int, icc: float) -> None:
    """Check the size of clusters and the correlation of differences within one."""
    check_whole(size, "cluster_size", most=10**6)
    if not (is_number(icc) and 0.0 <= icc <= 1.0):
        raise UsageError(
            f"icc, the correlation within clusters, must be between 0 and 1, got {quote(icc)}"
        )


def clustered(law: DifferenceLaw, size: int, icc: float) -> DifferenceLaw:
    """Law of the sum over a cluster of ``size`` items whose differences correlate by ``icc``.

    A cluster has its own difference, which each of its items takes over with probability
    ``sqrt(icc)`` and one of the items' law otherwise: any two of them then have exactly that
    correlation. Were whole clusters either copies or independent, with as much correlation, most
    would be independent and the power 6 to 22 points higher than of Dirichlet-multinomial or
    Gaussian clusters; this one is within 5 points of them (`docs/design.md`).
    """
    if size == 1:
        return law
    reach = int(law.sizes[-1])
    one = np.zeros(2 * reach + 1)
    one[reach] = 1.0 - law.shares.sum()
    one[reach + law.sizes] = law.shares * law.heads
    one[reach - law.sizes] = law.shares * (1.0 - law.heads)
    copied = math.sqrt(icc)
    every = np.zeros(2 * size * reach + 1)
    for at in np.flatnonzero(one).tolist():  # what the cluster has: items are independent given it
        item = (1.0 - copied) * one
        item[at] += copied
        every += one[at] * _of_sum(item, size)
    values = np.arange(-size * reach, size * reach + 1)
    live = every > 1e-18
    return DifferenceLaw.of(values[live], every[live], scale=law.scale / size)


def _of_sum(one: Floats, times: int) -> Floats:
    """Probabilities of the sum of independent numbers, each with these probabilities."""
    total, power = np.ones(1), one
    while times:
        total = np.convolve(total, power) if times & 1 else total
        times >>= 1
        power = np.convolve(power, power) if times else power
    return total
