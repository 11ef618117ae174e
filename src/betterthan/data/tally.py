"""Distinct rows and how often each occurs: all that a comparison needs of its data.

A million pairs of 0/1 scores are four rows. Tallies add up, so that whoever can group and count
can make one. Rows are sorted, and items and clusters are ordered by what they hold: neither the
order of the data nor the names of clusters leave a trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.numeric import Ints, Numbers

DENSE = 1 << 16
"""Integers in a range up to here are counted rather than sorted, however few there are."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Distinct rows in lexicographic order, and their counts.

    Attributes
    ----------
    rows : (m, k) int64 or float64 array
        One distinct row each.
    counts : (m,) int64 array
        How often each occurs, at least once.

    Examples
    --------
    >>> tally = Tally.of([np.array([1, 0, 1, 1]), np.array([0, 0, 0, 1])])
    >>> tally.rows.tolist(), tally.counts.tolist()
    ([[0, 0], [1, 0], [1, 1]], [1, 2, 1])
    """

    rows: Numbers
    counts: Ints

    @classmethod
    def of(cls, columns: Sequence[Numbers], counts: Ints | None = None) -> Self:
        """Group equal rows of equally long columns, each of which may stand for several."""
        first, times = distinct_rows(columns, counts)
        return cls(
            np.stack([column[first] for column in columns], axis=1) + 0, times
        )  # there is one zero

    @property
    def units(self) -> int:
        """How many rows there are with their repeats."""
        return int(self.counts.sum())


def distinct_rows(columns: Sequence[Numbers], counts: Ints | None = None) -> tuple[Ints, Ints]:
    """Return where each distinct row first occurs, in their order, and how often it does.

    >>> distinct_rows([np.array([2.5, 0.5, 2.5])])
    (array([1, 0]), array([1, 2]))
    """
    codes, distinct = row_codes(columns)
    first = np.empty(distinct, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first, np.bincount(codes, counts).astype(np.int64, copy=False)  # exact below 2^53


def row_codes(columns: Sequence[Numbers]) -> tuple[Ints, int]:
    """Number of each row among the distinct rows in order, and how many of them there are.

    Columns are taken one after the other until they tell all rows apart, so that wide rows, which
    are rarely equal, cost no more than their first columns.

    >>> row_codes([np.array([2.5, 0.5, 2.5]), np.array([1, 1, 0])])
    (array([2, 0, 1]), 3)
    """
    codes, distinct = _ranks(columns[0])
    for column in columns[1:]:
        if distinct == len(codes):
            break
        others, width = _ranks(column)
        codes, distinct = _ranks(codes * width + others)
    return codes, distinct


def _ranks(values: Numbers) -> tuple[Ints, int]:
    """Place of each value among the distinct ones in order, and how many of them there are."""
    if values.dtype.kind == "i":
        low, high = int(values.min()), int(values.max())
        if high - low < max(4 * len(values), DENSE):
            codes = values.astype(np.int64, copy=False) - low
            present = np.bincount(codes) > 0
            distinct = int(np.count_nonzero(present))
            gaps = distinct < present.size
            return (np.cumsum(present) - 1)[codes] if gaps else codes, distinct
    distinct_values, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(distinct_values)


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
    rows, _ = row_codes([column for block in values for column in block.T])
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
    sizes = np.bincount(codes)
    order = np.lexsort((rows, codes))  # items of each cluster together, in their order
    held = [x.tolist() for x in np.split(rows[order], np.cumsum(sizes)[:-1])]
    numbers = np.empty_like(sizes)
    numbers[sorted(range(len(held)), key=lambda k: (len(held[k]), held[k]))] = np.arange(len(held))
    return np.asarray(numbers[codes])
