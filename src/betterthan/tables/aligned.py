"""One row per item: rows put into the block of items, systems and columns that scores are."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from betterthan.data.arrays import mean_of_present
from betterthan.data.block import Order
from betterthan.data.scores import Missing, Scores, worst_value
from betterthan.errors import AlignmentError, Remedy, how_many
from betterthan.metrics import Metric, default, resolve
from betterthan.numeric import Floats
from betterthan.tables.block import Block
from betterthan.tables.checks import check_scale, check_shared
from betterthan.tables.item_labels import clusters_of, labels_of, may_share
from betterthan.tables.read_line import with_source
from betterthan.tables.rows import Rows


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
    block = Block.of(rows)
    chosen = [resolve(x, block.columns) for x in metric]
    if not chosen and len(block.columns) == 1:
        chosen = [default(block.columns)]
    measure = chosen[0].directed(lower_is_better, rows.lower) if chosen else None
    needed = {name for each in chosen for name in each.columns} or {*block.columns}
    columns = tuple(name for name in block.columns if name in needed)
    numbers = rows.scores.cast(pl.Float64).fill_null(np.nan).to_numpy()
    filled = block.laid_out(numbers, columns)
    groups, differing, notes = labels_of(block)
    part = max(rows.parts, key=lambda name: rows.parts[name], default="")
    if 1 < rows.parts.get(part, 0) < block.n and not rows.roles.cluster:
        notes += (may_share(part, rows.parts[part], block.n),)
    if not (single := filled.shape[-1] == 1):
        blank = block.laid_out(np.isnan(numbers) * 1.0, columns) == 1
        blank &= ~np.isnan(filled).all(axis=-1, keepdims=True)
        notes += _with_blanks(block, filled, blank, missing, measure) if blank.any() else ()
    values = np.ascontiguousarray(filled[..., 0] if single else mean_of_present(filled))
    if missing != "pairwise":
        check_shared(block, values)
    scores = Scores(
        values=values,
        systems=block.systems,
        columns=columns,
        items=block.ids,
        responses=None if single else filled,
        clusters=clusters_of(rows, groups),
        groups=groups,
        lower_is_better=lower_is_better,
        lower=rows.lower,
        tasks=rows.task,
        tasks_declared=bool(rows.declared["task"]),
        order=_order(block),
        notes=notes,
        indivisible=differing,
    )
    if systems:
        scores = scores.select(*systems)
    elif scores.order == "none":  # by name, where the rows have no order of them
        scores = replace(scores.select(*sorted(scores.systems)), order="none")
    if not (systems or rows.declared["score"]) and len(columns) == 1:
        check_scale(scores.systems, scores.values[:, :, 0], rows.origin)
    return with_source(scores.completed(missing, measure), rows, total=block.n)


def _with_blanks(
    block: Block,
    filled: Floats,
    blank: NDArray[np.bool_],
    missing: Missing,
    metric: Metric | None,
) -> tuple[str, ...]:
    """Treat blank responses, of items that have others, as ``missing`` says."""
    count = int(blank.any(axis=2).sum())
    if missing == "worst":
        filled[blank] = worst = worst_value(filled, metric)
        return (f"{count:,} blank responses counted as the worst value, {worst:g}",)
    if missing == "error":
        items = np.flatnonzero(blank.any(axis=(1, 2, 3)))
        raise AlignmentError(
            f"{block.rows.origin}: {how_many(len(items), 'item', 'have')} blank responses "
            f"({block.named(items)})",
            Remedy("leave them out of their items' means", "missing", "drop"),
        )
    return (f"{count:,} blank responses left out of their items' means",)


def _order(block: Block) -> Order:
    """Where the order of systems is from; none where some items have another than others."""
    item, system = block.item, block.system
    known: Order = "by rows" if block.rows.by_rows else "given"
    if block.rows.wide or (system[1:] >= system[:-1]).all():
        return known
    first = np.full(block.shape[:2], -1)
    first[item[::-1], system[::-1]] = np.arange(len(item))[::-1]
    latest = np.maximum.accumulate(first, axis=1)
    return "none" if ((first >= 0) & (first < latest)).any() else known
