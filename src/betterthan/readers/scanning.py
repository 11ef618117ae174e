"""Scanning: tables larger than memory, and tables in engines, grouped and counted where they are.

What comes back is a tally, whose verdict, p-value and signature are those of the items.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from glob import has_magic
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from betterthan.data.frames.cells import MISSING
from betterthan.data.frames.evidence import refuse_other_units
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import chosen_columns, possible_scores, suggested
from betterthan.data.frames.typed_rows import TypedRows, typed_rows
from betterthan.data.labels import unknown_system
from betterthan.data.tallied import Tallied
from betterthan.errors import (
    COLUMN,
    FormatError,
    Note,
    Remedy,
    UsageError,
    first_few,
    how_many,
    listing,
)
from betterthan.metrics import resolve
from betterthan.readers import scan_queries as ask
from betterthan.readers.families import check_names
from betterthan.readers.files import called, meant, suffix, system_names
from betterthan.readers.remedies import READ_ITEMS
from betterthan.readers.scan_queries import ScannedItems, collected
from betterthan.readers.scan_sources import (
    HEAD,
    called_alike,
    engine_errors,
    kept_lazily,
    lazy_table,
    refuse_other_items,
    refuse_unlike,
    unscanned,
)
from betterthan.readers.tables import table_files
from betterthan.readers.tables.parquet import quiet

if TYPE_CHECKING:
    import polars as pl

    from betterthan.readers.scan_queries import Lazy

MOST_SYSTEMS, MOST_COLUMNS = 1000, 5000


def scan(sources: Sequence[Any], options: Options) -> Tallied:
    """Group and count in place: files larger than memory, or a table in an engine, to a tally.

    Sources are Parquet, CSV or NDJSON files or patterns of them, or lazy frames: one table in parts
    or one for each system. What is not said is told from the first rows. The rows of a long table
    have no order in an engine, so that the baseline has to be named. The values of the first label
    are tallied apart as well.
    """
    labels = names_given(options.label, ())
    by = labels[0] if labels else None
    wanted = partial(possible_scores, options=options, where="")
    names = _names(sources)
    asked = names_given(options.systems, names)
    if len(sources) > 1 and asked and set(asked).issubset(names):  # others decide nothing
        sources, names = [sources[names.index(name)] for name in asked], asked
        options = replace(options, systems=None)
    tables = [lazy_table(source, table_files, wanted) for source in sources]
    try:
        with quiet():
            tables = [(kept_lazily(frame, options.where, place), place) for frame, place in tables]
            for frame, where in tables:
                width = len(frame.collect_schema())
                if width > MOST_COLUMNS:
                    raise FormatError(f"{where} has {width:,} columns: select those that are meant")
            _refuse_nested(tables[0], sources[0], options)
            head = _head(tables[0][0])
            many = len(tables) > 1 and _names_columns(options, head.columns)
            typed = typed_rows(head, options, source=tables[0][1], name=names[0], many=many)
            _refuse_filled(tables, typed)
            if len(tables) > 1 and len(typed.scored) == 1 and typed.layout != "long":
                tables, typed = called_alike(tables, names, typed, options, _files(sources))
            roles = typed.roles
            named = filter(None, (*roles.item, roles.system, roles.cluster, by))
            refuse_unlike(sources, [*named])
            if options.item is None and typed.layout != "wide" and roles.item:
                refuse_other_items(tables, typed)
            items, columns, told = _items(tables, names, typed, options, by)
            if not items.held:
                items.refuse_duplicates()
            check_names(_files(sources), items.systems)
            rows, labelled = items.tallied()
    except engine_errors() as error:
        raise unscanned(sources, error) from error
    if len(columns) == 1:
        refuse_other_units(
            items.systems,
            rows.items.rows,
            told,
            named=names_given(options.systems, items.systems),
            cost=options.lower_is_better,
            counts=rows.items.counts,
        )
    made = Tallied(
        systems=items.systems,
        columns=columns,
        rows=rows,
        by=by,
        labelled=labelled,
        lower_is_better=options.lower_is_better,
        shuffled=typed.layout == "long" and not options.systems,
        by_rows=typed.layout == "wide" and not options.systems and _in_json(sources[0]),
        source=" · ".join(
            [
                told,
                *([f"not compared: {listing(typed.empty)}"] if typed.empty else []),
                f"{how_many(rows.items.units, 'item')}, grouped and counted in place",
            ]
        ),
        notes=(*typed.empty_notes, *_shared(typed)),
    )
    if len(options.metrics) != 1:
        return made
    return replace(made, metric=repr(made.measured(options.metrics[0])))


def _files(sources: Sequence[Any]) -> list[Path]:
    return [meant(source)[0] for source in sources if isinstance(source, str | PathLike)]


def _refuse_nested(table: "tuple[Lazy, str]", source: Any, options: Options) -> None:
    """Refuse ids that are records or lists in JSON, as reading does; those of Parquet are typed."""
    frame, where = table
    if _in_json(source):
        schema = frame.collect_schema()
        nested = [name for name in schema if schema[name].is_nested()]
        others = [name for name in schema if name not in nested]
        table_files.refuse_nested_ids(nested, others, options, where)


def _in_json(source: Any) -> bool:
    return isinstance(source, str | PathLike) and suffix(meant(source)[0]) == "jsonl"


def _names_columns(options: Options, columns: Sequence[str]) -> bool:
    """Whether a metric names columns that are there: then they are scores, and no systems."""
    with suppress(UsageError):  # a metric that nobody knows is told when it is asked for
        return bool(chosen_columns(columns, Options(metric=options.metric)))
    return False


def _refuse_filled(tables: "Sequence[tuple[Lazy, str]]", typed: TypedRows) -> None:
    """Refuse columns that the first rows leave empty, and later ones or other tables do not."""
    for k, (frame, where) in enumerate(tables if typed.empty else ()):
        schema = frame.collect_schema()
        whole = k == 0 and len(typed.keys) < HEAD
        for name in typed.empty if not whole else ():
            if name not in schema or (k > 0 and not schema[name].is_numeric()):
                continue  # texts are labels, in whatever rows
            least, most = nw.col(name).min().alias("least"), nw.col(name).max().alias("most")
            (found,) = collected(frame.select(least, most)).rows()
            if any(str(value).strip().lower() not in MISSING for value in found):
                raise FormatError(
                    f"{where}: column {name!r} is filled, and empty in the first rows of "
                    f"{tables[0][1]}",
                    Remedy("it is no score", "columns", {"label": name}),
                    READ_ITEMS,
                )


def _names(sources: Sequence[Any]) -> list[str]:
    """What systems are called that have a source each: by their files, or the pattern's folder."""
    files = _files(sources)
    if len(files) < len(sources):
        return [f"system {k}" for k in range(1, len(sources) + 1)]
    return system_names(
        [
            Path(s).parent if has_magic(Path(s).name) and not called(file) else file
            for s, file in zip(sources, files, strict=True)
        ]
    )


