"""A pilot: what earlier results say about the spread of differences, not about their mean.

The effect is always the user's: the pilot's own is mostly noise, and a power computed from it only
restates its p-value. What the pilot gives is how often and how far the two systems differ.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from betterthan.data.scores import Scores
from betterthan.design.assumptions import Spread, whole_units
from betterthan.design.detection import Detection, PlannedTest
from betterthan.design.difference_law import DifferenceLaw
from betterthan.design.drawn_sets import UnitDraws
from betterthan.design.exact_power import exact_power
from betterthan.design.student_power import LISTED, normal_power, power_of_few, sets_of
from betterthan.design.system_pairs import two_systems
from betterthan.errors import COLUMN, Choice, Remedy, UsageError
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.roots import root
from betterthan.metrics import Metric
from betterthan.numeric import TIE, Floats
from betterthan.resampling.generator import as_generator, seeds
from betterthan.resampling.work import HERE
from betterthan.results.signature import fingerprint
from betterthan.tables.accepted import Frame, as_rows, as_scores
from betterthan.testing.permutation import permutation_test
from betterthan.testing.swaps import Swaps

SHORT = 10  # steps of a short scale: 1 to 5 has four, 0 to 10 ten
EXTREME_SWAPS = 20  # expected beyond the level of a simulated test: a power of 80 % is 79.7 % so
SAMPLED = 30  # units that differ, from which on the p-values of a simulated test are sampled
NORMAL = 100_000  # units of real scores whose sum is normal enough
NORMAL_RATIO = 2_000  # and those whose sums make a score as F1: simulating more takes too long
STEPS = 90.0  # of a lattice within one standard deviation of a single unit


class Pilot:
    """Power from a pilot, by resampling its items.

    Items that are right or wrong keep how often the systems differ, with signs such that the mean
    is the effect asked for. The differences of other scores keep their ties, and the rest of them
    is shifted, so that its spread stays as it is; so are clusters of right and wrong items, whose
    spread grows with the share of signs that an effect smaller than the pilot's leaves open. Other
    metrics (F1, BLEU) are resampled with some items' results swapped between the systems: not at
    all for the pilot's own effect, every other item for none.

    Parameters
    ----------
    data : Scores or data frame
        The pilot.
    baseline, candidate : str, optional
        The pair whose differences are typical; the first two systems by default.
    metric : str or Metric, optional
        What will be compared.
    """

    def __init__(
        self,
        data: Scores | Frame,
        baseline: str | None = None,
        candidate: str | None = None,
        *,
        metric: str | Metric | None = None,
    ) -> None:
        self.data = as_rows(data, systems=(baseline, candidate), metric=metric)
        self.baseline, self.candidate = two_systems(self.data, baseline, candidate, "a pilot")
        self.pair = self.data.pair(self.baseline, self.candidate, metric)
        self.metric = self.pair.metric
        self.shape = Swaps.of(self.pair).shape
        if self.pair.units < 2:
            raise UsageError(
                "a pilot of one unit tells nothing about the spread",
                Remedy("read a pilot of more items"),
            )
        if not self.shape.units:
            raise UsageError(
                f"{self.candidate!r} and {self.baseline!r} do not differ on any item of the pilot",
                *(
                    Remedy("", "candidate", name)
                    for name in self.data.systems[:5]
                    if name not in (self.baseline, self.candidate)
                ),
            )

    def __repr__(self) -> str:
        data = fingerprint(*self.pair.hashed)
        return f"Pilot({self.metric!r}, n={self.pair.n}, units={self.pair.units}, data={data})"

    @property
    def percent(self) -> bool:
        """Whether effects are rates, printed in points."""
        return self.pair.rate

    @property
    def own_items(self) -> int:
        """Items of the pilot."""
        return self.pair.n

    def repeated(self, repeats: int) -> Spread:
        """The spreads of items and of repeats, for so many repeats."""
        spread = variance_components(self.data, self.baseline, self.candidate, metric=self.metric)
        return replace(spread, repeats=repeats)

    @property
    def items_per_unit(self) -> float:
        """Items in a cluster, on average."""
        return self.pair.n / self.pair.units

    @cached_property
    def _moved(self) -> tuple[Floats, Floats, Floats]:
        """Each row's difference around the pilot's effect, what an effect of one adds, its share.

        An effect moves units by their size, and leaves ties as they are. Differences are in delta,
        and as wide as the population's on average.
        """
        pair = self.pair
        gains, share = pair.gains, pair.counts / pair.units
        if gains is None:
            raise ValueError(f"{self.metric!r} is not a sum over items")
        size = pair.a[:, 1] / 1.0 if pair.metric.form == "ratio" else pair.sizes / 1.0
        towards = pair.metric.sign * np.sign(float(share @ size))
        d = towards * (pair.b[:, 0] - pair.a[:, 0]) * float(pair.unit) * pair.units / gains.below
        live = np.abs(d) > TIE * float(np.abs(d).max())
        moved = live * size / float(share @ (live * size))
        spread = math.sqrt(1.0 + 1.0 / (pair.units - 1))
        return live * (d - self.pair.delta * moved) * spread, moved, share

    @cached_property
    def _one_size(self) -> tuple[float, float] | None:
        """Share of units that differ and by how much delta, if all of them differ by the same."""
        gains, units = self.pair.gains, self.pair.units
        if gains is None:
            return None
        live = gains.values != 0
        sizes = np.unique(np.abs(gains.values[live]))
        if sizes.size > 1:
            return None
        step = float(sizes[0]) * float(gains.unit) * units / gains.below
        return float(gains.counts[live].sum()) / units, step

    @property
    def _right_or_wrong(self) -> bool:
        """Whether items, alone or in clusters, are right or wrong."""
        return self.metric.form == "mean" and self.pair.is_binary

    @property
    def largest_effect(self) -> float:
        """All differences one way, of items right or wrong; the pilot's own, if these are swapped.

        Other scores are shifted: as far as a rate can be, or ratings on a short scale, and others
        without end.
        """
        if self.pair.gains is None:
            return abs(self.pair.delta)
        if self._right_or_wrong:
            wins, _, losses = self.pair.outcomes
            return (wins + losses) / self.pair.n
        if self._one_size:
            return math.prod(self._one_size)
        return 1.0 if self.percent else self._short_scale

    @property
    def _short_scale(self) -> float:
        """Range of ratings, or of their means over few raters: no mean can change by more."""
        pair, clustered = self.pair, self.pair.clusters is not None and self.pair.items is None
        if pair.metric.form != "mean" or pair.metric.lower_is_better or clustered:
            return math.inf
        low, high = pair.span
        rating = pair.whole and pair.unit * SHORT >= 1 and high - low <= SHORT
        return high - low if rating else math.inf

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta."""
        del effect
        if self._one_size:
            differing, step = self._one_size
            return step * math.sqrt(differing)
        error = standard_error(self.pair)
        if error is None:  # a black box: any start will do
            return abs(self.pair.delta) * math.sqrt(self.pair.units) or 1.0
        return error * math.sqrt(self.pair.units)

    def detection(self, items: int, effect: float, test: PlannedTest) -> Detection:
        """Power of the permutation test on so many items."""
        units = whole_units(items, self.items_per_unit)
        if self.pair.gains is None:
            swapped = self._swap_chance(effect)  # an error where that cannot be
            if units > NORMAL_RATIO and self.metric.form != "blackbox":
                # Swaps leave the squares of differences as they are, and their mean is the effect.
                more = max(self.pair.delta**2 - effect**2, 0.0)
                sd = math.sqrt(self.null_sd(effect) ** 2 + more)
                return normal_power(effect, sd, units, test)
            urn = UnitDraws.of(self.pair.ordered_items)
            alone = replace(test, work=HERE)  # which is sent to whoever draws
            verdict = _SwappedSet(units, alone, urn, swapped, self.metric)
            drawn = list(test.work.map(verdict, seeds(test.sets, test.rng), test.sets))
            hit, delta = (np.array(column) for column in zip(*drawn, strict=True))
            return Detection.sampled(hit, delta, effect, f"{test.sets:,} simulated test sets")
        if abs(effect) > self.largest_effect * (1.0 + 1e-12):
            raise self._impossible(effect, "a pilot like this one")
        if self._one_size:
            differing, step = self._one_size
            law = DifferenceLaw.of_one_size(differing, effect, scale=step)
            return exact_power(law, units, test)
        if units > NORMAL:
            sd = self.null_sd(effect)
            return normal_power(effect, sd, units, test)
        centred, moved, share = self._moved
        if self._right_or_wrong:
            # Items differ as often whatever the effect, their signs vary the more the smaller it
            # is: by delta^2 - effect^2 of each item, of which a cluster has the mean.
            open_signs = (self.pair.delta**2 - effect**2) / self.items_per_unit
            more = effect**2 * (float(share @ np.square(moved)) - 1.0)
            wanted = self.null_sd(effect) ** 2 + open_signs - more
            seen = float(share @ np.square(centred))
            centred = centred * math.sqrt(max(wanted, 0.0) / seen) if seen else centred
            centred = np.concatenate((centred, -centred))  # open signs favour neither
            moved, share = np.tile(moved, 2), np.tile(share / 2.0, 2)
        shifted = centred + effect * moved
        if units <= LISTED:
            sets = as_generator(test.rng).choice(shifted, (sets_of(units), units), p=share)
            return power_of_few(sets, effect, test, of="the pilot's differences")
        width = math.sqrt(float(share @ np.square(shifted))) or 1.0
        law = DifferenceLaw.rounded(shifted, share, width / max(STEPS / units**0.5, 16.0))
        return exact_power(law, units, test)

    def _swap_chance(self, effect: float) -> float:
        """How often results are swapped so that the expected sums differ by the effect."""
        delta = self.pair.delta
        if abs(effect) > abs(delta) * (1 + 1e-9):
            raise self._impossible(effect, "a resampled pilot")
        if delta == 0.0:
            return 0.5
        if self.metric.form == "blackbox":
            return (1.0 - effect / delta) / 2.0
        a, b = (self.pair.counts @ self.pair.values(k) for k in (0, 1))

        def excess(chance: float) -> float:
            mixed = self.metric.finish((1 - chance) * b + chance * a, self.pair.n)
            other = self.metric.finish((1 - chance) * a + chance * b, self.pair.n)
            return self.metric.sign * float(mixed - other) - effect

        if excess(0.0) * excess(1.0) >= 0.0:
            return 0.0 if abs(excess(0.0)) <= abs(excess(1.0)) else 1.0
        return root(excess, 0.0, 1.0)

    def _impossible(self, effect: float, what: str) -> UsageError:
        """Make the error for an effect that such a pilot cannot have."""
        scale, unit = (100.0, " points") if self.percent else (1.0, "")
        limit = math.copysign(self.largest_effect, effect)
        return UsageError(
            f"an effect of {scale * effect:.4g}{unit} is impossible: {self.metric!r} of {what} "
            f"changes by at most {scale * self.largest_effect:.4g}{unit}",
            Remedy("at most", "effect", limit if self.percent else Choice(f"{limit:.4g}")),
        )


