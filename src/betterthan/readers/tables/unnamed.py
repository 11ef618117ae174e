"""Tables without a line of names, where numbers may be names of columns, or ids of items."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan.errors import FormatError, Remedy, first_few
from betterthan.readers.files import suffix
from betterthan.readers.tables.detect import BY_SUFFIX, without_header

if TYPE_CHECKING:
    import polars as pl

HANDFUL = 5  # rows that may be all different by chance
SPREAD = 2  # times as many ids as values that are no ids


def no_names(where: str, width: int) -> FormatError:
    """Say that the first line holds numbers."""
    return FormatError(
        f"{where}: line 1 holds {width:,} numbers and no names: put a line of names above the "
        "data, such as item,score",
        without_header(where),
    )


def begins_numbered(frame: "pl.DataFrame") -> bool:
    """Whether the first line is 0,1,2 ..., as pandas calls columns that were given no names."""
    first = [str(word).strip() for word in frame.row(0)]
    return len(frame) > 1 and first == [str(k) for k in range(frame.width)]


def refuse_numbered(frame: "pl.DataFrame", where: str, *, counts: bool) -> None:
    """Ask whether the first line is data or numbers of columns."""
    if begins_numbered(frame):
        raise _in_doubt(where, first_few(frame.row(0)), counts=counts)


def refuse_numbered_alone(doubtful: Sequence[Path], files: Sequence[Path]) -> None:
    """Ask about single columns that all begin with 0.

    Only where all do: a name in one of them would make it longer. Only of files that are called
    tables: lists of scores in other files are hardly written with names.
    """
    if len(doubtful) == len(files) and all(suffix(path) in BY_SUFFIX for path in files):
        raise _in_doubt(first_few(files), "'0'", counts=False)


def _in_doubt(where: str, line: str, *, counts: bool) -> FormatError:
    counted = [Remedy("it is data, counts of two systems", "input_format", "counts")] * counts
    return FormatError(
        f"{where}: is line 1 ({line}) data, or the number that pandas gives a column without a "
        "name? If it is not data, name the columns there, such as base,new",
        *counted,
        without_header(where),
    )


def refuse_ids(frame: "pl.DataFrame", where: str) -> None:
    """Ask about counts of which the first look like ids, as no other column does."""
    import polars as pl  # noqa: PLC0415 (heavy)

    numbers = frame.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False))
    first, *others = numbers.get_columns()
    if _are_ids(first) and not any(map(_count, others)):
        most = max(column.n_unique() for column in others)
        if _count(first) or SPREAD * most <= len(first):
            raise FormatError(
                f"{where}: line 1 has no names, and column 1 looks like ids of items, column 2 "
                "like scores: put a line of names above the data, such as item,score",
                Remedy("they are counts of two systems", "input_format", "counts"),
            )


def _are_ids(column: "pl.Series") -> bool:
    """Whether numbers are all different, of more than a handful, or count up one by one."""
    if column.n_unique() < len(column):
        return False
    return len(column) > HANDFUL or (len(column) > 2 and bool((column.diff()[1:] == 1).all()))


def _count(column: "pl.Series") -> bool:
    """Whether numbers are those of a range, in any order."""
    lowest, highest = column.min(), column.max()
    distinct = column.n_unique() == len(column)
    return distinct and highest - lowest == len(column) - 1  # type: ignore[operator]
