"""Verdicts: tested pairs, adjusted for their number, each with its effect and what it is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from betterthan.comparison.effect import detectable_effect
from betterthan.comparison.item_by_item import ItemByItem, item_by_item
from betterthan.comparison.multiplicity import adjust, stepdown_of_blocks
from betterthan.comparison.over_tasks import TaskJoint
from betterthan.data.arrays import FLOAT_NOISE, cluster_sums
from betterthan.data.macro import Macro
from betterthan.data.pair import Joint, Pair
from betterthan.data.tally import Tally
from betterthan.errors import UsageError
from betterthan.intervals.choice import Resamples, difference_interval
from betterthan.numeric import TIE, Alternative, Floats, Ints
from betterthan.resampling.counts import as_drawn
from betterthan.resampling.generator import Rng, block_rows, blocks
from betterthan.resampling.signs import draw_signs
from betterthan.resampling.work import HERE, Work
from betterthan.results.interval import Interval
from betterthan.results.protocol import Result
from betterthan.results.pvalues import Kind
from betterthan.results.several import Sequenced
from betterthan.results.tests import TestResult
from betterthan.testing.montecarlo import MINIMUM, ORIENT

Verdict = Literal["better", "worse", "can't tell"]
_OF_THE_TEST = (
    *("pvalue", "pvalue_low", "pvalue_high", "log10_pvalue", "kind", "engine", "reason"),
    *("n", "clusters", "alternative", "signature"),
)
"""What a comparison has from its test, under the same names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """One system against one baseline on one metric: the claim and everything that defends it.

    ``delta`` and ``interval`` are oriented towards better, whatever the metric's direction; the two
    scores are as the metric prints them. The verdict rests on ``pvalue_adjusted``, which equals
    ``pvalue`` when there was one comparison.

    Plots: ``forest``, the interval; ``wins``, items won, tied and lost; ``law``, the null law and
    the tail that is the p-value; ``differences`` and ``scatter``, item by item.
    """

    baseline: str
    candidate: str
    metric: str
    n: int
    score_baseline: float
    score_candidate: float
    delta: float
    interval: Interval
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float
    pvalue_adjusted: float
    log10_pvalue_adjusted: float
    alternative: Alternative
    alpha: float
    correction: str
    kind: Kind
    engine: str
    reason: str
    clusters: int | None
    wins: int | None
    ties: int | None
    losses: int | None
    mde: float | None
    verdict: Verdict
    notes: tuple[str, ...]
    signature: str
    subset: str | None = None
    lower_is_better: bool = False
    percent: bool = False
    test: TestResult = field(repr=False, compare=False)
    pair: Pair | None = field(default=None, repr=False, compare=False)

    @property
    def floor(self) -> bool:
        """Whether the adjusted p-value is the smallest that so many draws can give."""
        if self.correction == "max-t":
            return self.pvalue_adjusted * (MINIMUM + 1) < 1.5
        return self.test.floor

    def item_by_item(self) -> ItemByItem:
        """Both systems on every single item."""
        if self.pair is None or self.pair.known_items.source is None:
            raise UsageError("the single items are not known: compare systems of Scores")
        scores = self.pair.known_items.source
        return item_by_item(scores, self.baseline, self.candidate, self.pair.metric)

    @property
    def alone(self) -> "Comparisons":
        """The same as a collection of one."""
        return Comparisons(
            comparisons=(self,),
            correction=self.correction,
            alpha=self.alpha,
            source="",
            notes=(),
            signature=self.signature,
        )


