"""Checks of an installation against fractions that are known on paper.

A compiler, a linear-algebra library or a processor that computes wrongly shows here in seconds.
Every expected value follows from counting, as said beside it; none was computed by this package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, log10

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
    """Compute every known number anew.

    Examples
    --------
    >>> all(check.holds for check in selftest())
    True
    """
    return tuple(_checked(*case) for case in _cases())


def _cases() -> list[tuple[str, str, Callable[[], TestResult], Fraction]]:
    zeros, ones = np.zeros(2000, dtype=np.int64), np.ones(2000, dtype=np.int64)
    wins = np.repeat([1, -1, 0], [560, 440, 99_000])
    tail = sum(comb(1000, k) for k in range(560, 1001))
    single = np.array([0.1, 0.2, -0.3, 0.6], dtype=np.float32)
    return [
        (
            "six wins in six items",
            "2 of 64 swaps",
            lambda: permutation_test(zeros[:6], ones[:6]),
            Fraction(1, 32),
        ),
        (
            "Darwin's maize",
            "1,726 of 32,768 arrangements (Fisher, 1935)",
            lambda: permutation_test(np.zeros(15), np.array(FISHER) / 8.0),
            Fraction(1726, 32768),
        ),
        (
            "two thousand straight wins",
            "2 of 2^2000 swaps",
            lambda: permutation_test(zeros, ones),
            Fraction(1, 2**1999),
        ),
        (
            "560 wins and 440 losses of 100,000 items",
            "the binomial law of 1,000 fair coins, both tails",
            lambda: permutation_test(np.zeros_like(wins), wins),
            Fraction(2 * tail, 2**1000),
        ),
        (
            "decimals in single precision",
            "0.1 + 0.2 - 0.3 = 0, so 10 of 16 sign patterns reach 0.6",
            lambda: permutation_test(np.zeros(4, np.float32), single),
            Fraction(10, 16),
        ),
        (
            "F1 of two sentences",
            "swapping both, or neither, of two sentences that differ alike: 2 of 4",
            lambda: permutation_test([[1, 1, 0], [0, 1, 1]], [[1, 0, 0], [1, 0, 0]], "f1"),
            Fraction(1, 2),
        ),
        (
            "Wilcoxon's test with ties",
            "ranks 6, 2, 2, 4.5, -2, 4.5: 8 of 64 sign patterns",
            lambda: wilcoxon([0] * 6, [3, 1, 1, 2, -1, 2]),
            Fraction(8, 64),
        ),
        (
            "McNemar's test, four wins and one loss",
            "2 (1 + 5) of 32",
            lambda: mcnemar([1, 0, 0, 0, 0, 1, 1], [0, 1, 1, 1, 1, 1, 1]),
            Fraction(12, 32),
        ),
        (
            "sign test, six wins",
            "2 of 64",
            lambda: sign_test([0.2, 0.1, 0.4, 0.4, 0.2, 0.3], [0.7, 0.8, 0.5, 0.6, 0.3, 0.4]),
            Fraction(2, 64),
        ),
        (
            "ideal bootstrap of four items",
            "96 of the 256 resamples of +1, +1, 0, -1 gain nothing",
            lambda: bootstrap_test([0, 0, 1, 1], [1, 1, 1, 0], "mean", "sign", "greater"),
            Fraction(96, 256),
        ),
    ]


def _checked(
    name: str, why: str, compute: Callable[[], TestResult], expected: Fraction
) -> SelfCheck:
    found = compute()
    log = log10(expected.numerator) - log10(expected.denominator)
    close = abs(found.log10_pvalue - log) <= 1e-10 * max(1.0, abs(log))
    inside = found.pvalue_low * (1 - 1e-10) <= float(expected) <= found.pvalue_high * (1 + 1e-10)
    return SelfCheck(name, why, expected, found.log10_pvalue, close and inside)
