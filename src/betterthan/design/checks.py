"""What a gate checks, and what it found: a metric, the loss that is accepted, the ruling."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from betterthan.checks import check_bounds, is_number, several
from betterthan.comparison.item_by_item import ItemByItem
from betterthan.comparison.verdicts import Claims
from betterthan.errors import Choice, Remedy, UsageError, not_one_of, quote
from betterthan.intervals.bounded import Bounds
from betterthan.intervals.margins import ASSUMPTIONS, MarginAssumption
from betterthan.metrics import Metric
from betterthan.results.interval import Interval
from betterthan.results.tests import Kind

Goal = Literal["non-inferior", "superior", "equivalent"]
Ruling = Literal["PASS", "REGRESSION", "CAN'T TELL"]
GOALS = get_args(Goal)
EXIT_CODES: dict[str, int] = {"PASS": 0, "REGRESSION": 1, "CAN'T TELL": 3}
SUPERIOR = Remedy("demand a gain instead", "goal", "superior")
MARGIN = Remedy("the loss that you accept", "margin", Choice("X"))


@dataclass(frozen=True, slots=True)
class Check:
    """One metric that a gate looks at, and the loss in it that is accepted.

    Attributes
    ----------
    metric : str, Metric or None
        What is compared; None is the mean of the only column.
    margin : float
        The loss that is accepted: in a :class:`Plan` as it is printed, which is points for rates.
    goal : {"non-inferior", "superior", "equivalent"}
        What must be shown: no loss beyond the margin, a gain beyond it, or neither.
    bounds : (float, float) or None
        Lowest and highest score of a single item, where the metric does not say them, in the unit
        of the margin.
    assume : {"shift", "large-sample"} or None
        A model where there are no bounds (:func:`betterthan.intervals.margins.margin_tests`).
    """

    metric: str | Metric | None
    margin: float
    goal: Goal = "non-inferior"
    bounds: Bounds | None = None
    assume: MarginAssumption | None = None

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise not_one_of("goal", self.goal, GOALS)
        if not is_number(self.margin) or not 0.0 <= float(self.margin) < 1e300:
            turned = [Choice(f"{-self.margin:g}")] if is_number(self.margin) else []
            raise UsageError(
                f"margin must be the size of a loss, at least 0, got {quote(self.margin)}",
                *(Remedy("accept a loss of that size", "margin", size) for size in turned),
            )
        if self.margin == 0.0 and self.goal != "superior":
            raise UsageError(
                "a margin of 0 leaves no room for a loss: an equal system would never pass",
                MARGIN,
                SUPERIOR,
            )
        check_bounds(self.bounds)
        if self.assume is not None and self.assume not in ASSUMPTIONS:
            raise not_one_of("assume", self.assume, ASSUMPTIONS)


def same_checks(
    margin: float | None,
    metric: str | Metric | Sequence[str | Metric] | None,
    goal: Goal,
    bounds: Bounds | None,
    assume: MarginAssumption | None = None,
) -> tuple[Check, ...]:
    """Checks of one or several metrics with the same margin, which must be given."""
    if margin is None:
        raise UsageError("a gate needs a margin: the loss that you accept", MARGIN)
    metrics = (None,) if metric is None else several("metric", metric)
    return tuple(Check(name, margin, goal, bounds, assume) for name in metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the gate found in one metric, of all items or a part; differences are towards better.

    Attributes
    ----------
    metric : str
        What was compared.
    subset : str or None
        Which items; None for all of them.
    margin : float
        The loss that is accepted, in the metric's own unit (0.02 for two points).
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
    wins, ties, losses : int or None
        Items on which the candidate is better, level or worse, where the metric has such.
    items_needed : int or None
        About how many items would show the goal with 80 % power, if the systems were equal; None
        where it is shown.
    lower_is_better : bool
        Whether a gain lowers the scores.
    percent : bool
        Whether scores are rates, printed in points.
    """

    metric: str
    subset: str | None = None
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
    lower_is_better: bool = False
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None

    @property
    def name(self) -> str:
        """What was checked: the part, if it is one, and the metric."""
        return f"{self.subset}, {self.metric}" if self.subset else self.metric


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
