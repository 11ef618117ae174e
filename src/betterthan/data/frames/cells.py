"""Cells of a data frame's columns: numbers, labels and ids, a whole column at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import (
    COLUMN,
    FIRST,
    AlignmentError,
    BadValueError,
    FormatError,
    Remedy,
    how_many,
)
from betterthan.numeric import Ints

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "none", "null", "na", "n/a", "nan", "<na>", "nil", "-")
DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+\s*$"
IN_PERCENT = "85% as 85"
TRUTH = {"true": 1.0, "false": 0.0}
EXACT = 2**53  # whole numbers up to here are doubles, each its own


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is from, and what its rows are called there, for the messages."""

    name: str
    row: Callable[[int], str] = lambda k: f"row {k + 1:,}"
    unread: tuple[str, ...] = ()  # columns of nested values
    inside: tuple[str, ...] = ()  # numbers in them, such as scores.accuracy
    commas: tuple[str, ...] = ()  # columns that wrote 0,5 for 0.5
    keyed: bool = False  # columns stand in the order of keys of records, which says nothing

    def __str__(self) -> str:
        return self.name


def numbers(column: "pl.Series", where: Place) -> "pl.Series | None":
    """Return a column as floats, null or NaN where a cell is missing; None where it holds labels.

    Truth values are 0 and 1, ``85%`` is 85. A text column is one of numbers when at least half of
    its cells are; then every other cell must be blank, or a word such as ``None`` or ``NA``, or it
    is an error.
    """
    if column.dtype.is_float():
        return column.cast(float)
    read, odd = _parsed(column)
    if read is None:
        return None
    if len(odd) > len(read) - read.null_count():
        if column.gather(odd).cast(str).str.contains(DECIMAL_COMMA).all():  # scores, not labels
            shown = f"{column[odd[0]]!r} in {where.row(odd[0])}"
            raise FormatError(
                f"{where}: column {column.name!r} writes numbers with commas ({shown}): write them "
                "with points",
                Remedy("it is not a score, another column is", "columns", {"score": COLUMN}),
            )
        return None
    return _checked(column, read, odd, where)


def are_labels(column: "pl.Series") -> bool:
    """Whether a column holds anything but numbers, for the most part."""
    read, odd = _parsed(column)
    return read is None or len(odd) > len(read) - read.null_count()


def required_numbers(column: "pl.Series", where: Place) -> "pl.Series":
    """Return a column that the user named as a score as floats; any other word is an error."""
    read, odd = _parsed(column)
    if read is None:
        raise BadValueError(f"{where}: column {column.name!r} holds {column.dtype}, no numbers")
    return _checked(column, read, odd, where)


def spellings(columns: "Iterable[pl.Series]", where: Place) -> dict[str, list[str]]:
    """Say how columns of numbers were written, where that is worth saying, and which were."""
    import polars as pl  # noqa: PLC0415 (heavy)

    found = dict[str, list[str]]()
    for column in columns:
        if column.name in where.commas:
            found.setdefault("0,5 as 0.5", []).append(column.name)
        words = pl.Series(dtype=pl.String)
        if column.dtype == pl.String:
            words = column.drop_nulls().str.strip_chars().str.to_lowercase()
        if column.dtype == pl.Boolean or words.is_in(list(TRUTH)).any():
            found.setdefault("true/false as 1/0", []).append(column.name)
        elif words.str.ends_with("%").any():
            found.setdefault(IN_PERCENT, []).append(column.name)
    return found


