"""Judgments of large tables, column by column: what rows have in common is understood once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.data.frames.reader_options import Options
from betterthan.data.labels import Labels, as_labels
from betterthan.data.order import row_codes
from betterthan.errors import FormatError, first_few, how_many
from betterthan.numeric import Floats, Ints
from betterthan.readers.files import refuse_partial
from betterthan.readers.judgments import judged_rows as rows

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class JudgedColumns:
    """Judgments in the order of the files.

    Attributes
    ----------
    systems : tuple of str
        In the order in which they appear.
    left, right : (rows,) array of int
        Places in ``systems``.
    outcome : (rows,) array
        One where the left one won.
    counts : (rows,) array of int or None
        How many judgments each row stands for; one where None.
    items, judges, clusters : array of str or None
        Labels of all rows; None where there are none, or where a judge is not known.
    notes : tuple of str
        What the reader should know.
    source : str
        What was read and how it was understood.
    item : str
        Columns that say what was judged.
    by_file : mapping of str to tuple of str
        Systems that each file has judgments of.
    """

    systems: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Floats
    counts: Ints | None
    items: Labels | None
    judges: Labels | None
    clusters: Labels | None
    notes: tuple[str, ...]
    source: str = ""
    item: str = "row"
    by_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What one file holds: a number for each judgment's distinct text, and the texts."""

    names: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Floats
    counts: Ints | None
    labels: tuple[Labels | None, ...]
    unjudged: int
    last: rows.JudgedRecord


def read_columns(files: Sequence[Path], options: Options) -> JudgedColumns:
    """Judgments of all files together; those of JSON record by record."""
    refuse_partial(files)
    parts = [_part(path, options) for path in files]
    _refuse_items_in_some(files, parts)
    made, last = _together(parts, first_few(files)), parts[-1].last
    return replace(
        made,
        source=rows.described(
            files,
            last,
            options,
            systems=list(made.systems),
            clusters=None if made.clusters is None else len(set(made.clusters.tolist())),
            judged=len(made.left) if made.counts is None else int(made.counts.sum()),
        ),
        item="+".join(rows.item_names(last, options.item)) or "row",
        by_file={str(path): part.names for path, part in zip(files, parts, strict=True)},
    )


def counted_columns(
    frame: "pl.DataFrame", times: Ints | None, options: Options, where: str
) -> JudgedColumns:
    """Judgments of a table of text, each row of which stands for so many, or for one."""
    return _together([_of_frame(frame, times, options, where)], where)


def _together(parts: Sequence[_Part], where: str) -> JudgedColumns:
    if not sum(len(part.left) for part in parts):
        raise FormatError(f"{where}: nobody judged anything: there is nothing to compare")
    code: dict[str, int] = {}
    for part in parts:
        for name in part.names:
            code.setdefault(name, len(code))
    places = [np.array([code[name] for name in part.names], dtype=np.int64) for part in parts]
    left, right = (
        np.concatenate([at[x] for at, x in zip(places, codes, strict=True) if len(x)])
        for codes in ([part.left for part in parts], [part.right for part in parts])
    )
    items, judges, clusters = (
        _joined(some) for some in zip(*(p.labels for p in parts), strict=True)
    )
    unjudged = sum(part.unjudged for part in parts)
    counts = None
    if any(part.counts is not None for part in parts):
        counts = np.concatenate(
            [np.ones_like(p.left) if p.counts is None else p.counts for p in parts]
        )
    return JudgedColumns(
        systems=tuple(code),
        left=left,
        right=right,
        outcome=np.concatenate([part.outcome for part in parts]),
        counts=counts,
        items=items,
        judges=judges,
        clusters=clusters,
        notes=(f"{how_many(unjudged, 'row')} without a judgment left out",) if unjudged else (),
    )


def _joined(labels: Sequence[Labels | None]) -> Labels | None:
    known = [some for some in labels if some is not None]
    return np.concatenate(known) if len(known) == len(labels) else None


def _refuse_items_in_some(files: Sequence[Path], parts: Sequence[_Part]) -> None:
    """Items that only some files name tell nothing of the judgments in the others."""
    have = {part.labels[0] is not None: path for path, part in zip(files, parts, strict=True)}
    if len(have) > 1:
        raise FormatError(
            f"{have[True]} says what was judged, and {have[False]} does not: give it a column of "
            "items, or rank the files one by one"
        )


def _part(path: Path, options: Options) -> _Part:
    frame = rows.judged_table(path, options)
    layout = None if frame is None else rows.pair_layout(tuple(frame.columns))
    if frame is None or layout is None or not frame.height or rows.COUNT in frame.columns:
        return _row_by_row(path, options)  # a tally is short
    return _of_frame(frame, None, options, str(path))


