"""From typed rows to the aligned block of items x systems x columns x responses.

Every layout is one scatter: a row says which item, which key (system and metric) and which response
it is, and fills its columns there. A wide table is a table of one system whose columns are the
systems: the two axes are swapped at the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from betterthan import metrics
from betterthan.checks import several
from betterthan.data.arrays import mean_of_present
from betterthan.data.frames import cells, numbering
from betterthan.data.frames.evidence import refuse_other_units
from betterthan.data.frames.foreign import to_polars
from betterthan.data.frames.index_column import with_index
from betterthan.data.frames.item_labels import DATA, item_labels
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import is_rerun, plain, suggested
from betterthan.data.frames.typed_rows import MANY, TypedRows, typed_rows
from betterthan.data.labels import Ids, Labels, names_at, plain_id, spelled_apart
from betterthan.data.missing import Missing, worst_value
from betterthan.data.scores import Scores
from betterthan.errors import (
    COLUMN,
    AlignmentError,
    Choice,
    FormatError,
    Note,
    Remedy,
    first_few,
    how_many,
    listing,
    quote,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

NO_NAME = "(no name)"
FEW_SYSTEMS = 50  # that a column of an unknown name may hold
FEW_LABELS = 8  # of which pairs are tried
COMPLETE = 0.9  # share of scores that are there where ids count within parts of the data
ROOM, SPARSE = 1 << 23, 250  # places of a table however empty, and how many for each row


class Aligned(NamedTuple):
    """An aligned block: the fields of :class:`betterthan.Scores` that a table tells."""

    values: Floats
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    items: Ids | None
    responses: Floats | None
    clusters: Labels | None
    groups: Mapping[str, Labels]
    notes: tuple[str, ...]
    shuffled: bool
    indivisible: Mapping[str, str]


def align(table: TypedRows, options: Options) -> tuple[Aligned, Metric | None, int]:
    """Fill the block, and refuse what is filled twice.

    Also returns the metric whose worst value counts where scores are missing, and how many clusters
    there are.
    """
    system, systems = _axis(table, "system", table.name)
    metric, measured = _axis(table, "metric", "score")
    columns = tuple(table.scores.columns)
    keys = len(systems) * len(measured)
    key = system if len(measured) == 1 else system * len(measured) + metric
    item, items = _items(table, key, system, systems)
    n = int(item.max()) + 1
    _refuse_small_files_as_large_tables(table, len(systems), n, keys, options)
    run, orderly = _runs(item, key, keys)
    slot = _slots(table, run, orderly)
    depth = 1 if slot is None else int(slot.max()) + 1

    block = table.scores.to_numpy()
    if depth > 1 or len(run) < n * keys or not orderly:  # else every place is taken, in order
        block = _filled(block, run, slot, (n * keys, len(columns), depth))
    block = block.reshape(n, keys, len(columns), depth)
    given = np.broadcast_to(True, block.shape)
    if depth > 1:
        times = np.bincount(run, minlength=n * keys).reshape(n, keys)
        if options.response is None and table.columns:
            _refuse_uneven(table, times, [s for s in systems for _ in measured], items)
        counts = times[:, :, None, None]
        given = np.broadcast_to(np.arange(depth) < counts, block.shape)
    if table.layout == "wide":
        block, given = block.swapaxes(1, 2), given.swapaxes(1, 2)
        systems, columns = columns, measured
    elif table.roles.metric:
        shape = (n, len(systems), len(measured), depth)
        block, given = block.reshape(shape), given.reshape(shape)
        columns = measured
    measures = _measures(columns, options)
    measure = measures[0] if measures else None
    if measures and len(columns) > 1:
        needed = {column for each in measures for column in each.columns}
        kept = [k for k, column in enumerate(columns) if column in needed]
        block, given = block[:, :, kept], given[:, :, kept]
        columns = tuple(columns[k] for k in kept)

    groups, clusters, notes, distinct, differing = item_labels(
        table, item, items, n, system, sure=options.item is not None
    )
    if items is None and table.layout == "long" and table.roles.labels:
        notes += (
            Note(
                f"paired by position: none of {first_few(table.roles.labels)} is known to name the "
                "item",
                Remedy("pair by a column", "columns", {"item": COLUMN}),
            ),
        )
    if depth > 1:
        notes += _settle_blanks(
            block, given, systems=systems, items=items, missing=options.missing, measure=measure
        )
    values = block[..., 0] if depth == 1 else mean_of_present(block)
    if not np.isfinite(values).all():
        _refuse_spellings(values, systems, items)
        if options.missing != "pairwise":
            _refuse_disjoint(values, systems, items)
    responses = None if depth == 1 else block
    shuffled = table.layout == "long" and _shuffled(item, system, (n, len(systems)))
    made = Aligned(
        values, systems, columns, items, responses, clusters, groups, notes, shuffled, differing
    )
    return made, measure, distinct


def _axis(table: TypedRows, key: str, only: str) -> tuple[Ints, tuple[str, ...]]:
    """Code the rows by one of their keys; without it all rows have the same."""
    if key not in table.keys.columns:
        return np.zeros(len(table.keys), dtype=np.int64), (only,)
    coded, values = numbering.codes(table.keys[key])
    return coded, tuple(values.to_list())


def _items(
    table: TypedRows, key: Ints, system: Ints, systems: tuple[str, ...]
) -> tuple[Ints, Ids | None]:
    """Code the rows by item: by id where there are ids, else by the position in their system."""
    if "item" in table.keys.columns:
        coded, values = numbering.codes(table.keys["item"])
        return coded, Ids(values)
    named = (*table.roles.labels, *table.roles.scores)
    if table.roles.response is not None:
        raise FormatError(
            f"{table.origin}: responses ({table.roles.response!r}) belong to items, and none of "
            f"{first_few(named)} is known to name the item",
            Remedy("name its column", "columns", {"item": COLUMN}),
            Remedy("or several", "columns", {"item": Choice("COLUMN+COLUMN")}),
        )
    counts = np.bincount(key)
    if len(set(counts.tolist())) > 1:
        listed = ", ".join(f"{s!r} has {k:,}" for s, k in zip(systems, counts, strict=False))
        raise AlignmentError(
            f"{table.origin}: systems differ in their number of items ({listed}) and there are no "
            "ids to pair them by: add a column of ids",
            Remedy("name the column of ids", "columns", {"item": COLUMN}),
        )
    if len(systems) > 1:
        _refuse_other_order(table, system)
    return _positions(key), None


def _refuse_other_order(table: TypedRows, system: Ints) -> None:
    """Do not pair by position what a column names: the same items, in another order."""
    for name in table.labels.columns:
        column = table.labels[name]
        first, *others = (column.filter(system == k) for k in range(int(system.max()) + 1))
        if column.null_count() or first.n_unique() < len(first):
            continue
        same = [other.sort().equals(first.sort()) for other in others]
        if all(same) and not all(other.equals(first) for other in others):
            raise AlignmentError(
                f"{table.origin}: there are no ids to pair items by, and the systems have the same "
                f"values of {name!r} in another order",
                Remedy("pair by them", "columns", {"item": name}),
            )


def _shuffled(item: Ints, system: Ints, shape: tuple[int, int]) -> bool:
    """Whether some items have the systems, numbered by appearance, in another order than others."""
    if (system[1:] >= system[:-1]).all():
        return False
    for many in (1000, shape[0])[: 1 + (shape[0] > 1000)]:  # as a rule the first items tell
        rows = np.flatnonzero(item < many)
        first = np.full((min(shape[0], int(item[rows].max()) + 1), shape[1]), -1)
        first[item[rows[::-1]], system[rows[::-1]]] = rows[::-1]  # the last to be put is kept
        latest = np.maximum.accumulate(first, axis=1)
        if bool(((first >= 0) & (first < latest)).any()):
            return True
    return False


def _positions(run: Ints) -> Ints:
    """Position of each row among the rows of its run, in the order of the rows."""
    counts = np.bincount(run)
    if len(counts) == 1:
        return np.arange(len(run))
    order = np.argsort(run, kind="stable")
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.empty(len(run), dtype=np.int64)
    place[order] = np.arange(len(run)) - starts
    return place


def _runs(item: Ints, key: Ints, keys: int) -> tuple[Ints, bool]:
    """Number the places of rows, and say whether they go up, so that no two are the same."""
    run = item
    if keys > 1:
        run = item * keys
        run += key
    some = run[:1000]  # as a rule the first rows tell
    return run, bool((some[1:] > some[:-1]).all() and (run[1:] > run[:-1]).all())


def _slots(table: TypedRows, run: Ints, orderly: bool) -> Ints | None:
    """Number the responses of each run, an item's rows of one key; None where each has one."""
    if "response" not in table.keys.columns:
        if not orderly:
            taken = np.zeros(int(run.max()) + 1, dtype=bool)
            taken[run] = True
            if np.count_nonzero(taken) < len(run):
                _refuse_repeats(table, (np.bincount(run) > 1)[run])
        return None
    rank = numbering.ranks(table.keys["response"])
    order = np.lexsort((rank, run))
    same = (np.diff(run[order]) == 0) & (np.diff(rank[order]) == 0)
    if same.any():
        _refuse_repeats(table, np.isin(np.arange(len(run)), order[1:][same]))
    slot = np.empty(len(run), dtype=np.int64)
    slot[order] = _positions(run[order])
    return slot


