"""Counting sign patterns in integers: how many subsets have a sum at or above a threshold.

The steps come with counts: ``counts`` copies of each. Three ways, of which the cheapest is taken.

*Packed.* The answer is read off the generating polynomial ``prod (1 + x**e)``, evaluated at
``x = 2**width``: all its coefficients lie side by side in one Python integer, and multiplying by
``1 + x**e`` is a shift and an addition. The work grows with the largest sum that matters.

*Met in the middle.* The steps are split into two halves; the sums of either half's subsets are
listed, with the number of subsets behind each, and paired off (Horowitz & Sahni 1974). The work
grows with the number of subsets of a half and not with the size of the steps: what few items ask
for, however large their differences.

*Binomials*, where there is one step.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

SOON = 2**17
"""Nanoseconds of counting that nothing else improves on."""

NEVER = 1 << 80
"""The cost of what is out of the question."""

MAX_SUMS = 2**22
"""Most subset sums of one half that are listed: a few hundred megabytes in all."""

MAX_BITS = 2**31
"""Most bits in one packed polynomial: 256 megabytes, and three of them are in memory at a time."""

_CACHED_BITS = 2**22  # polynomials that stay in the cache
_SAFE = 1 << 62


def patterns_at_least(steps: Sequence[int], counts: Sequence[int], at_least: int) -> int:
    """Count the subsets whose sum is ``at_least`` or more, of ``counts`` copies of each step.

    A subset and its complement have sums adding up to the total, so the shorter side is counted.

    Examples
    --------
    >>> patterns_at_least([1, 2], [2, 1], 3)  # 1+2, 1+2, 1+1+2
    3
    """
    degree, more = _shorter_side(steps, counts, at_least)
    _, count = _cheapest(steps, counts, degree)
    return count() if more else (1 << sum(counts)) - count()


def work(steps: Sequence[int], counts: Sequence[int], at_least: int) -> int:
    """Estimate the nanoseconds that `patterns_at_least` takes on one core.

    Right to a factor of three or so, which is what a choice among engines asks for. Measured: 2 to
    6 ns for each item and word of a packed polynomial in the cache and 3 to 10 beyond; 70 to 140 ns
    for each listed sum, sorting and searching included, 250 for millions of them; 3 to 8 ns for
    each word of a binomial coefficient, and some 60 for the coefficient.
    """
    return _cheapest(steps, counts, _shorter_side(steps, counts, at_least)[0])[0]


def _shorter_side(steps: Sequence[int], counts: Sequence[int], at_least: int) -> tuple[int, bool]:
    """Largest sum of the subsets to be counted; whether they stand for those asked for."""
    total = sum(e * c for e, c in zip(steps, counts, strict=True))
    return min(total - at_least, at_least - 1), total - at_least <= at_least - 1


def _cheapest(
    steps: Sequence[int], counts: Sequence[int], degree: int
) -> tuple[int, Callable[[], int]]:
    """Nanoseconds to the number of subsets with a sum of at most ``degree``, and how to get it."""
    if degree < 0:
        return 0, int
    if len(steps) == 1:
        most = degree // steps[0]
        return (most + 1) * (counts[0] // 8 + 64), lambda: sum(_binomials(counts[0], most))
    packed = packed_work(sum(counts), degree)
    listed = _listed_work(steps, counts, degree) if packed > SOON else NEVER
    way = _by_halves if listed < packed else _by_packing
    return min(packed, listed), partial(way, steps, counts, degree)


def _binomials(n: int, most: int) -> Iterator[int]:
    """``comb(n, j)`` for j up to ``most``, by their recurrence."""
    term = 1
    for j in range(most + 1):
        yield term
        term = term * (n - j) // (j + 1)


def packed_work(n: int, degree: int) -> int:
    """Nanoseconds of a packed polynomial of n factors, cut after ``x**degree``."""
    bits = (degree + 1) * (n + 1)
    if bits > MAX_BITS:
        return NEVER
    return n * (bits // 64 * (4 if bits <= _CACHED_BITS else 6) + 64)


def _by_packing(steps: Sequence[int], counts: Sequence[int], degree: int) -> int:
    """Multiply the factors ``1 + x**e`` at ``x = 2**width``, cut after ``x**degree``."""
    n = sum(counts)
    width = n + 1  # a coefficient is at most 2**n
    mask = (1 << (degree + 1) * width) - 1
    packed = 1
    for step, count in zip(steps, counts, strict=True):
        for _ in repeat(None, count if step <= degree else 0):
            packed = (packed + (packed << step * width)) & mask
    # The digits of a number in base b add up to it modulo b - 1; their sum is at most 2**n.
    return packed % ((1 << width) - 1)


def _halves(counts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Positions of the steps, split so that both halves have about as many subset sums."""
    sides: tuple[list[int], list[int]] = ([], [])
    weight = [0.0, 0.0]
    for i in sorted(range(len(counts)), key=lambda i: -counts[i]):
        lighter = int(weight[1] < weight[0])
        sides[lighter].append(i)
        weight[lighter] += math.log(counts[i] + 1)
    return sides


def _listed_work(steps: Sequence[int], counts: Sequence[int], degree: int) -> int:
    """Nanoseconds of `_by_halves`, were all sums within the degree."""
    if len(steps) > 2 * math.log2(MAX_SUMS):
        return NEVER
    sums = [min(count, degree // step) + 1 for step, count in zip(steps, counts, strict=True)]
    half = max(math.isqrt(math.prod(sums)), *sums)
    if half > MAX_SUMS:
        return NEVER
    n = sum(counts)
    # Where 64 bits are not enough the numbers are Python's own, and the products of long ones slow.
    each = 240 if n < 62 and degree < _SAFE else 2000 + 2 * (n // 64) ** 2
    return each * half + 8_000 * n + 60_000


def _by_halves(steps: Sequence[int], counts: Sequence[int], degree: int) -> int:
    """List the subset sums of either half, and pair them off."""
    kind = np.int64 if sum(counts) < 62 and degree < _SAFE else object
    sides = [
        _subset_sums([steps[i] for i in side], [counts[i] for i in side], degree, kind)
        for side in _halves(counts)
    ]
    (left, left_ways), (right, right_ways) = sides
    order = np.argsort(right, kind="stable")
    up_to = np.concatenate([np.zeros(1, dtype=kind), np.cumsum(right_ways[order])])
    reached = np.searchsorted(right[order], degree - left, side="right")
    return int((left_ways * up_to[reached]).sum())


def _subset_sums(
    steps: list[int], counts: list[int], most: int, kind: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sums up to ``most`` of the subsets, and how many subsets have each (sums may repeat)."""
    sums, ways = np.array([0], dtype=kind), np.array([1], dtype=kind)
    for step, count in zip(steps, counts, strict=True):
        more_sums, more_ways = [], []
        for j, choices in enumerate(_binomials(count, min(count, most // step))):
            fits = sums <= most - j * step
            more_sums.append(sums[fits] + j * step)
            more_ways.append(ways[fits] * choices)
        sums, ways = np.concatenate(more_sums), np.concatenate(more_ways)
    return sums, ways
