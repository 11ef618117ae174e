"""The sharp null: the two systems are the same on every single item.

Then an item's pooled responses can be dealt out anew, to either system as many as it had. This is a
stronger hypothesis than "equally good": two systems that are each better on items of their own are
rejected by it, far more often than at the nominal rate if taken for a test of which is better.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.errors import how_many
from betterthan.resampling.work import HERE
from betterthan.responses.calibrated import extreme
from betterthan.responses.distances import item_means
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.resampled_sets import Block, dealer, drawn_by, items_of
from betterthan.responses.response_metrics import contrast
from betterthan.results.tests import TestResult
from betterthan.testing.montecarlo import sample
from betterthan.testing.request import Request


def sharp_test(asked: ResponseQuestion) -> TestResult:
    """Test whether the systems are the same on every item, by dealing their responses anew."""
    trio, delta, dealt = asked.trio, asked.delta, _Dealt(asked)

    def count_hits(drawn: int, look: int, generator: np.random.Generator) -> int:
        draws = look - drawn
        return sum(drawn_by(dealt, trio.n, draws, generator, width=dealt.width, work=asked.work))

    notes = ["systems that are equally good but differ item by item are rejected too often"]
    if trio.uneven:
        notes.append(
            f"unequal numbers of responses to {how_many(trio.uneven, 'item')} are part of delta, "
            "and of what p holds it against"
        )
    (found,) = sample(count_hits, Request(resamples=asked.draws, rng=asked.rng))
    return asked.answer(
        "sharp",
        (found.value, found.low, found.high),
        resamples=found.resamples,
        delta=delta,
        kind="sampled",
        engine="responses dealt anew within items",
        reason="the null hypothesis asked for: the systems are the same on every item",
        notes=tuple(notes),
    )


class _Dealt:
    """Deals responses anew and counts hits; whoever is sent it lays the ways to deal out anew."""

    def __init__(self, asked: ResponseQuestion) -> None:
        self._asked, trio, means_only = asked, asked.trio, asked.metric.means_only
        self._gold = item_means(trio.gold.values)[:, None] if means_only else trio.gold.values
        self._deal = dealer(trio, means_only=means_only)
        self.width = 1 if means_only else max(x.most for x in trio)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Dealt, (replace(self._asked, rng=None, work=HERE),)

    def __call__(self, block: Block) -> int:
        """Hits in a block."""
        asked = self._asked
        items = items_of(asked.trio.n, block, bootstrap=False)
        null = contrast(asked.metric, self._gold[items], *self._deal(items, block[1]))
        scale = max(asked.magnitude, abs(asked.delta), float(np.nanmax(np.abs(null), initial=0.0)))
        return extreme(null, asked.delta, scale, asked.alternative)
