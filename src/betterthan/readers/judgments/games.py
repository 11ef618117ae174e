"""Judgments in files, frames and engines: left and right, who won, on what and by whom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from betterthan.data.judgments import Judgments, outcomes
from betterthan.errors import BadValueError, FormatError, Remedy, how_many
from betterthan.readers.judgments.pairs import PREFERENCE, Pair, pair_of
from betterthan.readers.logs.runs import LONGEST_ID, short_id
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of
from betterthan.tables.cells import Place, complete, joined, numbers, texts
from betterthan.tables.counted import Lazy, collected
from betterthan.tables.names import plain
from betterthan.tables.selection import kept

FILE, TIMES = "bt_file", "bt_times"
"""What readers add to a table: which file a row is from, and how often it occurs."""
SHOWN = 12
"""Systems that the line of what was read lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """Judgments and how they were read.

    Attributes
    ----------
    table : polars DataFrame
        Text in ``left`` and ``right``; ``outcome``, 1 where the left one won and 0.5 for a draw;
        some of ``item``, ``judge``, ``cluster``, ``bt_file`` and ``bt_times``.
    systems : tuple of str
        Names, in the order in which they appear.
    """

    table: pl.DataFrame
    pair: Pair
    systems: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()

    def described(self, origin: str, systems: Sequence[str], *more: str) -> str:
        """Say on one line what was read and how, as options that can be pasted back."""
        few = len(systems) <= SHOWN
        shown = f"--systems {quote(','.join(systems))}" if few else f"{len(systems)} systems"
        return " · ".join((origin, self.pair.typed, shown, *more))

    def judgments(self, systems: Sequence[str] | None = None, *more: str) -> Judgments:
        """Judgments as they are ranked: won, lost or drawn; only between some systems if named."""
        table, notes = self.table, self.notes
        code = {name: k for k, name in enumerate(self.systems)}
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
            systems=self.systems,
            left=left,
            right=right,
            outcome=np.where(outcome == 0.5, 0.5, np.round(outcome)),
            counts=table[TIMES].to_numpy() if TIMES in table.columns else None,
            **labels,
        )
        times = 1 if judgments.counts is None else judgments.counts
        if shades := int(np.sum((judgments.outcome != outcome) * times)):
            notes += (
                f"{shades:,} preferences between win and loss counted as the nearer of the two",
            )
        judgments = judgments.select(*systems) if systems else judgments
        total = how_many(judgments.n, "judgment")
        source = self.described(self.origin, judgments.systems, total, *more)
        return replace(judgments, source=source, notes=notes)


