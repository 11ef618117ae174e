"""Distinct rows and how often each occurs: all that a comparison needs of its data.

A million pairs of 0/1 scores are four rows. Tallies add up, so that whoever can group and count
can make one; rows are sorted, so that the order of the data leaves no trace.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.numeric import Ints, Numbers

DENSE = 1 << 16
"""Codes up to here are counted rather than sorted, however few rows there are."""

LARGEST_CODE = 2**62


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
    >>> made = Tally.of([np.array([1, 0, 1, 1]), np.array([0, 0, 0, 1])])
    >>> made.rows.tolist(), made.counts.tolist()
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
            for at in range(len(columns) - 1, -1, -1):
                rest, rows[:, at] = np.divmod(rest, widths[at])
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
    kept, packed = np.unique(codes, return_inverse=True)
    return packed.astype(np.int64, copy=False), len(kept)
