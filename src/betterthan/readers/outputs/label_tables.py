"""Tables of labels: a column with what is right, and a column of answers per system.

``columns={"ref": "gold"}`` names the right answers. Here such a table becomes one with a row per
item and system and the columns that metrics need, which is then read like any other.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from betterthan.data.scores import Scores
from betterthan.errors import FormatError, Remedy, UsageError, first_few
from betterthan.metrics import expand_classes, resolve
from betterthan.readers.options import Options
from betterthan.readers.outputs.scoring import check_metrics
from betterthan.readers.table_files import frame_of, rows_of, scores_of
from betterthan.tables.cells import Place, texts
from betterthan.tables.roles import column_called
from betterthan.tasks.labels import score_labels

if TYPE_CHECKING:
    import polars as pl

SYSTEM, ITEM = "system", "item"


def read(sources: Sequence[Any], options: Options) -> Scores:
    """Labels in a table, scored against its column of right answers."""
    if len(sources) > 1 or options.ref:
        raise UsageError("the right answers are in one table, or in files of their own, not both")
    table, place = frame_of(sources[0], options)
    long, options, counts = counted_labels(table, options, place.name)
    declared = replace(options.declared(), score=counts)
    scores = scores_of(rows_of(long, declared, options, Place(place.name)), options)
    ref = options.columns["ref"]
    return replace(scores, source=f"{place.name} · --columns ref={ref} · {scores.source}")


def counted_labels(
    table: "pl.DataFrame", options: Options, place: str
) -> "tuple[pl.DataFrame, Options, tuple[str, ...]]":
    """Return a table of counts, the options that read it, and the columns of counts.

    Systems are those that were named; else all columns without a role, except for those whose
    values all differ, which are ids or texts. The first of these is the item, if none was named.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    metrics = options.metric_names or ["accuracy"]
    check_metrics("labels", metrics)
    ref = column_called(options.columns["ref"], table.columns, "ref", place)
    named = [column_called(name, table.columns, "item", place) for name in options.systems or ()]
    table = table.select(texts(column).str.strip_chars().replace("", None) for column in table)
    truth, answers = table[ref], table.drop(ref)
    distinct = [c.name for c in answers if truth.n_unique() < c.n_unique() == len(c.drop_nulls())]
    used = {*distinct, *(x for role in options.columns.values() for x in role.split("+"))}
    systems = named or _systems(answers.drop(used, strict=False), truth, place)
    if truth.null_count():
        raise FormatError(f"{place}: column {ref!r} lacks {truth.null_count():,} right answers")
    said = {name: answers[name].fill_null("").to_list() for name in systems}
    scored = score_labels(truth.to_list(), said, metrics).columns
    known = tuple(scored)
    needed = {c for x in expand_classes(metrics, known) for c in resolve(x, known).columns}
    counts = tuple(c for c in known if c in needed)
    others = answers.drop(systems).drop(counts, strict=False)
    roles = {**options.columns}
    if "item" not in roles:
        roles["item"] = next((name for name in distinct if name in others.columns), ITEM)
        if roles["item"] not in others.columns:
            others = others.with_row_index(ITEM, offset=1)
    parts = [
        others.with_columns(
            *(pl.Series(c, scored[c][:, k]).set(answers[name].is_null(), None) for c in counts),
            pl.lit(name).alias(SYSTEM),
        )
        for k, name in enumerate(systems)
    ]
    roles[SYSTEM] = SYSTEM
    options = replace(options, columns=roles, systems=tuple(systems), metric=tuple(metrics))
    return pl.concat(parts), options, counts


def _systems(others: "pl.DataFrame", truth: "pl.Series", place: str) -> list[str]:
    """Columns without a role, which have labels in common with the right answers."""
    known = set(truth.drop_nulls())
    related = [column.name for column in others if known & set(column.drop_nulls())]
    if not related or related != others.columns:
        unclear = first_few(name for name in others.columns if name not in related)
        raise FormatError(
            f"{place}: {unclear or 'nothing'} has no label of {truth.name!r}: which columns are "
            "systems?",
            Remedy("", "systems", related),
        )
    return related
