"""Judgments in a table, a row each: left and right, who won, on what and by whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from betterthan.data.judgments import outcomes
from betterthan.errors import BadValueError, FormatError, Remedy, how_many
from betterthan.readers.judgments.pairs import PREFERENCE, Pair
from betterthan.readers.logs.runs import LONGEST_ID, short_id
from betterthan.readers.options import Options
from betterthan.tables.cells import Place, complete, joined, numbers, texts
from betterthan.tables.rows import kept

if TYPE_CHECKING:
    import polars as pl

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

    table: "pl.DataFrame"
    pair: Pair
    systems: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()

    def described(self, origin: str, systems: Sequence[str], *more: str) -> str:
        """Say on one line what was read and how, as options that can be pasted back."""
        few = len(systems) <= SHOWN
        shown = f"--systems {quote(','.join(systems))}" if few else f"{len(systems)} systems"
        return " · ".join((origin, self.pair.typed, shown, *more))


def games_of(frame: "pl.DataFrame", pair: Pair, place: Place, options: Options) -> Games:
    """Read every judgment; one without a winner is treated as ``options.missing`` says."""
    import polars as pl  # noqa: PLC0415 (heavy)

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


def _labels(frame: "pl.DataFrame", pair: Pair, place: Place) -> "pl.DataFrame":
    """Names and labels of every row, none of them blank except those of judges."""
    import polars as pl  # noqa: PLC0415 (heavy)

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


def _floats(column: "pl.Series") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (heavy)

    read = numbers(column)
    return pl.Series([None] * len(column), dtype=pl.Float64) if read is None else read.values


def _outcome(winner: "pl.Series", table: "pl.DataFrame", where: str) -> "pl.Series":
    """1 where the left one won, 0.5 for a draw; null where that cannot be read."""
    import polars as pl  # noqa: PLC0415 (heavy)

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
    table: "pl.DataFrame", winner: "pl.Series", place: Place, options: Options
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