def _refuse_small_files_as_large_tables(
    table: TypedRows, systems: int, items: int, keys: int, options: Options
) -> None:
    if table.roles.system is None:
        return
    named = f"{how_many(systems, 'system')} on {how_many(items, 'item')}"
    if items * keys > max(ROOM, SPARSE * len(table.keys)):
        raise FormatError(
            f"{named}, and of all their scores {len(table.keys):,}: barely any two systems have an "
            "item in common",
            Remedy("name their columns", "columns", {"system": COLUMN, "item": COLUMN}),
        )
    told = options.input_format or options.system or plain(table.roles.system) == "system"
    if systems > max(MANY, items) and not told:
        raise FormatError(
            f"{named}: does {quote(table.roles.system)} name the systems?",
            Remedy("it does", "input_format", "long"),
            Remedy("another column does", "columns", {"system": COLUMN}),
        )


def _filled(values: Floats, run: Ints, slot: Ints | None, shape: tuple[int, int, int]) -> Floats:
    """Put every row's values into its place; NaN where no row does."""
    block = np.full(shape, np.nan)
    if shape[1:] == (1, 1):
        block.reshape(-1)[run] = values[:, 0]  # the same, sooner
    else:
        block[run, :, 0 if slot is None else slot] = values
    return block


def _refuse_repeats(table: TypedRows, repeated: NDArray[np.bool_]) -> None:
    """Name the first system that fills cells twice, and its items."""
    rows = table.keys.filter(repeated)
    who = "the table"
    if "system" in rows.columns:
        rows = rows.filter(rows["system"] == rows["system"][0])
        who = f"system {rows['system'][0]!r}"
    what = "more than one score"
    if table.roles.response:
        what = f"the same {table.roles.response} more than once"
    ids = rows["item"].unique(maintain_order=True).to_list()
    raise AlignmentError(
        f"{table.origin}: {who} has {what} for {how_many(len(ids), 'item')} ({first_few(ids)}): "
        "remove the duplicates, or name the column that distinguishes them",
        *_distinguishing(table),
        Remedy("it numbers repeats", "columns", {"response": COLUMN}),
    )


