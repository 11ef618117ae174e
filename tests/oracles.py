"""Slow, obviously right twins of the fast paths: exact fractions and plain enumeration.

Nothing here imports the package, and nothing here is clever.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

import numpy as np

Law = dict[int, Fraction]
Row = TypeVar("Row")


def signed_sum_law(steps: Sequence[int]) -> Law:
    """Law of the sum of ``+d`` or ``-d`` with fair coins, by one convolution an item."""
    law: Law = {0: Fraction(1)}
    for step in steps:
        after: Law = {}
        for value, mass in law.items():
            for moved in (value + step, value - step):
                after[moved] = after.get(moved, Fraction(0)) + mass / 2
        law = after
    return law


def signed_sum_pvalue(differences: Sequence[int], alternative: str = "two-sided") -> Fraction:
    """Exact p-value of the paired permutation test of ``sum(differences)``."""
    observed = sum(differences)
    extreme: dict[str, Callable[[int], bool]] = {
        "two-sided": lambda s: abs(s) >= abs(observed),
        "greater": lambda s: s >= observed,
        "less": lambda s: s <= observed,
    }
    law = signed_sum_law(differences)
    return sum((mass for s, mass in law.items() if extreme[alternative](s)), Fraction(0))


def enumerate_pvalue(
    a: Sequence[Row],
    b: Sequence[Row],
    delta: Callable[[Sequence[Row], Sequence[Row]], Fraction],
    alternative: str = "two-sided",
) -> Fraction:
    """Exact p-value of any statistic ``delta(a, b)`` by trying all ``2**n`` swaps."""
    observed = delta(a, b)
    hits = 0
    for swaps in product((False, True), repeat=len(a)):
        u = [y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)]
        v = [x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)]
        value = delta(u, v)
        if alternative == "two-sided":
            hits += abs(value) >= abs(observed)
        elif alternative == "greater":
            hits += value >= observed
        else:
            hits += value <= observed
    return Fraction(hits, 2 ** len(a))


def swap_counts(stay: Any, swap: Any) -> dict[tuple[int, ...], int]:
    """How many of the 2**n swaps give each vector of sums, in Python integers.

    A dense array of integers convolved with one item after the other: no tilting, no truncation.
    """
    stay, swap = np.asarray(stay), np.asarray(swap)
    low = np.minimum(stay, swap)
    counts = np.ones((1,) * stay.shape[1], dtype=object)
    for here, there in zip(stay - low, swap - low, strict=True):
        after = np.zeros(np.add(counts.shape, np.maximum(here, there)), dtype=object)
        for move in (here, there):
            after[tuple(slice(m, m + s) for m, s in zip(move, counts.shape, strict=True))] += counts
        counts = after
    start = low.sum(axis=0)
    return {tuple((start + index).tolist()): counts[tuple(index)] for index in np.argwhere(counts)}


def swap_pvalue(stay: Any, swap: Any, h: Callable[..., Any]) -> Fraction:
    """``P(h(sums) >= h(observed sums))``, ``h`` of Python integers."""
    observed = h(*(int(s) for s in np.sum(stay, axis=0)))
    hits = sum(ways for sums, ways in swap_counts(stay, swap).items() if h(*sums) >= observed)
    return Fraction(hits, 2 ** len(stay))


def subsets_at_least(steps: Sequence[int], counts: Sequence[int], least: int) -> int:
    """Subsets of ``counts`` copies of each step with such a sum, by binomial coefficients."""
    ways = {0: 1}
    for step, count in zip(steps, counts, strict=True):
        after: dict[int, int] = {}
        for value, number in ways.items():
            for j in range(count + 1):
                moved = value + j * step
                after[moved] = after.get(moved, 0) + number * math.comb(count, j)
        ways = after
    return sum(number for value, number in ways.items() if value >= least)


def log_of(p: Fraction) -> float:
    """Natural logarithm of a fraction, which may be too small for a double."""
    if p > Fraction(1, 2):
        return math.log1p(-float(1 - p))
    shift = p.denominator.bit_length() - p.numerator.bit_length()
    return math.log(p * Fraction(2) ** shift) - shift * math.log(2.0)


def assert_bounds(p: Any, truth: Fraction, error: float = 1e-9, near: float = 1e-10) -> None:
    """The bounds of a probability contain the truth and are tight, and its value is near it."""
    if truth == 0:
        assert p.log == p.log_high == -math.inf
        return
    log = log_of(truth)
    slack = 4e-16 * (1 - log)  # of the logarithms compared here
    assert p.log_low - slack <= log <= p.log_high + slack
    assert p.error <= error
    assert abs(math.expm1(log - p.log)) <= min(p.error, near) + slack
