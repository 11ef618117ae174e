"""Bootstrap intervals for a system's score, or for the difference of two."""

from collections.abc import Callable
from functools import partial
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from betterthan.blame import blames_arguments
from betterthan.checks import check_level
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of
from betterthan.errors import Remedy, UsageError, not_one_of
from betterthan.exact.probability import BudgetExceededError
from betterthan.intervals.ends import ALTERNATIVES, Ends, sides, unbounded
from betterthan.intervals.quantiles import (
    basic_interval,
    bca_interval,
    corrected_tails,
    percentile_interval,
)
from betterthan.metrics import Metric, parse
from betterthan.numeric import Alternative, Floats
from betterthan.resampling.generator import Rng, as_count, check_rng
from betterthan.resampling.replicas import Replicas
from betterthan.resampling.work import HERE, Progress, Sampling, Work
from betterthan.results.interval import Interval
from betterthan.testing.ideal_law import NEAR, CertifiedLaw, IdealLaw

IntervalKind = Literal["bca", "percentile", "basic"]
INTERVAL_KINDS: tuple[IntervalKind, ...] = ("bca", "percentile", "basic")
Method = Literal["auto", "ideal", "sample"]
METHODS: tuple[Method, ...] = ("auto", "ideal", "sample")
TOLERANCE = 1e-3
"""Relative width of the brackets from which ends of real-valued scores are found."""

RESAMPLES = 10_000

NAMES = {"bca": "BCa", "percentile": "percentile", "basic": "basic"}


@blames_arguments
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
    work = Work.of(sampling)
    metric = parse(metric)
    if kind not in INTERVAL_KINDS:
        raise not_one_of("kind", kind, INTERVAL_KINDS)
    if method not in METHODS:
        raise not_one_of("method", method, METHODS)
    if alternative not in ALTERNATIVES:
        raise not_one_of("alternative", alternative, ALTERNATIVES)
    resamples = as_count(sampling.get("resamples"))
    check_rng(rng)
    check_level(alpha)
    arrays = {"a": a} if b is None else {"a": a, "b": b}
    joint = joint_of(arrays, metric, clusters)
    ends = bootstrap_ends(
        joint,
        kind,
        alpha,
        alternative,
        method=method,
        resamples=resamples or RESAMPLES,
        rng=rng,
        work=work,
        progress=sampling.get("progress"),
    )
    of = "score" if b is None else difference_of(metric)
    return Interval(ends.low, ends.high, 1.0 - alpha, ends.method, ends.error, of)


def bootstrap_ends(
    joint: Joint,
    kind: IntervalKind,
    alpha: float,
    alternative: Alternative,
    *,
    method: Method = "auto",
    resamples: int = RESAMPLES,
    rng: Rng = 0,
    work: Work = HERE,
    progress: Progress | None = None,
) -> Ends:
    """Bootstrap interval of the score of the only system, or of the difference of two."""
    if joint.units == 1:
        return unbounded("one unit").on(alternative)
    sign = None if len(joint.systems) == 1 else joint.metric.sign
    statistic, tail = partial(_measured, sign), alpha / sides(alternative)
    if method != "sample":
        try:
            return _ideal(joint, kind, tail, statistic).on(alternative)
        except BudgetExceededError as error:
            if method == "ideal":
                raise UsageError(
                    f"method 'ideal' cannot be used here: {error}",
                    Remedy("samples instead", "method", "auto"),
                ) from error
    replicas = Replicas.of(joint)
    blocks = replicas.blocks(resamples, rng, then=statistic, work=work, progress=progress)
    drawn = np.concatenate(list(blocks))
    left_out, times = None, None
    if kind == "bca":
        scores, times = replicas.left_out
        left_out = statistic(scores)
    estimate = float(statistic(replicas.scores[None])[0])
    return from_replicates(drawn, estimate, left_out, times, kind=kind, tail=tail).on(alternative)


def difference_of(metric: Metric) -> str:
    """Say what the interval of a difference is an interval of."""
    return f"difference of {'means' if metric.form == 'mean' else metric.spelling}"


def from_replicates(
    drawn: Floats,
    estimate: float,
    left_out: Floats | None,
    times: Floats | None = None,
    *,
    kind: IntervalKind,
    tail: float,
) -> Ends:
    """Interval from replicates, the estimate itself, and leave-one-out values for BCa."""
    if kind == "bca" and left_out is not None:
        found = bca_interval(drawn, left_out, estimate, tail, times)
    elif kind == "basic":
        found = basic_interval(drawn, estimate, tail)
    else:
        found = percentile_interval(drawn, tail)
    # A note on a BCa interval says that it is a point, on another why it is no BCa interval.
    why = f"; no BCa: {found.note}" if found.note and found.method != "bca" else ""
    name = f"{NAMES[found.method]} bootstrap ({len(drawn):,} resamples{why})"
    return Ends(found.low, found.high, name, found.error)


def _measured(sign: float | None, scores: Floats) -> Floats:
    """A system's scores, or the differences of two towards better."""
    return scores[:, 0] if sign is None else np.asarray(sign * (scores[:, 1] - scores[:, 0]))


def _ideal(
    joint: Joint, kind: IntervalKind, tail: float, statistic: Callable[[Floats], Floats]
) -> Ends:
    """Interval from the law of all resamples, which is exact, or else certified."""
    compared = joint if len(joint.systems) == 1 else joint.pair(0, 1)
    try:
        return _of_law(IdealLaw.of(compared), joint, kind, tail, statistic)
    except BudgetExceededError:
        return _of_law(CertifiedLaw.of(compared, TOLERANCE), joint, kind, tail, statistic)


def _of_law(
    law: IdealLaw | CertifiedLaw,
    joint: Joint,
    kind: IntervalKind,
    tail: float,
    statistic: Callable[[Floats], Floats],
) -> Ends:
    name, slack = f"{NAMES[kind]} bootstrap", 0.0
    tails = (tail, tail)
    if kind == "bca":
        scores, times = Replicas.of(joint).left_out
        # Where the share below is a bracket, either end is taken from the side that is wider.
        shares = law.share_below()
        first, last = (corrected_tails(x, statistic(scores), times, tail) for x in shares)
        if isinstance(first, str) or isinstance(last, str):
            name = f"percentile bootstrap (no BCa: {first if isinstance(first, str) else last})"
        else:
            tails, slack = (first[0], last[1]), 2.0 * float(np.diff(ndtri(shares))[0])
    low, high = law.between(*tails)
    if kind == "basic":
        twice = 2.0 * float(law.observed) * law.unit
        low, high = twice - high, twice - low
    return Ends(low, high, f"ideal {name}", law.width * (1.0 + slack / (2.0 * NEAR)))
