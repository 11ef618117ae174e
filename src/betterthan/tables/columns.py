"""What can be seen of a table's columns: type, distinct values and range."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import polars as pl

from betterthan.tables.cells import Numbers, numbers, once
from betterthan.tables.names import is_index

Kind = Literal["0/1", "whole", "fraction", "percent", "text", "nested", "empty"]
SMALL = 10  # counts that may stand next to 0/1: 999 would be a mark of something missing
SHOWN_OF = 1_000  # rows from which the first texts are shown
IN_ORDER, IN_ANY_ORDER = 3, 8
"""Rows from which numbers that go up by equal steps are ids, in their order or shuffled."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was seen.

    ``cells`` are text, or the numbers that were ``read``. ``low`` and ``high`` are of numbers,
    ``values`` the first of texts; ``counts`` says that it is a whole number that goes up by equal
    steps.
    """

    name: str
    kind: Kind
    cells: pl.Series
    read: Numbers | None = None
    low: float = math.nan
    high: float = math.nan
    values: tuple[str, ...] = ()
    counts: bool = False

    @property
    def rows(self) -> int:
        """How many cells it has."""
        return len(self.cells)

    @cached_property
    def distinct(self) -> int:
        """How many different cells it has: of numbers, without blanks."""
        if self.kind in ("nested", "empty"):
            return 0
        return once(self.cells.drop_nulls() if self.is_number else self.cells).n_unique()

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
        """Whether it is a number that has one value only."""
        return self.low == self.high

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
    name = column.name
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary, pl.Duration):
        return Column(name, "nested", column)
    read = numbers(column)
    if read is None:
        text = column.cast(pl.String)
        first = text.head(SHOWN_OF).drop_nulls().unique(maintain_order=True).head(2)
        return Column(name, "text", text, values=tuple(map(_short, first)))
    filled = read.values.drop_nulls()
    if not len(filled):
        return Column(name, "empty", column, read)
    finite = filled.filter(filled.is_finite())  # infinite scores are an error later
    filled = finite if len(finite) else filled
    low, high = float(filled.min()), float(filled.max())  # type: ignore[arg-type]
    whole = filled.dtype.is_integer() or bool((filled == filled.round()).all())
    kind: Kind = "fraction" if not whole else "0/1" if low >= 0 and high <= 1 else "whole"
    kind = "percent" if read.written.endswith("85") else kind
    counts = kind == "whole" and len(filled) == len(column) and _goes_up(filled, high - low)
    return Column(name, kind, read.values, read, low, high, counts=counts)


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:21]}..."


def _goes_up(values: pl.Series, span: float) -> bool:
    """Whether different whole numbers go up by equal steps, few of them in their order."""
    if len(values) < IN_ORDER or span < len(values) - 1:
        return False
    ordered = values if len(values) < IN_ANY_ORDER else values.sort()
    steps = ordered.diff().drop_nulls()
    return steps.n_unique() == 1 and steps[0] > 0


def of_one_class(columns: Sequence[Column]) -> bool:
    """Whether scores in several columns may be those of several systems.

    All are right or wrong, all are whole numbers, all have fractions, or all are percentages. A
    column with one value, be it nothing or everything (0, 1 or 100), may be of any class; whole
    numbers may stand among fractions, in their range. Of two columns one may happen to have no
    partial credit, or no count above 1.

    >>> import polars as pl
    >>> of_one_class(seen(pl.DataFrame({"a": [0, 1, 1], "b": [0, 0, 0]})))
    True
    >>> of_one_class(seen(pl.DataFrame({"a": [0, 1, 1], "temperature": [0.7, 0.7, 0.7]})))
    False
    """
    varied = [column for column in columns if not column.constant]
    kinds = {column.kind for column in varied}
    if len(columns) == 2 and kinds in ({"0/1", "whole"}, {"0/1", "fraction"}):
        limit = SMALL if "whole" in kinds else 1
        return all(0 <= c.low <= 1 and c.high <= limit for c in varied)
    main = [c for c in varied if c.kind == "fraction" or len(kinds) == 1]
    others = [c for c in columns if c not in main and not c.fits_all]
    low = min((c.low for c in main), default=-math.inf)
    high = max((c.high for c in main), default=math.inf)
    within = all(low <= c.low and c.high <= high for c in others)
    kinds = {column.kind for column in (*main, *others)}
    return within and (len(kinds) <= 1 or kinds == {"whole", "fraction"})
