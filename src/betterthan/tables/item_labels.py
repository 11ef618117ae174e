"""Labels of items: one value for each, for breakdowns and clusters."""

import math

import numpy as np
import polars as pl

from betterthan.data.labels import Labels, given_labels
from betterthan.errors import AlignmentError, Note, Remedy, how_many
from betterthan.numeric import Ints
from betterthan.tables import cells
from betterthan.tables.block import Block, coded
from betterthan.tables.names import role_of
from betterthan.tables.rows import Rows


def labels_of(block: Block) -> tuple[dict[str, Labels], dict[str, str], tuple[str, ...]]:
    """Labels that have one value per item; why others do not; and what is to be said."""
    rows, n = block.rows, block.n
    groups: dict[str, Labels] = {}
    differing: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    for name in rows.labels.columns:
        codes, values = coded(rows.labels[name])
        label, wrong = first_of_each(block, codes)
        requested = name in {*rows.roles.cluster, *rows.declared["label"], rows.task}
        if wrong.size:
            differing[name] = (
                f"{name!r} has several values for {how_many(wrong.size, 'item')} "
                f"({block.named(wrong)}), and a label has one"
            )
            _check_same(name, differing[name], rows)
        elif requested or len(values) < n:
            groups[name] = np.array([*values, ""], dtype=object)[label]
            if role_of(name) == "cluster" and not rows.roles.cluster:
                notes += (may_share(name, len(values), n),)
    return groups, differing, notes


def _check_same(name: str, fault: str, rows: Rows) -> None:
    """Raise an error where a cluster, a task or a question is not the same for all systems."""
    if name in (*rows.roles.cluster, rows.task):
        raise AlignmentError(f"{rows.origin}: {fault}")
    if not rows.declared["item"] and (role_of(name) == "text" or _is_moved(name, rows)):
        item = Remedy("the ids are right", "columns", {"item": "+".join(rows.roles.item)})
        raise AlignmentError(f"{rows.origin}: {fault}", item)


def _is_moved(name: str, rows: Rows) -> bool:
    """Whether every system has each value of a label once, and on other items than the others."""
    pairs = rows.keys.select("^system$").with_columns(rows.labels[name].alias("label"))
    sizes = [column.n_unique() for column in pairs]
    return len(sizes) > 1 < sizes[0] and math.prod(sizes) == pairs.n_unique() == len(pairs)


def first_of_each(block: Block, codes: Ints) -> tuple[Ints, Ints]:
    """Return the first value of each item, -1 where there is none, and items that have others."""
    item, codes = block.item[codes >= 0], codes[codes >= 0]
    first = np.full(block.n, -1, dtype=np.int64)
    first[item[::-1]] = codes[::-1]
    return first, np.unique(item[codes != first[item]])


def may_share(name: str, clusters: int, n: int) -> Note:
    """Say that items which share a document may not be independent, and what to add."""
    return Note(
        f"this holds only if the {n:,} items are independent: they come from {clusters:,} values "
        f"of {name!r}",
        Remedy("", "columns", {"cluster": name}),
        beside_verdict=True,
    )


def clusters_of(rows: Rows, groups: dict[str, Labels]) -> Labels | None:
    """Clusters of the items: one label, or several joined."""
    if not rows.roles.cluster:
        return None
    parts = [given_labels(groups[name], name) for name in rows.roles.cluster]
    joined = cells.joined([pl.Series(part.tolist(), dtype=pl.String) for part in parts])
    return np.array(joined.to_list(), dtype=object)
