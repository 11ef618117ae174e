"""Power, required items or detectable effect: give two of the three, get the third."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import get_args

from scipy.special import ndtri

from betterthan.blame import blames_arguments
from betterthan.data.arguments import check_level, check_number, is_number
from betterthan.design.assumptions import Assumption, whole_units
from betterthan.design.detection import Detection
from betterthan.design.few_units import fewest_units, least_pvalue
from betterthan.errors import UsageError, how_many
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng, affordable
from betterthan.results.protocol import Result
from betterthan.results.pvalues import Kind
from betterthan.results.several import Several
from betterthan.results.signature import signature

MOST_ITEMS = 10_000_000
RIPPLE = 12  # exact power ripples as items are added: this many more are looked at
BRACKET_STEP = 1.1  # of the search for a bracket, which starts from the normal formula
SAMPLED_WIDTH = 0.02  # relative width at which the search for a simulated answer stops
EFFECT_WIDTH = 1e-6  # and that for an exact effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Power(Result):
    """A design and what it can do.

    Plots: ``power``, the chance of a verdict against the size of the test set; ``detectable``, the
    smallest effect that is detected against it.

    Attributes
    ----------
    items : int
        Items of the test set.
    effect : float
        True effect.
    power : float
        Probability that the test gives a verdict.
    error : float
        Bound on the error of ``power``: half a 99 % interval where it is sampled.
    type_s, type_m : float or None
        Share of verdicts that name the wrong system, and how much an effect that earned a verdict
        looks larger than it is.
    solved_for : {"power", "items", "effect"}
        Which of the three was asked.
    solved_low, solved_high : float or None
        What it lies between, about 99 % sure, where power is simulated: at the ends of the interval
        of the power, by the normal formula.
    alpha, comparisons : float, int
        Level of the family, and how many tests share it (Bonferroni; Holm's first step).
    alternative : {"two-sided", "greater", "less"}
        Side of the test.
    kind, engine : str
        What the power is worth, and how it was computed.
    percent : bool
        The effect is a rate, printed in points.
    given : str
        The assumption, spelled.
    notes : tuple of str
        What the reader should know.
    assumption : Assumption or None
        The assumption itself.
    """

    items: int
    effect: float
    power: float
    error: float
    type_s: float | None
    type_m: float | None
    solved_for: str
    solved_low: float | None = None
    solved_high: float | None = None
    alpha: float
    comparisons: int
    alternative: Alternative
    kind: Kind
    engine: str
    percent: bool
    given: str
    notes: tuple[str, ...] = ()
    assumption: Assumption | None = field(default=None, repr=False, compare=False)

    @property
    def signature(self) -> str:
        """One line from which the design can be computed again."""
        return signature(
            f"power-{self.kind}",
            n=self.items,
            further={"given": self.given, "d": f"{self.effect:.6g}", "k": self.comparisons},
            alpha=self.alpha,
            alternative=self.alternative,
        )


@dataclass(frozen=True, slots=True)
class Powers(Several[Power]):
    """Designs side by side.

    Plots: ``power`` and ``detectable``, as of a single one.
    """


@blames_arguments
def power(
    given: Assumption,
    items: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    *,
    alpha: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
    rng: Rng = 0,
) -> Power:
    """Plan a paired comparison: leave out of items, effect and power the one to be found.

    Parameters
    ----------
    given : Rates, Spread or Pilot
        What is assumed about the systems.
    items : int, optional
        Size of the test set.
    effect : float, optional
        True delta, candidate minus baseline towards better, in the metric's own unit (0.02 for two
        points of accuracy).
    power : float, optional
        Probability of a verdict.
    alpha : float
        Level of the test, or of all tests together.
    comparisons : int
        Number of tests that share alpha: each is planned at ``alpha / comparisons``, which is
        Bonferroni's level and the first step of Holm's.
    alternative : {"two-sided", "greater", "less"}
        Side of the test.
    rng : None, int or Generator
        Seed, where power is simulated.

    Returns
    -------
    Power

    Examples
    --------
    >>> from betterthan.design import Rates
    >>> made = power(Rates(baseline=0.8, agreement=0.975), items=500, effect=0.02)
    >>> round(made.power, 2), round(made.type_m, 2)
    (0.8, 1.12)
    >>> power(Rates(agreement=0.9), effect=0.02, power=0.8).items
    2043
    """
    missing = [
        name for name, x in (("items", items), ("effect", effect), ("power", power)) if x is None
    ]
    if len(missing) != 1:
        raise UsageError(
            "give two of items, effect and power: the third is found "
            f"({len(missing)} of them are missing)"
        )
    check_numbers(items=items, effect=effect, power=power)
    check_test(alpha, comparisons, alternative)
    search = _Search(given, alpha / comparisons, alternative, rng)
    if effect is not None and power is not None:
        items, found = search.items(effect, power)
    elif items is not None and power is not None:
        effect, found = search.effect(items, power)
    elif items is not None and effect is not None:
        found = search.detection(items, effect)
    low, high = search.bounds(missing[0], items, effect, power, found)
    return Power(
        items=int(items or 0),
        effect=float(effect or 0.0),
        solved_for=missing[0],
        solved_low=low,
        solved_high=high,
        alpha=alpha,
        comparisons=comparisons,
        alternative=alternative,
        percent=given.percent,
        given=repr(given),
        notes=(*search.powerless(items), *_notes(found, effect, alternative)),
        assumption=given,
        **asdict(found),
    )


@blames_arguments
def power_curve(
    given: Assumption,
    items: Sequence[int],
    effect: float,
    *,
    alpha: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
    rng: Rng = 0,
) -> Powers:
    """Power at several sizes of the test set."""
    made = (
        power(
            given, n, effect, alpha=alpha, comparisons=comparisons, alternative=alternative, rng=rng
        )
        for n in items
    )
    return Powers(tuple(made))


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for the items or the effect at which a test reaches a power."""

    given: Assumption
    alpha: float
    alternative: Alternative
    rng: Rng

    def detection(self, items: int, effect: float, wanted: float | None = None) -> Detection:
        """What the test does on so many items, as far as a power that is wanted tells."""
        return self.given.detection(
            items,
            effect,
            alpha=self.alpha,
            alternative=self.alternative,
            rng=self.rng,
            wanted=wanted,
        )

    def items(self, effect: float, wanted: float) -> tuple[int, Detection]:
        """Least number of items whose power, and that of a few more, is what is wanted."""
        if effect == 0.0:
            raise UsageError("no number of items detects an effect of zero")
        if (effect > 0.0) != (self.alternative != "less") and self.alternative != "two-sided":
            raise UsageError(
                f"an effect of {self._printed(effect)} lies on the side that the one-sided test "
                f"({self.alternative}) does not look at: change its sign, or the alternative"
            )
        size = self.given.items_per_unit

        @cache
        def at(units: int) -> Detection:
            if units * size > MOST_ITEMS:
                raise UsageError(
                    f"detecting {self._printed(effect)} needs more than {MOST_ITEMS:,} items: aim "
                    "at a larger effect"
                )
            return self.detection(math.ceil(units * size), effect, wanted)

        reach = self._reach(wanted) * self.given.null_sd(effect) / abs(effect)
        high = max(math.ceil(reach * reach), 1)
        if (found := at(high)).power < wanted:
            low = high
            while (found := at(high := math.ceil(low * BRACKET_STEP) + 1)).power < wanted:
                low = high
        else:
            low = math.floor(high / BRACKET_STEP)
            while low > 0 and at(low).power >= wanted:
                low, high = math.floor(low / BRACKET_STEP), low
        # Simulated power is noisy: there is no last item to be found.
        width = SAMPLED_WIDTH * high if found.kind == "sampled" else 1
        while high - low > max(width, 1):
            middle = (low + high) // 2
            low, high = (low, middle) if at(middle).power >= wanted else (middle, high)
        if found.kind != "sampled":
            short = [u for u in range(high + 1, high + RIPPLE) if at(u).power < wanted]
            high = short[-1] + 1 if short else high
        items = math.ceil(high * size)
        return items, self.detection(items, effect)

    def effect(self, items: int, wanted: float) -> tuple[float, Detection]:
        """Smallest effect with the power wanted, on the side that the test looks at."""
        if few := self.powerless(items):
            raise UsageError(f"{items:,} items detect no possible effect: {few[0]}")
        towards = -1.0 if self.alternative == "less" else 1.0
        units = max(items / self.given.items_per_unit, 1.0)
        limit = self.given.largest_effect
        low = 0.0
        high = min(self._reach(wanted) * self.given.null_sd(0.0) / math.sqrt(units), limit)
        while (found := self.detection(items, towards * high, wanted)).power < wanted:
            if high >= limit or not math.isfinite(high):
                raise UsageError(
                    f"{items:,} items detect no possible effect with power {wanted:g}: even the "
                    f"largest one, {self._printed(limit)}, is missed too often; take more items"
                )
            low, high = high, min(BRACKET_STEP * high, limit)
        width = SAMPLED_WIDTH if found.kind == "sampled" else EFFECT_WIDTH
        while high - low > width * high:
            middle = (low + high) / 2
            enough = self.detection(items, towards * middle, wanted).power >= wanted
            low, high = (low, middle) if enough else (middle, high)
        return towards * high, self.detection(items, towards * high)

    def bounds(
        self,
        asked: str,
        items: int | None,
        effect: float | None,
        wanted: float | None,
        found: Detection,
    ) -> tuple[float | None, float | None]:
        """Ends of what was asked for, where it is simulated."""
        if found.kind != "sampled":
            return None, None
        if wanted is None or items is None or effect is None:
            return found.likely(found.power)
        # The search stops where chance first lifts the power to what is wanted: it may be that.
        low, high = found.likely(wanted)[0], found.likely(found.power)[1]
        # An effect grows with the reach it takes, items with its square.
        ends = [
            self._reach(wanted) / self._reach(high) * (1.0 - SAMPLED_WIDTH),
            self._reach(wanted) / self._reach(low) * (1.0 + SAMPLED_WIDTH),
        ]
        if asked == "effect":
            near, far = (effect * end for end in ends)
            return min(near, far), max(near, far)
        least = fewest_units(self.alpha, self.alternative) * self.given.items_per_unit
        low_end = max(math.floor(items * ends[0] ** 2), math.ceil(least))
        return min(low_end, items), math.ceil(items * ends[1] ** 2)

    def powerless(self, items: int | None) -> tuple[str, ...]:
        """Say that so few items cannot reject, if they cannot."""
        size = self.given.items_per_unit
        units, needed = whole_units(items or 0, size), fewest_units(self.alpha, self.alternative)
        if units >= needed:
            return ()
        noun = "item" if size == 1.0 else "cluster"
        least = least_pvalue(units, self.alternative)
        return (
            f"with {how_many(units, noun)} no p-value below {least:.3g} is possible, whatever the "
            f"data, and a verdict takes one of {self.alpha:.3g} or less: take at least "
            f"{how_many(needed, noun)}",
        )

    def _printed(self, effect: float) -> str:
        return f"{100.0 * effect:g} points" if self.given.percent else f"{effect:g}"

    def _reach(self, wanted: float) -> float:
        """Standard errors between no effect and one that is detected, by the normal formula."""
        tail = self.alpha / 2 if self.alternative == "two-sided" else self.alpha
        return max(float(ndtri(1 - tail) + ndtri(wanted)), 0.1)


