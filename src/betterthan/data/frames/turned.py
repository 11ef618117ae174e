"""Tables with a row per system and a column per item: they have to be said to be so."""

from dataclasses import replace
from typing import TYPE_CHECKING

from betterthan.data.frames import cells
from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import named_columns, suggested
from betterthan.errors import COLUMN, FormatError, Remedy, UsageError, first_few

if TYPE_CHECKING:
    import polars as pl

ITEM = "item"


def turned(
    frame: "pl.DataFrame", options: Options, where: str
) -> "tuple[pl.DataFrame, Options, cells.Place, str]":
    """Turn a table with a row per system and a column per item into one with a column per system.

    The system is named by its column, the first unless another is known or said; columns named as
    labels are left out. Every other one is an item. Also says what the table is.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    names = frame.columns
    known = [name for name in names if "system" in suggested(name)] or names[:1]
    system = options.system or known[0]
    if system not in names:
        raise UsageError(
            f"{where} has no column {system!r}; it has {first_few(names)}",
            Remedy("", "columns", {"system": COLUMN}),
        )
    left_out = named_columns(names, options, where, "label", "tasks")
    items = [name for name in names if name != system and name not in left_out]
    if not items:
        raise FormatError(
            f"{where} has no column beside {system!r}: of a table with a row per system, every "
            "other column is an item"
        )
    rows = cells.ids([frame[system]]).to_list()
    first = dict(zip(reversed(rows), range(len(rows) - 1, -1, -1), strict=True))
    twice = [name for k, name in enumerate(rows) if first[name] < k or name in (None, "", ITEM)]
    if twice:
        raise FormatError(
            f"{where}: the systems of its rows, in column {system!r}, should differ and have names "
            f"({first_few(twice)}): correct them",
            Remedy("use another column", "columns", {"system": COLUMN}),
        )
    numbers = all(frame[name].dtype.is_numeric() for name in items)
    one = pl.Float64 if numbers else pl.String
    values = frame.select(pl.col(items).cast(one)).rows()
    made = pl.DataFrame(
        [pl.Series(ITEM, items, dtype=pl.String)]
        + [pl.Series(name, row, dtype=one) for name, row in zip(rows, values, strict=True)]
    )
    place = cells.Place(where, lambda k: f"column {items[k]!r}", left_out)
    chosen = options.systems or rows  # all of them are systems, whatever their numbers look like
    told = replace(options, input_format="wide", item=ITEM, system=None, label=None, systems=chosen)
    return made, told, place, f"transposed table, a row per {system}"
