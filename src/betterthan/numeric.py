"""Array types, and the few numeric constants that every layer shares."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complexes = NDArray[np.complex128]
Numbers = NDArray[Any]
"""int64 or float64: integers are kept as they come."""

NUMBER = (int, float, np.integer, np.floating)
"""What is taken for a number where one is asked for: no text, no array, nothing else."""

Alternative = Literal["two-sided", "greater", "less"]
"""``"greater"``: the candidate is better."""

UNIT_ROUNDOFF = 2.0**-53
"""Largest relative error of one rounding to a double."""

TIE = 1e-12
"""Computed values closer than this share of their scale are ties: they carry rounding noise."""
