"""What is assumed about two systems before they are compared: rates, a spread, or a pilot.

Each assumption answers one question: what would the test do on so many items if the true effect
were this? They differ in what they know, and hence in how well they can answer.
"""

import math
from dataclasses import dataclass, fields
from typing import Protocol

from betterthan.data.arguments import is_number
from betterthan.design.detection import Detection
from betterthan.design.difference_law import DifferenceLaw, clustered
from betterthan.design.exact_power import exact_power
from betterthan.design.few_units import LISTED, extreme_swaps, power_of_few, sets_of
from betterthan.design.normal_power import normal_power
from betterthan.errors import UsageError, quote
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng, affordable, as_generator

SLACK = 1e-9


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

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta, to start a search from."""

    def detection(
        self,
        items: int,
        effect: float,
        *,
        alpha: float,
        alternative: Alternative,
        rng: Rng,
        wanted: float | None = None,
    ) -> Detection:
        """Power and errors of the test on so many items.

        Where only a power is wanted, it is enough to know whether that is reached.
        """


class _Clusters:
    """What assumptions share: clusters of one size, and a spelling without what is usual."""

    __slots__ = ()
    cluster_size: int

    def __repr__(self) -> str:
        usual = {f.name: f.default for f in fields(self)}  # type: ignore[arg-type]
        said = [f"{k}={x:g}" for k in usual if (x := getattr(self, k)) != usual[k]]
        return f"{type(self).__name__}({', '.join(said)})"

    @property
    def items_per_unit(self) -> float:
        """Items in a cluster."""
        return float(self.cluster_size)


@dataclass(frozen=True, slots=True, repr=False)
class Rates(_Clusters):
    """Two accuracies on the same items, as assumed.

    Attributes
    ----------
    baseline : float or None
        Accuracy of the baseline. Power depends on it only through what agreement is possible.
    agreement : float or None
        Share of the items that both systems get right or both wrong. Without it errors are taken
        to be independent: two systems that resemble each other agree more, and need fewer items.
    cluster_size, icc
        Items per cluster, and the correlation of differences within one.
    """

    baseline: float | None = None
    agreement: float | None = None
    cluster_size: int = 1
    icc: float = 0.0

    def __post_init__(self) -> None:
        for name, rate in (("baseline accuracy", self.baseline), ("agreement", self.agreement)):
            if rate is not None and not (is_number(rate) and 0.0 <= rate <= 1.0):
                raise UsageError(f"the {name} is a rate between 0 and 1, not {quote(rate)}")
        if self.baseline is None and self.agreement is None:
            raise UsageError("give the baseline's accuracy, or how often the systems agree")
        if self.agreement == 1.0:
            raise UsageError("systems that agree on every item (agreement 1) cannot differ")
        clustered(DifferenceLaw.with_effect([1], [0.5], 0.0), self.cluster_size, self.icc)

    @property
    def percent(self) -> bool:
        """Rates are printed in points."""
        return True

    @property
    def largest_effect(self) -> float:
        """All disagreement one way, or the baseline's room for improvement."""
        room = 1.0 if self.baseline is None else 1.0 - self.baseline
        return room if self.agreement is None else min(room, 1.0 - self.agreement)

    def disagreement(self, effect: float) -> float:
        """Share of the items on which one system is right and the other wrong."""
        if self.baseline is None:
            found = 1.0 - (self.agreement or 0.0)
            if abs(effect) > found + SLACK:
                raise UsageError(
                    f"accuracies {abs(effect):.4g} apart disagree on at least as many items: "
                    f"agreement {self.agreement:g} is impossible"
                )
            return found
        first, second = self.baseline, self.baseline + effect
        if not -SLACK <= second <= 1.0 + SLACK:
            raise UsageError(
                f"an effect of {effect:g} takes the baseline's accuracy {first:g} to {second:.4g}: "
                "accuracies are rates between 0 and 1"
            )
        if self.agreement is None:
            return first * (1.0 - second) + second * (1.0 - first)
        most, least = 1.0 - abs(effect), abs(first + second - 1.0)
        if not least - SLACK <= self.agreement <= most + SLACK:
            raise UsageError(
                f"systems with accuracies {first:g} and {second:.4g} agree on {least:.4g} to "
                f"{most:.4g} of the items: agreement {self.agreement:g} is impossible"
            )
        return 1.0 - self.agreement

    def law(self, effect: float) -> DifferenceLaw:
        """Law of one unit's difference."""
        share = max(self.disagreement(effect), abs(effect))
        one = DifferenceLaw.with_effect([1], [share], effect)
        return clustered(one, self.cluster_size, self.icc)

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta under the null."""
        return self.law(effect).null_sd

    def detection(
        self,
        items: int,
        effect: float,
        *,
        alpha: float,
        alternative: Alternative,
        rng: Rng,
        wanted: float | None = None,
    ) -> Detection:
        """Power of the exact test from the exact law."""
        units = whole_units(items, self.cluster_size)
        return exact_power(
            self.law(effect), units, alpha=alpha, alternative=alternative, rng=rng, wanted=wanted
        )


@dataclass(frozen=True, slots=True, repr=False)
class Spread(_Clusters):
    """Standard deviations of the difference between two systems' scores.

    An item's observed difference is its true one, plus noise of repeats (generations, seeds) and of
    raters within repeats, both averaged: ``sd^2 + sd_repeats^2 / repeats + sd_raters^2 / (repeats
    raters)``. More repeats make items quieter; only more items reduce the first term.

    Attributes
    ----------
    sd : float
        Of the true differences between items.
    sd_repeats, sd_raters : float
        Of a single repeat's difference around its item's, and of a single rating's around that.
    repeats, raters : int
        Repeats per item and system, and raters per repeat.
    cluster_size, icc
        Items per cluster, and the correlation of differences within one.
    percent : bool
        Effects are rates, printed in points.
    """

    sd: float
    sd_repeats: float = 0.0
    sd_raters: float = 0.0
    repeats: int = 1
    raters: int = 1
    cluster_size: int = 1
    icc: float = 0.0
    percent: bool = False

    def __post_init__(self) -> None:
        for name in ("sd", "sd_repeats", "sd_raters"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 0.0):
                raise UsageError(f"{name} is a standard deviation, at least 0, not {quote(value)}")
        for name in ("repeats", "raters", "cluster_size"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 1):
                raise UsageError(f"{name} is at least 1, not {quote(value)}")
            affordable(1e6, **{name: value})
        if self.item_sd == 0.0:
            raise UsageError("a spread of zero leaves nothing to test: give a positive sd")
        if not (is_number(self.icc) and 0.0 <= self.icc <= 1.0):
            raise UsageError(
                f"the correlation within clusters (icc) lies in [0, 1], not {quote(self.icc)}"
            )

    @property
    def item_sd(self) -> float:
        """Standard deviation of an item's observed difference."""
        repeats = self.sd_repeats**2 / self.repeats
        raters = self.sd_raters**2 / (self.repeats * self.raters)
        return math.sqrt(self.sd**2 + repeats + raters)

    @property
    def largest_effect(self) -> float:
        """There is none."""
        return math.inf

    def null_sd(self, effect: float) -> float:
        """Standard deviation of a cluster's mean difference (Kish, 1965: the design effect)."""
        del effect
        inflation = 1.0 + (self.cluster_size - 1) * self.icc
        return self.item_sd * math.sqrt(inflation / self.cluster_size)

    def detection(
        self,
        items: int,
        effect: float,
        *,
        alpha: float,
        alternative: Alternative,
        rng: Rng,
        wanted: float | None = None,
    ) -> Detection:
        """Power of the permutation test of normal differences: the t-test's, but for few units."""
        del wanted
        units, sd = whole_units(items, self.cluster_size), self.null_sd(effect)
        allowed = extreme_swaps(units, alpha, alternative)
        if not allowed:
            return Detection(0.0, None, None, 0.0, "exact", "too few units for any verdict")
        if units <= LISTED or allowed <= LISTED:
            noise = as_generator(rng).standard_normal((sets_of(units), units))
            return power_of_few(
                effect + sd * noise,
                effect,
                alpha=alpha,
                alternative=alternative,
                of="normal differences",
            )
        return normal_power(effect, sd, units, alpha=alpha, alternative=alternative)


def whole_units(items: int, size: float) -> int:
    """Whole clusters that so many items make; at least one."""
    return max(math.floor(items / size + 1e-9), 1)
