"""The rational route: p-values as true fractions, from exact counts of sign patterns.

Of the ``2**n`` equally likely sign patterns of ``n`` differing items, those at least as extreme as
the observed one are counted with integers (`betterthan.exact.counting`): no rounding, no bound
to state.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from betterthan.errors import BadValueError, UsageError, quote
from betterthan.exact.counting import NEVER, patterns_at_least, work
from betterthan.exact.probability import (
    COUNTS,
    BudgetExceededError,
    Probability,
    check_alternative,
    log_share,
)
from betterthan.numeric import Alternative

#: Most nanoseconds of counting that the rational route accepts.
MAX_WORK = 2**34


@dataclass(frozen=True, slots=True)
class Ratio(Probability):
    """A probability known as a fraction: its value is the correctly rounded one.

    Examples
    --------
    >>> Ratio.of_counts(1, 64).doubled().value
    0.03125
    """

    fraction: Fraction

    @classmethod
    def of_fraction(cls, fraction: Fraction, *, how: str = COUNTS) -> Self:
        """Wrap a fraction between zero and one."""
        log = log_share(fraction.numerator, fraction.denominator)
        margin = abs(log) * 2**-50 if fraction else 0.0
        return cls(log, log - margin, min(log + margin, 0.0), fraction, how=how)

    @classmethod
    def of_counts(cls, hits: int, patterns: int) -> Self:
        """``hits`` equally likely patterns out of ``patterns``."""
        return cls.of_fraction(Fraction(hits, patterns))

    @property
    def value(self) -> float:
        """The probability, correctly rounded; 0.0 when it underflows."""
        return float(self.fraction)

    low = high = value

    @property
    def error(self) -> float:
        """Zero: only its logarithm is rounded."""
        return 0.0

    def doubled(self) -> Self:
        """Twice the probability, at most one."""
        return self.of_fraction(min(2 * self.fraction, Fraction(1)), how=self.how)

    def complement(self) -> Self:
        """One minus the probability."""
        return self.of_fraction(1 - self.fraction, how=self.how)


def signed_sum_pvalue(
    differences: Iterable[int],
    *,
    counts: Iterable[int] | None = None,
    observed: int | None = None,
    alternative: Alternative = "two-sided",
) -> Fraction:
    """Exact p-value of ``observed`` under fair coins for the signs of ``differences``.

    Parameters
    ----------
    differences : iterable of int
        One signed difference per item (or cluster); zeros do not matter.
    counts : iterable of int, optional
        How many items have each difference; one by default. Differences may repeat.
    observed : int, optional
        The value to test; by default the sum of the differences.
    alternative : {"two-sided", "greater", "less"}
        Two-sided means at least as far from zero, either way.

    Raises
    ------
    BudgetExceededError
        If counting would take longer than `MAX_WORK`, or more memory than there may be.

    Examples
    --------
    >>> signed_sum_pvalue([1, 1, 1, 1, 1, 1])
    Fraction(1, 32)
    """
    signed = _whole(differences)
    times = [1] * len(signed) if counts is None else _whole(counts)
    if len(times) != len(signed) or min(times, default=1) < 1:
        raise UsageError("counts must be positive integers, one per difference")
    if observed is None:
        observed = sum(d * c for d, c in zip(signed, times, strict=True))
    (observed,) = _whole([observed])
    check_alternative(alternative)
    tally: dict[int, int] = {}
    for d, count in zip(signed, times, strict=True):
        if d:
            tally[abs(d)] = tally.get(abs(d), 0) + count
    unit = math.gcd(*tally) or 1
    copies = [tally[e] for e in sorted(tally)]
    steps = [e // unit for e in sorted(tally)]
    two_sided = alternative == "two-sided"
    if two_sided and not observed:
        return Fraction(1)
    s = abs(observed) if two_sided else observed if alternative == "greater" else -observed
    total, n = sum(e * c for e, c in zip(steps, copies, strict=True)), sum(copies)
    at_least = -((-total + (-s // unit)) // 2)  # S = 2T - total, in units
    nanoseconds = work(steps, copies, at_least)
    if nanoseconds > MAX_WORK:
        need = f"about {nanoseconds * 1e-9:.1g} s" if nanoseconds < NEVER else "too much memory"
        raise BudgetExceededError(
            f"counting the sign patterns of {n:,} differing items with a total difference of "
            f"{total:,} would take {need} (limit {MAX_WORK * 1e-9:.0f} s)"
        )
    tail = Fraction(patterns_at_least(steps, copies, at_least), 2**n)
    return min(2 * tail, Fraction(1)) if two_sided else tail


def _whole(numbers: Iterable[int]) -> list[int]:
    """Integers of any numeric type; numbers that would have to be rounded raise an error."""
    integers = []
    for number in numbers:
        try:
            whole = int(number)
        except (TypeError, ValueError, OverflowError):  # no number, NaN, infinite
            whole = None
        if whole is None or whole != number:
            raise BadValueError(
                f"counting needs integers, got {quote(number)}: pass multiples of one unit "
                "(0.4 is 4 tenths), or use permutation_test, which finds the unit"
            )
        integers.append(whole)
    return integers