TextsOf = Callable[[Sequence[str], Sequence[int]], Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims(Result):
    """What claims made together share: their level, what was read, and the items to be listed.

    Of the items that got worse and of those that got better, so many as ``items`` says are listed,
    with what ``texts_of`` their ids and places tells of each by its id.
    """

    correction: str
    alpha: float
    source: str
    notes: tuple[str, ...]
    signature: str
    items: int = 0
    texts_of: TextsOf | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons(Claims, Sequenced[Comparison]):
    """Several comparisons made together, and what was done about their number.

    Plots: ``forest``, all intervals; ``wins``, items won, tied and lost.
    """

    comparisons: tuple[Comparison, ...]

    @property
    def _each(self) -> tuple[Comparison, ...]:
        return self.comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """Pairs of systems tested on one metric and one set of items; the verdicts wait.

    ``places`` are baseline and candidate of each pair, ``results`` one for each, ``notes`` hold for
    all of them, ``subset`` names the items if these are not all, and ``resamples`` are shared by
    all intervals that need any.
    """

    joint: Joint | TaskJoint
    places: Sequence[tuple[int, int]]
    results: Sequence[TestResult]
    notes: tuple[str, ...]
    subset: str | None
    resamples: Resamples


def judge(
    families: Sequence[Tested],
    *,
    alpha: float,
    correction: str,
    rng: Rng = None,
    work: Work = HERE,
) -> list[Comparison]:
    """Adjust for the number of comparisons, then decide each.

    One comparison needs no adjustment. Intervals hold together at ``1 - alpha``, whatever their
    dependence (Bonferroni).
    """
    results = [result for tested in families for result in tested.results]
    if not results:
        return []
    used = correction if len(results) > 1 else "none"
    if used == "max-t":
        adjusted = shared_max_t(families, rng, work)
        logs = np.log10(adjusted)
    else:
        adjusted = adjust([result.pvalue for result in results], used)
        logs = adjust([result.log10_pvalue for result in results], used, log10=True)
    decide = _Decision(
        used, alpha, confidence=1.0 - alpha / (len(results) if used != "none" else 1)
    )
    pending = [
        (tested, place, result)
        for tested in families
        for place, result in zip(tested.places, tested.results, strict=True)
    ]
    return [
        decide(*one, float(p), float(log10))
        for one, p, log10 in zip(pending, adjusted, logs, strict=True)
    ]


def shared_max_t(families: Sequence[Tested], rng: Rng = None, work: Work = HERE) -> Floats:
    """Step-down max-T p-values from shared swaps (Westfall & Young, 1993).

    A unit is swapped in all pairs or in none, so that the dependence between comparisons is that of
    the data. Sums of differences are divided by their null standard deviation, which swaps leave
    as it is, and so have one scale. Each comparison's own law is exact; their joint law is right
    where the differences are jointly symmetric under the null, which for several systems says more
    than that their labels may be exchanged (Holm's correction assumes nothing of the kind).
    """
    if len({tested.subset for tested in families}) > 1:
        raise UsageError("max-T needs the same items in every comparison: choose correction='holm'")
    pairs = [tested.joint.pair(*place) for tested in families for place in tested.places]
    # Sorted by name, so that the order of the systems leaves no trace in what is drawn.
    order = sorted(
        range(len(pairs)), key=lambda k: (*sorted(pairs[k].systems), pairs[k].metric.spelling)
    )
    turned = np.array([-1.0 if pairs[k].systems[0] > pairs[k].systems[1] else 1.0 for k in order])
    made = Tally.of([_unit_gains(pairs[k]) * turn for k, turn in zip(order, turned, strict=True)])
    gains, counts = as_drawn((made.rows * turned)[:, np.argsort(order)], made.counts)
    times = np.ones(len(gains)) if counts is None else counts / 1.0
    norm = np.sqrt(times @ np.square(gains))
    gains = gains / np.where(norm > 0.0, norm, 1.0)
    alternative = families[0].results[0].alternative
    number = -(-MINIMUM // block_rows(len(gains)))
    swapped = _SwappedSums(gains, counts, alternative)
    draws = work.map(swapped, blocks(len(gains), MINIMUM, rng), number)
    orient = ORIENT[alternative]
    # Sums that cancel keep their rounding, which is a share of what is summed.
    slack = TIE * float((times @ np.abs(gains)).max(initial=0.0))
    for k, pair in enumerate(pairs):
        if pair.rounding > FLOAT_NOISE and pair.gains is not None and norm[k] > 0.0:
            slack = max(slack, pair.gains.error / float(norm[k]))
    return stepdown_of_blocks(draws, orient(times @ gains), slack)


@dataclass(frozen=True, slots=True, eq=False)
class _SwappedSums:
    """Draws a block of swaps, shared by all comparisons, and sums the gains of each."""

    gains: Floats
    counts: Ints | None
    alternative: Alternative

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        net = draw_signs(len(self.gains), *block, self.counts)
        return np.asarray(ORIENT[self.alternative](net @ self.gains))


def _unit_gains(pair: Pair) -> Floats:
    """Differences towards better of each unit, in the order of the data."""
    if pair.gains is None:
        raise UsageError(f"max-T compares means, not {pair.metric!r}: choose correction='holm'")
    items = pair.known_items
    a, b = (pair.metric.project(x) for x in items.meant)
    d = (b - a)[:, 0]
    if items.codes is not None:
        d = cluster_sums(d, items.codes, pair.units)
    towards = pair.metric.sign
    if pair.metric.form == "ratio":
        towards *= float(np.sign(a[:, 1].sum()))
    return np.asarray(towards * d, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Decision:
    """How one tested pair becomes a comparison: the same for all that are judged together."""

    correction: str
    alpha: float
    confidence: float

    def __call__(
        self, tested: Tested, place: tuple[int, int], test: TestResult, p: float, log10: float
    ) -> Comparison:
        pair, side = tested.joint.pair(*place), test.alternative
        interval = difference_interval(
            pair,
            confidence=self.confidence,
            alternative=side,
            deltas=partial(tested.resamples.deltas, *place),
        )
        verdict = _verdict(p, pair.delta, self.alpha, test)
        baseline, candidate = pair.systems
        wins, ties, losses = (None, None, None) if pair.opaque else pair.outcomes
        return Comparison(
            baseline=baseline,
            candidate=candidate,
            metric=pair.metric.spelling,
            score_baseline=pair.scores[0],
            score_candidate=pair.scores[1],
            delta=pair.delta,
            interval=interval,
            pvalue_adjusted=p,
            log10_pvalue_adjusted=log10,
            alpha=self.alpha,
            correction=self.correction,
            wins=wins,
            ties=ties,
            losses=losses,
            mde=detectable_effect(pair, alpha=self.alpha, alternative=side),
            verdict=verdict,
            notes=test.notes + tested.notes + _border(verdict, p, interval, self.alpha),
            subset=tested.subset,
            lower_is_better=pair.metric.lower_is_better,
            percent=pair.rate,
            test=test,
            pair=None if isinstance(pair, Macro) else pair,
            **{name: getattr(test, name) for name in _OF_THE_TEST},
        )


def _verdict(p: float, delta: float, alpha: float, test: TestResult) -> Verdict:
    """Say who is better where p is small, and the test and the metric agree who it is.

    A sign test counts items, a mean weighs them: many small wins may be outweighed by few losses.
    """
    if p > alpha:
        return "can't tell"
    towards = test.delta if test.excess is None else test.excess
    side = {"greater": 1.0, "less": -1.0}.get(test.alternative, towards)
    if side * delta <= 0.0:
        return "can't tell"
    return "better" if delta > 0 else "worse"


def _border(verdict: Verdict, p: float, interval: Interval, alpha: float) -> tuple[str, ...]:
    """Say aloud when the interval and the p-value fall on different sides.

    They do where the interval is not the inversion of the test (Tango's score and exact McNemar),
    or makes an allowance that the test need not make: the test asks whether the systems differ at
    all, the interval by how much on other items.
    """
    excludes_zero = interval.low > 0 or interval.high < 0
    if verdict == "can't tell" and p <= alpha:
        return (
            "the test and the metric point different ways: they weigh items differently, so no "
            "system is called better; choose what to weigh before you look",
        )
    if excludes_zero == (verdict != "can't tell"):
        return ()
    side, said = ("excludes", "is above") if excludes_zero else ("includes", "is not above")
    padded = "padded" in interval.method and not excludes_zero
    why = (
        "it allows for gains and losses too rare to have come up, as the test need not"
        if padded
        else "they come from different methods"
    )
    return (
        f"border case: the interval ({interval.method}) {side} zero though p {said} {alpha:g}; "
        f"{why}, and the verdict follows the p-value",
    )
