"""A confidence interval and how it was made."""

from dataclasses import dataclass

from betterthan.results.protocol import Result


@dataclass(frozen=True, slots=True)
class Interval(Result):
    """A confidence interval, the method that made it, and how far sampling may move its ends.

    It has no plot.
    """

    low: float
    high: float
    confidence: float
    method: str
    error: float = 0.0
