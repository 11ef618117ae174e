"""Tables in files and engines, grouped and counted where they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import FormatError, how_many
from betterthan.readers.files import chosen
from betterthan.readers.lazy_sources import LOOKED_AT, opened, place_of, reported, stacked
from betterthan.readers.options import Options
from betterthan.readers.table_files import names_of, rows_of_tables, scores_of
from betterthan.tables import counted as ask
from betterthan.tables.cells import Place, complete, texts
from betterthan.tables.counted import READ_ITEMS, Lazy, collected
from betterthan.tables.item_labels import may_share
from betterthan.tables.merged import merged
from betterthan.tables.names import plain, role_of
from betterthan.tables.read_line import read_as
from betterthan.tables.rows import Rows
from betterthan.tables.selection import check_systems, values_called, where_column

MOST_SYSTEMS = 1000


def count(sources: Sequence[Any], options: Options) -> Tallied:
    """Group and count tables where they are: one, its parts, or one per system."""
    sources, names = chosen(sources, options.systems, names_of)
    places = list(map(place_of, sources))
    with reported(sources[0]):
        several = zip(sources, places, strict=True)
        tables = [kept(opened(source), options.where, place) for source, place in several]
        heads = [collected(table.head(LOOKED_AT)) for table in tables]
        named = list(zip(heads, map(Place, places), strict=True))
        rows = rows_of_tables(named, names, replace(options, where={}))
        return _counted(tables, rows, options)


def kept(frame: Lazy, where: Mapping[str, str], place: str) -> Lazy:
    """Keep the rows that were asked for."""
    for name, wanted in where.items():
        column = where_column(name, wanted, frame.collect_schema().names(), place)
        values = collected(frame.select(column).unique())[column].drop_nulls()
        chosen = values_called(wanted, texts(values), place)
        raw = values.filter(texts(values).is_in(chosen)).to_list()
        frame = frame.filter(nw.col(column).is_in(raw))
    return frame


def _counted(tables: Sequence[Lazy], rows: Sequence[Rows], options: Options) -> Tallied:
    """Count tables whose first rows were read as any table is."""
    first = merged(rows) if len(rows) > 1 else rows[0]
    found, where = first.roles, first.origin
    long = not (first.wide or found.counts)
    if found.metric or found.response or found.task or (long and not found.item):
        raise FormatError(f"{where} has repeats, tasks or no ids, and is not counted", READ_ITEMS)
    asked = options.systems or ()
    known = tuple(name for name in asked if not long or name in first.systems)
    sample = scores_of(first, replace(options, missing="pairwise", systems=known or None))
    raw: tuple[list[Any], ...] = ()
    systems, columns = sample.systems, sample.columns
    by = next((x for x in found.labels if plain(x) in map(plain, first.declared.label[:1])), None)
    several = zip(tables, rows, strict=True)
    frame = stacked([_own_names(table, one, sample, by) for table, one in several])
    if long:
        systems, raw = _systems(frame, asked, [one.name for one in rows], where)
    if asked and long:
        frame = frame.filter(nw.col(ask.SYSTEM).is_in([x for values in raw for x in values]))
    schema = frame.collect_schema().names()
    counting = ask.Counting(
        where=where,
        ids=tuple(x for x in schema if x.startswith(ask.ITEM)),
        clusters=tuple(x for x in schema if x.startswith(ask.CLUSTER)),
        label=(ask.LABEL,) if by else (),
        systems=systems,
        width=len(columns),
        raw=raw,
    )
    counts, labelled = ask.tallied(frame, counting)
    n = counts.items.units
    near = [x for x in sample.groups if role_of(x) == "cluster" and not found.cluster]
    groups = {x: int(collected(tables[0].select(nw.col(x).n_unique())).item()) for x in near}
    told = [*read_as(first, systems, columns, [by] if by else []), how_many(n, "item")]
    metric = repr(sample.measured(options.metrics[0])) if len(options.metrics) == 1 else None
    return Tallied(
        systems=systems,
        columns=columns,
        rows=counts,
        by=by,
        labelled=labelled,
        metric=metric,
        lower_is_better=sample.lower_is_better,
        lower=sample.lower,
        order="none" if long and not asked and found.system is not None else "given",
        source=" · ".join([*told, "grouped and counted in place"]),
        notes=tuple(may_share(x, k, n) for x, k in groups.items() if k < n),
    )


def _own_names(table: Lazy, rows: Rows, sample: Scores, by: str | None) -> Lazy:
    """Give the columns that are counted the names by which they are."""
    found, there = rows.roles, rows.scores.columns
    scores = [x if x in there else there[0] for x in sample.columns]
    if rows.wide or found.counts:
        of = found.counts or {system: {"score": system} for system in sample.systems}
        scores = [of[system][column] for system in sample.systems for column in sample.columns]
    own = {ask.ITEM: found.item, ask.CLUSTER: found.cluster, ask.VALUE: scores}
    names = {f"{key}{k}": x for key, columns in own.items() for k, x in enumerate(columns)}
    names |= {ask.LABEL: by} if by else {}
    if found.counts and found.item == ("item",) and "item" not in table.columns:
        del names[f"{ask.ITEM}0"]  # the number of the row
    system = nw.lit(rows.name) if found.system is None else nw.col(found.system)
    return ask.with_numbers(table, scores, rows).select(
        *(nw.col(x).alias(name) for name, x in names.items()),
        *([] if rows.wide or found.counts else [system.alias(ask.SYSTEM)]),
    )


def _systems(
    frame: Lazy, asked: Sequence[str], files: Sequence[str], where: str
) -> tuple[tuple[str, ...], tuple[list[Any], ...]]:
    """Return the systems of a long table, and what each is called in it; in the order of files."""
    values = collected(frame.select(ask.SYSTEM).unique())[ask.SYSTEM]
    names = complete(texts(values), "system", Place(where))
    if len(names) > MOST_SYSTEMS:
        raise FormatError(f"{where} has more than {MOST_SYSTEMS:,} systems", READ_ITEMS)
    there = sorted({*names}, key=lambda x: (files.index(x) if x in files else 0, x))
    check_systems(asked, there)
    raw = {name: values.filter(names == name).to_list() for name in asked or there}
    return tuple(raw), tuple(raw.values())
