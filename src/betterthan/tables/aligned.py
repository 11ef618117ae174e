"""One row per item: rows put into the block of items, systems and columns that scores are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from betterthan.data.arrays import mean_of_present
from betterthan.data.labels import Ids
from betterthan.data.missing import Missing, worst_value
from betterthan.data.named_systems import Order
from betterthan.data.scores import Scores
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    FormatError,
    Remedy,
    first_few,
    how_many,
)
from betterthan.metrics import Metric, default, resolve
from betterthan.numeric import Floats, Ints
from betterthan.tables.checks import check_scale
from betterthan.tables.item_labels import clusters_of, coded, item_names, labels_of, may_share
from betterthan.tables.read_line import with_source
from betterthan.tables.rows import Rows

ROOM, SPARSE = 50_000_000, 100
"""Cells of a block that is always made, and how many times the rows a larger one may have."""


def aligned(
    rows: Rows,
    *,
    systems: Sequence[str] = (),
    metric: Sequence[str | Metric] = (),
    missing: Missing = "error",
    lower_is_better: bool | None = None,
) -> Scores:
    """Make scores of rows: ``systems`` are only these, in this order."""
    rows = rows.of_systems(systems) if systems else rows
    item, ids = _items(rows)
    system, names = _systems(rows)
    n = int(item.max()) + 1
    if n * len(names) > max(ROOM, SPARSE * len(item)):
        raise FormatError(
            f"{how_many(len(names), 'system')} on {how_many(n, 'item')}, and only {len(item):,} "
            "scores: barely any two systems have an item in common",
            Remedy("name their columns", "columns", {"system": COLUMN, "item": COLUMN}),
        )
    cell = item * len(names) + system
    slot, depth = _slots(rows, cell, n * len(names))
    columns = tuple(rows.scores.columns)
    filled = np.full((n * len(names), len(columns), depth), np.nan)
    filled[cell, :, slot] = rows.scores.cast(_float()).fill_null(np.nan).to_numpy()
    block = filled.reshape(n, len(names), len(columns), depth)
    if rows.wide:
        block, names, columns = block.swapaxes(1, 2), columns, ("score",)
    groups, differing, notes = labels_of(rows, item, n, ids)
    part = max(rows.parts, key=lambda name: rows.parts[name], default="")
    if 1 < rows.parts.get(part, 0) < n and not rows.roles.cluster:
        notes += (may_share(part, rows.parts[part], n),)
    measure, keep = _metric(columns, metric, lower=lower_is_better is True)
    block, columns = block[:, :, keep], tuple(columns[k] for k in keep)
    counts = None if depth == 1 else np.bincount(cell, minlength=n * len(names))
    if counts is not None:
        blank = _blank(block, counts.reshape(n, -1), wide=rows.wide)
        notes += _with_blanks(block, blank, names, ids, missing=missing, metric=measure)
    values = block[..., 0] if depth == 1 else mean_of_present(block)
    if missing != "pairwise":
        _check_shared(values, names, ids)
    cluster = clusters_of(rows, groups)
    scores = Scores(
        values=np.ascontiguousarray(values),
        systems=names,
        columns=columns,
        items=ids,
        responses=None if depth == 1 else block,
        clusters=cluster,
        groups=groups,
        lower_is_better=lower_is_better or None,
        lower=rows.lower,
        tasks=rows.task,
        tasks_declared=rows.declared.task is not None,
        order=_order(rows, item, system, len(names)),
        notes=notes,
        indivisible=differing,
    )
    if systems:
        scores = scores.select(*systems)
    elif scores.order == "none":
        scores = _sorted(scores)
    if not (systems or rows.declared.score) and len(columns) == 1:
        check_scale(scores.systems, scores.values[:, :, 0], rows.origin)
    scores = scores.completed(missing, measure)
    return with_source(scores, rows, total=n)


def _float() -> Any:
    return pl.Float64


def _systems(rows: Rows) -> tuple[Ints, tuple[str, ...]]:
    """Number the rows by system, in the order of appearance."""
    if "system" not in rows.keys.columns:
        return np.zeros(len(rows.scores), dtype=np.int64), (rows.name,)
    codes, values = coded(rows.keys["system"])
    return codes, tuple(values.to_list())


def _items(rows: Rows) -> tuple[Ints, Ids | None]:
    """Number the rows by item: by id where there are ids, else by their position in a system."""
    if "item" in rows.keys.columns:
        codes, values = coded(rows.keys["item"])
        return codes, Ids(values)
    if "response" in rows.keys.columns:
        raise FormatError(
            f"{rows.origin}: repeats ({rows.roles.response!r}) belong to items, and no column is "
            "known to name the item",
            Remedy("name its column", "columns", {"item": COLUMN}),
        )
    count = len(rows.scores)
    if "system" not in rows.keys.columns:
        return np.arange(count), None
    system, names = _systems(rows)
    sizes = np.bincount(system)
    if len({*sizes.tolist()}) > 1:
        listed = ", ".join(f"{s!r} has {k:,}" for s, k in zip(names[:5], sizes, strict=False))
        raise AlignmentError(
            f"{rows.origin}: systems differ in their number of items ({listed}), and there are no "
            "ids to pair them by",
            Remedy("name the column of ids", "columns", {"item": COLUMN}),
        )
    return _positions(system), None


def _positions(group: Ints) -> Ints:
    """Position of each row among the rows of its group."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - starts
    return place


