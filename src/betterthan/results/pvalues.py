"""P-values: how well they are known, and how they are said."""

import math
from typing import Literal, Protocol, TypedDict

Kind = Literal["exact", "certified", "bounded", "assumed", "sampled", "asymptotic"]


def format_p(pvalue: float, log10_pvalue: float, *, floor: bool = False) -> str:
    """Two significant digits, three next to .05, never zero however small.

    A ``floor`` is the smallest value that so many draws can give: none of them was as far out.

    >>> format_p(1 / 20_001, -4.30105, floor=True)
    '< 5.0e-05'

    >>> format_p(0.031249, -1.5), format_p(0.5, -0.30103), format_p(0.0, -345.6)
    ('= 0.031', '= 0.50', '= 2.5e-346')
    >>> format_p(0.0498, -1.3), format_p(0.9999, 0.0)
    ('= 0.0498', '= 1.0')
    """
    is_ = "<" if floor else "="
    if pvalue >= 1e-4:
        digits = 3 if 0.0495 <= pvalue < 0.0505 else 2
        return f"{is_} {min(pvalue, 1.0):#.{digits}g}"
    exponent = math.floor(log10_pvalue)
    mantissa = 10.0 ** (log10_pvalue - exponent)
    if mantissa >= 9.95:
        mantissa, exponent = 1.0, exponent + 1
    return f"{is_} {mantissa:.1f}e{exponent:0{3 if exponent > -100 else 1}d}"


class Bounded(Protocol):
    """A p-value with bounds, whichever way it was made."""

    @property
    def value(self) -> float:
        """The p-value."""

    @property
    def fields(self) -> "PFields":
        """The p-value, its bounds and its decimal logarithm, as a result names them."""


class PFields(TypedDict):
    """The four p-value fields of a result."""

    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float
