"""What a gate checks, and what it found: a metric, the loss that is tolerated, the ruling."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Claims
from betterthan.data.arguments import check_bounds, is_number
from betterthan.errors import UsageError
from betterthan.intervals.bounded import Bounds
from betterthan.intervals.margins import ASSUMPTIONS, MarginAssumption
from betterthan.results.interval import Interval
from betterthan.results.pvalues import Kind

Goal = Literal["non-inferior", "superior", "equivalent"]
Ruling = Literal["PASS", "REGRESSION", "CAN'T TELL"]
GOALS = get_args(Goal)
EXIT_CODES: dict[str, int] = {"PASS": 0, "REGRESSION": 1, "CAN'T TELL": 3}


@dataclass(frozen=True, slots=True)
class Check:
    """One metric that the gate looks at, and the loss in it that is tolerated.

    ``margin`` is in the unit in which the metric is printed: points for rates. So are ``bounds``,
    the least and the largest score of a single item, where the metric does not say them itself;
    ``assume`` is ``"shift"`` or ``"large-sample"`` where there are none
    (:func:`betterthan.intervals.margins.margin_tests`).
    """

    metric: str | None
    margin: float
    goal: Goal = "non-inferior"
    bounds: Bounds | None = None
    assume: MarginAssumption | None = None

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise UsageError(f"a goal is one of {', '.join(GOALS)}, not {self.goal!r}")
        if not is_number(self.margin) or not 0.0 <= float(self.margin) < 1e300:
            raise UsageError(
                f"a margin is the size of a tolerated loss and at least 0, not {self.margin!r}; to "
                "demand a gain choose the goal 'superior'"
            )
        if self.margin == 0.0 and self.goal != "superior":
            raise UsageError(
                "a margin of 0 leaves no room for a loss, so that an equal system never passes: "
                "give the loss you are ready to accept, or demand a gain with the goal 'superior'"
            )
        check_bounds(self.bounds)
        if self.assume is not None and self.assume not in ASSUMPTIONS:
            raise UsageError(f"assume is one of {', '.join(ASSUMPTIONS)}, not {self.assume!r}")
        if self.bounds is not None and self.assume is not None:
            raise UsageError("give either bounds or an assumption, not both")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the gate found in one metric, of all items or a part; differences are towards better.

    Attributes
    ----------
    metric : str
        What was compared.
    margin : float
        Tolerated loss, in the metric's own unit (0.02 for two points).
    goal : str
        What had to be shown.
    delta : float
        Candidate minus baseline.
    interval : Interval
        Both one-sided ``1 - alpha`` bounds: a ``1 - 2 alpha`` interval.
    pvalue : float
        Of the goal: the non-inferiority, superiority or equivalence p-value.
    pvalue_regression, pvalue_regression_adjusted : float
        Of the candidate being no worse at all, and adjusted for the number of metrics.
    pvalue_is_bound, regression_is_bound : bool
        Whether these are upper bounds: about the least that the test can give, or, where p is
        sampled, the upper end of its 99 % interval, by which the ruling goes.
    ruling : {"PASS", "REGRESSION", "CAN'T TELL"}
        The verdict.
    items_needed : int or None
        About how many items would show the goal with 80 % power, if the systems were equal; None
        where it is shown.
    part : str or None
        Which items, where each part of them is checked by itself.
    """

    metric: str
    margin: float
    goal: Goal
    n: int
    clusters: int | None
    score_baseline: float
    score_candidate: float
    delta: float
    interval: Interval
    pvalue: float
    pvalue_regression: float
    pvalue_regression_adjusted: float
    pvalue_is_bound: bool
    regression_is_bound: bool
    kind: Kind
    ruling: Ruling
    items_needed: int | None
    percent: bool
    notes: tuple[str, ...]
    part: str | None = None

    @property
    def name(self) -> str:
        """What was checked: the part, if it is one, and the metric."""
        return f"{self.part}, {self.metric}" if self.part else self.metric


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(Claims):
    """The gate's ruling, and that of every metric and part; items are those in ``single``.

    Plots: ``margins``, the interval and the margin of each.
    """

    baseline: str
    candidate: str
    checks: tuple[CheckResult, ...]
    ruling: Ruling
    single: tuple[ItemByItem, ...] = field(default=(), repr=False, compare=False)

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for a regression, 3 where neither is shown."""
        return EXIT_CODES[self.ruling]
