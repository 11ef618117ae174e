"""Data frames of other libraries, and columns of plain Python values, as those of polars."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from decimal import InvalidOperation
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.data.frames.cells import EXACT
from betterthan.data.labels import is_missing, whole_text
from betterthan.errors import BadValueError, DataError, FormatError, UsageError, first_few

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

NESTED = {dict, list, tuple, set, frozenset, np.ndarray}  # types of what is no number and no label


def to_polars(frame: Any) -> "pl.DataFrame":
    """Copy any data frame that narwhals knows into a polars one, without needing pyarrow."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if isinstance(frame, pl.DataFrame):
        objects = [x for x in frame.get_columns() if x.dtype == pl.Object]
        made = (from_list(column.name, column.to_list()) for column in objects)
        read = [column for column in made if column is not None]
        return frame.with_columns(*read) if read else frame
    index = getattr(frame, "index", None)
    if any(name is not None for name in getattr(index, "names", ())):
        frame = frame.reset_index()  # a named pandas index is a column like any other
    known = in_memory(frame)
    native = known.to_native()
    if isinstance(native, pl.DataFrame):
        return native
    names = column_names(known.columns)
    return pl.DataFrame([_from_narwhals(name, known[:, k]) for k, name in enumerate(names)])


def in_memory(frame: Any) -> "nw.DataFrame[Any]":
    """Frame of any library as narwhals sees it; one that is lazy is computed."""
    import narwhals as nw  # noqa: PLC0415 (heavy)

    try:
        known: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
    except TypeError as error:
        raise UsageError(f"a {type(frame).__name__} is no data frame") from error
    except nw.exceptions.DuplicateError as error:
        said = " ".join(str(error).split())
        raise FormatError(
            f"the data frame has columns of one name ({said}): rename them"
        ) from error
    if isinstance(known, nw.DataFrame):
        return known
    try:
        return known.collect()
    except Exception as error:  # of the engine, whichever it is
        said = str(error).partition("\n")[0]
        raise DataError(
            f"the lazy frame cannot be computed ({said}): mend its query, until collect() works"
        ) from error


def in_engine(frame: Any) -> "nw.LazyFrame[Any]":
    """Frame of any library as a lazy one: of an engine as it is, of others through polars."""
    import narwhals as nw  # noqa: PLC0415 (heavy)
    import polars as pl  # noqa: PLC0415 (heavy)

    if nw.dependencies.is_into_dataframe(frame) or not hasattr(type(frame), "columns"):
        return nw.from_native(to_polars(frame).lazy())
    if not isinstance(frame, pl.LazyFrame | nw.LazyFrame):
        column_names(frame.columns)  # engines may have two of one name
    lazy: nw.LazyFrame[Any] = nw.from_native(frame).lazy()
    return lazy


def column_names(columns: Sequence[Any]) -> list[str]:
    """Names as text, which pandas does without; those of several levels are nobody's."""
    if levels := [name for name in columns if isinstance(name, tuple)]:
        raise FormatError(
            f"the data frame has columns of several levels ({first_few(levels)}): give them names, "
            "as in frame.columns = ['_'.join(map(str, name)) for name in frame.columns]"
        )
    if gone := [str(k) for k, name in enumerate(columns, 1) if is_missing(name)]:
        raise FormatError(
            f"the data frame has a column without a name ({', '.join(gone)} of {len(columns)}): "
            "name it"
        )
    names = [str(name) for name in columns]
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise FormatError(
            f"the data frame has columns of one name ({first_few(twice)}): rename them"
        )
    return names


def from_list(name: str, values: list[Any]) -> "pl.Series | None":
    """Column of plain Python values; None where they are nested and so neither score nor label.

    Mixed columns become text, never null: a stray word among numbers is to be found and named.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    kinds = set(map(type, values)) - {type(None)}
    if kinds & NESTED:
        return None
    if Fraction in kinds:
        raise BadValueError(
            f"the column {name!r} of the data frame holds fractions, which are no numbers there: "
            "give them to bt.Scores.from_arrays, or as floats"
        )
    name = whole_text(name)
    if kinds <= {str}:
        return _texts(name, values)
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int}:
        try:
            return pl.Series(name, values, dtype=pl.Int64)
        except (OverflowError, TypeError):
            pass  # integers beyond 64 bits can only be ids: spell them
    elif kinds <= {bool, int, float} and not _rounded(values):
        floats = [None if v is None else float(v) for v in values]
        return pl.Series(name, floats, dtype=pl.Float64)
    absent = [v is None or (isinstance(v, float) and isnan(v)) for v in values]
    return _texts(name, [None if gone else str(v) for v, gone in zip(values, absent, strict=True)])


def _texts(name: str, values: list[str | None]) -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    try:
        return pl.Series(name, values, dtype=pl.String)
    except UnicodeEncodeError:
        spelled = [None if text is None else whole_text(text) for text in values]
        return pl.Series(name, spelled, dtype=pl.String)


def _rounded(values: list[Any]) -> bool:
    """Whether any whole number is too large to be a double."""
    return any(
        type(v) is int and abs(v) > EXACT and (v.bit_length() > 1000 or int(float(v)) != v)
        for v in values
    )


def _from_narwhals(name: str, column: Any) -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    try:
        absent = column.is_null().to_numpy()
    except InvalidOperation as error:
        raise BadValueError(
            f"the column {name!r} holds a number that float64 cannot hold: {error}"
        ) from error
    if column.dtype.is_decimal():  # whose digits NumPy has no type for
        with suppress(pl.exceptions.PolarsError):
            return pl.Series(whole_text(name), column.to_arrow())
    elif column.dtype.is_numeric() and not absent.any():
        return pl.Series(whole_text(name), column.to_numpy())
    values = column.to_list()
    for k in np.flatnonzero(absent):
        values[k] = None  # pandas has several ways of saying so
    made = from_list(name, values)
    return pl.Series(whole_text(name), values, dtype=pl.Object) if made is None else made
