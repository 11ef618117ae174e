"""Verdicts: tested pairs, adjusted for their number, each with its effect and what it is worth."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from betterthan.comparison.effect import detectable_effect, units_to_turn
from betterthan.comparison.item_by_item import ItemByItem, item_by_item
from betterthan.comparison.max_t import max_t
from betterthan.comparison.multiplicity import Bracket, adjust, levels
from betterthan.comparison.over_tasks import TaskJoint
from betterthan.data.macro import Macro
from betterthan.data.pair import Joint, Pair
from betterthan.errors import Choice, Note, Remedy, UsageError, how_many
from betterthan.intervals.choice import Draws, difference_interval
from betterthan.intervals.few_units import least_pvalue
from betterthan.numeric import Alternative
from betterthan.results.interval import Interval
from betterthan.results.number_format import (
    CORRECTIONS,
    VERDICTS,
    digits,
    format_p,
    number,
    span,
)
from betterthan.results.protocol import Result, Sequenced
from betterthan.results.tests import Kind, TestResult
from betterthan.testing.request import Request
from betterthan.testing.values import PairedTest

Verdict = Literal["better", "worse", "can't tell"]
_OF_THE_TEST = (
    *("pvalue", "pvalue_low", "pvalue_high", "log10_pvalue", "kind", "engine", "reason"),
    *("n", "clusters", "alternative", "signature"),
)
"""What a comparison has from its test, under the same names."""

HOLM = Remedy("needs no shared items", "correction", "holm")
MORE = Remedy("draws more", "resamples", Choice("N"))
OPPOSED = (
    "the test and the metric point different ways: they weigh items differently, so no system is "
    "called better; choose what to weigh before you look"
)
SIGN_FLIPS = ("permutation", "sign", "mcnemar", "wilcoxon")
"""Tests whose null law is that of random signs, one a unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """One system against one baseline on one metric.

    ``delta`` and ``interval`` are oriented towards better, whatever the metric's direction; the two
    scores are as the metric prints them. The verdict depends on ``pvalue_adjusted``, which equals
    ``pvalue`` when there was one comparison; ``own_alpha`` is what ``pvalue`` was compared with.

    Plots: ``forest``, the interval; ``wins``, items won, tied and lost; ``null``, the null law and
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
    pvalue_adjusted_low: float
    pvalue_adjusted_high: float
    log10_pvalue_adjusted: float
    alternative: Alternative
    alpha: float
    correction: str
    kind: Kind
    kind_adjusted: Kind
    resamples_adjusted: int | None
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
    own_alpha: float = 0.05
    test: TestResult = field(repr=False, compare=False)
    pair: Pair | None = field(default=None, repr=False, compare=False)

    @property
    def floor(self) -> bool:
        """Whether the adjusted p-value is the smallest that so many draws can give."""
        if self.correction != "max-t":
            return self.test.floor
        draws = self.resamples_adjusted
        return draws is not None and abs(self.pvalue_adjusted * (draws + 1) - 1.0) < 1e-6

    def _brief(self) -> str:
        interval = self.interval
        places = digits((interval.high - interval.low) / 2)
        p = self.pvalue_adjusted, self.log10_pvalue_adjusted
        subset = f" on {self.subset}" if self.subset else ""
        return (
            f"{VERDICTS[self.verdict].format(self)}{subset}, "
            f"{number(self.delta, places, signed=True)} {span(interval, 1.0, places)}, "
            f"p {format_p(*p, floor=self.floor, alpha=self.alpha)}"
        )

    @property
    def turned(self) -> int | None:
        """Least number of items, or clusters, that would have to turn for the verdict to change.

        Of means with an exact p-value that are better or worse; None for all others.
        """
        known = self.test.test == "permutation" and self.kind in ("exact", "certified")
        if self.pair is None or self.verdict == "can't tell" or not known:
            return None
        return units_to_turn(self.pair, alpha=self.own_alpha, alternative=self.alternative)

    @property
    def opposed(self) -> bool:
        """Whether the test is sure, but of the other system than the metric favours."""
        return self.verdict == "can't tell" and self.pvalue_adjusted <= self.alpha

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
    signature: str
    source: str = ""
    notes: tuple[str, ...] = ()
    items: int = 0
    texts_of: TextsOf | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons(Claims, Sequenced[Comparison]):
    """Several comparisons made together, and what was done about their number.

    Plots: ``forest``, all intervals; ``wins``, items won, tied and lost; ``matrix``, where every
    two systems are compared.
    """

    comparisons: tuple[Comparison, ...]

    @property
    def _each(self) -> tuple[Comparison, ...]:
        return self.comparisons

    def _named(self, part: Comparison) -> str:
        return part.candidate

    def _brief(self) -> str:
        counts = Counter[str](c.verdict for c in self.comparisons)
        words = [f"{len(self)}", *(f"{counts[word]} {word}" for word in VERDICTS if counts[word])]
        adjusted = "" if self.correction == "none" else f" ({CORRECTIONS[self.correction]})"
        return ", ".join(words) + adjusted


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """Pairs of systems tested on one metric and one set of items; the verdicts wait.

    ``places`` are baseline and candidate of each pair, ``results`` one for each by the ``test``,
    ``notes`` hold for all of them, and ``subset`` names the items if these are not all.
    """

    joint: Joint | TaskJoint
    places: Sequence[tuple[int, int]]
    results: Sequence[TestResult]
    test: PairedTest
    notes: tuple[str, ...] = ()
    subset: str | None = None


def judge(families: Sequence[Tested], correction: str, request: Request) -> list[Comparison]:
    """Adjust for the number of comparisons, then decide each.

    One comparison needs no adjustment. Each interval has the level that its p was compared with;
    what is drawn for intervals is drawn once for all pairs of the same items.
    """
    results = [result for tested in families for result in tested.results]
    used, alpha = correction if len(results) > 1 else "none", request.alpha
    if used == "max-t":
        if len({tested.subset for tested in families}) > 1:
            raise UsageError("max-T needs the same items in every comparison", HOLM)
        pairs = [tested.joint.pair(*place) for tested in families for place in tested.places]
        adjusted, own = max_t(pairs, results, request)
    else:
        raw = Bracket.of(results)
        adjusted, own = raw.adjusted(used), levels(raw.value, used, alpha)
    unreachable = _unreachable(results, used, alpha)
    judged: list[Comparison] = []
    for tested in families:
        tasks = tested.joint.joints if isinstance(tested.joint, TaskJoint) else [tested.joint]
        draws = Draws(tasks, request.rng, request.work)
        for place, test in zip(tested.places, tested.results, strict=True):
            k = len(judged)
            pair, p, level = tested.joint.pair(*place), float(adjusted.value[k]), float(own[k])
            verdict = _verdict(p, pair.delta, alpha, test)
            opposed = verdict == "can't tell" and p <= alpha
            interval = difference_interval(
                pair,
                alpha=level,
                alternative=test.alternative,
                test=tested.test,
                rejected=None if opposed else p <= alpha,
                draws=draws,
            )
            notes = [*test.notes, *tested.notes, *_unsettled(pair, adjusted, k, alpha)]
            wins, ties, losses = (None, None, None) if pair.opaque else pair.outcomes
            comparison = Comparison(
                baseline=pair.systems[0],
                candidate=pair.systems[1],
                metric=pair.metric.spelling,
                score_baseline=pair.scores[0],
                score_candidate=pair.scores[1],
                delta=pair.delta,
                interval=interval,
                pvalue_adjusted=p,
                pvalue_adjusted_low=float(adjusted.low[k]),
                pvalue_adjusted_high=float(adjusted.high[k]),
                log10_pvalue_adjusted=float(adjusted.log10[k]),
                kind_adjusted=adjusted.kinds[k],
                resamples_adjusted=adjusted.resamples,
                alpha=alpha,
                own_alpha=level,
                correction=used,
                wins=wins,
                ties=ties,
                losses=losses,
                mde=detectable_effect(pair, alpha=level, alternative=test.alternative),
                verdict=verdict,
                notes=(*unreachable[k], *notes, *([OPPOSED] if opposed else [])),
                subset=tested.subset,
                lower_is_better=pair.metric.lower_is_better,
                percent=pair.rate,
                test=test,
                pair=None if isinstance(pair, Macro) else pair,
                **{name: getattr(test, name) for name in _OF_THE_TEST},
            )
            judged.append(comparison)
    return judged


def _unreachable(results: Sequence[TestResult], used: str, alpha: float) -> list[list[Note]]:
    """Note where an adjusted p-value cannot be small enough though an unadjusted one can."""
    # n units have 2^n swaps: the least p-values that there can be.
    least = [
        least_pvalue(x.clusters or x.n, x.alternative) * (x.test in SIGN_FLIPS) for x in results
    ]
    adjusted = least if used == "max-t" else adjust(least, used)

    def note(x: TestResult, together: float) -> Note:
        noun = "item" if x.clusters is None else "cluster"
        return Note(
            f"only {how_many(x.clusters or x.n, noun)} in {len(results)} comparisons: no adjusted "
            f"p-value below {together:.3g} is possible, whatever the data, so that nothing can be "
            f"told at {alpha:g}; more {noun}s help",
            Remedy("compare fewer systems", "systems", Choice("A,B")),
        )

    return [
        [note(x, together)] if alone <= alpha < together else []
        for x, alone, together in zip(results, least, adjusted, strict=True)
    ]


def _verdict(p: float, delta: float, alpha: float, test: TestResult) -> Verdict:
    """Say who is better where p is small, and the test and the metric agree who it is.

    A sign test counts items, a mean weighs them: many small wins may be outweighed by few losses.
    """
    side = {"greater": 1.0, "less": -1.0}.get(test.alternative, test.favours)
    if p > alpha or delta == 0.0 or np.sign(side) != np.sign(delta):  # a product may underflow
        return "can't tell"
    return "better" if delta > 0 else "worse"


def _unsettled(pair: Pair, p: Bracket, k: int, alpha: float) -> list[Note]:
    """Note that so many draws leave open on which side of alpha p lies."""
    if p.kinds[k] != "sampled" or not p.low[k] <= alpha < p.high[k]:
        return []
    ends = f"from {p.low[k]:.4g} to {p.high[k]:.4g}, has alpha = {alpha:g} in it"
    remedy = MORE
    text = (
        f"p of {pair.systems[1]} is sampled and its 99 % interval, {ends}: another seed may give "
        "another verdict"
    )
    if p.resamples is not None:
        remedy = Remedy("needs no draws", "correction", "holm")
        text = (
            f"the max-T p of {pair.systems[1]} is sampled and its 99 % interval after "
            f"{p.resamples:,} draws, {ends}: p is put at the upper end, so that chance gives no "
            "verdict"
        )
    return [Note(text, remedy, beside_verdict=True)]
