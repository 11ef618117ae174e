"""Checks of an installation against fractions that are known on paper.

A compiler, a linear-algebra library or a processor that computes wrongly shows here in seconds.
Every expected value follows from counting, as said beside it; none was computed by this package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import comb, log10
from typing import Any, NamedTuple

import numpy as np

from betterthan.results.tests import TestResult
from betterthan.testing.bootstrap import bootstrap_test
from betterthan.testing.classic import mcnemar, sign_test, wilcoxon
from betterthan.testing.permutation import permutation_test

FISHER = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's differences of maize in eighths of an inch (Fisher, 1935, section 21)."""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """One number that this installation computed, and what it must be.

    Attributes
    ----------
    name, why : str
        What was computed, and why the expected value is known.
    expected : Fraction
        The value.
    log10_found : float
        Decimal logarithm of what was found.
    holds : bool
        Whether it is right to ten digits and within its stated bounds.
    """

    name: str
    why: str
    expected: Fraction
    log10_found: float
    holds: bool


def selftest() -> tuple[SelfCheck, ...]:
    """Compute every known number again.

    Examples
    --------
    >>> all(check.holds for check in selftest())
    True
    """
    return tuple(map(_checked, _cases()))


class Case(NamedTuple):
    """What is computed, why its value is known, the value, and the data: zeros but for ``b``."""

    name: str
    why: str
    hits: int
    patterns: int
    test: Callable[..., TestResult]
    b: Any
    a: Any = None


def _cases() -> list[Case]:
    ones, maize = np.ones(2000, dtype=np.int64), np.array(FISHER) / 8.0
    single = np.array([0.1, 0.2, -0.3, 0.6], dtype=np.float32)
    wins = np.repeat([1, -1, 0], [560, 440, 99_000])
    tails = 2 * sum(comb(1000, k) for k in range(560, 1001))
    coins = "the binomial law of 1,000 fair coins, both tails"
    sums = "0.1 + 0.2 - 0.3 = 0, so 10 of 16 sign patterns reach 0.6"
    alike = "swapping both, or neither, of two sentences that differ alike: 2 of 4"
    ranks = "ranks 6, 2, 2, 4.5, -2, 4.5: 8 of 64 sign patterns"
    drawn = "96 of the 256 resamples of +1, +1, 0, -1 gain nothing"
    arranged = "1,726 of 32,768 arrangements (Fisher, 1935)"
    swap, f1 = permutation_test, partial(permutation_test, metric="f1")
    ideal = partial(bootstrap_test, variant="sign", alternative="greater")
    split, five, other = "2 (1 + 5) of 32", [0, 1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 1, 1]
    sentences = [[1, 1, 0], [0, 1, 1]]
    return [
        Case("six wins in six items", "2 of 64 swaps", 2, 2**6, swap, ones[:6]),
        Case("Darwin's maize", arranged, 1726, 2**15, swap, maize),
        Case("two thousand straight wins", "2 of 2^2000 swaps", 2, 2**2000, swap, ones),
        Case("560 wins and 440 losses of 100,000 items", coins, tails, 2**1000, swap, wins),
        Case("decimals in single precision", sums, 10, 2**4, swap, single),
        Case("F1 of two sentences", alike, 2, 2**2, f1, [[1, 0, 0], [1, 0, 0]], sentences),
        Case("Wilcoxon's test with ties", ranks, 8, 2**6, wilcoxon, [3, 1, 1, 2, -1, 2]),
        Case("McNemar's test, four wins and one loss", split, 12, 2**5, mcnemar, five, other),
        Case("sign test, six wins", "2 of 64", 2, 2**6, sign_test, [0.5, 0.7, 0.1, 0.2, 0.1, 0.1]),
        Case("ideal bootstrap of four items", drawn, 96, 4**4, ideal, [1, 1, 0, -1]),
    ]


def _checked(case: Case) -> SelfCheck:
    result = case.test(np.zeros_like(case.b) if case.a is None else case.a, case.b)
    expected = Fraction(case.hits, case.patterns)
    log = log10(expected.numerator) - log10(expected.denominator)
    close = abs(result.log10_pvalue - log) <= 1e-10 * max(1.0, abs(log))
    inside = result.pvalue_low * (1 - 1e-10) <= float(expected) <= result.pvalue_high * (1 + 1e-10)
    return SelfCheck(case.name, case.why, expected, result.log10_pvalue, close and inside)