def _items(
    tables: "list[tuple[Lazy, str]]",
    names: list[str],
    typed: TypedRows,
    options: Options,
    by: str | None,
) -> tuple[ScannedItems, tuple[str, ...], str]:
    """One row per item, whatever the layout; the score columns; and how all was understood."""
    where, several = tables[0][1], len(tables) > 1
    if typed.roles.metric or typed.roles.response:
        role = "metric" if typed.roles.metric else "response"
        raise UsageError(
            f"{where}: tables with a column that names the {role} "
            f"({getattr(typed.roles, role)}) cannot be counted in place",
            READ_ITEMS,
        )
    if options.metric is not None and typed.layout != "wide":
        measures = (resolve(name, typed.scored) for name in options.metrics)
        columns = dict.fromkeys(column for measure in measures for column in measure.columns)
        typed = replace(typed, scored=tuple(columns))
    roles, scores = typed.roles, typed.scored
    used = [*dict.fromkeys(filter(None, (*roles.item, roles.system, roles.cluster, by, *scores)))]
    frames = [_of_columns(frame, used, scores, place) for frame, place in tables]
    each = "one table per system" + ", in a column of its name" * (scores[0] not in roles.scores)
    told = [where, each if typed.layout == "single" else f"{typed.layout} table"]
    told += [f"item={'+'.join(roles.item)}"] * bool(roles.item)
    told += [f"cluster={roles.cluster}"] * bool(roles.cluster)
    if typed.layout == "wide":
        wide = _wide(nw.concat(frames) if several else frames[0], where, typed, by)
        return wide, ("score",), " · ".join([*told, f"systems {', '.join(wide.systems)}"])
    if not roles.item:
        raise FormatError(
            f"{where}: rows of one item are put together by its id, and no column names the item",
            Remedy("", "columns", {"item": COLUMN}),
        )
    if typed.layout == "single":
        if not several:
            raise UsageError(
                f"{where} holds a single system ({', '.join(scores)}): give a table for each"
            )
        system, found = "bt_system", tuple(names)
        numbers = [nw.col(name).cast(nw.Float64) for name in scores]
        frames = [
            frame.with_columns(*numbers, nw.lit(name).alias(system))
            for frame, name in zip(frames, names, strict=True)
        ]
        long = nw.concat(frames)
    else:
        system = str(roles.system)
        long = nw.concat(frames) if several else frames[0]
        found = _systems(long, system, options, where)
        if options.systems is not None:  # others decide nothing
            long = long.filter(_named(long, system).is_in(found))
    items = _pivoted(long, typed, by, system=system, systems=found, where=where)
    told.append(f"scores {', '.join(scores)}")
    return items, scores, " · ".join([*told, f"systems {', '.join(found)}"])


