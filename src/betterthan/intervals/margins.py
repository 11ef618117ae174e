"""Tests of a difference against any margin, and the one-sided bounds that they imply.

Non-inferiority, superiority by a margin and equivalence all ask whether delta lies above or below
some value. One object answers for one pair of systems and one metric, by the method that suits the
data, and its bounds are the values that its test does not reject.

What the test of a margin claims must hold whatever the law of the scores, also where a loss too
rare to have come up is large. That takes bounds of the scores: 0/1 scores have an exact test, other
bounded ones Gaffke's. Without bounds nothing is shown, unless a model is assumed in so many words.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

import numpy as np
from scipy.special import stdtrit

from betterthan.data.pair import Pair
from betterthan.errors import UsageError, not_one_of
from betterthan.exact.subset_means import shift_interval
from betterthan.intervals.binary import tango, tango_pvalue
from betterthan.intervals.bounded import BOUNDS, BoundedRatio, Bounds, bounded_ratio
from betterthan.intervals.choice import Draws, difference_interval
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.quantiles import bca_interval, percentile_interval
from betterthan.intervals.unconditional import (
    LEAST,
    METHOD,
    unconditional_bound,
    unconditional_pvalue,
)
from betterthan.numeric import TIE, Floats
from betterthan.resampling.replicas import Replicas
from betterthan.results.tests import Kind, TestResult
from betterthan.testing.mean_error import mean_error
from betterthan.testing.permutation import permutation_test, permute
from betterthan.testing.request import Request
from betterthan.testing.tails import t_pvalue
from betterthan.testing.values import Permutation

RESAMPLES, RESAMPLABLE = 20_000, 20_000
BLACKBOX_RESAMPLES = 2_000
TINY = sys.float_info.min  # no p-value is zero
EXACT_ITEMS = 2000
EXACT_DISCORDANT = 500
"""With more items, and more of them discordant, the score test is as good as the exact one."""
MarginAssumption = Literal["shift", "large-sample"]
ASSUMPTIONS = get_args(MarginAssumption)


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
    open : bool
        Whether nothing can be shown at all, for want of bounds.
    least : float
        P-values up to here are upper bounds: the least that the test or a double can give, the
        latter unless the method has one of its own. Where the p-value
        of no difference is sampled it is one in any case, the upper end of its 99 % interval.
    """

    delta: float
    above: Callable[[float], float]
    lower: Callable[[float, float], float]
    method: str
    kind: Kind
    open: bool = False
    least: float = TINY


def margin_tests(
    pair: Pair,
    *,
    bounds: Bounds | None = None,
    assume: MarginAssumption | None = None,
    request: Request | None = None,
) -> tuple[MarginTest, MarginTest]:
    """Tests of the candidate against the baseline, and of the two exchanged.

    Parameters
    ----------
    pair : Pair
        What is compared.
    bounds : (float, float), optional
        Least and largest score that a single item can have, where the metric does not say so.
    assume : {"shift", "large-sample"}, optional
        Instead of bounds: differences are symmetric about their mean, which sign flips test
        exactly; or the sample is so large that t and the bootstrap are right.
    request : Request, optional
        The level of the test, and how what is sampled is drawn; seed 0 by default.
    """
    request = Request(rng=0) if request is None else request
    if assume is not None:
        if assume not in ASSUMPTIONS:
            raise not_one_of("assume", assume, ASSUMPTIONS)
        if bounds is not None:
            raise UsageError("bounds and an assumption exclude each other: declare one of them")
        first, second = _shifted(pair) if assume == "shift" else _large_sample(pair, request)
        return replace(first, kind="assumed"), replace(second, kind="assumed")
    if pair.metric.form == "mean" and pair.clusters is None and pair.is_binary:
        if bounds is not None:
            bounded_ratio(pair, bounds)  # they must hold, and are wider than what is known
        return _binary(pair.wins, pair.losses, pair.n), _binary(pair.losses, pair.wins, pair.n)
    made = bounded_ratio(pair, bounds)
    if pair.units < 2:
        return _nothing(pair.delta), _nothing(-pair.delta)
    if made is None:
        return replace(_nothing(pair.delta), open=True), _exchanged(pair, None, request)
    return _bounded(made), _exchanged(pair, _bounded(made.swapped), request)


def _bounded(made: BoundedRatio) -> MarginTest:
    above = cache(made.above)

    def lower(alpha: float, x: float) -> float:
        return _agreeing(made.lower(alpha), x, above(x) <= alpha)

    method = f"Gaffke's bound for scores from {made.bounds[0]:g} to {made.bounds[1]:g}"
    return MarginTest(made.delta, above, lower, method, "bounded")


def _nothing(delta: float) -> MarginTest:
    """Of one unit, or of scores without bounds, nothing is shown."""
    return MarginTest(
        delta, lambda _: 1.0, lambda *_: -math.inf, "nothing can be shown", "asymptotic"
    )


def _exchanged(pair: Pair, other: MarginTest | None, request: Request) -> MarginTest:
    """Whether the candidate is worse at all, as comparisons ask it: by exchanging the systems.

    Other differences than none are for the ``other`` test, if there is one.
    """
    request = replace(request, alternative="less")
    draws = Draws([pair], 0, request.work)

    @cache
    def found() -> TestResult:
        return permute(pair, request)

    def above(x: float) -> float:
        if x == 0.0:
            return max(found().pvalue_high, TINY)
        return 1.0 if other is None else other.above(x)

    def lower(alpha: float, x: float) -> float:
        if x != 0.0:
            return -math.inf if other is None else other.lower(alpha, x)
        rejected = above(x) <= alpha
        high = difference_interval(
            pair,
            alpha=alpha,
            alternative="less",
            test=Permutation(),
            rejected=rejected,
            draws=draws,
            places=(0, 1),
        ).high
        return _agreeing(-high, x, rejected)

    kind = found().kind
    least = 1.0 if kind == "sampled" else TINY
    return MarginTest(-pair.delta, above, lower, "permutation test", kind, least=least)


