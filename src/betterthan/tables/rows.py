"""Typed rows: a table whose columns have their roles; what tables and logs end in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from betterthan.data.labels import places_of
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    BadValueError,
    FormatError,
    Remedy,
    first_few,
    how_many,
)
from betterthan.tables import cells
from betterthan.tables.cells import Place
from betterthan.tables.checks import check_summary_row
from betterthan.tables.columns import seen
from betterthan.tables.declared import Declared, Roles
from betterthan.tables.roles import roles
from betterthan.tables.selection import kept, of_systems

EXACT = 2**53
"""Whole numbers up to here are floats, each a different one."""
ITEM = "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Which cell each row fills, with what numbers, under what labels.

    ``keys`` has some of the columns item, system and response, ``scores`` numbers, ``labels`` text,
    a row each. ``name`` is the system where no column names it; ``origin`` says what was read, and
    ``where`` which rows of it.
    ``task`` is the label that names tasks with metrics of their own, and ``lower`` are scores of
    which less is better. ``as_read`` are the roles before counts or metrics were put into columns,
    ``by_rows`` says that the order of the systems is that of the rows, and ``parts`` how many
    values each column of a joint id has.
    """

    keys: pl.DataFrame
    scores: pl.DataFrame
    labels: pl.DataFrame
    roles: Roles
    origin: str
    as_read: Roles | None = None
    name: str = "system"
    task: str | None = None
    lower: frozenset[str] = frozenset()
    where: Mapping[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    by_rows: bool = False
    parts: dict[str, int] = field(default_factory=dict)
    declared: Declared = field(default_factory=Declared)

    @property
    def wide(self) -> bool:
        """Whether columns of scores are systems."""
        return self.roles.layout == "wide"

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that the rows are of."""
        if self.wide:
            return tuple(self.scores.columns)
        if "system" not in self.keys.columns:
            return (self.name,)
        return tuple(self.keys["system"].unique(maintain_order=True).to_list())

    def of_systems(self, names: Sequence[str]) -> "Rows":
        """Return the rows of some systems, or an error that names the others."""
        places_of(names, self.systems)  # each of them is there
        if self.wide or "system" not in self.keys.columns:
            return self
        kept = self.keys["system"].is_in(list(names))
        labels = self.labels.filter(kept) if self.labels.width else self.labels
        return replace(
            self, keys=self.keys.filter(kept), scores=self.scores.filter(kept), labels=labels
        )


def typed(
    frame: pl.DataFrame,
    declared: Declared,
    place: Place,
    *,
    origin: str = "",
    name: str = "system",
    where: Mapping[str, str] | None = None,
) -> Rows:
    """Find the roles of a frame's columns, and give each its type."""
    frame, place = kept(frame, where or {}, place)
    if frame.is_empty():
        raise FormatError(f"{place.name} has no rows: there is nothing to compare")

    frame, place = of_systems(frame, declared, place)
    as_read = found = roles(seen(frame), declared, place.name)
    if found.layout == "counts":
        frame, found = _stacked(frame, found)
    if found.metric is not None:
        frame, found = _pivoted(frame, found, place)
    read = {name: _scores(frame[name], place) for name in found.scores}
    scores = {name: numbers.values for name, numbers in read.items()}
    keys = _keys(frame, found, place)
    if not declared["item"] and "item" in keys and "system" not in keys:
        check_summary_row(keys["item"], scores, place)
    return Rows(
        keys=_frame(keys),
        scores=_frame(scores),
        labels=_frame({name: cells.texts(frame[name]) for name in found.labels}),
        roles=found,
        as_read=as_read,
        origin=origin or place.name,
        name=name,
        task=found.task,
        where=where or {},
        written=tuple(dict.fromkeys(x.written for x in read.values() if x.written)),
        by_rows=as_read.layout == "long" and (keys["system"] != keys["system"][0]).any(),
        parts={x: frame[x].n_unique() for x in found.item} if len(found.item) > 1 else {},
        declared=declared,
    )


def _frame(columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    return pl.DataFrame([column.alias(name) for name, column in columns.items()])


def _stacked(frame: pl.DataFrame, found: Roles) -> tuple[pl.DataFrame, Roles]:
    """Put the counts of systems one below the other."""
    others = [name for name in frame.columns if name not in found.scores]
    parts = [
        frame.select(
            *others,
            pl.lit(system).alias("system"),
            *(pl.col(column).alias(count) for count, column in columns.items()),
        )
        for system, columns in found.counts.items()
    ]
    counts = tuple(next(iter(found.counts.values())))
    keep = {"layout": "long", "system": "system", "scores": counts}
    if not found.item:  # rows are paired by position
        parts = [part.with_row_index(ITEM, offset=1) for part in parts]
        keep |= {"item": (ITEM,)}
    return pl.concat(parts), replace(found, **keep)  # type: ignore[arg-type]


def _pivoted(frame: pl.DataFrame, found: Roles, place: Place) -> tuple[pl.DataFrame, Roles]:
    """Make a column of each value of the column that names metrics."""
    (score, *more) = found.scores
    if more:
        raise FormatError(
            f"{place.name} has a column of metrics ({found.metric}), and several of their scores "
            f"({first_few(found.scores)})",
            Remedy("choose one", "columns", {"score": score}),
        )
    metric = str(found.metric)
    named = (*found.item, found.task, found.system, found.response)
    keys = list(dict.fromkeys(name for name in named if name))
    frame = frame.with_columns(cells.texts(frame[metric]))
    repeated = frame.select(*keys, metric).is_duplicated()
    if repeated.any():
        raise AlignmentError(
            f"{place.name} has several scores of one item and metric "
            f"({place.row(int(repeated.arg_true()[0]))}): remove the duplicates",
            Remedy("it numbers repeats", "columns", {"response": COLUMN}),
        )
    first = frame.unique(keys, keep="first", maintain_order=True)
    scores = frame.pivot(metric, index=keys, values=score, maintain_order=True).drop(keys)
    frame = first.select(list(dict.fromkeys([*keys, *found.labels]))).hstack(scores)
    return frame, replace(found, metric=None, scores=tuple(scores.columns))


def _scores(column: pl.Series, place: Place) -> cells.Numbers:
    """Read a column of scores; every cell is a number or blank."""
    read = cells.numbers(column)
    if read is None or len(read.odd):
        rows = range(len(column)) if read is None else read.odd.to_list()
        bad = [k for k in rows if column[k] is not None]
        shown = ", ".join(f"{column[k]!r} in {place.row(k)}" for k in bad[:3])
        raise BadValueError(
            f"{place.name}: {column.name!r} has {how_many(len(bad), 'cell')} that must be a "
            f"number ({shown}): correct them, or leave them empty",
            Remedy("another column is the score", "columns", {"score": COLUMN}),
        )
    large = read.values.cast(pl.Float64).abs() >= EXACT
    if large.any() and column.dtype == pl.String:  # 1e20 is a float, not meant to the last digit
        large &= column.str.contains(r"^\s*[+-]?\d+\s*$")
    if large.any() and not column.dtype.is_float():
        k = int(large.arg_true()[0])
        raise BadValueError(
            f"{place.name}: {column.name!r} holds {column[k]} in {place.row(k)}, and floats skip "
            "whole numbers beyond 2^53: subtract one number from all scores"
        )
    return read


def _keys(frame: pl.DataFrame, found: Roles, place: Place) -> dict[str, pl.Series]:
    def key(name: str, what: str) -> pl.Series:
        return cells.complete(cells.texts(frame[name]), what, place)

    keys = {}
    if found.item:
        keys["item"] = cells.joined([key(name, name or "id") for name in found.item])
        if found.task is not None and found.task not in found.item:  # ids count within a task
            keys["item"] = cells.joined([frame[found.task], keys["item"]])
    named = {"system": found.system, "response": found.response}
    return keys | {role: key(name, role) for role, name in named.items() if name is not None}
