"""Arrays and frames that carry an index: paired by its labels, all others by position.

A pandas Series or DataFrame is known by what it can do, so that pandas need not be installed. An
index that only counts rows from zero names no items.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.data.labels import is_missing
from betterthan.errors import AlignmentError, DataError, UsageError, first_few, quote


def index_of(data: Any) -> Any | None:
    """Return the index of a Series or a frame that has one; None of any other data.

    >>> index_of([1, 2]) is None
    True
    """
    index = getattr(data, "index", None)  # of a list, it is a method
    return index if hasattr(index, "get_indexer") and hasattr(data, "iloc") else None


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
    systems, labels = dict(arrays), dict(along or {})
    known = [
        (home, name, index)
        for home in (systems, labels)
        for name, array in home.items()
        if (index := index_of(array)) is not None
    ]
    carrying = sum(home is systems for home, *_ in known)
    if not carrying or all(is_counting(index) for *_, index in known):
        return systems, labels, None
    _, first, index = known[0]
    for home, name, other in known:
        if not other.is_unique:
            duplicates = other[other.duplicated()].unique()
            raise AlignmentError(
                f"the index of {name} has {first_few(duplicates)} more than once: keep one row of "
                "each item, or pair by position with .to_numpy()"
            )
        if other is index or other.equals(index):
            continue
        order = np.asarray(other.get_indexer(index))
        if len(other) != len(index) or (order < 0).any():
            raise AlignmentError(_differing(first, index, name, other))
        home[name] = home[name].iloc[order]
    return systems, labels, index if carrying == len(systems) else None


def named_arrays(
    arrays: Mapping[str, Any], items: Any, clusters: Any, groups: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any], Any | None]:
    """Bring the systems' arrays, and what goes along with them, into one order."""
    for what, mapping in (("arrays", arrays), ("groups", groups or {})):
        if not isinstance(mapping, Mapping) or any(map(is_missing, mapping)):
            raise UsageError(
                f"{what} must be a dictionary by name, as in {{'base': [0, 1], 'new': [1, 1]}}, "
                f"got {quote(mapping)}; data frames are read by bt.read(frame)"
            )
    if not arrays:
        raise DataError("there are no systems: pass at least one array of scores")
    along = {"items": items, "clusters": clusters}
    along |= {f"groups[{name!r}]": labels for name, labels in (groups or {}).items()}
    return aligned(arrays, {name: labels for name, labels in along.items() if labels is not None})


def columns_in_order(data: Any, columns: Sequence[str], name: str) -> Any:
    """Take a frame's columns by name, in the metric's order; other data as they are.

    A frame none of whose columns has such a name is taken by position, like an array.
    """
    if isinstance(data, np.ndarray) or not hasattr(type(data), "columns"):
        return data
    selects = hasattr(type(data), "schema")  # a frame of polars or pyarrow
    names = getattr(data.schema, "names", None) if selects else None
    names = list(names if isinstance(names, list) else data.columns)  # those of pyarrow are arrays
    if not set(names) & set(columns) or names == list(columns):
        return data
    missing = [column for column in columns if column not in names]
    if missing:
        raise UsageError(
            f"{name} has no column {first_few(missing)}; it has {first_few(names)}, and the metric "
            f"needs {', '.join(columns)}"
        )
    return data.select(list(columns)) if selects else data[list(columns)]


def _differing(first: str, index: Any, second: str, other: Any) -> str:
    """Say how two indexes differ."""
    missing = [
        f"{name} lacks {first_few(labels)}"
        for name, labels in (
            (first, other[~other.isin(index)]),
            (second, index[~index.isin(other)]),
        )
        if len(labels)
    ]
    kinds = " and ".join(dict.fromkeys(type(x[0]).__name__ for x in (index, other) if len(x)))
    return (
        f"the indexes of {first} and {second} differ ({kinds}): {'; '.join(missing)}. Give both "
        "the same labels, or pair by position with .to_numpy()"
    )
