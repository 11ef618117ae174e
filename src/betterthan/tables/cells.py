"""Cells of a column as what they stand for: numbers, ids and labels, a whole column at a time."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from betterthan.errors import AlignmentError, FormatError, how_many

BLANK = ("", "none", "null", "na", "n/a", "nan", "<na>", "nil", "-")
"""What a missing score is written as, in whatever case."""
DECIMAL_COMMA = r"^(\s*[+-]?\d+),(\d+\s*%?\s*)$"
MANY, SAMPLE = 10_000, 1_000
"""Cells of text from which a sample tells first whether they are numbers."""
_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column read as numbers.

    ``values`` is null where a cell is blank, or is no number: the rows of these are ``odd``.
    ``written`` says how the numbers were written where that is not plain: ``85% as 85``.
    """

    values: pl.Series
    odd: pl.Series
    written: str = ""


def numbers(column: pl.Series) -> Numbers | None:
    """Read a column as numbers; None where most of its cells are something else.

    Text may be numbers, true or false, or all percentages.

    >>> import polars as pl
    >>> numbers(pl.Series(["1", " 0.5", "n/a", None])).values.to_list()
    [1.0, 0.5, None, None]
    >>> numbers(pl.Series(["85%", "7 %"])).written
    '85% as 85'
    """
    none = pl.Series([], dtype=pl.UInt32)
    kind = column.dtype
    if kind == pl.Boolean:
        return Numbers(column.cast(pl.Float64), none, "true/false as 1/0")
    if kind.is_numeric():
        values = column.cast(pl.Float64) if kind == pl.Decimal else column
        return Numbers(values.fill_nan(None), none)
    if kind in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return None
    if len(column) > MANY and numbers(column.gather_every(len(column) // SAMPLE)) is None:
        return None  # as most of the cells looked at, most of all are something else
    read = column.cast(pl.Float64, strict=False).fill_nan(None)
    if read.null_count() == column.null_count():
        return Numbers(read, none)
    rows = (read.is_null() & column.is_not_null()).arg_true()
    words = column.gather(rows).str.strip_chars().str.to_lowercase()
    again, written = _as_written(words, alone=read.null_count() == len(read))
    missing = words.is_in(BLANK)
    odd = rows.filter(again.is_null() & ~missing)
    filled = len(column) - column.null_count() - int(missing.sum())
    if 2 * len(odd) >= filled and (filled or (words != "").any()):
        return None
    return Numbers(read.scatter(rows, again), odd, written)


def _as_written(words: pl.Series, *, alone: bool) -> tuple[pl.Series, str]:
    """Read cells that are not plain numbers; percentages only where all are."""
    read = words.str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)
    truth = words.replace_strict(_TRUTH, default=None, return_dtype=pl.Float64)
    if truth.null_count() < len(truth):
        return read.fill_null(truth), "true/false as 1/0"
    if alone and words.str.ends_with("%").any():
        bare = words.str.strip_suffix("%").str.strip_chars_end()
        return bare.cast(pl.Float64, strict=False).fill_nan(None), "85% as 85"
    return read, ""


def has_decimal_commas(column: pl.Series) -> bool:
    """Whether all cells of a column of text are numbers with a decimal comma."""
    if column.dtype != pl.String or column.null_count() == len(column):
        return False
    filled = column.drop_nulls()
    return all(filled.head(k).str.contains(DECIMAL_COMMA).all() for k in (SAMPLE, len(filled)))


def with_decimal_points(column: pl.Series) -> pl.Series:
    """Write the numbers of a column with a decimal point."""
    return column.str.replace(DECIMAL_COMMA, "$1.$2") if column.dtype == pl.String else column


def texts(column: pl.Series) -> pl.Series:
    """Write ids and labels as text; ``1`` and ``1.0`` are the same."""
    if column.dtype == pl.String:
        whole = str(column.first()).endswith(".0") and column.str.contains(r"^-?\d+\.0$").all()
        return column.str.strip_suffix(".0") if whole else column
    if column.dtype.is_float():
        return column.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    try:
        if column.dtype.is_nested():
            raise pl.exceptions.InvalidOperationError("nested values are not text")
        return column.cast(pl.String)
    except pl.exceptions.PolarsError as error:
        raise FormatError(
            f"column {column.name!r} holds {column.dtype}, which names nothing: write it as text"
        ) from error


def once(column: pl.Series) -> pl.Series:
    """Return the first cells of a column that only repeats them, as ids of several systems; or all.

    >>> once(pl.Series(["a", "b", "a", "b"])).to_list()
    ['a', 'b']
    """
    again = column[1:].index_of(column.first())
    size = max(len(column), 1) if again is None else again + 1
    if size * SAMPLE < len(column):
        return column
    blocks = (column.slice(k, size) for k in range(size, len(column), size))
    return column.head(size) if all(x.equals(column.head(len(x))) for x in blocks) else column


def joined(columns: list[pl.Series]) -> pl.Series:
    r"""Join several columns to one id with ``/``; a slash in a part is written ``\/``."""
    parts = [texts(column) for column in columns]
    if len(parts) == 1:
        return parts[0]
    parts = [part.str.replace_all(r"[\\/]", r"\${0}") for part in parts]
    return pl.select(pl.concat_str(parts, separator="/")).to_series()


def complete(column: pl.Series, what: str, place: "Place") -> pl.Series:
    """Check that no id is blank."""
    if column.null_count() or column.str.len_bytes().min() == 0:
        blank = column.is_null() | (column == "")
        rows = blank.arg_true()
        shown = ", ".join(place.row(k) for k in rows.head(5).to_list())
        raise AlignmentError(
            f"{place.name}: {how_many(len(rows), 'row', 'have')} no {what} ({shown}): fill it in, "
            "or delete the row"
        )
    return column


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is from, and what its rows are called there."""

    name: str
    row: Callable[[int], str] = lambda k: f"row {k + 1:,}"


def only(frame: pl.DataFrame, keep: pl.Series, place: Place) -> tuple[pl.DataFrame, Place]:
    """Keep some rows; their place still knows their numbers in the file."""
    rows = keep.arg_true()
    return frame[rows], Place(place.name, lambda k: place.row(int(rows[k])))
