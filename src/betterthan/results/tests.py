"""The result of a test, its p-value with bounds, and the distribution behind it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from betterthan.numeric import Alternative, Floats
from betterthan.results.protocol import Result

Kind = Literal["exact", "certified", "bounded", "assumed", "sampled", "asymptotic"]
"""How well a p-value is known."""


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


@runtime_checkable
class Law(Protocol):
    """Law of a test's statistic: under the null hypothesis, or over all resamples.

    ``mass`` gives all values and their probabilities, but for a negligible share; ``tail`` the
    probability of at least so much, with its bounds.
    """

    @property
    def name(self) -> str:
        """What the values are."""

    @property
    def observed(self) -> float:
        """The value in the data."""

    @property
    def sd(self) -> float:
        """Standard deviation."""

    def mass(self) -> tuple[Floats, Floats]:
        """Values in ascending order, and their probabilities."""

    def tail(self, value: float) -> Bounded:
        """Probability of at least ``value``, ties within rounding included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(Result):
    """Outcome of one paired test.

    Plots: ``null``, the null law and the tail that is the p-value, where there is one; ``overlap``,
    null and alternative, of a published response test.

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
    law_of : callable or None
        Makes :attr:`law` when it is asked for.
    excess : float or None
        What the test weighs where that is not delta, positive where it speaks for the candidate:
        wins less losses, a signed sum of ranks.
    overlap : object or None
        The sampled null and alternative of the published response test.
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
    law_of: Callable[[], Law | None] | None = field(default=None, repr=False, compare=False)
    excess: float | None = field(default=None, repr=False, compare=False)
    overlap: Any = field(default=None, repr=False, compare=False)

    @property
    def favours(self) -> float:
        """Positive where the data speak for the candidate, as this test weighs them."""
        return self.delta if self.excess is None else self.excess

    @property
    def floor(self) -> bool:
        """Whether no draw was as far out: the p-value is the smallest that so many can give."""
        draws = self.resamples if self.kind == "sampled" else None
        return draws is not None and abs(self.pvalue * (draws + 1) - 1.0) < 1e-6

    @property
    def law(self) -> Law | None:
        """The law that the data are compared with: its ``mass()``, ``tail(x)`` and ``name``.

        None where it is not known, or too large to be written out.
        """
        return None if self.law_of is None else self.law_of()
