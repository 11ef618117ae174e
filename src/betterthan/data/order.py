"""One order of items and one numbering of clusters, by what they hold.

Neither the order of the data nor the names of clusters tell anything, so whatever is drawn from
items starts here.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.numeric import Ints, Numbers

DENSE = 1 << 16
"""Codes up to here are counted rather than sorted, however few rows there are."""

LARGEST_CODE = 2**62


def row_codes(columns: Sequence[Numbers]) -> tuple[Ints, int]:
    """Number of each row among the distinct rows in order, and how many of them there are.

    Columns are taken one after the other until they tell all rows apart, so that wide rows, which
    are rarely equal, cost no more than their first columns.

    >>> row_codes([np.array([2.5, 0.5, 2.5]), np.array([1, 1, 0])])
    (array([2, 0, 1]), 3)
    """
    codes, span = _dense(columns[0])
    n = len(codes)
    for column in columns[1:]:
        if span == n:  # only if no code is left out are all rows distinct
            codes, span = _packed(codes, span)
            if span == n:
                break
        values, width = _dense(column)
        if span * width > LARGEST_CODE:
            codes, span = _packed(codes, span)
            values, width = _packed(values, width)
        codes, span = codes * width + values, span * width
        if span > max(4 * n, DENSE):
            codes, span = _packed(codes, span)
    return _packed(codes, span)


def _dense(column: Numbers) -> tuple[Ints, int]:
    """Non-negative codes in the order of the values, and a bound above them."""
    if column.dtype.kind in "iub":
        low, high = int(column.min()), int(column.max())
        if high - low < 2**31:
            plain = column.astype(np.int64, copy=False)
            return (plain - low if low else plain), high - low + 1
    distinct, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(distinct)


def _packed(codes: Ints, span: int) -> tuple[Ints, int]:
    """The same codes without gaps, and how many are distinct."""
    if span <= max(4 * len(codes), DENSE):
        present = np.bincount(codes, minlength=span) > 0
        distinct = int(np.count_nonzero(present))
        return (codes if distinct == span else (np.cumsum(present) - 1)[codes]), distinct
    values, packed = np.unique(codes, return_inverse=True)
    return packed.astype(np.int64, copy=False), len(values)


def item_order(values: Sequence[Numbers], codes: Ints | None) -> Ints:
    """Positions of the items, sorted by cluster and then by their numbers.

    Parameters
    ----------
    values : sequence of (n, k) arrays
        Each system's columns.
    codes : (n,) array of int or None
        The cluster of each item.

    Examples
    --------
    >>> item_order([np.array([[2], [0], [1]])], None).tolist()
    [1, 2, 0]
    """
    columns = [column for block in values for column in block.T]
    rows, _ = row_codes(columns)
    return np.lexsort((rows,) if codes is None else (rows, codes))


def cluster_numbers(values: Sequence[Numbers], codes: Ints) -> Ints:
    """Number clusters by their size and then by the items they hold, whatever their labels.

    Clusters that hold the same get different numbers, in some order: it makes no difference.

    Examples
    --------
    >>> cluster_numbers([np.array([[5], [1], [5], [0]])], np.array([0, 1, 0, 2])).tolist()
    [2, 1, 2, 0]
    """
    rows, _ = row_codes([column for block in values for column in block.T])
    rows = rows[np.lexsort((rows, codes))]  # items of each cluster together, in their order
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    numbers = np.empty_like(sizes)
    done = 0
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        held = rows[starts[alike, None] + np.arange(size)]
        numbers[alike[np.lexsort(held.T[::-1])]] = done + np.arange(alike.size)
        done += alike.size
    return np.asarray(numbers[codes])
