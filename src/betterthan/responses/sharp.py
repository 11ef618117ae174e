"""The sharp null: the two systems are the same on every single item.

Then an item's pooled responses can be dealt out anew, to either system as many as it had. This is a
stronger hypothesis than "equally good": two systems that are each better on items of their own are
rejected by it, far more often than at the nominal rate if taken for a test of which is better.
"""

import numpy as np

from betterthan.responses.calibrated import extreme
from betterthan.responses.distances import item_means
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.resampled_sets import dealer, item_blocks
from betterthan.responses.response_metrics import contrast
from betterthan.results.tests import TestResult
from betterthan.testing.montecarlo import sample
from betterthan.testing.request import Request


def sharp_test(asked: ResponseQuestion) -> TestResult:
    """Test whether the systems are the same on every item, by dealing their responses anew."""
    trio, metric, delta = asked.trio, asked.metric, asked.delta
    gold = trio.gold.values
    if metric.means_only:
        gold = item_means(gold)[:, None]
    deal = dealer(trio, means_only=metric.means_only)
    width = 1 if metric.means_only else max(x.most for x in trio)

    def count_hits(draws: int, generator: np.random.Generator) -> int:
        hits = 0
        for items, block in item_blocks(trio.n, draws, generator, bootstrap=False, width=width):
            null = contrast(metric, gold[items], *deal(items, block))
            scale = max(asked.magnitude, abs(delta), float(np.nanmax(np.abs(null), initial=0.0)))
            hits += extreme(null, delta, scale, asked.alternative)
        return hits

    found = sample(count_hits, Request(resamples=asked.draws, rng=asked.rng))
    return asked.answer(
        "sharp",
        (found.value, found.low, found.high),
        resamples=found.resamples,
        delta=delta,
        kind="sampled",
        engine="responses dealt anew within items",
        reason="the null hypothesis asked for: the systems are the same on every item",
        notes=("systems that are equally good but differ item by item are rejected too often",),
    )
