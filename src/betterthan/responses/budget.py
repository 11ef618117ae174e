"""How to spend a number of responses: on many items, or on many responses to each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from scipy.special import ndtr, ndtri

from betterthan.checks import check_level
from betterthan.errors import UsageError
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.resampling.work import Sampling, Work
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric, gain_columns
from betterthan.responses.simulator import Population, draw_test_set

FEWEST_ITEMS = 20


@dataclass(frozen=True, slots=True)
class Split:
    """One way to spend the budget, and the power of the calibrated test it buys.

    ``gain`` and ``sd`` are the mean and standard deviation of an item's gain, from baseline to
    candidate.
    """

    items: int
    responses: int
    metric: str
    eps: float
    gain: float
    sd: float
    power: float


def split_budget(
    population: Population,
    budget: int,
    *,
    metric: str | ResponseMetric = "mae",
    responses: Iterable[int] = (1, 2, 3, 5, 8, 12, 20),
    alpha: float = 0.05,
    simulated: int = 200_000,
    rng: Rng = None,
    **shared: Unpack[Sampling],
) -> tuple[Split, ...]:
    """Compare ways to spend ``budget`` responses of each source: items times responses.

    The mean and spread of an item's gain are simulated for each number of responses; the power of
    the two-sided calibrated test follows from the normal law of the mean gain.

    Parameters
    ----------
    population : Population
        Where items and responses come from.
    budget : int
        Items times responses to each.
    metric : str or ResponseMetric
        A mean over items: ``mae``, ``mse``, ``wins``, ``emd_mean`` ...
    responses : iterable of int
        Numbers of responses to try; those that leave fewer than 20 items are left out.
    alpha : float
        Level of the test.
    simulated : int
        Items simulated for each.
    rng : None, int or Generator
        Seed.
    **shared
        ``workers`` and ``executor``, who simulate, as in :func:`betterthan.responses.p_value`.

    Examples
    --------
    >>> splits = split_budget(Population(eps_a=0.05), 5000, rng=0)
    >>> [split.items for split in splits]
    [5000, 2500, 1666, 1000, 625, 416, 250]
    """
    work, measure = Work.of(shared), as_response_metric(metric)
    if not measure.additive:
        raise UsageError(f"{measure.name} is not a mean over items: its power needs simulation")
    check_level(alpha)
    numbers = tuple(responses)
    if simulated < 1 or min(numbers, default=0) < 1:
        raise UsageError("a budget needs at least one number of responses, and none below 1")
    affordable(simulated=simulated, responses=max(numbers))
    seed = int(as_generator(rng).integers(1 << 63))  # the same items for every split
    tried = [k for k in numbers if budget // k >= FEWEST_ITEMS]
    split = _Tried(population, budget, measure, alpha, simulated, seed)
    return tuple(work.map(split, tried, len(tried)))


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """Simulates what a number of responses to each item buys."""

    population: Population
    budget: int
    measure: ResponseMetric
    alpha: float
    simulated: int
    seed: int

    def __call__(self, k: int) -> Split:
        test = draw_test_set(self.population, self.simulated, k, self.seed)
        gains = gain_columns(self.measure, test.gold, test.a, test.b)[:, 0]
        gain, sd = float(gains.mean()), float(gains.std())
        items, critical = self.budget // k, float(ndtri(1.0 - self.alpha / 2.0))
        effect = np.sqrt(items) * gain / sd if sd > 0.0 else 0.0
        power = float(ndtr(effect - critical) + ndtr(-effect - critical))
        return Split(items, k, self.measure.name, self.population.eps_a, gain, sd, power)