def _distinguishing(table: TypedRows) -> list[Remedy]:
    """What columns may be that distinguish repeated rows, the likelier first."""
    likely, within = _like_systems(table), _within(table)
    remedies = []
    if within:
        named = " and ".join(map(repr, within))
        item = "+".join((*within, *table.roles.item))
        remedies.append(Remedy(f"ids are unique within {named}", "columns", {"item": item}))
    if likely:
        remedies.append(Remedy(f"{likely!r} names the systems", "columns", {"system": likely}))
        if within == (likely,) and table.layout == "single" and not _parts_data(likely):
            remedies.reverse()  # nothing else names systems
    return remedies


def _parts_data(name: str) -> bool:
    """Whether a column's name says that it parts the data: a task, a document, a subject."""
    return DATA.fullmatch(plain(name)) is not None or not suggested(name).isdisjoint(
        {"cluster", "id", "aside", "property", "weak item"}
    )


def _within(table: TypedRows) -> tuple[str, ...]:
    """A label, or two, within whose values ids occur once, where each value has several ids.

    What systems said tells repeats apart as well, but hardly ever on the same ids in all systems.
    """
    if any(not name or "," in name for name in table.roles.item):
        return ()
    free = [
        label
        for label in _describing(table)
        if label.null_count() == 0 and label.name and "," not in label.name
    ][:FEW_LABELS]
    for many in (1, 2):
        for labels in combinations(free, many):
            if _are_parts(table, labels):
                return tuple(label.name for label in labels)
    return ()


