"""Labels of items: one value for each, for breakdowns and clusters; questions that must agree."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from betterthan.data.labels import Ids, Labels
from betterthan.errors import AlignmentError, Note, Remedy, first_few, how_many, quote
from betterthan.numeric import Ints
from betterthan.tables import cells
from betterthan.tables.names import role_of
from betterthan.tables.rows import Rows

FEW = 1_000
"""Values that are numbered as categories."""


def coded(column: pl.Series) -> tuple[Ints, pl.Series]:
    """Number the values of a column in the order of appearance; -1 where there is none.

    >>> import polars as pl
    >>> codes, values = coded(pl.Series(["b", "a", "b", None]))
    >>> codes.tolist(), values.to_list()
    ([0, 1, 0, -1], ['b', 'a'])
    """
    column = column.alias("value")
    block = cells.once(column)
    values = block.drop_nulls().unique(maintain_order=True)
    if len(values) == len(block):
        return np.arange(len(column)) % max(len(block), 1), values
    if len(values) <= FEW and column.dtype == pl.String:
        codes = column.cast(pl.Enum(values)).to_physical()
        return codes.cast(pl.Int64).fill_null(-1).to_numpy(), values
    table = pl.DataFrame({"value": values, "code": np.arange(len(values))})
    joined = column.to_frame().join(table, on="value", how="left", maintain_order="left")
    return joined["code"].fill_null(-1).to_numpy().astype(np.int64), values


def item_names(ids: Ids | None, at: Ints) -> list[str]:
    """Ids of some items, or their positions counted from one."""
    return [str(k + 1) for k in at.tolist()] if ids is None else ids[at].tolist()


def labels_of(
    rows: Rows, item: Ints, n: int, ids: Ids | None
) -> tuple[dict[str, Labels], dict[str, str], tuple[str, ...]]:
    """Labels that have one value per item; why others do not; and what is to be said."""
    groups: dict[str, Labels] = {}
    differing: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    for name in rows.labels.columns:
        codes, values = coded(rows.labels[name])
        label, wrong = _first_of_each(item, codes, n)
        asked = name in {*rows.roles.cluster, *rows.declared.label, rows.task}
        if wrong.size:
            differing[name] = (
                f"{name!r} has several values for {how_many(wrong.size, 'item')} "
                f"({first_few(item_names(ids, wrong))}), and a label has one"
            )
            if not rows.declared.item:
                if name in rows.roles.texts:
                    _check_same(rows, name, item, ids)
                _check_order(rows, name, codes, len(values))
            if name in (*rows.roles.cluster, rows.task):
                raise AlignmentError(f"{rows.origin}: {differing[name]}")
        elif asked or len(values) < n:
            groups[name] = _texts(values, label)
            if role_of(name) == "cluster" and not rows.roles.cluster:
                notes += (may_share(name, len(values), n),)
    return groups, differing, notes


def _texts(values: pl.Series, codes: Ints) -> NDArray[np.object_]:
    table = np.empty(len(values) + 1, dtype=object)
    table[:-1] = values.to_list()
    table[-1] = ""
    texts: NDArray[np.object_] = table[codes]
    return texts


def may_share(name: str, clusters: int, n: int) -> Note:
    """Say that items which share a document may not be independent, and what to add."""
    return Note(
        f"this holds only if the {n:,} items are independent: they come from {clusters:,} values "
        f"of {name!r}",
        Remedy("", "columns", {"cluster": name}),
        beside_verdict=True,
    )


def _check_same(rows: Rows, name: str, item: Ints, ids: Ids | None) -> None:
    """Raise an error where systems were asked different questions under one id."""
    text = rows.labels[name].str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    codes, values = coded(text)
    _, wrong = _first_of_each(item, codes, int(item.max()) + 1)
    if wrong.size:
        at = np.flatnonzero((item == wrong[0]) & (codes >= 0))
        texts = [values[int(k)] for k in dict.fromkeys(codes[at].tolist())][:2]
        raise AlignmentError(
            f"{rows.origin}: {how_many(wrong.size, 'item')} ({first_few(item_names(ids, wrong))}) "
            f"differ in {name!r} between systems ({' and '.join(quote(x) for x in texts)})",
            Remedy("the ids are right", "columns", {"item": "+".join(rows.roles.item)}),
        )


def _check_order(rows: Rows, name: str, codes: Ints, values: int) -> None:
    """Raise an error where every system has each value once, and on other items than the others."""
    if "system" not in rows.keys.columns or (codes < 0).any():
        return
    systems = rows.keys["system"].n_unique()
    pairs = rows.keys.select("system").with_columns(rows.labels[name].alias("value"))
    if values * systems == len(codes) and not pairs.is_duplicated().any():
        raise AlignmentError(
            f"{rows.origin}: every system has the same values of {name!r}, but on other items",
            Remedy("pair by them", "columns", {"item": name}),
            Remedy("the ids are right", "columns", {"item": "+".join(rows.roles.item)}),
        )


def _first_of_each(item: Ints, codes: Ints, n: int) -> tuple[Ints, Ints]:
    """Return the first value of each item, -1 where there is none, and items that have others."""
    there = codes >= 0
    first = np.full(n, -1, dtype=np.int64)
    first[item[there][::-1]] = codes[there][::-1]
    return first, np.unique(item[there][codes[there] != first[item[there]]])


def clusters_of(rows: Rows, groups: dict[str, Labels]) -> Labels | None:
    """Clusters of the items: one label, or several joined."""
    if not rows.roles.cluster:
        return None
    parts = [groups[name] for name in rows.roles.cluster]
    for name, part in zip(rows.roles.cluster, parts, strict=True):
        if blank := int((part == "").sum()):
            raise AlignmentError(
                f"{rows.origin}: {how_many(blank, 'item', 'have')} no {name!r}: fill it in"
            )
    joined = cells.joined([pl.Series(part.tolist(), dtype=pl.String) for part in parts])
    clusters: NDArray[np.object_] = joined.to_numpy().astype(object)
    return clusters
