"""Data frames of other libraries, and columns of plain Python values, as those of polars."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from decimal import InvalidOperation
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.data.frames.cells import EXACT
from betterthan.data.ids import whole_text
from betterthan.data.values import SIGNALLING
from betterthan.errors import BadValueError, FormatError, UsageError, first_few

if TYPE_CHECKING:
    import polars as pl

NESTED = {dict, list, tuple, set, frozenset, np.ndarray}  # types of what is no number and no label


def to_polars(frame: Any) -> "pl.DataFrame":
    """Copy any data frame that narwhals knows into a polars one, without needing pyarrow."""
    import narwhals as nw  # noqa: PLC0415 (heavy)
    import polars as pl  # noqa: PLC0415 (heavy)

    if isinstance(frame, pl.DataFrame):
        return frame
    index = getattr(frame, "index", None)
    if any(name is not None for name in getattr(index, "names", ())):
        frame = frame.reset_index()  # a named pandas index is a column like any other
    try:
        known = nw.from_native(frame)
    except TypeError as error:
        raise UsageError(f"a {type(frame).__name__} is no data frame and no path") from error
    except nw.exceptions.DuplicateError as error:
        said = " ".join(str(error).split())
        raise FormatError(
            f"the data frame has columns of one name ({said}): rename them"
        ) from error
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    names = column_names(known.columns)
    return pl.DataFrame([_from_narwhals(name, known[:, k]) for k, name in enumerate(names)])


def column_names(columns: Sequence[Any]) -> list[str]:
    """Names as text, which pandas does without; those of several levels are nobody's."""
    if levels := [name for name in columns if isinstance(name, tuple)]:
        raise FormatError(
            f"the data frame has columns of several levels ({first_few(levels)}): give them names, "
            "as in frame.columns = ['_'.join(map(str, name)) for name in frame.columns]"
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
        raise BadValueError(f"the column {name!r} of the data frame holds {SIGNALLING}") from error
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
