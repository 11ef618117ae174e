"""How numbers are written: points for rates, digits that the interval justifies, never a zero p."""

import math
from collections.abc import Sequence
from decimal import Decimal

from betterthan.errors import how_many
from betterthan.results.interval import Interval

CORRECTIONS = {
    "holm": "Holm",
    "max-t": "max-T",
    "bonferroni": "Bonferroni",
    "hochberg": "Hochberg",
    "sidak": "Sidak",
    "bh": "BH",
    "by": "BY",
}
"""Adjustments for several comparisons, as they are printed."""

HUGE = 1e15  # from which decimals say nothing
FINEST = 6  # decimals at most

VERDICTS = {
    "better": "{0.candidate} is BETTER than {0.baseline}",
    "worse": "{0.candidate} is WORSE than {0.baseline}",
    "can't tell": "CAN'T TELL {0.candidate} from {0.baseline}",
}
"""Verdicts on a candidate as headlines tell them."""


def scale(percent: bool) -> float:
    """Rates are printed in points."""
    return 100.0 if percent else 1.0


def unit(percent: bool) -> str:
    """What stands behind the number: points for rates."""
    return " points" if percent else ""


def amount(text: str, percent: bool) -> str:
    """What stands behind a number that is written as short as it can be.

    >>> amount("1", True), amount("1.5", True), amount("1", False)
    ('1 point', '1.5 points', '1')
    """
    return f"{text} point" if percent and text.lstrip("+-") == "1" else f"{text}{unit(percent)}"


def span(interval: Interval, factor: float, decimals: int) -> str:
    """Write both ends of an interval of a difference; what is not zero is never printed as zero.

    >>> span(Interval(-0.01, float("inf"), 0.95, "made"), 100.0, 1)
    '[-1.0, ∞]'
    >>> span(Interval(0.0, 0.2, 0.95, "made"), 1.0, 1), span(Interval(1e-9, 0.2, 0.95, ""), 1.0, 1)
    ('[0, +0.2]', '[> 0, +0.2]')
    """
    low, high = (_end(x * factor, decimals) for x in (interval.low, interval.high))
    return f"[{low}, {high}]"


def _end(x: float, decimals: int) -> str:
    text = number(x, decimals, signed=True)
    if text.strip("+-0."):
        return text
    return "0" if x == 0.0 else "> 0" if x > 0.0 else "< 0"


def units(n: int, clusters: int | None) -> str:
    """How much a result rests on.

    >>> units(480, None), units(480, 60)
    ('480 items', '480 items in 60 clusters')
    """
    within = "" if clusters is None else f" in {how_many(clusters, 'cluster')}"
    return f"{how_many(n, 'item')}{within}"


def share(part: float | None) -> str:
    """Write a share in per cent; 0 and 100 only where it is just that.

    >>> share(0.1234), share(0.0001), share(0.9999), share(1.0), share(None)
    ('12.3 %', '<0.1 %', '>99.9 %', '100.0 %', '')
    """
    if part is None:
        return ""
    if 0.0 < part < 0.0005:
        return "<0.1 %"
    return f"{100 * part:.1f} %" if part < 0.9995 or part == 1.0 else ">99.9 %"


def ranks_text(low: int, high: int) -> str:
    """Ranks that a system may have."""
    return str(low) if low == high else f"{low}-{high}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names without repeats; the first few of more than so many.

    >>> listed(["a"]), listed(["a", "b", "a"]), listed(list("abcde"))
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    distinct = list(dict.fromkeys(names))
    if len(distinct) > most:
        return f"{', '.join(distinct[:3])} and {len(distinct) - 3} more"
    *first, last = distinct
    return f"{', '.join(first)} and {last}" if first else last


def digits(half_width: float) -> int:
    """Decimals that show two significant digits of the uncertainty, between 1 and 6.

    >>> digits(3.2), digits(0.31), digits(0.0042), digits(float("inf"))
    (1, 2, 4, 3)
    """
    if not math.isfinite(half_width) or half_width <= 0:
        return 3
    return min(max(1 - math.floor(math.log10(half_width)), 1), FINEST)


def number(value: float | None, decimals: int, *, signed: bool = False) -> str:
    """Write a number with fixed decimals.

    A signed number keeps its sign however small it is: an end of an interval at -0.00 does not
    reach zero. Halves are rounded as they are written: 0.175 is no less than that.

    >>> number(0.175, 2), number(0.625, 2), number(-0.175, 2, signed=True)
    ('0.18', '0.62', '-0.18')
    >>> number(-0.00001, 2, signed=True), number(-0.00001, 2), number(-0.0, 2, signed=True)
    ('-0.00', '0.00', '+0.00')
    >>> number(float("inf"), 1), number(None, 1), number(-2.5e30, 1, signed=True)
    ('∞', '', '-2.5e+30')
    >>> number(1.25e-200, FINEST), number(0.0, FINEST)
    ('1.25e-200', '0.000000')
    """
    if value is None:
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= HUGE or (decimals == FINEST and 0.0 < abs(value) < 10.0**-FINEST):
        return f"{value:{'+' if signed else ''}g}"
    rounded = round(Decimal(repr(float(value) + 0.0)), decimals)
    return f"{rounded:+f}" if signed else f"{rounded or abs(rounded):f}"


def format_p(
    pvalue: float, log10_pvalue: float, *, floor: bool = False, alpha: float = 0.05
) -> str:
    """Two significant digits, more next to alpha, never zero however small.

    There are as many digits as it takes to see on which side of ``alpha`` the p-value lies. A
    ``floor`` is the smallest value that so many draws can give: none of them was as far out.

    >>> format_p(1 / 20_001, -4.30105, floor=True)
    '< 5.0e-05'

    >>> format_p(0.031249, -1.5), format_p(0.5, -0.30103), format_p(0.0, -345.6)
    ('= 0.031', '= 0.50', '= 2.5e-346')
    >>> format_p(0.0498, -1.3), format_p(0.049983, -1.3), format_p(0.9999, 0.0)
    ('= 0.0498', '= 0.04998', '= 1.0')
    >>> format_p(0.03125, -1.50515, alpha=0.0312), format_p(9.99e-5, -4.00043, alpha=1e-4)
    ('= 0.03125', '= 9.99e-05')
    """
    for digits in range(2, 18):
        if pvalue >= 1e-4:
            said = f"{min(pvalue, 1.0):#.{digits}g}"
        else:
            exponent = math.floor(log10_pvalue)
            mantissa = f"{10.0 ** (log10_pvalue - exponent):.{digits - 1}f}"
            if mantissa.startswith("10"):
                mantissa, exponent = mantissa.replace("10", "1", 1), exponent + 1
            said = f"{mantissa}e{exponent:0{3 if exponent > -100 else 1}d}"
        told = float(said)
        if (told < alpha, told > alpha) == (pvalue < alpha, pvalue > alpha):
            break
    return f"{'<' if floor else '='} {said}"


def p_text(pvalue: float, log10_pvalue: float, *, floor: bool = False, alpha: float = 0.05) -> str:
    """Write a p-value for a table cell, without the equals sign."""
    return format_p(pvalue, log10_pvalue, floor=floor, alpha=alpha).removeprefix("= ")


def p_ends(low: float, high: float, alpha: float) -> tuple[str, str]:
    """Write both ends of the interval of a p-value.

    >>> p_ends(0.0, 0.000268, 0.05), p_ends(0.04981, 0.05043, 0.05)
    (('0.0', '0.00027'), ('0.0498', '0.0504'))
    """
    first, second = (p_text(p, math.log10(p), alpha=alpha) if p else "0.0" for p in (low, high))
    return first, second
