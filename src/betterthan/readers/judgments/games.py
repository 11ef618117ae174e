"""Judgments in files, frames and engines: left and right, who won, on what and by whom."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import mul
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import polars.selectors as cs

from betterthan.data.judgments import Judgments, outcomes
from betterthan.errors import (
    COLUMN,
    BadValueError,
    FormatError,
    Remedy,
    Where,
    first_few,
    how_many,
)
from betterthan.metrics.costs import plain
from betterthan.readers.logs.runs import LONGEST_ID, short_id
from betterthan.readers.options import SIDES, Options
from betterthan.readers.table_files import frame_of
from betterthan.tables.cells import Place, complete, joined, numbers, texts
from betterthan.tables.counted import Lazy, collected
from betterthan.tables.declared import column_called
from betterthan.tables.names import role_of
from betterthan.tables.read_line import as_options
from betterthan.tables.selection import selected

COUNT = "count"
"""How many judgments a row stands for, in tables that have only the pair and the item."""
PREFERENCE = "preference"
"""AlpacaEval's column of winners: 1 for the first system, 2 for the second, or between them."""
LABELS = ("item", "judge", "cluster")
KNOWN_AS = {"item": ("text", "item"), "judge": ("judge", "response")}
"""Roles of tables that are known as one of judgments, the best first: the prompt, or else an id."""
COMPLETE = {"left": "left", "right": "right", "item": "items", "cluster": "clusters"}
"""Parts of judgments that may not be blank, and the columns that hold them."""
FILE, TIMES = "bt_file", "bt_times"
"""What readers add to a table: which file a row is from, and how often it occurs."""

Pair = Mapping[str, tuple[str, ...]]
"""The columns of each part of a judgment; none where a table does not have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """Judgments and how they were read.

    Attributes
    ----------
    table : polars DataFrame
        Text in ``left`` and ``right``; ``outcome``, 1 where the left one won and 0.5 for a draw;
        ``counts``, how many judgments a row stands for; some of ``items``, ``judges``, ``clusters``
        and ``bt_file``.
    pair : Pair
        The columns that these were read from.
    """

    table: pl.DataFrame
    pair: Pair
    origin: str
    where: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, in the order in which they appear."""
        sides = pl.concat_list("left", "right").explode()
        return tuple(self.table.select(sides.unique(maintain_order=True)).to_series())

    def described(self, origin: str, systems: Sequence[str], *more: str, declared: bool) -> str:
        """Say on one line what was read and how, as options that can be pasted back."""
        roles = {role: "+".join(self.pair[role]) for role in (*LABELS, *SIDES) if self.pair[role]}
        options = as_options(roles, systems, self.where, declared=declared)
        return " · ".join(part for part in (origin, *options, *more) if part)

    def judgments(self, systems: Sequence[str] | None = None, *more: str) -> Judgments:
        """Judgments as they are ranked: won, lost or drawn; only between some systems if named."""
        names, notes = self.systems, self.notes
        shaded = self.table.filter(~pl.col("outcome").is_in([0.0, 0.5, 1.0]))
        if len(shaded):
            count = f"{shaded['counts'].sum():,.0f} preferences between win and loss"
            notes += (f"{count} counted as the nearer of the two",)
        code = {name: k for k, name in enumerate(names)}
        table = self.table.drop(FILE, strict=False).with_columns(
            pl.col("left", "right").replace_strict(code, return_dtype=pl.Int64),
            outcome=((pl.col("outcome") - 0.5).sign() + 1) / 2,
        )
        single = (table["counts"] == 1).all(ignore_nulls=False)
        table = table.drop("counts") if single else table
        columns: Any = {column.name: column.to_numpy() for column in table}
        judgments = Judgments(systems=names, **columns)
        judgments = judgments.select(*systems) if systems else judgments
        total = how_many(judgments.n, "judgment")
        source = self.described(
            self.origin, judgments.systems, total, *more, declared=bool(systems)
        )
        return replace(judgments, source=source, notes=notes)


def is_judged(names: Collection[str]) -> bool:
    """Whether columns are known as those of judgments: two systems, and who won.

    >>> is_judged(["model_a", "model_b", "winner"]), is_judged(["item", "left", "right"])
    (True, False)
    """
    return all(_known(names, side) for side in SIDES)


def pair_of(names: Sequence[str], options: Options, where: str) -> Pair:
    """Find the columns of judgments by what was declared, and by known names.

    >>> names = ["question_id", "model_a", "model_b", "winner", "worker_id"]
    >>> pair = pair_of(names, Options(), "t.csv")
    >>> pair["left"], pair["winner"], pair["item"], pair["judge"]
    (('model_a',), ('winner',), ('question_id',), ('worker_id',))
    """
    pair = {}
    for role in (*LABELS, *SIDES):
        declared = options.columns_of(role)
        if role == "judge":
            declared = declared or options.columns_of("response")
        called = tuple(column_called(name, names, role, where) for name in declared)
        pair[role] = called or _known(names, role)
    if not all(pair[side] for side in SIDES):
        raise FormatError(
            f"{where} has no columns of two systems and a winner; it has {first_few(names)}",
            Remedy("name them", "columns", dict.fromkeys(SIDES, COLUMN)),
        )
    others = {*names} - {name for role in ("item", *SIDES) for name in pair[role]}
    return pair | {COUNT: (COUNT,) if others == {COUNT} else ()}


