"""The calibrated response test: whole items are swapped, all their responses with them.

If the two systems are equally good on the population of items, an item is as likely to favour one
as the other, and the variance between responses is part of how much items differ. Where delta is a
mean over items the test is the paired permutation test of per-item gains, exact or certified;
otherwise swaps are enumerated or sampled.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.data.arrays import cluster_codes
from betterthan.exact.enumeration import swap_patterns
from betterthan.metrics import mean, sums
from betterthan.numeric import TIE, Alternative, Bools, Floats
from betterthan.resampling.draws import draw_signs
from betterthan.responses.distances import item_means
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.response_metrics import (
    ResponseMetric,
    contrast,
    cosine,
    item_gains,
    whole_score,
)
from betterthan.results.tests import TestResult
from betterthan.testing.montecarlo import ORIENT, sample_deltas
from betterthan.testing.permutation import permutation_test
from betterthan.testing.request import Request

ENUMERABLE_UNITS = 12
"""Items whose swaps are all tried: 4,096 at most."""

SWAP_CELLS = 1 << 18
"""Responses of one system laid out at a time."""


def calibrated_test(asked: ResponseQuestion, clusters: ArrayLike | None = None) -> TestResult:
    """Test whether the systems are equally good on the population of items (or clusters)."""
    metric, delta = asked.metric, asked.delta
    if metric.form == "whole":
        return _whole(asked, _Swapped.of(asked, clusters))
    gold, a, b = (x.values for x in asked.trio)
    if metric.form == "cosine":
        baseline, candidate = metric.compare(a, gold), metric.compare(b, gold)
        measure = sums(("product", "square", "gold"), cosine, spelling=metric.name)
    else:
        candidate = item_gains(metric, gold, a, b)
        baseline, measure = np.zeros_like(candidate), mean()
    found = permutation_test(
        baseline,
        candidate,
        measure,
        asked.alternative,
        clusters=clusters,
        resamples=asked.resamples,
        workers=asked.work.workers,
        executor=asked.work.executor,
        rng=asked.rng,
    )
    return replace(
        found,
        test="calibrated response",
        metric=metric.name,
        delta=delta,
        signature=asked.signature("calibrated", clusters=found.clusters, resamples=found.resamples),
    )


def _whole(asked: ResponseQuestion, swapped: "_Swapped") -> TestResult:
    """Swap whole items under a metric that is not a mean over items."""
    answer = partial(asked.answer, "calibrated", delta=swapped.observed, clusters=swapped.clusters)
    if swapped.live > ENUMERABLE_UNITS:
        found = sample_deltas(
            swapped.draw,
            swapped.live,
            swapped.observed,
            Request(
                alternative=asked.alternative,
                resamples=asked.draws,
                workers=asked.work.workers,
                executor=asked.work.executor,
                rng=asked.rng,
            ),
            slack=TIE * swapped.scale,
        )
        return answer(
            (found.value, found.low, found.high),
            resamples=found.resamples,
            kind="sampled",
            engine="Monte Carlo",
            reason=f"{asked.metric} is not a mean over items: whole items are swapped at random",
        )
    null = np.concatenate([swapped.deltas(rows) for rows in swap_patterns(swapped.live)])
    hits = extreme(null, swapped.observed, swapped.scale, asked.alternative)
    p = Fraction(hits, null.size)
    return answer(
        (float(p),) * 3,
        kind="exact",
        engine="enumeration of all swaps",
        reason=f"only 2^{swapped.live} swaps of what differs",
        fraction=p,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Swapped:
    """Delta of a ``whole`` metric as items, or clusters of them, are swapped.

    ``live`` counts the units in which the systems differ; ``unit`` is the number of each item's
    among them, and items that are the same for both systems have none (-1).
    """

    metric: ResponseMetric
    gold: Floats
    a: Floats
    b: Floats
    unit: NDArray[np.intp]
    live: int
    clusters: int | None
    observed: float
    scale: float

    @classmethod
    def of(cls, asked: ResponseQuestion, clusters: ArrayLike | None) -> "_Swapped":
        """Lay either system out with as many responses as the other has."""
        trio, metric = asked.trio, asked.metric
        gold, *systems = (x.values for x in trio)
        if metric.means_only:
            gold, *systems = (item_means(x)[:, None] for x in (gold, *systems))
        width = max(x.shape[1] for x in systems)
        a, b = (
            np.pad(x, ((0, 0), (0, width - x.shape[1])), constant_values=np.nan) for x in systems
        )
        differ = ~((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
        codes, units = (
            (np.arange(trio.n), None) if clusters is None else cluster_codes(clusters, trio.n)
        )
        unit = np.full(trio.n, -1)
        live, unit[differ] = np.unique(codes[differ], return_inverse=True)
        of_a, of_b = (float(whole_score(metric, x, gold)) for x in (a, b))
        delta = metric.sign * (of_b - of_a)
        scale = max(abs(of_a), abs(of_b), asked.magnitude)
        return cls(
            metric,
            gold,
            a,
            b,
            unit=unit,
            live=live.size,
            clusters=units,
            observed=0.0 if abs(delta) <= TIE * scale else delta,
            scale=scale,
        )

    def draw(self, rows: int, generator: np.random.Generator) -> Floats:
        """Delta of so many random swaps."""
        return self.deltas(draw_signs(self.live, rows, generator, None) < 0)

    def deltas(self, swaps: Bools) -> Floats:
        """Delta of each row of swaps, one column per live unit."""
        parts = []
        rows = max(1, SWAP_CELLS // self.a.size)
        swapped = self.unit >= 0
        for start in range(0, len(swaps), rows):
            chunk = swaps[start : start + rows]
            trade = np.zeros((len(chunk), len(self.a), 1), dtype=np.bool_)
            trade[:, swapped, 0] = chunk[:, self.unit[swapped]]
            first, second = np.where(trade, self.b, self.a), np.where(trade, self.a, self.b)
            parts.append(contrast(self.metric, self.gold, first, second))
        return np.concatenate(parts)


def extreme(null: Floats, observed: float, scale: float, alternative: Alternative) -> int:
    """Count the null values at least as extreme as the observed one, ties up to rounding.

    One that is no number counts: the p-value errs upwards.
    """
    orient = ORIENT[alternative]
    return int(np.count_nonzero(~(orient(null) < orient(observed) - TIE * scale)))
