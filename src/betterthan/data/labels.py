"""Names and labels of items, systems and clusters, as text.

``1`` and ``1.0`` are one label in any type of array; a label that is missing is an error, or blank.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, Sequence, Set
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import (
    AlignmentError,
    BadValueError,
    UsageError,
    Where,
    closest,
    first_few,
    quote,
    settings,
)

Labels = NDArray[np.object_]
NOTHING = ("NoneType", "NAType", "NaTType")  # types of a missing cell, of pandas as well
NOT_LABELS = (list, dict, set, np.ndarray)
MOST_PARTS = 5000
"""Tasks or groups that are compared one by one: each takes a millisecond."""


def are(labels: Labels, label: str) -> NDArray[np.bool_]:
    """Which labels are this one: numpy drops a NUL at the end of a text that is compared bare."""
    return np.asarray(labels == np.array(label, dtype=object))


def rows_by_label(labels: Labels) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield each label, in the order of the labels, and the rows that have it.

    >>> [(label, rows.tolist()) for label, rows in rows_by_label(as_labels(["b", "a", "b"]))]
    [('a', [1]), ('b', [0, 2])]
    """
    listed = labels.tolist()
    every = sorted(set(listed))
    if len(every) > MOST_PARTS:
        raise UsageError(
            f"{len(every):,} tasks or groups ({first_few(every)}) among {len(listed):,} items, and "
            f"at most {MOST_PARTS:,} are compared one by one: name a column with fewer"
        )
    place = {label: k for k, label in enumerate(every)}
    codes = np.array([place[label] for label in listed], dtype=np.int64)
    ends = np.cumsum(np.bincount(codes, minlength=len(every)))[:-1]
    yield from zip(every, np.split(np.argsort(codes, kind="stable"), ends), strict=True)


class Ids:
    """Ids of the items: an array of strings that is built only when it is used.

    A million Python strings cost more than reading the file they are in, and a test needs none of
    them. ``column`` is an array, or a polars column whose strings stay where they are.

    >>> ids = Ids(np.array(["q1", "q2", "q3"], dtype=object))
    >>> len(ids), ids[1], ids[np.array([0, 2])].tolist()
    (3, 'q2', ['q1', 'q3'])
    """

    __slots__ = ("_column",)

    def __init__(self, column: Any) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, index: Any) -> Any:
        """One id, or the array of some (a slice, a mask or positions)."""
        if isinstance(self._column, np.ndarray) or isinstance(index, int):
            return self._column[index]
        if isinstance(index, np.ndarray) and index.dtype == bool:
            index = np.flatnonzero(index)
        return self._column[index].to_numpy()

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        """All of them."""
        listed: list[str] = self[:].tolist()
        return listed


def as_labels(labels: Sequence[object] | NDArray[Any]) -> Labels:
    """Turn ids and labels into strings; ``1`` and ``1.0`` are the same item."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    result = np.empty(len(plain), dtype=object)
    result[:] = [str(int(x) if isinstance(x, float) and x.is_integer() else x) for x in plain]
    return result


def whole_text(text: str) -> str:
    """Half an emoji becomes the text of its escape, as in JSON: nobody could write it."""
    return text.encode(errors="backslashreplace").decode()


def check_unique(what: str, names: Collection[str]) -> None:
    """Check that no name occurs twice."""
    if len(set(names)) < len(names):
        duplicates = [name for name, times in Counter(names).items() if times > 1]
        raise AlignmentError(
            f"{what} names must be unique, and {first_few(duplicates)} occur more than once: "
            "remove the duplicates",
            where=Where(items=tuple(duplicates) if what == "item" else ()),
        )


def places_of(
    names: Iterable[str],
    known: Sequence[str],
    parameter: Literal["systems", "baseline", "candidate"] = "systems",
) -> list[int]:
    """Places of systems among those there are, or an error that lists them.

    >>> places_of(["new", "base"], ["base", "new"])
    [1, 0]
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise UsageError(f"systems must be a list of names, got {quote(names)}")
    named = list(names)
    for name in named:
        if name not in known:
            close = closest(name, known) if isinstance(name, str) else None
            corrected = [close if each == name else each for each in named]
            raise UsageError(
                f"there is no system {quote(name)}; there are {first_few(known)}",
                *settings(parameter, corrected if close and parameter == "systems" else close),
            )
    return [known.index(name) for name in named]


def given_labels(labels: Any, what: str, blank: str | None = None) -> Labels:
    """Labels as text, ``1`` and ``1.0`` the same; one that is missing is ``blank``, or an error.

    >>> given_labels([1, 1.0, "x"], "clusters").tolist()
    ['1', '1', 'x']
    """
    cells = cells_of(labels, what)
    if not set(map(type, cells)) <= {str, int}:
        nested = [cell for cell in cells if isinstance(cell, NOT_LABELS)]
        if nested:
            raise BadValueError(
                f"{what} must hold texts or numbers, got {quote(nested[0])} for a label"
            )
        missing = (type(x).__name__ in NOTHING or x != x for x in cells)  # noqa: PLR0124 (NaN)
        cells = ["" if absent else x for x, absent in zip(cells, missing, strict=True)]
    result = as_labels(cells)
    empty = [k for k, label in enumerate(result) if not label.strip()] if blank is None else []
    if empty:
        raise AlignmentError(
            f"{what} has no label at positions {first_few(empty)}: fill it in (an item that stands "
            "alone is a cluster)",
            where=Where(column=what),
        )
    if not "".join(result).isascii():
        result[:] = [whole_text(label) for label in result]
    return result


def cells_of(labels: Any, what: str) -> list[Any]:
    """Cells as they are: NumPy would round integers beside fractions."""
    unordered = hasattr(labels, "columns") or isinstance(labels, Mapping | Set)
    method = next((x for x in ("to_list", "to_pylist", "tolist") if hasattr(labels, x)), None)
    if method is not None:
        cells = getattr(labels, method)()
    else:
        cells = list(labels) if isinstance(labels, Iterable) else None
    if not isinstance(cells, list) or (unordered and not isinstance(labels, KeysView)):
        raise UsageError(
            f"{what} must be a list with one label per item, got {type(labels).__name__}"
        )
    return cells