def _describing(table: TypedRows) -> "list[pl.Series]":
    """Labels, and numbers that are not named like scores where rows are of one system each."""
    if table.layout == "wide":
        return table.labels.get_columns()
    others = [
        column for column in table.scores.get_columns() if "score" not in suggested(column.name)
    ]
    others = others if len(others) < table.scores.width else []
    return [
        *table.labels.get_columns(),
        *(cells.ids([column]).alias(column.name) for column in others),
    ]


def _are_parts(table: TypedRows, labels: "Sequence[pl.Series]") -> bool:
    """Whether rows are told apart by these labels, and each system has nearly all ids of each."""
    parts = [label.alias(f"part {k}") for k, label in enumerate(labels)]
    rows = table.keys.with_columns(parts)
    if rows.is_duplicated().any():
        return False
    part = [column.name for column in parts]
    ids = rows.select("item", *part).n_unique()
    if 2 * rows.select(part).n_unique() > ids:
        return False
    others = [name for name in table.keys.columns if name != "item"]
    keys = rows.select(others).n_unique() if others else 1
    return len(rows) >= COMPLETE * ids * keys


def _like_systems(table: TypedRows) -> str | None:
    """A label of which every item has each value once, where no column names the systems."""
    if "system" in table.keys.columns or table.roles.response:
        return None
    for label in table.labels.get_columns():
        sizes = label.value_counts()["count"]
        if 1 < len(sizes) <= FEW_SYSTEMS and sizes.min() == sizes.max():
            once = table.keys.select("item").with_columns(label.alias("label")).is_duplicated()
            if not once.any():
                return label.name
    return None


def _refuse_uneven(
    table: TypedRows, times: Ints, systems: Sequence[str], items: Ids | None
) -> None:
    """Ask whether items that a system has more runs of than of others were run again.

    Raters may well be as many as they are, and who names the column has seen it.
    """
    name = table.roles.response or ""
    if not is_rerun(name):
        return
    for k, system in enumerate(systems):
        of = times[:, k]
        least, most = int(of[of > 0].min(initial=of.max())), int(of.max())
        if least < most:
            some = names_at(items, np.flatnonzero(of == most))
            who = "the table" if table.layout == "wide" else f"system {system!r}"
            raise AlignmentError(
                f"{table.origin}: {who} has {least} to {most} rows per item, numbered by {name!r} "
                f"({most} of {first_few(some)}): were some items run again? Remove the old rows "
                "or complete the runs",
                Remedy("average what there is", "columns", {"response": name}),
            )