def _slots(rows: Rows, cell: Ints, cells_: int) -> tuple[Ints | int, int]:
    """Number the responses of each cell, and say how many there are at most."""
    if "response" not in rows.keys.columns:
        filled = np.bincount(cell, minlength=cells_)
        if filled.max(initial=0) > 1:
            _raise_repeated(rows, filled[cell] > 1)
        return 0, 1
    codes, values = coded(rows.keys["response"])
    rank = _ranks(values)[codes]
    order = np.lexsort((rank, cell))
    same = (np.diff(cell[order]) == 0) & (np.diff(rank[order]) == 0)
    if same.any():
        _raise_repeated(rows, np.isin(np.arange(len(cell)), order[1:][same]))
    slot = np.empty(len(cell), dtype=np.int64)
    slot[order] = _positions(cell[order])
    return slot, int(slot.max()) + 1


def _ranks(values: pl.Series) -> Ints:
    """Rank names of responses: numbers by their value, other names as text."""
    number = values.cast(pl.Float64, strict=False)
    chosen = values if number.null_count() else number
    return chosen.rank("ordinal").to_numpy().astype(np.int64)


def _raise_repeated(rows: Rows, repeated: NDArray[np.bool_]) -> None:
    some = rows.keys.filter(repeated)
    who = f"system {some['system'][0]!r}" if "system" in some.columns else "the table"
    if "system" in some.columns:
        some = some.filter(some["system"] == some["system"][0])
    ids = some["item"].unique(maintain_order=True).to_list()
    again = f"the same {rows.roles.response}" if rows.roles.response else "a score"
    raise AlignmentError(
        f"{rows.origin}: {who} has {again} more than once for {how_many(len(ids), 'item')} "
        f"({first_few(ids)}): remove the duplicates",
        *_distinguishing(rows),
        Remedy("a column numbers the repeats", "columns", {"response": COLUMN}),
    )


def _distinguishing(rows: Rows) -> list[Remedy]:
    """Name a label that distinguishes repeated rows: with it, no row repeats."""
    for name in rows.labels.columns:
        label = rows.labels[name]
        keys = rows.keys.with_columns(label.alias("label"))
        if label.null_count() or label.n_unique() == len(label) or keys.is_duplicated().any():
            continue
        if "system" not in keys.columns and keys.select(
            "item"
        ).n_unique() * label.n_unique() == len(keys):
            return [Remedy(f"{name!r} names the systems", "columns", {"system": name})]
        item = "+".join((name, *rows.roles.item))
        return [Remedy(f"ids are unique within {name!r}", "columns", {"item": item})]
    return []


def _metric(
    columns: tuple[str, ...], metric: Sequence[str | Metric], *, lower: bool
) -> tuple[Metric | None, list[int]]:
    """Find the metric whose worst score counts, and the columns that all metrics need."""
    chosen = [resolve(x, columns) for x in metric]
    if not chosen and len(columns) == 1:
        chosen = [default(columns)]
    needed = {column for each in chosen for column in each.columns} if metric else {*columns}
    keep = [k for k, name in enumerate(columns) if name in needed]
    first = chosen[0] if chosen else None
    return (first.lowered() if first is not None and lower else first), keep


def _blank(block: Floats, counts: Ints, *, wide: bool) -> NDArray[np.bool_]:
    """Responses that are there without a score, of items that have others."""
    counts = counts if not wide else np.broadcast_to(counts, (len(counts), block.shape[1]))
    there = np.arange(block.shape[-1]) < counts[:, :, None, None]
    blank = there & np.isnan(block)
    result: NDArray[np.bool_] = blank & ~np.isnan(block).all(axis=-1, keepdims=True)
    return result


def _with_blanks(
    block: Floats,
    blank: NDArray[np.bool_],
    names: tuple[str, ...],
    ids: Ids | None,
    *,
    missing: Missing,
    metric: Metric | None,
) -> tuple[str, ...]:
    """Treat blank responses as ``missing`` says."""
    count = int(blank.any(axis=2).sum())
    if not count:
        return ()
    if missing == "worst":
        block[blank] = worst = worst_value(block, metric)
        return (f"{count:,} blank responses counted as the worst value, {worst:g}",)
    if missing == "error":
        at, of = np.nonzero(blank.any(axis=(2, 3)))
        mine = at[of == of[0]]
        raise AlignmentError(
            f"system {names[of[0]]!r} has blank responses for {how_many(mine.size, 'item')} "
            f"({first_few(item_names(ids, mine[:5]), mine.size)})",
            Remedy("leave them out of their items' means", "missing", "drop"),
        )
    return (f"{count:,} blank responses left out of their items' means",)


def _check_shared(values: Floats, names: tuple[str, ...], ids: Ids | None) -> None:
    """Raise an error where systems have no item in common."""
    present = np.asarray(~np.isnan(values).all(axis=2))
    if present.all():
        return
    for k in range(1, len(names)):
        first, other = present[:, 0], present[:, k]
        if first.any() and other.any() and not (first & other).any():
            ours, theirs = (item_names(ids, np.flatnonzero(x)[:3]) for x in (first, other))
            raise AlignmentError(
                f"systems {names[0]!r} ({first_few(ours)} ..) and {names[k]!r} "
                f"({first_few(theirs)} ..) have no item in common: use the same ids in both",
                Remedy("pair by another column", "columns", {"item": COLUMN}),
            )


def _order(rows: Rows, item: Ints, system: Ints, systems: int) -> Order:
    """Where the order of systems is from; none where some items have another than others."""
    known: Order = "by rows" if rows.by_rows else "given"
    if rows.wide or (system[1:] >= system[:-1]).all():
        return known
    first = np.full((int(item.max()) + 1, systems), -1)
    first[item[::-1], system[::-1]] = np.arange(len(item))[::-1]
    latest = np.maximum.accumulate(first, axis=1)
    return "none" if ((first >= 0) & (first < latest)).any() else known


def _sorted(scores: Scores) -> Scores:
    """Order systems by name where the rows have no order of them."""
    return replace(scores.select(*sorted(scores.systems)), order="none")