def _shared(typed: TypedRows) -> tuple[str, ...]:
    """Note columns that look like clusters and are not used; the first rows tell."""
    items = typed.keys["item"].n_unique() if typed.roles.item else len(typed.labels)
    return tuple(
        Note(
            f"items share values of {name!r} and may not be independent",
            Remedy("", "columns", {"cluster": name}),
            beside_verdict=True,
        )
        for name in typed.labels.columns
        if typed.roles.cluster is None
        and "cluster" in suggested(name)
        and typed.labels[name].n_unique() < items
    )


def _head(frame: "Lazy") -> "pl.DataFrame":
    return collected(frame.head(HEAD))


def _of_columns(frame: "Lazy", used: Sequence[str], scores: Sequence[str], where: str) -> "Lazy":
    """Only the columns that are used, in one order: engines may put tables together by places."""
    schema = frame.collect_schema()
    for name in used:
        if name not in schema:
            raise FormatError(f"{where} has no column {name!r}; it has {first_few(schema)}")
    for name in scores:
        if not (schema[name].is_numeric() or schema[name] == nw.Boolean):
            raise FormatError(
                f"{where}: column {name!r} holds {schema[name]}, and only numbers can be counted",
                READ_ITEMS,
            )
    return frame.select(*used)


def _numbers(frame: "Lazy", name: str) -> nw.Expr:
    """Read a column as a number: truth values are 0 and 1, decimals floats."""
    kind = frame.collect_schema()[name]
    if kind == nw.Boolean:
        return nw.col(name).cast(nw.Int64)
    return nw.col(name) if kind.is_integer() or kind.is_float() else nw.col(name).cast(nw.Float64)


def _keys(typed: TypedRows, by: str | None) -> list[nw.Expr]:
    """Item, cluster and label under names of our own."""
    keys = [nw.col(name).alias(f"{ask.ITEM}{k}") for k, name in enumerate(typed.roles.item)]
    keys += [nw.col(typed.roles.cluster).alias(ask.CLUSTER)] if typed.roles.cluster else []
    return keys + ([nw.col(by).alias(ask.LABEL)] if by else [])


