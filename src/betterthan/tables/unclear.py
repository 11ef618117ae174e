"""The one error for a table whose columns do not say what they are."""

from collections.abc import Mapping, Sequence
from itertools import chain

from betterthan.errors import FormatError, Remedy
from betterthan.tables.columns import Column

SHOWN = 12
"""Columns that the error lists."""


class UnclearTable(FormatError):  # noqa: N818 (it names a state of the data)
    """A table whose columns can be read in several ways; it shows them and what to type."""

    def __init__(
        self,
        message: str,
        *remedies: Remedy,
        columns: Sequence[Column] = (),
        read_as: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, *remedies)
        self.columns = tuple(columns)
        self.read_as = dict(read_as or {})

    @property
    def details(self) -> tuple[str, ...]:
        """The columns as lines of a table: name, type, distinct values, range, read as."""
        return tuple(listed(self.columns, self.read_as, most=SHOWN))


def listed(
    columns: Sequence[Column], read_as: Mapping[str, str], most: int | None = None
) -> list[str]:
    """Lay columns out as lines.

    >>> import polars as pl
    >>> from betterthan.tables.columns import seen
    >>> for line in listed(seen(pl.DataFrame({"base": [0, 1, 1]})), {"base": "system"}):
    ...     print(line)
    column  type  distinct  values  read as
    base    0/1          2  0 to 1  system
    """
    rows = [("column", "type", "distinct", "values", "read as")] + [
        (c.name or "(no name)", c.kind, f"{c.distinct:,}", c.shown, read_as.get(c.name, "?"))
        for c in columns[:most]
    ]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    form = "{:{}}  {:{}}  {:>{}}  {:{}}  {:{}}"
    lines = [form.format(*chain(*zip(row, widths, strict=True))).rstrip() for row in rows]
    more = len(columns) + 1 - len(rows)
    return [*lines, f"and {more:,} more"] if more > 0 else lines
