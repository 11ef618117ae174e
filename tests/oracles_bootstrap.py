"""The paired bootstrap by brute force: all ``n**n`` resamples, in exact fractions.

Nothing here imports the package, and nothing here is clever.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, product
from typing import TypeVar

Row = TypeVar("Row")
Law = dict[Fraction, Fraction]

VARIANTS = ("shift", "sign")
ALTERNATIVES = ("two-sided", "greater", "less")


def resampled_law(
    units: Sequence[Sequence[Row]], statistic: Callable[[Sequence[Row]], Fraction]
) -> Law:
    """Law of a statistic over every resample of units, each a list of rows drawn together."""
    mass = Fraction(1, len(units) ** len(units))
    law: Law = {}
    for draw in product(units, repeat=len(units)):
        value = statistic(list(chain.from_iterable(draw)))
        law[value] = law.get(value, Fraction(0)) + mass
    return law


def drawn_sums(
    rows: Sequence[tuple[Fraction | int | float, ...]], counts: Sequence[int]
) -> dict[tuple[Fraction, ...], Fraction]:
    """Distribution of the sums of as many draws as there are units, one draw after the other."""
    n = sum(counts)
    law = {tuple(Fraction(0) for _ in rows[0]): Fraction(1)}
    for _ in range(n):
        after: dict[tuple[Fraction, ...], Fraction] = {}
        for sums, mass in law.items():
            for row, count in zip(rows, counts, strict=True):
                key = tuple(s + Fraction(x) for s, x in zip(sums, row, strict=True))
                after[key] = after.get(key, Fraction(0)) + mass * Fraction(count, n)
        law = after
    return law


def bootstrap_pvalue(law: Law, delta: Fraction, variant: str, alternative: str) -> Fraction:
    """P-value of a delta with the law of its resamples; ties count."""

    def chance(event: Callable[[Fraction], bool]) -> Fraction:
        return sum((mass for value, mass in law.items() if event(value)), Fraction(0))

    if variant == "shift":
        if alternative == "greater":
            return chance(lambda x: x - delta >= delta)
        if alternative == "less":
            return chance(lambda x: x - delta <= delta)
        return chance(lambda x: abs(x - delta) >= abs(delta))
    if alternative == "greater":
        return chance(lambda x: x <= 0)
    if alternative == "less":
        return chance(lambda x: x >= 0)
    if delta == 0:
        return Fraction(1)
    return min(2 * chance(lambda x: x <= 0 if delta > 0 else x >= 0), Fraction(1))


def quantiles(law: Law, tail: Fraction) -> tuple[Fraction, Fraction]:
    """Outermost values that have the tail's mass, or more, at and beyond them."""
    low = min(x for x in law if sum(p for y, p in law.items() if y <= x) >= tail)
    high = max(x for x in law if sum(p for y, p in law.items() if y >= x) >= tail)
    return low, high
