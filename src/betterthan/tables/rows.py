"""Typed rows: a table whose columns have their roles; what tables and logs end in."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from betterthan.data.labels import places_of
from betterthan.errors import COLUMN, BadValueError, FormatError, Remedy, first_few, how_many
from betterthan.tables import cells
from betterthan.tables.cells import Place
from betterthan.tables.checks import check_summary_row
from betterthan.tables.columns import seen
from betterthan.tables.declared import Declared, Roles
from betterthan.tables.roles import roles
from betterthan.tables.selection import of_systems, selected
from betterthan.tables.transposed import turned

EXACT = 2**53
"""Whole numbers up to here are floats, each a different one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Which cell each row fills, with what numbers, under what labels.

    ``keys`` has some of the columns item, system, response and metric, ``scores`` numbers,
    ``labels`` text, a row each. ``name`` is the system where no column names it; ``origin`` says
    what was read.
    ``task`` is the label that names tasks with metrics of their own, and ``lower`` are scores of
    which less is better. ``by_rows`` says that the order of the systems is that of the rows, and
    ``parts`` how many values each column of a joint id has.
    """

    keys: pl.DataFrame
    scores: pl.DataFrame
    labels: pl.DataFrame
    roles: Roles
    origin: str
    name: str = "system"
    task: str | None = None
    lower: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()
    by_rows: bool = False
    parts: dict[str, int] = field(default_factory=dict)
    declared: Declared = field(default_factory=Declared)

    @property
    def wide(self) -> bool:
        """Whether columns of scores are systems, or counts of systems."""
        return self.roles.layout in ("wide", "counts")

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that the rows are of."""
        if self.wide:
            return tuple(self.roles.counts or self.scores.columns)
        return tuple(self.keys["system"].unique(maintain_order=True))

    @property
    def columns(self) -> tuple[str, ...]:
        """What a system has of each item: scores, counts or metrics."""
        if "metric" in self.keys:
            return tuple(self.keys["metric"].unique(maintain_order=True))
        counts = next(iter(self.roles.counts.values()), ("score",))
        return tuple(counts if self.wide else self.scores.columns)

    def of_systems(self, names: Sequence[str]) -> "Rows":
        """Return the rows of some systems, or an error that names the others."""
        places_of(names, self.systems)  # each of them is there
        if self.wide:
            return self
        own = self.keys["system"].is_in(list(names))
        keys, scores, labels = (
            frame.filter(own) if frame.width else frame
            for frame in (self.keys, self.scores, self.labels)
        )
        return replace(self, keys=keys, scores=scores, labels=labels)


def typed(frame: pl.DataFrame, declared: Declared, place: Place, *, name: str = "system") -> Rows:
    """Find the roles of a frame's columns, and give each its type."""
    if declared.transposed:
        frame, declared = turned(frame, declared, place)
        place = Place(place.name)
    frame, place = selected(frame, declared.where, place)
    if frame.is_empty():
        raise FormatError(f"{place.name} has no rows: there is nothing to compare")

    declared = declared.as_written(frame.columns, place.name)
    frame, place = of_systems(frame, declared, place)
    columns = {column.name: column for column in seen(frame)}
    assigned = roles(list(columns.values()), declared, place.name)
    if assigned.metric is not None and len(assigned.scores) > 1:
        raise FormatError(
            f"{place.name} has a column of metrics ({assigned.metric}), and several of "
            f"their scores ({first_few(assigned.scores)})",
            Remedy("choose one", "columns", {"score": assigned.scores[0]}),
        )
    keys = _keys(frame, assigned, name, place)
    read = {x: _scores(frame[x], columns[x].read, place) for x in assigned.scores}
    scores = {x: numbers.values for x, numbers in read.items()}
    if not declared["item"] and assigned.item and assigned.system is None:
        check_summary_row(keys["item"], scores, place)
    return Rows(
        keys=keys,
        scores=pl.DataFrame(scores),
        labels=pl.DataFrame({x: cells.texts(frame[x]) for x in assigned.labels}),
        roles=assigned,
        origin=Path(place.name).name,
        name=name,
        task=assigned.task,
        written=tuple(dict.fromkeys(x.written for x in read.values() if x.written)),
        by_rows=assigned.system is not None and (keys["system"] != keys["system"][0]).any(),
        parts={x: frame[x].n_unique() for x in assigned.item} if len(assigned.item) > 1 else {},
        declared=declared,
    )


def _keys(frame: pl.DataFrame, assigned: Roles, name: str, place: Place) -> pl.DataFrame:
    """Return what says which cell a row fills, as text; ids count within a task."""
    columns = assigned.of_keys
    if assigned.item and assigned.task is not None and assigned.task not in assigned.item:
        columns["item"] = (assigned.task, *assigned.item)
    keys = {
        role: cells.joined([cells.complete(cells.texts(frame[x]), x or "id", place) for x in names])
        for role, names in columns.items()
    }
    if assigned.layout == "single":
        keys["system"] = pl.repeat(name, len(frame), eager=True)
    return pl.DataFrame(keys)


def _scores(column: pl.Series, read: cells.Numbers | None, place: Place) -> cells.Numbers:
    """Check that every cell of a column of scores is a number or blank."""
    if read is None or len(read.odd):
        rows = column.is_not_null().arg_true() if read is None else read.odd
        shown = ", ".join(f"{column[k]!r} in {place.row(k)}" for k in rows.head(3).to_list())
        raise BadValueError(
            f"{place.name}: {column.name!r} has {how_many(len(rows), 'cell')} that must be a "
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
