"""What is assumed about two systems before they are compared: rates, a spread, or a pilot.

Each assumption answers one question: what would the test do on so many items if the true effect
were this? They differ in what they know, and hence in how well they can answer.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Protocol

from betterthan.checks import check_whole, is_number
from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.difference_law import DifferenceLaw, check_clusters, clustered
from betterthan.design.exact_power import exact_power
from betterthan.design.student_power import LISTED, normal_power, power_of_few, sets_of
from betterthan.errors import Choice, Parameter, Remedy, UsageError, quote
from betterthan.intervals.few_units import extreme_swaps
from betterthan.resampling.generator import as_generator

SLACK = 1e-9
RATES = (
    Remedy("of the baseline", "accuracy", Choice("X")),
    Remedy("items that both get right or both wrong", "agreement", Choice("X")),
)
SD = Remedy("spread of differences between items", "sd", {"item": Choice("X")})


class Assumption(Protocol):
    """Anything that can say what a test would do."""

    @property
    def percent(self) -> bool:
        """Whether effects are rates, printed in points."""

    @property
    def largest_effect(self) -> float:
        """Effects beyond this one are impossible."""

    @property
    def items_per_unit(self) -> float:
        """Items in an independent unit: one, or the size of a cluster."""

    @property
    def own_items(self) -> int | None:
        """Items of a pilot; None without a pilot."""

    def repeated(self, repeats: int) -> "Assumption":
        """Return the same assumption with this number of responses per item."""

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta, to start a search from."""

    def detection(self, items: int, effect: float, test: PlannedTest) -> Detection:
        """Power and errors of the test on so many items."""


class _Clusters:
    """What assumptions share: clusters of one size, and a spelling without what is usual."""

    __slots__ = ()
    cluster_size: int

    def __repr__(self) -> str:
        usual = {f.name: f.default for f in fields(self)}  # type: ignore[arg-type]
        unusual = [f"{k}={x:g}" for k in usual if (x := getattr(self, k)) != usual[k]]
        return f"{type(self).__name__}({', '.join(unusual)})"

    @property
    def items_per_unit(self) -> float:
        """Items in a cluster."""
        return float(self.cluster_size)

    @property
    def own_items(self) -> None:
        """An assumption has no items."""


