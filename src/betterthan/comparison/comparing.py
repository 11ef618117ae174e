"""The orchestrator: from aligned scores to verdicts, for systems x metrics x subsets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from betterthan.comparison.multiplicity import CORRECTIONS
from betterthan.comparison.verdicts import Comparison, Comparisons, Tested, judge
from betterthan.data.accepted import Frame, as_scores
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.intervals.choice import Resamples
from betterthan.metrics import Metric
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.sums import Progress
from betterthan.results.signature import signature
from betterthan.testing.by_name import TESTS, TestName, run_tests
from betterthan.testing.request import Request

__all__ = ["Comparison", "Comparisons", "compare", "compare_all", "compare_many"]

WORKERS = min(8, os.cpu_count() or 1)
"""Threads that draw resamples; what they draw is the same for any number."""


def compare(
    scores: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: TestName = "permutation",
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
    scores : Scores or data frame
        Aligned per-item results; or a frame of pandas, polars or pyarrow, with a column per system
        or a row per item and system, paired by its item column or index.
    baseline, candidate : str, optional
        Names; the first and the second system when there are just two.
    metric : str or Metric, optional
        What to compare; the mean of the only column by default.
    test : {"permutation", "bootstrap", "wilcoxon", "sign", "mcnemar", "t", "mood"}
        How the p-value is made.
    method : str
        Engine of the permutation test, or ``"ideal"`` or ``"sample"`` for the bootstrap; chosen by
        itself by default.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` asks only whether the candidate is better.
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
    scores = as_scores(scores, systems=(baseline, candidate), metric=metric)
    baseline = baseline or scores.systems[0]
    if candidate is None:
        others = [name for name in scores.systems if name != baseline]
        if len(others) != 1:
            raise UsageError(
                f"there are {len(others)} systems to compare with {baseline!r}: name one of them, "
                "or use compare_many"
            )
        candidate = others[0]
    plan = _Plan(test, "none", _asked(method, alternative, alpha, resamples, progress, rng))
    metrics = None if metric is None else (metric,)
    return plan.run(scores, [(baseline, candidate)], metrics)[0]


def compare_many(
    scores: Scores | Frame,
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: TestName = "permutation",
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
    from shared swaps), ``"bonferroni"``, ``"hochberg"`` and ``"sidak"`` (for independent or
    positively dependent tests), ``"bh"``, ``"by"`` or ``"none"``. The other parameters are
    those of :func:`compare`.
    """
    named = (baseline, *(systems or (None,)))
    scores = as_scores(scores, systems=named, label=by, metric=metrics)
    baseline = baseline or scores.systems[0]
    scores.position(baseline)
    others = tuple(systems) if systems else tuple(s for s in scores.systems if s != baseline)
    if not others:
        raise UsageError(f"there is only one system, {baseline!r}: give a second one to compare")
    plan = _Plan(test, correction, _asked(method, alternative, alpha, resamples, progress, rng))
    return plan.run(scores, [(baseline, other) for other in others], metrics, by)


def compare_all(
    scores: Scores | Frame,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: TestName = "permutation",
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
    >>> [(c.baseline, c.candidate) for c in compare_all(scores, test="bootstrap")]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    scores = as_scores(scores, systems=systems or (), label=by, metric=metrics)
    names = tuple(systems) if systems else scores.systems
    if len(names) < 2:
        raise UsageError(f"there is only one system, {names[0]!r}: give a second one to compare")
    plan = _Plan(test, correction, _asked(method, alternative, alpha, resamples, progress, rng))
    return plan.run(scores, list(combinations(names, 2)), metrics, by)


def _asked(  # noqa: PLR0917 (the options of every comparison, in their order)
    method: str,
    alternative: Alternative,
    alpha: float,
    resamples: int | None,
    progress: Progress | None,
    rng: Rng,
) -> Request:
    return Request(
        method=method,
        alternative=alternative,
        alpha=alpha,
        resamples=resamples,
        workers=WORKERS,
        progress=progress,
        rng=rng,
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """How pairs are tested and judged: the same for every pair of one call."""

    test: TestName
    correction: str
    request: Request

    def __post_init__(self) -> None:
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
        chosen = [scores.measured(metric) for metric in metrics or (None,)]
        overall = [self._tested(scores, pairs, metric, None) for metric in chosen]
        parts = [
            self._tested(part, pairs, metric, f"{by}={label}")
            for label, part in (scores.parts(by) if by is not None else ())
            for metric in chosen
        ]
        made = [
            comparison
            for families in (overall, parts)
            for comparison in judge(
                families, alpha=self.request.alpha, correction=self.correction, rng=self.request.rng
            )
        ]
        rows = len(pairs) * max(len(overall), len(parts))
        applied = self.correction if rows > 1 else "none"
        notes = list(scores.notes)
        if parts:
            rows = len(pairs) * len(parts)
            notes.append(f"the {rows} subset rows are adjusted among themselves ({applied})")
        return Comparisons(
            comparisons=tuple(made),
            correction=applied,
            alpha=self.request.alpha,
            source=scores.source,
            notes=tuple(notes),
            signature=self._signature(overall, made, applied),
        )

    def _tested(
        self, scores: Scores, pairs: Sequence[tuple[str, str]], metric: Metric, subset: str | None
    ) -> Tested:
        """Test the pairs on one metric and one set of items."""
        # Sorted, so that the order of the systems in the data leaves no trace in what is drawn.
        names = sorted({name for both in pairs for name in both})
        joint = scores.joint(names, metric)
        places = [(names.index(first), names.index(second)) for first, second in pairs]
        results = run_tests(joint, places, self.test, self.request)
        responses = (
            ("several responses an item: their means are compared, items are the units",)
            if scores.responses is not None
            else ()
        )
        return Tested(joint, places, results, responses, subset, Resamples(joint, self.request.rng))

    def _signature(
        self, overall: Sequence[Tested], made: Sequence[Comparison], correction: str
    ) -> str:
        joint = overall[0].joint
        return signature(
            "+".join(sorted({f"{c.test.test}-{c.kind}" for c in made})),
            metric="+".join(dict.fromkeys(c.metric for c in made)),
            n=joint.n,
            clusters=joint.clusters,
            alpha=self.request.alpha,
            alternative=self.request.alternative,
            correction=correction,
            seed=self.request.rng if self.request.rng is not None else "none",
            data=[array for tested in overall for array in tested.joint.hashed],
        )
