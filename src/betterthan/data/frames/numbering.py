"""The distinct values of a column, numbered in order of appearance or by their rank."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Ints

if TYPE_CHECKING:
    import polars as pl

FEW = 8  # values of a column that are looked for one by one
SORTED = 1 << 12  # rows that are sorted in no time
BLOCK, CHECKED = 1 << 16, 1 << 18  # rows that are looked up, and looked at again, at a time


def codes(column: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Number the values of a column in order of appearance, and list them; null is -1."""
    if _ascending(column):
        return np.arange(len(column)), column
    if (found := _few_values(column)) is not None:
        return found
    coded, first = _numbered(column.hash().to_numpy())
    if first.size == len(column) and not column.null_count():
        return coded, column
    values = _at(column, first)
    if not all(
        values.gather(coded[k : k + CHECKED]).eq_missing(column.slice(k, CHECKED)).all()
        for k in range(0, len(column), CHECKED)
    ):
        # Two values share a hash of 64 bits: very rare, so it may be slow.
        coded, first = _numbered(column.rank("dense").fill_null(0).to_numpy())
        values = _at(column, first)
    null = values.is_null().arg_true()
    if len(null):
        coded = np.where(coded == null[0], -1, coded - (coded > null[0]))
    return coded, values.drop_nulls()


def _few_values(column: "pl.Series") -> tuple[Ints, "pl.Series"] | None:
    """Number the values of a column that has few, all of them in its first rows: systems."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype != pl.String or column.null_count():
        return None
    values = column.head(1024).unique(maintain_order=True)
    if len(values) > FEW:
        return None
    coded, found = np.zeros(len(column), dtype=np.int8), 0
    for k, value in enumerate(values.to_list()):
        there = column == value
        found += int(there.sum())
        if k:
            coded += there.to_numpy().view(np.int8) * np.int8(k)
    return (coded.astype(np.int64), values) if found == len(column) else None


def _at(column: "pl.Series", rows: Ints) -> "pl.Series":
    """Return the values in some rows, which go up, in one piece: values are looked up in it."""
    mask = np.zeros(len(column), dtype=bool)
    mask[rows] = True
    return column.filter(mask).rechunk()


def _ascending(column: "pl.Series") -> bool:
    """Whether ids go up, shorter ones first (q1, q2 ... q10): then no two are the same."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype != pl.String or column.null_count():
        return False
    for some in (column.gather_every(1009), column):  # few that do not go up are enough
        before, after = some.head(-1), some.slice(1)
        shorter, longer = before.str.len_bytes(), after.str.len_bytes()
        if not ((shorter < longer) | ((shorter == longer) & (before < after))).all():
            return False
    return True


def _numbered(keys: NDArray[Any]) -> tuple[Ints, Ints]:
    """Number distinct integers in order of appearance, and say where each appears first.

    Most columns are orderly: runs of one value, or the same values over and over. Only what is left
    of them is looked up value by value.
    """
    changes = keys[1:] != keys[:-1]
    if 2 * (np.count_nonzero(changes) + 1) <= keys.size:
        heads = np.concatenate(([0], np.flatnonzero(changes) + 1))
        coded, first = _numbered(keys[heads])
        return np.repeat(coded, np.diff(heads, append=keys.size)), heads[first]
    again = np.flatnonzero(keys[1:] == keys[0])[:1] + 1
    if (
        again.size
        and keys.size % again[0] == 0
        and (keys.reshape(-1, again[0]) == keys[: again[0]]).all()
    ):
        coded, first = _numbered(keys[: again[0]])
        return np.tile(coded, keys.size // again[0]), first
    if keys.size > SORTED:
        at = _first_rows(keys)
    else:
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        at = first[group]
    new, coded, known = [np.empty(0, dtype=np.int64)], np.empty(keys.size, dtype=np.int64), 0
    for start in range(0, keys.size, BLOCK):
        here = at[start : start + BLOCK].copy()
        own = here == np.arange(start, start + here.size, dtype=at.dtype)
        new.append(start + np.flatnonzero(own))
        at[new[-1]] = np.arange(known, known + new[-1].size)  # first rows now hold their number
        coded[start : start + BLOCK] = at.take(here)
        known += new[-1].size
    return coded, np.concatenate(new)


def _first_rows(keys: NDArray[Any]) -> NDArray[Any]:
    """For each row the first one with its key, by tables of some bits of the keys.

    A table holds the first row of all that share those bits. Keys that another one keeps out of
    their place are looked up by other bits: some one in five, since keys are hashes. Of few keys
    the table is small enough to stay in the processor's cache. Rows are gone through in blocks:
    touching fresh memory costs more than all else.
    """
    size = np.int32 if keys.size < 1 << 31 else np.int64  # half the memory to go through
    at = np.empty(keys.size, dtype=size)
    rows: Ints | None = None  # all of them
    seen = np.unique(keys[:: 1 + keys.size // 1024]).size
    for shift in range(0, 40, 5):
        rest = keys if rows is None else keys[rows]
        bits = 12 if seen <= 256 and not shift else min(rest.size.bit_length(), 24)
        table: NDArray[Any] = np.empty(1 << bits, dtype=size)
        lost = [np.empty(0, dtype=np.int64)]
        starts = range(0, rest.size, BLOCK)
        for start in reversed(starts):
            slot = _bits(rest[start : start + BLOCK], shift, bits)
            end = start + slot.size
            those = np.arange(start, end, dtype=size) if rows is None else rows[start:end]
            table[slot[::-1]] = those[::-1]  # the last to be put is kept
        for start in starts:
            some = rest[start : start + BLOCK]
            found = table.take(_bits(some, shift, bits))
            wrong = np.flatnonzero(keys.take(found) != some)
            if rows is None:
                at[start : start + BLOCK] = found  # the wrong ones for now
                lost.append(wrong + start)
            else:
                those = rows[start : start + BLOCK]
                at[those] = found
                lost.append(those[wrong])
        rows = np.concatenate(lost)
        if not rows.size:
            return at
    if rows is not None:
        _, first, group = np.unique(keys[rows], return_index=True, return_inverse=True)
        at[rows] = rows[first[group]]
    return at


def _bits(keys: NDArray[Any], shift: int, bits: int) -> Ints:
    """Some of the bits of keys, as places in a table."""
    kind = keys.dtype.type
    places: Ints = ((keys >> kind(shift)) & kind((1 << bits) - 1)).astype(np.int64, copy=False)
    return places


def ranks(column: "pl.Series") -> Ints:
    """Rank the values of a column without gaps: by number where all are, else by spelling."""
    import polars as pl  # noqa: PLC0415 (heavy)

    number = column.cast(pl.Float64, strict=False)
    ordered = (column if number.null_count() else number).rank("dense")
    return np.asarray(ordered.to_numpy(), dtype=np.int64)
