"""Typed rows: a data frame whose columns have found their roles."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from betterthan.data.frames import cells
from betterthan.data.frames.doubts import found_by_values, only_scores, without_numbers
from betterthan.data.frames.kept_rows import kept_rows, rows_of_systems, typed_where
from betterthan.data.frames.no_scores import WINNERS, battles, refuse_numbered_systems
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import (
    IDS,
    Roles,
    TableLayout,
    keys_of,
    labels_remedy,
    layout_of,
    named_columns,
    plain,
    suggested,
)
from betterthan.data.frames.score_names import of_one_measure, shared_name
from betterthan.data.frames.turned import turned
from betterthan.data.labels import unknown_system
from betterthan.errors import COLUMN, FormatError, Note, Remedy, first_few, how_many

if TYPE_CHECKING:
    import polars as pl

LAYOUT_NAMES: dict[TableLayout, str] = {
    "wide": "wide table",
    "long": "long table",
    "single": "table of one system",
}


MANY = 1000  # systems in a table that says nothing about them


@dataclass(frozen=True, slots=True)
class TypedRows:
    """Typed rows: which cell a row fills, with what numbers, under what labels.

    ``keys`` has columns among item, system, metric and response; ``scores`` has floats, ``labels``
    text. ``origin`` is how the echo names the table, ``name`` the system of a table without one,
    ``columns`` are all that a table has, used or not, ``scored`` those that the scores are from,
    ``spelled`` tells how their numbers were written, and ``percent`` which of several systems wrote
    85%. ``tasks`` is the label that names tasks with metrics of their own, and ``lower`` are scores
    of which less is better; ``empty`` columns were set aside. ``by_rows`` says that the order of
    the systems is that of the rows, and not one in which they were given.
    """

    keys: "pl.DataFrame"
    scores: "pl.DataFrame"
    labels: "pl.DataFrame"
    roles: Roles
    layout: TableLayout
    origin: str
    name: str
    columns: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    percent: frozenset[str] = frozenset()
    tasks: str | None = None
    lower: frozenset[str] = frozenset()
    empty: tuple[str, ...] = ()
    by_rows: bool = False

    @property
    def empty_notes(self) -> tuple[str, ...]:
        """Say which columns are left out where each could have been a system."""
        if self.layout != "wide" or not self.empty:
            return ()
        are = "are" if len(self.empty) > 1 else "is"
        text = f"{first_few(self.empty)} {are} empty, and not compared"
        return (Note(text, labels_remedy(self.empty)),)

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that the rows are of."""
        if "system" not in self.keys.columns:
            return (self.name,)
        return tuple(self.keys["system"].unique(maintain_order=True).to_list())

    def of_systems(self, names: Sequence[str]) -> Self:
        """Return the rows of some systems."""
        for name in names:
            if name not in self.systems:
                raise unknown_system(name, self.systems, named=names)
        if "system" not in self.keys.columns:
            return self
        wanted = self.keys["system"].is_in(list(names))
        labels = self.labels.filter(wanted) if self.labels.width else self.labels
        keys, scores = self.keys.filter(wanted), self.scores.filter(wanted)
        return replace(self, keys=keys, scores=scores, labels=labels)