def _settle_blanks(
    block: Floats,
    given: NDArray[np.bool_],
    *,
    systems: tuple[str, ...],
    items: Ids | None,
    missing: Missing,
    measure: Metric | None,
) -> tuple[str, ...]:
    """Treat blank responses of items that have others; items without any are missing items."""
    blank = given & np.isnan(block)
    blank &= ~np.isnan(block).all(axis=-1, keepdims=True)
    count = int(blank.any(axis=2).sum())
    if not count:
        return ()
    if missing == "worst":
        block[blank] = worst = worst_value(block, measure)
        return (f"{count:,} blank responses counted as the worst value, {worst:g}",)
    if missing == "error":
        at, of = np.nonzero(blank.any(axis=(2, 3)))
        mine = at[of == of[0]]
        names = first_few(mine if items is None else items[mine])
        raise AlignmentError(
            f"system {systems[of[0]]!r} has blank responses for {how_many(mine.size, 'item')} "
            f"({names})",
            Remedy("leave them out of their items' means", "missing", "drop"),
        )
    return (f"{count:,} blank responses left out of their items' means",)


def _measures(columns: tuple[str, ...], options: Options) -> list[Metric]:
    """Find the metrics that the user asked for, or the only one there can be."""
    if options.metric is None:
        found = [metrics.default(columns)] if len(columns) == 1 else []
    else:
        found = [metrics.resolve(asked, columns) for asked in options.metrics]
    return [measure.lowered() for measure in found] if options.lower_is_better else found


def _refuse_spellings(values: Floats, systems: tuple[str, ...], items: Ids | None) -> None:
    """Say so when systems lack each other's items only since they write ids differently."""
    if items is None:
        return
    present = np.asarray(~np.isnan(values).all(axis=2))
    spelled: dict[str, list[int]] = {}
    for k in np.flatnonzero(~present.all(axis=1)).tolist():
        spelled.setdefault(plain_id(items[k]), []).append(k)
    for alike in spelled.values():
        for one, other in pairwise(alike):
            mine, theirs = (
                np.flatnonzero(present[one] & ~present[other]),
                np.flatnonzero(present[other] & ~present[one]),
            )
            if mine.size and theirs.size:
                twins = sum(len(group) > 1 for group in spelled.values())
                raise AlignmentError(
                    f"systems {systems[mine[0]]!r} and {systems[theirs[0]]!r} write the same ids "
                    f"differently: {spelled_apart(items[one], items[other])} ({twins:,} such ids): "
                    "write them alike in both",
                    Remedy("pair by another column", "columns", {"item": COLUMN}),
                )


def _refuse_disjoint(values: Floats, systems: tuple[str, ...], items: Ids | None) -> None:
    """Say so when systems have no item in common."""
    present = np.asarray(~np.isnan(values).all(axis=2))
    for k in range(1, len(systems)):
        mine, others = np.flatnonzero(present[:, 0]), np.flatnonzero(present[:, k])
        if mine.size and others.size and not (present[:, 0] & present[:, k]).any():
            raise AlignmentError(
                f"systems {systems[0]!r} ({first_few(names_at(items, mine))}) and {systems[k]!r} "
                f"({first_few(names_at(items, others))}) have no item in common",
                Remedy("pair by a column with the same ids in both", "columns", {"item": COLUMN}),
            )