def _checked(column: "pl.Series", read: "pl.Series", odd: list[int], where: Place) -> "pl.Series":
    """Return the numbers, if all are, and each of them arrived as it was written."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if odd:
        _refuse_words(column, odd, where)
    if column.dtype.is_float() or column.dtype == pl.Boolean:
        return read
    for k in (read.abs() >= EXACT).arg_true().to_list():
        written = str(column[k]).strip()
        whole = written.lstrip("+-").isdecimal() and np.isfinite(read[k]) and len(written) < 400
        if whole and int(written) != int(read[k]):
            raise BadValueError(
                f"{where}: column {column.name!r} holds {written} in {where.row(k)}, a whole number"
                f" beyond 2^53 that would be rounded to {int(read[k])}: write scores in a larger "
                "unit",
                Remedy("it is the id of the item", "columns", {"item": column.name}),
                Remedy("it is not a score", "columns", {"label": column.name}),
            )
    return read


def _parsed(column: "pl.Series") -> "tuple[pl.Series | None, list[int]]":
    """Read a column's numbers, and list the rows where there are other words."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return column.cast(pl.Float64), []
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return None, []
    read = column.cast(pl.Float64, strict=False).fill_nan(None)
    if read.null_count() == column.null_count():
        return read, []
    unread = (read.is_null() & column.is_not_null()).arg_true()
    words = column.gather(unread).str.strip_chars().str.to_lowercase()
    truth = words.replace_strict(TRUTH, default=None, return_dtype=pl.Float64)
    bare = words
    if read.null_count() == len(read):  # all in percent, or none: 85% beside 0.85 is no number
        bare = words.str.strip_suffix("%").str.strip_chars_end()
    again = bare.cast(pl.Float64, strict=False).fill_nan(None).fill_null(truth)
    odd = unread.filter(again.is_null() & ~words.is_in(MISSING))
    return read.scatter(unread, again), odd.to_list()


def _refuse_words(column: "pl.Series", odd: list[int], where: Place) -> None:
    shown = ", ".join(f"{column[k]!r} in {where.row(k)}" for k in odd[:FIRST])
    many = (
        f"{len(odd):,} cells that are not numbers" if len(odd) > 1 else "a cell that is no number"
    )
    raise BadValueError(
        f"{where}: column {column.name!r} has {many} ({shown}): correct them, or leave the cells "
        "blank",
        Remedy("it is not a score, another column is", "columns", {"score": COLUMN}),
    )


def ids(columns: "list[pl.Series]") -> "pl.Series":
    r"""Spell ids as text, several columns joined by ``/``; ``1`` and ``1.0`` are the same id.

    A slash inside a part is written ``\/``, so that no two ids are joined to the same text.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    spelled = [
        _spelled(column.fill_nan(None) if column.dtype.is_float() else column) for column in columns
    ]
    if len(spelled) == 1:
        return spelled[0]
    parts = [part.str.replace_all(r"[\\/]", r"\${0}") for part in spelled]
    return pl.select(pl.concat_str(parts, separator="/")).to_series()


def complete(column: "pl.Series", what: str, where: Place) -> "pl.Series":
    """Refuse blank ids."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.null_count() or column.str.len_bytes().min() == 0:
        blank = column.is_null() | (column == "")
        rows = ", ".join(where.row(k) for k in blank.arg_true().head(FIRST).to_list())
        raise AlignmentError(
            f"{where}: {how_many(int(blank.sum()), 'row', 'have')} no {what} ({rows}): fill it "
            "in, or delete the row"
        )
    return column if column.dtype == pl.String else column.cast(pl.String)


def labels(values: "pl.Series", at: Ints) -> NDArray[np.object_]:
    """Array of strings from distinct values and the position of each; -1 is the empty label."""
    table = np.empty(len(values) + 1, dtype=object)
    table[:-1] = _spelled(values).to_numpy()
    table[-1] = ""
    taken: NDArray[np.object_] = table[at]
    return taken


def _spelled(column: "pl.Series") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype == pl.String:
        first = column.first()
        if not (isinstance(first, str) and first.endswith(".0")):
            return column
        whole = column.str.contains(r"^-?\d+\.0$").all()
        return column.str.strip_suffix(".0") if whole else column
    if column.dtype.is_float():
        text = column.cast(pl.String)
        return text.str.strip_suffix(".0")
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError as error:
        raise no_label(column) from error


def no_label(column: "pl.Series") -> FormatError:
    """Say that lists and the like name nothing."""
    return FormatError(
        f"column {column.name!r} holds {column.dtype}, which is neither an id nor a label: write "
        "it as text or as whole numbers"
    )
