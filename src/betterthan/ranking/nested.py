"""Items nested in tasks: a leaderboard for each, and one over all in which tasks weigh the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from betterthan.data.scores import Scores
from betterthan.metrics import Metric
from betterthan.ranking.decisions import rating
from betterthan.ranking.disagreement import Disagreement, disagreement, mean_disagreement
from betterthan.ranking.methods import Method
from betterthan.ranking.prepared import prepare
from betterthan.ranking.result import Ranking
from betterthan.resampling.generator import Rng, as_generator
from betterthan.resampling.work import Sampling
from betterthan.tables.accepted import Frame, as_scores


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


def rank_by_task(
    data: Scores | Frame,
    method: Method | str = "mean",
    *,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> TaskRankings:
    """Rank on every task, and over all of them by macro-average.

    Parameters
    ----------
    data : Scores or data frame
        With tasks: read with a ``task`` among the columns, or ``scores.with_tasks(...)``.
    method, metric, **sampling
        As in :func:`betterthan.rank`.
    rng : None, int or Generator
        Seed.

    Examples
    --------
    >>> scores = Scores.from_arrays(
    ...     {"a": [1, 1, 1, 0, 0], "b": [0, 1, 1, 1, 1]}, groups={"task": list("xxxyy")}
    ... )
    >>> found = rank_by_task(scores.with_tasks("task"))
    >>> found.overall.names, found.overall.scores.round(4).tolist()
    (('b', 'a'), [0.8333, 0.5])
    """
    scores = as_scores(data, metric=metric)
    parts = {task: prepare(part, metric=metric) for task, part in scores.by_task().items()}
    generator = as_generator(rng)
    overall = rating(scores, method, metric=metric, rng=generator, **sampling)
    by_task = {k: rating(part, method, rng=generator, **sampling) for k, part in parts.items()}
    found = {k: disagreement(part, rng=generator, **sampling) for k, part in parts.items()}
    found["average"] = mean_disagreement(d for some in list(found.values()) for d in some)
    return TaskRankings(overall, by_task, found)
