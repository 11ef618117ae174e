"""The orchestrator: from aligned scores to verdicts, for systems x metrics x subsets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from betterthan import classic
from betterthan.data import Scores
from betterthan.effect import detectable_effect, difference_interval, is_binary, win_tie_loss
from betterthan.errors import UsageError
from betterthan.intervals import Interval
from betterthan.metrics import Metric, default, resolve
from betterthan.multiplicity import adjust
from betterthan.pairs import Pair, pair
from betterthan.permutation import permutation_test
from betterthan.results import VERSION, Alternative, Kind, TestResult, fingerprint
from betterthan.sampling import Rng

Verdict = Literal["better", "worse", "can't tell"]
Test = Literal["permutation", "wilcoxon", "sign", "mcnemar", "t"]
_CLASSIC: dict[str, Callable[..., TestResult]] = {
    "wilcoxon": classic.wilcoxon,
    "sign": classic.sign_test,
    "mcnemar": classic.mcnemar,
    "t": classic.t_test,
}
TESTS: tuple[Test, ...] = ("permutation", "wilcoxon", "sign", "mcnemar", "t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system against one baseline on one metric: the claim and everything that defends it.

    ``delta`` and ``interval`` are oriented towards better, whatever the metric's direction; the two
    scores are as the metric prints them. The verdict rests on ``pvalue_adjusted``, which equals
    ``pvalue`` when there was one comparison.
    """

    baseline: str
    system: str
    metric: str
    n: int
    score_baseline: float
    score_system: float
    delta: float
    interval: Interval
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float
    pvalue_adjusted: float
    log10_pvalue_adjusted: float
    alternative: Alternative
    alpha: float
    correction: str
    kind: Kind
    engine: str
    reason: str
    clusters: int | None
    wins: int | None
    ties: int | None
    losses: int | None
    mde: float | None
    verdict: Verdict
    notes: tuple[str, ...]
    signature: str
    subset: str | None = None
    percent: bool = False
    test: TestResult = field(repr=False, compare=False)

    def __str__(self) -> str:
        low, high = self.interval.low, self.interval.high
        return (
            f"{self.system} vs {self.baseline} ({self.metric}): {self.verdict}, "
            f"delta {self.delta:+.4g} [{low:+.4g}, {high:+.4g}]\n{self.test}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Several comparisons made together, and what was done about their number."""

    comparisons: tuple[Comparison, ...]
    correction: str
    alpha: float
    source: str
    notes: tuple[str, ...]
    signature: str

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, at: int) -> Comparison:
        return self.comparisons[at]


def compare(
    scores: Scores,
    baseline: str | None = None,
    system: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: Test = "permutation",
    method: str = "auto",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    rng: Rng = None,
) -> Comparison:
    """Compare one system with a baseline, item by item.

    Parameters
    ----------
    scores : Scores
        Aligned per-item results.
    baseline, system : str, optional
        Names; the first and the second system when there are just two.
    metric : str or Metric, optional
        What to compare; the mean of the only column by default.
    test : {"permutation", "wilcoxon", "sign", "mcnemar", "t"}
        How the p-value is made.
    method : str
        Engine of the permutation test, chosen by itself by default.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` asks only whether the system is better.
    alpha : float
        Level at which a verdict is given.
    rng : None, int or Generator
        Seed, should anything have to be sampled.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0] * 6 + [1] * 4, "new": [1] * 10})
    >>> result = compare(scores, "base", "new")
    >>> result.verdict, result.pvalue, result.wins, result.losses
    ('better', 0.03125, 6, 0)
    """
    baseline = baseline or scores.systems[0]
    if system is None:
        others = [name for name in scores.systems if name != baseline]
        if len(others) != 1:
            raise UsageError(
                f"there are {len(others)} systems to compare with {baseline!r}: name one of them, "
                "or use compare_many"
            )
        system = others[0]
    found = compare_many(
        scores,
        baseline,
        systems=(system,),
        metrics=None if metric is None else (metric,),
        test=test,
        method=method,
        alternative=alternative,
        alpha=alpha,
        rng=rng,
    )
    return found[0]


