"""A pilot: what earlier results say about the spread of differences, not about their mean.

The effect is always the user's: the pilot's own is mostly noise, and a power computed from it only
restates its p-value. What the pilot gives is how often and how far the two systems differ.
"""

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from betterthan.data import Scores
from betterthan.design.assumptions import Spread, whole_units
from betterthan.design.exact_power import exact_power
from betterthan.design.laws import DifferenceLaw, heads_for
from betterthan.design.outcomes import Outcome
from betterthan.effect import standard_error
from betterthan.errors import UsageError
from betterthan.metrics import Metric, default, resolve
from betterthan.pairs import Pair, pair
from betterthan.permutation import permutation_test
from betterthan.results import Alternative, fingerprint
from betterthan.sampling import Rng, as_generator
from betterthan.swaps import Swaps

Floats = NDArray[np.float64]
SIMULATIONS = 500
MOST_CELLS = 1 << 22


class Pilot:
    """Power from a pilot's items, drawn anew.

    Whole-number scores have an exact law of differences. Real-valued ones are resampled: sizes of
    differences from the pilot, signs such that the mean is the effect asked for. Other metrics (F1,
    BLEU) are resampled with some items' results swapped between the systems: not at all for the
    pilot's own effect, every other item for none.

    Parameters
    ----------
    scores : Scores
        The pilot.
    baseline, system : str, optional
        The pair whose differences are typical; the first two systems by default.
    metric : str or Metric, optional
        What will be compared.
    simulations : int
        Test sets drawn, where power is simulated.
    """

    def __init__(
        self,
        scores: Scores,
        baseline: str | None = None,
        system: str | None = None,
        *,
        metric: str | Metric | None = None,
        simulations: int = SIMULATIONS,
    ) -> None:
        self.baseline = baseline or scores.systems[0]
        others = [name for name in scores.systems if name != self.baseline]
        if not others:
            raise UsageError("a pilot needs two systems: their differences are what is planned for")
        self.system = system or others[0]
        if self.system == self.baseline:
            raise UsageError(f"{self.system!r} does not differ from itself: name two systems")
        if simulations < 50:
            raise UsageError(f"at least 50 simulated test sets are needed, not {simulations!r}")
        chosen = resolve(metric, scores.columns) if metric else default(scores.columns)
        self.metric = chosen.lowered() if scores.lower_is_better else chosen
        self.simulations = simulations
        a, b = (scores.of(name, self.metric.columns) for name in (self.baseline, self.system))
        self.pair: Pair = pair(a, b, self.metric, scores.clusters)
        self.swaps = Swaps.of(self.pair, self.metric)
        if self.pair.n_clusters < 2:
            raise UsageError("a pilot of one unit says nothing about the spread: give more items")
        if not self.swaps.shape.units:
            raise UsageError(
                f"{self.system!r} and {self.baseline!r} do not differ on any item of the pilot: "
                "take two systems that do"
            )

    def __repr__(self) -> str:
        data = fingerprint(self.pair.a, self.pair.b)
        return f"Pilot({self.metric!r}, n={self.pair.n}, units={self.pair.n_clusters}, data={data})"

    @property
    def percent(self) -> bool:
        """Whether effects are rates, printed in points."""
        return self.metric.percent or (self.metric.form == "mean" and self.pair.is_binary)

    @property
    def items_per_unit(self) -> float:
        """Items in a cluster, on average."""
        return self.pair.n / self.pair.n_clusters

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats, float]:
        """Sizes of units' differences that are not ties, their shares, and the scale of delta."""
        gains = self.swaps.gains
        if gains is None:
            raise UsageError(f"{self.metric!r} is not a sum over items")
        sizes, counts = np.unique(np.abs(gains[gains != 0]), return_counts=True)
        units = self.pair.n_clusters
        below = (
            self.pair.n
            if self.metric.form == "mean"
            else abs(float(self.swaps.stay[:, 1].sum())) * self.swaps.unit
        )
        return sizes / 1.0, counts / units, self.swaps.unit * units / below

    @property
    def largest_effect(self) -> float:
        """All differences one way; or the pilot's own effect, where items are swapped."""
        if self.swaps.gains is None:
            return abs(self.swaps.delta)
        sizes, shares, scale = self._sizes
        return scale * float(shares @ sizes)

    def null_sd(self, effect: float) -> float:
        """Standard deviation of one unit's delta under the null."""
        del effect
        if self.swaps.gains is not None:
            sizes, shares, scale = self._sizes
            return scale * math.sqrt(float(shares @ np.square(sizes)))
        error = standard_error(self.metric, self.pair)
        if error is None:  # a black box: any start will do
            return abs(self.swaps.delta) * math.sqrt(self.pair.n_clusters) or 1.0
        return error * math.sqrt(self.pair.n_clusters)

    def outcome(
        self, items: int, effect: float, *, alpha: float, alternative: Alternative, rng: Rng
    ) -> Outcome:
        """Power of the exact or certified permutation test on so many items."""
        units = whole_units(items, self.items_per_unit)
        if self.swaps.gains is None:
            return self._with_swaps(units, effect, alpha, alternative, rng)
        sizes, shares, scale = self._sizes
        # A lattice of many sizes is transformed slowly: its tests are quick to simulate.
        cells = sizes.size * 12.0 * math.sqrt(units * float(shares @ np.square(sizes)))
        if self.swaps.shape.whole and cells <= MOST_CELLS:
            whole = np.rint(sizes).astype(np.int64)
            law = DifferenceLaw.with_effect(whole, shares, effect, scale=scale)
            return exact_power(law, units, alpha=alpha, alternative=alternative, rng=rng)
        if abs(effect) > self.largest_effect:
            raise UsageError(f"an effect of {effect:g} is beyond all differences of the pilot")
        return self._with_signs(units, effect, alpha, alternative, rng)

    def _with_signs(
        self, units: int, effect: float, alpha: float, alternative: Alternative, rng: Rng
    ) -> Outcome:
        sizes, shares, scale = self._sizes
        heads = np.append(heads_for(sizes, shares, effect / scale), 0.5)
        sizes = np.append(sizes, 0.0)
        chances = np.append(shares, max(1.0 - float(shares.sum()), 0.0))
        generator = as_generator(rng)

        def verdict() -> tuple[bool, float]:
            drawn = generator.choice(sizes.size, size=units, p=chances / chances.sum())
            d = np.where(generator.random(units) < heads[drawn], 1.0, -1.0) * sizes[drawn]
            p = permutation_test(np.zeros(units), d, alternative=alternative, alpha=alpha)
            return p.pvalue <= alpha, scale * float(d.mean())

        return simulated(verdict, self.simulations, effect)

    def _with_swaps(
        self, units: int, effect: float, alpha: float, alternative: Alternative, rng: Rng
    ) -> Outcome:
        swapped = self._swap_chance(effect)
        generator = as_generator(rng)
        made, metric = self.pair, self.metric
        members = _members(made)

        def verdict() -> tuple[bool, float]:
            drawn = generator.integers(len(members), size=units)
            swap = generator.random(units) < swapped
            rows = np.concatenate([members[k] for k in drawn])
            length = np.array([members[k].size for k in drawn])
            crossed = np.repeat(swap, length)[:, None]
            a = np.where(crossed, made.b[rows], made.a[rows])
            b = np.where(crossed, made.a[rows], made.b[rows])
            clusters = None if made.clusters is None else np.repeat(np.arange(units), length)
            result = permutation_test(
                a, b, metric, alternative, clusters=clusters, alpha=alpha, rng=generator
            )
            return result.pvalue <= alpha, result.delta

        return simulated(verdict, self.simulations, effect)

    def _swap_chance(self, effect: float) -> float:
        """How often results are swapped so that the expected sums differ by the effect."""
        delta = self.swaps.delta
        if abs(effect) > abs(delta) * (1 + 1e-9):
            raise UsageError(
                f"an effect of {effect:.4g} in {self.metric!r} is larger than the pilot's own, "
                f"{abs(delta):.4g}: a resampled pilot can show smaller effects only"
            )
        if delta == 0.0:
            return 0.5
        if self.metric.form == "blackbox":
            return (1.0 - effect / delta) / 2.0
        a, b = (self.metric.project(x).sum(axis=0) for x in (self.pair.a, self.pair.b))

        def excess(chance: float) -> float:
            mixed = self.metric.finish((1 - chance) * b + chance * a, self.pair.n)
            other = self.metric.finish((1 - chance) * a + chance * b, self.pair.n)
            return self.metric.sign * float(mixed - other) - effect

        if excess(0.0) * excess(1.0) >= 0.0:
            return 0.0 if abs(excess(0.0)) <= abs(excess(1.0)) else 1.0
        return float(brentq(excess, 0.0, 1.0))


