"""The paired bootstrap: any metric from per-item sums, or all resamples at once.

Items (or clusters) are drawn with replacement, at full size, the same for all systems. The two
tests of Berg-Kirkpatrick, Burkett & Klein (2012) are ``variant="shift"`` (how often a resample
gains at least twice the observed gain) and ``variant="sign"`` (how often it gains nothing), both
with ``alternative="greater"``. Ties count, so identical systems get p = 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from betterthan.contrasts import Contrasts, sample_contrasts, sample_recentred
from betterthan.errors import UsageError
from betterthan.events import Event, Variant
from betterthan.exact.probability import BudgetExceededError, Probability
from betterthan.ideal_law import IdealLaw
from betterthan.metrics import Metric, parse
from betterthan.montecarlo import MINIMUM, Sampled
from betterthan.pairs import Numbers, Pair, pair
from betterthan.resampling import Progress
from betterthan.results import Alternative, Bounded, TestResult, bounds, sign
from betterthan.sampling import Rng, as_count

METHODS = ("auto", "ideal", "sample")
FEW = 20
"""Fewer items or clusters than this are no likeness of a population."""

NO_RESAMPLE = (
    "no resample at all is as extreme, so p is below the chance of any one of them: the bootstrap "
    "has nothing to go by here, ask the permutation test"
)


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
        Fixed number of resamples, where they are sampled. By default at least 20,000, and up to
        1,280,000 while the 99 % interval of p contains ``alpha``.
    clusters : array_like, optional
        A label per item; items of one cluster are drawn together.
    recentre : bool
        Move the resampled deltas so that their mean is the observed delta: for metrics whose
        resamples are biased (Berg-Kirkpatrick et al. 2012, footnote 3). Sampled only, by default
        20,000 times.
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
        ``pvalue_low`` and ``pvalue_high`` hold the Monte-Carlo error: a 99 % interval for the p
        of infinitely many resamples, valid for the way their number was chosen.

    Examples
    --------
    >>> result = bootstrap_test([0, 0, 1, 1], [1, 1, 1, 0], alternative="greater", variant="sign")
    >>> result.kind, result.pvalue  # 96 of the 256 resamples gain nothing
    ('exact', 0.375)
    """
    metric = parse(metric) if isinstance(metric, str) else metric
    plan = _Plan(
        metric=metric,
        event=Event(variant, alternative),
        method=method,
        resamples=as_count(resamples),
        recentre=recentre,
        alpha=alpha,
        workers=workers,
        progress=progress,
        rng=rng,
    )
    return plan.test([pair(a, b, metric, clusters)], [(0, 1)])[0]


