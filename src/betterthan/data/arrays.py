"""Arrays, Series and frames that users hand in, as NumPy arrays of checked numbers.

Integers stay integers, missing cells become NaN, and what would be rounded is an error. Rows of
what carries an index (pandas) are paired by its labels, all others by position; a Series or frame
is known by what it can do, so that pandas need not be installed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, ValuesView
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.labels import NOTHING, cells_of, given_labels
from betterthan.data.resolution import LARGEST_INTEGER, LARGEST_SUM
from betterthan.data.tally import row_codes
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    Choice,
    DataError,
    Remedy,
    UsageError,
    first_few,
    how_many,
    quote,
)
from betterthan.numeric import Floats, Ints, Numbers

LARGEST_FLOAT = 1e100  # cubes stay finite
TEXT = {str, bytes}
TOO_LARGE = "subtract one number from all scores, or write them in a larger unit"
UNSCORED = "score these items, or leave them out of all systems"


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn an array-like into a plain array; masked and missing cells become NaN.

    >>> as_array(np.ma.masked_equal([1, -9], -9), "a")
    array([1, nan], dtype=object)
    >>> as_array((n / 2 for n in range(3)), "a")
    array([0. , 0.5, 1. ])
    """
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(object), np.nan) if np.ma.is_masked(data) else data.data
    if isinstance(data, Iterator | ValuesView):
        data = list(data)
    try:
        raw = np.asarray(data)
        if raw.dtype == np.float64 and raw is not data and (np.abs(raw) >= LARGEST_INTEGER).any():
            cells = cells_of(data, what) if raw.ndim == 1 else data
            raw = np.array(cells, dtype=object)  # integers that NumPy would round
    except Exception as error:  # of whatever library
        raise BadValueError(f"{what} cannot be read as an array of numbers: {error}") from error
    if raw.dtype != object:
        return raw
    cells = [np.nan if type(x).__name__ in NOTHING else x for x in raw.ravel().tolist()]
    return np.array([*cells, None], dtype=object)[:-1].reshape(raw.shape)


def as_floats(array: ArrayLike, what: str) -> Floats:
    """Turn array-likes of numbers and booleans into float64; missing cells are NaN.

    Integers beyond 2^53, which doubles would round, are an error.
    """
    raw = as_array(array, what)
    try:
        if raw.dtype.kind not in "biufO" or (raw.dtype == object and {*map(type, raw.flat)} & TEXT):
            raise TypeError(f"got {raw.dtype} values")
        floats = raw.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:  # 10**400, Decimal("sNaN")
        raise BadValueError(f"{what} must hold numbers that float64 can hold: {error}") from error
    beyond = raw[np.abs(floats) >= LARGEST_INTEGER].tolist()
    if rounded := [number for number in beyond if number != float(number)]:
        raise BadValueError(
            f"{what} holds {rounded[0]}, beyond 2^53, which would be rounded: {TOO_LARGE}"
        )
    return floats


