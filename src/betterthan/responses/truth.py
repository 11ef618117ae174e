"""The true p-value of the published test: test sets drawn from the population itself.

Section 3.2.2 of Wein et al. (2023). The alternative draws gold, baseline and candidate from the
population; under the null every single response of either system comes from one of the two at
random. Items are drawn anew for every test set. A strategy matters here only by the number of
responses it takes of an item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from betterthan.errors import UsageError
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng, affordable, as_count
from betterthan.resampling.work import Sampling, Work
from betterthan.responses.published_test import NullAndAlternative, overlap_of
from betterthan.responses.resampled_sets import drawn_by
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric, contrast
from betterthan.responses.simulator import DrawnItems, Population

TRUE_RESAMPLES = 1000
"""Simulated test sets by default."""


def true_p(
    population: Population,
    metric: str | ResponseMetric = "mae",
    *,
    items: int = 1000,
    responses: int = 5,
    alternative: Alternative = "greater",
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> NullAndAlternative:
    """Overlap of null and alternative over test sets drawn from the population.

    ``**sampling`` as in :func:`betterthan.responses.p_value`; 1,000 ``resamples`` by default.

    Examples
    --------
    >>> found = true_p(Population(eps_a=0.3), "wins", items=200, resamples=200, rng=1)
    >>> found.pvalue < 0.001
    True
    """
    (found,) = true_ps(
        population,
        [metric],
        items=items,
        responses=responses,
        alternative=alternative,
        rng=rng,
        **sampling,
    )
    return found


def true_ps(
    population: Population,
    metrics: Sequence[str | ResponseMetric],
    *,
    items: int,
    responses: int,
    alternative: Alternative = "greater",
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> list[NullAndAlternative]:
    """Return the same for several metrics, on the same simulated test sets."""
    work, resamples = Work.of(sampling), as_count(sampling.get("resamples")) or TRUE_RESAMPLES
    if min(items, responses, resamples) < 1:
        raise UsageError("true p needs at least one item, one response and one resample")
    affordable(1e11, items=items, responses=responses, resamples=resamples)
    measures = tuple(as_response_metric(metric) for metric in metrics)
    sets = _TestSets(population, measures, items, responses)
    drawn = drawn_by(sets, items, resamples, rng, width=responses, work=work)
    nulls, alts = np.concatenate(list(drawn), axis=2)
    return [overlap_of(null, alt, alternative) for null, alt in zip(nulls, alts, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _TestSets:
    """Draws a block of test sets under both hypotheses, and measures them."""

    population: Population
    measures: tuple[ResponseMetric, ...]
    items: int
    responses: int

    def __call__(self, block: tuple[int, np.random.Generator]) -> Floats:
        """(null and alternative, metrics, test sets) array of contrasts."""
        rows, generator = block
        population, responses = self.population, self.responses
        drawn = population.items((rows, self.items), generator)
        gold, a, b = (
            population.responses(m, drawn.sds, responses, generator)
            for m in (drawn.gold, drawn.a, drawn.b)
        )
        null = tuple(_mixed(population, drawn, responses, generator) for _ in range(2))
        made = [[contrast(m, gold, *pair) for m in self.measures] for pair in (null, (a, b))]
        return np.array(made)


def _mixed(
    population: Population, items: DrawnItems, k: int, generator: np.random.Generator
) -> Floats:
    """Responses each of which comes from one of the two systems, by a fair coin."""
    shape = (*items.a.shape, k)
    from_a = generator.integers(2, size=shape, dtype=np.uint8).astype(np.bool_)
    means = np.where(from_a, items.a[..., None], items.b[..., None])
    return population.response.draw(means, np.broadcast_to(items.sds[..., None], shape), generator)
