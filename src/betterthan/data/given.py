"""What Python users hand in: any array-like as a NumPy array, and any labels as text.

The one door for arrays, Series and frames of every library: cells that are masked or missing stay
missing, rows stay rows, and what is no array is refused in our own words.
"""

from collections.abc import Iterable, KeysView, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.data.ids import Labels, as_labels, whole_text
from betterthan.data.indexed import names_of_columns
from betterthan.errors import BadValueError, UsageError, first_few, quote

NOTHING = ("NAType", "NaTType")  # what pandas writes for a missing cell
WIDER = ("Int128", "UInt128")  # types that NumPy lacks, and of which an old polars panics
NO_LABEL = (list, dict, set, np.ndarray)
EXACT = 2**53  # whole numbers up to here are doubles, each its own


def as_array(data: Any, what: str) -> NDArray[Any]:
    """Turn an array-like into a plain array; masked and missing cells become NaN.

    >>> as_array(np.ma.masked_equal([1, -9], -9), "a")
    array([ 1., nan])
    >>> as_array((n / 2 for n in range(3)), "a")
    array([0. , 0.5, 1. ])
    """
    if isinstance(data, Mapping | Set):
        raise BadValueError(
            f"{what} is a {type(data).__name__}, which has no rows in order: give an array, a "
            "list, a Series or a data frame"
        )
    if isinstance(data, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(data)
        data = np.ma.getdata(data)
        if mask.any():
            data = np.where(mask, np.nan, _unrounded(data) if _beyond(data) else data)
    if str(getattr(data, "dtype", "")) in WIDER:
        data = data.to_list()
    if isinstance(data, Iterable) and not hasattr(data, "__getitem__"):
        data = data if hasattr(data, "__array__") else list(data)  # a generator, values of a dict
    try:
        raw = np.asarray(data)
        if raw.dtype == np.float64 and raw is not data and _beyond(raw):
            raw = _unrounded(data)
    except ValueError as error:
        raise BadValueError(f"{what} is not a rectangular array of numbers: {error}") from error
    except Exception as error:  # a library's own
        raise BadValueError(f"{what} cannot be read as an array: {error}") from error
    if raw.dtype == object:
        cells = raw.ravel().tolist()
        if any(kind.__name__ in NOTHING for kind in set(map(type, cells))):
            gone = np.array([type(cell).__name__ in NOTHING for cell in cells])
            raw = np.where(gone.reshape(raw.shape), np.nan, raw)
    return raw


def _beyond(array: NDArray[Any]) -> bool:
    """Whether there are numbers so large that some of their neighbours are no doubles."""
    return array.dtype.kind in "iuf" and bool((np.abs(array / 1.0) >= EXACT).any())


def _unrounded(data: Any) -> NDArray[np.object_]:
    """Cells as they are: NumPy rounds whole numbers beside fractions and missing ones."""
    if names := names_of_columns(data):
        at = getattr(data, "iloc", None)
        columns = [data[x] if at is None else at[:, k] for k, x in enumerate(names)]
        return np.stack([_unrounded(column) for column in columns], axis=1)
    plain = np.frompyfunc(lambda x: x.item() if isinstance(x, np.generic) else x, 1, 1)
    return np.asarray(plain(np.array(_cells(data, "data"), dtype=object)))


def given_labels(labels: Any, what: str, blank: str | None = None) -> Labels:
    """Labels as text, ``1`` and ``1.0`` the same; one that is missing is ``blank``, or refused.

    >>> given_labels([1, 1.0, "x"], "clusters").tolist()
    ['1', '1', 'x']
    """
    cells = _cells(labels, what)
    kinds = set(map(type, cells))
    if not kinds <= {str, int}:
        if any(issubclass(kind, NO_LABEL) for kind in kinds):
            odd = next(cell for cell in cells if isinstance(cell, NO_LABEL))
            raise BadValueError(
                f"{what} has {quote(odd)} for a label: give one text or number each"
            )
        gone = [k for k, cell in enumerate(cells) if is_missing(cell)]
        if gone and blank is None:
            raise _unlabelled(what, gone)
        for k in gone:
            cells[k] = blank
    made = as_labels(cells)
    if blank is None and (bare := [k for k, label in enumerate(made) if not label.strip()]):
        raise _unlabelled(what, bare)
    try:
        "".join(made).encode()
    except UnicodeEncodeError:
        made[:] = [whole_text(label) for label in made]
    return made


def _unlabelled(what: str, gone: Sequence[int]) -> BadValueError:
    return BadValueError(
        f"{what} has no label at positions {first_few(gone)}: give every item one (a label of its "
        "own where it stands alone)"
    )


def _cells(labels: Any, what: str) -> list[Any]:
    """Cells as they are: NumPy would round whole numbers beside fractions, and spell NaN."""
    if hasattr(labels, "columns") or (
        isinstance(labels, Mapping | Set) and not isinstance(labels, KeysView)
    ):
        raise UsageError(f"{what} is a {type(labels).__name__}: give one label an item, in a list")
    way = next((x for x in ("to_list", "to_pylist", "tolist") if hasattr(labels, x)), None)
    try:
        cells = list(labels) if way is None else getattr(labels, way)()
    except TypeError:  # a number has nothing to list
        cells = None
    if not isinstance(cells, list):
        raise UsageError(f"{what} is a single value, {quote(labels)}: give one label an item")
    return cells


def is_missing(cell: object) -> bool:
    """Whether a cell is None, NaN, or what else libraries write for nothing."""
    known = cell is None or type(cell).__name__ in NOTHING
    return known or bool(cell != cell)  # noqa: PLR0124 (NaN)
