"""One check of a gate: its two tests, and what they rule."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import ndtri

from betterthan.comparison.effect import POWER
from betterthan.data.pair import Pair
from betterthan.design.checks import Check, CheckResult, Ruling
from betterthan.errors import Choice, Note, Remedy, UsageError
from betterthan.intervals.bounded import BOUNDS
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.margins import MarginTest, margin_tests
from betterthan.results.interval import Interval
from betterthan.results.number_format import amount
from betterthan.testing.request import Request
from betterthan.testing.swaps import Swaps

TRUSTED_UNITS = 20  # units below which an approximation earns a note
LARGE_MARGIN = 0.1  # a printed margin up to here may have been meant as a share
BEYOND = 1e6  # margins in a standard error or a difference: no number of items would do

UNBOUNDED = Note(
    "no PASS is possible yet: a loss too rare to have come up may be of any size",
    BOUNDS,
    beside_verdict=True,
)
SAMPLED = "whether the candidate is worse is sampled: p is the upper end of its 99 % interval"
ASSUMED = {
    "shift": "assumed: differences are symmetric about their mean; rare large losses break that",
    "large-sample": "assumed: the sample is large enough for Student's t to be right",
}


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A metric with its tests, both ways round; the margin is as the metric is measured."""

    pair: Pair
    check: Check
    margin: float
    printed: bool
    forward: MarginTest
    backward: MarginTest
    subset: str | None

    @classmethod
    def of(
        cls, subset: str | None, pair: Pair, check: Check, request: Request, *, printed: bool
    ) -> "Tested":
        """Test one metric of a pair; ``printed`` margins and bounds of rates are in points."""
        _check_margin(check, pair, printed=printed)
        k = 100.0 if printed and pair.rate else 1.0
        bounds = None if check.bounds is None else (check.bounds[0] / k, check.bounds[1] / k)
        tests = margin_tests(pair, bounds=bounds, assume=check.assume, request=request)
        return cls(pair, check, check.margin / k, printed, *tests, subset)


def _check_margin(check: Check, pair: Pair, *, printed: bool) -> None:
    """Check that a margin can be exceeded, and is not in the wrong unit."""
    margin, metric = check.margin, pair.metric

    def in_its_unit(value: float) -> object:
        """Write what is printed as it is typed, whatever an option's unit is."""
        return Choice(f"{value:.2g}") if printed else value

    if pair.rate and margin >= (100.0 if printed else 1.0):
        likely = [margin / 100.0] if not printed and margin < 100.0 else []
        raise UsageError(
            f"a margin of {margin:g} is more than {metric!r}, a rate, can lose"
            + ("" if printed else ": rates are measured as shares"),
            *(Remedy(amount(f"{margin:g}", True), "margin", share) for share in likely),
        )
    if printed and pair.rate and 0.0 < margin <= LARGE_MARGIN and margin < 100.0 / pair.n:
        raise UsageError(
            f"a margin of {margin:g} points is less than one of {pair.n:,} items changes "
            f"{metric!r}, a rate",
            Remedy(amount(f"{100 * margin:g}", True), "margin", in_its_unit(100 * margin)),
        )
    if not pair.rate and metric.form == "mean":
        low, high = check.bounds or pair.span
        if margin >= high - low > 0.0:
            raise UsageError(
                f"a margin of {margin:g} is as wide as all scores of {metric!r} "
                f"({low:g} to {high:g}), which are not in points",
                Remedy(
                    f"{margin:g} % of that range",
                    "margin",
                    in_its_unit(margin / 100.0 * (high - low)),
                ),
                BOUNDS,
            )


