"""Tables of labels: a column with what is right, and a column of answers per system.

``columns={"ref": "gold"}`` names the right answers. Here such a table becomes one with a row per
item and system and the columns that metrics need, which is then read like any other.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from betterthan.errors import FormatError, Remedy, first_few
from betterthan.metrics import expand_classes, resolve
from betterthan.readers.outputs.scoring import check_metrics
from betterthan.readers.request import Request
from betterthan.tables.roles import column_called
from betterthan.tasks.labels import score_labels

if TYPE_CHECKING:
    import polars as pl

SYSTEM, ITEM = "system", "item"


def counted_labels(
    table: "pl.DataFrame", request: Request, place: str
) -> "tuple[pl.DataFrame, Request, tuple[str, ...]]":
    """Return a table of counts, the request that reads it, and the columns of counts.

    Systems are those that were named; else all columns without a role, except for those whose
    values all differ, which are ids or texts. The first of these is the item, if none was named.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    metrics = request.metric_names or ["accuracy"]
    check_metrics("labels", metrics)
    ref = column_called(request.columns["ref"], table.columns, "ref", place)
    named = [column_called(name, table.columns, "item", place) for name in request.systems or ()]
    table = table.select(_as_text(column) for column in table)
    classes = table[ref].n_unique()
    distinct = [c.name for c in table if classes < c.n_unique() == len(c) - c.null_count()]
    used = {ref, *distinct, *(x for role in request.columns.values() for x in role.split("+"))}
    systems = named or _systems(table, used, ref, place)
    truth, answers = table[ref], {name: table[name] for name in systems}
    if truth.null_count():
        raise FormatError(f"{place}: column {ref!r} lacks {truth.null_count():,} right answers")
    scored = score_labels(
        truth.to_list(), {k: v.fill_null("").to_list() for k, v in answers.items()}, metrics
    )
    known = tuple(scored.columns)
    needed = {c for name in expand_classes(metrics, known) for c in resolve(name, known).columns}
    others = table.drop(ref, *systems).drop(*needed, strict=False)
    roles = {role: name for role, name in request.columns.items() if role != "ref"}
    if "item" not in roles:
        item = next((name for name in distinct if name in others.columns), None)
        others = others if item else others.with_row_index(ITEM, offset=1)
        roles["item"] = item or ITEM
    parts = []
    for k, (name, answer) in enumerate(answers.items()):
        counts = pl.DataFrame({c: scored.columns[c][:, k] for c in known if c in needed})
        counts = counts.select(pl.when(answer.is_not_null()).then(pl.all()))
        system = pl.Series(SYSTEM, [name] * len(counts))
        parts.append(pl.concat([others, counts], how="horizontal").with_columns(system))
    read = replace(
        request, columns={**roles, "system": SYSTEM}, systems=tuple(systems), metric=metrics
    )
    return pl.concat(parts), read, tuple(c for c in known if c in needed)


def _as_text(column: "pl.Series") -> "pl.Series":
    """Values as labels: whole floats are integers, as missing ones make floats of a column."""
    import polars as pl  # noqa: PLC0415 (heavy)

    if column.dtype.is_float():
        column = column.fill_nan(None)
        if (column.drop_nulls() == column.drop_nulls().floor()).all():
            column = column.cast(pl.Int64)
    text = column.cast(pl.String).str.strip_chars()
    return text.set(text == "", None)


def _systems(table: "pl.DataFrame", used: set[str], ref: str, place: str) -> list[str]:
    """Columns without a role, which have labels in common with the right answers."""
    systems = [name for name in table.columns if name not in used]
    known = set(table[ref].drop_nulls())
    related = [name for name in systems if known & set(table[name].drop_nulls())]
    if not related or related != systems:
        others = first_few(name for name in systems if name not in related)
        raise FormatError(
            f"{place}: {others or 'nothing'} has no label of {ref!r}: which columns are systems?",
            Remedy("", "systems", related),
        )
    return systems