def simulated(
    verdict: Callable[[], tuple[bool, float]], simulations: int, effect: float
) -> Outcome:
    """Outcome of simulated test sets, each with a verdict or none and the delta it saw."""
    drawn = [verdict() for _ in range(simulations)]
    hit = np.array([rejected for rejected, _ in drawn])
    delta = np.array([size for _, size in drawn])
    power = float(hit.mean())
    error = -float(ndtri(0.005)) * math.sqrt(
        max(power * (1 - power), 1.0 / simulations) / simulations
    )
    engine = f"{simulations:,} simulated test sets"
    if not hit.any() or effect == 0.0:
        return Outcome(power, None, None, error, "sampled", engine)
    wrong = float((np.sign(delta[hit]) != np.sign(effect)).mean())
    exaggeration = float(np.abs(delta[hit]).mean()) / abs(effect)
    return Outcome(power, wrong, exaggeration, error, "sampled", engine)


def _members(made: Pair) -> list[NDArray[np.intp]]:
    """Items of each unit."""
    if made.clusters is None:
        return [np.array([k]) for k in range(made.n)]
    order = np.argsort(made.clusters, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(made.clusters[order])) + 1)


def variance_components(
    scores: Scores, baseline: str | None = None, system: str | None = None, *, column: int = 0
) -> Spread:
    """Spread of items and of repeats, from a pilot with several responses an item.

    The variance of a response around its item's mean is averaged over items, for either system; the
    rest of the variance of items' mean differences is that of the items themselves (a one-way
    analysis of variance; negative estimates are zero).
    """
    if scores.responses is None:
        raise UsageError(
            "variance components need several responses an item: name the column that tells them "
            "apart (--response COLUMN)"
        )
    first = baseline or scores.systems[0]
    second = system or next((s for s in scores.systems if s != first), first)
    if second == first:
        raise UsageError("variance components of a difference need two systems")
    noise = 0.0
    averaged = np.zeros(scores.n)
    for name in (first, second):
        block = scores.responses[:, scores.position(name), column]
        counts = np.count_nonzero(~np.isnan(block), axis=1)
        several = counts > 1
        if not several.any():
            raise UsageError(f"system {name!r} has one response an item: repeats cannot be told")
        spread = np.nanvar(block[several], axis=1, ddof=1)
        within = float(np.average(spread, weights=counts[several] - 1))
        noise += within
        averaged += within / counts
    at = [scores.position(name) for name in (first, second)]
    difference = scores.values[:, at[1], column] - scores.values[:, at[0], column]
    between = max(float(difference.var(ddof=1)) - float(averaged.mean()), 0.0)
    return Spread(sd=math.sqrt(between), sd_repeats=math.sqrt(noise))
