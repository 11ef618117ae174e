"""Rows of integers and how often each occurs: every entrance of the engine takes data in this form.

Rows may repeat, and without counts every row stands for one item, so plain per-item data are the
special case.
"""

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
from betterthan.exact.probability import BudgetExceededError
from betterthan.numeric import Ints


def counts_of(counts: ArrayLike | None, rows: int) -> Ints:
    """Check how often each of ``rows`` rows occurs; once by default.

    >>> counts_of([2, 1], 2).tolist(), counts_of(None, 3).tolist()
    ([2, 1], [1, 1, 1])
    """
    if counts is None:
        return np.ones(rows, dtype=np.int64)
    checked = np.asarray(counts)
    if checked.shape != (rows,):
        raise UsageError(f"counts must hold one number per row ({rows}), not {checked.shape}")
    if checked.size and (checked.dtype.kind not in "iu" or checked.min() < 1):
        raise UsageError("counts must be integers, one or more: how often each row occurs")
    return checked.astype(np.int64, copy=False)


def integer_rows(
    values: ArrayLike, name: str, counts: ArrayLike | None = None, *, bits: int = 52
) -> Ints:
    """Check and convert to an (items, columns) array of int64 whose sums fit ``bits``.

    >>> integer_rows([1.0, 2.0], "stay").tolist()
    [[1], [2]]
    """
    array = np.asarray(values)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not array.shape[1]:
        raise UsageError(f"{name} must have one row per item, got shape {array.shape}")
    whole = array.dtype.kind in "biu"
    if not whole and not (array.dtype.kind == "f" and np.array_equal(array, np.trunc(array))):
        raise UsageError(f"{name} must hold integers, got {array.dtype}")
    if array.size:
        reach = max(float(array.max()), -float(array.min()))
        reach *= len(array) if counts is None else float(np.sum(counts))
        if reach >= 2.0**bits:
            need = f"the sums of {name} may reach {reach:.3g}"
            raise BudgetExceededError(f"{need}; exact arithmetic takes them up to 2**{bits}")
    return np.asarray(array, dtype=np.int64, order="F")
