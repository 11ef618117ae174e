"""A confidence interval, what it is an interval of, and how it was made."""

from dataclasses import dataclass
from typing import Any

from betterthan.results.protocol import Result


@dataclass(frozen=True, slots=True)
class Interval(Result):
    """A confidence interval.

    It has no plot.

    Attributes
    ----------
    low, high : float
        Its ends; infinite where they are not known.
    level : float
        The share of evaluations in which it holds, such as 0.95.
    method : str
        How it was made.
    error : float
        How far sampling may have moved an end.
    of : str
        What it is an interval of: "difference of means", "score".
    """

    low: float
    high: float
    level: float
    method: str
    error: float = 0.0
    of: str = ""

    def _brief(self) -> str:
        return f"[{self.low:.6g}, {self.high:.6g}], {100 * self.level:.4g} % {self.method}"

    @property
    def columns(self) -> dict[str, Any]:
        """Its columns in a row; the error of its ends is not among them."""
        return {
            "interval_low": self.low,
            "interval_high": self.high,
            "interval_level": self.level,
            "interval_of": self.of or None,
            "interval_method": self.method,
        }


NO_INTERVAL: dict[str, Any] = dict.fromkeys(Interval(0.0, 0.0, 0.0, "").columns)
"""The columns of an interval where there is none."""
