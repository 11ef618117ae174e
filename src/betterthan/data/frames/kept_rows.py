"""Rows that are kept: those whose columns hold one of the values that were asked for."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from betterthan.data.frames import cells
from betterthan.data.frames.reader_options import names_given
from betterthan.data.frames.roles import plain
from betterthan.data.labels import as_label
from betterthan.errors import Choice, FormatError, Remedy, UsageError, closest, first_few

if TYPE_CHECKING:
    import polars as pl

Where = Mapping[str, str]
"""Columns and what they must hold: values or patterns such as ``mmlu_*``, joined by ``+``."""


def kept_rows(
    frame: "pl.DataFrame", where: Where | None, place: cells.Place
) -> "tuple[pl.DataFrame, cells.Place]":
    """Keep the rows that were asked for; their place still knows their numbers in the file."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if not where:
        return frame, place
    mask = pl.repeat(True, len(frame), eager=True)
    for name, asked in where.items():
        column = column_called(name, frame.columns, place.name)
        text = cells.ids([frame[column]]).fill_null("")
        mask &= text.is_in(values_asked(column, asked, text.unique().to_list(), place.name))
    if not mask.any():
        raise FormatError(f"{place.name}: no row has all of {typed_where(where)}")
    return _some(frame, mask, place)


def rows_of_systems(
    frame: "pl.DataFrame", column: str | None, asked: Any, place: cells.Place
) -> "tuple[pl.DataFrame, cells.Place]":
    """Keep the rows of the systems that were asked for: others decide nothing.

    All are kept where none is asked for, or where one is not among them, which is said later.
    """
    if column is None or asked is None:
        return frame, place
    text = cells.ids([frame[column]])
    known = set(text.drop_nulls().to_list())
    names = names_given(asked, known)
    if not known.issuperset(names) or known.issubset(names):
        return frame, place
    return _some(frame, text.is_in(names).fill_null(False), place)


def _some(
    frame: "pl.DataFrame", mask: "pl.Series", place: cells.Place
) -> "tuple[pl.DataFrame, cells.Place]":
    kept, row = mask.arg_true(), place.row
    return frame[kept], replace(place, row=lambda k: row(kept[k]))


def column_called(name: str, columns: Iterable[str], place: str) -> str:
    """Column of that name, whose case and hyphens need not agree."""
    names = list(columns)
    alike = [own for own in names if plain(own) == plain(name)]
    if name in names:
        return name
    if len(alike) == 1:
        return alike[0]
    close = closest(name, names)
    raise UsageError(
        f"{place} has no column {name!r}; it has {first_few(names)}",
        Remedy("", "where", {close or Choice("COLUMN"): Choice("VALUE")}),
    )


def values_asked(column: str, asked: str, values: Collection[Any], place: str) -> list[Any]:
    """Values of a column that were asked for: one as it is spelled, several, or patterns."""
    texts = {as_label(value): value for value in values if value is not None}
    if asked in texts:
        return [texts[asked]]
    found: dict[str, Any] = {}
    for part in asked.split("+"):
        name = part.strip()
        here = [text for text in texts if text == name or fnmatchcase(text, name)]
        if not here:
            close = closest(name, texts)
            raise UsageError(
                f"{place}: no row has {column}={name}; there are {first_few(sorted(texts))}",
                Remedy("", "where", {column: close or Choice("VALUE")}),
            )
        found |= {text: texts[text] for text in here}
    return list(found.values())


def is_kept(record: Mapping[str, Any], where: Where) -> bool:
    """Whether one record has what was asked for."""
    return all(
        name in record and _fits(as_label(record[name]), asked) for name, asked in where.items()
    )


def typed_where(where: Where) -> str:
    """Write what was asked for as it is typed."""
    return ",".join(f"{name}={value}" for name, value in where.items())


def _fits(text: str, asked: str) -> bool:
    parts: Sequence[str] = [part.strip() for part in asked.split("+")]
    return text == asked or any(text == part or fnmatchcase(text, part) for part in parts)