def as_numbers(array: ArrayLike, name: str) -> Numbers:
    """Return finite ``(n, k)`` values: int64, or float64 as they come."""
    raw = as_array(array, name)
    columns = raw[:, None] if raw.ndim == 1 else raw
    whole = columns.dtype.kind in "biu"
    values = columns if whole else as_floats(columns, name)
    limit: float = LARGEST_FLOAT
    fault, advice = "NaN, infinite or beyond 1e100", UNSCORED
    if whole:
        limit = min(LARGEST_INTEGER, LARGEST_SUM // max(len(columns), 1))
        fault, advice = f"beyond {limit:,}, too large to sum exactly,", TOO_LARGE
    bad = np.flatnonzero(~((values >= -limit) & (values <= limit)).all(axis=1))
    if bad.size:
        raise BadValueError(f"{name} is {fault} at positions {first_few(bad)}: {advice}")
    return values.astype(np.int64, copy=False) if whole else values


def as_counts(counts: ArrayLike, n: int) -> Ints:
    """How many each of ``n`` rows stands for: integers of at least 1, and below 2^53 together."""
    times = as_floats(counts, "counts")
    if times.shape != (n,):
        raise DataError(f"there are {times.size:,} counts for {how_many(n, 'row')}")
    if not ((times >= 1) & (times == np.rint(times))).all() or times.sum() >= LARGEST_INTEGER:
        raise BadValueError("counts must be whole numbers of at least 1, and below 2^53 together")
    return times.astype(np.int64)


def rectangle(data: ArrayLike | Sequence[ArrayLike], what: str) -> Floats:
    """Items x responses of an array, a frame or a list of lists; short rows are filled with NaN.

    >>> rectangle([[1, 2], [3]], "gold")
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    listed = isinstance(data, list | tuple | Iterator)
    rows: Any = data if listed else as_array(data, what)
    if listed or (rows.dtype == object and rows.ndim == 1):
        cells = [cells_of(row, what) if isinstance(row, Iterable) else [row] for row in rows]
        rows = list(zip(*zip_longest(*cells, fillvalue=np.nan), strict=True))
    floats = as_floats(rows, what)
    if floats.ndim not in (1, 2):
        raise DataError(f"{what} must have one or two dimensions: pass items x responses")
    return floats[:, None] if floats.ndim == 1 else floats


def mean_of_present(block: Floats) -> Floats:
    """Means over the last axis of what is not NaN; NaN where nothing is."""
    present = ~np.isnan(block)
    counts = present.sum(axis=-1)
    totals = np.where(present, block, 0.0).sum(axis=-1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def cluster_codes(labels: ArrayLike, n: int) -> tuple[Ints, int]:
    """Number the clusters from zero; also returns how many there are.

    >>> cluster_codes(["x", "y", "x"], 3)
    (array([0, 1, 0]), 2)
    """
    raw = labels if isinstance(labels, np.ndarray) else np.empty(0, dtype=object)
    if raw.dtype.kind in "Of" and set(map(type, raw.tolist())) != {str}:
        raw = given_labels(labels, "clusters")
    if raw.shape != (n,):
        raise AlignmentError(
            f"clusters must have one label per item, got shape {raw.shape} for {n:,} items"
        )
    return row_codes([raw])


def cluster_sums(values: Numbers, codes: Ints, n_clusters: int) -> Numbers:
    """Sum ``(n,)`` or ``(n, k)`` values within clusters; exact for integers.

    Floats are summed in order of size, so that the order of the items does not show in the bits.

    >>> cluster_sums(np.array([1, 2, 4]), np.array([0, 1, 0]), 2)
    array([5, 2])
    """
    sums: Numbers = np.zeros((n_clusters, *values.shape[1:]), dtype=values.dtype)
    for column, into in zip(np.atleast_2d(values.T), np.atleast_2d(sums.T), strict=True):
        order = np.argsort(column) if values.dtype.kind == "f" else slice(None)
        np.add.at(into, codes[order], column[order])
    return sums


def column_names(
    blocks: Mapping[str, NDArray[Any]], columns: Sequence[str] | None
) -> Sequence[str]:
    """Check that all systems have the same items and columns, and return the columns' names."""
    if columns is not None and not all(isinstance(name, str) for name in columns):
        raise UsageError(f"columns must be a list of names, got {quote(columns)}")
    shapes = {name: block.shape for name, block in blocks.items()}
    listed = ", ".join(f"{name!r} has {shape}" for name, shape in shapes.items())
    if not all(len(shape) in (1, 2) and shape[0] for shape in shapes.values()):
        raise DataError(
            "there are no items to compare: arrays must have the shape (items,) or (items, "
            f"columns), and {listed}"
        )
    if len({n for n, *_ in shapes.values()}) > 1:
        raise AlignmentError(
            f"systems differ in their number of items ({listed}), and there are no ids to pair "
            "them by: pass scores of the same items, or Series whose index names them"
        )
    widths = {(*shape, 1)[1] for shape in shapes.values()}
    named = columns or ("score",)
    if widths != {len(named)}:
        example = Choice(f"({', '.join(['NAME'] * max(widths))})")
        raise UsageError(
            f"arrays must have one column for each of {', '.join(named)}: {listed}",
            *([] if columns else [Remedy("name them", "columns", example)]),
        )
    return named


def aligned(
    arrays: Mapping[str, Any], along: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any], Any | None]:
    """Put the rows of all arrays that carry an index into the order of the first.

    Returns the arrays, what goes ``along`` with them (clusters, a label per item), and the index
    that they share; None where items are paired by position. An index that only counts rows from
    zero names no items.
    """
    systems, labels = dict(arrays), dict(along or {})
    known = [
        (home, name, array.index)
        for home in (systems, labels)
        for name, array in home.items()
        if hasattr(getattr(array, "index", None), "get_indexer")
    ]
    carrying = sum(home is systems for home, *_ in known)
    counting = (
        [getattr(index, what, None) for what in ("start", "step", "name")] == [0, 1, None]
        for *_, index in known
    )
    if not carrying or all(counting):
        return systems, labels, None
    _, first, index = known[0]
    for home, name, other in known:
        faults = {
            f"{name} repeats": other[other.duplicated()],
            f"{first} lacks": other[~other.isin(index)],
            f"{name} lacks": index[~index.isin(other)],
        }
        if any(map(len, faults.values())):
            shown = (f"{what} {first_few(x.unique())}" for what, x in faults.items() if len(x))
            raise AlignmentError(
                f"the indexes of {first} and {name} differ: {'; '.join(shown)}. Give both the same "
                "labels, each once, or pair by position with .to_numpy()"
            )
        home[name] = home[name].iloc[other.get_indexer(index)]
    return systems, labels, index if carrying == len(systems) else None


def columns_in_order(data: Any, columns: Sequence[str], name: str) -> Any:
    """Take a frame's columns by name, in the metric's order; other data as they are.

    A frame none of whose columns has such a name is taken by position, like an array.
    """
    if isinstance(data, np.ndarray) or not hasattr(type(data), "columns"):
        return data
    names = list(getattr(data, "column_names", data.columns))  # those of pyarrow, or of others
    if not set(names) & set(columns) or names == list(columns):
        return data
    missing = [column for column in columns if column not in names]
    if missing:
        raise UsageError(
            f"{name} has no column {first_few(missing)}; it has {first_few(names)}, and the metric "
            f"needs {', '.join(columns)}"
        )
    return data.select(list(columns)) if hasattr(data, "select") else data[list(columns)]
