"""From files of pairwise judgments to what is ranked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.data.frames.cells import Place, ids
from betterthan.data.frames.kept_rows import kept_rows
from betterthan.data.frames.reader_options import Options
from betterthan.data.judgments import Judgments
from betterthan.errors import Remedy, UsageError, closest, first_few, how_many, listing
from betterthan.readers.families import check_names
from betterthan.readers.judgments.judged_columns import (
    JudgedColumns,
    counted_columns,
    read_columns,
)
from betterthan.readers.judgments.judged_rows import COUNT, item_names
from betterthan.readers.request import PAIR

if TYPE_CHECKING:
    import polars as pl


def read_judgments(files: Sequence[Path], options: Options) -> Judgments:
    """Read who was preferred, pair by pair: arena files, AlpacaEval, MT-Bench, left/right/winner.

    Judgments of one cluster are resampled as one, and those of one item where none is named.
    """
    battles = read_columns(files, options)
    check_names(files, battles.systems)
    return judgments_of(battles, battles.source)


def with_known_names(frame: Any, named: Mapping[str, str], where: str) -> Any:
    """Return a frame, eager or lazy, in which columns of judgments have the names that are known.

    ``named`` tells the columns that were named by those names.
    """
    if not named:
        return frame
    columns = list(frame.collect_schema().names())
    if unknown := [name for name in named.values() if name not in columns]:
        role = next(role for role, known in PAIR.items() if named.get(known) == unknown[0])
        close = closest(unknown[0], columns)
        raise UsageError(
            f"{where} has no column {unknown[0]!r}; it has {first_few(columns)}",
            *([Remedy("", "columns", {role: close})] if close else []),
        )
    return frame.rename({name: known for known, name in named.items()})


def judgments_in(frame: "pl.DataFrame", where: str, options: Options) -> Judgments:
    """Judgments in a table whose pair and winner have names that are known."""
    import polars as pl  # noqa: PLC0415 (heavy)

    rows, _ = kept_rows(frame, options.where, Place(where))
    times = rows[COUNT].cast(int).to_numpy() if COUNT in rows.columns else None
    written = rows.drop(COUNT, strict=False).with_columns(
        ids([column]) for column in rows.get_columns() if column.dtype != pl.String
    )
    battles = counted_columns(written, times, options, where)
    made = judgments_of(battles, "")
    told = [
        where,
        "judgments",
        *(
            f"item={name}"
            for name in ["+".join(item_names(dict.fromkeys(rows.columns), options.item))]
            if name
        ),
        *([f"cluster={options.cluster}"] if options.cluster else []),
        f"systems {listing(made.systems)}",
        how_many(made.n, "judgment"),
    ]
    return replace(made, source=" · ".join(told))


def judgments_of(battles: JudgedColumns, source: str) -> Judgments:
    """Judgments as they are ranked: won, lost or drawn."""
    outcome, notes = battles.outcome, battles.notes
    times = 1 if battles.counts is None else battles.counts
    shades = int(np.sum(~np.isin(outcome, (0.0, 0.5, 1.0)) * times))
    if shades:
        notes += (f"{shades:,} preferences between win and loss counted as the nearer of the two",)
    return Judgments(
        systems=battles.systems,
        left=battles.left,
        right=battles.right,
        outcome=np.where(outcome == 0.5, 0.5, np.round(outcome)),
        items=battles.items,
        judges=battles.judges,
        clusters=battles.clusters,
        source=source,
        notes=notes,
        counts=battles.counts,
    )
