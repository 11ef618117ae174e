"""Scores that nobody has: named in an error, left out, or counted as the worst."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from betterthan.data.arrays import LARGEST_FLOAT
from betterthan.errors import (
    AlignmentError,
    BadValueError,
    Choice,
    DataError,
    MissingScoresError,
    Remedy,
    UsageError,
    first_few,
    how_many,
    not_one_of,
)
from betterthan.metrics import Metric
from betterthan.numeric import Floats

if TYPE_CHECKING:
    from betterthan.data.scores import Scores

Missing = Literal["error", "drop", "worst", "pairwise"]
DROP = Remedy("leave these items out for every system", "missing", "drop")
MOST = 3  # systems whose missing items are listed


def complete(scores: "Scores", missing: Missing, metric: Metric | None) -> "Scores":
    """Treat cells that nobody has as the user chose; see :meth:`Scores.completed`."""
    if missing not in get_args(Missing):
        raise not_one_of("missing", missing, get_args(Missing))
    values = scores.values
    largest = max(values.max(), -values.min())
    if largest <= LARGEST_FLOAT:  # so none is NaN
        return scores
    _check(
        scores,
        np.abs(values) > LARGEST_FLOAT,
        BadValueError,
        "scores that are infinite or beyond 1e100",
    )
    metric = None if metric is None else scores.towards_better(metric)
    unmeasured = scores.unmeasured
    holes = np.isnan(values) & ~unmeasured[:, None]
    if not holes.any() or missing == "pairwise":
        return scores
    singles = values if scores.responses is None else scores.responses
    if missing == "error":
        worst = Remedy("count them as the worst score", "missing", "worst")
        remedies = [DROP, worst] if _has_worst(singles, metric) else [DROP]
        _check(scores, holes, MissingScoresError, "no score", *remedies)
    if missing == "drop":
        return _without(scores, holes)
    if unmeasured.any():
        where = Remedy("read one task at a time", "where", {scores.tasks: Choice("TASK")})
        raise UsageError("tasks with different metrics have no common worst value", DROP, where)
    return _filled(scores, holes, worst_value(singles, metric))


def _without(scores: "Scores", holes: NDArray[np.bool_]) -> "Scores":
    """Return the same without items that a system lacks."""
    missing = holes.any(axis=(1, 2))
    if missing.all():
        raise AlignmentError("no item has a score from every system: nothing is left")
    note = f"{int(missing.sum()):,} of {scores.n:,} items dropped: a system has no score there"
    lost = {}
    for name, labels in scores.groups.items():
        absent = set(labels[missing].tolist()) - set(labels[~missing].tolist())
        if absent:
            lost[name] = (
                f"no item of {name} {first_few(sorted(absent))} has a score from every system: "
                f"complete them, or leave those values of {name!r} out of the data"
            )
    left = scores.only(np.flatnonzero(~missing))
    indivisible = {**scores.indivisible, **lost}
    return replace(left, notes=(*scores.notes, note), indivisible=indivisible)


def _filled(scores: "Scores", holes: NDArray[np.bool_], worst: float) -> "Scores":
    """Return the same with the worst value where there is none, as often as others have it."""
    responses = scores.responses
    if responses is not None:
        most = (~np.isnan(responses)).sum(axis=-1).max(axis=1, keepdims=True)
        absent = np.arange(responses.shape[-1]) < np.maximum(most, 1)[..., None]
        responses = np.where(holes[..., None] & absent, worst, responses)
    note = f"{int(holes.sum()):,} missing scores counted as the worst value, {worst:g}"
    values = np.where(holes, worst, scores.values)
    return replace(scores, values=values, responses=responses, notes=(*scores.notes, note))


def _check(
    scores: "Scores", bad: NDArray[np.bool_], error: type[DataError], what: str, *remedies: Remedy
) -> None:
    """Check that there are no bad cells, or name the systems and items that have them."""
    lacking = [
        f"system {system!r} has {what} for {rows.size:,} of {how_many(scores.n, 'item')} "
        f"({first_few(scores.item_names(rows))})"
        for k, system in enumerate(scores.systems)
        for rows in [np.flatnonzero(bad[:, k].any(axis=1))]
        if rows.size
    ]
    if lacking:
        more = f"; and {len(lacking) - MOST} more" if len(lacking) > MOST else ""
        raise error(f"{'; '.join(lacking[:MOST])}{more}", *remedies)


def is_binary(values: Floats) -> bool:
    """Whether all values are 0 or 1, except for those that are missing."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def _has_worst(values: Floats, metric: Metric | None) -> bool:
    return metric is not None and metric.form == "mean" and is_binary(values)


def worst_value(values: Floats, metric: Metric | None) -> float:
    """Return the value that a missing score counts as, where the metric has a worst."""
    if metric is None or not _has_worst(values, metric):
        raise UsageError(
            "only an accuracy or an error rate over 0/1 scores has a worst value",
            DROP,
        )
    return 1.0 if metric.lower_is_better else 0.0
