"""Comparisons of systems: of two, of all with a baseline, of every pair."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Unpack

from betterthan.blame import blames_arguments
from betterthan.comparison.orchestrator import WORKERS, Asked, Comparing
from betterthan.comparison.over_tasks import AHEAD
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.data.accepted import Frame, as_rows
from betterthan.data.arguments import among, several
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.errors import UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.sums import Progress
from betterthan.testing.by_name import TestName
from betterthan.testing.request import Request, Variant

__all__ = ["Comparison", "Comparisons", "compare", "compare_all", "compare_many"]


def compare(
    scores: Scores | Tallied | Frame,
    baseline: str | None = None,
    candidate: str | None = None,
    *,
    metric: str | Metric | None = None,
    test: TestName = "permutation",
    method: str = "auto",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    variant: Variant = "shift",
    recentre: bool = False,
    strict: bool = False,
    resamples: int | None = None,
    workers: int = WORKERS,
    executor: Any = None,
    progress: Progress | None = None,
    rng: Rng = 0,
) -> Comparison:
    """Compare one system with a baseline, item by item.

    Parameters
    ----------
    scores : Scores, Tallied or data frame
        Aligned per-item results, or their tally; or a frame of pandas, polars or pyarrow, with a
        column per system or a row per item and system, paired by its item column or index.
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
    variant, recentre, strict
        Of the bootstrap, as in :func:`betterthan.bootstrap_test`.
    resamples : int, optional
        Number of random draws, where the p-value is sampled.
    workers, executor
        Who draws them, as in :func:`betterthan.bootstrap_test`: by default as many threads as there
        are processors, up to eight.
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
    scores = as_rows(scores, systems=(baseline, candidate), metric=metric)
    baseline = scores.baseline(baseline, [candidate] if candidate else ())
    if candidate is None:
        others = [name for name in scores.systems if name != baseline]
        if len(others) != 1:
            scores.position(baseline)  # a name that is none of theirs
            if not others:
                read = f" ({scores.source})" if scores.source else ""
                raise UsageError(f"{baseline!r} is the only system{read}: give scores of two")
            raise UsageError(
                f"there are {len(others)} systems to compare with {baseline!r}: name one of them, "
                "or use compare_many"
            )
        candidate = others[0]
    plan = Comparing(test, "none", among(Request, locals()))
    metrics = None if metric is None else (metric,)
    everything = plan.run(scores, [(baseline, candidate)], metrics)
    found = everything[0]
    tasks = scores.tasks if isinstance(scores, Scores) else None
    if tasks is not None and (found.subset is not None or found.metric == repr(AHEAD)):
        raise UsageError(
            f"the tasks ({tasks}) have no mean by this metric and test: compare_many has a "
            "verdict for each"
        )
    # One comparison is the whole run: it is signed as the command line signs it.
    return replace(found, notes=(*everything.notes, *found.notes), signature=everything.signature)


def compare_many(
    scores: Scores | Tallied | Frame,
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    tasks: str | None = None,
    correction: str = "holm",
    **asked: Unpack[Asked],
) -> Comparisons:
    """Compare every system with the baseline, on every metric, overall and by subset.

    The overall comparisons are adjusted together; so are those within subsets, among themselves.
    ``by`` names a label column of the scores, whose parts are compared beside all items together;
    ``tasks`` one of tasks, each compared by its own metric (of several asked for, those it has)
    beside the mean over tasks, in which they weigh the same; scores that were read with tasks have
    them already. ``correction`` is ``"holm"``, ``"max-t"`` (step-down, from shared swaps, of
    permutation tests), ``"bonferroni"``, ``"hochberg"`` and ``"sidak"`` (for independent or
    positively dependent tests), ``"bh"``, ``"by"`` or ``"none"``. ``test``, ``method``,
    ``alternative``, ``alpha``, ``resamples``, ``workers``, ``executor``, ``progress`` and ``rng``
    are as in :func:`compare`.
    """
    if systems is not None:
        systems = several("systems", systems)
    if metrics is not None:
        metrics = several("metrics", metrics)
    named = (baseline, *(systems or (None,)))
    scores = as_rows(scores, systems=named, label=by, tasks=tasks, metric=metrics)
    baseline = scores.baseline(baseline, systems or ())
    scores.positions([baseline])  # refuses what is none
    others = tuple(systems) if systems else tuple(s for s in scores.systems if s != baseline)
    if not others:
        raise _alone(baseline)
    plan = Comparing.of(correction, **asked)
    return plan.run(
        scores, [(baseline, other) for other in others], metrics, by, named=tasks is not None
    )


@blames_arguments
def compare_all(
    scores: Scores | Tallied | Frame,
    *,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    tasks: str | None = None,
    correction: str = "holm",
    **asked: Unpack[Asked],
) -> Comparisons:
    """Compare every pair of systems, the earlier one as the baseline.

    Bootstrap tests and intervals of all pairs come from one set of resamples. ``systems`` are all
    by default; all else is as in :func:`compare_many`.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [0, 0, 1, 1], "b": [1, 0, 1, 1], "c": [1, 1, 1, 1]})
    >>> [(c.baseline, c.candidate) for c in compare_all(scores, test="bootstrap")]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    if systems is not None:
        systems = several("systems", systems)
    if metrics is not None:
        metrics = several("metrics", metrics)
    scores = as_rows(scores, systems=systems or (), label=by, tasks=tasks, metric=metrics)
    names = tuple(systems) if systems else scores.systems
    if len(names) < 2:
        raise _alone(names[0])
    plan = Comparing.of(correction, **asked)
    return plan.run(scores, list(combinations(names, 2)), metrics, by, named=tasks is not None)


def _alone(system: str) -> UsageError:
    return UsageError(
        f"there is only one system, {system!r}: give a second one to compare, or take its score "
        "with an interval: bt.estimate(scores)"
    )