@dataclass(frozen=True, slots=True, repr=False)
class Rates(_Clusters):
    """Two accuracies on the same items, as assumed.

    Attributes
    ----------
    accuracy : float or None
        Of the baseline. Power depends on it only through what agreement is possible.
    agreement : float or None
        Fraction of items that both systems get right or both wrong. Without it errors are taken to
        be independent: two systems that resemble each other agree more, and need fewer items.
    cluster_size, icc
        Items per cluster, and the correlation of differences within one.
    """

    accuracy: float | None = None
    agreement: float | None = None
    cluster_size: int = 1
    icc: float = 0.0

    def __post_init__(self) -> None:
        _check_rate("accuracy", self.accuracy)
        _check_rate("agreement", self.agreement)
        if self.accuracy is None and self.agreement is None:
            raise UsageError("rates need the baseline's accuracy or the agreement", *RATES)
        if self.agreement == 1.0:
            raise UsageError(
                "systems that agree on every item cannot differ", Remedy("", "agreement", 0.9)
            )
        check_clusters(self.cluster_size, self.icc)

    def repeated(self, repeats: int) -> "Rates":
        """One response per item is either right or wrong."""
        if repeats != 1:
            raise UsageError("rates are of single responses; a spread tells repeats from items", SD)
        return self

    @property
    def percent(self) -> bool:
        """Rates are printed in points."""
        return True

    @property
    def largest_effect(self) -> float:
        """All disagreement one way, or the baseline's room for improvement."""
        room = 1.0 if self.accuracy is None else 1.0 - self.accuracy
        return room if self.agreement is None else min(room, 1.0 - self.agreement)

    def disagreement(self, effect: float) -> float:
        """Share of the items on which one system is right and the other wrong."""
        least = 0.0
        if self.accuracy is not None:
            first, second = self.accuracy, self.accuracy + effect
            if not -SLACK <= second <= 1.0 + SLACK:
                raise UsageError(
                    f"an effect of {effect:g} takes the baseline's accuracy from {first:g} to "
                    f"{second:.4g}, which is not a rate",
                    Remedy("at most", "effect", -first if effect < 0.0 else 1.0 - first),
                )
            if self.agreement is None:
                return first * (1.0 - second) + second * (1.0 - first)
            least = abs(first + second - 1.0)
        most, agreement = 1.0 - abs(effect), self.agreement or 0.0
        if not least - SLACK <= agreement <= most + SLACK:
            raise UsageError(
                f"systems {abs(effect):.4g} apart agree on {least:.4g} to {most:.4g} of the items: "
                f"an agreement of {agreement:g} is impossible",
                Remedy("", "agreement", round(min(max(agreement, least), most), 9)),
            )
        return 1.0 - agreement

    def law(self, effect: float) -> DifferenceLaw:
        """Law of one unit's difference."""
        share = max(self.disagreement(effect), abs(effect))
        one = DifferenceLaw.of_one_size(share, effect)
        return clustered(one, self.cluster_size, self.icc)

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta under the null."""
        return self.law(effect).null_sd

    def detection(self, items: int, effect: float, test: PlannedTest) -> Detection:
        """Power of the exact test from the exact law."""
        units = whole_units(items, self.cluster_size)
        return exact_power(self.law(effect), units, test)


@dataclass(frozen=True, slots=True, repr=False)
class Spread(_Clusters):
    """Standard deviations of the difference between two systems' scores.

    An item's observed difference is its true one, plus noise of repeats (generations, seeds) and of
    raters within repeats, both averaged: ``item^2 + repeat^2 / repeats + rater^2 / (repeats
    raters)``. More repeats make items quieter; only more items reduce the first term.

    Attributes
    ----------
    item : float
        Of the true differences between items.
    repeat, rater : float
        Of a single repeat's difference around its item's, and of a single rating's around that.
    repeats, raters : int
        Repeats per item and system, and raters per repeat.
    cluster_size, icc
        Items per cluster, and the correlation of differences within one.
    percent : bool
        Whether effects are rates, printed in points.
    """

    item: float = 0.0
    repeat: float = 0.0
    rater: float = 0.0
    repeats: int = 1
    raters: int = 1
    cluster_size: int = 1
    icc: float = 0.0
    percent: bool = False

    def __post_init__(self) -> None:
        for name in ("item", "repeat", "rater"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 0.0):
                raise UsageError(
                    f"{name} must be a standard deviation of at least 0, got {quote(value)}",
                    Remedy("", "sd", {name: Choice("X")}),
                )
        for name in ("repeats", "raters"):
            check_whole(getattr(self, name), name, most=10**6)
        if self.item_sd == 0.0:
            raise UsageError("a spread of 0 leaves nothing to test", SD)
        check_clusters(self.cluster_size, self.icc)

    def repeated(self, repeats: int) -> "Spread":
        """Return the same spread with this number of repeats."""
        return replace(self, repeats=repeats)

    @property
    def item_sd(self) -> float:
        """Standard deviation of an item's observed difference."""
        repeats = self.repeat**2 / self.repeats
        raters = self.rater**2 / (self.repeats * self.raters)
        return math.sqrt(self.item**2 + repeats + raters)

    @property
    def largest_effect(self) -> float:
        """Any effect is possible."""
        return math.inf

    def null_sd(self, effect: float) -> float:
        """Standard deviation of a cluster's mean difference (Kish, 1965: the design effect)."""
        del effect
        inflation = 1.0 + (self.cluster_size - 1) * self.icc
        return self.item_sd * math.sqrt(inflation / self.cluster_size)

    def detection(self, items: int, effect: float, test: PlannedTest) -> Detection:
        """Power of the permutation test of normal differences: of few units, else the t-test's."""
        units, sd = whole_units(items, self.cluster_size), self.null_sd(effect)
        allowed = extreme_swaps(units, test.alpha, test.alternative)
        if not allowed:
            return Detection(0.0, None, None, 0.0, "exact", "too few units for any verdict")
        if units <= LISTED or allowed <= LISTED:
            noise = as_generator(test.rng).standard_normal((sets_of(units), units))
            return power_of_few(effect + sd * noise, effect, test, of="normal differences")
        return normal_power(effect, sd, units, test)


def whole_units(items: int, size: float) -> int:
    """Whole clusters that so many items make; at least one."""
    return max(math.floor(items / size + 1e-9), 1)


def _check_rate(name: Parameter, rate: float | None) -> None:
    """Check a rate, which may have been meant in percent."""
    if rate is None or (is_number(rate) and 0.0 <= rate <= 1.0):
        return
    share = [Remedy("", name, rate / 100.0)] if is_number(rate) and 1.0 < rate <= 100.0 else []
    raise UsageError(f"{name} must be a rate between 0 and 1, got {quote(rate)}", *share)
