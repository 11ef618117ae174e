"""Items nested in tasks: a leaderboard for each, and one over all in which tasks weigh the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from betterthan.blame import blames_arguments
from betterthan.data.accepted import Frame, as_scores
from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.ranking.decisions import rank
from betterthan.ranking.disagreement import Disagreement, disagreement, mean_disagreement
from betterthan.ranking.prepared import prepare
from betterthan.ranking.result import Aggregation, Ranking
from betterthan.resampling.generator import Rng, as_generator


@dataclass(frozen=True, slots=True, eq=False)
class TaskRankings:
    """Rankings by task and over all tasks.

    Attributes
    ----------
    overall : Ranking
        Tasks weigh the same; items are resampled within their task.
    by_task : mapping of str to Ranking
        Each task on its own.
    disagreement : mapping of str to tuple of Disagreement
        Between mean, median and Bradley-Terry on each task (the paper's Table 3), and under
        ``"average"`` over them.
    """

    overall: Ranking
    by_task: Mapping[str, Ranking]
    disagreement: Mapping[str, tuple[Disagreement, ...]]


@blames_arguments
def rank_by_task(
    scores: Scores | Frame,
    tasks: str,
    method: Aggregation = "mean",
    *,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **options: Any,
) -> TaskRankings:
    """Rank on every task, and over all of them by macro-average.

    Parameters
    ----------
    scores : Scores or data frame
        With a label column that names each item's task.
    tasks : str
        That column.
    method, metric
        As in :func:`betterthan.ranking.rank`.
    rng : None, int or Generator
        Seed.
    **options
        Passed to :func:`betterthan.ranking.rank`; ``workers`` and ``executor`` also find the
        disagreement.

    Examples
    --------
    >>> scores = Scores.from_arrays(
    ...     {"a": [1, 1, 1, 0, 0], "b": [0, 1, 1, 1, 1]}, groups={"task": list("xxxyy")}
    ... )
    >>> found = rank_by_task(scores, "task")
    >>> found.overall.names, found.overall.scores.round(4).tolist()
    (('b', 'a'), [0.8333, 0.5])
    """
    scores = as_scores(scores, label=tasks, metric=metric)
    generator = as_generator(rng)
    parts = {
        task: prepare(part, metric=metric)
        for task, part in scores.with_tasks(tasks).by_task().items()
    }
    options["rng"] = generator
    shared = {name: options[name] for name in ("workers", "executor", "rng") if name in options}
    overall = rank(scores, method, metric=metric, tasks=tasks, **options)
    by_task = {task: rank(part, method, **options) for task, part in parts.items()}
    found = {task: disagreement(part, **shared) for task, part in parts.items()}
    found["average"] = mean_disagreement(d for some in list(found.values()) for d in some)
    return TaskRankings(overall, by_task, found)