def variance_components(
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
) -> Spread:
    """Spread of items and of repeats, from a pilot with several responses per item.

    The variance of a response around its item's mean is averaged over items, for either system; the
    rest of the variance of items' mean differences is that of the items themselves (a one-way
    analysis of variance; negative estimates are zero).
    """
    scores = as_scores(data, systems=(baseline, candidate), metric=metric)
    several_responses = Remedy("", "columns", {"response": COLUMN})
    if scores.responses is None:
        raise UsageError(
            "the spread of repeats takes several responses per item", several_responses
        )
    first, second = two_systems(scores, baseline, candidate, "a difference's spread")
    chosen = scores.measured(metric)
    if chosen.form != "mean":
        raise UsageError(
            f"repeats have their own spread for means, not for {chosen!r}",
            Remedy("", "metric", f"mean({scores.columns[0]})"),
        )
    column = scores.columns.index(chosen.columns[0])
    noise = 0.0
    averaged = np.zeros(scores.n)
    for name in (first, second):
        block = scores.responses[:, scores.position(name), column]
        counts = np.count_nonzero(~np.isnan(block), axis=1)
        several = counts > 1
        if not several.any():
            raise UsageError(f"{name!r} has one response per item", several_responses)
        spread = np.nanvar(block[several], axis=1, ddof=1)
        within = float(np.average(spread, weights=counts[several] - 1))
        noise += within
        averaged += within / counts
    at = scores.positions((first, second))
    difference = scores.values[:, at[1], column] - scores.values[:, at[0], column]
    between = max(float(difference.var(ddof=1)) - float(averaged.mean()), 0.0)
    percent = scores.is_rate(chosen, (first, second))
    return Spread(item=math.sqrt(between), repeat=math.sqrt(noise), percent=percent)


@dataclass(frozen=True, slots=True, eq=False)
class _SwappedSet:
    """Draws so many units of the pilot, swaps some of them, and tests them."""

    units: int
    test: PlannedTest
    urn: UnitDraws
    swapped: float
    metric: Metric

    def __call__(self, seed: np.random.SeedSequence) -> tuple[bool, float]:
        generator = np.random.default_rng(seed)
        first, second, clusters = self.urn.swapped(self.units, self.swapped, generator)
        differ = np.flatnonzero((first != second).any(axis=1))
        live = differ.size if clusters is None else np.unique(clusters[differ]).size
        found = permutation_test(
            first,
            second,
            self.metric,
            self.test.alternative,
            # Few units have few p-values, which have to be right; of many, one counts as another.
            "monte-carlo" if live > SAMPLED else "auto",
            clusters=clusters,
            # A test by this number of swaps has its level exactly, and nearly its full power.
            resamples=math.ceil(EXTREME_SWAPS / self.test.alpha) - 1,
            alpha=self.test.alpha,
            rng=generator,
        )
        return found.pvalue <= self.test.alpha, found.delta
