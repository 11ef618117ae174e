"""All ``2**n`` swaps of a few items: the slow engine that is right for any statistic.

A swap pattern is a row of booleans, ``True`` where the two systems' outputs trade places.  Pattern
number ``i`` swaps the items at which the binary digits of ``i`` are one, so pattern 0 is the
observed data.  Everything comes in chunks, so that memory stays bounded; counts of patterns are
Python integers, so that the p-value is a true fraction.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import UsageError

MAX_ITEMS = 24
"""Most items whose sums are enumerated (16.8 million patterns, about a second)."""

MAX_BLACKBOX_ITEMS = 14
"""Most items for which a Python statistic is called on every pattern (16,384 calls)."""

_CHUNK_BITS = 13


def swap_patterns(n: int, *, limit: int = MAX_ITEMS) -> Iterator[NDArray[np.bool_]]:
    """Every swap pattern of ``n`` items, in chunks of at most 8,192 rows.

    Examples
    --------
    >>> np.concatenate(list(swap_patterns(2))).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    _check_items(n, limit)
    size = min(1 << n, 1 << _CHUNK_BITS)
    for start in range(0, 1 << n, size):
        codes = np.arange(start, start + size, dtype=np.int64)
        yield ((codes[:, None] >> np.arange(n)) & 1).astype(np.bool_)


def enumerate_sums(stay: ArrayLike, swap: ArrayLike) -> Iterator[NDArray[Any]]:
    """Sums of the (n, k) rows under every swap pattern, in chunks of shape (patterns, k).

    The low-order items' partial sums are tabulated once and shifted by the high-order items'.

    Examples
    --------
    >>> next(enumerate_sums([[0, 5], [1, 5]], [[2, 5], [4, 5]])).tolist()
    [[1, 10], [3, 10], [4, 10], [6, 10]]
    """
    stay, swap = np.asarray(stay), np.asarray(swap)
    _check_items(len(stay), MAX_ITEMS)
    steps = swap - stay
    low = min(len(stay), _CHUNK_BITS)
    table = next(swap_patterns(low)) @ steps[:low] + stay.sum(axis=0)
    for patterns in swap_patterns(len(stay) - low):
        for shift in patterns @ steps[low:]:
            yield table + shift


def enumeration_pvalue(
    stay: ArrayLike,
    swap: ArrayLike,
    extreme: Callable[[NDArray[Any]], NDArray[np.bool_]],
) -> Fraction:
    """Fraction of the ``2**n`` swap patterns whose sums are ``extreme``.

    Parameters
    ----------
    stay, swap : (n, k) array_like
        What every item adds to the k sums when it stays and when it is swapped.
    extreme : callable
        From an array of sums (patterns, k) to those at least as extreme as the observed data.

    Examples
    --------
    >>> enumeration_pvalue([[1], [1], [1]], [[-1], [-1], [-1]], lambda s: abs(s[:, 0]) >= 3)
    Fraction(1, 4)
    """
    hits = patterns = 0
    for sums in enumerate_sums(stay, swap):
        hits += int(np.count_nonzero(extreme(sums)))
        patterns += len(sums)
    return Fraction(hits, patterns)


def _check_items(n: int, limit: int) -> None:
    if n > limit:
        raise UsageError(f"enumeration takes at most {limit} items, not {n} (2**{n} patterns)")
