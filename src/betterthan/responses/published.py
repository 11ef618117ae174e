"""The response test as published: Algorithms 1 and 2 of Wein et al. (2023).

Test sets are resampled twice over, from the systems' own responses (the alternative) and from the
pool of both systems' responses to an item (the null); p is the share of pairs of such draws in
which the null delta is at least as extreme as the alternative one.
"""

import numpy as np
from numpy.typing import NDArray

from betterthan.responses.data import Trio
from betterthan.responses.metrics import ResponseMetric, columns, contrast, finish
from betterthan.responses.overlap import overlap
from betterthan.responses.reporting import delta_of, magnitude, response_result
from betterthan.responses.resampling import item_blocks, resampled
from betterthan.responses.singles import single_draws, singles
from betterthan.responses.strategies import Strategy
from betterthan.results import Alternative, TestResult
from betterthan.sampling import Rng

Floats = NDArray[np.float64]

RESAMPLES = 10_000


def published_test(
    trio: Trio,
    metric: ResponseMetric,
    strategy: Strategy,
    alternative: Alternative,
    *,
    resamples: int = RESAMPLES,
    rng: Rng = None,
) -> TestResult:
    """Test by the overlap of resampled null and alternative laws."""
    delta = delta_of(trio, metric)
    null, alt = published_draws(trio, metric, strategy, resamples, rng)
    found = overlap(null, alt, alternative, magnitude(trio, metric))
    notes = ["an overlap of two laws, not calibrated: it stays below about .5 when two-sided"]
    if strategy.fixed:
        notes.append("with this sampling the null difference is zero by construction")
    if found.pairs == 0:
        notes.append(
            f"no pair of draws overlapped: p is below {found.high:.2g} with 99 % confidence"
        )
    return response_result(
        f"published:{strategy}",
        trio,
        metric,
        alternative,
        rng,
        p=(found.pvalue, found.low, found.high),
        resamples=resamples,
        delta=delta,
        kind="sampled",
        engine=f"overlap of null and alternative draws, {strategy}",
        reason="as published by Wein et al. (2023), Algorithms 1 and 2",
        notes=tuple(notes),
        law=found,
    )


def published_draws(
    trio: Trio, metric: ResponseMetric, strategy: Strategy, resamples: int, rng: Rng
) -> tuple[Floats, Floats]:
    """Draws of delta under the null and the alternative, ``resamples`` of each."""
    if strategy.fixed:
        return np.zeros(resamples), _bootstrapped(trio, metric, strategy, resamples, rng)
    table = singles(trio, metric) if strategy.count == 1 else None
    if table is not None:
        return single_draws(table, strategy, resamples, rng)
    nulls, alts = [], []
    for d in resampled(trio, strategy, resamples, rng, means_only=metric.means_only):
        nulls.append(contrast(metric, d.gold, d.null_a, d.null_b))
        alts.append(contrast(metric, d.gold, d.a, d.b))
    return np.concatenate(nulls), np.concatenate(alts)


def _bootstrapped(
    trio: Trio, metric: ResponseMetric, strategy: Strategy, resamples: int, rng: Rng
) -> Floats:
    """Delta on bootstrapped items, each with the same responses whenever it is drawn."""
    gold, a, b = (x.first() if strategy.single else x.values for x in trio)
    if metric.form == "whole":
        draws = (
            contrast(metric, gold[items], a[items], b[items])
            for items, _ in item_blocks(
                trio.n, resamples, rng, bootstrap=True, width=max(x.shape[1] for x in (gold, a, b))
            )
        )
        return np.concatenate(list(draws))
    return finish(metric, bootstrap_means(columns(metric, gold, a, b), resamples, rng))


def bootstrap_means(table: Floats, resamples: int, rng: Rng) -> Floats:
    """Means of the ``(items, c)`` columns over bootstrapped items: ``(resamples, c)``."""
    n = len(table)
    columns = np.ascontiguousarray(table.T)
    weights = np.full(n, 1.0 / n)
    made = [
        [column.take(items) @ weights for column in columns]
        for items, _ in item_blocks(n, resamples, rng, bootstrap=True)
    ]
    return np.concatenate(made, axis=-1).T
