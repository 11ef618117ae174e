"""Judgments counted where they are: files larger than memory, or a table in an engine.

What comes back is who won against whom how often, and on which item where items repeat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from betterthan.data.frames import numbering
from betterthan.data.frames.cells import ids
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.judgments import Judgments
from betterthan.data.tally import row_codes
from betterthan.errors import COLUMN, FormatError, Remedy, UsageError, first_few, how_many, listing
from betterthan.numeric import Ints
from betterthan.readers.judgments.as_judgments import judgments_of, with_known_names
from betterthan.readers.judgments.judged_columns import counted_columns
from betterthan.readers.judgments.judged_rows import (
    COUNT,
    ITEMS,
    NO_JUDGMENT,
    PairLayout,
    pair_layout,
)
from betterthan.readers.lazy_sources import kept, opened, reported
from betterthan.tables.counted import collected

if TYPE_CHECKING:
    import polars as pl

    from betterthan.tables.counted import Lazy


def scan_judgments(sources: Sequence[Any], options: Options, named: Mapping[str, str]) -> Judgments:
    """Count judgments in place: files larger than memory, or a table in an engine.

    Items, and so what is resampled, are those that :func:`betterthan.read` finds; where
    every judgment has another one they are not brought along. ``named`` are columns that were named
    as the pair and its winner.
    """
    places = [str(x) if isinstance(x, str | PathLike) else "the frame" for x in sources]
    place = ", ".join(places[:3]) + " ..." * (len(places) > 3)
    with reported(place):
        frame = with_known_names(_together([opened(source) for source in sources]), named, place)
        return _counted(kept(frame, options.where, place), place, options)


def _together(tables: "Sequence[Lazy]") -> "Lazy":
    """Put tables one below the other by the names of their columns."""
    names = tables[0].collect_schema().names()
    for table in tables[1:]:
        if odd := {*names}.symmetric_difference(table.collect_schema().names()):
            raise FormatError(f"some tables lack columns of others: {first_few(sorted(odd))}")
    return nw.concat([table.select(*names) for table in tables]) if len(tables) > 1 else tables[0]


def _counted(frame: "Lazy", where: str, options: Options) -> Judgments:
    names = frame.collect_schema().names()
    layout = pair_layout(tuple(names))
    if layout is None:
        raise FormatError(f"{where} {NO_JUDGMENT}; it has {first_few(names)}")
    units = _unit_columns(names, layout, options, where)
    counts = nw.len()
    if COUNT in names and frame.collect_schema()[COUNT] == nw.String:
        frame = frame.with_columns(nw.col(COUNT).cast(nw.Int64))
    if set(names) - {*ITEMS} == {*layout.columns, COUNT}:  # a tally, whose rows are of several
        counts = nw.col(COUNT).sum()
        _check_counts(frame, where)
        _refuse_blank(frame, units, where)
    elif units and _are_distinct(frame, units, where):
        units = []
    keys = [layout.left, layout.right, *layout.needs, *units]
    found = collected(frame.group_by(keys).agg(counts.alias(COUNT)))
    if found.is_empty():
        raise FormatError(f"{where}: nobody judged anything: there is nothing to compare")
    if any(found[name].null_count() for name in layout.columns):
        raise FormatError(f"{where}: some rows lack a system or a winner: fill them in")
    found = found.with_columns(_written(found[name]).alias(name) for name in keys)
    found = found[np.argsort(row_codes([_places(found[name]) for name in keys])[0])]
    asked = Options(cluster=options.cluster) if options.cluster else Options(item=units or None)
    battles = counted_columns(
        found.drop(COUNT), found[COUNT].cast(int).to_numpy(), asked, f"{where}, grouped"
    )
    made = judgments_of(battles, source="")
    told = [
        *(f"{'cluster' if options.cluster else 'item'}={name}" for name in units),
        f"systems {listing(made.systems)}",
        f"{how_many(made.n, 'judgment')}, counted in place",
    ]
    return replace(made, source=" · ".join([where, "judgments", *told]))


def _written(column: "pl.Series") -> "pl.Series":
    """Names as they are written; numbers and the like as ids are."""
    import polars as pl  # noqa: PLC0415 (heavy)

    return column if column.dtype == pl.String else ids([column])


def _places(column: "pl.Series") -> Ints:
    """Place of each text among those of its column, nulls first: numbers are sorted sooner."""
    coded, values = numbering.codes(column)
    places = np.zeros(len(values) + 1, dtype=np.int64)
    places[values.arg_sort().to_numpy()] = np.arange(1, len(values) + 1)
    return places[coded]


def _unit_columns(
    names: Sequence[str], layout: PairLayout, options: Options, where: str
) -> list[str]:
    """Columns that say which judgments belong together: clusters, or else items."""
    if options.cluster is not None:
        asked = [options.cluster]
    elif options.item is not None:
        asked = names_given(options.item, names)
    else:
        turns = ["turn"] if "g1_winner" in layout.columns and "turn" in names else []
        known = [name for name in ITEMS if name in names][:1]
        return [*known, *turns] if known else []
    for name in asked:
        if name not in names:
            raise UsageError(f"{where} has no column {name!r}; it has {first_few(names)}")
    return asked


def _are_distinct(frame: "Lazy", units: Sequence[str], where: str) -> bool:
    """Whether every judgment is of another item, so that none share one; none may be blank."""
    _refuse_blank(frame, units, where)
    rows = _one(frame.select(nw.len().alias(COUNT)))
    return _one(frame.select(units).unique().select(nw.len().alias(COUNT))) == rows


def _refuse_blank(frame: "Lazy", units: Sequence[str], where: str) -> None:
    kinds = frame.collect_schema()
    for name in units:
        unsaid = nw.col(name).is_null()
        if kinds[name] == nw.String:
            unsaid = unsaid | (nw.col(name).str.strip_chars() == "")
        blank = _one(frame.filter(unsaid).select(nw.len().alias(COUNT)))
        if blank:
            raise FormatError(
                f"{where}: {how_many(blank, 'row', 'have')} no {name}: fill it in",
                Remedy("another column", "columns", {"item": COLUMN}),
            )


def _check_counts(frame: "Lazy", where: str) -> None:
    kind = frame.collect_schema()[COUNT]
    odd = nw.col(COUNT).is_null() | (nw.col(COUNT) < 1)
    if not kind.is_integer() or _one(frame.filter(odd).select(nw.len().alias(COUNT))):
        raise FormatError(f"{where}: counts of judgments are whole numbers of at least 1")


def _one(frame: "Lazy") -> int:
    made: pl.DataFrame = collected(frame)
    return int(made[COUNT][0])
