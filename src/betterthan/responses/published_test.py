"""The response test as published: Algorithms 1 and 2 of Wein et al. (2023).

Test sets are resampled twice over, from the systems' own responses (the alternative) and from the
pool of both systems' responses to an item (the null); p is the share of pairs of such draws in
which the null delta is at least as extreme as the alternative one.
"""

from dataclasses import dataclass
from functools import partial
from math import ceil, floor

import numpy as np

from betterthan.errors import BadValueError
from betterthan.numeric import TIE, Alternative, Floats
from betterthan.resampling.generator import clopper_pearson, plus_one
from betterthan.resampling.sums import replicates
from betterthan.responses.question import ResponseQuestion
from betterthan.responses.resampled_sets import Block, TestSets, drawn_by, items_of
from betterthan.responses.response_metrics import ResponseMetric, contrast, finish, gain_columns
from betterthan.responses.singles import single_draws, singles
from betterthan.responses.strategies import Strategy
from betterthan.results.tests import TestResult


def published_test(asked: ResponseQuestion, strategy: Strategy) -> TestResult:
    """Test by the overlap of resampled null and alternative laws."""
    delta, found = asked.delta, published_law(asked, strategy)
    notes = ["an overlap of two laws, not calibrated: it stays below about .5 when two-sided"]
    if strategy.fixed:
        notes.append("with this sampling the null difference is zero by construction")
    if found.pairs == 0:
        notes.append(
            f"no pair of draws overlapped: p is below {found.high:.2g} with 99 % confidence"
        )
    return asked.answer(
        f"published:{strategy}",
        (found.pvalue, found.low, found.high),
        resamples=asked.draws,
        delta=delta,
        kind="sampled",
        engine=f"overlap of null and alternative draws, {strategy}",
        reason="as published by Wein et al. (2023), Algorithms 1 and 2",
        notes=tuple(notes),
        overlap=found,
    )


def published_law(asked: ResponseQuestion, strategy: Strategy) -> "NullAndAlternative":
    """Overlap of the two laws of delta, from as many draws of either."""
    null, alternative = _draws(asked, strategy)
    return overlap_of(null, alternative, asked.alternative, asked.magnitude)


def _draws(asked: ResponseQuestion, strategy: Strategy) -> tuple[Floats, Floats]:
    """Draws of delta under the null and the alternative."""
    trio, metric, draws, rng = asked.trio, asked.metric, asked.draws, asked.rng
    if strategy.fixed:
        return np.zeros(draws), _bootstrapped(asked, strategy)
    table = singles(trio, metric) if strategy.count == 1 else None
    if table is not None:
        return single_draws(table, strategy, draws, rng, asked.work)
    sets = TestSets(trio, strategy, metric.means_only)
    measure = partial(_deltas, metric, sets)
    drawn = drawn_by(measure, trio.n, draws, rng, width=sets.width, work=asked.work)
    nulls, alts = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return nulls, alts


def _deltas(metric: ResponseMetric, sets: TestSets, block: Block) -> tuple[Floats, Floats]:
    """Null and alternative deltas of a block of test sets."""
    d = sets(block)
    return contrast(metric, d.gold, d.null_a, d.null_b), contrast(metric, d.gold, d.a, d.b)


def _bootstrapped(asked: ResponseQuestion, strategy: Strategy) -> Floats:
    """Delta on bootstrapped items, each with the same responses whenever it is drawn."""
    metric, n, rng = asked.metric, asked.trio.n, asked.rng
    gold, a, b = blocks = [x.first() if strategy.single else x.values for x in asked.trio]
    if metric.form == "whole":
        width = max(x.shape[1] for x in blocks)
        measure = partial(_on_items, metric, gold, a, b)
        drawn = drawn_by(measure, n, asked.draws, rng, width=width, work=asked.work)
        return np.concatenate(list(drawn))
    sums = replicates(gain_columns(metric, gold, a, b), asked.draws, rng, work=asked.work)
    return finish(metric, sums / n)


def _on_items(metric: ResponseMetric, gold: Floats, a: Floats, b: Floats, block: Block) -> Floats:
    items = items_of(len(gold), block, bootstrap=True)
    return contrast(metric, gold[items], a[items], b[items])


@dataclass(frozen=True, slots=True, eq=False)
class NullAndAlternative:
    """Draws of delta under the null and the alternative hypothesis, and how far they overlap.

    Attributes
    ----------
    null, alternative : (draws,) arrays
        Candidate minus baseline, towards better, in each of the resampled test sets.
    pvalue, low, high : float
        Share of pairs whose null delta is at least as extreme as the alternative one, and a 99 %
        confidence interval for it.
    pairs : int
        Number of such pairs, of ``draws`` squared.
    """

    null: Floats
    alternative: Floats
    pvalue: float
    low: float
    high: float
    pairs: int


def overlap_of(
    null: Floats, alternative: Floats, side: Alternative = "two-sided", scale: float = 0.0
) -> NullAndAlternative:
    """Compare all pairs of a null and an alternative draw in ``O(M log M)``.

    ``"greater"`` counts the pairs whose null value is at least the alternative one, ``"less"``
    those whose null value is at most it, and ``"two-sided"`` takes the smaller of the two, as the
    authors do. Every draw must be a number. Ties count, so identical systems give 1. ``scale`` is
    the size of the numbers that the draws are made of, where that may be more than their own.

    Examples
    --------
    >>> overlap_of(np.array([-1.0, 0.0, 1.0]), np.array([0.5, 1.0, 2.0]), "greater").pairs
    2
    """
    if side == "two-sided":
        return min(
            (overlap_of(null, alternative, one, scale) for one in ("greater", "less")),
            key=lambda o: o.pairs,
        )
    undefined = int((~np.isfinite(null)).sum() + (~np.isfinite(alternative)).sum())
    if undefined:
        raise BadValueError(
            f"the metric is NaN or infinite on {undefined:,} of {null.size + alternative.size:,} "
            "test sets: let it return a number for all responses that an item can have"
        )
    towards = 1.0 if side == "greater" else -1.0
    x, y = towards * null, towards * alternative
    slack = TIE * max(float(np.abs(x).max()), float(np.abs(y).max()), scale)
    # above[j]: null draws that reach alternative draw j; below[i]: the other way round.
    above = x.size - np.searchsorted(np.sort(x), y - slack, side="left")
    below = np.searchsorted(np.sort(y), x + slack, side="right")
    pairs = int(above.sum())
    low, high = _interval(above / x.size, below / y.size)
    p = plus_one(pairs, x.size * y.size)
    return NullAndAlternative(null, alternative, p, min(low, p), max(high, p), pairs)


def _interval(above: Floats, below: Floats) -> tuple[float, float]:
    """Ninety-nine per cent Clopper-Pearson interval for the share of pairs.

    The share is a two-sample U-statistic. Draw ``j`` enters it with ``above[j] + below[j]``, which
    gives its variance (Hoeffding, 1948) and so an effective number of independent pairs (Korn &
    Graubard, 1998), never taken to be more than the draws there are.
    """
    draws, share = above.size, float(above.mean())
    variance = float(np.var(above + below)) / draws
    effective = draws
    if variance > 0.0:
        effective = max(1, min(draws, floor(share * (1.0 - share) / variance)))
    hits = share * effective
    return (
        clopper_pearson(floor(hits), effective)[0],
        clopper_pearson(min(ceil(hits), effective), effective)[1],
    )
