"""Several tasks: what is compared on each, and what can be said about all of them together.

Tasks weigh the same. Where they are measured on one scale, the aggregate is the plain mean of their
differences, tested by swapping items within tasks: under the null hypothesis the systems are
exchangeable on every item of every task. Where they are not, differences have no mean; the tasks on
which a system is ahead can still be counted, with tasks as the units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from betterthan.data.arrays import cluster_codes
from betterthan.data.labels import rows_by_label
from betterthan.data.macro import Macro
from betterthan.data.pair import Joint, Pair
from betterthan.data.pairing import joint_of
from betterthan.data.scores import SHARED, Scores
from betterthan.errors import Choice, Note, Remedy, UsageError
from betterthan.metrics import Metric, mean, resolve
from betterthan.numeric import Ints, Numbers

AHEAD = replace(mean("tasks_ahead"), spelling="tasks ahead")
"""Share of the tasks on which a system is ahead of the other."""

SPREAD = 2.0
"""Ranges of one metric on two tasks that differ by more than this factor may be two scales."""


@dataclass(frozen=True, eq=False)
class TaskJoint:
    """The same systems on several tasks; any two of them are a :class:`Macro`."""

    joints: tuple[Joint, ...]
    units: tuple[Ints, ...] | None = None
    _pairs: dict[tuple[int, int], Macro] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """Number of items of all tasks."""
        return sum(joint.n for joint in self.joints)

    @property
    def clusters(self) -> int | None:
        """Number of clusters of all tasks; None where items are the units."""
        return self.pair(0, 1).clusters

    @property
    def hashed(self) -> tuple[Numbers, ...]:
        """What the data hash is taken over."""
        return tuple(array for joint in self.joints for array in joint.hashed)

    def pair(self, baseline: int, candidate: int) -> Macro:
        """Two of the systems, by their places; made once."""
        places = (baseline, candidate)
        if places not in self._pairs:
            parts = [joint.pair(*places) for joint in self.joints]
            self._pairs[places] = Macro.of(parts, self.units)
        return self._pairs[places]


def metrics_of(task: str, part: Scores, metrics: Sequence[str | Metric]) -> list[Metric]:
    """Metrics that a task is compared by: those of the ones asked for that it has."""
    if not metrics and len(part.columns) == 1:
        return [part.measured()]
    known = [part.measured(metric) for metric in metrics if is_among(metric, part.columns)]
    if known:
        return known
    requested = [str(metric) for metric in metrics]
    unread = f", which none of {', '.join(requested)} reads" if requested else ""
    raise UsageError(
        f"{task!r} is measured by {', '.join(part.columns)}{unread}",
        *(Remedy("", "metric", [*requested, x] if requested else x) for x in part.columns[:3]),
    )


def is_among(metric: str | Metric, columns: tuple[str, ...]) -> bool:
    """Whether a metric can be read from these columns."""
    try:
        return set(resolve(metric, columns).columns) <= set(columns)
    except UsageError:
        return False


def slots(chosen: dict[str, list[Metric]]) -> list[list[Metric]]:
    """Metrics that are averaged over tasks: one of every task at a time.

    Those that all tasks have; or, where every task has one, just these.
    """
    first = next(iter(chosen.values()))
    common = [m for m in first if all(m in metrics for metrics in chosen.values())]
    if not common and all(len(metrics) == 1 for metrics in chosen.values()):
        return [[metrics[0] for metrics in chosen.values()]]
    return [[metric] * len(chosen) for metric in common]


def why_apart(measured: Mapping[str, tuple[Scores, Metric]], *, declared: bool) -> Note | None:
    """Say why tasks have no mean; None where they are on one scale.

    One direction, and scores between 0 and 1 on all tasks; or one metric, whose scale is declared
    to be one, or whose values have about the same range on all tasks.
    """
    metrics = {task: metric for task, (_, metric) in measured.items()}
    if opaque := [metric for metric in metrics.values() if metric.form == "blackbox"]:
        return Note(f"{opaque[0]!r} scores no single item")
    by_sign = {m.lower_is_better: task for task, m in metrics.items()}
    if len(by_sign) > 1:
        lower, higher = by_sign[True], by_sign[False]
        return Note(
            f"less is better on {lower!r} ({metrics[lower]!r}) and more on {higher!r} "
            f"({metrics[higher]!r})"
        )
    ranges = {task: _range(*both) for task, both in measured.items()}
    widths = {task: high - low for task, (low, high) in ranges.items()}
    narrow, wide = min(widths, key=widths.__getitem__), max(widths, key=widths.__getitem__)
    same_metric = len(set(metrics.values())) == 1
    if same_metric and (declared or widths[wide] <= SPREAD * widths[narrow]):
        return None
    if all(low >= 0.0 and high <= 1.0 for low, high in ranges.values()):
        return None
    spans = (
        f"{metrics[task]!r} of {task!r} goes from {ranges[task][0]:g} to {ranges[task][1]:g}"
        for task in (narrow, wide)
    )
    column = metrics[wide].columns[0]
    remedy = Remedy("if it is one scale", "metric", column) if same_metric else None
    return Note(", ".join(spans), remedy)


def _range(part: Scores, metric: Metric) -> tuple[float, float]:
    """Least and largest score of an item; that of a rate by its nature."""
    if metric.percent:
        return 0.0, 1.0
    if metric.form != "mean":
        return -np.inf, np.inf
    values = part.values[:, :, part.columns.index(metric.columns[0])]
    return float(np.nanmin(values)), float(np.nanmax(values))


def on_one_scale(scores: Scores, metric: str | Metric | None) -> Scores:
    """Scores of tasks with metrics of their own in one column, where they are on one scale."""
    if metric is None and len(scores.columns) > 1 and not scores.unmeasured.any():
        return scores  # all tasks have all columns: which is meant is another question
    parts = scores.by_task()
    requested = () if metric is None else (metric,)
    measured = {task: (part, metrics_of(task, part, requested)[0]) for task, part in parts.items()}
    apart = why_apart(measured, declared=scores.tasks_declared or metric is not None)
    if apart is not None:
        raise UsageError(
            f"there is no ranking over all tasks: {apart}",
            *([apart.remedy] if apart.remedy else []),
            Remedy("rank each task by itself", "by", scores.tasks),
            Remedy("only tasks on one scale", "where", {scores.tasks: Choice("TASK")}),
        )
    if not scores.unmeasured.any():
        return scores
    first = next(iter(measured.values()))[1]
    if any(chosen.form != "mean" for _, chosen in measured.values()):
        raise UsageError(
            "tasks with metrics of their own are ranked by means",
            *(Remedy("", "metric", column) for column in scores.columns[:3]),
        )
    labels = scores.labels(scores.tasks or "")
    column = np.array([0] * scores.n)
    for task, rows in rows_by_label(labels):
        column[rows] = scores.columns.index(measured[task][1].columns[0])
    cells = (np.arange(scores.n), slice(None), column)
    return replace(
        scores,
        values=scores.values[cells][:, :, None],
        columns=("score",),
        responses=None if scores.responses is None else scores.responses[cells][:, :, None],
        lower_is_better=first.lower_is_better,
    )


def ahead(pairs: Sequence[Pair]) -> Joint:
    """Who is ahead on which task, as two systems with a task an item."""
    deltas = np.array([pair.delta for pair in pairs])
    first, second = pairs[0].systems
    return joint_of({first: (deltas < 0) * 1, second: (deltas > 0) * 1}, AHEAD)


def shared_units(scores: Scores, parts: dict[str, Scores]) -> tuple[Ints, ...] | None:
    """Units of the items of each task where some lie in several tasks; None where none does.

    Units are clusters; without any, samples that a log has under several tasks.
    """
    if scores.clusters is None and SHARED not in scores.groups:
        return None
    labels = [
        part.groups[SHARED] if part.clusters is None else part.clusters for part in parts.values()
    ]
    every = {label for x in labels for label in x.tolist()}
    if sum(len(set(x.tolist())) for x in labels) == len(every):
        return None
    codes, _ = cluster_codes(np.concatenate(labels), scores.n)
    return tuple(np.split(codes, np.cumsum([len(x) for x in labels])[:-1]))
