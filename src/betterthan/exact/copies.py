"""Distinct rows and how often each occurs: every entrance of the engine takes data in this form.

Rows may repeat, and without counts every row stands for one item, so plain per-item data are the
special case.
"""

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
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
        raise UsageError("counts must be whole numbers, one or more: how often each row occurs")
    return checked.astype(np.int64, copy=False)
