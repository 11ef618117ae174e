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
from scipy.special import ndtr, stdtrit

from betterthan.data.pair import Pair
from betterthan.errors import UsageError, not_one_of
from betterthan.intervals.binary import tango, tango_score
from betterthan.intervals.bounded import (
    BOUNDS,
    BoundedRatio,
    Bounds,
    bounded_ratio,
    bounded_sums,
)
from betterthan.intervals.choice import OF_BLACKBOX, Draws, difference_interval
from betterthan.intervals.jackknife import standard_error
from betterthan.intervals.mean_gains import MeanGains
from betterthan.intervals.unconditional import (
    LEAST,
    METHOD,
    unconditional_bound,
    unconditional_pvalue,
)
from betterthan.numeric import TIE
from betterthan.results.tests import Kind, TestResult
from betterthan.testing.mean_error import MeanError, mean_error
from betterthan.testing.permutation import permutation_test, permute
from betterthan.testing.request import Request
from betterthan.testing.tails import t_pvalue

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
    bound : callable
        ``bound(alpha, x)``: the bound below delta, where ``x`` may tell where to look.
    method, kind : str
        How, and what it is worth.
    open : bool
        Whether nothing can be shown at all, for want of bounds.
    least : float
        P-values up to here are upper bounds: the least that the test or a double can give. Where
        the p-value of no difference is sampled it is one in any case, the upper end of its 99 %
        interval.
    """

    delta: float
    above: Callable[[float], float]
    bound: Callable[[float, float], float]
    method: str
    kind: Kind
    open: bool = False
    least: float = TINY

    def lower(self, alpha: float, x: float) -> float:
        """The bound below delta, above ``x`` exactly if ``above(x) <= alpha``."""
        bound = self.bound(alpha, x)
        if self.above(x) > alpha:
            return min(bound, x)
        return bound if bound > x else math.nextafter(x, math.inf)


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
        exactly; or the sample is so large that t is right.
    request : Request, optional
        The level of the test, and how what is sampled is drawn; seed 0 by default.
    """
    request = Request(rng=0) if request is None else request
    if assume is not None:
        if assume not in ASSUMPTIONS:
            raise not_one_of("assume", assume, ASSUMPTIONS)
        if bounds is not None:
            raise UsageError("bounds and an assumption exclude each other: declare one of them")
        if assume == "shift":
            return _shifted(pair), _shifted(pair.pair(1, 0))
        return _large_sample(pair, request)
    if pair.metric.form == "mean" and pair.clusters is None and pair.is_binary:
        if bounds is not None:
            bounded_sums(pair, bounds)  # they must hold, and are wider than what is known
        return _binary(pair.wins, pair.losses, pair.n), _binary(pair.losses, pair.wins, pair.n)
    known = bounded_ratio(pair, bounds)
    if pair.units < 2:
        return _nothing(pair.delta), _nothing(-pair.delta)
    if known is None:
        return replace(_nothing(pair.delta), open=True), _exchanged(pair, _nothing(0.0), request)
    return _bounded(known), _exchanged(pair, _bounded(known.swapped), request)


def _bounded(known: BoundedRatio) -> MarginTest:
    method = f"Gaffke's bound for scores from {known.stated[0]:g} to {known.stated[1]:g}"
    return MarginTest(
        known.delta, known.above, lambda alpha, _: known.lower(alpha), method, "bounded"
    )


def _nothing(delta: float) -> MarginTest:
    """Of one unit, or of scores without bounds, nothing is shown."""
    return MarginTest(
        delta, lambda _: 1.0, lambda *_: -math.inf, "nothing can be shown", "asymptotic"
    )


def _exchanged(pair: Pair, other: MarginTest, request: Request) -> MarginTest:
    """Whether the candidate is worse at all, as comparisons ask it: by exchanging the systems.

    Other differences than none are for the ``other`` test.
    """

    @cache
    def result() -> TestResult:
        return permute(pair, replace(request, alternative="less"))

    def above(x: float) -> float:
        return other.above(x) if x else max(result().pvalue_high, TINY)

    def bound(alpha: float, x: float) -> float:
        if x:
            return other.bound(alpha, x)
        draws = Draws([pair], 0, request.work)
        return -difference_interval(pair, alpha=alpha, alternative="less", draws=draws).high

    kind = result().kind
    least = 1.0 if kind == "sampled" else TINY
    return MarginTest(-pair.delta, above, bound, "permutation test", kind, least=least)


