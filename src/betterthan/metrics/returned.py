"""Results of functions that users wrote: numbers of the right shape, or an error."""

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from betterthan.errors import UsageError, quote
from betterthan.numeric import Floats


def as_returned(returned: Any, shape: tuple[int, ...], who: str, remedy: str) -> Floats:
    """Numbers of this shape that ``who`` returned; a boolean is a number, text is not.

    >>> as_returned([1, 2.5], (2,), "blackbox(f)", "")
    array([1. , 2.5])
    >>> as_returned(None, (), "blackbox(f)", "write float(...)")
    Traceback (most recent call last):
    ...
    betterthan.errors.UsageError: blackbox(f) returned None, and must return one number: \
write float(...)
    """
    try:
        raw = np.asarray(returned)
    except ValueError:  # lists of different lengths
        raw = np.array(None)
    numbers = raw.dtype.kind in "biuf" or (
        raw.dtype == object and all(isinstance(x, Real | Decimal) for x in raw.flat)
    )
    if numbers and raw.shape == shape:
        return raw.astype(np.float64, copy=False)
    kind = "numbers" if numbers else f"{raw.dtype} values"
    actual = f"{kind} of shape {raw.shape}" if raw.ndim else quote(returned)
    expected = f"numbers of shape {shape}" if shape else "one number"
    raise UsageError(f"{who} returned {actual}, and must return {expected}: {remedy}")
