"""What can be seen of a table's columns: type, distinct values and range."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from betterthan.tables.cells import numbers, once
from betterthan.tables.names import is_index

Kind = Literal["0/1", "whole", "fraction", "percent", "text", "nested", "empty"]
SMALL = 10  # counts that may stand next to 0/1: 999 would be a mark of something missing
SHOWN_OF = 1_000  # rows from which the first texts are shown
IN_ORDER, IN_ANY_ORDER = 3, 8
"""Rows from which numbers that go up by equal steps are ids, in their order or shuffled."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it was seen.

    ``counts`` says that it is a whole number that goes up by equal steps; ``constant`` that all
    its cells are the same; ``low`` and ``high`` are of numbers, ``values`` the first of texts.
    """

    name: str
    kind: Kind
    distinct: int = 0
    rows: int = 0
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    counts: bool = False

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers."""
        return self.kind in ("0/1", "whole", "fraction", "percent")

    @property
    def is_id(self) -> bool:
        """Whether it only numbers rows: it has no name, or counts up."""
        return self.counts or (is_index(self.name) and self.distinct == self.rows)

    @property
    def constant(self) -> bool:
        """Whether it has one value only."""
        return self.distinct <= 1

    @property
    def fits_all(self) -> bool:
        """Whether nothing or everything is right, which scores of any kind can be."""
        return self.constant and self.low in (0, 1, 100)

    @property
    def shown(self) -> str:
        """Its range, or its first values."""
        if self.is_number:
            return f"{self.low:.6g} to {self.high:.6g}"
        return f"{', '.join(self.values)}{' ..' if self.distinct > len(self.values) else ''}"


def seen(frame: pl.DataFrame) -> tuple[Column, ...]:
    """Look at every column of a frame.

    >>> import polars as pl
    >>> [column.kind for column in seen(pl.DataFrame({"a": ["x", "y"], "b": ["1", "0"]}))]
    ['text', '0/1']
    """
    return tuple(map(_seen, frame.get_columns()))


def _seen(column: pl.Series) -> Column:
    name, rows = column.name, len(column)
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary, pl.Duration):
        return Column(name, "nested", rows=rows)
    read = numbers(column)
    if read is None:
        return _text(column)
    filled = read.values.drop_nulls()
    if not len(filled):
        return Column(name, "empty", rows=rows)
    distinct = filled.n_unique()
    if filled.dtype.is_float():
        filled = filled.filter(filled.is_finite())  # infinite scores are an error later
    if not len(filled):
        return Column(name, "fraction", distinct, rows, float("inf"), float("inf"))
    low, high = float(filled.min()), float(filled.max())  # type: ignore[arg-type]
    whole = filled.dtype.is_integer() or bool((filled == filled.round()).all())
    kind: Kind = "fraction" if not whole else "0/1" if low >= 0 and high <= 1 else "whole"
    kind = "percent" if read.written.endswith("85") else kind
    counts = kind == "whole" and distinct == rows and _goes_up(filled)
    return Column(name, kind, distinct, rows, low, high, counts=counts)


def _text(column: pl.Series) -> Column:
    text = column.cast(pl.String)
    first = text.head(SHOWN_OF).drop_nulls().unique(maintain_order=True).head(2).to_list()
    return Column(
        column.name, "text", once(text).n_unique(), len(column), values=tuple(map(_short, first))
    )


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:21]}..."


def _goes_up(values: pl.Series) -> bool:
    """Whether different whole numbers go up by equal steps, few of them in their order."""
    if len(values) < IN_ORDER:
        return False
    steps = values.diff().drop_nulls()
    if steps.n_unique() == 1 and steps[0] > 0:
        return True
    return len(values) >= IN_ANY_ORDER and values.sort().diff().drop_nulls().n_unique() == 1


def of_one_class(columns: Sequence[Column]) -> bool:
    """Whether scores in several columns may be those of several systems.

    All are right or wrong, all are whole numbers, all have fractions, or all are percentages. A
    column with one value, be it nothing or everything (0, 1 or 100), may be of any class. Of two
    columns one may happen to have no partial credit, or no count above 1.

    >>> right = Column("a", "0/1", 2, 9, 0, 1)
    >>> of_one_class([right, Column("b", "0/1", 1, 9, 0, 0)])
    True
    >>> of_one_class([right, Column("temperature", "fraction", 1, 9, 0.7, 0.7)])
    False
    """
    varied = [column for column in columns if not column.constant]
    if len(columns) == 2 and {c.kind for c in varied} in ({"0/1", "whole"}, {"0/1", "fraction"}):
        other = next(column for column in varied if column.kind != "0/1")
        low, high = other.low or 0.0, other.high or 0.0
        return 0 <= low <= 1 and high <= (SMALL if other.kind == "whole" else 1)
    if len({column.kind for column in varied}) > 1:
        return False
    low = min((column.low for column in varied if column.low is not None), default=-math.inf)
    high = max((column.high for column in varied if column.high is not None), default=math.inf)
    fixed = [c for c in columns if c.constant and not c.fits_all]
    kinds = {column.kind for column in (*varied, *fixed)}
    within = all(c.low is not None and low <= c.low <= high for c in fixed)
    return within and (len(kinds) <= 1 or kinds == {"whole", "fraction"})
