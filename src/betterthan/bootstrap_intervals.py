"""Bootstrap intervals for a system's score, or for the difference of two."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
from betterthan.exact.probability import BudgetExceededError
from betterthan.ideal_law import IdealLaw
from betterthan.intervals import Interval
from betterthan.metrics import Metric, parse
from betterthan.montecarlo import ORIENT
from betterthan.pairs import Pair, pair
from betterthan.quantiles import basic_interval, bca_interval, percentile_interval
from betterthan.replicas import Floats, Replicas
from betterthan.resampling import Progress
from betterthan.results import Alternative
from betterthan.sampling import Rng, as_count

Kind = Literal["bca", "percentile", "basic"]
KINDS: tuple[Kind, ...] = ("bca", "percentile", "basic")
Method = Literal["auto", "ideal", "sample"]
METHODS: tuple[Method, ...] = ("auto", "ideal", "sample")
NAMES = {"bca": "BCa", "percentile": "percentile", "basic": "basic"}


def bootstrap_interval(
    a: ArrayLike,
    b: ArrayLike | None = None,
    metric: str | Metric = "mean",
    *,
    kind: Kind = "bca",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: Method = "auto",
    resamples: int = 10_000,
    clusters: ArrayLike | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    rng: Rng = None,
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
    level, alternative
        Confidence level, and whether both ends are bounded.
    method : {"auto", "ideal", "sample"}
        Percentile and basic intervals of whole numbers have an ideal law, the quantiles of all
        resamples at once; ``"auto"`` uses it where it exists.
    resamples : int
        Number of resamples otherwise.
    clusters, workers, progress, rng
        As in :func:`betterthan.bootstrap_test`.

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
    metric = parse(metric) if isinstance(metric, str) else metric
    if kind not in KINDS:
        raise UsageError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")
    if method not in METHODS:
        raise UsageError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if method == "ideal" and kind == "bca":
        raise UsageError("the ideal bootstrap gives percentile and basic intervals: choose a kind")
    resamples = as_count(resamples)
    if workers < 1:
        raise UsageError(f"workers must be at least 1, not {workers}")
    both = central_level(level, alternative)
    made = pair(a, a if b is None else b, metric, clusters)
    if made.n_clusters == 1:
        return one_sided(unbounded(level), level, alternative)
    if kind != "bca" and method != "sample":
        try:
            found = _ideal(made, metric, kind, both, alone=b is None)
            return one_sided(found, level, alternative)
        except BudgetExceededError as error:
            if method == "ideal":
                raise UsageError(f"method 'ideal' cannot be used here: {error}") from error
    systems = (made.a,) if b is None else (made.a, made.b)
    replicas = Replicas.of(systems, metric, made.clusters, made.n_clusters)

    def statistic(scores: Floats) -> Floats:
        return scores[:, 0] if b is None else metric.sign * (scores[:, 1] - scores[:, 0])

    blocks = replicas.blocks(resamples, rng, then=statistic, workers=workers, progress=progress)
    drawn = np.concatenate(list(blocks))
    left_out = statistic(replicas.left_out()) if kind == "bca" else None
    estimate = float(statistic(replicas.scores[None])[0])
    found = from_replicates(drawn, estimate, left_out, kind=kind, level=both)
    return one_sided(found, level, alternative)


def from_replicates(
    drawn: Floats, estimate: float, left_out: Floats | None, *, kind: Kind, level: float
) -> Interval:
    """Interval from replicates, the estimate itself, and leave-one-out values for BCa."""
    if kind == "bca" and left_out is not None:
        found = bca_interval(drawn, left_out, estimate, level)
    elif kind == "basic":
        found = basic_interval(drawn, estimate, level)
    else:
        found = percentile_interval(drawn, level)
    # A note on a BCa interval says that it is a point, on another why it is no BCa interval.
    why = f"; no BCa: {found.note}" if found.note and found.method != "bca" else ""
    name = f"{NAMES[found.method]} bootstrap ({len(drawn):,} resamples{why})"
    return Interval(found.low, found.high, level, name, found.error)


def central_level(level: float, alternative: Alternative) -> float:
    """Level of the two-sided interval that shares an end with a one-sided one."""
    if not 0.0 < level < 1.0:
        raise UsageError(f"a confidence level lies between 0 and 1, not {level!r}")
    if alternative not in ORIENT:
        raise UsageError(f"alternative is one of {', '.join(ORIENT)}, not {alternative!r}")
    if alternative == "two-sided":
        return level
    if level <= 0.5:
        raise UsageError(f"the level of a one-sided interval is above one half, not {level!r}")
    return 2.0 * level - 1.0


def one_sided(found: Interval, level: float, alternative: Alternative) -> Interval:
    """Give up the end that a one-sided interval leaves open."""
    low = -math.inf if alternative == "less" else found.low
    high = math.inf if alternative == "greater" else found.high
    return Interval(low, high, level, found.method, found.error)


def unbounded(level: float) -> Interval:
    """What a single item or cluster says about the others: nothing."""
    return Interval(-math.inf, math.inf, level, "unbounded (one unit)")


def _ideal(made: Pair, metric: Metric, kind: Kind, level: float, *, alone: bool) -> Interval:
    law = (IdealLaw.of_score if alone else IdealLaw.of_delta)(made, metric)
    low, high = law.interval(level)
    if kind == "basic":
        twice = 2.0 * float(law.observed) * law.unit
        low, high = twice - high, twice - low
    return Interval(low, high, level, f"ideal {kind} bootstrap")
