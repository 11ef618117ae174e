"""What every test hands back: one frozen value that can defend itself."""

import hashlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

Alternative = Literal["two-sided", "greater", "less"]
Kind = Literal["exact", "certified", "sampled", "asymptotic"]
VERSION = "0.1"
SIDES = {"two-sided": "2s", "greater": "1s>", "less": "1s<"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """Outcome of one paired test.

    Attributes
    ----------
    test : str
        Which test: ``"permutation"``, ``"bootstrap"``, ``"wilcoxon"`` ...
    pvalue, pvalue_low, pvalue_high : float
        The p-value and bounds on it: rigorous when exact, certified or ideal, a 99 % confidence
        interval when sampled, all equal to the formula's value when asymptotic.
    log10_pvalue : float
        Decimal logarithm of the p-value, finite where the p-value underflows to zero.
    delta : float
        Candidate minus baseline in the direction of better.
    kind : {"exact", "certified", "sampled", "asymptotic"}
        How well the number is known. That of the ideal bootstrap is exact, from all resamples at
        once; that the bootstrap's level is itself an approximation is said by its ``engine``.
    engine, reason : str
        How it was computed, and why that way.
    n : int
        Paired items.
    clusters : int or None
        Number of clusters that were swapped as one, if any.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the candidate is better.
    metric : str
        Spelling of the metric.
    statistic : float or None
        The classical test statistic, where the test has one.
    resamples : int or None
        Number of random draws, when sampled.
    fraction : fractions.Fraction or None
        The p-value as a true fraction, when the engine counts in integers.
    notes : tuple of str
        What the reader should know.
    signature : str
        One line from which the run can be repeated.
    law : object or None
        The null law itself, where the engine has one.
    """

    __test__ = False  # a result, not a test case

    test: str
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float
    delta: float
    kind: Kind
    engine: str
    reason: str
    n: int
    alternative: Alternative
    metric: str = "mean"
    clusters: int | None = None
    statistic: float | None = None
    resamples: int | None = None
    fraction: Fraction | None = None
    notes: tuple[str, ...] = ()
    signature: str = ""
    law: Any = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        claim = {
            "two-sided": "the systems differ",
            "greater": "the second system is better",
            "less": "the second system is worse",
        }[self.alternative]
        units = f"{self.n:,} items"
        if self.clusters is not None:
            units += f" in {self.clusters:,} clusters"
        lines = [
            f"{self.test} test of whether {claim} ({self.metric}, {units})",
            f"  delta {self.delta:+.6g}   p {describe_p(self)}",
            f"  {self.kind}, by {self.engine}: {self.reason}",
            *(f"  ! {note}" for note in self.notes),
            f"  {self.signature}",
        ]
        return "\n".join(lines)


def describe_p(result: TestResult) -> str:
    """Say a p-value with its uncertainty, as print and reports do."""
    text = format_p(result.pvalue, result.log10_pvalue)
    if result.kind in ("exact", "asymptotic"):
        return text
    what = "99 % interval" if result.kind == "sampled" else "certified within"
    return f"{text} ({what} {result.pvalue_low:.3g} to {result.pvalue_high:.3g})"


def format_p(pvalue: float, log10_pvalue: float) -> str:
    """Two significant digits, three next to .05, never zero however small.

    >>> format_p(0.031249, -1.5), format_p(0.5, -0.30103), format_p(0.0, -345.6)
    ('= 0.031', '= 0.50', '= 2.5e-346')
    >>> format_p(0.0498, -1.3), format_p(0.9999, 0.0)
    ('= 0.0498', '= 1.0')
    """
    if pvalue >= 1e-4:
        digits = 3 if 0.0495 <= pvalue < 0.0505 else 2
        return f"= {min(pvalue, 1.0):#.{digits}g}"
    exponent = math.floor(log10_pvalue)
    mantissa = 10.0 ** (log10_pvalue - exponent)
    if mantissa >= 9.95:
        mantissa, exponent = 1.0, exponent + 1
    return f"= {mantissa:.1f}e{exponent:03d}" if exponent > -100 else f"= {mantissa:.1f}e{exponent}"


class Bounded(Protocol):
    """A p-value with bounds, whichever way it was made."""

    @property
    def value(self) -> float:
        """The p-value."""

    @property
    def low(self) -> float:
        """Lower bound."""

    @property
    def high(self) -> float:
        """Upper bound."""

    @property
    def log10(self) -> float:
        """Decimal logarithm."""


class PFields(TypedDict):
    """The four p-value fields of a result."""

    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float


def bounds(p: Bounded) -> PFields:
    """Return the four p-value fields of a result."""
    return {
        "pvalue": p.value,
        "pvalue_low": p.low,
        "pvalue_high": p.high,
        "log10_pvalue": p.log10,
    }


def sign(
    method: str,
    *arrays: NDArray[Any] | None,
    n: int,
    alternative: Alternative,
    metric: str,
    clusters: int | None = None,
    resamples: int | None = None,
    seed: object = None,
) -> str:
    """Write the signature: everything that determines the number, on one line."""
    parts = [f"betterthan:{VERSION}", method, f"m:{metric}", f"n:{n}"]
    if clusters is not None:
        parts.append(f"c:{clusters}")
    parts.append(SIDES[alternative])
    if resamples is not None:
        parts.append(f"b:{resamples}")
        parts.append(f"seed:{seed if isinstance(seed, int | np.integer) else 'none'}")
    parts.append(f"data:{fingerprint(*arrays)}")
    return "|".join(parts)


def fingerprint(*arrays: NDArray[Any] | None) -> str:
    """Eight hexadecimal digits that change when the data do."""
    digest = hashlib.blake2b(digest_size=4)
    for array in arrays:
        if array is not None:
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