def bootstrap_pairs(
    values: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    metric: Metric,
    *,
    variant: Variant = "shift",
    alternative: Alternative = "two-sided",
    method: str = "auto",
    resamples: int | None = None,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    workers: int = 1,
    progress: Progress | None = None,
    rng: Rng = None,
) -> list[TestResult]:
    """Test many pairs of systems from one set of resamples.

    As the resamples are shared, the sampling errors of the p-values are correlated
    (Berg-Kirkpatrick et al. 2012, footnote 5); each of them has its own interval. Pairs with an
    ideal law are not sampled at all unless ``method="sample"``.

    Parameters
    ----------
    values : sequence of (items, k) arrays
        Each system's columns, in the metric's order.
    pairs : sequence of (int, int)
        Baseline and candidate of each comparison, as positions in ``values``.
    metric, variant, alternative, method, resamples, clusters, alpha, workers, progress, rng
        As in :func:`bootstrap_test`; more is drawn while any p-value is unclear at ``alpha``, less
        far the more there is to draw.
    """
    plan = _Plan(
        metric=metric,
        event=Event(variant, alternative),
        method=method,
        resamples=as_count(resamples),
        recentre=False,
        alpha=alpha,
        workers=workers,
        progress=progress,
        rng=rng,
    )
    return plan.test([pair(values[i], values[j], metric, clusters) for i, j in pairs], pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How pairs are tested: the same for every pair of one call."""

    metric: Metric
    event: Event
    method: str
    resamples: int | None
    recentre: bool
    alpha: float
    workers: int
    progress: Progress | None
    rng: Rng

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"method is one of {', '.join(METHODS)}, not {self.method!r}")
        if self.recentre and self.method == "ideal":
            raise UsageError("recentre needs sampled resamples: leave method='auto'")
        if self.workers < 1:
            raise UsageError(f"workers must be at least 1, not {self.workers}")
        if not 0.0 < self.alpha < 1.0:
            raise UsageError(f"alpha lies between 0 and 1, not {self.alpha!r}")

    def test(self, made: Sequence[Pair], pairs: Sequence[tuple[int, int]]) -> list[TestResult]:
        """One result a pair: ideal where there is a law, the others from shared resamples."""
        found: dict[int, TestResult] = {}
        reasons = ["recentred, hence sampled" if self.recentre else "as asked"] * len(made)
        if self.method != "sample" and not self.recentre:
            for at, one in enumerate(made):
                try:
                    found[at] = self._ideal(one)
                except BudgetExceededError as error:
                    if self.method == "ideal":
                        raise UsageError(f"method 'ideal' cannot be used here: {error}") from error
                    reasons[at] = f"no ideal bootstrap: {error}"
        rest = [at for at in range(len(made)) if at not in found]
        if rest:
            shared = f"; {len(rest):,} pairs share one set of resamples, so their errors correlate"
            contrasts = Contrasts.of(
                [made[at] for at in rest], [pairs[at] for at in rest], self.metric
            )
            for at, p, delta in zip(rest, self._sampled(contrasts), contrasts.delta, strict=True):
                reason = reasons[at] + shared * (len(rest) > 1)
                found[at] = self._result(made[at], float(delta), p, reason)
        return [found[at] for at in range(len(made))]

    def _ideal(self, one: Pair) -> TestResult:
        law = IdealLaw.of_delta(one, self.metric)
        p = self.event.probability(law)
        reason = "whole-number scores: the law of all resamples is computed"
        return self._result(one, float(law.observed) * law.unit, p, reason)

    def _sampled(self, contrasts: Contrasts) -> list[Sampled]:
        if self.recentre:
            one = sample_recentred(
                contrasts,
                self.event,
                resamples=self.resamples or MINIMUM,
                rng=self.rng,
                workers=self.workers,
                progress=self.progress,
            )
            return [one]
        return sample_contrasts(
            contrasts,
            self.event,
            resamples=self.resamples,
            alpha=self.alpha,
            rng=self.rng,
            workers=self.workers,
            progress=self.progress,
        )

    def _result(self, one: Pair, delta: float, p: Probability | Sampled, reason: str) -> TestResult:
        drawn = p.resamples if isinstance(p, Sampled) else None
        engine = "ideal" if drawn is None else "sampled"
        variant, alternative = self.event.variant, self.event.alternative
        clusters = None if one.clusters is None else one.n_clusters
        return TestResult(
            test="bootstrap",
            delta=delta,
            kind="exact" if drawn is None else "sampled",
            engine=f"{engine} bootstrap, {variant} variant{', recentred' * self.recentre}",
            reason=reason,
            n=one.n,
            alternative=alternative,
            metric=repr(self.metric),
            clusters=clusters,
            resamples=drawn,
            notes=_notes(one, p),
            signature=sign(
                f"boot-{engine}-{variant}{'-recentred' * self.recentre}",
                one.a,
                one.b,
                n=one.n,
                alternative=alternative,
                metric=repr(self.metric),
                clusters=clusters,
                resamples=drawn,
                seed=self.rng,
            ),
            **bounds(_at_least_one_resample(p, one.n_clusters)),
        )


def _notes(one: Pair, p: Probability | Sampled) -> tuple[str, ...]:
    notes = [NO_RESAMPLE] if isinstance(p, Probability) and p.log == -math.inf else []
    if one.n_clusters < FEW:
        units = ("item" if one.clusters is None else "cluster") + "s" * (one.n_clusters > 1)
        notes.append(
            f"only {one.n_clusters} {units}: the bootstrap is an approximation for many, the "
            "permutation test needs none"
        )
    return tuple(notes)


def _at_least_one_resample(p: Probability | Sampled, units: int) -> Bounded:
    """Raise a p-value to the chance of any one resample, where it is below that.

    All n**n resamples are equally likely, so that a smaller p is zero. But then the bootstrap says
    no more than that no resample it knows of is as extreme: one item, or items that are all alike,
    would be proof of anything.
    """
    log = -units * math.log(units)
    if isinstance(p, Probability):
        return p if p.log > -math.inf else Probability(log, p.log_low, log)
    least = math.exp(log)
    return Sampled(max(p.value, least), p.low, max(p.high, least), p.resamples)
