"""How numbers are said: points for rates, digits that the interval justifies, never a zero p."""

import math

from betterthan.results import format_p


def scale(percent: bool) -> float:
    """Rates are printed in points."""
    return 100.0 if percent else 1.0


def digits(half_width: float) -> int:
    """Decimals that show two significant digits of the uncertainty, between 1 and 6.

    >>> digits(3.2), digits(0.31), digits(0.0042), digits(float("inf"))
    (1, 2, 4, 3)
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return 3
    return min(max(1 - math.floor(math.log10(half_width)), 1), 6)


def number(value: float | None, decimals: int, *, signed: bool = False) -> str:
    """Write a number with fixed decimals.

    A signed number keeps its sign however small it is: an end of an interval at -0.00 does not
    reach zero.

    >>> number(-0.00001, 2, signed=True), number(-0.00001, 2), number(-0.0, 2, signed=True)
    ('-0.00', '0.00', '+0.00')
    >>> number(float("inf"), 1), number(None, 1)
    ('∞', '')
    """
    if value is None:
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if signed:
        return f"{value + 0.0:+.{decimals}f}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def p_text(pvalue: float, log10_pvalue: float) -> str:
    """Write a p-value for a table cell, without the equals sign."""
    return format_p(pvalue, log10_pvalue).removeprefix("= ")
