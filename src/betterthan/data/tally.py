"""Distinct rows and how often each occurs: all that a comparison needs of its data.

A million pairs of 0/1 scores are four rows. Tallies add up, so that whoever can group and count
can make one; rows are sorted, so that the order of the data leaves no trace.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.data.order import DENSE, row_codes
from betterthan.numeric import Ints, Numbers


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
        dense = _dense_codes(columns)
        if dense is not None:
            codes, lows, widths = dense
            tally = np.bincount(codes, counts).astype(np.int64, copy=False)  # exact below 2^53
            present = np.flatnonzero(tally)
            rows, rest = np.empty((present.size, len(columns)), dtype=np.int64), present
            for k in range(len(columns) - 1, -1, -1):
                rest, rows[:, k] = np.divmod(rest, widths[k])
            return cls(rows + lows, tally[present])
        codes, distinct = row_codes(columns)
        first = np.empty(distinct, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        times = np.bincount(codes, counts).astype(np.int64, copy=False)
        rows = np.stack([column[first] for column in columns], axis=1)
        return cls(rows + 0.0 if rows.dtype.kind == "f" else rows, times)  # no negative zeros

    @property
    def units(self) -> int:
        """How many rows there are with their repeats."""
        return int(self.counts.sum())

    def expanded(self) -> Numbers:
        """Every row as often as it occurs."""
        repeated: Numbers = np.repeat(self.rows, self.counts, axis=0)
        return repeated


def _dense_codes(columns: Sequence[Numbers]) -> tuple[Ints, Ints, list[int]] | None:
    """Codes of rows of small integers in mixed radix, each column's least value and width.

    None where the columns are no integers, or the codes too many to be counted.
    """
    if any(column.dtype.kind != "i" for column in columns):
        return None
    lows = [int(column.min()) for column in columns]
    widths = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if math.prod(widths) > max(4 * len(columns[0]), DENSE):
        return None
    codes: Ints | None = None
    for column, low, width in zip(columns, lows, widths, strict=True):
        value = column - low if low else column
        codes = value if codes is None else codes * width + value
    return np.asarray(codes), np.array(lows), widths
