"""The interval of a difference: the inversion of the test that gives p.

A value is in the interval unless the test rejects it. `difference_interval` is the only place that
decides how, for which test and data. What is inverted by sampling, or by a formula, may disagree
with p by a hair: then p has the last word, so that zero lies outside exactly if the test rejects.

A gate's claim that there is no loss must hold whatever the law of the scores, and has bounds of its
own (:mod:`betterthan.intervals.margins`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import stdtrit

from betterthan.data.macro import Macro, tasks_of
from betterthan.data.pair import Joint, Pair
from betterthan.data.pairing import joint_of
from betterthan.errors import how_many
from betterthan.exact.walsh import walsh_interval
from betterthan.intervals.binary import tango
from betterthan.intervals.bootstrapped import IntervalKind, bootstrap_ends, difference_of
from betterthan.intervals.ends import Ends, sides, unbounded
from betterthan.intervals.few_units import least_pvalue
from betterthan.intervals.jackknife import degrees, standard_error
from betterthan.intervals.mean_gains import MeanGains
from betterthan.intervals.quantiles import quantile_error
from betterthan.metrics import MEDIAN, mean
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng, seeds
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Work
from betterthan.results.interval import Interval
from betterthan.testing.request import Request
from betterthan.testing.values import Bootstrap, PairedTest, Permutation

SUBSETS, MOST_SUBSETS, OF_BLACKBOX = 10_000, 20_000, 2_000
"""Random subsets: as a rule, where the level is low, and of a metric that is slow to score."""

FEWEST_BEYOND = 20
"""With fewer subsets than this beyond an end the jackknife knows it better."""

RESAMPLABLE = 50_000
"""Units up to which subsets are drawn."""

PERMUTATION = Permutation()
UNDEFINED = "undefined without some items"


@dataclass(frozen=True, eq=False)
class Draws:
    """What is drawn for intervals, once for all pairs of some systems on the same items.

    ``tasks`` are the systems on each task, or the only element is the systems on all items.
    """

    tasks: Sequence[Joint]
    rng: Rng = 0
    work: Work = HERE
    _subsets: dict[int, list[Floats]] = field(default_factory=dict, repr=False)

    @property
    def slow(self) -> bool:
        """Whether some metric is a black box that is slow to score."""
        return any(x.opaque and x.metric.function is not MEDIAN.function for x in self.tasks)

    def deltas(self, pair: Pair, number: int) -> Floats:
        """Differences of two of the systems on random subsets, in ascending order."""
        if number not in self._subsets:
            each = zip(self.tasks, seeds(len(self.tasks), self.rng), strict=True)
            scores = [Replicas.of(joint).subsets(number, seed, self.work) for joint, seed in each]
            self._subsets[number] = scores
        first, second = (self.tasks[0].systems.index(name) for name in pair.systems)
        every = [
            joint.metric.sign * (scores[:, second] - scores[:, first])
            for joint, scores in zip(self.tasks, self._subsets[number], strict=True)
        ]
        return np.sort(sum(every) / len(every))


def difference_interval(
    pair: Pair,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    test: PairedTest = PERMUTATION,
    rejected: bool | None = None,
    draws: Draws | None = None,
) -> Interval:
    """Interval of what a test compares, at the level ``1 - alpha``.

    Parameters
    ----------
    pair : Pair
        What is compared.
    alpha, alternative
        What p was compared with, and the side of the test.
    test : PairedTest
        The test that gives p.
    rejected : bool or None
        Whether it rejected that there is no difference; None where that decides nothing.
    draws : Draws, optional
        Random subsets of some systems, the pair's among them; by default of these alone.
    """
    draws = draws or Draws(tasks_of(pair))
    of, estimate, ends = _Inversion(pair, alpha, alternative, draws).of(test)
    ends = ends.on(alternative)
    if rejected is not None:
        # Where most items are ties a median is 0, whichever system the test favours.
        towards = estimate if np.sign(estimate) == np.sign(pair.delta) else pair.delta
        ends = ends.agreeing(towards, rejected=rejected)
    return ends.interval(alpha, of)


@dataclass(frozen=True, eq=False)
class _Inversion:
    """The intervals of one pair at one level, by the tests that are inverted."""

    pair: Pair
    alpha: float
    alternative: Alternative
    draws: Draws

    def of(self, test: PairedTest) -> tuple[str, float, Ends]:
        """What the interval is of, its estimate, and the ends."""
        pair, delta = self.pair, difference_of(self.pair.metric)
        if test.name == "wilcoxon":
            return "pseudo-median of the differences", *self.pseudo_median()
        if test.name == "sign":
            wins, _, losses = pair.outcomes
            return "wins minus losses per item", (wins - losses) / pair.n, self.net_wins()
        if test.name == "mood":
            return "difference of medians", *self.medians()
        if isinstance(test, Bootstrap):
            return (
                delta,
                pair.delta,
                self.bootstrap("basic" if test.variant == "shift" else "percentile"),
            )
        if test.name == "t" and (gains := MeanGains.of(pair)) is not None and gains.spread > 0.0:
            return delta, pair.delta, gains.student(self.alpha, self.alternative)
        return delta, pair.delta, self.permutation()

    def permutation(self) -> Ends:
        """The paired permutation test, inverted."""
        pair = self.pair
        if all(map(_is_binary, tasks_of(pair))):
            return self.over_tasks(pair) if isinstance(pair, Macro) else self.tango(pair)
        gains = MeanGains.of(pair)
        ends = self.subsets() if gains is None else gains.interval(self.alpha, self.alternative)
        return ends.clipped(1.0) if all(map(_is_bounded, tasks_of(pair))) else ends

    def tango(self, pair: Pair) -> Ends:
        """Tango's interval of wins and losses."""
        wins, _, losses = pair.outcomes
        return tango(wins, losses, pair.n, alpha=self.alpha, alternative=self.alternative)

    def net_wins(self) -> Ends:
        """Who is ahead on each item is right or wrong; what lies in clusters is swapped as one."""
        if self.pair.clusters is None:
            return self.tango(self.pair)
        gains, items = self.pair.item_gains.values, self.pair.items or self.pair.known_items
        ahead = {"a": (gains < 0) * 1, "b": (gains > 0) * 1}
        joint = joint_of(ahead, mean(), items.codes, counts=items.counts)
        return replace(self, pair=joint.pair(0, 1)).permutation()

    def over_tasks(self, macro: Macro) -> Ends:
        """Interval of a mean over tasks from the tasks' own (MOVER; Zou & Donner, 2008).

        An end lies as far from delta as the root of the tasks' squared distances, divided by their
        number: their limits stand for their variances, where those are largest. Where tasks share
        units the distances themselves add up, as if the tasks were wholly dependent.
        """
        parts = [self.tango(part) for part in macro.parts]
        order = 1 if macro.shared else 2
        both = list(zip(macro.parts, parts, strict=True))
        below = np.linalg.norm([part.delta - ends.low for part, ends in both], ord=order)
        above = np.linalg.norm([ends.high - part.delta for part, ends in both], ord=order)
        low, high = macro.delta - float(below) / len(parts), macro.delta + float(above) / len(parts)
        return Ends(low, high, f"{parts[0].method} of each task, put together (MOVER)")

    def pseudo_median(self) -> tuple[float, Ends]:
        """Walsh averages of the differences on items, or of the mean ones of clusters."""
        gains = MeanGains.of(self.pair) if self.pair.clusters is not None else None
        if gains is None:
            each = self.pair.item_gains
            values, counts, unit = each.values, each.counts, float(each.unit)
        else:
            values, counts, unit = gains.totals / gains.weights, gains.counts, gains.unit
        found = walsh_interval(
            values, counts=counts, alpha=self.alpha, alternative=self.alternative
        )
        if values.min() == values.max():
            return unit * found.estimate, unbounded("no two differences differ")
        middle = "; those in the middle are equal" * (found.low == found.high)
        ends = Ends(unit * found.low, unit * found.high, found.engine + middle)
        return unit * found.estimate, ends

    def medians(self) -> tuple[float, Ends]:
        """Difference of the medians of both systems on random subsets."""
        items, metric = self.pair.items or self.pair.known_items, self.pair.metric
        a, b = (np.repeat(x[:, 0], items.times) for x in items.values)
        median = replace(MEDIAN, lower_is_better=metric.lower_is_better, columns=metric.columns)
        joint = joint_of({"a": a, "b": b}, median, items.codes)
        draws = Draws([joint], self.draws.rng, self.draws.work)
        made = replace(self, pair=joint.pair(0, 1), draws=draws)
        return made.pair.delta, made.subsets()

    def bootstrap(self, kind: IntervalKind) -> Ends:
        """Resamples, reflected where these are shifted; if all are alike they say nothing."""
        work = self.draws.work
        request = Request(
            alpha=self.alpha,
            alternative=self.alternative,
            rng=self.draws.rng,
            workers=work.workers,
            executor=work.executor,
        )
        ends = bootstrap_ends(self.pair, kind, request)
        return ends if ends.low < ends.high else self.permutation()

    def subsets(self) -> Ends:
        """The metric's difference on random subsets; where these are too few, the jackknife."""
        differing = sum(map(_differing_units, tasks_of(self.pair)))
        noun = "item" if self.pair.clusters is None else "cluster"
        if least_pvalue(differing, self.alternative) > self.alpha:
            return unbounded(f"only {how_many(differing, noun)} differ")
        tail = self.alpha / sides(self.alternative)
        number = math.ceil(min(max(SUBSETS, FEWEST_BEYOND / tail), MOST_SUBSETS))
        number = OF_BLACKBOX if self.draws.slow else number
        if self.pair.opaque and self.pair.units > RESAMPLABLE:
            number = min(math.ceil(1.0 / tail), number)  # whose extremes are the ends
        k = math.floor((number + 1) * tail * (1.0 + 1e-12))
        if not self.pair.opaque and (k < FEWEST_BEYOND or self.pair.units > RESAMPLABLE):
            return self.jackknife()
        deltas = self.draws.deltas(self.pair, number)
        if np.isnan(deltas).any() or deltas[0] == deltas[-1]:
            seen = "all halves have one difference" if deltas[0] == deltas[-1] else UNDEFINED
            return unbounded(seen)
        method = f"from the metric on {number:,} random halves of the {noun}s"
        if k < FEWEST_BEYOND:
            k, method = 1, f"{method}, whose extremes are the ends"
        error = max(quantile_error(deltas, p, 1.0 - p) for p in (tail, 1.0 - tail))
        return Ends(float(deltas[k - 1]), float(deltas[-k]), method, error)

    def jackknife(self) -> Ends:
        """Student's interval around delta with the jackknife's standard error."""
        parts = tasks_of(self.pair)
        errors = [error for part in parts if (error := standard_error(part)) is not None]
        if len(errors) < len(parts):
            return unbounded(UNDEFINED)
        t = -float(stdtrit(min(map(degrees, parts)), self.alpha / sides(self.alternative)))
        half, delta = t * math.hypot(*errors) / len(parts), self.pair.delta
        return Ends(delta - half, delta + half, "jackknife t")


def _is_binary(pair: Pair) -> bool:
    """Whether units are so nearly single 0/1 answers that shifting them makes no sense."""
    small = pair.clusters is None or pair.n < 2 * pair.clusters
    return pair.metric.form == "mean" and small and pair.is_binary


def _is_bounded(pair: Pair) -> bool:
    """Whether no two systems can differ by more than one: accuracies, F1."""
    rate = pair.metric.percent and not pair.metric.lower_is_better
    return rate or (pair.metric.form == "mean" and pair.is_binary)


def _differing_units(pair: Pair) -> int:
    if not pair.opaque:
        return int(pair.counts[(pair.a != pair.b).any(axis=1)].sum())
    items = pair.ordered_items
    differ = (items.values[0] != items.values[1]).any(axis=1)
    return int(differ.sum() if items.codes is None else np.unique(items.codes[differ]).size)
