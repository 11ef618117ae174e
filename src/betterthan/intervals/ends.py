"""The ends of an interval, and which of them are bounded."""

import math
from dataclasses import dataclass, replace
from typing import Self

from betterthan.numeric import Alternative
from betterthan.results.interval import Interval

NEGLIGIBLE = 1e-12
"""An end that must not be zero lies at this share of the estimate."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Both ends, how they were made, and how far sampling may have moved them."""

    low: float
    high: float
    method: str
    error: float = 0.0

    def on(self, alternative: Alternative) -> Self:
        """Give up the end that a one-sided interval leaves open."""
        low = -math.inf if alternative == "less" else self.low
        high = math.inf if alternative == "greater" else self.high
        return replace(self, low=low, high=high)

    def interval(self, alpha: float, of: str) -> Interval:
        """Return them as a result of the level ``1 - alpha``."""
        return Interval(self.low, self.high, 1.0 - alpha, self.method, self.error, of)

    def clipped(self, limit: float) -> Self:
        """Keep within what a difference can be."""
        return replace(self, low=max(self.low, -limit), high=min(self.high, limit))

    def agreeing(self, estimate: float, *, rejected: bool) -> Self:
        """Put zero outside exactly if the test rejects it: p has the last word."""
        if not rejected:
            return replace(self, low=min(self.low, 0.0), high=max(self.high, 0.0))
        least = NEGLIGIBLE * estimate
        if estimate > 0.0 and self.low <= 0.0:
            return replace(self, low=least, high=max(self.high, least))
        if estimate < 0.0 and self.high >= 0.0:
            return replace(self, low=min(self.low, least), high=least)
        return self


def sides(alternative: Alternative) -> int:
    """Number of ends that share the error."""
    return 2 if alternative == "two-sided" else 1


def unbounded(why: str) -> Ends:
    """What is known where nothing is."""
    return Ends(-math.inf, math.inf, f"unbounded: {why}")
