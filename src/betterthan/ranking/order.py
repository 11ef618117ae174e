"""One order for the same data, whatever order they came in."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from betterthan.data.judgments import Judgments
from betterthan.data.labels import Labels
from betterthan.data.resolution import resolved
from betterthan.data.scores import Scores
from betterthan.numeric import Floats, Ints
from betterthan.ranking.units import codes_of


def sorted_scores(scores: Scores, tasks: str | None = None) -> tuple[Scores, Ints]:
    """Sort systems by name and items by what they hold; and say where each item came from.

    Scores are taken for the numbers that were meant, so that ties are ties. The order of items is
    that of who is better than whom, so that a method which sees nothing else is not moved by a
    change of scale; then by the scores; then by task and cluster.
    """
    made = scores.select(*sorted(scores.systems))
    meant = [resolved(made.values[:, :, k]) for k in range(len(made.columns))]
    made = replace(made, values=np.stack(meant, axis=2))
    order = np.arange(scores.n)
    for labels in (made.clusters, None if tasks is None else made.labels(tasks)):
        if labels is not None:
            order = order[np.argsort(_places(labels)[order], kind="stable")]
    values = made.values.reshape(scores.n, -1)[order]
    rows = _sortable(np.hstack([_places_within(values), values]))
    order = order[np.argsort(rows, kind="stable")]
    return made.only(order), order


def turned_judgments(judgments: Judgments) -> tuple[tuple[str, ...], Ints | None, list[Ints]]:
    """Sort systems by name, and turn each row to that order.

    Returns the names, the unit of each row in the order of the units' names, None where no two
    judgments share one, and columns: the two systems and twice the outcome.
    """
    names = tuple(sorted(judgments.systems))
    number = {name: k for k, name in enumerate(names)}
    place = np.array([number[name] for name in judgments.systems])
    one, other = place[judgments.left], place[judgments.right]
    result = (2 * judgments.outcome).astype(np.int64)
    labels, unit = judgments.items if judgments.clusters is None else judgments.clusters, None
    if labels is not None and len(set(labels.tolist())) < judgments.n:
        unit = _places(labels)
    left, right = np.minimum(one, other), np.maximum(one, other)
    return names, unit, [left, right, np.where(one < other, result, 2 - result)]


def _places_within(rows: Floats) -> Floats:
    """Place of each number among those of its row, equal ones sharing theirs."""
    order = np.argsort(rows, axis=1, kind="stable")
    steps = np.diff(np.take_along_axis(rows, order, axis=1), axis=1, prepend=np.nan) != 0
    places = np.empty_like(rows)
    np.put_along_axis(places, order, np.cumsum(steps, axis=1, dtype=np.float64), axis=1)
    return np.where(np.isnan(rows), np.nan, places)


def _sortable(rows: Floats) -> NDArray[np.void]:
    """Rows as bytes that sort as their numbers do, NaN last: one comparison for each two rows."""
    bits = np.where(np.isnan(rows), np.nan, rows + 0.0).view(np.int64)  # there is one zero
    bits = np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63))).astype(">i8")
    return np.ascontiguousarray(bits).view(np.dtype((np.void, 8 * bits.shape[1]))).ravel()


def _places(labels: Labels) -> Ints:
    """Place of each label among all that there are, in the order of their text."""
    codes, count = codes_of(labels.tolist())
    named = np.empty(count, dtype=object)
    named[codes] = labels
    ranked = sorted(range(count), key=lambda k: str(named[k]))
    places = np.empty(count, dtype=np.int64)
    places[ranked] = np.arange(count)
    return np.asarray(places[codes])
