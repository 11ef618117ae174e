"""A pilot: what earlier results say about the spread of differences, not about their mean.

The effect is always the user's: the pilot's own is mostly noise, and a power computed from it only
restates its p-value. What the pilot gives is how often and how far the two systems differ.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from betterthan.data.accepted import Frame, as_rows
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.data.tally import Tally
from betterthan.design.assumptions import Spread, whole_units
from betterthan.design.detection import Detection
from betterthan.design.difference_law import DifferenceLaw, heads_for
from betterthan.design.drawn_sets import UnitDraws
from betterthan.design.exact_power import exact_power
from betterthan.design.system_pairs import two_systems
from betterthan.errors import UsageError
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.roots import root
from betterthan.metrics import Metric
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng, affordable
from betterthan.resampling.work import Work
from betterthan.results.signature import fingerprint
from betterthan.testing.permutation import permutation_test
from betterthan.testing.swaps import Swaps

PILOT_SIMULATIONS = 500
PILOT_CELLS = 1 << 22
EXTREME_SWAPS = 100  # expected beyond the level of a simulated test, where swaps are sampled
CLEAR = 0.002  # of a p that an expansion may be wrong by, beside ten times its first term's scale
DISTINCT = 4  # of so many differences one at least has a size of its own
SMOOTH = (
    3.0  # squared variation of all sizes that leaves exp(-15) of a lattice: (pi^2 / 2) times it
)


class Pilot:
    """Power from a pilot's items, drawn anew.

    Whole-number scores have an exact law of differences. Real-valued ones are resampled: sizes of
    differences from the pilot, signs such that the mean is the effect asked for. Other metrics (F1,
    BLEU) are resampled with some items' results swapped between the systems: not at all for the
    pilot's own effect, every other item for none.

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
    def largest_effect(self) -> float:
        """All differences one way; or the pilot's own effect, where items are swapped."""
        if self.pair.gains is None:
            return abs(self.pair.delta)
        sizes, shares, scale = self._sizes
        return scale * float(shares @ sizes)

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta under the null."""
        del effect
        if self.pair.gains is not None:
            sizes, shares, scale = self._sizes
            return scale * math.sqrt(float(shares @ np.square(sizes)))
        error = standard_error(self.pair)
        if error is None:  # a black box: any start will do
            return abs(self.pair.delta) * math.sqrt(self.pair.units) or 1.0
        return error * math.sqrt(self.pair.units)

    def detection(
        self, items: int, effect: float, *, alpha: float, alternative: Alternative, rng: Rng
    ) -> Detection:
        """Power of the exact or certified permutation test on so many items."""
        units = whole_units(items, self.items_per_unit)
        if self.pair.gains is None:
            return self._with_swaps(units, effect, alpha, alternative, rng)
        sizes, shares, scale = self._sizes
        # A lattice of many sizes is transformed slowly: its tests are quick to simulate.
        cells = sizes.size * 12.0 * math.sqrt(units * float(shares @ np.square(sizes)))
        if self.shape.whole and cells <= PILOT_CELLS:
            whole = np.rint(sizes).astype(np.int64)
            law = DifferenceLaw.with_effect(whole, shares, effect, scale=scale)
            return exact_power(law, units, alpha=alpha, alternative=alternative, rng=rng)
        if abs(effect) > self.largest_effect:
            raise UsageError(f"an effect of {effect:g} is beyond all differences of the pilot")
        return self._with_signs(units, effect, alpha, alternative, rng)

    def _with_signs(
        self, units: int, effect: float, alpha: float, alternative: Alternative, rng: Rng
    ) -> Detection:
        sizes, shares, scale = self._sizes
        heads = np.append(heads_for(sizes, shares, effect / scale), 0.5)
        sizes = np.append(sizes, 0.0)
        chances = np.append(shares, max(1.0 - float(shares.sum()), 0.0))
        shares = chances / chances.sum()
        made = _SignedSet(units, alternative, alpha, sizes, heads, shares, scale)
        return Detection.simulated(made, self.simulations, effect, rng, self.work)

    def _with_swaps(
        self, units: int, effect: float, alpha: float, alternative: Alternative, rng: Rng
    ) -> Detection:
        urn = UnitDraws.of(self.pair.ordered_items)
        made = _SwappedSet(units, alternative, alpha, urn, self._swap_chance(effect), self.metric)
        return Detection.simulated(made, self.simulations, effect, rng, self.work)

    def _swap_chance(self, effect: float) -> float:
        """How often results are swapped so that the expected sums differ by the effect."""
        delta = self.pair.delta
        if abs(effect) > abs(delta) * (1 + 1e-9):
            raise UsageError(
                f"an effect of {effect:.4g} in {self.metric!r} is larger than the pilot's own, "
                f"{abs(delta):.4g}: a resampled pilot can show smaller effects only"
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
class _DrawnSet:
    """Draws so many units, and tests them."""

    units: int
    alternative: Alternative
    alpha: float


@dataclass(frozen=True, slots=True, eq=False)
class _SignedSet(_DrawnSet):
    """Draws differences by their sizes, gives them signs, and tests them."""

    sizes: Floats
    heads: Floats
    shares: Floats
    scale: float

    def __call__(self, seed: np.random.SeedSequence) -> tuple[bool, float]:
        generator = np.random.default_rng(seed)
        drawn = generator.choice(self.sizes.size, size=self.units, p=self.shares)
        up = generator.random(self.units) < self.heads[drawn]
        d = np.where(up, 1.0, -1.0) * self.sizes[drawn]
        rejected = clear_verdict(d, self.alternative, self.alpha)
        if rejected is None:
            test = partial(
                permutation_test,
                np.zeros(self.units),
                d,
                "mean",
                self.alternative,
                alpha=self.alpha,
            )
            found = test(method="certified")  # a thousand times as fast as counts
            if found.pvalue_low <= self.alpha < found.pvalue_high:
                found = test()
            rejected = found.pvalue <= self.alpha
        return rejected, self.scale * float(d.mean())


def clear_verdict(d: Floats, alternative: Alternative, alpha: float) -> bool | None:
    """Whether the sign-flip test rejects, where its p is far from alpha; None where it may be near.

    By Edgeworth's expansion of a sum of signs, whose first term is ``-2 kappa / 24`` times a
    Hermite polynomial, ``kappa = sum d^4 / (sum d^2)^2``. Differences of nearly one size, whose
    sums are nearly on a lattice, are left to the test: the expansion is for smooth laws.
    """
    sizes = np.abs(d[d != 0.0])
    if not sizes.size:
        return False
    square = np.square(sizes)
    variance, mean = float(square.sum()), float(sizes.mean())
    spread = variance - sizes.size * mean * mean
    if spread < SMOOTH * mean * mean or np.unique(sizes).size * DISTINCT < sizes.size:
        return None
    kappa = float(np.square(square).sum()) / variance**2
    z = float(d.sum()) / math.sqrt(variance) * (-1.0 if alternative == "less" else 1.0)
    z, sides = (abs(z), 2.0) if alternative == "two-sided" else (z, 1.0)
    density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
    p = sides * (float(ndtr(-z)) - kappa / 12.0 * (z**3 - 3.0 * z) * density)
    slack = CLEAR + 10.0 * kappa
    if p * (1.0 + slack) < alpha:
        return True
    return False if p * (1.0 - slack) > alpha else None


@dataclass(frozen=True, slots=True, eq=False)
class _SwappedSet(_DrawnSet):
    """Draws units of the pilot, swaps some of them, and tests them."""

    urn: UnitDraws
    swapped: float
    metric: Metric

    def __call__(self, seed: np.random.SeedSequence) -> tuple[bool, float]:
        generator = np.random.default_rng(seed)
        rows, clusters = self.urn.draw(self.units, generator)
        swap = generator.random(self.units) < self.swapped
        crossed = (swap if clusters is None else swap[clusters])[:, None]
        first, second = (x[rows] for x in self.urn.values)
        found = permutation_test(
            np.where(crossed, second, first),
            np.where(crossed, first, second),
            self.metric,
            self.alternative,
            clusters=clusters,
            # A test by so many swaps has its level whatever their number, and nearly its power.
            resamples=math.ceil(EXTREME_SWAPS / self.alpha) - 1,
            alpha=self.alpha,
            rng=generator,
        )
        return found.pvalue <= self.alpha, found.delta
