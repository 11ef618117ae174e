"""Where to spend a budget: on items, on repeats of each, or on raters of each repeat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from betterthan.blame import blames_arguments
from betterthan.comparison.effect import POWER
from betterthan.design.assumptions import Spread, whole_units
from betterthan.design.few_units import fewest_units
from betterthan.design.power import check_numbers, check_test, power
from betterthan.errors import UsageError
from betterthan.numeric import Alternative
from betterthan.results.several import Several
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


@blames_arguments
def allocations(
    given: Spread,
    budget: float,
    *,
    effect: float,
    repeats: Sequence[int] = (1, 2, 4, 8, 16),
    raters: Sequence[int] = (1,),
    item_cost: float = 0.0,
    alpha: float = 0.05,
    comparisons: int = 1,
    alternative: Alternative = "two-sided",
) -> Allocations:
    """Trade items against repeats and raters at a fixed cost.

    An item costs ``item_cost`` (writing it, its gold answer) plus one for every rating of every
    repeat. The first row has the largest power; the best number of repeats is near
    ``sqrt(item_cost) sd_repeats / sd`` when writing items dominates, and one when it is free.

    Examples
    --------
    >>> made = allocations(Spread(sd=0.2, sd_repeats=0.5), 2000, effect=0.05, item_cost=4)
    >>> [(row.items, row.repeats) for row in made][:2]
    [(250, 4), (166, 8)]
    """
    if not (budget > 0 and item_cost >= 0):
        raise UsageError(f"a budget is positive and a cost not negative, not {budget}, {item_cost}")
    check_numbers(effect=effect)
    check_test(alpha, comparisons, alternative)
    rows, fewest = [], max(fewest_units(alpha / comparisons, alternative), 2)
    for k in repeats:
        for r in raters:
            cost = item_cost + k * r
            items = int(budget // cost)
            if whole_units(items, given.cluster_size) < fewest:
                continue
            spread = replace(given, repeats=k, raters=r)
            test = partial(power, spread, items, alpha=alpha, comparisons=comparisons)
            made = test(effect, alternative=alternative)
            least = test(power=POWER, alternative=alternative)
            rows.append(Allocation(items, k, r, items * cost, made.power, abs(least.effect)))
    if not rows:
        raise UsageError(
            f"a budget of {budget:g} buys fewer than {fewest} units, which show nothing: raise it"
        )
    further = {
        "budget": f"{budget:g}",
        "cost": f"{item_cost:g}",
        "given": repr(given),
        "d": f"{effect:g}",
        "k": comparisons,
    }
    signed = signature("allocations", further=further, alpha=alpha, alternative=alternative)
    return Allocations(tuple(sorted(rows, key=lambda row: -row.power)), signed)
