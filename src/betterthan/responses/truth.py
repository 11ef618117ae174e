"""The true p-value of the published test: test sets drawn from the population itself.

Section 3.2.2 of Wein et al. (2023). The alternative draws gold, baseline and candidate from the
population; under the null every single response of either system comes from one of the two at
random. Items are drawn anew for every test set. A strategy matters here only by the number of
responses it takes of an item.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.errors import UsageError
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import BLOCK_CELLS, Rng, blocks
from betterthan.responses.published_test import NullAndAlternative, overlap_of
from betterthan.responses.resampled_sets import RESPONSE_CELLS
from betterthan.responses.response_metrics import ResponseMetric, as_response_metric, contrast
from betterthan.responses.simulator import DrawnItems, Population


def true_p(
    population: Population,
    metric: str | ResponseMetric = "mae",
    *,
    items: int = 1000,
    responses: int = 5,
    alternative: Alternative = "greater",
    resamples: int = 1000,
    rng: Rng = None,
) -> NullAndAlternative:
    """Overlap of null and alternative over test sets drawn from the population.

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
        resamples=resamples,
        rng=rng,
    )
    return found


def true_ps(
    population: Population,
    metrics: Sequence[str | ResponseMetric],
    *,
    items: int,
    responses: int,
    alternative: Alternative = "greater",
    resamples: int = 1000,
    rng: Rng = None,
) -> list[NullAndAlternative]:
    """Return the same for several metrics, on the same simulated test sets."""
    if min(items, responses, resamples) < 1:
        raise UsageError("true p needs at least one item, one response and one resample")
    measures = [as_response_metric(metric) for metric in metrics]
    nulls: list[list[Floats]] = [[] for _ in measures]
    alts: list[list[Floats]] = [[] for _ in measures]
    weight = responses * max(1, BLOCK_CELLS // RESPONSE_CELLS)
    for rows, generator in blocks(items * weight, resamples, rng):
        drawn = population.items((rows, items), generator)
        gold, a, b = (
            population.responses(m, drawn.sds, responses, generator)
            for m in (drawn.gold, drawn.a, drawn.b)
        )
        null_a, null_b = (_mixed(population, drawn, responses, generator) for _ in range(2))
        for k, measure in enumerate(measures):
            alts[k].append(contrast(measure, gold, a, b))
            nulls[k].append(contrast(measure, gold, null_a, null_b))
    return [
        overlap_of(np.concatenate(null), np.concatenate(alt), alternative)
        for null, alt in zip(nulls, alts, strict=True)
    ]


def _mixed(
    population: Population, items: DrawnItems, k: int, generator: np.random.Generator
) -> Floats:
    """Responses each of which comes from one of the two systems, by a fair coin."""
    shape = (*items.a.shape, k)
    from_a = generator.integers(2, size=shape, dtype=np.uint8).astype(np.bool_)
    means = np.where(from_a, items.a[..., None], items.b[..., None])
    return population.response.draw(means, np.broadcast_to(items.sds[..., None], shape), generator)
