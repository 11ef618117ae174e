"""Monte Carlo: p-values from counted hits, with an interval that is valid however it stopped.

The p-value obeys the +1 rule, ties count as extreme, and the interval around it is valid for the
way the number of draws was chosen. Swaps of the permutation test come as one matrix product a block
(Zmigrod et al. 2022, Algorithm 1).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.numeric import Alternative, Floats, Ints
from betterthan.resampling.generator import (
    as_generator,
    block_rows,
    blocks,
    clopper_pearson,
    plus_one,
)
from betterthan.resampling.signs import draw_signs
from betterthan.results.tests import PFields
from betterthan.testing.request import Request

Statistic = Callable[[Floats], Floats]
Draw = Callable[[int, np.random.Generator], Floats]

MINIMUM = 20_000
"""Fewest swaps drawn unless asked otherwise: the recommendation of Zmigrod et al. (2022)."""

LOOKS = tuple(MINIMUM * 2**k for k in range(7))
"""Numbers of swaps after which sequential sampling may stop."""


CONFIDENCE = 0.99

ORIENT: dict[str, Callable[[Any], Any]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}
"""From delta to a statistic whose large values speak against the null."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sampled p-value with a 99 % confidence interval."""

    value: float
    low: float
    high: float
    resamples: int

    @property
    def log10(self) -> float:
        """Decimal logarithm of the value, which is never zero."""
        return math.log10(self.value)

    @property
    def fields(self) -> PFields:
        """The value, its interval, and its decimal logarithm, as a result names them."""
        value, low, high = self.value, self.low, self.high
        return PFields(pvalue=value, pvalue_low=low, pvalue_high=high, log10_pvalue=self.log10)


def sample(count_hits: Callable[[int, np.random.Generator], int], request: Request) -> Sampled:
    """Estimate a p-value by counting hits.

    Parameters
    ----------
    count_hits : callable
        Draws so many replicates from the generator and counts those as extreme as the data.
    request : Request
        With ``resamples`` a fixed number of replicates. Without, sampling is sequential: it stops
        at one of ``LOOKS``, once the interval does not straddle ``alpha``. Every look gets its
        share of the error (Bonferroni), so the interval holds whenever it stops.
    """
    looks = LOOKS if request.resamples is None else (request.resamples,)
    confidence = 1.0 - (1.0 - CONFIDENCE) / len(looks)
    generator = as_generator(request.rng)
    hits = drawn = 0
    low, high = 0.0, 1.0
    for look in looks:
        hits += count_hits(look - drawn, generator)
        drawn = look
        low, high = clopper_pearson(hits, drawn, confidence)
        if not low <= request.alpha <= high:
            break
    p = plus_one(hits, drawn)
    # The +1 rule moves p up; the interval around the hits' share must still contain it.
    return Sampled(p, min(low, p), max(high, p), drawn)


def sample_swaps(
    statistic: Statistic,
    units: int,
    observed: float,
    request: Request,
    *,
    counts: Ints | None = None,
    slack: float,
) -> Sampled:
    """Sample the null law of a statistic of swaps.

    Parameters
    ----------
    statistic : callable
        From a ``(rows, units)`` block of net signs (+1 stay, -1 swap) to ``(rows,)`` values of
        delta.
    units : int
        What is swapped: items or clusters, or rows of them where ``counts`` are given.
    observed, slack : float
        Delta of the data, and how close to it another is a tie.
    counts : (units,) array of int, optional
        How many units each row stands for.
    request : Request
        Sides of the test, and the draws as in :func:`sample`.
    """
    draw = _Signed(statistic, units, counts)
    return sample_deltas(draw, units, observed, request, slack=slack)


def sample_deltas(
    draw: Draw, cells: int, observed: float, request: Request, *, slack: float
) -> Sampled:
    """Sample the null law of what ``draw`` draws, ``cells`` numbers for each value of delta."""
    threshold = float(ORIENT[request.alternative](observed)) - slack
    hits = _Hits(draw, request.alternative, threshold)

    def count_hits(draws: int, generator: np.random.Generator) -> int:
        number = -(-draws // block_rows(cells))
        return sum(request.work.map(hits, blocks(cells, draws, generator), number))

    return sample(count_hits, request)


@dataclass(frozen=True, slots=True, eq=False)
class _Signed:
    """Draws net signs, and the statistic of them."""

    statistic: Statistic
    units: int
    counts: Ints | None

    def __call__(self, rows: int, generator: np.random.Generator) -> Floats:
        return self.statistic(draw_signs(self.units, rows, generator, self.counts))


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """Draws a block of deltas and counts those as extreme as the data."""

    draw: Draw
    alternative: Alternative
    threshold: float

    def __call__(self, block: tuple[int, np.random.Generator]) -> int:
        drawn = self.draw(*block)
        # A swap without a value (NaN) counts as extreme: the p-value errs upwards.
        return int(np.count_nonzero(~(ORIENT[self.alternative](drawn) < self.threshold)))