def understood(table: TypedRows, block: Aligned, *, total: int, clusters: int) -> str:
    """Say on one line how the table was understood; ``total`` items were in it."""
    roles = table.roles
    parts = [table.origin]
    if roles.item:
        parts.append(f"item={'+'.join(name or NO_NAME for name in roles.item)}")
    named = (("system", roles.system), ("metric", roles.metric), ("response", roles.response))
    parts += [f"{role}={column}" for role, column in named if column]
    if block.responses is not None:
        counts = np.unique((~np.isnan(block.responses[:, :, 0])).sum(axis=-1))
        parts[-1] += (
            f" ({'–'.join(str(k) for k in (counts[0], counts[-1])[: len(counts)])} an item)"
        )
    if block.clusters is not None:
        parts.append(f"cluster={roles.cluster} ({clusters:,})")
    if table.layout != "wide":
        parts.append(f"score{'s' * (len(block.columns) > 1)} {listing(block.columns)}")
    parts.append(f"system{'s' * (len(block.systems) > 1)} {listing(block.systems)}")
    labels = tuple(name for name in block.groups if name != roles.cluster)
    if labels and table.columns:
        parts.append(f"label{'s' * (len(labels) > 1)} {listing(labels)}")
    used = {*roles.keys, roles.cluster, *labels}
    if table.layout == "wide":
        used |= {*block.systems}
    else:  # the only column of scores may have been renamed
        used |= {*(block.columns if roles.scores[1:] else table.scored)}
    ignored = tuple(name or NO_NAME for name in table.columns if name not in used)
    if ignored:
        parts.append(f"not compared: {listing(ignored)}")
    parts += table.spelled
    n = len(block.values)
    of = "" if n == total else f"/{total:,}"
    how = "position" if block.items is None else "id"
    parts.append(f"{n:,}{of} item{'s' * (n != 1)} paired by {how}")
    return " · ".join(parts)


def scores_of_frame(frame: Any, **options: Any) -> Scores:
    """Scores from any data frame (polars, pandas, pyarrow ...), its layout told by its columns."""
    if options.get("systems") is not None:
        options["systems"] = several("systems", options["systems"])
    frame, given = with_index(frame, Options(**options))
    return scores_of_rows(typed_rows(to_polars(frame), given), given, borrowed=True)


def scores_of_rows(rows: TypedRows, options: Options, *, borrowed: bool = False) -> Scores:
    """Scores from rows whose columns have found their roles; what readers end in.

    Rows that are ``borrowed`` from the caller's frame are copied: he may change them.
    """
    named = options.systems is not None and rows.layout != "wide"
    chosen = names_given(options.systems, rows.systems) if named else []
    rows = rows.of_systems(chosen) if chosen else rows
    block, metric, clusters = align(rows, options)
    if len(block.columns) == 1:
        pair = names_given(options.opponents, block.systems) if options.opponents else ()
        refuse_other_units(
            block.systems,
            block.values[:, :, 0],
            rows.origin,
            named=(*chosen, options.baseline, *pair),
            percent=rows.percent,
            cost=options.lower_is_better or block.columns[0] in rows.lower,
        )
    if rows.tasks is not None and rows.tasks not in block.groups:
        raise FormatError(
            f"{rows.origin}: {rows.tasks!r} does not name one task per item, shared by several "
            "items",
            *(Remedy("", "columns", {"task": name}) for name in [*block.groups][:3]),
        )
    if rows.empty:
        block = block._replace(notes=(*block.notes, *rows.empty_notes))
    if borrowed:
        block = block._replace(values=_own(block.values))
    total = len(block.values)
    scores = made = Scores(
        **block._asdict(),
        lower_is_better=options.lower_is_better,
        lower=rows.lower,
        tasks=rows.tasks,
        tasks_declared=options.tasks is not None,
        by_rows=rows.by_rows,
        source=understood(rows, block, total=total, clusters=clusters),
    )
    if chosen:
        scores = scores.select(*chosen)
    elif scores.shuffled:
        ordered = scores.select(*sorted(scores.systems))
        scores = replace(ordered, shuffled=True, by_rows=scores.by_rows)
    done = scores.completed(options.missing, metric)
    if done is made:
        return made
    kept = block._replace(
        **{name: getattr(done, name) for name in ("systems", "values", "responses", "clusters")}
    )
    if done.clusters is not None and len(done.values) < total:
        clusters = len(set(done.clusters))
    return replace(done, source=understood(rows, kept, total=total, clusters=clusters))


def _own(values: Floats) -> Floats:
    """Values in memory of our own, where they are still in somebody else's."""
    root = values
    while isinstance(root.base, np.ndarray):
        root = root.base
    return values if root.base is None else values.copy()
