"""The paired permutation test: exact first, certified next, sampled last.

Under the null hypothesis the two systems' results on an item are exchangeable: every item (or
cluster) is swapped by a fair coin.
"""

from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any, Unpack, get_args

from numpy.typing import ArrayLike

from betterthan.checks import check_choice, check_keywords
from betterthan.data.pair import Pair
from betterthan.data.pairing import pair_of
from betterthan.data.resolution import SINGLE_NOISE
from betterthan.errors import (
    BadValueError,
    BetterthanError,
    UsageError,
    WorkersLostError,
)
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.rational import Ratio
from betterthan.metrics import Metric, parse
from betterthan.numeric import Alternative, Ints
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.tests import TestResult
from betterthan.testing.answer import answer, few_units
from betterthan.testing.engines import CHOSEN, ENGINES, choose
from betterthan.testing.laws import law_under_swaps
from betterthan.testing.montecarlo import Sampled
from betterthan.testing.request import Request
from betterthan.testing.swaps import Shape, Swaps
from betterthan.testing.values import Method

INEXACT = 1e-6
"""A p-value that is not known as well as this is no exact one."""

HIDDEN_TIES = (
    "the rounding of the scores hides whether some swaps tie with the data: p is the upper end of "
    "what is possible"
)
AS_STORED = (
    "the scores were stored in fewer bits than single precision has, and no unit tells what was "
    "meant: p is that of the numbers as stored"
)
PERMUTATIONS = get_args(Method)


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    metric: str | Metric = "mean",
    alternative: Alternative = "two-sided",
    method: str = "auto",
    *,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> TestResult:
    """Test whether two systems differ, by swapping their results item by item.

    Parameters
    ----------
    a, b : array_like
        Per-item results of the baseline and of the candidate: ``(items,)``, or ``(items, k)`` in
        the order of the metric's columns.
    metric : str or Metric
        What is compared.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the candidate ``b`` is better.
    method : str
        ``"auto"``, or one of the engines: ``"lattice"``, ``"grid"``, ``"meet"``, ``"certified"``,
        ``"enumeration"``, ``"rational"`` (a true fraction), ``"monte-carlo"``, and the published
        algorithms ``"dp"`` and ``"fft"``.
    clusters : array_like, optional
        A label per item; items of one cluster are swapped together.
    alpha : float
        The level at which the answer matters: brackets and sampling are refined until they do not
        straddle it.
    rng : None, int or Generator
        Seed for Monte Carlo.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`. By default there are at least 20,000
        Monte Carlo swaps, more while the answer at ``alpha`` is unclear.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> permutation_test([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]).pvalue
    0.03125
    """
    check_keywords(sampling, Sampling)
    request = Request(alternative=alternative, alpha=alpha, rng=rng, **sampling)
    return permute(pair_of(a, b, parse(metric), clusters), request, method)


def permute(pair: Pair, request: Request, method: str = "auto") -> TestResult:
    """Test a pair by the engine that suits it, or by the one asked for."""
    check_choice(method, "method", PERMUTATIONS)
    if isnan(pair.delta):
        raise BadValueError(f"{pair.metric!r} of these data is NaN: there is nothing to compare")
    swaps = Swaps.of(pair)
    engine, reason = choose(swaps.shape)
    if method != "auto" and engine != "none":
        engine, reason = method, "as asked"
        ENGINES[method].check(method, swaps.shape)
    try:
        p = ENGINES[engine].run(swaps, request)
    except WorkersLostError:
        raise
    except ValueError as error:
        if method != "auto":
            why = error.message if isinstance(error, BetterthanError) else error
            raise UsageError(f"method {method!r} cannot be used here: {why}", CHOSEN) from error
        if not isinstance(error, BudgetExceededError):
            raise
        engine, _ = choose(replace(swaps.shape, whole=False))
        reason = f"no joint law fits: {error}"
        p = ENGINES[engine].run(swaps, request)
    return _result(swaps, request, engine, reason, p)


def whole_pvalue(differences: Ints) -> Probability | None:
    """Two-sided p-value of the mean of whole-number differences, one a unit, and nothing else.

    The one that `permute` gives; None where it would take another engine than the lattice.
    """
    law, total = SignedSum.of(differences), int(differences.sum())
    engine, _ = choose(Shape.of_law(law, total))
    if engine not in ("none", "lattice"):
        return None
    try:
        return law.pvalue(total)
    except BudgetExceededError:
        return None


def _result(
    swaps: Swaps, request: Request, engine: str, reason: str, p: Probability | Sampled
) -> TestResult:
    pair = swaps.pair
    notes = few_units(pair, request.alternative, request.alpha)
    if pair.noise > SINGLE_NOISE:
        notes = (*notes, AS_STORED)
    facts: dict[str, Any] = {"kind": "certified"} if engine == "certified" else {}
    if not facts and not isinstance(p, Ratio | Sampled) and p.error > INEXACT:
        facts["kind"], notes = "certified", (*notes, HIDDEN_TIES)
    return answer(
        pair,
        request.alternative,
        f"perm-{engine}",
        p,
        rng=request.rng,
        test="permutation",
        engine=(isinstance(p, Probability) and p.how) or ENGINES[engine].label,
        reason=reason,
        notes=notes,
        law_of=partial(law_under_swaps, pair),
        **facts,
    )
