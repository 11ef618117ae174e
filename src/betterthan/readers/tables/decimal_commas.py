"""Decimal commas, and points that group thousands, as much of the world writes them."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from betterthan.data.frames.cells import MISSING
from betterthan.errors import FormatError
from betterthan.numeric import Bools

if TYPE_CHECKING:
    import polars as pl

COMMA = ","
NUMBER = r"^[+-]?\d+(,\d+)?\s*%?$"
SURE = r"^[+-]?0,|,\d{1,2}\s*%?$|,\d{4,}\s*%?$"  # 1,234 may be one thousand
DIGITS = r"^[+-]?[\d.,]*\d[\d.,]*\s*%?$"
POINT = r"\d\.\d|\d\.$|^[+-]?\.\d"
GROUPED = r"^[+-]?[1-9]\d{0,2}\.\d{3}$"
UNGROUPED = r"^[+-]?\d{1,3}$"
LARGE = r"^[+-]?(?:[2-9]\d\d|1[1-9]\d|10[1-9])$"  # a mean with three decimals is hardly so even
CELLS = 1 << 20  # looked at together: a table may be all columns, and each takes its time


def with_points(
    frame: "pl.DataFrame", scores: Collection[str]
) -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """Write points for decimal commas in columns that may be scores; and name those columns.

    Only where nothing else can be meant: most columns of numbers have such commas, none of them a
    point, and some comma cannot set off thousands. Otherwise (``3,17`` may be a span of text) the
    table stays as it is, and whoever wants numbers of it complains.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    texts, numeric = _texts_and_numbers(frame, scores)
    some, every = _matches(frame.select(texts), COMMA, NUMBER, SURE, DIGITS, POINT)
    written = some[0] & every[1]
    pointed = (some[3] & some[4]).any() or any(
        (np.mod(part.to_numpy(), 1.0) > 0).any() for part in _parts(frame.select(numeric))
    )
    sure = (some[2] & written).any()
    if pointed or not sure or 2 * written.sum() <= len(numeric) + some[3].sum():
        return frame, ()
    names = tuple(name for name, held in zip(texts, written, strict=True) if held)
    return frame.with_columns(pl.col(*names).str.replace(",", ".", literal=True)), names


def refuse_thousands(
    frame: "pl.DataFrame",
    scores: Collection[str],
    written: "Callable[[], pl.DataFrame]",
    where: str,
) -> None:
    """Refuse a column of ``950`` and ``1.052``: the point may group thousands, or be a decimal one.

    All numbers with a point have three decimals, and those from 101 to 999 have none. A program
    that drops zeros at the end hardly ever writes decimals so; ``written`` has the table as text.
    """
    texts, numeric = _texts_and_numbers(frame, scores)
    mixed = [name for part in _parts(frame.select(numeric)) for name in _may_be_grouped(part)]
    asked = (written() if mixed else frame).select(texts + mixed)
    some, every = _matches(asked, GROUPED, LARGE, f"{GROUPED}|{UNGROUPED}")
    for k in np.flatnonzero(some[0] & some[1] & every[2]):
        words = asked.to_series(int(k)).str.strip_chars()
        grouped, large = (words.filter(words.str.contains(form))[0] for form in (GROUPED, LARGE))
        raise FormatError(
            f"{where}: column {words.name!r} holds {grouped} beside {large}: "
            "does the point group thousands? Write all numbers without such points; or with as "
            "many decimals each"
        )


def _texts_and_numbers(
    frame: "pl.DataFrame", scores: Collection[str]
) -> tuple[list[str], list[str]]:
    """Names of the columns that may be scores: those of text, and those of numbers."""
    import polars as pl  # noqa: PLC0415 (heavy)

    asked = [(name, type_) for name, type_ in frame.schema.items() if name in scores]
    return (
        [name for name, type_ in asked if type_ == pl.String],
        [name for name, type_ in asked if type_.is_numeric()],
    )


def _parts(frame: "pl.DataFrame") -> "Iterator[pl.DataFrame]":
    """Columns side by side, as many as make some cells: single ones of long tables."""
    step = max(1, CELLS // max(1, len(frame)))
    for k in range(0, frame.width, step):
        yield frame[:, k : k + step]


def _matches(frame: "pl.DataFrame", *forms: str) -> tuple[Bools, Bools]:
    """Whether some words of each column have each form, and whether all have: (forms, columns).

    Words that stand for nothing have every form, and none.
    """
    some, every = np.ones((2, len(forms), frame.width), dtype=bool)
    at = 0
    for part in _parts(frame):
        words = part.unpivot()["value"].str.strip_chars()
        absent = (words.is_null() | words.str.to_lowercase().is_in(MISSING)).fill_null(True)
        blank = absent.to_numpy().reshape(part.width, -1)
        columns = slice(at, at + part.width)
        for k, form in enumerate(forms):
            held = words.str.contains(form).fill_null(False).to_numpy().reshape(blank.shape)
            some[k, columns] = (held & ~blank).any(axis=1)
            every[k, columns] = (held | blank).all(axis=1)
        at += part.width
    return some, every


def _may_be_grouped(numbers: "pl.DataFrame") -> Sequence[str]:
    """Names of the columns whose numbers may be written with points between thousands."""
    x = np.abs(numbers.to_numpy())
    part = np.mod(x, 1.0)
    whole = (x > 100) & (x < 1000) & (part == 0)
    mixed = (part > 0).any(axis=0) & whole.any(axis=0) & ~(x >= 1000).any(axis=0)
    return [name for name, held in zip(numbers.columns, mixed, strict=True) if held]
