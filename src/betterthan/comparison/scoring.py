"""The score of every system, with an interval: for systems x metrics x subsets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from betterthan.checks import check_bounds, check_keywords, several
from betterthan.comparison.over_tasks import metrics_of
from betterthan.data.pair import Joint
from betterthan.data.scores import Scores
from betterthan.errors import Note, Remedy
from betterthan.intervals.bounded import Bounds
from betterthan.intervals.one_system import score_interval
from betterthan.metrics import Metric, expand_classes
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.interval import Interval
from betterthan.results.number_format import digits, number
from betterthan.results.protocol import Sequenced
from betterthan.results.signature import signature
from betterthan.tables.accepted import Frame, as_scores
from betterthan.testing.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """One system's score on one metric, and where its true score may lie.

    The true score is the one on ever more items like these. Rates are between 0 and 1.
    """

    system: str
    metric: str
    n: int
    clusters: int | None
    score: float
    interval: Interval
    subset: str | None
    percent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores(Sequenced[SystemScore]):
    """Scores with intervals; a sequence of :class:`SystemScore`, indexed by system name as well.

    Each interval is for one system alone. Plots: ``score``, all intervals.
    """

    scores: tuple[SystemScore, ...]
    alpha: float
    source: str
    notes: tuple[str, ...]
    signature: str

    @property
    def _each(self) -> tuple[SystemScore, ...]:
        return self.scores

    def _named(self, part: SystemScore) -> str:
        return part.system

    def _brief(self) -> str:
        first, more = self.scores[0], len(self.scores) - 1
        ends = first.interval.low, first.interval.high
        places = digits((ends[1] - ends[0]) / 2)
        value, low, high = (number(x, places) for x in (first.score, *ends))
        return f"{first.system} {value} [{low}, {high}]" + f" and {more} more" * (more > 0)


def score(
    data: Scores | Frame,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    by: str | None = None,
    bounds: Bounds | None = None,
    alpha: float = 0.05,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> SystemScores:
    """Score each system, with a confidence interval.

    Whether two systems differ is another question, which :func:`betterthan.compare` answers from
    the same items: intervals that overlap do not say that systems are equal.

    Parameters
    ----------
    data : Scores or data frame
        Per-item results of one system or more, as in :func:`betterthan.compare`.
    metric : str, Metric or sequence of these, optional
        What to score by; the mean of the only column by default.
    by : str, optional
        A label column: scores of each of its values, beside those of all items. Of data with tasks
        each is scored, by its own metrics.
    bounds : (float, float), optional
        Least and largest score that a single item can have, as printed: ``(1, 5)`` for ratings.
        Rates have bounds by themselves. Without any, nearly symmetric scores or many items are
        taken for granted, and a note says so.
    alpha : float
        Each interval has the level ``1 - alpha``.
    rng : None, int or Generator
        Seed of the resamples that black boxes need.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`.

    Examples
    --------
    >>> found = score(Scores.from_arrays({"new": [1] * 9 + [0]}))["new"]
    >>> found.score, round(found.interval.low, 3), round(found.interval.high, 3)
    (0.9, 0.555, 0.997)
    """
    check_keywords(sampling, Sampling)
    check_bounds(bounds)
    request = Request(alpha=alpha, rng=rng, **sampling)
    metrics = () if metric is None else several("metric", metric)
    scores = as_scores(data, label=by, metric=metrics or None)
    metrics = tuple(expand_classes(metrics, scores.columns))
    joints = [
        (joint, subset)
        for subset, part, chosen in _parts(scores, metrics, by)
        for one in chosen
        for joint in _alone(part, one, bounds)
    ]
    rows = tuple(_scored_by(joint, subset, bounds, request) for joint, subset in joints)
    by_name = sorted(joints, key=lambda one: (one[0].systems, one[1] or ""))  # in any data's order
    notes = list(scores.notes)
    if all(row.subset is not None for row in rows):
        notes.append(
            Note("each task by itself", Remedy("has the mean over tasks", command="compare"))
        )
    if scores.responses is not None:
        notes.append("several responses an item: their means are scored, items are the units")
    return SystemScores(
        scores=rows,
        alpha=alpha,
        source=scores.source,
        notes=tuple(notes),
        signature=signature(
            "estimate",
            metric="+".join(dict.fromkeys(row.metric for row in rows)),
            n=scores.n,
            clusters=rows[0].clusters,
            further={"bounds": None if bounds is None else f"{bounds[0]:g}..{bounds[1]:g}"},
            confidence=1.0 - alpha,
            seed=rng if any(joint.opaque for joint, _ in joints) else None,
            data=[array for joint, _ in by_name for array in joint.hashed],
        ),
    )


def _parts(
    scores: Scores, metrics: Sequence[str | Metric], by: str | None
) -> Iterator[tuple[str | None, Scores, list[Metric]]]:
    """All items and those of every subset, by the metrics asked for; or tasks, by their own."""
    if scores.tasks is not None and by in (None, scores.tasks):
        for task, part in scores.by_task().items():
            yield f"{scores.tasks}={task}", part, metrics_of(task, part, metrics)
        return
    chosen = [scores.measured(metric) for metric in metrics or (None,)]
    yield None, scores, chosen
    if by is not None:
        yield from ((f"{by}={label}", part, chosen) for label, part in scores.parts(by))


def _alone(scores: Scores, metric: Metric, bounds: Bounds | None) -> list[Joint]:
    """Every system by itself.

    Ratings that happen to be all 1 are ratings, as the others' are or as the bounds declare.
    """
    alone = [scores.joint((name,), metric) for name in scores.systems]
    if metric.percent or metric.form != "mean":
        return alone
    low, high = min(x.span[0] for x in alone), max(x.span[1] for x in alone)
    if len({joint.rate for joint in alone}) > 1 and not 0.0 <= low <= high <= 1.0:
        alone = [replace(joint, stated_span=(low, high)) for joint in alone]
    if bounds in (None, (0, 1), (0, 100)):
        return alone
    return [
        replace(joint, stated_span=bounds)
        if joint.rate and bounds[0] <= joint.span[0] <= joint.span[1] <= bounds[1]
        else joint
        for joint in alone
    ]


def _scored_by(
    joint: Joint, subset: str | None, bounds: Bounds | None, request: Request
) -> SystemScore:
    factor = 100.0 if joint.rate and bounds != (0, 1) else 1.0
    limits = None if bounds is None else (bounds[0] / factor, bounds[1] / factor)
    ends = score_interval(joint, request, limits)
    return SystemScore(
        system=joint.systems[0],
        metric=repr(joint.metric),
        n=joint.n,
        clusters=joint.clusters,
        score=joint.score(0),
        interval=ends.interval(request.alpha, "score"),
        subset=subset,
        percent=joint.rate,
    )
