"""Bootstrap intervals for a system's score, or for the difference of two."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from betterthan.bootstrap_intervals import (
    basic_interval,
    bca_interval,
    percentile_interval,
    quantile_error,
)
from betterthan.errors import UsageError
from betterthan.events import IdealLaw
from betterthan.exact.swaplaw import BudgetExceededError
from betterthan.intervals import Interval
from betterthan.metrics import Metric, parse
from betterthan.pairs import Pair, pair
from betterthan.replicas import Floats, Replicas
from betterthan.resampling import Progress
from betterthan.results import Alternative
from betterthan.sampling import Rng

Kind = Literal["percentile", "basic", "bca"]
KINDS = ("percentile", "basic", "bca")
"""The intervals on offer."""


def bootstrap_interval(
    a: ArrayLike,
    b: ArrayLike | None = None,
    metric: str | Metric = "mean",
    *,
    kind: Kind = "bca",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "ideal", "sample"] = "auto",
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
        BCa corrects for bias and skewness, from sums alone and without refits.
    level, alternative
        Confidence level, and whether both ends are bounded.
    method : {"auto", "ideal", "sample"}
        Percentile and basic intervals of whole-number differences have an ideal law, the quantiles
        of all resamples at once; ``"auto"`` uses it where it exists.
    resamples : int
        Number of resamples otherwise.
    clusters, workers, progress, rng
        As in :func:`betterthan.bootstrap_test`.

    Returns
    -------
    Interval
        ``error`` says how far sampling may have moved an end (99 %).

    Examples
    --------
    >>> made = bootstrap_interval([0, 0, 1, 1, 0], [1, 1, 1, 0, 1], kind="percentile")
    >>> made.low, made.high, made.method
    (-0.4, 1.0, 'ideal percentile bootstrap')
    """
    metric = parse(metric) if isinstance(metric, str) else metric
    if kind not in KINDS:
        raise UsageError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")
    if not 0.0 < level < 1.0:
        raise UsageError(f"a confidence level lies between 0 and 1, not {level!r}")
    # A one-sided interval is the inner end of a two-sided one of a wider level.
    both = level if alternative == "two-sided" else 2.0 * level - 1.0
    if both <= 0.0:
        raise UsageError(f"a one-sided level must be above one half, not {level!r}")
    made = pair(a, a if b is None else b, metric, clusters)
    found: Interval | None = None
    if b is not None and kind != "bca" and method != "sample":
        try:
            found = _ideal(made, metric, kind, both)
        except BudgetExceededError as error:
            if method == "ideal":
                raise UsageError(f"method 'ideal' cannot be used here: {error}") from error
    elif method == "ideal":
        raise UsageError("the ideal bootstrap gives percentile and basic intervals of differences")
    if found is None:
        systems = (made.a,) if b is None else (made.a, made.b)
        replicas = Replicas.of(systems, metric, made.clusters, made.n_clusters)
        drawn = np.concatenate(
            list(replicas.blocks(resamples, rng, workers=workers, progress=progress))
        )
        tables = (drawn, replicas.left_out(), replicas.scores[None])
        if b is None:
            values, left_out, (estimate,) = (table[:, 0] for table in tables)
        else:
            values, left_out, (estimate,) = (
                metric.sign * (table[:, 1] - table[:, 0]) for table in tables
            )
        found = from_replicates(values, left_out, float(estimate), kind=kind, level=both)
    return one_sided(found, level, alternative)


def from_replicates(
    values: Floats, left_out: Floats, estimate: float, *, kind: Kind, level: float
) -> Interval:
    """Interval from replicates, leave-one-out values and the estimate itself."""
    if kind == "percentile":
        found = percentile_interval(values, level)
    elif kind == "basic":
        found = basic_interval(values, estimate, level)
    else:
        found = bca_interval(values, left_out, estimate, level)
    tail = 0.5 * (1.0 - level)
    spans = [quantile_error(values, q) for q in (tail, 1.0 - tail)]
    error = max((high - low) / 2 for low, high in spans)
    name = {"bca": "BCa", "percentile": "percentile", "basic": "basic"}[found.method]
    return Interval(found.low, found.high, level, f"{name} bootstrap ({len(values):,})", error)


def one_sided(found: Interval, level: float, alternative: Alternative) -> Interval:
    """Give up the end that a one-sided interval leaves open."""
    low = -math.inf if alternative == "less" else found.low
    high = math.inf if alternative == "greater" else found.high
    return Interval(low, high, level, found.method, found.error)


def _ideal(made: Pair, metric: Metric, kind: Kind, level: float) -> Interval:
    law = IdealLaw.of(made, metric)
    tail = 0.5 * (1.0 - level)
    low, high = (float(law.ratio.quantile(q)) * law.unit for q in (tail, 1.0 - tail))
    if kind == "basic":
        twice = 2.0 * float(law.delta) * law.unit
        low, high = twice - high, twice - low
    return Interval(low, high, level, f"ideal {kind} bootstrap")
