"""One order of items and one numbering of clusters, given by what they hold.

Neither the order of the data nor the names of clusters tell anything, so whatever is drawn from
items starts here.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.data.tally import row_codes
from betterthan.numeric import Ints, Numbers


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
