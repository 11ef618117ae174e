"""Laws written out value by value: of a statistic under swaps, and of delta over all resamples."""

import math
from dataclasses import dataclass

import numpy as np

from betterthan.data.pair import Pair, kept
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability
from betterthan.exact.swaplaw import SwapLaw
from betterthan.numeric import TIE, Floats, Ints
from betterthan.testing.swaps import Swaps

MOST_CELLS = 1 << 20
"""Largest joint law, in lattice points, that is written out."""

FINE = 1 << 16
"""Largest signed sum whose law is written out as it is; larger ones may be rounded."""

REACH = 12.0
"""Standard deviations of a resampled sum that are written out: the rest is below 1e-30."""


@dataclass(frozen=True, slots=True, eq=False)
class ListedLaw:
    """Law of a test's statistic, as its values and their probabilities.

    The probabilities come from a Fourier transform and are right to within ``1e-12`` absolutely;
    the p-value of a test, which is right relatively, is not read off here.

    Attributes
    ----------
    values, probabilities : arrays
        Distinct values in ascending order, and their probabilities.
    observed : float
        The value of the data.
    name : str
        What the values are: the difference itself, or the statistic of a classic test.

    Examples
    --------
    >>> law = ListedLaw.of(np.array([0.5, 0.0, 0.5]), np.array([0.25, 0.5, 0.25]), observed=0.5)
    >>> [x.tolist() for x in law.mass()], law.tail(0.5).value, law.quantile(0.9), law.sd
    ([[0.0, 0.5], [0.5, 0.5]], 0.5, 0.5, 0.25)
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

    def quantile(self, q: float) -> float:
        """Smallest value whose distribution function reaches ``q``."""
        reached = int(np.searchsorted(np.cumsum(self.probabilities), q - 1e-12))
        return float(self.values[min(reached, self.values.size - 1)])


def law_of_sum(law: SignedSum, scale: float, observed: float, name: str) -> ListedLaw:
    """Law of ``scale`` times a sum of integers with random signs.

    Where integers are so large that the values are too many, they are rounded to a hundredth of
    their root mean square: that moves the sum by about 0.3 % of its standard deviation.
    """
    mesh = math.isqrt(int(law.variance // (max(law.n, 1) * law.unit**2 * 10_000)))
    if law.reach > FINE and mesh > 1:
        steps, group = np.unique(np.rint(law.steps / mesh).astype(np.int64), return_inverse=True)
        scale *= law.unit * mesh
        law = SignedSum.of_counts(steps, np.bincount(group, law.counts).astype(np.int64))
    values, probabilities = law.mass()
    return ListedLaw(np.asarray(values * scale, np.float64), probabilities, observed, name)


@kept
def law_under_swaps(pair: Pair) -> ListedLaw | None:
    """Null law of delta, where differences are integers or the joint law of sums is small."""
    swaps, gains = Swaps.of(pair), pair.gains
    if gains is not None:
        if swaps.law is None or not gains.below:
            return None
        return law_of_sum(swaps.law, float(gains.unit) / gains.below, pair.delta, "difference")
    if not pair.whole or pair.opaque or not swaps.shape.units:
        return None
    law = SwapLaw.of(pair.b, pair.a, pair.counts)
    shape = tuple((law.counts @ np.abs(law.steps) + 1).tolist())
    if math.prod(shape) > MOST_CELLS:
        return None
    angles = np.meshgrid(*(2.0 * np.pi * np.fft.fftfreq(m) for m in shape), indexing="ij")
    transform = np.ones(shape, dtype=np.complex128)
    for step, count in zip(law.steps, law.counts.tolist(), strict=True):
        phase = sum(e * angle for e, angle in zip(step.tolist(), angles, strict=True))
        transform *= ((1.0 + np.exp(-1j * phase)) / 2.0) ** count
    masses = np.fft.ifftn(transform).real.ravel()
    lowest = law.counts @ np.minimum(law.steps, 0)
    places = np.indices(shape).reshape(len(shape), -1)
    axes = [low + (place - low) % m for low, place, m in zip(lowest, places, shape, strict=True)]
    sums = np.stack(np.broadcast_arrays(*law.sums(axes)), axis=-1)
    live = masses > 0.0
    return ListedLaw.of(swaps.of_sums(sums[live]), masses[live], swaps.observed)


@kept
def law_of_resamples(pair: Pair) -> ListedLaw | None:
    """Law of delta over all resamples, where all units have one size and scores are whole."""
    gains = pair.gains
    if gains is None or not gains.whole or not gains.below:
        return None
    weights = pair.sizes if pair.metric.form == "mean" else pair.a[:, 1]
    if weights.min() != weights.max():
        return None
    sums, masses = _law_of_draws(gains.values, gains.counts)
    scale = float(gains.unit) / gains.below
    return ListedLaw.of(sums * scale, masses, pair.delta, "resampled difference")


def _law_of_draws(values: Ints, counts: Ints) -> tuple[Floats, Floats]:
    """Values and probabilities of a sum of as many draws with replacement as there are units."""
    n, low = int(counts.sum()), int(values.min())
    step = int(np.gcd.reduce(values - low)) or 1
    atoms = (values - low) // step
    mean = float(counts @ atoms) / n
    sd = math.sqrt(float(counts @ np.square(atoms - mean)))
    first = max(0, math.floor(n * mean - REACH * sd - 1.0))
    last = min(n * int(atoms.max()), math.ceil(n * mean + REACH * sd + 1.0))
    size = last - first + 1
    once = np.bincount(atoms % size, counts / n, size)
    masses = np.fft.ifft(np.fft.fft(once) ** n).real
    # The transform knows sums modulo the window's length: turn the window to where it starts.
    masses = np.roll(masses, -(first % size))
    sums = (np.arange(first, last + 1) * step + n * low).astype(np.float64)
    return sums, np.maximum(masses, 0.0)
