"""Exact tests of statistics of several integer sums: F1, precision, AER, any function of sums.

``ratio_pvalue`` compares two systems by a ratio of sums; ``test`` takes the general case of
Zmigrod, Vieira & Cotterell (2022, appendix B, Alg. 5), any function ``h`` of ``m`` additive parts.
Both reduce the problem to the distribution of a vector on a lattice of small rank (``region``),
decide which lattice points are at least as extreme as the data, and sum their mass.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import UsageError
from betterthan.exact.enumeration import enumeration_pvalue
from betterthan.exact.inputs import counts_of, integer_rows
from betterthan.exact.probability import (
    ENUMERATION,
    JOINT_LAW,
    BudgetExceededError,
    Probability,
    check_alternative,
    check_budget,
)
from betterthan.exact.ratio import RatioCase
from betterthan.exact.rational import Ratio
from betterthan.exact.region import GRID_BUDGET, LOST, POINTS, region_mass, threshold_mass, window
from betterthan.exact.swaplaw import SwapLaw, differing
from betterthan.numeric import TIE, Floats, Ints

__all__ = ["BudgetExceededError", "ratio_pvalue", "test"]

ERROR_BUDGET = 1e-6
"""Largest relative error bound that is still called exact."""

ENUMERATE_UP_TO = 16
"""Up to so many items with a difference, all swaps are tried."""

ENUMERATE_AT_MOST = 22
"""Up to so many, all swaps are tried when the grid is out of budget."""

_RARE = 4.0  # a region whose most probable point is rarer than exp(-4) or so is tried tilted first
_NEGLIGIBLE = 1e-11  # error with which the first attempt is accepted
_SCALAR_COST = 32  # a Python call costs as much as so many points of a vectorised one

Attempt = Callable[[], Probability]
Extreme = Callable[[Sequence[Ints]], NDArray[np.bool_]]
"""From the sums' columns (arrays that broadcast) to where they are as extreme as the data."""


def ratio_pvalue(
    num_a: ArrayLike,
    den_a: ArrayLike,
    num_b: ArrayLike,
    den_b: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    alternative: str = "two-sided",
) -> Probability:
    """Exact paired permutation p-value of a difference of two ratios of integer sums.

    Under the null every item's pair (numerator, denominator) is swapped between the systems by a
    fair coin; ``delta = sum(num_b)/sum(den_b) - sum(num_a)/sum(den_a)``, where a ratio with
    denominator 0 is 0.  Ties are decided in exact integer arithmetic.

    Parameters
    ----------
    num_a, den_a, num_b, den_b : (n,) array_like of int
        The items' contributions; the items of a cluster already summed.
    counts : (n,) array_like of int, optional
        How many items each row stands for; one by default. Rows may repeat.
    alternative : {"two-sided", "greater", "less"}
        ``|delta*| >= |delta|``, ``delta* >= delta`` or ``delta* <= delta``.

    Raises
    ------
    BudgetExceededError
        When the null distribution does not fit the budget, or its error bound is above 1e-6.

    Examples
    --------
    F1 is ``2 tp / (predicted + gold)``:

    >>> tp_a, tp_b, predicted, gold = [0, 1, 0], [1, 2, 1], [1, 2, 1], [1, 2, 1]
    >>> den = np.add(predicted, gold)
    >>> round(ratio_pvalue(np.multiply(2, tp_a), den, np.multiply(2, tp_b), den).value, 12)
    0.25
    """
    check_alternative(alternative)
    a, b = (
        integer_rows(np.stack(np.broadcast_arrays(den, num)).T, "num and den", counts)
        for num, den in ((num_a, den_a), (num_b, den_b))
    )
    if a.shape != b.shape:
        raise UsageError(f"the systems have {len(a)} and {len(b)} items; pairs are needed")
    times = counts_of(counts, len(a))
    case = RatioCase.of(a, b, times)
    if alternative == "less" or (alternative == "two-sided" and case.observed < 0):
        a, b = b, a
        case = RatioCase.of(a, b, times)
    if alternative == "two-sided" and case.observed == 0:
        return Ratio.of_counts(1, 1)

    def attempts() -> Iterator[Attempt]:
        law = SwapLaw.of(b, a, times, echelon=True)
        tilt = case.dominating_tilt(law)
        # Near the last points of the law the tilt overshoots: then a weaker one is right.
        for weaker in (tilt, law.usable_tilt(tilt / 2), law.usable_tilt(tilt / 4)):
            sup = case.log_sup(law, weaker)
            if sup is None or (weaker is not tilt and not tilt.any()):
                break
            first = partial(case.first_extreme, law)
            yield partial(threshold_mass, law, first, weaker, log_sup=sup)
        yield from _region_masses(SwapLaw.of(b, a, times), case.extreme, GRID_BUDGET)

    p = _solve((b, a), times, case.extreme, attempts)
    return p.doubled() if alternative == "two-sided" else p


