"""Checked pairing of several systems' per-item values: by index, or by position."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from betterthan.data.arrays import (
    as_numbers,
    cluster_codes,
    common_integers,
    fits,
    refuse_lost,
    refuse_lost_fractions,
)
from betterthan.data.given import as_array
from betterthan.data.indexed import aligned, columns_in_order
from betterthan.data.pair import Joint, Pair
from betterthan.data.uneven_digits import refuse_cut
from betterthan.data.unit_rows import Items, rows_meant, rows_of_units
from betterthan.errors import AlignmentError, DataError, UsageError
from betterthan.metrics import Metric, directed
from betterthan.numeric import Floats, Ints


def joint_of(
    arrays: Mapping[str, ArrayLike],
    metric: Metric,
    clusters: ArrayLike | None = None,
    *,
    source: Any = None,
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
    """
    given = dict(arrays)
    plain = source is not None or all(
        isinstance(x, np.ndarray) and x.dtype.kind in "biuf" for x in given.values()
    )
    if not plain or not isinstance(clusters, np.ndarray | None):
        given, along, _ = aligned(given, {} if clusters is None else {"clusters": clusters})
        clusters = along.get("clusters")
        given = {
            name: as_array(columns_in_order(x, metric.columns, name), name)
            for name, x in given.items()
        }
    checked = {name: as_numbers(array, name) for name, array in given.items()}
    lengths = {name: len(block) for name, block in checked.items()}
    first, n = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != n:
            raise AlignmentError(
                f"{first} has {n:,} items and {name} has {length:,}: arrays are paired by "
                "position, so give both systems' values on the same items, in the same order"
            )
    if n == 0:
        raise DataError(f"there are no items to compare: {' and '.join(lengths)} are empty")
    for name, block in checked.items():
        if block.shape[1] != len(metric.columns):
            raise UsageError(
                f"{name} has {block.shape[1]} columns an item, but {metric!r} reads "
                f"{len(metric.columns)} ({', '.join(metric.columns)}): pass an (items, "
                f"{len(metric.columns)}) array"
            )
    directed(metric)
    numbers = list(checked.values())
    if len({x.dtype for x in numbers}) > 1:
        numbers = [x.astype(np.float64) for x in numbers]
    if source is None:
        refuse_lost(numbers)
    if not plain:
        refuse_lost_fractions(list(given.values()))
    codes, number = (None, None) if clusters is None else cluster_codes(clusters, n)
    values, unit = tuple(numbers), Fraction(1)
    exact = None
    if not plain and metric.form != "blackbox":
        exact = common_integers(list(given.values()))
    if exact is not None and fits(exact[0]):  # fractions and decimals are taken as they are
        meant, unit = tuple(x.reshape(n, -1) for x in exact[0]), exact[1]
        items = Items(values, meant, codes, source, unit)
        made = rows_of_units(items, metric, number)
    else:
        refuse_cut(tuple(checked), values)
        made = rows_meant(Items(values, values, codes, source), metric, number)
    return Joint(metric=metric, systems=tuple(checked), n=n, clusters=number, **made)


def pair_of(a: ArrayLike, b: ArrayLike, metric: Metric, clusters: ArrayLike | None = None) -> Pair:
    """Check the per-item values of a baseline and a candidate, and pair them."""
    return joint_of({"a": a, "b": b}, metric, clusters).pair(0, 1)


def joint_of_rows(
    values: Sequence[Floats], counts: Ints, metric: Metric, systems: tuple[str, ...], **more: Any
) -> Joint:
    """Joint of items of which only the distinct ones and their counts are known."""
    refuse_lost(values)
    refuse_cut(systems, values, counts)
    items = Items(tuple(values), tuple(values))
    made: dict[str, Any] = {**rows_meant(items, metric, None, counts), "items": None}
    return Joint(metric=metric, systems=systems, n=int(counts.sum()), clusters=None, **made, **more)
