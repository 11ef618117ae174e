"""The law of a test: what the data are compared with."""

from typing import Protocol, runtime_checkable

from betterthan.numeric import Floats
from betterthan.results.pvalues import Bounded


@runtime_checkable
class Law(Protocol):
    """Law of a test's statistic: under the null hypothesis, or over all resamples.

    ``mass`` gives all values and their probabilities, but for a negligible share; ``tail`` the
    probability of at least so much, with its bounds.
    """

    @property
    def name(self) -> str:
        """What the values are."""

    @property
    def observed(self) -> float:
        """The value in the data."""

    @property
    def sd(self) -> float:
        """Standard deviation."""

    def mass(self) -> tuple[Floats, Floats]:
        """Values in ascending order, and their probabilities."""

    def tail(self, value: float) -> Bounded:
        """Probability of at least ``value``, ties within rounding included."""
