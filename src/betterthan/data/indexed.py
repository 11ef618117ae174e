"""Arrays and frames that carry an index: paired by its labels, never by chance of position.

A pandas Series or DataFrame is told by what it can do, so that pandas need not be installed. An
index that only counts rows from zero says nothing about items, and neither does a plain array:
these are paired by position.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np

from betterthan.errors import AlignmentError, UsageError, first_few


def index_of(data: Any) -> Any | None:
    """Return the index of a Series or a frame that has one; None of any other data.

    >>> index_of([1, 2]) is None
    True
    """
    index = getattr(data, "index", None)  # of a list, it is a method
    found = hasattr(index, "get_indexer") and hasattr(data, "iloc")
    return index if found else None


def is_counting(index: Any) -> bool:
    """Whether an index only counts rows from zero, and so names no items."""
    span = (getattr(index, name, None) for name in ("start", "step", "name"))
    return tuple(span) == (0, 1, None)


def aligned(
    arrays: Mapping[str, Any], along: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any], Any | None]:
    """Put the rows of all arrays that carry an index into the order of the first.

    Returns the arrays, what goes ``along`` with them (clusters, a label per item), and the index
    that they share; None where items are paired by position.
    """
    made, beside = dict(arrays), dict(along or {})
    known = [
        (home, name, index)
        for home in (made, beside)
        for name, array in home.items()
        if (index := index_of(array)) is not None
    ]
    carrying = sum(home is made for home, *_ in known)
    if not carrying or all(is_counting(index) for *_, index in known):
        return made, beside, None
    _, first, index = known[0]
    for home, name, other in known:
        if not other.is_unique:
            twice = other[other.duplicated()].unique()
            raise AlignmentError(
                f"the index of {name} has {first_few(twice)} more than once, so items cannot be "
                "paired by it: give every item one row, or pair by position with .to_numpy()"
            )
        if other is index or other.equals(index):
            continue
        at = np.asarray(other.get_indexer(index))
        if len(other) != len(index) or (at < 0).any():
            raise AlignmentError(_differing(first, index, name, other))
        home[name] = home[name].iloc[at]
    return made, beside, index if carrying == len(made) else None


def names_of_columns(data: Any) -> list[Any]:
    """Names of a frame's columns; none of any other data.

    >>> import polars as pl
    >>> names_of_columns(pl.DataFrame({"tp": [1], "fp": [0]})), names_of_columns([1, 0])
    (['tp', 'fp'], [])
    """
    if isinstance(data, np.ndarray) or not hasattr(type(data), "columns"):
        return []
    names = getattr(data.schema, "names", None) if _has_schema(data) else None
    return list(names if isinstance(names, list) else data.columns)  # those of pyarrow are arrays


def _has_schema(data: Any) -> bool:
    """Whether a frame is one of polars or pyarrow, whatever columns it has."""
    return hasattr(type(data), "schema")


def columns_in_order(data: Any, columns: Sequence[str], name: str) -> Any:
    """Take a frame's columns by name, in the metric's order; other data as they are.

    A frame none of whose columns has such a name is taken by position, like an array.
    """
    names = names_of_columns(data)
    if not set(names) & set(columns):
        return data
    lacking = [column for column in columns if column not in names]
    if lacking:
        raise UsageError(
            f"{name} has no column {first_few(lacking)}; it has {first_few(names)}: give the "
            f"columns of the metric ({', '.join(columns)})"
        )
    if names == list(columns):
        return data
    return data.select(list(columns)) if _has_schema(data) else data[list(columns)]


def _differing(first: str, index: Any, second: str, other: Any) -> str:
    """Say how two indexes differ."""
    said = f"the indexes of {first} and {second} differ, so their items do not pair"
    remedy = "give both the same items, or pair by position with .to_numpy()"
    if sorted(map(_spelled, index)) == sorted(map(_spelled, other)):
        kinds = list(dict.fromkeys(type(x[0]).__name__ for x in (index, other)))
        wherein = f"type ({' and '.join(kinds)})" if len(kinds) > 1 else "Unicode normalisation, .0"
        wherein += " or blanks" * (len(kinds) == 1)
        return f"{said}: the labels are the same but for their {wherein}: convert one of them"
    lacks = [
        f"{name} lacks {first_few(gone)}"
        for name, gone in (
            (first, other[~other.isin(index)]),
            (second, index[~index.isin(other)]),
        )
        if len(gone)
    ]
    return f"{said}: {'; '.join(lacks)}. Therefore {remedy}"


def _spelled(label: object) -> str:
    return normalize("NFC", str(label)).strip().removesuffix(".0")