def games_in_files(sources: Sequence[Any], options: Options) -> Games:
    """Judgments in a table, or in several files, one below the other."""
    tables = [frame_of(source, options) for source in sources]
    flat = [(_flat(frame), place) for frame, place in tables]
    frame, place = flat[0]
    origin = Path(place.name).name
    if len(flat) > 1:
        named = [part.with_columns(pl.lit(of.name).alias(FILE)) for part, of in flat]
        frame = pl.concat(named, how="diagonal_relaxed")
        files = frame[FILE].to_list()
        origin = f"{len(flat)} x judgments"
        place = Place(origin, lambda k: f"{files[k]}, row {k - files.index(files[k]) + 1:,}")
    names = [name for name in frame.columns if name != FILE]
    games = games_of(frame, pair_of(names, options, place.name), place, options)
    return replace(games, origin=origin)


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns that are not nested."""
    return frame.select(x for x in frame.get_columns() if not x.dtype.is_nested())


def games_in_place(frame: Lazy, origin: str, options: Options) -> Games:
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


def _are_distinct(frame: Lazy, name: str) -> bool:
    """Whether every row has an item, and each another one."""
    item = nw.col(name)
    blank = item.is_null() | (item.cast(nw.String).str.strip_chars() == "")
    counts = frame.select(nw.len().alias("rows"), item.n_unique().alias("items"), blank.sum())
    rows, items, blanks = collected(counts).row(0)
    return bool(rows == items and not blanks)


def games_of(frame: pl.DataFrame, pair: Pair, place: Place, options: Options) -> Games:
    """Read every judgment; one without a winner is treated as ``options.missing`` says."""
    frame, place = kept(frame, options.where, place)
    table = _labels(frame, pair, place)
    table = table.with_columns(outcome=_outcome(frame[pair.winner], table, place.name))
    judged = table.drop_nulls("outcome")
    notes = _missing(table, frame[pair.winner], place, options)
    if judged.is_empty():
        raise FormatError(f"{place.name} has no judgments: there is nothing to compare")
    sides = pl.concat_list("left", "right").explode()
    systems = tuple(judged.select(sides.unique(maintain_order=True)).to_series())
    return Games(table=judged, pair=pair, systems=systems, origin=place.name, notes=notes)


def _labels(frame: pl.DataFrame, pair: Pair, place: Place) -> pl.DataFrame:
    """Names and labels of every row, none of them blank except those of judges."""
    sides = {"left": (pair.left,), "right": (pair.right,)}
    columns = {
        role: joined([complete(texts(frame[x]).str.strip_chars(), x, place) for x in names])
        for role, names in [*sides.items(), ("item", pair.item), ("cluster", pair.cluster)]
        if names
    }
    if pair.item:  # whole prompts are cut down to ids
        items = columns["item"]
        long = items.filter(items.str.len_chars() > LONGEST_ID).unique().to_list()
        columns["item"] = items.replace({text: short_id(text) for text in long})
    if pair.judge:
        columns["judge"] = texts(frame[pair.judge[0]]).fill_null("")
    columns |= {name: frame[name] for name in (FILE, TIMES) if name in frame.columns}
    if pair.count is not None:
        columns[TIMES] = _floats(frame[pair.count]) * columns.get(TIMES, 1)
    return pl.DataFrame([column.alias(name) for name, column in columns.items()])


def _floats(column: pl.Series) -> pl.Series:
    read = numbers(column)
    return pl.Series([None] * len(column), dtype=pl.Float64) if read is None else read.values


def _outcome(winner: pl.Series, table: pl.DataFrame, where: str) -> pl.Series:
    """1 where the left one won, 0.5 for a draw; null where that cannot be read."""
    if winner.name == PREFERENCE:  # one more than what the second one won; 0 is a draw
        p = pl.col("p")
        chosen = pl.when(p == 0).then(0.5).when(p.is_between(1, 2)).then(2 - p)
        return _floats(winner).alias("p").to_frame().select(chosen).to_series()
    words = texts(winner).fill_null("").str.strip_chars().alias("word")
    table = table.select(words, "left", "right")
    distinct = table.unique(maintain_order=True)  # each that differs is looked at once
    read = pl.Series("outcome", outcomes(distinct.rows(), where), dtype=pl.Float64)
    known = distinct.with_columns(read)
    return table.join(known, on=table.columns, how="left", maintain_order="left")["outcome"]


def _missing(
    table: pl.DataFrame, winner: pl.Series, place: Place, options: Options
) -> tuple[str, ...]:
    """Say what has no winner, or raise an error if it may not be left out."""
    rows = table["outcome"].is_null().arg_true()
    if rows.is_empty():
        return ()
    times = table[TIMES].gather(rows).sum() if TIMES in table.columns else len(rows)
    count = how_many(int(times), "judgment")
    if options.missing in ("drop", "pairwise"):
        return (f"{count} without a winner left out",)
    shown = ", ".join(
        f"{'' if winner[k] is None else str(winner[k])!r} in {place.row(k)}" for k in rows.head(3)
    )
    raise BadValueError(
        f"{place.name}: {count} without a winner that can be read ({shown}): write left, right or "
        "tie, or the winner's name",
        Remedy("leave them out", "missing", "drop"),
    )
