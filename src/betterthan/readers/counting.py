"""Tables in files and engines, grouped and counted where they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from betterthan.data.labels import places_of
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, how_many
from betterthan.readers.files import chosen
from betterthan.readers.lazy_sources import LOOKED_AT, opened, place_of, reported, stacked
from betterthan.readers.options import Options
from betterthan.readers.table_files import names_of, rows_of, scores_of
from betterthan.tables import counted as query
from betterthan.tables.cells import Place, complete, texts
from betterthan.tables.counted import READ_ITEMS, Lazy, Query, collected
from betterthan.tables.declared import column_called
from betterthan.tables.item_labels import may_share
from betterthan.tables.merged import merged
from betterthan.tables.names import role_of
from betterthan.tables.read_line import read_as
from betterthan.tables.rows import Rows
from betterthan.tables.selection import values_called

MOST_SYSTEMS = 1000


def count(sources: Sequence[Any], options: Options) -> Scores:
    """Group and count tables where they are: one, its parts, or one per system."""
    sources, names = chosen(sources, options.systems, names_of)
    with reported(sources[0]):
        tables = [selected(opened(x), options.where, place_of(x)) for x in sources]
        heads = [collected(table.head(LOOKED_AT)) for table in tables]
        places = [Place(place_of(source)) for source in sources]
        rows = rows_of([*zip(heads, places, strict=True)], names, replace(options, where={}))
        return _counted(tables, rows, options)


def selected(frame: Lazy, where: Mapping[str, str], place: str) -> Lazy:
    """Keep the rows that were asked for."""
    for name, wanted in where.items():
        column = column_called(name, frame.collect_schema().names(), "", place, wanted)
        values = collected(frame.select(column).unique())[column].drop_nulls()
        chosen = values_called(wanted, texts(values), place)
        raw = values.filter(texts(values).is_in(chosen)).to_list()
        frame = frame.filter(nw.col(column).is_in(raw))
    return frame


def _counted(tables: Sequence[Lazy], rows: Sequence[Rows], options: Options) -> Scores:
    """Count tables whose first rows were read as any table is."""
    first = merged(rows)
    first = replace(first, declared=replace(first.declared, where=options.where))
    roles, where, requested = first.roles, first.origin, options.systems or ()
    long = not first.wide
    if roles.metric or roles.response or roles.task or (long and not roles.item):
        raise FormatError(f"{where} has repeats, tasks or no ids, and is not counted", READ_ITEMS)
    known = tuple(name for name in requested if not long or name in first.systems)
    sample = scores_of(first, replace(options, missing="pairwise", systems=known or None))
    columns = sample.columns
    by = first.declared.first("label")
    several = zip(tables, rows, strict=True)
    frame = stacked([_named(table, part, sample, by) for table, part in several])
    systems: Mapping[str, Sequence[Any]] = dict.fromkeys(sample.systems, ())
    if long:
        systems = _systems(frame, requested, [part.name for part in rows], where)
        raw = [value for values in systems.values() for value in values]
        frame = frame.filter(nw.col(query.SYSTEM).is_in(raw))
    counted = Query(frame=frame, where=where, systems=systems, width=len(columns))
    tally = counted.tallied(
        by,
        systems=tuple(systems),
        columns=columns,
        metric=repr(sample.measured(options.metrics[0])) if len(options.metrics) == 1 else None,
        lower_is_better=sample.lower_is_better,
        lower=sample.lower,
        order="none" if long and not requested and roles.system is not None else "given",
    )
    near = [x for x in sample.groups if role_of(x) == "cluster" and not roles.cluster]
    groups = {x: int(collected(tables[0].select(nw.col(x).n_unique())).item()) for x in near}
    source = [*read_as(first, sample, [*systems], [by] if by else []), how_many(tally.n, "item")]
    return replace(
        tally,
        source=" · ".join([*source, "grouped and counted in place"]),
        notes=tuple(may_share(x, k, tally.n) for x, k in groups.items() if k < tally.n),
    )


def _named(table: Lazy, rows: Rows, sample: Scores, by: str | None) -> Lazy:
    """Give the columns that are counted the names that a query has."""
    roles, there = rows.roles, rows.scores.columns
    scores = [x if x in there else there[0] for x in sample.columns]
    if rows.wide:
        of = roles.counts or {system: {"score": system} for system in sample.systems}
        scores = [of[system][column] for system in sample.systems for column in sample.columns]
    own = {query.ITEM: roles.item, query.CLUSTER: roles.cluster, query.VALUE: scores}
    names = {f"{key}{k}": x for key, columns in own.items() for k, x in enumerate(columns)}
    names |= {query.LABEL: by} if by else {}
    system = nw.lit(rows.name) if roles.system is None else nw.col(roles.system)
    kinds = table.collect_schema()
    other = [x for x in scores if kinds[x] == nw.Boolean or kinds[x].is_decimal()]
    return table.with_columns(nw.col(x).cast(nw.Float64) for x in other).select(
        *(nw.col(x).alias(name) for name, x in names.items()),
        *[system.alias(query.SYSTEM)] * (not rows.wide),
    )


def _systems(
    frame: Lazy, requested: Sequence[str], files: Sequence[str], where: str
) -> dict[str, list[Any]]:
    """Return the systems of a long table, and what each is called in it; in the order of files."""
    values = collected(frame.select(query.SYSTEM).unique())[query.SYSTEM]
    names = complete(texts(values), "system", Place(where))
    if len(names) > MOST_SYSTEMS:
        raise FormatError(f"{where} has more than {MOST_SYSTEMS:,} systems", READ_ITEMS)
    there = sorted({*names}, key=lambda x: (files.index(x) if x in files else 0, x))
    places_of(requested, there)  # each of them is there
    return {name: values.filter(names == name).to_list() for name in requested or there}