def test(
    stay: ArrayLike,
    swap: ArrayLike,
    h: Callable[..., Any],
    *,
    counts: ArrayLike | None = None,  # noqa: PT028
) -> Probability:
    """Exact paired permutation p-value of any function of ``m`` integer sums.

    ``P(h(S) >= h(observed))``, where ``S`` sums one row per item, of ``stay`` or ``swap`` by a
    fair coin (Zmigrod, Vieira & Cotterell, 2022, Alg. 5).  Columns that are constant or
    combinations of others cost nothing: the grid's dimension is the rank of the differences, not m.

    Parameters
    ----------
    stay, swap : (n, m) array_like of int
        Local effects ``g(u_i, v_i)`` and ``g(v_i, u_i)`` of every item.
    h : callable
        From the m sums to a float, larger meaning more extreme; take the absolute value for a
        two-sided test.  It may accept arrays; if it does not, it is called point by point, also
        at sums that no swap reaches.  Values within 1e-12 times the larger of ``|h(observed)|``
        and the null's median ``|h|`` count as ties.  Sums where it is NaN or, called with
        integers, raises an ``ArithmeticError`` or ``ValueError``, count as extreme: the p-value
        errs upwards.
    counts : (n,) array_like of int, optional
        How many items each row stands for; one by default. Rows may repeat.

    Examples
    --------
    The paper's F1 (eq. 16), of true positives and incorrect predictions of both systems.  Four
    sums, but what one system loses the other gains, so that two dimensions are enough:

    >>> u = np.array([[1, 0], [2, 1], [1, 0], [3, 0]])  # tp and incorrect of each sentence
    >>> v = np.array([[0, 1], [1, 2], [1, 1], [1, 2]])
    >>> def f1_difference(tp_u, in_u, tp_v, in_v):
    ...     return abs(tp_u / (tp_u + in_u / 2) - tp_v / (tp_v + in_v / 2))
    >>> round(test(np.hstack([u, v]), np.hstack([v, u]), f1_difference).value, 12)
    0.125
    """
    stay, swap = integer_rows(stay, "stay", counts), integer_rows(swap, "swap", counts)
    if stay.shape != swap.shape:
        raise UsageError(f"stay has shape {stay.shape} and swap {swap.shape}; they must agree")
    times = counts_of(counts, len(stay))
    law = SwapLaw.of(stay, swap, times)
    with np.errstate(all="ignore"):
        observed = float(h(*(int(s) for s in times @ stay)))
    if math.isnan(observed):
        raise UsageError("h is NaN at the observed sums")
    if not law.steps.size:
        return Ratio.of_counts(1, 1)
    # A few null draws show whether h takes arrays, and how large it usually is.
    draws = np.random.default_rng(0).binomial(law.counts, 0.5, size=(255, len(law.counts)))
    sample = np.broadcast_arrays(*law.sums([*np.vstack([law.observed, draws @ law.steps]).T]))
    budget = GRID_BUDGET
    if not _takes_arrays(h, sample, observed):
        h, budget = np.vectorize(partial(_value_or_nan, h), otypes=[float]), budget // _SCALAR_COST
    typical = np.abs(_evaluate(h, sample))
    finite = typical[np.isfinite(typical)]
    scale = max(abs(observed), float(np.median(finite)) if finite.size else 0.0)
    threshold = observed - TIE * scale if math.isfinite(observed) else observed

    def extreme(sums: Sequence[Ints]) -> NDArray[np.bool_]:
        return ~(_evaluate(h, sums) < threshold)

    return _solve((stay, swap), times, extreme, lambda: _region_masses(law, extreme, budget))


test.__test__ = False  # type: ignore[attr-defined]  # its name is the paper's, not pytest's


