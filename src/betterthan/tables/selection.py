"""Which rows of a table count: those that were asked for, and those of declared systems."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

import polars as pl

from betterthan.errors import Choice, Remedy, UsageError, closest, first_few
from betterthan.tables.cells import Place, only, texts
from betterthan.tables.declared import Declared, column_called
from betterthan.tables.names import role_of


def selected(
    frame: pl.DataFrame, where: Mapping[str, str], place: Place
) -> tuple[pl.DataFrame, Place]:
    """Keep the rows that were asked for; their place still knows their numbers in the file."""
    for name, wanted in where.items():
        text = texts(frame[column_called(name, frame.columns, "", place.name, wanted)])
        chosen = values_called(wanted, text.unique(maintain_order=True), place.name)
        frame, place = only(frame, text.fill_null("").is_in(chosen), place)
    return frame, place


def of_systems(frame: pl.DataFrame, declared: Declared, place: Place) -> tuple[pl.DataFrame, Place]:
    """Keep the rows of declared systems: what others hold decides nothing."""
    named = (name for name in frame.columns if role_of(name) == "system")
    column = declared.first("system") or next(named, None)
    if column not in frame.columns or not declared.systems:
        return frame, place
    keep = texts(frame[column]).is_in(list(declared.systems)).fill_null(False)
    return only(frame, keep, place) if keep.any() else (frame, place)


def values_called(wanted: str, column: pl.Series, where: str) -> list[str]:
    """Return the values that a condition asks for: one, or patterns joined by ``+``."""
    values = column.fill_null("").to_list()
    if wanted in values:
        return [wanted]
    patterns = [part.strip() for part in wanted.split("+")]
    for pattern in patterns:
        if not any(fnmatchcase(v, pattern) for v in values):
            near_value = closest(pattern, values) or Choice("VALUE")
            raise UsageError(
                f"{where}: no row has {column.name}={pattern}; there are {first_few(values)}",
                Remedy("", "where", {column.name: near_value}),
            )
    return [v for v in values if any(fnmatchcase(v, p) for p in patterns)]
