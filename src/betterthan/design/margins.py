"""Tests of a difference against any margin, and the one-sided bounds that they imply.

Non-inferiority, superiority by a margin and equivalence all ask whether delta lies above or below
some value. One object answers for one pair of systems and one metric, by the method that suits the
data, and its bounds are the values that its test does not reject.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from betterthan.design.bounded import bounded_bound, bounded_pvalue
from betterthan.design.unconditional import unconditional_bound, unconditional_pvalue
from betterthan.effect import INVERTIBLE, RESAMPLABLE, standard_error
from betterthan.exact.inversion import shift_interval
from betterthan.intervals import mean_error, tango, tango_pvalue
from betterthan.metrics import Metric
from betterthan.pairs import Pair
from betterthan.permutation import permutation_test
from betterthan.quantiles import bca_interval, percentile_interval
from betterthan.replicas import Replicas
from betterthan.results import Kind
from betterthan.sampling import Rng
from betterthan.tails import t_pvalue

Floats = NDArray[np.float64]
RESAMPLES = 20_000
BLACKBOX_RESAMPLES = 2_000
TINY = sys.float_info.min  # no p-value is zero
EXACT_ITEMS = 2000
EXACT_DISCORDANT = 500
"""With more items, and more of them discordant, the score test is as good as the exact one."""
MOST_DISTINCT = 2000
"""Where more differences are distinct, many are not zero, and no rare loss decides."""


@dataclass(frozen=True, slots=True)
class MarginTest:
    """One-sided tests and bounds of delta.

    Attributes
    ----------
    delta : float
        The difference observed, towards better.
    above : callable
        ``above(x)``: p-value of ``delta <= x`` against ``delta > x``.
    lower : callable
        ``lower(alpha, x)``: the bound below delta, above ``x`` exactly if ``above(x) <= alpha``.
    method, kind : str
        How, and what it is worth.
    """

    delta: float
    above: Callable[[float], float]
    lower: Callable[[float, float], float]
    method: str
    kind: Kind


def margin_tests(metric: Metric, pair: Pair, *, rng: Rng = 0) -> tuple[MarginTest, MarginTest]:
    """Tests of the candidate against the baseline, and of the two exchanged."""
    if metric.form == "mean":
        gains = pair.differences()[:, 0] * metric.sign
        if pair.clusters is None and pair.is_binary:
            wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
            return _binary(wins, losses, pair.n), _binary(losses, wins, pair.n)
        sizes = pair.per_unit(np.ones(pair.n, dtype=np.int64))
        if pair.n_clusters <= INVERTIBLE and sizes.min() == sizes.max() and not pair.is_binary:
            per_unit = pair.per_unit(gains) / sizes[0]
            return _guarded(pair, gains, _flipped(per_unit), _flipped(-per_unit))
        made = mean_error(gains, pair.clusters)
        method = "Student t" if pair.clusters is None else "cluster-robust t"
        if made.units < 2:
            method = "one unit: nothing can be shown"
        tests = [
            _student(sign * made.mean, made.standard_error, made.units, method) for sign in (1, -1)
        ]
        return _guarded(pair, gains, tests[0], tests[1])
    delta = metric.sign * (metric.score(pair.b) - metric.score(pair.a))
    if pair.n_clusters > RESAMPLABLE and metric.form != "blackbox":
        error = standard_error(metric, pair) or 0.0
        tests = [_student(sign * delta, error, pair.n_clusters, "jackknife t") for sign in (1, -1)]
        return tests[0], tests[1]
    return _resampled(metric, pair, delta, rng)


def _binary(wins: int, losses: int, n: int) -> MarginTest:
    delta = (wins - losses) / n

    @cache
    def exact(x: float) -> float:
        return _within(x, lambda: unconditional_pvalue(wins, losses, n, margin=-x).value)

    def exact_lower(alpha: float, x: float) -> float:
        between = (x, 1.0) if exact(x) <= alpha else (-1.0, x)
        found = unconditional_bound(wins, losses, n, alpha=alpha, between=between)
        return math.nextafter(x, 1.0) if found == x == between[0] else found

    def score(x: float) -> float:
        return _within(
            x,
            lambda: max(tango_pvalue(wins, losses, n, margin=x, alternative="greater").value, TINY),
        )

    def score_lower(alpha: float, x: float) -> float:
        found = tango(wins, losses, n, level=1.0 - alpha, alternative="greater").low
        return _agreeing(found, x, score(x) <= alpha)

    if n <= EXACT_ITEMS or wins + losses <= EXACT_DISCORDANT:
        method = "exact unconditional test, score statistic"
        return MarginTest(delta, exact, exact_lower, method, "exact")
    return MarginTest(delta, score, score_lower, "Tango score", "asymptotic")


def _within(x: float, pvalue: Callable[[], float]) -> float:
    """Accuracies cannot differ by more than one: beyond, the answer is known."""
    if x <= -1.0:
        return TINY
    return 1.0 if x >= 1.0 else pvalue()


def _flipped(gains: Floats) -> MarginTest:
    """Sign flips about the margin: exact where differences are symmetric about their mean."""

    def above(x: float) -> float:
        made = permutation_test(np.zeros(gains.size), gains - x, alternative="greater")
        return max(made.pvalue_high, TINY)

    def lower(alpha: float, x: float) -> float:
        found = shift_interval(gains, level=1.0 - alpha, alternative="greater").low
        return _agreeing(found, x, above(x) <= alpha)

    method = "permutation inversion (exact under a shift model)"
    return MarginTest(float(gains.mean()), above, lower, method, "exact")


def _student(delta: float, error: float, units: int, method: str) -> MarginTest:
    def above(x: float) -> float:
        if error == 0.0:  # no spread at all: so many equal signs, or none
            return 1.0 if delta <= x or units < 2 else max(2.0**-units, TINY)
        return max(t_pvalue((delta - x) / error, units - 1, "greater").value, TINY)

    def lower(alpha: float, x: float) -> float:
        del x
        if error == 0.0:
            return delta if units > 1 and 2.0**-units <= alpha else -math.inf
        return delta + float(stdtrit(units - 1, alpha)) * error

    return MarginTest(delta, above, lower, method, "asymptotic")


def within_one(pair: Pair) -> bool:
    """Whether all scores lie between 0 and 1."""
    return bool(min(pair.a.min(), pair.b.min()) >= 0.0 and max(pair.a.max(), pair.b.max()) <= 1.0)


def _guarded(
    pair: Pair, gains: Floats, forward: MarginTest, backward: MarginTest
) -> tuple[MarginTest, MarginTest]:
    """Scores between 0 and 1 may lose by up to one where none has yet: allow for that."""
    sizes = pair.per_unit(np.ones(pair.n, dtype=np.int64)).astype(np.float64)
    totals = pair.per_unit(gains)
    if not within_one(pair) or np.unique(totals).size > MOST_DISTINCT:
        return forward, backward

    def guarded(test: MarginTest, towards: float) -> MarginTest:
        def above(x: float) -> float:
            return max(test.above(x), bounded_pvalue(towards * totals, sizes, x))

        def lower(alpha: float, x: float) -> float:
            found = min(test.lower(alpha, x), bounded_bound(towards * totals, sizes, alpha))
            return _agreeing(found, x, above(x) <= alpha)

        method = f"{test.method}, no narrower than Gaffke's bound"
        return MarginTest(test.delta, above, lower, method, test.kind)

    return guarded(forward, 1.0), guarded(backward, -1.0)


def _resampled(metric: Metric, pair: Pair, delta: float, rng: Rng) -> tuple[MarginTest, MarginTest]:
    """BCa bounds, and the level at which such a bound reaches the margin."""
    if pair.n_clusters < 2:
        nothing = "one unit: nothing can be shown"
        return _student(delta, 0.0, 1, nothing), _student(-delta, 0.0, 1, nothing)
    replicas = Replicas.of_pair(pair, metric)
    opaque = metric.form == "blackbox"  # the jackknife fails for medians and the like
    draws = BLACKBOX_RESAMPLES if opaque else RESAMPLES
    drawn = np.concatenate(list(replicas.blocks(draws, rng)))
    values = metric.sign * (drawn[:, 1] - drawn[:, 0])
    rest = replicas.left_out() if not opaque else np.empty((0, 2))
    left_out = metric.sign * (rest[:, 1] - rest[:, 0])

    def test(towards: float) -> MarginTest:
        def bound(alpha: float) -> float:
            level = 1.0 - 2.0 * alpha
            if opaque:
                return percentile_interval(towards * values, level).low
            return bca_interval(towards * values, towards * left_out, towards * delta, level).low

        def above(x: float) -> float:
            if towards * delta <= x:
                return max(1.0 - opposite(x), 0.5)
            least, most = math.log(1.0 / (draws + 1)), math.log(0.5)
            if bound(math.exp(least)) > x:
                return math.exp(least)
            while most - least > 1e-3:
                middle = (least + most) / 2
                least, most = (least, middle) if bound(math.exp(middle)) > x else (middle, most)
            return math.exp(most)

        def opposite(x: float) -> float:
            return test(-towards).above(-x) if towards * delta < x else 0.5

        def lower(alpha: float, x: float) -> float:
            return _agreeing(bound(alpha), x, above(x) <= alpha)

        method = f"{'percentile' if opaque else 'BCa'} bootstrap ({draws:,} resamples)"
        return MarginTest(towards * delta, above, lower, method, "sampled")

    return test(1.0), test(-1.0)


def _agreeing(bound: float, x: float, rejected: bool) -> float:
    """Put a bound on the side of x that the test says, where a search stopped short of it."""
    if rejected and bound <= x:
        return math.nextafter(x, math.inf)
    return min(bound, x) if not rejected else bound
