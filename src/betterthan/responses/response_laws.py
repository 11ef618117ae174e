"""Laws of items and responses that a population can be made of.

An item law draws one number per item (its mean response, the spread of its responses) and knows its
distribution function, so that it can be fitted. A response law draws responses around given means
with given standard deviations. All are frozen values whose ``repr`` makes them again.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtr

from betterthan.errors import UsageError
from betterthan.numeric import Floats

DrawShape = int | tuple[int, ...]


class ItemLaw(Protocol):
    """One number per item."""

    def draw(self, shape: DrawShape, generator: np.random.Generator) -> Floats:
        """Draw independent values."""

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value of at most ``x``."""


class ResponseLaw(Protocol):
    """Responses around item means."""

    def draw(self, means: Floats, sds: Floats, generator: np.random.Generator) -> Floats:
        """Draw one response for each of the means and standard deviations, broadcast together."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Uniform between ``low`` and ``high``."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise UsageError(f"{self} has no values: low must not exceed high")

    def draw(self, shape: DrawShape, generator: np.random.Generator) -> Floats:
        """Draw independent values."""
        return generator.uniform(self.low + 0.0, self.high + 0.0, shape)  # never -0

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value of at most ``x``."""
        x = np.asarray(x, dtype=np.float64)
        if self.low == self.high:
            return np.where(x >= self.low, 1.0, 0.0)
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class FoldedNormal:
    """Absolute value of a normal, clamped to ``[0, most]`` (Wein et al. 2023, Appendix B)."""

    mean: float = 0.0
    sd: float = 0.28
    most: float = 0.8

    def __post_init__(self) -> None:
        if not self.sd > 0.0:
            raise UsageError(f"{self} needs a positive sd")

    def draw(self, shape: DrawShape, generator: np.random.Generator) -> Floats:
        """Draw independent values."""
        return np.minimum(np.abs(generator.normal(self.mean, self.sd, shape)), self.most)

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value of at most ``x``."""
        x = np.asarray(x, dtype=np.float64)
        folded = ndtr((x - self.mean) / self.sd) - ndtr((-x - self.mean) / self.sd)
        return np.where(x >= self.most, 1.0, np.where(x < 0.0, 0.0, folded))


@dataclass(frozen=True, slots=True)
class Triangular:
    """Triangular between ``low`` and ``high``, clamped to ``[least, most]`` (Appendix B)."""

    low: float = -0.05
    apex: float = 0.21
    high: float = 0.45
    least: float = 0.0
    most: float = 1.0

    def __post_init__(self) -> None:
        if not (self.low <= self.apex <= self.high and self.low < self.high):
            raise UsageError(f"{self} needs low <= apex <= high and low < high")

    def draw(self, shape: DrawShape, generator: np.random.Generator) -> Floats:
        """Draw independent values."""
        drawn = generator.triangular(self.low, self.apex, self.high, shape)
        return np.clip(drawn, self.least, self.most)

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value of at most ``x``."""
        x = np.asarray(x, dtype=np.float64)
        low, apex, high = self.low, self.apex, self.high
        span, t = high - low, np.clip(x, low, high)
        rising = (t - low) ** 2 / (span * max(apex - low, np.finfo(np.float64).tiny))
        falling = 1.0 - (high - t) ** 2 / (span * max(high - apex, np.finfo(np.float64).tiny))
        inside = np.where(t < apex, rising, falling)
        return np.where(x >= self.most, 1.0, np.where(x < self.least, 0.0, inside))


@dataclass(frozen=True, slots=True)
class Beta:
    """Beta law on [0, 1]."""

    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        if not (self.alpha > 0.0 and self.beta > 0.0):
            raise UsageError(f"{self} needs positive parameters")

    def draw(self, shape: DrawShape, generator: np.random.Generator) -> Floats:
        """Draw independent values."""
        return generator.beta(self.alpha, self.beta, shape)

    def cdf(self, x: ArrayLike) -> Floats:
        """Probability of a value of at most ``x``."""
        inside = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
        return np.asarray(betainc(self.alpha, self.beta, inside), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Normal:
    """Normal responses: Algorithm 3 of Wein et al. (2023)."""

    def draw(self, means: Floats, sds: Floats, generator: np.random.Generator) -> Floats:
        """Draw responses."""
        shape = np.broadcast_shapes(means.shape, sds.shape)
        return means + sds * generator.standard_normal(shape)


@dataclass(frozen=True, slots=True)
class Likert:
    """Normal responses brought to the levels ``0, 1/m, ..., (m-1)/m`` and clamped to them.

    With five levels these are 0, .2, .4, .6 and .8, as in section 6 of Wein et al. (2023). There
    responses are floored, which lowers their mean by half a level; ``nearest`` rounds them instead.
    ``closed`` puts the levels at ``0, 1/(m-1), ..., 1``, where ratings from 1 to m are usually
    scaled to.
    """

    levels: int = 5
    nearest: bool = False
    closed: bool = False

    def __post_init__(self) -> None:
        if self.levels < 2:
            raise UsageError(f"{self} needs at least two levels")

    @property
    def steps(self) -> int:
        """How many steps from level to level make up one."""
        return self.levels - self.closed

    def draw(self, means: Floats, sds: Floats, generator: np.random.Generator) -> Floats:
        """Draw responses."""
        raw = Normal().draw(means, sds, generator) * self.steps
        level = np.floor(raw + 0.5 if self.nearest else raw)
        return np.clip(level, 0, self.levels - 1) / self.steps


@dataclass(frozen=True, slots=True)
class BetaResponses:
    """Beta responses in [0, 1] with the given means and standard deviations.

    No law on [0, 1] with mean m has a larger variance than m(1 - m): where one is asked for, the
    responses get 99 % of that.
    """

    def draw(self, means: Floats, sds: Floats, generator: np.random.Generator) -> Floats:
        """Draw responses."""
        means, sds = np.broadcast_arrays(np.clip(means, 1e-6, 1.0 - 1e-6), sds)
        most = means * (1.0 - means)
        variance = np.clip(sds * sds, 1e-9 * most, 0.99 * most)
        weight = most / variance - 1.0  # alpha + beta
        return generator.beta(means * weight, (1.0 - means) * weight)


@dataclass(frozen=True, slots=True)
class Categorical:
    """Ordered labels: ``categories`` of them, evenly spaced from 0 to 1.

    The number of the label is binomial with the item's mean, clamped to [0, 1], as its rate: two
    categories are yes/no raters who agree with probability ``mean``. The spread follows from the
    mean; standard deviations are not used.
    """

    categories: int = 2

    def __post_init__(self) -> None:
        if self.categories < 2:
            raise UsageError(f"{self} needs at least two categories")

    @property
    def steps(self) -> int:
        """How many steps from label to label make up one."""
        return self.categories - 1

    def draw(self, means: Floats, sds: Floats, generator: np.random.Generator) -> Floats:
        """Draw responses."""
        rate = np.broadcast_to(
            np.clip(means, 0.0, 1.0), np.broadcast_shapes(means.shape, sds.shape)
        )
        return generator.binomial(self.steps, rate) / self.steps
