"""One order for the same data, whatever order they came in."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from betterthan.data.ids import Labels
from betterthan.data.judgments import Judgments
from betterthan.data.meant import as_meant
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
    meant = [as_meant(made.values[:, :, k]) for k in range(len(made.columns))]
    made = replace(made, values=np.stack(meant, axis=2))
    order = np.arange(scores.n)
    for labels in (made.clusters, None if tasks is None else made.labels(tasks)):
        if labels is not None:
            order = order[np.argsort(_places(labels)[order], kind="stable")]
    values = made.values.reshape(scores.n, -1)[order]
    rows = _sortable(np.hstack([_places_within(values), values]))
    order = order[np.argsort(rows, kind="stable")]
    return made.only(order), order


def sorted_judgments(judgments: Judgments) -> tuple[Judgments, Ints]:
    """Sort systems by name, turn each judgment to that order, and sort judgments.

    Their order is that of the units' names, where judgments share them, then of systems and
    outcomes.
    """
    names = tuple(sorted(judgments.systems))
    place = np.array([names.index(name) for name in judgments.systems])
    one, other = place[judgments.left], place[judgments.right]
    left, right = np.minimum(one, other), np.maximum(one, other)
    outcome = np.where(one < other, judgments.outcome, 1.0 - judgments.outcome)
    labels = shared_units(judgments)
    kind = 3 * (left * len(names) + right) + (2 * outcome).astype(np.int64)
    if labels is not None:
        order = np.lexsort((kind, _places(labels)))
    else:  # few kinds are sorted by counting
        few = 3 * len(names) ** 2 < 1 << 16
        order = np.argsort(kind.astype(np.uint16) if few else kind, kind="stable")
    made = replace(
        judgments,
        systems=names,
        left=left[order],
        right=right[order],
        outcome=outcome[order],
        items=None if judgments.items is None else judgments.items[order],
        judges=None if judgments.judges is None else judgments.judges[order],
        clusters=None if judgments.clusters is None else judgments.clusters[order],
    )
    return made, order


def shared_units(judgments: Judgments) -> Labels | None:
    """Clusters of judgments, or else their items; None where no two judgments share one."""
    labels = judgments.items if judgments.clusters is None else judgments.clusters
    if labels is None or len(set(labels.tolist())) == judgments.n:
        return None
    return labels


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