def _solve(
    sides: tuple[Ints, Ints],
    counts: Ints,
    extreme: Extreme,
    attempts: Callable[[], Iterator[Attempt]],
) -> Probability:
    """Enumerate a few items, else use the grid, else enumerate not so few."""
    stay, swap = sides
    live = differing(stay, swap)
    n = int(counts[live].sum())
    if n > ENUMERATE_UP_TO:
        try:
            return _best(attempts()).by(JOINT_LAW)
        except BudgetExceededError:
            if n > ENUMERATE_AT_MOST:
                raise
    rest = counts[~live] @ stay[~live]
    p = enumeration_pvalue(
        np.repeat(stay[live], counts[live], axis=0),
        np.repeat(swap[live], counts[live], axis=0),
        lambda sums: np.asarray(extreme(list((sums + rest).T))),
    )
    return Ratio.of_fraction(p, how=ENUMERATION)


def _best(attempts: Iterator[Attempt]) -> Probability:
    """First probability of negligible error, else the best; bad ones are not accepted.

    An attempt beyond the budget does not spoil the others.
    """
    best, refusal = LOST, None
    while best.error > _NEGLIGIBLE:
        try:
            attempt = next(attempts, None)
            if attempt is None:
                break
            best = min(best, attempt(), key=lambda p: p.error)
        except BudgetExceededError as error:
            refusal = error
    if best.error > ERROR_BUDGET:
        need = f"the relative error bound of the exact p-value is {best.error:.1e}"
        raise refusal or BudgetExceededError(f"{need}; the budget is {ERROR_BUDGET:.0e}")
    return best


def _region_masses(law: SwapLaw, extreme: Extreme, budget: int) -> Iterator[Attempt]:
    """Ways to the mass of an arbitrary region: untilted, and folded at its most probable point.

    ``x`` and ``span - x`` have the same law.  With the tilted half-space counted for both, a
    region on two sides (``|delta| >= o``) keeps its relative accuracy under one tilt.
    """
    nothing, span = np.zeros(law.steps.shape[1]), law.span
    plain = partial(region_mass, law, lambda x: extreme(law.sums(x)), nothing, budget=budget)
    centre, cov = law.moments(nothing)
    to_observed = law.rate(law.tilt_to(law.observed.astype(np.float64)))
    box = window(law, [(nothing, 8.0 + to_observed)])
    check_budget(box.points, budget, POINTS)
    hits = np.broadcast_to(extreme(law.sums(box.axes)), box.shape)
    points = np.argwhere(hits) + box.low - centre
    if not len(points):
        yield plain
        return
    distance = np.einsum("ij,ij->i", points @ np.linalg.inv(cov), points)
    tilt = law.tilt_to(centre + points[np.argmin(distance)])

    def folded(x: Sequence[Ints]) -> NDArray[np.int8]:
        side = sum(rate * (2 * xi - si) for rate, xi, si in zip(tilt, x, span, strict=True))
        here = extreme(law.sums(x)).astype(np.int8)
        mirrored = extreme(law.sums([si - xi for xi, si in zip(x, span, strict=True)]))
        return np.where(side > 0, here + mirrored, np.where(side == 0, here, 0)).astype(np.int8)

    tilted = partial(region_mass, law, folded, tilt, budget=budget)
    yield from (plain, tilted) if law.rate(tilt) < _RARE else (tilted, plain)


def _takes_arrays(h: Callable[..., Any], sample: Sequence[Ints], observed: float) -> bool:
    """Whether ``h`` maps arrays to arrays; anything else it does with them says no."""
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(h(*sample), dtype=np.float64)
    except Exception:
        return False
    return values.shape == sample[0].shape and bool(np.isclose(values[0], observed, rtol=1e-9))


def _evaluate(h: Callable[..., Any], sums: Sequence[Ints]) -> Floats:
    """``h`` at all points of the broadcast columns, block by block; NaN where it is undefined."""
    columns = np.broadcast_arrays(*sums)
    values = np.empty(columns[0].shape)
    rows = max(1, (1 << 17) // max(1, math.prod(values.shape[1:])))
    with np.errstate(all="ignore"):
        for start in range(0, len(values), rows):
            block = slice(start, start + rows)
            values[block] = h(*(np.array(column[block]) for column in columns))
    return values


def _value_or_nan(h: Callable[..., Any], *point: int) -> float:
    try:
        return float(h(*point))
    except (ArithmeticError, ValueError):
        return math.nan
