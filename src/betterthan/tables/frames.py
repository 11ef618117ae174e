"""Data frames of any library as those of polars, without needing pyarrow."""

from collections import Counter
from collections.abc import Sequence
from decimal import InvalidOperation
from math import isnan
from typing import Any

import narwhals as nw
import polars as pl

from betterthan.errors import BadValueError, DataError, FormatError, Remedy, UsageError, first_few
from betterthan.tables.records import encodable, series


def to_polars(frame: Any) -> pl.DataFrame:
    """Return a frame of any library as one of polars; the index of pandas is a column.

    An index without a name is a column without one, and one that only counts rows is left out.
    """
    try:
        known: Any = nw.from_native(_with_index(frame))
    except TypeError as error:
        raise UsageError(
            f"a {type(frame).__name__} is neither a file nor a data frame",
            Remedy("several files are bt.read(*files), arrays bt.Scores.from_arrays({...})"),
        ) from error
    except nw.exceptions.DuplicateError as error:
        raise FormatError("the data frame has several columns of one name: rename them") from error
    try:
        known = known.collect() if isinstance(known, nw.LazyFrame) else known
    except Exception as error:  # of the engine, whichever it is
        reason = str(error).partition("\n")[0]
        raise DataError(f"the lazy frame cannot be computed ({reason})") from error
    names = column_names(known.columns)
    return pl.DataFrame([_column(name, known[:, k]) for k, name in enumerate(names)])


def in_engine(frame: Any) -> nw.LazyFrame[Any]:
    """Return a frame of any library as a lazy one: of an engine as it is, others through polars."""
    if nw.dependencies.is_into_dataframe(frame) or not hasattr(type(frame), "columns"):
        return nw.from_native(to_polars(frame).lazy())
    if not isinstance(frame, pl.LazyFrame | nw.LazyFrame):
        column_names(frame.columns)  # engines may have two of one name
    lazy: nw.LazyFrame[Any] = nw.from_native(frame).lazy()
    return lazy


def column_names(columns: Sequence[Any]) -> list[str]:
    """Return the names of columns as text, each of them once."""
    if levels := [name for name in columns if isinstance(name, tuple)]:
        raise FormatError(
            f"the data frame has columns of several levels ({first_few(levels)}): join the levels, "
            "as in frame.columns = ['_'.join(map(str, name)) for name in frame.columns]"
        )
    names = [encodable(str(name)) for name in columns]
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise FormatError(
            f"the data frame has several columns called {first_few(repeated)}: rename them"
        )
    return names


def _with_index(frame: Any) -> Any:
    """Make the index of a pandas frame a column, unless it only counts rows or is one already."""
    index: Any = getattr(frame, "index", None)
    if not hasattr(index, "names") or not hasattr(frame, "reset_index"):
        return frame
    names = ["" if name is None else str(name) for name in index.names]
    counts = names == [""] and index.equals(type(index)(range(len(index))))
    if counts or {*names} & {*map(str, frame.columns)}:
        return frame.reset_index(drop=True)
    return frame.rename_axis(index=names).reset_index()


def _column(name: str, column: Any) -> pl.Series:
    """Return a column as one of polars; of objects, with the type that all of them have."""
    if isinstance(own := column.to_native(), pl.Series) and own.dtype != pl.Object:
        return own.alias(name)
    try:
        absent = column.is_null().to_numpy()
    except InvalidOperation as error:
        raise BadValueError(
            f"column {name!r} holds a signalling NaN: write None where a value is missing"
        ) from error
    if column.dtype.is_numeric() and not column.dtype.is_decimal() and not absent.any():
        return pl.Series(name, column.to_numpy())
    values = [None if gone else x for x, gone in zip(column.to_list(), absent, strict=True)]
    return series(name, [None if isinstance(x, float) and isnan(x) else x for x in values])
