"""The true p-value of the published test: test sets drawn from the population itself.

Section 3.2.2 of Wein et al. (2023). The alternative draws gold, baseline and candidate from the
population; under the null every single response of either system comes from one of the two at
random. Items are drawn anew for every test set. A strategy matters here only by the number of
responses it takes of an item.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import UsageError
from betterthan.responses.metrics import ResponseMetric, contrast, resolve
from betterthan.responses.overlap import Overlap, overlap
from betterthan.responses.resampling import CELLS
from betterthan.responses.simulator import Items, Population
from betterthan.results import Alternative
from betterthan.sampling import BLOCK_CELLS, Rng, blocks

Floats = NDArray[np.float64]


def true_p(
    population: Population,
    metric: str | ResponseMetric = "mae",
    *,
    items: int = 1000,
    responses: int = 5,
    alternative: Alternative = "greater",
    resamples: int = 1000,
    rng: Rng = None,
) -> Overlap:
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
) -> list[Overlap]:
    """Return the same for several metrics, on the same simulated test sets."""
    if min(items, responses, resamples) < 1:
        raise UsageError("true p needs at least one item, one response and one resample")
    measures = [resolve(metric) for metric in metrics]
    nulls: list[list[Floats]] = [[] for _ in measures]
    alts: list[list[Floats]] = [[] for _ in measures]
    weight = responses * max(1, BLOCK_CELLS // CELLS)
    for rows, generator in blocks(items * weight, resamples, rng):
        drawn = population.items((rows, items), generator)
        gold, a, b = (
            _responses(population, m, drawn, responses, generator)
            for m in (drawn.gold, drawn.a, drawn.b)
        )
        null_a, null_b = (_mixed(population, drawn, responses, generator) for _ in range(2))
        for k, measure in enumerate(measures):
            alts[k].append(contrast(measure, gold, a, b))
            nulls[k].append(contrast(measure, gold, null_a, null_b))
    return [
        overlap(np.concatenate(null), np.concatenate(alt), alternative)
        for null, alt in zip(nulls, alts, strict=True)
    ]


def _responses(
    population: Population, means: Floats, items: Items, k: int, generator: np.random.Generator
) -> Floats:
    shape = (*means.shape, k)
    return population.response.draw(
        np.broadcast_to(means[..., None], shape),
        np.broadcast_to(items.sds[..., None], shape),
        generator,
    )


def _mixed(population: Population, items: Items, k: int, generator: np.random.Generator) -> Floats:
    """Responses each of which comes from one of the two systems, by a fair coin."""
    shape = (*items.a.shape, k)
    from_a = generator.integers(2, size=shape, dtype=np.uint8).astype(np.bool_)
    means = np.where(from_a, items.a[..., None], items.b[..., None])
    return population.response.draw(means, np.broadcast_to(items.sds[..., None], shape), generator)