def games_in_files(sources: Sequence[Any], options: Options) -> Games:
    """Judgments in a table, or in several files, one below the other."""
    tables = [frame_of(source, options) for source in sources]
    named = [
        frame.select(~cs.nested()).with_columns(pl.lit(place.name).alias(FILE))
        for frame, place in tables
    ]
    frame, place = pl.concat(named, how="diagonal_relaxed"), tables[0][1]
    names = [name for name in frame.columns if name != FILE]
    pair = pair_of(names, options, place.name)
    if len(tables) > 1:
        files, together = frame[FILE].to_list(), f"{len(tables)} x judgments"
        place = Place(together, lambda k: f"{files[k]}, row {k - files.index(files[k]) + 1:,}")
    return games_of(frame, pair, place, options)


def games_in_place(frame: Lazy, origin: str, options: Options) -> Games:
    """Distinct judgments and how often each occurs, counted in files or an engine.

    Items are not distinguished where every judgment has another one.
    """
    kinds = frame.collect_schema()
    names = [name for name in kinds.names() if not kinds[name].is_nested()]
    pair = {**pair_of(names, options, origin), "judge": ()}
    item, times = pair["item"], pair[COUNT]
    if pair["cluster"] or (len(item) == 1 and not times and _are_distinct(frame, item[0])):
        pair["item"] = ()
    where = {*map(plain, options.where)}
    read = [name for columns in pair.values() for name in columns]
    keys = [*dict.fromkeys([*read, *(name for name in names if plain(name) in where)])]
    counted = collected(frame.group_by(*keys).agg(nw.len().alias(TIMES)))
    counted = counted.with_columns(texts(counted[name]) for name in keys).sort(keys)
    place = Place(origin, lambda k: f"row {k + 1:,} of the distinct ones")
    return games_of(counted, pair, place, options)


def _are_distinct(frame: Lazy, name: str) -> bool:
    """Whether every row has an item, and each another one."""
    item = nw.col(name)
    blank = item.is_null() | (item.cast(nw.String).str.strip_chars() == "")
    counts = frame.select(nw.len().alias("rows"), item.n_unique().alias("items"), blank.sum())
    rows, items, blanks = collected(counts).row(0)
    return bool(rows == items and not blanks)


def games_of(frame: pl.DataFrame, pair: Pair, place: Place, options: Options) -> Games:
    """Read every judgment; one without a winner is treated as ``options.missing`` says."""
    frame, place = selected(frame, options.where, place)
    table, (winner,) = _labels(frame, pair, place), pair["winner"]
    table = table.with_columns(outcome=_outcome(frame[winner], table, place.name))
    judged = table.drop_nulls("outcome")
    notes = _missing(table, frame[winner], place, options)
    if judged.is_empty():
        raise FormatError(f"{place.name} has no judgments: there is nothing to compare")
    origin = Path(place.name).name
    return Games(table=judged, pair=pair, origin=origin, where=options.where, notes=notes)


def _labels(frame: pl.DataFrame, pair: Pair, place: Place) -> pl.DataFrame:
    """Names and labels of every row, none of them blank except those of judges."""
    columns = {
        name: joined([complete(texts(frame[x]).str.strip_chars(), x, place) for x in pair[role]])
        for role, name in COMPLETE.items()
        if pair[role]
    }
    if "items" in columns:  # whole prompts are cut down to ids
        items = columns["items"]
        long = items.filter(items.str.len_chars() > LONGEST_ID).unique()
        columns["items"] = items.replace({text: short_id(text) for text in long})
    if pair["judge"]:
        columns["judges"] = joined([texts(frame[x]).fill_null("") for x in pair["judge"]])
    counted = [_floats(frame[name]) for name in (TIMES, *pair[COUNT]) if name in frame.columns]
    columns["counts"] = reduce(mul, counted, pl.repeat(1.0, len(frame), eager=True))
    columns |= {name: frame[name] for name in frame.columns if name == FILE}
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
    count = how_many(int(table["counts"].gather(rows).sum()), "judgment")
    if options.missing in ("drop", "pairwise"):
        return (f"{count} without a winner left out",)
    shown = ", ".join(f"{winner[k] or ''!r} in {place.row(k)}" for k in rows.head(3))
    raise BadValueError(
        f"{place.name}: {count} without a winner that can be read ({shown}): write left, right or "
        "tie, or the winner's name",
        Remedy("leave them out", "missing", "drop"),
        where=Where(column=winner.name),
    )


def _known(names: Collection[str], role: str) -> tuple[str, ...]:
    """The column that is known to have a role, first of all the one that is called so.

    A column called id may number the judgments; of clusters, only ``cluster`` is known.

    >>> _known(["id", "prompt", "question_id"], "item"), _known(["id", "question_id"], "item")
    (('prompt',), ('question_id',))
    """
    roles = KNOWN_AS.get(role, (role,))
    known = [name for each in roles for name in names if role_of(name) == each]
    known += [PREFERENCE] * (role == "winner" and PREFERENCE in names)
    if role == "item":
        known.sort(key=lambda name: plain(name) == "id")
    else:
        known.sort(key=lambda name: plain(name) != role)
    return tuple(name for name in known[:1] if role != "cluster" or plain(name) == role)
