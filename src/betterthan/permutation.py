"""The paired permutation test: exact first, certified next, sampled last.

Under the null hypothesis the two systems' results on an item are exchangeable: every item (or
cluster) is swapped by a fair coin.
"""

from math import isnan

from numpy.typing import ArrayLike

from betterthan.engines import ENGINES, FLIP, Request, choose, instead
from betterthan.errors import BadValueError, UsageError
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.exact.rational import Ratio
from betterthan.metrics import Metric, parse
from betterthan.montecarlo import Sampled
from betterthan.pairs import pair
from betterthan.results import Alternative, Kind, TestResult, bounds, sign
from betterthan.sampling import Rng
from betterthan.swaps import Numbers, Swaps

KINDS: dict[str, Kind] = {"certified": "certified", "monte-carlo": "sampled"}
METHODS = ("auto", *(name for name in ENGINES if name != "none"))


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    metric: str | Metric = "mean",
    alternative: Alternative = "two-sided",
    method: str = "auto",
    *,
    clusters: ArrayLike | None = None,
    resamples: int | None = None,
    tolerance: float = 1e-3,
    alpha: float = 0.05,
    rng: Rng = None,
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
    resamples : int, optional
        Fixed number of Monte Carlo swaps; by default at least 20,000, more while the answer at
        ``alpha`` is unclear.
    tolerance : float
        Relative width asked of a certified bracket.
    alpha : float
        The level at which the answer matters: brackets and sampling are refined until they do not
        straddle it.
    rng : None, int or Generator
        Seed for Monte Carlo.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> permutation_test([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]).pvalue
    0.03125
    """
    if alternative not in FLIP:
        raise UsageError(f"alternative is two-sided, greater or less, not {alternative!r}")
    if method not in METHODS:
        raise UsageError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if not tolerance > 0.0:
        raise UsageError(f"tolerance is a positive relative width, not {tolerance!r}")
    metric = parse(metric) if isinstance(metric, str) else metric
    swaps = Swaps.of(pair(a, b, metric, clusters), metric)
    if isnan(swaps.delta):
        raise BadValueError(f"{metric!r} of these data is NaN: there is nothing to compare")
    request = Request(alternative, resamples, tolerance, alpha, rng)
    engine, reason = choose(swaps.shape)
    if method != "auto" and engine != "none":
        engine, reason = method, "as asked"
        if not ENGINES[method].fits(swaps.shape):
            needs = ENGINES[method].needs
            raise UsageError(f"method {method!r} needs {needs}; method='auto' chooses what fits")
    try:
        p = ENGINES[engine].run(swaps, request)
    except ValueError as error:
        if method != "auto":
            raise UsageError(f"method {method!r} cannot be used here: {error}") from error
        if not isinstance(error, BudgetExceededError):
            raise
        engine, reason = instead(swaps.shape), f"no joint law fits: {error}"
        p = ENGINES[engine].run(swaps, request)
    return _result(swaps, request, engine, reason, p)


def _result(
    swaps: Swaps, request: Request, engine: str, reason: str, p: Probability | Sampled
) -> TestResult:
    made = swaps.pair
    clusters = None if made.clusters is None else made.n_clusters
    resamples = p.resamples if isinstance(p, Sampled) else None
    data: tuple[Numbers, ...] = (swaps.stay, swaps.swap)
    if swaps.law is not None and swaps.gains is not None:
        # The law and the observed sum determine the answer, and are quick to hash.
        data = (swaps.law.steps, swaps.law.counts, swaps.gains.sum(keepdims=True))
    return TestResult(
        test="permutation",
        delta=swaps.delta,
        kind=KINDS.get(engine, "exact"),
        engine=ENGINES[engine].label,
        reason=reason,
        n=made.n,
        alternative=request.alternative,
        metric=repr(swaps.metric),
        clusters=clusters,
        resamples=resamples,
        fraction=p.fraction if isinstance(p, Ratio) else None,
        notes=_few_clusters(clusters, request),
        signature=sign(
            f"perm-{engine}",
            *data,
            n=made.n,
            alternative=request.alternative,
            metric=repr(swaps.metric),
            clusters=clusters,
            resamples=resamples,
            seed=request.rng,
        ),
        law=swaps.null_law,
        **bounds(p),
    )


def _few_clusters(clusters: int | None, request: Request) -> tuple[str, ...]:
    """C clusters have 2^C swaps: no one-sided p is below 2^-C, no two-sided one below 2^(1-C)."""
    if clusters is None:
        return ()
    least = 2.0 ** ((request.alternative == "two-sided") - clusters)
    if least <= request.alpha / 5:
        return ()
    return (
        f"only {clusters} clusters: no p-value below {least:.3g} is possible, whatever the data",
    )
