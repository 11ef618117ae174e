"""Where a function crosses zero."""

from collections.abc import Callable


def root(excess: Callable[[float], float], low: float, high: float, within: float = 2e-12) -> float:
    """The zero of a function between two places where it has different signs (Brent, 1973)."""
    from scipy.optimize import brentq  # noqa: PLC0415 (slow to import)

    return float(brentq(excess, low, high, xtol=within))
