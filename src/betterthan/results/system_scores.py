"""The score of every system by every metric, before any comparison."""

from collections.abc import Sequence
from dataclasses import dataclass

from betterthan.data.accepted import Frame, as_scores
from betterthan.data.arguments import several
from betterthan.data.scores import Scores
from betterthan.metrics import Metric, default, resolve
from betterthan.results.protocol import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores(Result):
    """Scores of whole systems; it has no plot.

    Attributes
    ----------
    systems : tuple of str
        Names.
    metrics : tuple of Metric
        What they were scored by.
    values : tuple of tuples of float
        A score per system and metric; rates are between 0 and 1.
    rates : tuple of bool
        Whether a metric's scores are printed in points.
    n : int
        Items.
    source : str
        What was read.
    notes : tuple of str
        What the reader should know.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: tuple[tuple[float, ...], ...]
    rates: tuple[bool, ...]
    n: int
    source: str = ""
    notes: tuple[str, ...] = ()


def score(scores: Scores | Frame, metrics: Sequence[str | Metric] | None = None) -> SystemScores:
    """Score whole systems; by the mean of the only column by default.

    >>> score(Scores.from_arrays({"base": [0, 0, 1, 1], "new": [0, 1, 1, 1]})).values
    ((0.5,), (0.75,))
    """
    scores = as_scores(scores, metric=metrics)
    asked = [default(scores.columns)] if metrics is None else several("metrics", metrics)
    chosen = [resolve(metric, scores.columns) for metric in asked]
    chosen = [metric.lowered() if scores.lowers(metric) else metric for metric in chosen]
    for metric in chosen:
        scores.refuse_other_metrics(metric)
    return SystemScores(
        systems=scores.systems,
        metrics=tuple(chosen),
        values=tuple(
            tuple(metric.score(scores.of(system, metric.columns)) for metric in chosen)
            for system in scores.systems
        ),
        rates=tuple(scores.is_rate(metric) for metric in chosen),
        n=scores.n,
        source=scores.source,
        notes=scores.notes,
    )
