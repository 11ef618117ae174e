"""Checks of tables whose roles were inferred."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from betterthan.errors import FormatError, quote

if TYPE_CHECKING:
    import polars as pl

    from betterthan.tables.cells import Place

ABOVE = 5
"""Rows that a last row must sum up to be taken for a sum or mean of theirs."""


def check_summary_row(items: "pl.Series", scores: "Mapping[str, pl.Series]", place: "Place") -> None:
    """Raise an error for a last row that is the sum or the mean of those above it.

    Its id is not of the others' kind, and every number is the sum or the mean.
    """
    rows = len(items)
    if rows <= ABOVE or _kind(str(items[-1])) in {_kind(str(x)) for x in items[-ABOVE - 1 : -1]}:
        return
    for column in scores.values():
        last, above = column[-1], column[:-1].drop_nulls()
        if last is None or not len(above):
            return
        mean, total = float(above.mean()), float(above.sum())  # type: ignore[arg-type]
        half = 0.5 * 10.0 ** -_decimals(float(last)) * (1 + 1e-9)
        if abs(last - mean) > half and abs(last - total) > half:
            return
    raise FormatError(
        f"{place.name}: {place.row(rows - 1)} ({quote(items[-1])}) is the sum or the mean of the "
        "rows above it: delete that row"
    )


def _kind(text: str) -> str:
    """Write an id without its numbers: ``q17`` is of the kind ``q#``."""
    return re.sub(r"\d+", "#", text)


def _decimals(value: float) -> int:
    text = f"{value!r}"
    return 0 if "e" in text or text.endswith(".0") else len(text.partition(".")[2])
