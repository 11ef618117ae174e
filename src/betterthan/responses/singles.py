"""One response per item: the gain of every combination of responses, laid out once.

With ``sample(1)`` an item has few outcomes: a gold response, one of either system and, for the
null, two of their pool. A single random number then chooses all five, and two look-ups give the
item's gain under the alternative and under the null.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import HERE, Work
from betterthan.responses.resampled_sets import (
    SIXTEEN_BITS,
    Block,
    drawn_by,
    items_of,
    starts,
)
from betterthan.responses.response_metrics import ResponseMetric, gain_columns
from betterthan.responses.strategies import Strategy
from betterthan.responses.trio import Trio

MOST_GAINS = 1 << 20
"""Most gains laid out, over all items."""


@dataclass(frozen=True, slots=True, eq=False)
class Singles:
    """Gains of items by the way their responses are chosen.

    ``alternative`` and ``null`` are ``(items, choices)`` tables; way ``w`` is choice
    ``to_alternative[w]`` of the one and ``to_null[w]`` of the other, with the same gold response.
    """

    alternative: Floats
    null: Floats
    to_alternative: NDArray[np.intp]
    to_null: NDArray[np.intp]


def singles(trio: Trio, metric: ResponseMetric) -> Singles | None:
    """Lay the gains out, if the metric is a mean over items and the choices are few."""
    if not (metric.additive and all(x.even for x in trio)):
        return None
    g, a, b = (x.most for x in trio)
    own, mixed = a * b, (a + b) ** 2
    if g * own * mixed > SIXTEEN_BITS or trio.n * g * max(own, mixed) > MOST_GAINS:
        return None
    pool = np.hstack([trio.a.values, trio.b.values])
    gold, of_own, of_pool = np.unravel_index(np.arange(g * own * mixed), (g, own, mixed))
    return Singles(
        _gains(metric, trio.gold.values, trio.a.values, trio.b.values),
        _gains(metric, trio.gold.values, pool, pool),
        gold * own + of_own,
        gold * mixed + of_pool,
    )


def single_draws(
    table: Singles, strategy: Strategy, resamples: int, rng: Rng, work: Work = HERE
) -> tuple[Floats, Floats]:
    """Draws of delta under the null and the alternative, one response per item."""
    measure = partial(_deltas, table, strategy.bootstrap)
    drawn = drawn_by(measure, len(table.null), resamples, rng, work=work)
    nulls, alts = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return nulls, alts


def _deltas(table: Singles, bootstrap: bool, block: Block) -> tuple[Floats, Floats]:
    """Null and alternative deltas of a block of test sets."""
    n = len(table.null)
    items = items_of(n, block, bootstrap=bootstrap)
    way = block[1].integers(table.to_null.size, size=items.shape, dtype=np.uint16)
    weights, made = np.full(n, 1.0 / n), []
    for gains, choice in ((table.null, table.to_null), (table.alternative, table.to_alternative)):
        at = choice[way]
        at += starts(items, gains.shape[1])
        made.append(gains.take(at) @ weights)
    return made[0], made[1]


def _gains(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats) -> Floats:
    """Gain of each item for every choice of a gold response, one of ``a`` and one of ``b``."""
    blocks = np.broadcast_arrays(gold[:, :, None, None], a[:, None, :, None], b[:, None, None, :])
    first, second, third = (x.reshape(len(gold), -1, 1) for x in blocks)
    return gain_columns(metric, first, second, third)[..., 0]
