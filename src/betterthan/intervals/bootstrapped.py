"""Bootstrap intervals for a system's score, or for the difference of two."""

from collections.abc import Callable
from functools import partial
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from betterthan.checks import check_keywords
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.errors import Remedy, UsageError, not_one_of
from betterthan.exact.probability import BudgetExceededError
from betterthan.intervals.ends import Ends, sides, unbounded
from betterthan.intervals.quantiles import SampledLaw, corrected_tails
from betterthan.metrics import Metric, parse
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import Sampling
from betterthan.results.interval import Interval
from betterthan.testing.ideal_law import NEAR, CertifiedLaw, IdealLaw
from betterthan.testing.request import Request

IntervalKind = Literal["bca", "percentile", "basic"]
INTERVAL_KINDS: tuple[IntervalKind, ...] = ("bca", "percentile", "basic")
Method = Literal["auto", "ideal", "sample"]
METHODS: tuple[Method, ...] = ("auto", "ideal", "sample")
TOLERANCE = 1e-3
"""Relative width of the brackets from which ends of real-valued scores are found."""

RESAMPLES = 10_000

NAMES = {"bca": "BCa", "percentile": "percentile", "basic": "basic"}


def bootstrap_interval(
    a: ArrayLike,
    b: ArrayLike | None = None,
    metric: str | Metric = "mean",
    *,
    kind: IntervalKind = "bca",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    method: Method = "auto",
    clusters: ArrayLike | None = None,
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> Interval:
    """Confidence interval from resampled items (or clusters).

    Parameters
    ----------
    a, b : array_like
        Per-item results. With both: the interval of ``b`` minus ``a`` in the direction of better;
        with ``a`` alone: of its score, as the metric prints it.
    metric : str or Metric
        What is scored.
    kind : {"bca", "percentile", "basic"}
        BCa corrects for bias and skewness, from sums alone and without refits; only a black box
        is scored anew without each item.
    alpha, alternative
        The level is ``1 - alpha``; whether both ends are bounded.
    method : {"auto", "ideal", "sample"}
        Means and ratios have an ideal law, that of all resamples at once, exact for whole numbers
        and certified for others; ``"auto"`` uses it where it exists.
    clusters, rng
        As in :func:`betterthan.bootstrap_test`.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; 10,000 resamples by default.

    Returns
    -------
    Interval
        ``method`` names what was used, and ``error`` says how far sampling may have moved an end
        (99 %). Of one item or cluster nothing is known: the interval is unbounded.

    Examples
    --------
    >>> made = bootstrap_interval([0, 0, 1, 1, 0], [1, 1, 1, 0, 1], kind="percentile")
    >>> made.low, made.high, made.method
    (-0.4, 1.0, 'ideal percentile bootstrap')
    """
    check_keywords(sampling, Sampling)
    request = Request(alternative=alternative, alpha=alpha, rng=rng, **sampling)
    metric = parse(metric)
    if kind not in INTERVAL_KINDS:
        raise not_one_of("kind", kind, INTERVAL_KINDS)
    if method not in METHODS:
        raise not_one_of("method", method, METHODS)
    joint = joint_of({"a": a} if b is None else {"a": a, "b": b}, metric, clusters)
    ends = bootstrap_ends(joint, kind, request, method)
    return ends.interval(request.alpha, "score" if b is None else difference_of(metric))


def bootstrap_ends(
    joint: Joint, kind: IntervalKind, request: Request, method: Method = "auto"
) -> Ends:
    """Bootstrap interval of the score of the only system, or of the difference of two."""
    alternative, tail = request.alternative, request.alpha / sides(request.alternative)
    if joint.units == 1:
        return unbounded("one unit").on(alternative)
    sign = None if len(joint.systems) == 1 else joint.metric.sign
    statistic = partial(_measured, sign)
    compared = joint if sign is None else joint.pair(0, 1)
    of_all = IdealLaw.of, partial(CertifiedLaw.of, tolerance=TOLERANCE)
    for law_of in () if method == "sample" else of_all:
        try:
            return from_law(law_of(compared), kind, tail, joint, statistic).on(alternative)
        except BudgetExceededError as error:
            why = error
    if method == "ideal":
        raise UsageError(
            f"method 'ideal' cannot be used here: {why}",
            Remedy("samples instead", "method", "auto"),
        ) from why
    replicas, resamples = Replicas.of(joint), request.resamples or RESAMPLES
    blocks = replicas.blocks(
        resamples, request.rng, then=statistic, work=request.work, progress=request.progress
    )
    estimate = float(statistic(replicas.scores[None])[0])
    sampled = SampledLaw(np.sort(np.concatenate(list(blocks))), estimate)
    return from_law(sampled, kind, tail, joint, statistic).on(alternative)


def from_law(
    law: IdealLaw | CertifiedLaw | SampledLaw,
    kind: IntervalKind,
    tail: float,
    joint: Joint,
    statistic: Callable[[Floats], Floats],
) -> Ends:
    """Bootstrap interval from the law of all resamples, or of those that were drawn."""
    tails, slack, why = (tail, tail), 0.0, ""
    if kind == "bca":
        scores, times = Replicas.of(joint).left_out
        # Where the share below is a bracket, either end is taken from the side that is wider.
        shares = law.share_below()
        first, last = (corrected_tails(x, statistic(scores), times, tail) for x in shares)
        if isinstance(first, str) or isinstance(last, str):
            kind, why = "percentile", f"no BCa: {first if isinstance(first, str) else last}"
        else:
            tails, slack = (first[0], last[1]), 2.0 * float(np.diff(ndtri(shares))[0])
    low, high = law.between(*tails)
    if kind == "basic":
        twice = 2.0 * float(law.observed) * law.unit
        low, high = twice - high, twice - low
    if isinstance(law, SampledLaw):
        drawn, prefix, error = f"{law.ordered.size:,} resamples", "", law.error(*tails)
    else:
        drawn, prefix, error = "", "ideal ", law.width * (1.0 + slack / (2.0 * NEAR))
    remark = "; ".join(filter(None, (drawn, why)))
    name = f"{prefix}{NAMES[kind]} bootstrap" + f" ({remark})" * bool(remark)
    return Ends(low, high, name, error)


def difference_of(metric: Metric) -> str:
    """Say what the interval of a difference is an interval of."""
    return f"difference of {'means' if metric.form == 'mean' else metric.spelling}"


def _measured(sign: float | None, scores: Floats) -> Floats:
    """A system's scores, or the differences of two towards better."""
    return scores[:, 0] if sign is None else np.asarray(sign * (scores[:, 1] - scores[:, 0]))