def _shifted(pair: Pair) -> tuple[MarginTest, MarginTest]:
    sizes = pair.sizes
    if pair.metric.form != "mean" or pair.gains is None or sizes.min() != sizes.max():
        raise UsageError(
            "a shift makes sense for means, over items or clusters of one size; a large sample can "
            "be assumed of all others",
            BOUNDS,
        )
    per_item = pair.gains.per_unit * (float(pair.gains.unit) / int(sizes[0]))
    return _flipped(per_item), _flipped(-per_item)


def _large_sample(pair: Pair, request: Request) -> tuple[MarginTest, MarginTest]:
    if pair.metric.form == "mean":
        made = mean_error(pair)
        method = "Student t" if pair.clusters is None else "cluster-robust t"
        first, second = (
            _student(sign * made.mean, made.standard_error, made.units, made.df, method)
            for sign in (1, -1)
        )
        return first, second
    if not pair.opaque and pair.units > RESAMPLABLE:
        error, df = standard_error(pair) or 0.0, pair.units - 1.0
        first, second = (
            _student(sign * pair.delta, error, pair.units, df, "jackknife t") for sign in (1, -1)
        )
        return first, second
    return _resampled(pair, request)


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
        found = tango(wins, losses, n, alpha=alpha, alternative="greater").low
        return _agreeing(found, x, score(x) <= alpha)

    if n <= EXACT_ITEMS or wins + losses <= EXACT_DISCORDANT:
        return MarginTest(delta, exact, exact_lower, METHOD, "exact", least=LEAST)
    return MarginTest(delta, score, score_lower, "Tango score", "asymptotic")


def _within(x: float, pvalue: Callable[[], float]) -> float:
    """Accuracies cannot differ by more than one: beyond, the answer is known."""
    if x <= -1.0:
        return TINY
    return 1.0 if x >= 1.0 else pvalue()


def _flipped(gains: Floats) -> MarginTest:
    """Sign flips about the margin: exact where differences are symmetric about their mean."""

    def above(x: float) -> float:
        away = gains - x  # zero where 0.3 meets three times 0.1
        away[np.abs(away) <= TIE * np.maximum(np.abs(gains), abs(x))] = 0.0
        made = permutation_test(np.zeros(gains.size), away, alternative="greater")
        return max(made.pvalue_high, TINY)

    def lower(alpha: float, x: float) -> float:
        found = shift_interval(gains, alpha=alpha, alternative="greater").low
        return _agreeing(found, x, above(x) <= alpha)

    method = "permutation inversion (exact under a shift model)"
    return MarginTest(float(gains.mean()), above, lower, method, "exact")


def _student(delta: float, error: float, units: int, df: float, method: str) -> MarginTest:
    def above(x: float) -> float:
        if error == 0.0:  # no spread at all: so many equal signs, or none
            return 1.0 if delta <= x or units < 2 else max(2.0**-units, TINY)
        return max(t_pvalue((delta - x) / error, df, "greater").value, TINY)

    def lower(alpha: float, x: float) -> float:
        del x
        if error == 0.0:
            return delta if units > 1 and 2.0**-units <= alpha else -math.inf
        return delta + float(stdtrit(df, alpha)) * error

    return MarginTest(delta, above, lower, method, "asymptotic")


def _resampled(pair: Pair, request: Request) -> tuple[MarginTest, MarginTest]:
    """BCa bounds, and the level at which such a bound reaches the margin."""
    metric, delta, opaque = pair.metric, pair.delta, pair.opaque
    if pair.units < 2:
        return _nothing(delta), _nothing(-delta)
    replicas = Replicas.of(pair)
    draws = request.resamples or (BLACKBOX_RESAMPLES if opaque else RESAMPLES)
    drawn = np.concatenate(list(replicas.blocks(draws, request.rng, work=request.work)))
    values = metric.sign * (drawn[:, 1] - drawn[:, 0])
    fewest = 1.0 / (draws + 1)
    # The jackknife fails for medians and the like.
    rest, times = (np.empty((0, 2)), None) if opaque else replicas.left_out
    left_out = metric.sign * (rest[:, 1] - rest[:, 0])

    def test(towards: float) -> MarginTest:
        def bound(alpha: float) -> float:
            if opaque:
                return percentile_interval(towards * values, alpha).low
            resampled, without = towards * values, towards * left_out
            return bca_interval(resampled, without, towards * delta, alpha, times).low

        def above(x: float) -> float:
            if towards * delta <= x:
                return max(1.0 - opposite(x), 0.5)
            if bound(fewest) > x:
                return fewest
            least, most = math.log(fewest), math.log(0.5)
            while most - least > 1e-3:
                middle = (least + most) / 2
                least, most = (least, middle) if bound(math.exp(middle)) > x else (middle, most)
            return math.exp(most)

        def opposite(x: float) -> float:
            return test(-towards).above(-x) if towards * delta < x else 0.5

        def lower(alpha: float, x: float) -> float:
            return _agreeing(bound(alpha), x, above(x) <= alpha)

        method = f"{'percentile' if opaque else 'BCa'} bootstrap ({draws:,} resamples)"
        return MarginTest(towards * delta, above, lower, method, "sampled", least=fewest)

    return test(1.0), test(-1.0)


def _agreeing(bound: float, x: float, rejected: bool) -> float:
    """Put a bound on the side of x that the test says, where a search stopped short of it."""
    if rejected and bound <= x:
        return math.nextafter(x, math.inf)
    return min(bound, x) if not rejected else bound