def _wide(frame: "Lazy", where: str, typed: TypedRows, by: str | None) -> ScannedItems:
    values = [_numbers(frame, name).alias(f"{ask.VALUE}{k}") for k, name in enumerate(typed.scored)]
    return ScannedItems(
        frame=frame.select(*_keys(typed, by), *values),
        where=where,
        item=len(typed.roles.item),
        systems=tuple(typed.scored),
        width=1,
        clustered=typed.roles.cluster is not None,
        labelled=by is not None,
    )


def _systems(frame: "Lazy", system: str, options: Options, where: str) -> tuple[str, ...]:
    """Names of the systems of a long table: as asked for, or sorted."""
    unique = collected(frame.select(_named(frame, system)).unique().head(MOST_SYSTEMS + 1))
    there = sorted(unique[system].drop_nulls().to_list())
    if len(unique) > MOST_SYSTEMS or unique[system].null_count():
        raise FormatError(
            f"{where}: column {system!r} names more than {MOST_SYSTEMS:,} systems, or is blank "
            "somewhere",
            Remedy("another column", "columns", {"system": COLUMN}),
        )
    if options.systems:
        chosen = names_given(options.systems, there)
        if unknown := [name for name in chosen if name not in there]:
            raise unknown_system(unknown[0], there, named=chosen)
        return tuple(chosen)
    return tuple(there)


def _named(frame: "Lazy", system: str) -> nw.Expr:
    """Names as text; numbers as they are when read, 1 for 1.0."""
    text = nw.col(system).cast(nw.String)
    whole = frame.collect_schema()[system].is_float()
    return text.str.replace_all(r"\.0$", "") if whole else text


def _pivoted(
    frame: "Lazy",
    typed: TypedRows,
    by: str | None,
    *,
    system: str,
    systems: tuple[str, ...],
    where: str,
) -> ScannedItems:
    """Put the rows of an item side by side, and count how many each system has."""
    scores = typed.scored
    of = [_named(frame, system) == name for name in systems]
    values = [_numbers(frame, name) for name in scores]
    width = len(scores)
    made = frame.select(
        *_keys(typed, by),
        *(
            nw.when(own).then(value).alias(f"{ask.VALUE}{s * width + k}")
            for s, own in enumerate(of)
            for k, value in enumerate(values)
        ),
        *(own.cast(nw.Int64).alias(f"{ask.HELD}{s}") for s, own in enumerate(of)),
    )
    keys = [f"{ask.ITEM}{k}" for k in range(len(typed.roles.item))]
    number = width * len(systems)
    shared = [ask.CLUSTER] * (typed.roles.cluster is not None) + [ask.LABEL] * (by is not None)
    together = partial(_together, keys, number, len(systems), shared)
    # A cluster may have items in every part, so that its sums need all of them at once.
    parts = [] if typed.roles.cluster else ask.in_parts(made, keys, rows=len(systems))
    return ScannedItems(
        frame=together(made),
        where=where,
        item=len(keys),
        systems=systems,
        width=width,
        held=True,
        clustered=typed.roles.cluster is not None,
        labelled=by is not None,
        parts=tuple(map(together, parts)),
    )


def _together(
    keys: Sequence[str], number: int, systems: int, shared: Sequence[str], made: "Lazy"
) -> "Lazy":
    """One row for each item, with the largest of its values and how many rows each system has."""
    grouped = made.group_by(list(keys)).agg(
        *(nw.col(f"{ask.VALUE}{k}").max() for k in range(number)),
        *(nw.col(f"{ask.HELD}{s}").sum() for s in range(systems)),
        *(nw.col(name).min() for name in shared),
        *(nw.col(name).max().alias(ask.ALIKE + name) for name in shared),
    )
    named = (~ask.is_blank(grouped, keys)).cast(nw.Int64)
    grouped = grouped.with_columns(named.alias(ask.NAMED))
    for name in shared:
        alike = (nw.col(name) == nw.col(ask.ALIKE + name)).cast(nw.Int64)
        grouped = grouped.with_columns(alike.alias(ask.ALIKE + name))
    return grouped
