"""Where to spend a budget: on items, on repeats of each, or on raters of each repeat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from betterthan.checks import check_level, check_number, check_whole, is_number
from betterthan.comparison.effect import POWER
from betterthan.design.assumptions import Rates, Spread, whole_units
from betterthan.design.pilot import Pilot
from betterthan.design.powers import power
from betterthan.design.student_power import fewest_units
from betterthan.errors import Choice, Remedy, UsageError, quote
from betterthan.numeric import Alternative
from betterthan.results.protocol import Several
from betterthan.results.signature import signature


@dataclass(frozen=True, slots=True)
class Allocation:
    """One way to spend a budget of responses, and what it buys."""

    items: int
    repeats: int
    raters: int
    cost: float
    power: float
    detectable: float


@dataclass(frozen=True, slots=True)
class Allocations(Several[Allocation]):
    """Ways to spend a budget, the one with the largest power first.

    Plots: ``power``, what each of them can do.
    """

    signature: str = ""


def allocations(
    assumed: Spread | Pilot,
    budget: float,
    *,
    effect: float | None = None,
    repeats: Sequence[int] = (1, 2, 4, 8, 16),
    raters: Sequence[int] | None = None,
    item_cost: float = 0.0,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    comparisons: int = 1,
) -> Allocations:
    """Trade items against repeats and raters at a fixed cost.

    An item costs ``item_cost`` (writing it, its gold answer) plus one for every rating of every
    repeat. The first row has the largest power; the best number of repeats is near
    ``sqrt(item_cost) repeat / item`` when writing items dominates, and one when it is free.

    Parameters
    ----------
    assumed : Spread or Pilot
        How far items and repeats spread; a pilot needs several responses per item.
    budget : float
        Cost of all ratings together.
    effect : float
        True delta to detect.
    repeats, raters : sequence of int
        Numbers that are tried; of raters by default one and as many as are assumed.
    item_cost : float
        Of a new item, in ratings.
    alternative, alpha, comparisons
        As in :func:`betterthan.power`.

    Examples
    --------
    >>> ways = allocations(Spread(item=0.2, repeat=0.5), 2000, effect=0.05, item_cost=4)
    >>> [(row.items, row.repeats) for row in ways][:2]
    [(250, 4), (166, 8)]
    """
    if effect is None:
        raise UsageError("a budget is spent on an effect", Remedy("", "effect", Choice("X")))
    if isinstance(assumed, Rates):
        raise UsageError(
            "a budget trades items against repeats, which rates do not distinguish",
            Remedy("", "sd", {"item": Choice("X"), "repeat": Choice("Y")}),
        )
    spread = assumed if isinstance(assumed, Spread) else assumed.repeated(1)
    check_number(budget, "budget", above=0.0)
    if not (is_number(item_cost) and item_cost >= 0):
        raise UsageError(f"item_cost must be at least 0, got {quote(item_cost)}")
    check_whole(comparisons, "comparisons")
    check_level(alpha)
    fewest = max(fewest_units(alpha / comparisons, alternative), 2)
    rows = []
    for k, r in product(repeats, raters or dict.fromkeys((1, spread.raters))):
        cost = item_cost + k * r
        items = int(budget // cost)
        if whole_units(items, spread.cluster_size) < fewest:
            continue
        test = partial(
            power,
            replace(spread, repeats=k, raters=r),
            items=items,
            alternative=alternative,
            alpha=alpha,
            comparisons=comparisons,
        )
        least = abs(test(power=POWER).effect)
        rows.append(Allocation(items, k, r, items * cost, test(effect=effect).power, least))
    if not rows:
        needed = fewest * spread.cluster_size * (item_cost + 1)
        raise UsageError(
            f"a budget of {budget:g} buys too few items for any verdict",
            Remedy("at least", "budget", needed),
        )
    further = {
        "budget": f"{budget:g}",
        "cost": f"{item_cost:g}",
        "given": repr(spread),
        "d": f"{effect:g}",
        "k": comparisons,
    }
    signed = signature("allocations", further=further, alpha=alpha, alternative=alternative)
    return Allocations(tuple(sorted(rows, key=lambda row: -row.power)), signed)
