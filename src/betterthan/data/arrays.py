"""Arrays, Series and frames as NumPy arrays: finite numbers, integers kept, rows paired by index.

Every check of the numbers themselves is here: shapes, types, NaN and infinities, and integers that
would be rounded. What carries an index (pandas) is paired by its labels, all else by position.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.labels import cells_of, given_labels, is_missing
from betterthan.data.resolution import LARGEST_INTEGER, LARGEST_SUM
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    Choice,
    DataError,
    Remedy,
    UsageError,
    first_few,
    quote,
)
from betterthan.numeric import Floats, Ints, Numbers

LARGEST_FLOAT = 1e100  # cubes stay finite
WIDER = ("Int128", "UInt128")  # types of polars that NumPy lacks
TOO_LARGE = "subtract one number from all scores, or write them in a larger unit"


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn an array-like into a plain array; masked and missing cells become NaN.

    >>> as_array(np.ma.masked_equal([1, -9], -9), "a")
    array([ 1., nan])
    >>> as_array((n / 2 for n in range(3)), "a")
    array([0. , 0.5, 1. ])
    """
    if isinstance(data, Mapping | Set):
        raise BadValueError(
            f"{what} must be an array, a list, a Series or a data frame, got a "
            f"{type(data).__name__}, whose rows have no order"
        )
    if isinstance(data, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(data)
        data = np.ma.getdata(data)
        return _tidied(np.where(mask, np.nan, data.astype(object))) if mask.any() else data
    if str(getattr(data, "dtype", "")) in WIDER:
        data = data.to_list()
    if isinstance(data, Iterable) and not hasattr(data, "__getitem__"):
        data = data if hasattr(data, "__array__") else list(data)  # a generator, values of a dict
    try:
        raw = np.asarray(data)
        if raw.dtype == np.float64 and raw is not data and (np.abs(raw) >= LARGEST_INTEGER).any():
            cells = cells_of(data, what) if raw.ndim == 1 else data
            raw = np.array(cells, dtype=object)  # integers that NumPy would round
    except Exception as error:  # of whatever library
        raise BadValueError(f"{what} cannot be read as an array of numbers: {error}") from error
    return _tidied(raw) if raw.dtype == object else raw


def _is_small(cell: object) -> bool:
    return type(cell) is int and abs(cell) < LARGEST_INTEGER


def _tidied(raw: NDArray[Any]) -> NDArray[Any]:
    """Cells of objects with NaN where they are missing; plain numbers in an array of their type."""
    cells = raw.ravel().tolist()
    if any(type(cell).__name__ in ("NAType", "NaTType", "NoneType") for cell in cells):
        cells = [np.nan if cell is None or is_missing(cell) else cell for cell in cells]
    floats = any(isinstance(x, float) for x in cells)  # integers alone may be names
    if floats and all(type(x) is float or _is_small(x) for x in cells):
        return np.array(cells, dtype=np.float64).reshape(raw.shape)
    return np.array([*cells, None], dtype=object)[:-1].reshape(raw.shape)


def as_floats(array: ArrayLike, what: str) -> Floats:
    """Turn array-likes of numbers and booleans into float64; missing cells are NaN.

    Integers beyond 2^53, which doubles would round, are an error.
    """
    raw = as_array(array, what)
    numbers = int | float | Fraction | Decimal | np.number | np.bool_
    if raw.dtype.kind not in "biuf" and not (
        raw.dtype == object and all(isinstance(x, numbers) for x in raw.flat)
    ):
        raise BadValueError(f"{what} must hold numbers, got {raw.dtype} values")
    try:
        floats = raw.astype(np.float64)
    except (OverflowError, ValueError) as error:  # 10**400, Decimal("sNaN")
        raise BadValueError(f"{what} holds a number that float64 cannot hold: {error}") from error
    if raw.dtype.itemsize >= 8 and raw.dtype != np.float64:
        beyond = np.abs(floats) >= LARGEST_INTEGER
        for number, rounded in zip(raw[beyond].tolist(), floats[beyond].tolist(), strict=True):
            if number != rounded:
                raise BadValueError(
                    f"{what} holds {number}, beyond 2^53, which would be rounded: {TOO_LARGE}"
                )
    return floats


def as_numbers(array: ArrayLike, name: str) -> Numbers:
    """Return finite ``(n, k)`` values: int64, or float64 as they come."""
    raw = array if type(array) is np.ndarray else as_array(array, name)
    if raw.ndim not in (1, 2):
        raise DataError(f"{name} must have the shape (items,) or (items, k), got {raw.shape}")
    columns = raw[:, None] if raw.ndim == 1 else raw
    if columns.dtype.kind in "biu":
        return _integers(columns, name)
    values = columns if columns.dtype == np.float64 else as_floats(columns, name)
    check_finite(values, name)
    return values


def check_finite(values: Floats, name: str) -> None:
    """Check that no value is NaN, infinite, or so large that its cube would be."""
    largest = max(values.max(), -values.min()) if values.size else 0.0
    if largest <= LARGEST_FLOAT:  # NaN compares false
        return
    bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    if bad.size:
        raise BadValueError(
            f"{name} is NaN or infinite at positions {first_few(bad)}: score these items, or leave "
            "them out of all systems"
        )
    raise BadValueError(f"{name} reaches {largest:.0e}, beyond 1e100: divide all by one number")


def _integers(values: NDArray[Any], name: str) -> Ints:
    if values.dtype.itemsize >= 8 and values.size:
        largest = max(int(values.max()), -int(values.min()))
        limit = min(LARGEST_INTEGER, LARGEST_SUM // len(values))
        if largest > limit:
            raise BadValueError(
                f"{name} holds integers up to {largest:,}, too large to sum exactly over "
                f"{len(values):,} items (at most {limit:,}): {TOO_LARGE}"
            )
    return values.astype(np.int64, copy=False)


def rectangle(data: ArrayLike | Sequence[ArrayLike], what: str) -> Floats:
    """Items x responses of an array, a frame or a list of lists; short rows are filled with NaN.

    >>> rectangle([[1, 2], [3]], "gold")
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    if isinstance(data, Iterable) and not hasattr(data, "__array__") and not hasattr(data, "keys"):
        rows = list(data)
    else:
        raw = as_array(data, what)
        if raw.ndim == 0:
            raise DataError(f"{what} must hold items x responses, got {quote(data)}")
        if raw.dtype != object or raw.ndim != 1:
            floats = as_floats(raw, what)
            return floats[:, None] if floats.ndim == 1 else floats
        rows = raw.tolist()
    cells = [np.atleast_1d(as_floats(row, f"{what}, item {i + 1}")) for i, row in enumerate(rows)]
    if any(row.ndim != 1 for row in cells):
        raise DataError(f"{what} has more than two dimensions: pass items x responses")
    block = np.full((len(cells), max((row.size for row in cells), default=0)), np.nan)
    for i, row in enumerate(cells):
        block[i, : row.size] = row
    return block


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
    if raw.dtype.kind in "iu" and int(raw.max()) - (least := int(raw.min())) < 4 * n:
        # Small signed integers would overflow; unsigned ones are not below their minimum.
        wide = raw.astype(np.int64, copy=False) if raw.dtype.kind == "i" else raw
        tags = (wide - least).astype(np.int64, copy=False)
        present = np.bincount(tags) > 0  # as good as sorting, and ten times faster
        return (np.cumsum(present) - 1)[tags], int(np.count_nonzero(present))
    distinct, codes = np.unique(raw, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(distinct)


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


def column_names(blocks: Mapping[str, Floats], columns: Sequence[str] | None) -> Sequence[str]:
    """Check that all systems have the same items and columns, and return the columns' names."""
    if columns is not None and not all(isinstance(name, str) for name in columns):
        raise UsageError(f"columns must be a list of names, got {quote(columns)}")
    for name, block in blocks.items():
        if block.ndim not in (1, 2):
            raise DataError(
                f"system {name!r} must have the shape (items,) or (items, k), got {block.shape}"
            )
    lengths = {name: len(block) for name, block in blocks.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} has {k:,}" for name, k in lengths.items())
        raise AlignmentError(
            f"systems differ in their number of items ({listed}), and there are no ids to pair "
            "them by: pass scores of the same items, or Series whose index names them"
        )
    widths = {1 if block.ndim == 1 else block.shape[1] for block in blocks.values()}
    if len(widths) > 1:
        raise DataError("every system needs the same columns: arrays of (items,) or (items, k)")
    (width,) = widths
    if columns is None and width != 1:
        example = Choice(f"({', '.join(['NAME'] * width)})")
        raise UsageError(
            f"arrays have {width} columns, which have no names",
            Remedy("name them", "columns", example),
        )
    return columns or ("score",)