def compare_many(
    scores: Scores,
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: Test = "permutation",
    method: str = "auto",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: str = "holm",
    rng: Rng = None,
) -> Comparisons:
    """Compare every system with the baseline, on every metric, overall and by subset.

    The overall comparisons are adjusted together; so are those within subsets, among themselves.
    ``by`` names a label column of the scores. The other parameters are those of :func:`compare`.
    """
    if not 0.0 < alpha < 1.0:
        raise UsageError(f"alpha lies between 0 and 1, not {alpha!r}")
    if test not in TESTS:
        raise UsageError(f"test is one of {', '.join(TESTS)}, not {test!r}")
    baseline = baseline or scores.systems[0]
    scores.position(baseline)
    others = tuple(systems) if systems else tuple(s for s in scores.systems if s != baseline)
    if not others:
        raise UsageError(f"there is only one system, {baseline!r}: give a second one to compare")
    chosen = [_direct(m, scores) for m in (metrics or [default(scores.columns)])]
    plan = _Plan(test, method, alternative, alpha, rng)
    pairs = [(metric, other) for metric in chosen for other in others]
    overall = [plan.run(scores, baseline, other, metric) for metric, other in pairs]
    subsets = [
        plan.run(part, baseline, other, metric, subset)
        for subset, part in _parts(scores, by)
        for metric, other in pairs
    ]
    made = [
        *plan.judge(overall, correction if len(overall) > 1 else "none"),
        *plan.judge(subsets, correction if len(subsets) > 1 else "none"),
    ]
    applied = correction if len(made) > len(others) * len(chosen) or len(overall) > 1 else "none"
    notes = list(scores.notes)
    if subsets:
        notes.append(f"the {len(subsets)} subset rows are adjusted among themselves ({applied})")
    return Comparisons(
        comparisons=tuple(made),
        correction=applied,
        alpha=alpha,
        source=scores.source,
        notes=tuple(notes),
        signature=_signature(scores, made, applied, alpha),
    )


@dataclass(frozen=True, slots=True)
class _Undecided:
    """A tested pair whose verdict waits for the number of comparisons."""

    names: tuple[str, str]
    metric: Metric
    pair: Pair
    test: TestResult
    scores: tuple[float, float]
    notes: tuple[str, ...]
    subset: str | None
    percent: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """How pairs are tested and judged: the same for every pair of one call."""

    test: Test
    method: str
    alternative: Alternative
    alpha: float
    rng: Rng

    def run(
        self, scores: Scores, baseline: str, system: str, metric: Metric, subset: str | None = None
    ) -> _Undecided:
        """Test one pair."""
        if system == baseline:
            raise UsageError(f"{system!r} cannot be compared with itself: name two systems")
        a, b = scores.of(baseline, metric.columns), scores.of(system, metric.columns)
        made = pair(a, b, metric, scores.clusters)
        if self.test == "permutation":
            result = permutation_test(
                a,
                b,
                metric=metric,
                alternative=self.alternative,
                method=self.method,
                clusters=scores.clusters,
                alpha=self.alpha,
                rng=self.rng,
            )
        else:
            if metric.form != "mean":
                raise UsageError(f"the {self.test} test compares means, not {metric!r}")
            result = _CLASSIC[self.test](
                a[:, 0],
                b[:, 0],
                alternative=self.alternative,
                clusters=scores.clusters,
                lower_is_better=metric.lower_is_better,
            )
        notes = list(result.notes)
        if scores.responses is not None:
            notes.append("several responses an item: their means are compared, items are the units")
        return _Undecided(
            names=(baseline, system),
            metric=metric,
            pair=made,
            test=result,
            scores=(metric.score(a), metric.score(b)),
            notes=tuple(notes),
            subset=subset,
            percent=metric.percent or (metric.form == "mean" and is_binary(made)),
        )

    def judge(self, tested: list[_Undecided], correction: str) -> list[Comparison]:
        """Adjust for the number of comparisons, then decide each."""
        if not tested:
            return []
        logs = adjust(np.array([t.test.log10_pvalue for t in tested]), correction, log10=True)
        # Bonferroni's level makes the intervals hold together, whatever their dependence.
        shared = len(tested) if correction != "none" else 1
        return [
            self._decide(t, float(log10), correction, level=1.0 - self.alpha / shared)
            for t, log10 in zip(tested, logs, strict=True)
        ]

    def _decide(self, t: _Undecided, log10: float, correction: str, level: float) -> Comparison:
        a, b = t.scores
        p = t.test.pvalue if correction == "none" else 10.0**log10
        delta = t.metric.sign * (b - a)
        interval = difference_interval(
            t.metric, t.pair, level=level, alternative=self.alternative, rng=self.rng
        )
        wins, ties, losses = win_tie_loss(t.metric, t.pair)
        verdict = _verdict(p, delta, self.alpha, self.alternative)
        notes = t.notes + _border(verdict, interval)
        return Comparison(
            baseline=t.names[0],
            system=t.names[1],
            metric=repr(t.metric),
            n=t.pair.n,
            score_baseline=a,
            score_system=b,
            delta=delta,
            interval=interval,
            pvalue=t.test.pvalue,
            pvalue_low=t.test.pvalue_low,
            pvalue_high=t.test.pvalue_high,
            log10_pvalue=t.test.log10_pvalue,
            pvalue_adjusted=p,
            log10_pvalue_adjusted=log10,
            alternative=self.alternative,
            alpha=self.alpha,
            correction=correction,
            kind=t.test.kind,
            engine=t.test.engine,
            reason=t.test.reason,
            clusters=t.test.clusters,
            wins=wins,
            ties=ties,
            losses=losses,
            mde=detectable_effect(t.metric, t.pair, alpha=self.alpha, alternative=self.alternative),
            verdict=verdict,
            notes=notes,
            signature=t.test.signature,
            subset=t.subset,
            percent=t.percent,
            test=t.test,
        )


