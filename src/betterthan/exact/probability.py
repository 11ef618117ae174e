"""A probability that knows how wrong it may be.

Engines return natural logarithms, so that a p-value of 1e-400 keeps its meaning, together with
rigorous bounds: an exact engine's bounds are its rounding and aliasing error, a certified engine's
are its bracket.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Self, get_args

from betterthan.errors import UsageError, not_one_of
from betterthan.numeric import Alternative
from betterthan.results.tests import PFields

LOG2 = math.log(2.0)
LOG10 = math.log(10.0)

COUNTS = "whole-number counts"
ENUMERATION = "enumeration of all swaps"
LATTICE = "lattice transform"
JOINT_LAW = "lattice transform of the joint law"
MEET = "meet in the middle"
BRACKET = "Graham-Vaaler bracket"


def check_alternative(alternative: str) -> None:
    """Raise an error unless an alternative is one of the three."""
    if alternative not in get_args(Alternative):
        raise not_one_of("alternative", alternative, get_args(Alternative))


class BudgetExceededError(ValueError):
    """The exact answer needs more memory, time or precision than is allowed; ask another engine.

    The message states what is needed and what the budget is.
    """


def check_budget(needed: int, budget: int, what: str) -> None:
    """Raise an error if a law needs more of something than its budget."""
    if needed > budget:
        raise BudgetExceededError(f"the law needs {needed:,} {what}; the budget is {budget:,}")


@dataclass(frozen=True, slots=True)
class Probability:
    """A probability and rigorous bounds on it, as natural logarithms.

    Parameters
    ----------
    log : float
        Natural logarithm of the reported value; ``-inf`` for an impossible event.
    log_low, log_high : float
        Natural logarithms of a lower and an upper bound on the true value.
    how : str
        How it was computed, in print; empty where that is not stated.

    Examples
    --------
    >>> p = Probability.of_log(-1000.0, error=1e-12)
    >>> p.value, round(p.log10, 3)
    (0.0, -434.294)
    """

    log: float
    log_low: float
    log_high: float
    how: str = field(default="", kw_only=True, compare=False)

    def __post_init__(self) -> None:
        if not self.log_low <= self.log <= self.log_high <= 0.0:
            bounds = f"{self.log_low!r} <= {self.log!r} <= {self.log_high!r} <= 0"
            raise UsageError(f"a probability needs ordered logarithms, not {bounds}")

    @classmethod
    def of_log(cls, log: float, error: float = 0.0, *, how: str = "") -> Self:
        """Probability ``exp(log)``, wrong by at most the relative ``error``."""
        if error < 0.0:
            raise UsageError(f"the relative error must be at least 0, got {error!r}")
        log = min(log, 0.0)
        low = log + math.log1p(-error) if error < 1.0 else -math.inf
        return cls(log, low, min(log + math.log1p(error), 0.0), how=how)

    @classmethod
    def of(cls, value: float, error: float = 0.0) -> Self:
        """Probability ``value``, wrong by at most the relative ``error``."""
        return cls.of_log(math.log(value) if value > 0.0 else -math.inf, error)

    @property
    def value(self) -> float:
        """The probability itself; 0.0 when it underflows."""
        return math.exp(self.log)

    @property
    def low(self) -> float:
        """Rigorous lower bound, rounded down."""
        return self._outwards(self.log_low, 0.0)

    @property
    def high(self) -> float:
        """Rigorous upper bound, rounded up (0.0 where it underflows: the logarithm is right)."""
        return min(self._outwards(self.log_high, 2.0), 1.0)

    def _outwards(self, log: float, towards: float) -> float:
        """``exp(log)``, which is rounded to the nearest double, moved out by the next one."""
        bound = math.exp(log)
        if bound == 0.0 or self.log_low == self.log_high:  # known exactly
            return bound
        return math.nextafter(bound, towards)

    @property
    def log10(self) -> float:
        """Decimal logarithm, finite where the value underflows."""
        return self.log / LOG10

    @property
    def fields(self) -> PFields:
        """The value, its bounds, and its decimal logarithm, as a result names them."""
        value, low, high = self.value, self.low, self.high
        return PFields(pvalue=value, pvalue_low=low, pvalue_high=high, log10_pvalue=self.log10)

    @property
    def error(self) -> float:
        """Relative half-width: how far the truth may be from the value, relative to it."""
        return max(math.expm1(self.log_high - self.log), -math.expm1(self.log_low - self.log))

    def by(self, how: str) -> Self:
        """The same probability, with what was done to find it."""
        return replace(self, how=how)

    def doubled(self) -> Self:
        """Twice the probability: the two-sided p of a symmetric law (never above one)."""
        logs = (self.log, self.log_low, self.log_high)
        return type(self)(*(min(x + LOG2, 0.0) for x in logs), how=self.how)

    def plus(self, other: "Probability") -> "Probability":
        """Probability of either of two events that exclude each other."""
        logs = (self.log, self.log_low, self.log_high)
        others = (other.log, other.log_low, other.log_high)
        sums = (min(_log_sum(x, y), 0.0) for x, y in zip(logs, others, strict=True))
        return Probability(*sums, how=self.how or other.how)

    def scaled(self, log_factor: float) -> "Probability":
        """The probability times a factor up to one, its bounds widened by rounding."""
        log, low, high = (x + log_factor for x in (self.log, self.log_low, self.log_high))
        blur = 2.0**-50 * (1.0 - high) if high > -math.inf else 0.0
        return Probability(min(log, 0.0), low - blur, min(high + blur, 0.0), how=self.how)

    def complement(self) -> Self:
        """One minus the probability, bounds exchanged."""
        low, high = _log_complement(self.log_high), _log_complement(self.log_low)
        return type(self)(_log_complement(self.log), low, high, how=self.how)


def _log_complement(log: float) -> float:
    """``log(1 - exp(log))`` without cancellation at either end."""
    if log >= 0.0:
        return -math.inf
    return math.log(-math.expm1(log)) if log > -LOG2 else math.log1p(-math.exp(log))


def _log_sum(x: float, y: float) -> float:
    """``log(exp(x) + exp(y))``."""
    low, high = min(x, y), max(x, y)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def log_share(part: int, whole: int) -> float:
    """``log(part / whole)`` to a unit of its last place or so, near 1 and below doubles as well."""
    if not part:
        return -math.inf
    if 2 * part > whole:
        return math.log1p((part - whole) / whole)
    shift = whole.bit_length() - part.bit_length()
    return math.log((part << shift) / whole) - shift * LOG2