def ruled(t: Tested, alpha: float, worse: float, adjusted: float, bounded: bool) -> CheckResult:
    """Rule on one check; ``bounded`` says that p, or a smaller one that it follows, is a bound."""
    goal, pair = t.check.goal, t.pair
    border = t.margin if goal == "superior" else -t.margin
    p = t.forward.above(border)
    low = t.forward.lower(alpha, border)
    high = -t.backward.lower(alpha, -t.margin if goal == "equivalent" else 0.0)
    if goal == "equivalent":
        p = max(p, t.backward.above(-t.margin))
    shown = t.backward if t.forward.open else t.forward
    method = shown.method
    if t.backward.method not in (method, t.forward.method) and goal != "equivalent":
        method += f", upper end by the {t.backward.method}"
    ruling: Ruling = "PASS" if p <= alpha else "REGRESSION" if adjusted <= alpha else "CAN'T TELL"
    wins, ties, losses = (None, None, None) if pair.opaque else pair.outcomes
    of = "difference of means" if pair.metric.form == "mean" else "difference"
    return CheckResult(
        metric=repr(pair.metric),
        subset=t.subset,
        margin=t.margin,
        goal=goal,
        n=pair.n,
        clusters=pair.clusters,
        score_baseline=pair.scores[0],
        score_candidate=pair.scores[1],
        delta=t.forward.delta,
        interval=Interval(low, high, 1.0 - 2.0 * alpha, method, of=of),
        pvalue=p,
        pvalue_regression=worse,
        pvalue_regression_adjusted=adjusted,
        pvalue_is_bound=p <= t.forward.least,
        regression_is_bound=bounded,
        kind=shown.kind,
        ruling=ruling,
        items_needed=None if ruling == "PASS" else _items_needed(t, alpha),
        percent=pair.rate,
        notes=tuple(_notes(t, ruling, adjusted, alpha, low)),
        lower_is_better=pair.metric.sign < 0,
        wins=wins,
        ties=ties,
        losses=losses,
    )


def _notes(t: Tested, ruling: Ruling, worse: float, alpha: float, low: float) -> Iterable[str]:
    pair, margin, assume = t.pair, t.check.margin, t.check.assume
    if t.forward.open:
        yield UNBOUNDED
    if t.backward.kind == "sampled":
        yield SAMPLED
    if assume is not None:
        yield ASSUMED[assume]
    within_one = pair.metric.form == "mean" and pair.span[0] >= 0.0 and pair.span[1] <= 1.0
    shares = within_one and not pair.rate
    if t.printed and shares and margin >= LARGE_MARGIN:
        yield Note(
            "scores between 0 and 1 that are not all 0 or 1 are not in points: a margin of "
            f"{margin:g} is {100 * margin:g} points",
            Remedy(amount(f"{margin:g}", True), "margin", Choice(f"{margin / 100:g}")),
        )
    if t.printed and pair.rate and 0.0 < margin <= LARGE_MARGIN:
        yield Note(
            f"the margin is {margin:g} points",
            Remedy(amount(f"{100 * margin:g}", True), "margin", Choice(f"{100 * margin:g}")),
        )
    sizes = pair.sizes
    if ruling == "PASS" and pair.clusters is not None and sizes.min() < sizes.max():
        yield (
            f"clusters of {sizes.min():g} to {sizes.max():g} items: none is taken to be larger, "
            "and of few clusters a large one that is rare may not have come up"
        )
    if ruling == "PASS" and worse <= alpha:
        yield "the candidate is worse, but shown to be so by less than the margin"
    if t.check.goal == "equivalent" and low > t.margin:
        yield "not equivalent: the candidate is better by more than the margin"
    differing = Swaps.of(pair).shape.units
    if differing < TRUSTED_UNITS and assume is not None:
        yield (
            f"only {differing} of {pair.units:,} units differ: these bounds cannot see a loss too "
            "rare to have come up"
        )


def _items_needed(t: Tested, alpha: float) -> int | None:
    """Items that show the goal with 80 % power if the systems are equal, by the normal formula."""
    if t.margin == 0.0 or t.check.goal == "superior":
        return None
    units, error = t.pair.units, (standard_error(t.pair) or 0.0) / t.margin
    delta = t.forward.delta / t.margin
    if error == 0.0 or max(error, abs(delta)) > BEYOND:
        return None
    spread = units * ((units - 1) / units * error**2 + delta**2 / units)
    # An equivalence test fails on either side: the power of each is that of both, halfway to one.
    power = (1.0 + POWER) / 2.0 if t.check.goal == "equivalent" else POWER
    reach = float(ndtri(1.0 - alpha) + ndtri(power))
    return math.ceil(reach**2 * spread * t.pair.n / units)