def _of_frame(frame: "pl.DataFrame", times: Ints | None, options: Options, where: str) -> _Part:
    """Judgments of a table; each row stands for so many, or for one."""
    rows.check_record(frame.row(0, named=True), options, f"{where}: row 1")
    layout = rows.pair_layout(tuple(frame.columns))
    if layout is None:
        raise FormatError(f"{where} {rows.NO_JUDGMENT}")
    wanted = layout.columns
    records, codes = _distinct(frame, [name for name in frame.columns if name in wanted])
    pairs = rows.judged_pairs(records, layout, where)
    games = max(len(said) for _, _, said in pairs)
    names = {name: None for left, right, _ in pairs for name in (left, right)}
    number = {name: k for k, name in enumerate(names)}
    first = np.array([number[left] for left, _, _ in pairs])
    second = np.array([number[right] for _, right, _ in pairs])
    said = np.array([[np.nan if x is None else x for x in said] for *_, said in pairs])
    outcome = said[codes]
    kept = ~np.isnan(outcome)
    left, right = first[codes], second[codes]
    if games > 1:  # a second outcome is of the same pair, shown in the other order
        left, right = np.stack([left, right], axis=1)[kept], np.stack([right, left], axis=1)[kept]
        outcome[:, 1] = 1.0 - outcome[:, 1]
    elif not kept.all():
        left, right = left[kept[:, 0]], right[kept[:, 0]]
    systems, (left, right) = _as_they_appear(tuple(names), left, right)
    repeats, unjudged, outcome = kept.sum(axis=1), (~kept).sum(axis=1), outcome[kept]
    counts = None
    if times is not None:
        counts, unjudged = np.repeat(times, repeats), unjudged * times
    last = frame.row(-1, named=True)
    named = rows.item_names(last, options.item)
    turns = ("turn", "g1_winner") if named else ()
    makers: list[tuple[set[str | None], Callable[[rows.JudgedRecord], str | None]]] = [
        ({*named, *turns}, lambda r: rows.item_of(r, options.item)),
        ({*rows.JUDGES, options.response}, lambda r: rows.judge_of(r, options.response)),
        ({options.cluster}, lambda r: rows.cluster_of(r, options.cluster)),
    ]
    made = [_labels(frame, about, make, repeats) for about, make in makers]
    if outcome.size:
        rows.cluster_of(last, options.cluster)  # says so where there is no such column
    _refuse_blank([blank for _, blank in made], last, options, where)
    labels = tuple(some for some, _ in made)
    return _Part(systems, left, right, outcome, counts, labels, int(unjudged.sum()), last)


def _refuse_blank(
    blank: Sequence[int], last: rows.JudgedRecord, options: Options, where: str
) -> None:
    """Refuse judgments without the item or cluster that others have; a judge may be unknown."""
    items, _, clusters = blank
    named = "+".join(rows.item_names(last, options.item))
    for name, option, lacking in (
        (named or "item", "item", items),
        (options.cluster, "cluster", clusters),
    ):
        if lacking:
            raise FormatError(
                f"{where}: {how_many(lacking, 'judgment', 'have')} no {name}: fill it in, or name "
                f"another column ({option}=)"
            )


def _row_by_row(path: Path, options: Options) -> _Part:
    found, unjudged, last = rows.judged_in(path, options)
    names = tuple(dict.fromkeys(name for row in found for name in row[:2]))
    code = {name: k for k, name in enumerate(names)}
    left = np.array([code[row.left] for row in found], dtype=np.int64)
    right = np.array([code[row.right] for row in found], dtype=np.int64)
    outcome = np.array([row.outcome for row in found], dtype=np.float64)
    times = np.array([row.times for row in found], dtype=np.int64)
    said = [[getattr(row, name) for row in found] for name in ("item", "judge", "cluster")]
    there = [bool(rows.item_names(last, options.item)), False, options.cluster is not None]
    blank = [
        some.count(None) if known or any(some) else 0
        for some, known in zip(said, there, strict=True)
    ]
    _refuse_blank(blank, last, options, str(path))
    labels = tuple(None if None in some else as_labels(some) for some in said)
    counts = times if (times > 1).any() else None
    return _Part(names, left, right, outcome, counts, labels, unjudged, last)


def _distinct(
    frame: "pl.DataFrame", columns: list[str]
) -> tuple[list[tuple[int, dict[str, Any]]], Ints]:
    """Distinct records of some columns with their first rows, in order; and which each row has."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    codes, count = row_codes(
        [
            frame[name]
            .cast(pl.String)
            .cast(pl.Categorical)
            .to_physical()
            .fill_null(2**32 - 1)
            .to_numpy()
            for name in columns
        ]
    )
    first = np.empty(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    some = frame.select(columns)[first[order]]
    return list(zip(first[order].tolist(), some.iter_rows(named=True), strict=True)), place[codes]


def _labels(
    frame: "pl.DataFrame",
    about: set[str | None],
    make: Callable[[rows.JudgedRecord], str | None],
    repeats: Ints,
) -> tuple[Labels | None, int]:
    """Label of every judgment, None where one has none; and how many have a blank one."""
    columns = [name for name in frame.columns if name in about]
    if not columns:
        return None, 0
    records, codes = _distinct(frame, columns)
    found = [make(record) for _, record in records]
    lacks = np.array([label is None for label in found])
    if blank := int(repeats[lacks[codes]].sum()):
        return None, blank
    return np.repeat(as_labels(["" if x is None else x for x in found])[codes], repeats), 0


def _as_they_appear(
    names: tuple[str, ...], left: Ints, right: Ints
) -> tuple[tuple[str, ...], tuple[Ints, Ints]]:
    """Number the names in the order in which judgments have them; others are left out."""
    both = np.stack([left, right], axis=1).ravel()
    first = np.full(len(names), len(both))
    first[both[::-1]] = np.arange(len(both) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: int((first < len(both)).sum())]
    place = np.zeros(len(names), dtype=np.int64)
    place[order] = np.arange(len(order))
    return tuple(names[k] for k in order), (place[left], place[right])
