"""Checked pairing of several systems' per-item values: by index, or by position."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import as_array, as_numbers, cluster_codes
from betterthan.data.indexed import aligned, columns_in_order
from betterthan.data.pair import Joint, Pair
from betterthan.data.precision import Precision
from betterthan.data.units import Items, rows_of_items
from betterthan.errors import AlignmentError, BadValueError, DataError, Remedy, UsageError
from betterthan.metrics import Metric, directed
from betterthan.numeric import Bools, Floats, Ints, Numbers


def joint_of(
    arrays: Mapping[str, ArrayLike],
    metric: Metric,
    clusters: ArrayLike | None = None,
    *,
    source: Any = None,
    precision: Sequence[Precision | None] | None = None,
) -> Joint:
    """Check several systems' per-item values and pair them: by index where they have one.

    Parameters
    ----------
    arrays : mapping of str to array_like
        Each system's values: ``(n,)``, or ``(n, k)`` in the order of the metric's columns. Plain
        arrays are paired by position, pandas Series and frames by their index.
    metric : Metric
        What scores them.
    clusters : array_like, optional
        One label per item; items of one cluster are not independent.
    source : Scores, optional
        What the arrays were taken from.
    precision : sequence of (Precision or None), optional
        How precise each system's values are, where their type does not tell.
    """
    systems, along, _ = aligned(arrays, {} if clusters is None else {"clusters": clusters})
    raw = {
        name: as_array(columns_in_order(x, metric.columns, name), name)
        for name, x in systems.items()
    }
    checked = {name: as_numbers(array, name) for name, array in raw.items()}
    n = _items(checked, metric)
    directed(metric)
    numbers = list(checked.values())
    if len({x.dtype for x in numbers}) > 1:
        numbers = [x.astype(np.float64) for x in numbers]
    _check_columns(dict(zip(checked, numbers, strict=True)), metric, source)
    codes, number = (None, None) if clusters is None else cluster_codes(along["clusters"], n)
    known = precision or [Precision.of(x.dtype) for x in raw.values()]
    items = Items(tuple(numbers), tuple(numbers), codes, source, precision=tuple(known))
    exact = list(raw.values()) if any(x.dtype == object for x in raw.values()) else None
    rows = rows_of_items(items, metric, number, raw=exact)
    return Joint(metric=metric, systems=tuple(checked), n=n, clusters=number, **rows)


def _items(arrays: Mapping[str, Any], metric: Metric) -> int:
    """Number of items, the same for all systems, whose columns are those of the metric."""
    lengths = {name: len(array) for name, array in arrays.items()}
    (first, n), *_ = lengths.items()
    for name, length in lengths.items():
        if length != n:
            raise AlignmentError(
                f"{first} has {n:,} items and {name} has {length:,}: arrays are paired by "
                "position, so pass both systems' values on the same items, in the same order"
            )
    if n == 0:
        raise DataError(f"there are no items to compare: {' and '.join(lengths)} are empty")
    for name, array in arrays.items():
        if array.shape[1] != len(metric.columns):
            raise UsageError(
                f"{name} has shape {array.shape}, but {metric!r} needs {len(metric.columns)} "
                f"columns: {', '.join(metric.columns)}"
            )
    return n


def _check_columns(arrays: Mapping[str, Numbers], metric: Metric, source: Any = None) -> None:
    """Check that columns hold what the metric says, or name the first item that does not."""
    averaged = source is not None and source.responses is not None
    for name, array in arrays.items() if metric.holds != "numbers" else ():
        columns = dict(zip(metric.columns, array.T, strict=True))
        for column, bad, what in _ruled_out(columns, metric, averaged=averaged):
            if bad.any():
                item = np.flatnonzero(bad)[:1]
                where = f"row {item[0] + 1}" if source is None else source.item_names(item)[0]
                raise BadValueError(
                    f"{column} of {name!r} is {columns[column][item[0]]:g} on {where}, {what}",
                    Remedy("take them as any numbers", "metric", repr(metric.over_any_numbers())),
                )


def _ruled_out(
    columns: Mapping[str, Numbers], metric: Metric, *, averaged: bool
) -> Iterator[tuple[str, Bools, str]]:
    """What a metric rules out of each column; means of responses need not be whole."""
    binary = metric.holds == "0 or 1"
    what = "not 0 or 1" if binary else "counts are whole and at least 0"
    for column, x in columns.items():
        bad = (x < 0) | (x > 1) if binary else x < 0
        yield column, bad if averaged or x.dtype.kind == "i" else bad | (x != np.rint(x)), what
    for part, total in metric.parts:
        yield part, columns[part] > columns[total], f"more than {total}"


def pair_of(a: ArrayLike, b: ArrayLike, metric: Metric, clusters: ArrayLike | None = None) -> Pair:
    """Check the per-item values of a baseline and a candidate, and pair them."""
    return joint_of({"a": a, "b": b}, metric, clusters).pair(0, 1)


def joint_of_rows(
    values: Sequence[Floats], counts: Ints, metric: Metric, systems: tuple[str, ...], **more: Any
) -> Joint:
    """Joint of items of which only the distinct ones and their counts are known."""
    _check_columns(dict(zip(systems, values, strict=True)), metric)
    items = Items(tuple(values), tuple(values))
    rows: dict[str, Any] = {**rows_of_items(items, metric, None, counts), "items": None}
    return Joint(metric=metric, systems=systems, n=int(counts.sum()), clusters=None, **rows, **more)
