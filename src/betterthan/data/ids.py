"""Ids and labels of items, as text."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import UsageError, first_few

Labels = NDArray[np.object_]
MOST_PARTS = 5000
"""Tasks or groups that are compared one by one: each takes a millisecond."""


def are(labels: Labels, label: str) -> NDArray[np.bool_]:
    """Which labels are this one: numpy drops a NUL at the end of a text that is compared bare."""
    return np.asarray(labels == np.array(label, dtype=object))


def refuse_many_parts(labels: Sequence[str], items: int) -> None:
    """Say so where there are more parts than are compared one by one."""
    if len(labels) > MOST_PARTS:
        raise UsageError(
            f"{len(labels):,} tasks or groups ({first_few(labels)}) among {items:,} items: at "
            f"most {MOST_PARTS:,} are looked at one by one, so name a column with fewer"
        )


def rows_by_label(labels: Labels) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield each label, in the order of the labels, and the rows that have it.

    >>> [(label, rows.tolist()) for label, rows in rows_by_label(as_labels(["b", "a", "b"]))]
    [('a', [1]), ('b', [0, 2])]
    """
    listed = labels.tolist()
    every = sorted(set(listed))
    refuse_many_parts(every, len(listed))
    place = {label: k for k, label in enumerate(every)}
    codes = np.array([place[label] for label in listed], dtype=np.int64)
    ends = np.cumsum(np.bincount(codes, minlength=len(every)))[:-1]
    yield from zip(every, np.split(np.argsort(codes, kind="stable"), ends), strict=True)


class Ids:
    """Ids of the items: an array of strings that is made only when somebody looks at it.

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

    def __getitem__(self, at: Any) -> Any:
        """One id, or the array of some (a slice, a mask or positions)."""
        if isinstance(at, int | np.integer):
            return self._column[int(at)]
        if isinstance(self._column, np.ndarray):
            return self._column[at]
        if isinstance(at, np.ndarray) and at.dtype == bool:
            return self._column.filter(at).to_numpy()
        return self._column[at].to_numpy()

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._whole(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Ids({self._whole()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self._whole(),)

    def tolist(self) -> list[str]:
        """All of them."""
        listed: list[str] = self._whole().tolist()
        return listed

    def _whole(self) -> Labels:
        if not isinstance(self._column, np.ndarray):
            self._column = self._column.to_numpy()
        return self._column


def as_labels(labels: Sequence[object] | NDArray[Any]) -> Labels:
    """Turn ids and labels into strings; ``1`` and ``1.0`` are the same item."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    made = np.empty(len(plain), dtype=object)
    made[:] = [x if isinstance(x, str) else as_label(x) for x in plain]
    return made


def as_label(label: object) -> str:
    """Turn an id or label into a string; ``1`` and ``1.0`` are the same."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)  # type: ignore[call-overload]


def whole_text(text: str) -> str:
    """Half an emoji becomes the text of its escape, as in JSON: nobody could write it."""
    return text.encode(errors="backslashreplace").decode()


def plain_id(text: str) -> str:
    r"""Spell an id without what one program adds and another drops.

    >>> {plain_id(text) for text in ("7", " 007", "7.0", "'7'")}
    {'7'}
    >>> plain_id("e\u0301") == "\u00e9"
    True
    """
    bare = normalize("NFC", text).strip().strip("'\"").strip()
    number = re.fullmatch(r"([+-]?)0*(\d+?)(\.0*)?", bare)
    return number[1] + number[2] if number else " ".join(bare.split())


def spelled_apart(one: str, other: str) -> str:
    """Quote two spellings of one id, and say wherein they differ.

    >>> spelled_apart("7", "007")
    "'7' and '007', which differ only in blanks, quotes, leading zeros or 1 for 1.0"
    """
    if normalize("NFC", one) == normalize("NFC", other):
        return f"{one!a} and {other!a}, which look the same and differ in Unicode normalisation"
    return f"{one!r} and {other!r}, which differ only in blanks, quotes, leading zeros or 1 for 1.0"


def names_at(items: Ids | None, at: NDArray[Any]) -> list[str]:
    """Ids of some items, or their positions counted from one."""
    if items is None:
        return [f"row {i + 1}" for i in np.atleast_1d(at).tolist()]
    return [str(name) for name in items[np.atleast_1d(at)]]