def _notes(found: Detection, effect: float | None, alternative: Alternative) -> tuple[str, ...]:
    notes = []
    if effect and found.power < 0.5 and found.type_m is not None:
        notes.append(
            f"at this power an effect that earns a verdict looks {found.type_m:.1f} times as large "
            "as it is, on average"
        )
    if found.type_s is not None and found.type_s > 0.01:
        notes.append(f"{100 * found.type_s:.1f} % of the verdicts name the wrong system")
    if effect and (effect > 0) != (alternative != "less") and alternative != "two-sided":
        notes.append("the effect lies on the side that this one-sided test does not look at")
    return tuple(notes)


def check_numbers(
    *, items: int | None = None, effect: float | None = None, power: float | None = None
) -> None:
    """Refuse a design that cannot be."""
    if items is not None and (not is_number(items) or items < 1 or int(items) != items):
        raise UsageError(f"a test set has at least one item, not {items!r}")
    affordable(1e9, items=items or 0)
    if effect is not None:
        check_number(effect, "effect")
    if power is not None:
        check_level(power, "power")


def check_test(alpha: float, comparisons: int, alternative: str) -> None:
    """Refuse a test that cannot be."""
    check_level(alpha)
    if not is_number(comparisons) or comparisons < 1 or int(comparisons) != comparisons:
        raise UsageError(f"there is at least one comparison, not {comparisons!r}")
    affordable(1e9, comparisons=comparisons)
    if alternative not in get_args(Alternative):
        raise UsageError(f"alternative is two-sided, greater or less, not {alternative!r}")
