"""The least p-values that swaps of few units can give."""

import math

from betterthan.numeric import TIE, Alternative

FINE = 50  # units whose steps are too fine to matter


def least_pvalue(units: int, alternative: Alternative) -> float:
    """Least p-value that swaps of so many units can give."""
    return 2.0 ** ((alternative == "two-sided") - units)


def extreme_swaps(units: int, alpha: float, alternative: Alternative) -> int:
    """Swaps, of one side, that may be as large as the data where the test rejects.

    >>> extreme_swaps(5, 0.05, "two-sided"), extreme_swaps(8, 0.05, "two-sided")
    (0, 6)
    """
    return math.floor(alpha * (1.0 + TIE) / least_pvalue(min(units, FINE), alternative))
