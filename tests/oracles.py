"""Slow, obviously right twins of the fast paths: exact fractions and plain enumeration.

Nothing here imports the package, and nothing here is clever.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

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
