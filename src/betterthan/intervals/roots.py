"""Where a function crosses zero."""

from collections.abc import Callable
from typing import Any


def root(
    excess: Callable[..., float],
    low: float,
    high: float,
    args: tuple[Any, ...] = (),
    within: float = 2e-12,
) -> float:
    """The zero of a function between two places where it has different signs (Brent, 1973)."""
    from scipy.optimize import brentq  # noqa: PLC0415 (slow to import)

    return float(brentq(excess, low, high, args=args, xtol=within))
