"""P-values: how well they are known, and how they are said."""

import math
from typing import Literal, Protocol, TypedDict

Kind = Literal["exact", "certified", "bounded", "assumed", "sampled", "asymptotic"]


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
