"""A pilot: what earlier results say about the spread of differences, not about their mean.

The effect is always the user's: the pilot's own is mostly noise, and a power computed from it only
restates its p-value. What the pilot gives is how often and how far the two systems differ.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from betterthan.blame import blames_arguments
from betterthan.data.accepted import Frame, as_rows
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.data.tally import Tally
from betterthan.design.assumptions import Spread, whole_units
from betterthan.design.detection import Detection
from betterthan.design.difference_law import DifferenceLaw
from betterthan.design.drawn_sets import UnitDraws
from betterthan.design.exact_power import exact_power
from betterthan.design.few_units import LISTED, power_of_few, sets_of
from betterthan.design.normal_power import normal_power
from betterthan.design.system_pairs import two_systems
from betterthan.errors import UsageError
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.padding import short_scale
from betterthan.intervals.roots import root
from betterthan.metrics import Metric
from betterthan.numeric import TIE, Alternative, Floats
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.resampling.work import Work
from betterthan.results.signature import fingerprint
from betterthan.testing.permutation import permutation_test
from betterthan.testing.swaps import Swaps

PILOT_SIMULATIONS = 500
EXTREME_SWAPS = 20  # expected beyond the level of a simulated test: a power of 80 % is 79.7 % so
SAMPLED = 30  # units that differ, from which on the p-values of a simulated test are sampled
NORMAL = 100_000  # units of real scores whose sum is normal enough
NORMAL_RATIO = 2_000  # and those whose sums make a score as F1: nobody waits for more simulations
STEPS = 90.0  # of a lattice within one standard deviation of a single unit


class Pilot:
    """Power from a pilot's items, drawn anew.

    Items that are right or wrong keep how often the systems differ, with signs such that the mean
    is the effect asked for. The differences of other scores keep their ties, and the rest of them
    is shifted, so that its spread stays as it is; so are clusters of right and wrong items, whose
    spread grows with the share of signs that an effect smaller than the pilot's leaves open. Other
    metrics (F1, BLEU) are resampled with some items' results swapped between the systems: not at
    all for the pilot's own effect, every other item for none.

    Parameters
    ----------
    scores : Scores or data frame
        The pilot.
    baseline, candidate : str, optional
        The pair whose differences are typical; the first two systems by default.
    metric : str or Metric, optional
        What will be compared.
    simulations : int
        Test sets drawn, where power is simulated.
    workers, executor
        Who draws and tests them, as in :func:`betterthan.bootstrap_test`.
    """

    def __init__(
        self,
        scores: Scores | Tallied | Frame,
        baseline: str | None = None,
        candidate: str | None = None,
        *,
        metric: str | Metric | None = None,
        simulations: int = PILOT_SIMULATIONS,
        workers: int = 1,
        executor: Any = None,
    ) -> None:
        scores = as_rows(scores, systems=(baseline, candidate), metric=metric)
        self.baseline, self.candidate = two_systems(scores, baseline, candidate, "a pilot")
        if simulations < 50:
            raise UsageError(f"at least 50 simulated test sets are needed, not {simulations!r}")
        affordable(1e6, simulations=simulations)
        self.simulations, self.work = simulations, Work(workers, executor)
        self.pair = scores.pair(self.baseline, self.candidate, metric)
        self.metric = self.pair.metric
        self.shape = Swaps.of(self.pair).shape
        if self.pair.units < 2:
            raise UsageError("a pilot of one unit says nothing about the spread: give more items")
        if not self.shape.units:
            raise UsageError(
                f"{self.candidate!r} and {self.baseline!r} do not differ on any item of the pilot: "
                "take two systems that do"
            )

    def __repr__(self) -> str:
        data = fingerprint(*self.pair.hashed)
        return f"Pilot({self.metric!r}, n={self.pair.n}, units={self.pair.units}, data={data})"

    @property
    def percent(self) -> bool:
        """Whether effects are rates, printed in points."""
        return self.pair.rate

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
            raise UsageError(f"{self.metric!r} is not a sum over items")
        size = pair.a[:, 1] / 1.0 if pair.metric.form == "ratio" else pair.sizes / 1.0
        towards = pair.metric.sign * np.sign(float(share @ size))
        d = towards * (pair.b[:, 0] - pair.a[:, 0]) * float(pair.unit) * pair.units / gains.below
        live = np.abs(d) > TIE * float(np.abs(d).max())
        moved = live * size / float(share @ (live * size))
        spread = math.sqrt(1.0 + 1.0 / (pair.units - 1))
        return live * (d - self.pair.delta * moved) * spread, moved, share

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats, float]:
        """Sizes of units' differences that are not ties, their shares, and the scale of delta."""
        gains = self.pair.gains
        if gains is None:
            raise UsageError(f"{self.metric!r} is not a sum over items")
        live = gains.values != 0
        made = Tally.of([np.abs(gains.values[live])], gains.counts[live])
        units = self.pair.units
        scale = float(gains.unit) * units / gains.below
        return made.rows[:, 0] / 1.0, made.counts / units, scale

    @property
    def _all_or_nothing(self) -> bool:
        """Whether units differ by one size or not at all, as items that are right or wrong do."""
        return self._sizes[0].size == 1

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
        if self._all_or_nothing:
            sizes, shares, scale = self._sizes
            return scale * float(shares @ sizes)
        rating = None if self.percent else short_scale(self.pair)
        return 1.0 if self.percent else math.inf if rating is None else rating

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta."""
        del effect
        if self.pair.gains is not None and self._all_or_nothing:
            sizes, shares, scale = self._sizes
            return scale * math.sqrt(float(shares @ np.square(sizes)))
        error = standard_error(self.pair)
        if error is None:  # a black box: any start will do
            return abs(self.pair.delta) * math.sqrt(self.pair.units) or 1.0
        return error * math.sqrt(self.pair.units)

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
        """Power of the permutation test on so many items."""
        units = whole_units(items, self.items_per_unit)
        if self.pair.gains is None:
            swapped = self._swap_chance(effect)  # refuses what cannot be
            if units > NORMAL_RATIO and self.metric.form != "blackbox":
                # Swaps leave the squares of differences as they are, and their mean is the effect.
                more = max(self.pair.delta**2 - effect**2, 0.0)
                sd = math.sqrt(self.null_sd(effect) ** 2 + more)
                return normal_power(effect, sd, units, alpha=alpha, alternative=alternative)
            urn = UnitDraws.of(self.pair.ordered_items)
            made = _SwappedSet(units, alternative, alpha, urn, swapped, self.metric)
            return Detection.simulated(made, self.simulations, effect, rng, self.work)
        if abs(effect) > self.largest_effect * (1.0 + 1e-12):
            raise UsageError(
                f"an effect of {effect:g} is impossible: {self.metric!r} of a pilot like this one "
                f"changes by at most {self.largest_effect:.4g}"
            )
        test = partial(
            exact_power, units=units, alpha=alpha, alternative=alternative, rng=rng, wanted=wanted
        )
        if self._all_or_nothing:
            sizes, shares, scale = self._sizes
            law = DifferenceLaw.with_effect([1], shares, effect, scale=scale * float(sizes[0]))
            return test(law)
        if units > NORMAL:
            sd = self.null_sd(effect)
            return normal_power(effect, sd, units, alpha=alpha, alternative=alternative)
        centred, moved, share = self._moved
        if self._right_or_wrong:
            # Items differ as often whatever the effect, their signs vary the more the smaller it
            # is: by delta^2 - effect^2 of each item, of which a cluster has the mean.
            open_signs = (self.pair.delta**2 - effect**2) / self.items_per_unit
            more = effect**2 * (float(share @ np.square(moved)) - 1.0)
            wanted = self.null_sd(effect) ** 2 + open_signs - more
            seen = float(share @ np.square(centred))
            centred = centred * math.sqrt(max(wanted, 0.0) / seen) if seen else centred
            centred = np.concatenate((centred, -centred))  # signs that are open favour nobody
            moved, share = np.tile(moved, 2), np.tile(share / 2.0, 2)
        shifted = centred + effect * moved
        if units <= LISTED:
            sets = as_generator(rng).choice(shifted, (sets_of(units), units), p=share)
            return power_of_few(
                sets, effect, alpha=alpha, alternative=alternative, of="the pilot's differences"
            )
        width = math.sqrt(float(share @ np.square(shifted))) or 1.0
        return test(DifferenceLaw.rounded(shifted, share, width / max(STEPS / units**0.5, 16.0)))

    def _swap_chance(self, effect: float) -> float:
        """How often results are swapped so that the expected sums differ by the effect."""
        delta = self.pair.delta
        if abs(effect) > abs(delta) * (1 + 1e-9):
            scale, unit = (100.0, " points") if self.percent else (1.0, "")
            raise UsageError(
                f"an effect of {scale * effect:.4g}{unit} in {self.metric!r} is larger than the "
                f"pilot's own, {scale * abs(delta):.4g}{unit}: a resampled pilot can show smaller "
                "effects only; take two systems that differ by more"
            )
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


@blames_arguments
def variance_components(
    scores: Scores, baseline: str | None = None, candidate: str | None = None, *, column: int = 0
) -> Spread:
    """Spread of items and of repeats, from a pilot with several responses per item.

    The variance of a response around its item's mean is averaged over items, for either system; the
    rest of the variance of items' mean differences is that of the items themselves (a one-way
    analysis of variance; negative estimates are zero).
    """
    if scores.responses is None:
        raise UsageError(
            "variance components need several responses per item: name the column that tells "
            "them apart (response=)"
        )
    first, second = two_systems(scores, baseline, candidate, "a difference's spread")
    noise = 0.0
    averaged = np.zeros(scores.n)
    for name in (first, second):
        block = scores.responses[:, scores.position(name), column]
        counts = np.count_nonzero(~np.isnan(block), axis=1)
        several = counts > 1
        if not several.any():
            raise UsageError(f"system {name!r} has one response per item: repeats cannot be told")
        spread = np.nanvar(block[several], axis=1, ddof=1)
        within = float(np.average(spread, weights=counts[several] - 1))
        noise += within
        averaged += within / counts
    at = scores.positions((first, second))
    difference = scores.values[:, at[1], column] - scores.values[:, at[0], column]
    between = max(float(difference.var(ddof=1)) - float(averaged.mean()), 0.0)
    return Spread(sd=math.sqrt(between), sd_repeats=math.sqrt(noise))


@dataclass(frozen=True, slots=True, eq=False)
class _SwappedSet:
    """Draws so many units of the pilot, swaps some of them, and tests them."""

    units: int
    alternative: Alternative
    alpha: float
    urn: UnitDraws
    swapped: float
    metric: Metric

    def __call__(self, seed: np.random.SeedSequence) -> tuple[bool, float]:
        generator = np.random.default_rng(seed)
        rows, clusters = self.urn.draw(self.units, generator)
        swap = generator.random(self.units) < self.swapped
        crossed = (swap if clusters is None else swap[clusters])[:, None]
        first, second = (x[rows] for x in self.urn.values)
        differ = np.flatnonzero((first != second).any(axis=1))
        live = differ.size if clusters is None else np.unique(clusters[differ]).size
        found = permutation_test(
            np.where(crossed, second, first),
            np.where(crossed, first, second),
            self.metric,
            self.alternative,
            # Few units have few p-values, which have to be right; of many, one counts as another.
            "monte-carlo" if live > SAMPLED else "auto",
            clusters=clusters,
            # A test by so many swaps has its level whatever their number, and nearly its power.
            resamples=math.ceil(EXTREME_SWAPS / self.alpha) - 1,
            alpha=self.alpha,
            rng=generator,
        )
        return found.pvalue <= self.alpha, found.delta