def typed_rows(
    frame: "pl.DataFrame",
    options: Options,
    *,
    source: str = "",
    name: str = "system",
    many: bool = False,
    place: cells.Place | None = None,
) -> TypedRows:
    """Find the roles of a frame's columns and give each its type.

    ``name`` is the system's where no column names it. Where ``many`` tables make up the data, a
    table without a system column holds one system. ``place`` is how messages name the table.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    place = place or cells.Place(source or "the data frame")
    where = place.name
    if frame.is_empty():
        raise FormatError(f"{where} has no rows: there is nothing to compare")
    frame, place = kept_rows(frame, options.where, place)
    source = f"{source or where} · where {typed_where(options.where)}" if options.where else source
    layout_name, in_order = None, options.systems is not None
    if options.input_format == "transposed":
        frame, options, place, layout_name = turned(frame, options, where)
    if frame.width > 2 * max(MANY, len(frame)):
        _refuse_wide(frame, options, where)
    frame, place, roles, options = _roles(frame, options, place)
    scores, labels = _numbers_and_labels(frame, roles, options, place, many=many)
    free = () if many else _free_numbers(frame, roles, scores, labels, options)
    refuse_numbered_systems(frame, free, roles, where)
    blank = any(column[0] is None or column[0] != column[0] for column in scores.values())
    empty = without_numbers(frame, scores, options, where) if blank else []
    scores = {name: column for name, column in scores.items() if name not in empty}
    if options.score is None:
        scores = only_scores(frame, scores, labels, roles, options, where=where, many=many)
    described = tuple(names_given(options.label, frame.columns)) if options.label else ()
    roles = replace(roles, scores=tuple(scores), labels=tuple(labels), described=described)
    _refuse_unclear(frame, roles, options, place, many=many)
    layout: TableLayout
    if options.input_format in ("wide", "long", "single"):
        layout = options.input_format  # type: ignore[assignment]
    elif many and roles.system is None:
        layout = "single"
        _refuse_many_wide(len(frame), roles, options, where)
    elif options.systems and roles.system is None:
        layout = "wide"
    else:
        layout = layout_of(roles, options, where)
        if layout == "wide" and len(scores) > max(MANY, len(frame)):
            raise FormatError(
                f"{where}: {len(scores):,} columns on {len(frame):,} rows, and as many systems",
                *ITEMS_OR_SYSTEMS,
            )
    if empty and layout == "wide":
        _refuse_lone(scores, empty, where)
    scored = tuple(scores)
    if layout == "wide":
        scored = tuple(of_one_measure(scored, options, where))
        scores = {name: scores[name] for name in scored}
    elif roles.metric is not None:
        scored = (_measured(scored, roles.metric, where),)
        scores = {"score": scores[scored[0]]}
    keys = _keys(frame, roles, place)
    spelled = cells.spellings((frame[c] for c in scored), place)
    return TypedRows(
        keys=keys,
        scores=pl.DataFrame([column.alias(name) for name, column in scores.items()]),
        labels=pl.DataFrame([cells.ids([frame[c]]).alias(c) for c in labels]),
        roles=replace(roles, scores=tuple(scores)),
        layout=layout,
        origin=" · ".join(filter(None, (source, layout_name or LAYOUT_NAMES[layout]))),
        name=name,
        columns=(*frame.columns, *place.unread),
        scored=scored,
        spelled=tuple(spelled),
        percent=frozenset(spelled.get(cells.IN_PERCENT, ()) if layout == "wide" else ()),
        tasks=options.tasks,
        empty=tuple(empty),
        by_rows=not in_order and (layout == "long" or layout_name is not None or place.keyed),
    )


def _refuse_lone(scores: Collection[str], empty: Sequence[str], where: str) -> None:
    """Refuse a table with a column per system of which a single one has scores."""
    if len(scores) == 1:
        raise FormatError(
            f"{where}: {first_few(empty)} {'are' if len(empty) > 1 else 'is'} empty, and only "
            f"{first_few(scores)} is left to compare: fill in the scores",
            labels_remedy(empty),
        )


def _roles(
    frame: "pl.DataFrame", options: Options, place: cells.Place
) -> "tuple[pl.DataFrame, cells.Place, Roles, Options]":
    """Which columns are keys, by what was said, by their names and by their values.

    The rows are those of the systems asked for, and the options have the column of tasks as the
    table spells it.
    """
    where = place.name
    if options.tasks is not None:
        (tasks,) = named_columns(frame.columns, options, where, "tasks")
        options = replace(options, tasks=tasks)
    roles = keys_of(frame.columns, options, where)
    if options.input_format in ("wide", "single"):
        roles = replace(roles, system=None)
    elif options.input_format == "long" and roles.system is None:
        raise FormatError(
            f"{where}: a long table has a column that names the system, and none of "
            f"{first_few(frame.columns)} is known to",
            Remedy("name it", "columns", {"system": COLUMN}),
        )
    frame, place = rows_of_systems(frame, roles.system, options.systems, place)
    roles = found_by_values(frame, roles, options, where)
    frame, place = rows_of_systems(frame, roles.system, options.systems, place)
    if options.tasks and roles.item and options.tasks not in roles.item:
        roles = replace(roles, item=(options.tasks, *roles.item))  # ids count within a task
    return frame, place, roles, options


def merge(tables: Sequence[TypedRows], files: Sequence[str]) -> TypedRows:
    """Put the tables of several files together, one below the other, as one long table."""
    import polars as pl  # noqa: PLC0415 (heavy)

    first = tables[0]
    if any(table.layout == "wide" for table in tables):
        raise FormatError(
            f"{first_few(files)}: tables with a column per system can only be given one at a time"
        )
    for role in ("item", "metric", "response"):
        has = [role in table.keys.columns for table in tables]
        if len(set(has)) > 1:
            raise FormatError(
                f"{files[has.index(True)]} has a column for the {role} and "
                f"{files[has.index(False)]} has none",
                Remedy("name a column that both have", "columns", {role: COLUMN}),
            )
    widths = {len(table.scores.columns) for table in tables}
    names = tuple(first.scores.columns)
    if widths == {1}:
        columns = [table.scores.columns[0] for table in tables]
        systems = [table.name if table.layout == "single" else "" for table in tables]
        names = (shared_name(columns, systems, files),)
    scores = []
    for table, file in zip(tables, files, strict=True):
        if widths != {1} and set(table.scores.columns) != set(names):
            raise FormatError(
                f"{files[0]} has the scores {first_few(names)}, {file} has "
                f"{first_few(table.scores.columns)}; tables with a column per system are read one "
                "at a time",
                Remedy("compare a column that every file has", "columns", {"score": COLUMN}),
            )
        scores.append(
            table.scores.rename({table.scores.columns[0]: names[0]})
            if widths == {1}
            else table.scores.select(names)
        )
    keys = [
        table.keys
        if "system" in table.keys.columns
        else table.keys.with_columns(pl.lit(table.name).alias("system"))
        for table in tables
    ]
    labels = dict.fromkeys(name for table in tables for name in table.labels.columns)
    return replace(
        first,
        keys=pl.concat([k.select(sorted(k.columns)) for k in keys]),
        scores=pl.concat(scores),
        labels=pl.concat(
            [
                pl.DataFrame(
                    [
                        table.labels[n]
                        if n in table.labels.columns
                        else pl.Series(n, [None], dtype=pl.String).new_from_index(
                            0, len(table.keys)
                        )
                        for n in labels
                    ]
                )
                for table in tables
            ]
        ),
        roles=replace(first.roles, scores=names, labels=tuple(labels)),
        layout="long",
        columns=tuple(
            dict.fromkeys(
                name
                for table in tables
                for name in table.columns
                if table is first or name not in table.roles.keys
            )
        ),
        scored=tuple(dict.fromkeys(name for table in tables for name in table.scored)),
        spelled=tuple(dict.fromkeys(text for table in tables for text in table.spelled)),
        percent=frozenset(
            system
            for table in tables
            if cells.IN_PERCENT in table.spelled and widths == {1}
            for system in table.systems
        ),
        origin=how_many(len(files), "file")
        + (", one per system" if all(t.layout == "single" for t in tables) else " · long tables")
        + ", in a column of its name" * (names[0] not in first.scores.columns),
        by_rows=any(table.by_rows and len(table.systems) > 1 for table in tables),
    )


def _refuse_wide(frame: "pl.DataFrame", options: Options, where: str) -> None:
    """Refuse far more columns than can be looked at one by one, unless it is said what they are."""
    if not (options.input_format or options.systems or options.score or options.metrics):
        raise FormatError(
            f"{where}: {frame.width:,} columns on {len(frame):,} rows",
            *ITEMS_OR_SYSTEMS,
            Remedy("one column is the score", "columns", {"score": COLUMN}),
        )


ITEMS_OR_SYSTEMS = (
    Remedy("the columns are items", "input_format", "transposed"),
    Remedy("they are systems", "input_format", "wide"),
)


def _numbers_and_labels(
    frame: "pl.DataFrame", roles: Roles, options: Options, where: cells.Place, *, many: bool
) -> "tuple[dict[str, pl.Series], list[str]]":
    """Tell columns of numbers from columns of labels, leaving out nested values and keys."""
    import polars as pl  # noqa: PLC0415 (heavy)

    columns, known = frame.columns, where.name
    asked = named_columns(columns, options, known, "score")
    described = named_columns(columns, options, known, "label", "tasks")
    if options.systems and roles.system is None and not many:
        asked = asked or named_columns(columns, options, known, "systems")
    scores = {name: cells.required_numbers(frame[name], where) for name in asked}
    labels, keys = [], roles.keys
    for column in frame.get_columns():
        name = column.name
        if name in scores:
            continue
        if column.dtype.is_nested() or column.dtype == pl.Object:
            if name == roles.cluster or name in described:
                raise cells.no_label(column)
            continue
        if name == roles.cluster:
            labels.append(name)
        elif name in keys:
            # A part of an item's id may be what its items share: the passage of a question.
            labels += [name] * (len(roles.item) > 1 and name in roles.item)
        elif not suggested(name).isdisjoint(IDS) or name in described:
            labels.append(name)
        elif asked:
            labels += [name] * cells.are_labels(column)
        else:
            read = cells.numbers(column, where)
            if read is None:
                labels.append(name)
            else:
                scores[name] = read
    return scores, labels


def _free_numbers(
    frame: "pl.DataFrame",
    roles: Roles,
    scores: Collection[str],
    labels: Collection[str],
    options: Options,
) -> list[str]:
    """Columns of numbers that nobody named as scores."""
    taken = {*roles.keys, *labels, *named_columns(frame.columns, options, "", "score")}
    free = [column for column in frame.get_columns() if column.name not in taken]
    told = options.score is not None  # so that nobody looked at the others
    return [c.name for c in free if c.name in scores or (told and not cells.are_labels(c))]


def _keys(frame: "pl.DataFrame", roles: Roles, where: cells.Place) -> "pl.DataFrame":
    """Spell the columns that say which cell a row fills, none of them blank."""
    import polars as pl  # noqa: PLC0415 (heavy)

    keys = {"item": cells.ids([frame[c] for c in roles.item])} if roles.item else {}
    if roles.item[1:] and keys["item"].null_count():
        for name in roles.item:  # which of them is blank
            cells.complete(cells.ids([frame[name]]), repr(name), where)
    for role in ("system", "metric", "response"):
        if name := getattr(roles, role):
            keys[role] = cells.ids([frame[name]])
    if not keys:
        return pl.DataFrame({"row": pl.int_range(len(frame), eager=True)})
    return pl.DataFrame(
        [cells.complete(column, role, where).alias(role) for role, column in keys.items()]
    )


def _measured(scores: Sequence[str], metric: str, where: str) -> str:
    """Find the one score column that goes with a column of metric names."""
    named = [c for c in scores if "score" in suggested(c)] if len(scores) > 1 else scores
    if len(named) == 1:
        return named[0]
    raise FormatError(
        f"{where}: column {metric!r} names the metric of each row, and {first_few(scores)} could "
        "each be its value",
        *(Remedy("", "columns", {"score": name}) for name in scores[:3]),
    )


def _refuse_many_wide(rows: int, roles: Roles, options: Options, where: str) -> None:
    """Ask what several columns of unknown names are, where one file per system is expected."""
    known = any("score" in suggested(name) for name in roles.scores)
    if len(roles.scores) > 1 and not known and options.score is None:
        if rows == 1:
            raise FormatError(
                f"{where} is one record of {len(roles.scores):,} numbers: if "
                f"{first_few(roles.scores)} are items, write a record for each, as jq -c "
                "'to_entries[] | {id: .key, score: .value}' does"
            )
        raise FormatError(
            f"{where}: are {first_few(roles.scores)} scores of one system? Tables with a column "
            "per system are read one at a time",
            Remedy("they are", "input_format", "single"),
        )


def _inside(where: cells.Place, roles: Roles, *, many: bool) -> list[Remedy]:
    """How to name scores, or systems, inside nested values."""
    name = (*where.inside, COLUMN)[0]
    remedies = [Remedy("name the column of the score", "columns", {"score": name})]
    if len(where.inside) < 2 or roles.system is not None or many:
        return remedies
    return [Remedy("these are systems", "systems", list(where.inside)), *remedies]


def _refuse_unclear(
    frame: "pl.DataFrame", roles: Roles, options: Options, where: cells.Place, *, many: bool
) -> None:
    if not roles.scores and (said := battles(frame.columns, where.name)):
        raise said
    if not roles.scores:
        held = [f"{c!r} holds {frame[c][0]!r}" for c in roles.labels if c not in roles.item][:1]
        shown = "".join(f" ({text})" for text in held)
        raise FormatError(
            f"{where}: there is no column of numbers to compare among {first_few(frame.columns)}"
            f"{shown}: write scores as plain numbers",
            *_inside(where, roles, many=many),
        )
    judged = [c for c in frame.columns if plain(c) in WINNERS]
    if judged and options.score is None and roles.system is None:
        raise FormatError(
            f"{where}: {judged[0]!r} looks like a judgment of two systems, not a score of one: "
            "write a row per item and system with a score",
            Remedy("another column is the score", "columns", {"score": COLUMN}),
        )
    run = roles.response
    if roles.system or options.response or run is None or plain(run) not in ("run", "run_id"):
        return
    if cells.are_labels(frame[run]):
        raise FormatError(
            f"{where}: does {run!r} name the system or a repeat of one?",
            Remedy("the system", "columns", {"system": run}),
            Remedy("a repeat", "columns", {"response": run}),
        )
