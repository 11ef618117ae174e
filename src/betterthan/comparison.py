"""The orchestrator: from aligned scores to verdicts, for systems x metrics x subsets."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

from betterthan import classic
from betterthan.bootstrap import bootstrap_pairs
from betterthan.data import Floats, Scores
from betterthan.effect import Resamples
from betterthan.errors import UsageError
from betterthan.metrics import Metric, default, resolve
from betterthan.multiplicity import CORRECTIONS
from betterthan.pairs import pair
from betterthan.permutation import permutation_test
from betterthan.resampling import Progress
from betterthan.results import SIDES, VERSION, Alternative, TestResult, fingerprint
from betterthan.sampling import Rng
from betterthan.verdicts import Comparison, Comparisons, Pending, judge

__all__ = ["TESTS", "Comparison", "Comparisons", "Test", "compare", "compare_all", "compare_many"]

Test = Literal["permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t"]
TESTS: tuple[Test, ...] = ("permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t")
WORKERS = min(8, os.cpu_count() or 1)
"""Threads that draw resamples; what they draw is the same for any number."""

_CLASSIC: dict[str, Callable[..., TestResult]] = {
    "wilcoxon": classic.wilcoxon,
    "sign": classic.sign_test,
    "mcnemar": classic.mcnemar,
    "t": classic.t_test,
}


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
    resamples: int | None = None,
    progress: Progress | None = None,
    rng: Rng = 0,
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
    test : {"permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t"}
        How the p-value is made.
    method : str
        Engine of the permutation test, or ``"ideal"`` or ``"sample"`` for the bootstrap; chosen by
        itself by default.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` asks only whether the system is better.
    alpha : float
        Level at which a verdict is given.
    resamples : int, optional
        Number of random draws, where the p-value is sampled.
    progress : callable, optional
        Called with the bootstrap's resamples done and their total.
    rng : None, int or Generator
        Seed, should anything have to be sampled; a fixed one by default, so that the same question
        gets the same answer.

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
    plan = _Plan(test, method, alternative, alpha, "none", resamples, progress, rng)
    metrics = None if metric is None else (metric,)
    return plan.run(scores, [(baseline, system)], metrics)[0]


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
    resamples: int | None = None,
    progress: Progress | None = None,
    rng: Rng = 0,
) -> Comparisons:
    """Compare every system with the baseline, on every metric, overall and by subset.

    The overall comparisons are adjusted together; so are those within subsets, among themselves.
    ``by`` names a label column of the scores; ``correction`` is ``"holm"``, ``"max-t"`` (step-down,
    from shared swaps), ``"bonferroni"``, ``"bh"``, ``"by"`` or ``"none"``. The other parameters are
    those of :func:`compare`.
    """
    baseline = baseline or scores.systems[0]
    scores.position(baseline)
    others = tuple(systems) if systems else tuple(s for s in scores.systems if s != baseline)
    if not others:
        raise UsageError(f"there is only one system, {baseline!r}: give a second one to compare")
    plan = _Plan(test, method, alternative, alpha, correction, resamples, progress, rng)
    return plan.run(scores, [(baseline, other) for other in others], metrics, by)


def compare_all(
    scores: Scores,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: Test = "permutation",
    method: str = "auto",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: str = "holm",
    resamples: int | None = None,
    progress: Progress | None = None,
    rng: Rng = 0,
) -> Comparisons:
    """Compare every pair of systems, the earlier one as the baseline.

    Bootstrap tests and intervals of all pairs come from one set of resamples. ``systems`` are all
    by default; the other parameters are those of :func:`compare_many`.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [0, 0, 1, 1], "b": [1, 0, 1, 1], "c": [1, 1, 1, 1]})
    >>> [(c.baseline, c.system) for c in compare_all(scores, test="bootstrap")]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    names = tuple(systems) if systems else scores.systems
    if len(names) < 2:
        raise UsageError(f"there is only one system, {names[0]!r}: give a second one to compare")
    plan = _Plan(test, method, alternative, alpha, correction, resamples, progress, rng)
    return plan.run(scores, list(combinations(names, 2)), metrics, by)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How pairs are tested and judged: the same for every pair of one call."""

    test: Test
    method: str
    alternative: Alternative
    alpha: float
    correction: str
    resamples: int | None
    progress: Progress | None
    rng: Rng

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise UsageError(f"alpha lies between 0 and 1, not {self.alpha!r}")
        if self.test not in TESTS:
            raise UsageError(f"test is one of {', '.join(TESTS)}, not {self.test!r}")
        if self.correction not in CORRECTIONS:
            known = ", ".join(CORRECTIONS)
            raise UsageError(f"correction is one of {known}, not {self.correction!r}")

    def run(
        self,
        scores: Scores,
        pairs: Sequence[tuple[str, str]],
        metrics: Sequence[str | Metric] | None,
        by: str | None = None,
    ) -> Comparisons:
        """Test all pairs on all metrics, overall and in parts, and judge them."""
        for first, second in pairs:
            if first == second:
                raise UsageError(f"{first!r} cannot be compared with itself: name two systems")
        chosen = [resolve(m, scores.columns) for m in metrics or [default(scores.columns)]]
        if scores.lower_is_better:
            chosen = [metric.lowered() for metric in chosen]
        overall = [t for metric in chosen for t in self._tested(scores, pairs, metric, None)]
        parts = [
            t
            for label, part in (scores.parts(by) if by is not None else ())
            for metric in chosen
            for t in self._tested(part, pairs, metric, f"{by}={label}")
        ]
        made = [
            comparison
            for tested in (overall, parts)
            for comparison in judge(
                tested, alpha=self.alpha, correction=self.correction, rng=self.rng
            )
        ]
        applied = self.correction if max(len(overall), len(parts)) > 1 else "none"
        notes = list(scores.notes)
        if parts:
            notes.append(f"the {len(parts)} subset rows are adjusted among themselves ({applied})")
        return Comparisons(
            comparisons=tuple(made),
            correction=applied,
            alpha=self.alpha,
            source=scores.source,
            notes=tuple(notes),
            signature=self._signature(scores, made, applied),
        )

    def _tested(
        self, scores: Scores, pairs: Sequence[tuple[str, str]], metric: Metric, subset: str | None
    ) -> list[Pending]:
        """Test the pairs on one metric and one set of items."""
        names = list(dict.fromkeys(name for both in pairs for name in both))
        values = [scores.of(name, metric.columns) for name in names]
        at = [(names.index(first), names.index(second)) for first, second in pairs]
        made = [pair(values[i], values[j], metric, scores.clusters) for i, j in at]
        if self.test == "bootstrap":
            results = bootstrap_pairs(
                values,
                at,
                metric,
                alternative=self.alternative,
                method=self.method,
                resamples=self.resamples,
                clusters=scores.clusters,
                alpha=self.alpha,
                workers=WORKERS,
                progress=self.progress,
                rng=self.rng,
            )
        else:
            results = [self._test(values[i], values[j], metric, scores) for i, j in at]
        responses = (
            ("several responses an item: their means are compared, items are the units",)
            if scores.responses is not None
            else ()
        )
        resamples = Resamples(values, metric, made[0].clusters, made[0].n_clusters, self.rng)
        return [
            Pending(
                *both,
                metric=metric,
                pair=one,
                test=result,
                notes=result.notes + responses,
                subset=subset,
                deltas=partial(resamples.deltas, i, j),
            )
            for both, (i, j), one, result in zip(pairs, at, made, results, strict=True)
        ]

    def _test(
        self,
        a: Floats,
        b: Floats,
        metric: Metric,
        scores: Scores,
    ) -> TestResult:
        if self.test == "permutation":
            return permutation_test(
                a,
                b,
                metric,
                self.alternative,
                self.method,
                clusters=scores.clusters,
                resamples=self.resamples,
                alpha=self.alpha,
                rng=self.rng,
            )
        if metric.form != "mean":
            raise UsageError(f"the {self.test} test compares means, not {metric!r}")
        return _CLASSIC[self.test](
            a[:, 0],
            b[:, 0],
            alternative=self.alternative,
            clusters=scores.clusters,
            lower_is_better=metric.lower_is_better,
        )

    def _signature(self, scores: Scores, made: Sequence[Comparison], correction: str) -> str:
        clusters = made[0].clusters
        parts = [
            f"betterthan:{VERSION}",
            "+".join(sorted({f"{c.test.test}-{c.kind}" for c in made})),
            f"m:{'+'.join(dict.fromkeys(c.metric for c in made))}",
            f"n:{scores.n}",
            *([] if clusters is None else [f"c:{clusters}"]),
            f"a:{self.alpha:g}",
            SIDES[self.alternative],
            f"adj:{correction}",
            f"seed:{self.rng if isinstance(self.rng, int) else 'none'}",
            f"data:{fingerprint(scores.values)}",
        ]
        return "|".join(parts)