def _binary(wins: int, losses: int, n: int) -> MarginTest:
    """Tests of accuracies, which cannot differ by more than one."""
    delta = (wins - losses) / n
    exact = n <= EXACT_ITEMS or wins + losses <= EXACT_DISCORDANT

    def above(x: float) -> float:
        if abs(x) >= 1.0:
            return 1.0 if x > 0.0 else TINY
        if exact:
            return unconditional_pvalue(wins, losses, n, x)[1]
        return max(float(ndtr(-tango_score(wins, losses, n, x))), TINY)

    def bound(alpha: float, x: float) -> float:
        if not exact:
            return tango(wins, losses, n, alpha=alpha, alternative="greater").low
        between = (x, 1.0) if above(x) <= alpha else (-1.0, x)
        return unconditional_bound(wins, losses, n, alpha, between)

    if exact:
        return MarginTest(delta, above, bound, METHOD, "exact", least=LEAST)
    return MarginTest(delta, above, bound, "Tango score", "asymptotic")


def _shifted(pair: Pair) -> MarginTest:
    """Sign flips about the margin: exact where differences are symmetric about their mean."""
    gains, sizes = MeanGains.of(pair), pair.sizes
    if pair.metric.form != "mean" or gains is None or sizes.min() != sizes.max():
        raise UsageError(
            "a shift makes sense for means, over items or clusters of one size; a large sample can "
            "be assumed of all others",
            BOUNDS,
        )
    each = np.repeat(gains.totals / gains.weights, gains.counts) * gains.unit

    def above(x: float) -> float:
        away = each - x  # zero where 0.3 meets three times 0.1
        away[np.abs(away) <= TIE * np.maximum(np.abs(each), abs(x))] = 0.0
        result = permutation_test(np.zeros(each.size), away, alternative="greater")
        return max(result.pvalue_high, TINY)

    def bound(alpha: float, _: float) -> float:
        return gains.inverted(alpha, "greater").low

    method = "permutation inversion (exact under a shift model)"
    return MarginTest(pair.delta, above, bound, method, "assumed")


def _large_sample(pair: Pair, request: Request) -> tuple[MarginTest, MarginTest]:
    """Student's t, with the standard error of a mean, of the jackknife or of random halves."""
    if pair.metric.form == "mean":
        fit = mean_error(pair)
        method = "Student's t" if pair.clusters is None else "cluster-robust t"
    elif pair.opaque:
        error = float(Draws([pair], request.rng, request.work).deltas(pair, OF_BLACKBOX).std())
        fit, method = _around(pair, error), "t with the spread on random halves"
    else:
        fit, method = _around(pair, standard_error(pair)), "jackknife t"
    return _student(fit, method), _student(replace(fit, mean=-fit.mean), method)


def _around(pair: Pair, error: float | None) -> MeanError:
    if error is None or math.isnan(error):  # undefined without some items
        error = math.inf
    return MeanError(pair.delta, error, pair.units, pair.units - 1.0)


def _student(fit: MeanError, method: str) -> MarginTest:
    delta, error = fit.mean, fit.standard_error

    def above(x: float) -> float:
        if error == 0.0:  # no spread at all: so many equal signs, or none
            return 1.0 if delta <= x or fit.units < 2 else max(2.0**-fit.units, TINY)
        return max(t_pvalue((delta - x) / error, fit.df, "greater").value, TINY)

    def bound(alpha: float, _: float) -> float:
        if error == 0.0:
            return delta if fit.units > 1 and 2.0**-fit.units <= alpha else -math.inf
        return delta + float(stdtrit(fit.df, alpha)) * error

    return MarginTest(delta, above, bound, method, "assumed")
