"""Comparisons of systems: of two, of all with a baseline, of every pair."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Unpack

from betterthan.checks import several
from betterthan.comparison.orchestrator import Comparing
from betterthan.comparison.over_tasks import AHEAD
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, Remedy, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.tables.accepted import Frame, as_rows
from betterthan.testing.values import PairedTest

__all__ = ["Comparison", "Comparisons", "compare", "compare_all", "compare_many"]


def compare(
    data: Scores | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: str | PairedTest = "permutation",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Comparison:
    """Compare one system with a baseline, item by item.

    Parameters
    ----------
    data : Scores or data frame
        Aligned per-item results, or their tally; or a frame of pandas, polars or pyarrow, with a
        column per system or a row per item and system, paired by its item column or index.
    baseline, candidate : str, optional
        Names; the first and the second system when there are just two.
    metric : str or Metric, optional
        What to compare; the mean of the only column by default.
    test : str or value of ``bt.tests``
        How the p-value is made: ``"permutation"``, ``"bootstrap"``, ``"wilcoxon"``, ``"sign"``,
        ``"mcnemar"``, ``"t"`` or ``"mood"``; with options ``"bootstrap(variant=sign)"``, which is
        ``bt.tests.Bootstrap(variant="sign")``.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` asks only whether the candidate is better.
    alpha : float
        Significance level of the verdict; intervals have the level ``1 - alpha``.
    rng : None, int or Generator
        Seed, should anything have to be sampled; a fixed one by default, so that the same question
        gets the same answer.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; ``workers`` are as many threads as there
        are processors by default, up to eight.

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
    plan = Comparing.of(test, "none", sampling, alternative=alternative, alpha=alpha, rng=rng)
    scores = as_rows(data, systems=(baseline, candidate), metric=metric)
    baseline = scores.baseline(baseline, [candidate] if candidate else ())
    if candidate is None:
        others = [name for name in scores.systems if name != baseline]
        if len(others) != 1:
            if not others:
                raise _alone(baseline)
            raise UsageError(
                f"there are {len(others)} systems to compare with {baseline!r}: choose one, or "
                "compare them all (compare_many)",
                Remedy("", "candidate", others[0]),
            )
        candidate = others[0]
    scores.position(candidate, "candidate")
    comparisons = plan.run(scores, [(baseline, candidate)], () if metric is None else (metric,))
    comparison = comparisons[0]
    tasks = scores.tasks
    if tasks is not None and (comparison.subset is not None or comparison.metric == repr(AHEAD)):
        raise UsageError(
            f"the tasks ({tasks}) have no mean by this metric and test: compare_many has a "
            "verdict for each"
        )
    # One comparison is the whole run: it is signed as the command line signs it.
    notes = (*comparisons.notes, *comparison.notes)
    return replace(comparison, notes=notes, signature=comparisons.signature)


def compare_many(
    data: Scores | Frame,
    baseline: str | None = None,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: str | PairedTest = "permutation",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: str = "holm",
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Comparisons:
    """Compare every system with the baseline, on every metric, overall and by subset.

    The overall comparisons are adjusted together; so are those within subsets, among themselves.
    To compare only some systems, select them: ``compare_many(scores.select("base", "new"))``.

    Parameters
    ----------
    data, test, alternative, alpha, rng, **sampling
        As in :func:`compare`. Of data with tasks each task is compared by its own metric (of
        several asked for, those it has), beside the mean over tasks, in which they weigh the same.
    baseline : str, optional
        The system that the others are compared with; the first by default.
    metric : str, Metric or sequence of these, optional
        What to compare; the mean of the only column by default.
    by : str, optional
        A label column: each of its values is compared as well, beside all items together.
    correction : str
        For several comparisons: ``"holm"``, ``"max-t"`` (step-down, from shared swaps, of
        permutation tests), ``"bonferroni"``, ``"hochberg"`` and ``"sidak"`` (for independent or
        positively dependent tests), ``"bh"``, ``"by"`` or ``"none"``.

    Returns
    -------
    Comparisons
        A sequence, which is indexed by the name of a candidate as well.

    Examples
    --------
    >>> scores = Scores.from_arrays({"base": [0] * 9, "new": [1] * 9, "old": [0] * 8 + [1]})
    >>> compare_many(scores)["new"].verdict
    'better'
    """
    plan = Comparing.of(test, correction, sampling, alternative=alternative, alpha=alpha, rng=rng)
    metrics = () if metric is None else several("metric", metric)
    scores = as_rows(data, systems=(baseline, None), label=by, metric=metrics or None)
    baseline = scores.baseline(baseline)
    others = [name for name in scores.systems if name != baseline]
    if not others:
        raise _alone(baseline)
    return plan.run(scores, [(baseline, other) for other in others], metrics, by)


def compare_all(
    data: Scores | Frame,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    by: str | None = None,
    test: str | PairedTest = "permutation",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    correction: str = "holm",
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Comparisons:
    """Compare every pair of systems, the earlier one as the baseline.

    Bootstrap tests and intervals of all pairs come from one set of resamples. Parameters are those
    of :func:`compare_many`.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [0, 0, 1, 1], "b": [1, 0, 1, 1], "c": [1, 1, 1, 1]})
    >>> [(c.baseline, c.candidate) for c in compare_all(scores, test="bootstrap")]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    plan = Comparing.of(test, correction, sampling, alternative=alternative, alpha=alpha, rng=rng)
    metrics = () if metric is None else several("metric", metric)
    scores = as_rows(data, label=by, metric=metrics or None)
    if len(scores.systems) < 2:
        raise _alone(scores.systems[0])
    return plan.run(scores, list(combinations(scores.systems, 2)), metrics, by)


def _alone(system: str) -> AlignmentError:
    return AlignmentError(
        f"there is only one system, {system!r}, and nothing to compare it with",
        Remedy("its score, with an interval", command="score"),
    )
