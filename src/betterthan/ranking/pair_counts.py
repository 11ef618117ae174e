"""Wins, ties and losses of every two systems, all at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import TIE, Floats, Ints

SINGLE = 1 << 24
"""Whole numbers up to this are exact in single precision."""

CELLS = 1 << 22
"""Most numbers in one array of a block of items."""


def is_two_valued(values: Floats) -> bool:
    """Whether scores are of two sizes at most, as right or wrong is, where they are not missing.

    Two that differ by rounding alone are no two sizes.
    """
    known = values[~np.isnan(values)]
    if not known.size:
        return True
    low, high = known.min(), known.max()
    apart = high == low or high - low > TIE * max(abs(low), abs(high))
    return bool(apart and ((known == low) | (known == high)).all())


def count_pairs(values: Floats) -> NDArray[np.int32]:
    """Count wins, ties and losses, each (systems, systems), of the row's system.

    ``values`` are (items, systems), higher better, NaN where missing; an item that one of two
    systems lacks does not count. What differs by rounding alone is tied.

    >>> wins, ties, losses = count_pairs(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, np.nan]]))
    >>> wins.tolist(), int(ties[0, 1]), losses.tolist()
    ([[0, 1], [0, 0]], 1, [[0, 0], [1, 0]])
    """
    n, m = values.shape
    counts = np.zeros((3, m, m), dtype=np.int32)
    known = ~np.isnan(values)
    if is_two_valued(values):
        top = np.nanmax(values) if known.any() else 0.0
        for some in (slice(k, k + SINGLE) for k in range(0, n, SINGLE)):
            right = (values[some] == top).astype(np.float32)
            wrong = (known[some] & (values[some] != top)).astype(np.float32)
            counts[0] += (right.T @ wrong).astype(np.int32)
            counts[1] += (right.T @ right + wrong.T @ wrong).astype(np.int32)
    else:
        ordered = ranks_within(values)
        where = values.T.copy() if ordered is None else ordered.T.copy()
        for i in range(m - 1):
            won, lost = _decided(where[i], where[i + 1 :], exact=ordered is not None)
            counts[0, i, i + 1 :], counts[0, i + 1 :, i] = won, lost
        both = known.astype(np.float64)
        counts[1] = (both.T @ both).astype(np.int32) - counts[0] - counts[0].T
    counts[2] = counts[0].T
    diagonal = np.arange(m)
    counts[1, diagonal, diagonal] = 0
    return counts


def ranks_within(values: Floats) -> Ints | None:
    """Number each item's values by size from one, equal ones alike; zero where missing.

    None where values differ by no more than rounding and are not equal: whether two of them tie is
    then a matter of the two.
    """
    order = np.argsort(values, axis=1)  # what is missing comes last
    ordered = np.take_along_axis(values, order, axis=1)
    size = np.abs(ordered)
    gap = np.diff(ordered, axis=1)
    apart = gap > TIE * np.maximum(size[:, 1:], size[:, :-1])
    if bool(((gap > 0) & ~apart).any()):
        return None
    rank = np.ones(values.shape, dtype=np.int32 if values.shape[1] > 30_000 else np.int16)
    np.cumsum(apart, axis=1, dtype=rank.dtype, out=rank[:, 1:])
    rank[:, 1:] += 1
    rank[np.isnan(ordered)] = 0
    ranks = np.empty_like(rank)
    np.put_along_axis(ranks, order, rank, axis=1)
    return ranks


def _decided(mine: NDArray[Any], others: NDArray[Any], *, exact: bool) -> tuple[Ints, Ints]:
    """Wins and losses of one system against others, (systems, items), in blocks of them."""
    won, lost = (np.empty(len(others), dtype=np.int64) for _ in range(2))
    block = max(1, CELLS // max(len(mine), 1))
    for some in (slice(k, k + block) for k in range(0, len(others), block)):
        theirs = others[some]
        if exact:
            both = (mine > 0) & (theirs > 0)
            more, less = both & (mine > theirs), both & (mine < theirs)
        else:
            difference = mine - theirs
            noise = TIE * np.maximum(np.abs(mine), np.abs(theirs))
            more, less = difference > noise, difference < -noise
        won[some], lost[some] = (np.count_nonzero(x, axis=1) for x in (more, less))
    return won, lost
