"""Checked pairing of several systems' per-item values: by index, or by position."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import (
    aligned,
    as_array,
    as_numbers,
    cluster_codes,
    column_names,
    columns_in_order,
)
from betterthan.data.items import Items
from betterthan.data.pair import Joint, Pair
from betterthan.errors import BadValueError, Remedy
from betterthan.metrics import Metric
from betterthan.numeric import Ints, Numbers


def joint_of(
    arrays: Mapping[str, ArrayLike],
    metric: Metric,
    clusters: ArrayLike | None = None,
    *,
    source: Any = None,
    counts: Ints | None = None,
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
    counts : (n,) array of int, optional
        How many items there are of each, where only the distinct ones are known.
    """
    systems, along, _ = aligned(arrays, {} if clusters is None else {"clusters": clusters})
    raw = {
        name: as_array(columns_in_order(x, metric.columns, name), name)
        for name, x in systems.items()
    }
    column_names(raw, metric.columns)
    numbers = tuple(as_numbers(array, name) for name, array in raw.items())
    metric = metric.directed()
    if len({x.dtype for x in numbers}) > 1:
        numbers = tuple(x.astype(np.float64) for x in numbers)
    _check_columns(dict(zip(raw, numbers, strict=True)), metric, source)
    codes = None if clusters is None else cluster_codes(along["clusters"], len(numbers[0]))[0]
    cells = {type(cell) for x in raw.values() if x.dtype == object for cell in x.flat}
    fractions = metric.form != "blackbox" and not cells <= {int, float}
    exact = tuple(raw.values()) if fractions else numbers
    return Joint.from_items(Items(exact, codes, counts, source), metric, tuple(raw))


def pair_of(a: ArrayLike, b: ArrayLike, metric: Metric, clusters: ArrayLike | None = None) -> Pair:
    """Check the per-item values of a baseline and a candidate, and pair them."""
    return joint_of({"a": a, "b": b}, metric, clusters).pair(0, 1)


def _check_columns(arrays: Mapping[str, Numbers], metric: Metric, source: Any) -> None:
    """Check that columns hold what the metric says, or name the first item that does not.

    Means of several responses need not be whole.
    """
    averaged = source is not None and source.responses is not None
    binary = metric.holds == "0 or 1"
    most, what = (1, "not 0 or 1") if binary else (np.inf, "counts are whole and at least 0")
    for name, array in arrays.items() if metric.holds != "numbers" else ():
        columns = dict(zip(metric.columns, array.T, strict=True))
        rules = [
            (column, (x < 0) | (x > most) | ((x != np.rint(x)) & (not averaged)), what)
            for column, x in columns.items()
        ]
        rules += [(x, columns[x] > columns[y], f"more than {y}") for x, y in metric.parts]
        for column, bad, why in rules:
            if bad.any():
                item = np.flatnonzero(bad)[:1]
                where = f"row {item[0] + 1}" if source is None else source.item_names(item)[0]
                raise BadValueError(
                    f"{column} of {name!r} is {columns[column][item[0]]:g} on {where}, {why}",
                    Remedy("take them as any numbers", "metric", repr(metric.over_any_numbers())),
                )