def _direct(metric: str | Metric, scores: Scores) -> Metric:
    """Fit the metric to the columns, and to the direction the user gave for them."""
    found = resolve(metric, scores.columns)
    return found.lowered() if scores.lower_is_better else found


def _parts(scores: Scores, by: str | None) -> Iterator[tuple[str, Scores]]:
    if by is None:
        return
    labels = scores.labels(by)
    for label in sorted(set(labels.tolist())):
        yield f"{by}={label}", replace(scores.only(np.flatnonzero(labels == label)), notes=())


def _verdict(p: float, delta: float, alpha: float, alternative: Alternative) -> Verdict:
    if p > alpha or (delta == 0 and alternative == "two-sided"):
        return "can't tell"
    if alternative == "two-sided":
        return "better" if delta > 0 else "worse"
    return "better" if alternative == "greater" else "worse"


def _border(verdict: Verdict, interval: Interval) -> tuple[str, ...]:
    """Say aloud when the interval and the p-value fall on different sides."""
    excludes_zero = interval.low > 0 or interval.high < 0
    if excludes_zero == (verdict != "can't tell"):
        return ()
    side = "excludes" if excludes_zero else "includes"
    return (
        f"border case: the {interval.method} interval {side} zero; the verdict follows the p-value",
    )


def _signature(scores: Scores, made: Sequence[Comparison], correction: str, alpha: float) -> str:
    first = made[0]
    kinds = "+".join(sorted({f"{c.test.test}-{c.kind}" for c in made}))
    parts = [
        f"betterthan:{VERSION}",
        kinds,
        f"m:{'+'.join(dict.fromkeys(c.metric for c in made))}",
        f"n:{scores.n}",
        f"a:{alpha:g}",
        {"two-sided": "2s", "greater": "1s>", "less": "1s<"}[first.alternative],
        f"adj:{correction}",
        f"data:{fingerprint(scores.values)}",
    ]
    if first.clusters is not None:
        parts.insert(4, f"c:{first.clusters}")
    if any(c.kind == "sampled" for c in made):
        parts.insert(-1, first.signature.partition("|seed:")[2].partition("|")[0] or "seed:none")
    return "|".join(parts)
