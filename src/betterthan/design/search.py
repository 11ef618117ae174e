"""The search for the items or the effect at which a test reaches a power."""

import math
from dataclasses import dataclass, replace
from functools import cache

from scipy.special import ndtri

from betterthan.design.assumptions import Assumption, whole_units
from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.student_power import fewest_units
from betterthan.errors import Choice, Note, Remedy, UsageError, how_many
from betterthan.intervals.few_units import least_pvalue

MOST_ITEMS = 10_000_000
RIPPLE = 12  # exact power ripples as items are added: this many more are looked at
BRACKET_STEP = 1.1  # of the search for a bracket, which starts from the normal formula
SAMPLED_WIDTH = 0.02  # relative width at which the search for a simulated answer stops
EFFECT_WIDTH = 1e-6  # and that for an exact effect


@dataclass(frozen=True, slots=True)
class Search:
    """Looks for the items or the effect at which a test reaches a power."""

    assumed: Assumption
    test: PlannedTest

    def detection(self, items: int, effect: float, wanted: float | None = None) -> Detection:
        """What the test does on so many items, as far as a power that is wanted tells."""
        return self.assumed.detection(items, effect, replace(self.test, wanted=wanted))

    def items(self, effect: float, wanted: float) -> tuple[int, Detection]:
        """Least number of items whose power, and that of a few more, is what is wanted."""
        if effect == 0.0:
            raise UsageError(
                "no number of items detects an effect of 0", Remedy("", "effect", Choice("X"))
            )
        side = self.test.alternative
        if side != "two-sided" and (effect > 0.0) != (side == "greater"):
            raise UsageError(
                f"an effect of {self._printed(effect)} is on the side that the one-sided test "
                f"({side}) does not look at",
                Remedy("", "effect", self.typed(-effect)),
                Remedy("", "alternative", "less" if effect < 0.0 else "greater"),
            )
        size = self.assumed.items_per_unit

        @cache
        def at(units: int) -> Detection:
            if units * size > MOST_ITEMS:
                raise UsageError(
                    f"detecting {self._printed(effect)} needs more than {MOST_ITEMS:,} items",
                    Remedy("a larger one", "effect", Choice("X")),
                )
            return self.detection(math.ceil(units * size), effect, wanted)

        reach = self._reach(wanted) * self.assumed.null_sd(effect) / abs(effect)
        high = max(math.ceil(reach * reach), 1)
        if (detection := at(high)).power < wanted:
            low = high
            while (detection := at(high := math.ceil(low * BRACKET_STEP) + 1)).power < wanted:
                low = high
        else:
            low = math.floor(high / BRACKET_STEP)
            while low > 0 and at(low).power >= wanted:
                low, high = math.floor(low / BRACKET_STEP), low
        # Simulated power is noisy: there is no last item to be found.
        width = SAMPLED_WIDTH * high if detection.kind == "sampled" else 1
        while high - low > max(width, 1):
            middle = (low + high) // 2
            low, high = (low, middle) if at(middle).power >= wanted else (middle, high)
        if detection.kind != "sampled":
            short = [u for u in range(high + 1, high + RIPPLE) if at(u).power < wanted]
            high = short[-1] + 1 if short else high
        items = math.ceil(high * size)
        return items, self.detection(items, effect)

    def effect(self, items: int, wanted: float) -> tuple[float, Detection]:
        """Smallest effect with the power wanted, on the side that the test looks at."""
        if few := self.powerless(items):
            raise UsageError(f"{items:,} items detect no possible effect: {few[0]}", self.enough)
        towards = -1.0 if self.test.alternative == "less" else 1.0
        units = max(items / self.assumed.items_per_unit, 1.0)
        limit = self.assumed.largest_effect
        low = 0.0
        high = min(self._reach(wanted) * self.assumed.null_sd(0.0) / math.sqrt(units), limit)
        while (detection := self.detection(items, towards * high, wanted)).power < wanted:
            if high >= limit or not math.isfinite(high):
                raise UsageError(
                    f"{items:,} items detect no possible effect with power {wanted:g}: even the "
                    f"largest one, {self._printed(limit)}, is missed too often",
                    Remedy("more of them", "items", Choice("N")),
                )
            low, high = high, min(BRACKET_STEP * high, limit)
        width = SAMPLED_WIDTH if detection.kind == "sampled" else EFFECT_WIDTH
        while high - low > width * high:
            middle = (low + high) / 2
            enough = self.detection(items, towards * middle, wanted).power >= wanted
            low, high = (low, middle) if enough else (middle, high)
        return towards * high, self.detection(items, towards * high)

    def bounds(
        self,
        solved_for: str,
        items: int | None,
        effect: float | None,
        wanted: float | None,
        detection: Detection,
    ) -> tuple[float | None, float | None]:
        """Interval of the answer, where it is simulated."""
        if detection.kind != "sampled":
            return None, None
        if wanted is None or items is None or effect is None:
            return detection.likely(detection.power)
        # The search stops where chance first lifts the power to what is wanted: it may be that.
        low, high = detection.likely(wanted)[0], detection.likely(detection.power)[1]
        # An effect grows with the reach it takes, items with its square.
        ends = [
            self._reach(wanted) / self._reach(high) * (1.0 - SAMPLED_WIDTH),
            self._reach(wanted) / self._reach(low) * (1.0 + SAMPLED_WIDTH),
        ]
        if solved_for == "effect":
            near, far = (effect * end for end in ends)
            return min(near, far), max(near, far)
        least = fewest_units(self.test.alpha, self.test.alternative) * self.assumed.items_per_unit
        low_end = max(math.floor(items * ends[0] ** 2), math.ceil(least))
        return min(low_end, items), math.ceil(items * ends[1] ** 2)

    @property
    def enough(self) -> Remedy:
        """The fewest items that can reject."""
        needed = fewest_units(self.test.alpha, self.test.alternative)
        return Remedy("at least", "items", math.ceil(needed * self.assumed.items_per_unit))

    def powerless(self, items: int | None) -> tuple[Note, ...]:
        """Say that so few items cannot reject, if they cannot."""
        size = self.assumed.items_per_unit
        units = whole_units(items or 0, size)
        if units >= fewest_units(self.test.alpha, self.test.alternative):
            return ()
        noun = "item" if size == 1.0 else "cluster"
        least = least_pvalue(units, self.test.alternative)
        text = (
            f"with {how_many(units, noun)} no p-value below {least:.3g} is possible, and a verdict "
            f"takes one of {self.test.alpha:.3g} or less"
        )
        return (Note(text, self.enough, beside_verdict=True),)

    def typed(self, effect: float) -> object:
        """Write an effect that is not a rate as it is typed, whatever an option's unit is."""
        return effect if self.assumed.percent else Choice(f"{effect:g}")

    def _printed(self, effect: float) -> str:
        return f"{100.0 * effect:g} points" if self.assumed.percent else f"{effect:g}"

    def _reach(self, wanted: float) -> float:
        """Standard errors between no effect and one that is detected, by the normal formula."""
        tail = self.test.alpha / 2 if self.test.alternative == "two-sided" else self.test.alpha
        return max(float(ndtri(1 - tail) + ndtri(wanted)), 0.1)
