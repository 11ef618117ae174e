"""The paired bootstrap: any metric from per-item sums, or all resamples at once.

Items (or clusters) are drawn with replacement, at full size, the same for all systems. The two
tests of Berg-Kirkpatrick, Burkett & Klein (2012) are ``variant="shift"`` (how often a resample
gains at least twice the observed gain) and ``variant="sign"`` (how often it gains nothing), both
with ``alternative="greater"``. Ties count, so identical systems get p = 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from betterthan.errors import UsageError
from betterthan.events import Event, IdealLaw, Variant
from betterthan.exact.swaplaw import BudgetExceededError
from betterthan.metrics import Metric, parse
from betterthan.montecarlo import CONFIDENCE, MINIMUM, TIE, Sampled, sample
from betterthan.pairs import Pair, pair
from betterthan.replicas import Floats, Numbers, Replicas
from betterthan.resampling import Progress
from betterthan.results import Alternative, Bounded, TestResult, bounds, sign
from betterthan.sampling import Rng, clopper_pearson, plus_one

METHODS = ("auto", "ideal", "sample")


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    metric: str | Metric = "mean",
    variant: Variant = "shift",
    alternative: Alternative = "two-sided",
    method: str = "auto",
    *,
    resamples: int | None = None,
    clusters: ArrayLike | None = None,
    recentre: bool = False,
    alpha: float = 0.05,
    workers: int = 1,
    progress: Progress | None = None,
    rng: Rng = None,
) -> TestResult:
    """Test whether two systems differ, by drawing the test set anew from its items.

    Parameters
    ----------
    a, b : array_like
        Per-item results of the baseline and of the candidate: ``(items,)``, or ``(items, k)`` in
        the order of the metric's columns.
    metric : str or Metric
        What is compared.
    variant : {"shift", "sign"}
        ``"shift"`` compares how far resamples stray from the observed delta with the delta itself;
        ``"sign"`` asks how often delta changes sign.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the candidate ``b`` is better.
    method : {"auto", "ideal", "sample"}
        ``"ideal"`` computes the law of all resamples; it exists for whole-number scores with one
        denominator for both systems. ``"auto"`` uses it where it does.
    resamples : int, optional
        Fixed number of resamples; by default at least 20,000, more while the answer at ``alpha`` is
        unclear.
    clusters : array_like, optional
        A label per item; items of one cluster are drawn together.
    recentre : bool
        Measure deviations from the mean of the resamples instead of the observed delta: for metrics
        whose resamples are biased (Berg-Kirkpatrick et al. 2012, footnote 3). Sampled only.
    alpha : float
        The level at which the answer matters.
    workers : int
        Threads. The same numbers come out whatever it is.
    progress : callable, optional
        Called with the replicates done and their total.
    rng : None, int or Generator
        Seed.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> result = bootstrap_test([0, 0, 1, 1], [1, 1, 1, 0], alternative="greater", variant="sign")
    >>> result.kind, result.pvalue  # 96 of the 256 resamples gain nothing
    ('exact', 0.375)
    """
    metric = parse(metric) if isinstance(metric, str) else metric
    if method not in METHODS:
        raise UsageError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if recentre and method == "ideal":
        raise UsageError("recentre needs sampled resamples: leave method='auto'")
    made = pair(a, b, metric, clusters)
    replicas = Replicas.of_pair(made, metric)
    first, second = replicas.scores
    event = Event(variant, alternative, np.array([metric.sign * (second - first)]))
    reason = "as asked"
    if method != "sample" and not recentre:
        try:
            p = event.of_law(IdealLaw.of(made, metric))
        except BudgetExceededError as error:
            if method == "ideal":
                raise UsageError(f"method 'ideal' cannot be used here: {error}") from error
            reason = str(error)
        else:
            reason = "whole-number scores: the law of all resamples is computed"
            return _result(made, metric, event, "ideal", reason, p, rng)

    def deltas(scores: Floats) -> Floats:
        return np.asarray(metric.sign * (scores[:, 1:] - scores[:, :1]))

    centre = event.delta
    if recentre:
        pilot = replicas.blocks(resamples or MINIMUM, rng, workers=workers)
        centre = np.concatenate([deltas(scores) for scores in pilot]).mean(axis=0)
    slack = TIE * float(np.abs(replicas.scores).max())

    def count_hits(draws: int, generator: np.random.Generator) -> int:
        blocks = replicas.blocks(draws, generator, workers=workers, progress=progress)
        hits = 0
        for scores in blocks:
            hits += int(event.hits(deltas(scores), centre, slack).sum())
        return hits

    level = alpha / 2 if event.doubled else alpha
    drawn = event.finished(sample(count_hits, resamples=resamples, alpha=level, rng=rng))
    return _result(made, metric, event, "sampled", reason, drawn, rng, recentre=recentre)


def bootstrap_pairs(
    values: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    metric: Metric,
    *,
    variant: Variant = "shift",
    alternative: Alternative = "two-sided",
    resamples: int | None = None,
    clusters: ArrayLike | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    rng: Rng = None,
) -> list[TestResult]:
    """Test many pairs of systems from one set of resamples.

    As the resamples are shared, the sampling errors of the p-values are correlated
    (Berg-Kirkpatrick et al. 2012, footnote 5); each of them has its own interval. Pairs with an
    ideal law are not sampled at all unless ``resamples`` asks for it.

    Parameters
    ----------
    values : sequence of (items, k) arrays
        Each system's columns, in the metric's order.
    pairs : sequence of (int, int)
        Baseline and candidate of each comparison, as positions in ``values``.
    metric, variant, alternative, resamples, clusters, workers, progress, rng
        As in :func:`bootstrap_test`; by default 20,000 resamples are drawn.
    """
    made = [pair(values[i], values[j], metric, clusters) for i, j in pairs]
    results: dict[int, TestResult] = {}
    if resamples is None:
        for at, one in enumerate(made):
            try:
                law = IdealLaw.of(one, metric)
            except BudgetExceededError:
                break  # what one pair lacks the others lack too, mostly: all are sampled
            event = Event(variant, alternative, np.array([float(law.delta) * law.unit]))
            reason = "whole-number scores: the law of all resamples is computed"
            results[at] = _result(one, metric, event, "ideal", reason, event.of_law(law), rng)
    rest = [at for at in range(len(pairs)) if at not in results]
    if rest:
        first, second = (np.array([pairs[at][side] for at in rest]) for side in (0, 1))
        draws = resamples or MINIMUM
        systems = [np.asarray(x) if np.ndim(x) == 2 else np.asarray(x)[:, None] for x in values]
        replicas = Replicas.of(systems, metric, made[0].clusters, made[0].n_clusters)
        scores = replicas.scores
        event = Event(variant, alternative, metric.sign * (scores[second] - scores[first]))
        slack = TIE * np.maximum(np.abs(scores[first]), np.abs(scores[second]))
        hits = np.zeros(len(rest), dtype=np.int64)
        for block in replicas.blocks(draws, rng, workers=workers, progress=progress):
            deltas = metric.sign * (block[:, second] - block[:, first])
            hits += event.hits(deltas, event.delta, slack)
        for column, at in enumerate(rest):
            count = int(hits[column])
            low, high = clopper_pearson(count, draws, CONFIDENCE)
            value = plus_one(count, draws)
            p = event.finished(Sampled(value, min(low, value), max(high, value), draws))
            alone = Event(variant, alternative, event.delta[column : column + 1])
            reason = f"{len(pairs)} pairs share one set of resamples"
            results[at] = _result(made[at], metric, alone, "sampled", reason, p, rng)
    return [results[at] for at in range(len(pairs))]


def _result(
    made: Pair,
    metric: Metric,
    event: Event,
    engine: str,
    reason: str,
    p: Bounded,
    seed: Rng,
    *,
    recentre: bool = False,
) -> TestResult:
    clusters = None if made.clusters is None else made.n_clusters
    drawn = p.resamples if isinstance(p, Sampled) else None
    return TestResult(
        test="bootstrap",
        delta=float(event.delta[0]),
        kind="exact" if engine == "ideal" else "sampled",
        engine=f"{engine} bootstrap, {event.variant} variant{', recentred' * recentre}",
        reason=reason,
        n=made.n,
        alternative=event.alternative,
        metric=repr(metric),
        clusters=clusters,
        resamples=drawn,
        signature=sign(
            f"boot-{engine}-{event.variant}{'-recentred' * recentre}",
            made.a,
            made.b,
            n=made.n,
            alternative=event.alternative,
            metric=repr(metric),
            clusters=clusters,
            resamples=drawn,
            seed=seed,
        ),
        **bounds(p),
    )
