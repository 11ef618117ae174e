"""The rational route: p-values as true fractions, from exact counts of sign patterns.

Of the ``2**n`` equally likely sign patterns of ``n`` differing items, those at least as extreme as
the observed one are counted with whole numbers: no rounding, no bound to state. The count is read
off the generating polynomial ``prod (1 + x**e)``. It is evaluated at ``x = 2**width``, so that all
its coefficients lie side by side in one Python integer and a multiplication by ``1 + x**e`` is a
shift and an addition; python-flint multiplies such polynomials faster and is used when installed.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, Self

from betterthan.exact.probability import LOG2, Probability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Alternative = Literal["two-sided", "greater", "less"]

#: Most 64-bit word operations the rational route accepts: some ten seconds of Python integers.
MAX_WORDS = 2**33
FLINT_PAYS = 2**24


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
    def of_fraction(cls, fraction: Fraction) -> Self:
        """Wrap a fraction between zero and one."""
        log = _log(fraction)
        margin = abs(log) * 2**-50 if fraction else 0.0
        return cls(log, log - margin, min(log + margin, 0.0), fraction)

    @classmethod
    def of_counts(cls, hits: int, patterns: int) -> Self:
        """``hits`` equally likely patterns out of ``patterns``."""
        return cls.of_fraction(Fraction(hits, patterns))

    @property
    def value(self) -> float:
        """The probability, correctly rounded; 0.0 when it underflows."""
        return float(self.fraction)

    @property
    def low(self) -> float:
        """The value itself."""
        return self.value

    @property
    def high(self) -> float:
        """The value itself."""
        return self.value

    @property
    def error(self) -> float:
        """Nothing but the rounding of the logarithm."""
        return 0.0

    def doubled(self) -> Self:
        """Twice the probability, at most one."""
        return self.of_fraction(min(2 * self.fraction, Fraction(1)))

    def complement(self) -> Self:
        """One minus the probability."""
        return self.of_fraction(1 - self.fraction)


def signed_sum_pvalue(
    differences: "Iterable[int]",
    *,
    observed: int | None = None,
    alternative: Alternative = "two-sided",
) -> Fraction:
    """Exact p-value of ``observed`` under fair coins for the signs of ``differences``.

    Parameters
    ----------
    differences : iterable of int
        One signed difference per item (or cluster); zeros do not matter.
    observed : int, optional
        The value to test; by default the sum of the differences.
    alternative : {"two-sided", "greater", "less"}
        Two-sided means at least as far from zero, either way.

    Raises
    ------
    ValueError
        If the polynomial is too large for whole-number arithmetic (see `MAX_WORDS`).

    Examples
    --------
    >>> signed_sum_pvalue([1, 1, 1, 1, 1, 1])
    Fraction(1, 32)
    """
    signed = [int(d) for d in differences]
    observed = sum(signed) if observed is None else int(observed)
    if alternative not in ("two-sided", "greater", "less"):
        message = f"alternative must be 'two-sided', 'greater' or 'less', not {alternative!r}"
        raise ValueError(message)
    tally: dict[int, int] = {}
    for d in signed:
        if d:
            tally[abs(d)] = tally.get(abs(d), 0) + 1
    unit = math.gcd(*tally)
    steps = sorted(tally)
    counts = [tally[e] for e in steps]
    steps = [e // unit for e in steps]
    if alternative == "two-sided":
        if observed == 0:
            return Fraction(1)
        return min(2 * _tail(steps, counts, unit, abs(observed)), Fraction(1))
    return _tail(steps, counts, unit, observed if alternative == "greater" else -observed)


def _tail(steps: "Sequence[int]", counts: "Sequence[int]", unit: int, s: int) -> Fraction:
    """P(S >= s) for S a sum of ``unit * step`` with random signs."""
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    least = -(-s // unit) if unit else s  # in reduced units, rounded up
    at_least = -((-total - least) // 2)  # S = 2T - total
    n = sum(counts)
    words = work(steps, counts, at_least)
    if words > MAX_WORDS:
        message = (
            f"exact fractions would take about {words:.1e} word operations for {n} differing "
            f"items with a total difference of {total} (limit {MAX_WORDS:.1e}); "
            "the lattice engine gives the same p to ten digits"
        )
        raise ValueError(message)
    return Fraction(patterns_at_least(steps, counts, at_least), 2**n)


def work(steps: "Sequence[int]", counts: "Sequence[int]", at_least: int) -> int:
    """Estimate the 64-bit word operations `patterns_at_least` takes."""
    n = sum(counts)
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    degree = min(total - at_least, at_least - 1)
    if degree < 0:
        return 0
    if len(steps) == 1:
        return (degree // steps[0] + 1) * (n // 64 + 1)
    return n * ((degree + 1) * (n + 1) // 64 + 1)


def patterns_at_least(steps: "Sequence[int]", counts: "Sequence[int]", at_least: int) -> int:
    """Count the subsets whose sum is ``at_least`` or more, of ``counts`` copies of each step.

    A subset and its complement have sums adding up to the total, so the shorter side is counted.

    Examples
    --------
    >>> patterns_at_least([1, 2], [2, 1], 3)  # 1+2, 1+2, 1+1+2
    3
    """
    n = sum(counts)
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    if at_least <= 0:
        return 1 << n
    if at_least > total:
        return 0
    if total - at_least < at_least:
        return _patterns_at_most(steps, counts, total - at_least)
    return (1 << n) - _patterns_at_most(steps, counts, at_least - 1)


def _patterns_at_most(steps: "Sequence[int]", counts: "Sequence[int]", degree: int) -> int:
    """Count the subsets whose sum is at most ``degree``."""
    if len(steps) == 1:
        return _binomial_sum(counts[0], degree // steps[0])
    if work(steps, counts, degree + 1) > FLINT_PAYS and _flint() is not None:
        return _by_flint(steps, counts, degree)
    n = sum(counts)
    width = n + 1  # a coefficient is at most 2**n
    mask = (1 << (degree + 1) * width) - 1
    packed = 1
    for step, count in zip(steps, counts, strict=True):
        for _ in repeat(None, count if step <= degree else 0):
            packed = (packed + (packed << step * width)) & mask
    # The digits of a number in base b add up to it modulo b - 1; their sum is at most 2**n.
    return packed % ((1 << width) - 1)


def _binomial_sum(n: int, most: int) -> int:
    """``sum(comb(n, j) for j <= most)`` by the recurrence of the coefficients."""
    term = total = 1
    for j in range(1, most + 1):
        term = term * (n - j + 1) // j
        total += term
    return total


@cache
def _flint() -> Any:
    """The python-flint module, or None."""
    try:
        return import_module("flint")
    except ModuleNotFoundError:
        return None


def _by_flint(steps: "Sequence[int]", counts: "Sequence[int]", degree: int) -> int:
    """The same count by python-flint, the factors multiplied in pairs and cut at ``degree``."""
    factors: list[Any] = []
    for step, count in zip(steps, counts, strict=True):
        if step <= degree:
            coefficients = [0] * (min(count, degree // step) * step + 1)
            term = 1
            for j in range(min(count, degree // step) + 1):
                coefficients[j * step] = term
                term = term * (count - j) // (j + 1)
            factors.append(_flint().fmpz_poly(coefficients))
    while len(factors) > 1:
        factors.sort(key=lambda p: p.degree(), reverse=True)
        product = factors.pop() * factors.pop()
        if product.degree() > degree:
            product = _flint().fmpz_poly(product.coeffs()[: degree + 1])
        factors.append(product)
    return int(sum(factors[0].coeffs())) if factors else 1


def _log(fraction: Fraction) -> float:
    """Natural logarithm, right to the last digit or so at both ends of the unit interval."""
    if not fraction:
        return -math.inf
    if 2 * fraction > 1:
        return math.log1p(-float(1 - fraction))
    top, bottom = fraction.numerator, fraction.denominator
    shift = bottom.bit_length() - top.bit_length()
    return math.log((top << shift) / bottom) - shift * LOG2
