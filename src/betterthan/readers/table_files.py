"""Tables in files and frames as typed rows: one, or several put together, with a system or more."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from betterthan.data.scores import Scores
from betterthan.errors import BetterthanError
from betterthan.readers.files import all_bytes, chosen, suffix, system_names
from betterthan.readers.lazy_sources import LOOKED_AT, opened, place_of, reported
from betterthan.readers.options import Options
from betterthan.readers.streams import allowed_memory
from betterthan.tables import opening
from betterthan.tables.aligned import aligned
from betterthan.tables.cells import Place
from betterthan.tables.counted import collected
from betterthan.tables.merged import merged
from betterthan.tables.rows import Rows, typed


def read_items(sources: Sequence[Any], options: Options) -> Scores:
    """Scores of one table, or of several put together."""
    sources, names = chosen(sources, options.systems, names_of)
    tables = [frame_of(source, options) for source in sources]
    return scores_of(merged(rows_of(tables, names, options)), options)


def names_of(sources: Sequence[Any]) -> list[str]:
    """Name the systems of tables that do not name them: by their files, or by numbers."""
    if isinstance(sources[0], Path):
        return system_names(sources)
    numbers = [f"system {k}" for k in range(1, len(sources) + 1)]
    return numbers if len(sources) > 1 else ["system"]


def frame_of(source: Any, options: Options) -> tuple[pl.DataFrame, Place]:
    """Return the table in a file, a frame or an engine, and what its rows are called.

    Fields inside of records (``meta.topic``) are columns if an option names them.
    """
    if not isinstance(source, Path):
        with reported(source):
            return collected(opened(source, options.written.header)), Place(place_of(source))
    form = options.input_format
    return opening.opened(
        all_bytes(source),
        str(source),
        form if form in opening.ENCODINGS else suffix(source),
        options.written,
        declared=options.named,
        allowed=allowed_memory(),
    )


def rows_of(
    tables: Sequence[tuple[pl.DataFrame, Place]], names: Sequence[str], options: Options
) -> list[Rows]:
    """Typed rows of tables: of one, of its parts, or of one per system."""
    declared = options.declared(many=len(tables) > 1 and not _are_parts(tables[:2], options))
    several = zip(tables, names, strict=True)
    return [typed(frame, declared, place, name=name) for (frame, place), name in several]


def _are_parts(tables: Sequence[tuple[pl.DataFrame, Place]], options: Options) -> bool:
    """Whether tables have the same systems in their columns, and different items."""
    declared = options.declared()
    try:
        first, other = (typed(frame.head(LOOKED_AT), declared, place) for frame, place in tables)
    except BetterthanError:  # of which reading them one by one tells more
        return False
    if not (first.wide and other.wide and first.systems == other.systems and first.roles.item):
        return False
    return not first.keys["item"].is_in(other.keys["item"].to_list()).any()


def scores_of(rows: Rows, options: Options) -> Scores:
    """Scores of rows, as they were asked for."""
    return aligned(
        rows,
        systems=options.systems or (),
        metric=options.metrics,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
    )
