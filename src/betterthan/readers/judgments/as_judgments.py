"""Judgments in files, frames and engines, as they are ranked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from betterthan.data.judgments import Judgments
from betterthan.errors import how_many
from betterthan.readers.judgments.games import FILE, TIMES, Games, games_of
from betterthan.readers.judgments.pairs import pair_of
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of
from betterthan.tables.cells import Place, texts
from betterthan.tables.counted import collected
from betterthan.tables.names import plain

if TYPE_CHECKING:
    import polars as pl

    from betterthan.tables.counted import Lazy


def games_in_files(files: Sequence[Any], options: Options) -> Games:
    """Judgments in files, one below the other."""
    import polars as pl  # noqa: PLC0415 (heavy)

    tables = [frame_of(path, options) for path in files]
    if len(files) == 1:
        games = games_in_frame(*tables[0], options)
        return replace(games, origin=Path(games.origin).name)
    flat = [_flat(frame).with_columns(pl.lit(place.name).alias(FILE)) for frame, place in tables]
    whole = pl.concat(flat, how="diagonal_relaxed")
    names = whole[FILE].to_list()
    place = Place(
        f"{len(files)} x judgments", lambda k: f"{names[k]}, row {k - names.index(names[k]) + 1:,}"
    )
    return games_in_frame(whole, place, options)


def games_in_frame(frame: "pl.DataFrame", place: Place, options: Options) -> Games:
    """Judgments in one table."""
    frame = _flat(frame)
    names = [name for name in frame.columns if name != FILE]
    return games_of(frame, pair_of(names, options, place.name), place, options)


def _flat(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Columns that are not nested."""
    return frame.select(x for x in frame.get_columns() if not x.dtype.is_nested())


def games_in_place(frame: "Lazy", origin: str, options: Options) -> Games:
    """Distinct judgments and how often each occurs, counted in files or an engine.

    Items are not distinguished where every judgment has another one.
    """
    kinds = frame.collect_schema()
    names = [name for name in kinds.names() if not kinds[name].is_nested()]
    pair = pair_of(names, options, origin)
    item = () if pair.cluster else pair.item
    if len(item) == 1 and pair.count is None and _are_distinct(frame, item[0]):
        item = ()
    pair = replace(pair, judge=(), item=item)
    where = {*map(plain, options.where)}
    read = [*item, *pair.cluster, pair.left, pair.right, pair.winner, pair.count or pair.left]
    keys = [*dict.fromkeys([*read, *(name for name in names if plain(name) in where)])]
    counted = collected(frame.group_by(*keys).agg(nw.len().alias(TIMES)))
    counted = counted.with_columns(texts(counted[name]) for name in keys)
    place = Place(origin, lambda k: f"row {k + 1:,} of the distinct ones")
    return games_of(counted.sort(keys), pair, place, options)


def _are_distinct(frame: "Lazy", name: str) -> bool:
    """Whether every row has an item, and each another one."""
    item = nw.col(name)
    blank = item.is_null() | (item.cast(nw.String).str.strip_chars() == "")
    counts = frame.select(nw.len().alias("rows"), item.n_unique().alias("items"), blank.sum())
    rows, items, blanks = collected(counts).row(0)
    return bool(rows == items and not blanks)


def judgments_of(games: Games, systems: Sequence[str] | None = None, *more: str) -> Judgments:
    """Judgments as they are ranked: won, lost or drawn; only between some systems if named."""
    import polars as pl  # noqa: PLC0415 (heavy)

    table, notes = games.table, games.notes
    code = {name: k for k, name in enumerate(games.systems)}
    left, right = (
        table[side].replace_strict(code, return_dtype=pl.Int64).to_numpy()
        for side in ("left", "right")
    )
    labels: Any = {
        f"{role}s": table[role].to_numpy()
        for role in ("item", "judge", "cluster")
        if role in table.columns
    }
    outcome = table["outcome"].to_numpy()
    judgments = Judgments(
        systems=games.systems,
        left=left,
        right=right,
        outcome=np.where(outcome == 0.5, 0.5, np.round(outcome)),
        counts=table[TIMES].to_numpy() if TIMES in table.columns else None,
        **labels,
    )
    times = 1 if judgments.counts is None else judgments.counts
    if shades := int(np.sum((judgments.outcome != outcome) * times)):
        notes += (f"{shades:,} preferences between win and loss counted as the nearer of the two",)
    judgments = judgments.select(*systems) if systems else judgments
    total = how_many(judgments.n, "judgment")
    source = games.described(games.origin, judgments.systems, total, *more)
    return replace(judgments, source=source, notes=notes)
