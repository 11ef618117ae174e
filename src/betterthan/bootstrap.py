"""The paired bootstrap: any metric from per-item sums, or all resamples at once.

Items (or clusters) are drawn with replacement, at full size, the same for both systems. The two
tests of Berg-Kirkpatrick, Burkett & Klein (2012) are ``variant="shift"`` (how often a resample
gains at least twice the observed gain) and ``variant="sign"`` (how often it gains nothing), both
with ``alternative="greater"``. Ties count, so identical systems get p = 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from betterthan.errors import UsageError
from betterthan.exact.ideal import BudgetExceededError, ResampledRatio
from betterthan.exact.probability import Probability
from betterthan.metrics import Metric, parse
from betterthan.montecarlo import ORIENT, TIE, Sampled, sample
from betterthan.pairs import Pair, pair
from betterthan.resampling import Progress, bootstrap_counts, replicate_blocks
from betterthan.results import Alternative, TestResult, bounds, sign
from betterthan.sampling import Rng
from betterthan.swaps import Swaps

Floats = NDArray[np.float64]
Variant = Literal["shift", "sign"]
Method = Literal["auto", "ideal", "sample"]
RECENTRING = 20_000
"""Replicates from which the mean of delta is estimated before it is used as a centre."""


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    metric: str | Metric = "mean",
    variant: Variant = "shift",
    alternative: Alternative = "two-sided",
    method: Method = "auto",
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
    _check(variant, alternative, method)
    replicas = Replicas.of(pair(a, b, metric, clusters), metric)
    event = Event(variant, alternative, replicas.delta)
    engine, reason = "sample", "as asked"
    p: Probability | Sampled | None = None
    if method != "sample" and not recentre:
        try:
            p = event.of_law(replicas.ideal())
            engine, reason = "ideal", "whole-number scores: the law of all resamples is computed"
        except BudgetExceededError as error:
            if method == "ideal":
                raise UsageError(f"method 'ideal' cannot be used here: {error}") from error
            reason = str(error)
    elif method == "ideal":
        raise UsageError("recentre needs sampled resamples: leave method='auto'")
    if p is None:

        def blocks(draws: int, seed: Rng) -> Iterator[Floats]:
            return replicas.blocks(draws, seed, workers, progress)

        centre = replicas.delta
        if recentre:
            pilot = np.concatenate(list(blocks(resamples or RECENTRING, rng)))
            centre = float(pilot.mean())
        p = event.sampled(blocks, centre, replicas.scale, resamples=resamples, alpha=alpha, rng=rng)
    made = replicas.pair
    groups = None if made.clusters is None else made.n_clusters
    drawn = p.resamples if isinstance(p, Sampled) else None
    return TestResult(
        test="bootstrap",
        delta=replicas.delta,
        kind="exact" if engine == "ideal" else "sampled",
        engine=f"{'ideal' if engine == 'ideal' else 'sampled'} bootstrap, {variant} variant",
        reason=reason,
        n=made.n,
        alternative=alternative,
        metric=repr(metric),
        clusters=groups,
        resamples=drawn,
        signature=sign(
            f"boot-{engine}-{variant}{'-recentred' * recentre}",
            made.a,
            made.b,
            n=made.n,
            alternative=alternative,
            metric=repr(metric),
            clusters=groups,
            resamples=drawn,
            seed=rng,
        ),
        **bounds(p),
    )


@dataclass(frozen=True, slots=True)
class Event:
    """When a resample speaks against the claim.

    The ``shift`` variant compares the deviation ``delta* - centre`` with delta; the centre is delta
    unless recentred, hence ``delta* >= 2 delta``. The ``sign`` variant compares delta* with zero;
    its two-sided p is twice that of the side on which delta is.
    """

    variant: Variant
    alternative: Alternative
    delta: float

    @property
    def side(self) -> Alternative:
        """The one side that the sign variant looks at."""
        if self.alternative == "two-sided":
            return "greater" if self.delta >= 0 else "less"
        return self.alternative

    @property
    def doubled(self) -> bool:
        """Whether the p-value is twice that of one side."""
        return self.variant == "sign" and self.alternative == "two-sided"

    def of_law(self, law: "IdealLaw") -> Probability:
        """P-value from the law of all resamples; comparisons are exact."""
        lower, tail, twice = law.ratio.lower, law.ratio.tail, 2 * law.delta
        if self.variant == "sign":
            p = lower(Fraction(0)) if self.side == "greater" else tail(Fraction(0))
            return p.doubled() if self.doubled else p
        if self.alternative == "greater":
            return tail(twice)
        if self.alternative == "less":
            return lower(twice)
        if not twice:
            return Probability.of(1.0)
        return lower(min(twice, Fraction(0))).plus(tail(max(twice, Fraction(0))))

    def hits(self, deltas: Floats, centre: float, slack: float) -> NDArray[np.bool_]:
        """Which replicates of delta count; those within ``slack`` of the border do."""
        if self.variant == "sign":
            return deltas <= slack if self.side == "greater" else deltas >= -slack
        deviation = ORIENT[self.alternative](deltas - centre)
        return np.asarray(deviation >= ORIENT[self.alternative](self.delta) - slack)

    def sampled(
        self,
        blocks: Callable[[int, Rng], Iterator[Floats]],
        centre: float,
        scale: float,
        *,
        resamples: int | None,
        alpha: float,
        rng: Rng,
    ) -> Sampled:
        """P-value from counted hits."""

        def count_hits(draws: int, generator: np.random.Generator) -> int:
            return sum(
                int(np.count_nonzero(self.hits(deltas, centre, TIE * scale)))
                for deltas in blocks(draws, generator)
            )

        if not self.doubled:
            return sample(count_hits, resamples=resamples, alpha=alpha, rng=rng)
        p = sample(count_hits, resamples=resamples, alpha=alpha / 2, rng=rng)
        value, low, high = (min(2 * x, 1.0) for x in (p.value, p.low, p.high))
        return Sampled(value, low, high, p.resamples)


@dataclass(frozen=True, slots=True)
class IdealLaw:
    """Law of the resampled delta as a ratio of whole numbers, and the observed one."""

    ratio: ResampledRatio
    delta: Fraction
    unit: float


@dataclass(frozen=True, slots=True, eq=False)
class Replicas:
    """Both systems' columns per unit, side by side, ready to be drawn with replacement."""

    pair: Pair
    metric: Metric
    columns: Floats
    delta: float

    @classmethod
    def of(cls, made: Pair, metric: Metric) -> Self:
        """Project both systems, sum clusters, add the number of items a unit holds."""
        delta = metric.sign * (metric.score(made.b) - metric.score(made.a))
        if metric.form == "blackbox":
            return cls(made, metric, np.empty((made.n_clusters, 0)), delta)
        sizes = made.per_unit(np.ones((made.n, 1), dtype=np.int64))
        sides = [made.per_unit(metric.project(x)) for x in (made.a, made.b)]
        return cls(made, metric, np.hstack([*sides, sizes]).astype(np.float64), delta)

    def deltas_of(self, sums: Floats) -> Floats:
        """Delta from ``(rows, columns)`` sums over a resample."""
        k = (self.columns.shape[1] - 1) // 2
        items = sums[:, -1]
        first, second = sums[:, :k], sums[:, k : 2 * k]
        gain = self.metric.finish(second, items) - self.metric.finish(first, items)
        return self.metric.sign * gain

    def blocks(
        self, resamples: int, rng: Rng, workers: int = 1, progress: Progress | None = None
    ) -> Iterator[Floats]:
        """Replicates of delta, a block at a time."""
        if self.metric.form == "blackbox":
            return self._scored_afresh(resamples, rng)
        return replicate_blocks(
            self.columns,
            resamples,
            rng,
            statistic=self.deltas_of,
            workers=workers,
            progress=progress,
        )

    def _scored_afresh(self, resamples: int, rng: Rng) -> Iterator[Floats]:
        made = self.pair
        for counts in bootstrap_counts(made.n_clusters, resamples, rng):
            times = counts if made.clusters is None else counts[:, made.clusters]
            rows = (np.repeat(np.arange(made.n), row) for row in times)
            score = self.metric.score
            yield np.array([self.metric.sign * (score(made.b[r]) - score(made.a[r])) for r in rows])

    def ideal(self) -> IdealLaw:
        """The law of all resamples, where both systems share one denominator of whole numbers.

        Raises
        ------
        BudgetExceededError
            Where the metric or the data have no such law, with the reason.
        """
        swaps = Swaps.of(self.pair, self.metric)
        if not (swaps.shape.additive and swaps.shape.whole) or swaps.gains is None:
            raise BudgetExceededError(
                "only whole-number scores with one denominator for both systems have an ideal law"
            )
        weights = swaps.stay[:, 1] if self.metric.form == "ratio" else self.columns[:, -1]
        if weights.min() < 0:
            raise BudgetExceededError("denominators below zero have no ideal law")
        ratio = ResampledRatio.of(swaps.gains, weights.astype(np.int64))
        top, bottom = ratio.total
        unit = swaps.unit if self.metric.form == "mean" else 1.0
        return IdealLaw(ratio, Fraction(top, bottom) if bottom else Fraction(0), unit)

    @property
    def scale(self) -> float:
        """Size of the scores, against which rounding noise is measured."""
        return max(abs(self.metric.score(x)) for x in (self.pair.a, self.pair.b))


def _check(variant: str, alternative: str, method: str) -> None:
    for name, value, allowed in (
        ("variant", variant, ("shift", "sign")),
        ("alternative", alternative, tuple(ORIENT)),
        ("method", method, ("auto", "ideal", "sample")),
    ):
        if value not in allowed:
            raise UsageError(f"{name} is one of {', '.join(allowed)}, not {value!r}")
