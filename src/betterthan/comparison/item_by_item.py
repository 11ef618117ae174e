"""Two systems item by item: what the report lists and the plots of single items draw."""

from dataclasses import dataclass, field

import numpy as np

from betterthan.data.resolution import resolved
from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.metrics import Metric, default, resolve
from betterthan.numeric import TIE, Floats, Ints
from betterthan.results.protocol import Result
from betterthan.tables.accepted import Frame, as_scores

MOST = 6
"""Items listed for either system, those it is ahead on most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemByItem(Result):
    """One number per item and system, on the items that both have.

    Plots: ``differences``, a histogram; ``scatter``, one system against the other.

    Attributes
    ----------
    baseline, candidate, metric : str
        What is compared: the column itself for a mean, the metric of the single item for others.
    first, second : (items,) arrays
        What baseline and candidate got, as the metric prints it.
    rows : (items,) array of int
        Their places in ``scores``.
    scores : Scores
        What they were taken from.
    lower_is_better : bool
        Direction of the numbers.
    percent : bool
        Whether their mean is printed in points.
    """

    baseline: str
    candidate: str
    metric: str
    first: Floats
    second: Floats
    rows: Ints
    scores: Scores = field(repr=False)
    lower_is_better: bool
    percent: bool = False

    @property
    def right_or_wrong(self) -> bool:
        """Whether items are right or wrong, and nothing between."""
        return bool(np.isin(np.concatenate([self.first, self.second]), (0.0, 1.0)).all())

    @property
    def factor(self) -> float:
        """What single scores are drawn by: rates in points, but not what is right or wrong."""
        return 1.0 if not self.percent or self.right_or_wrong else 100.0

    @property
    def gains(self) -> Floats:
        """Candidate minus baseline towards better; zero where it is rounding noise."""
        gain = (self.second - self.first) * (-1.0 if self.lower_is_better else 1.0)
        noise = TIE * np.maximum(np.abs(self.first), np.abs(self.second))
        return np.where(np.abs(gain) <= noise, 0.0, gain)

    def changed(self, most: int = MOST) -> tuple[Ints, Ints]:
        """Places of items that got worse and that got better, largest differences first.

        Equal ones come in the order of their ids, whatever that of the data is.
        """
        gains = self.gains
        return self._least(gains, most), self._least(-gains, most)

    def _least(self, gains: Floats, most: int) -> Ints:
        """Places of the least of those below zero."""
        below = np.flatnonzero(gains < 0)
        if most < below.size:
            below = below[gains[below] <= np.sort(gains[below])[most]]
        if self.scores.items is not None:
            names = self.scores.item_names(self.rows[below])
            by_id = sorted(range(below.size), key=lambda k: (len(names[k]), names[k]))  # q2, q10
            below = below[by_id]
        return below[np.argsort(gains[below], kind="stable")[:most]]

    def disagreements(self, most: int = MOST) -> Ints:
        """Places of the items on which either system is ahead most, largest differences first."""
        gains = self.gains
        chosen = np.concatenate(self.changed(most)[::-1])
        return chosen[np.argsort(-np.abs(gains[chosen]), kind="stable")]


def item_by_item(
    scores: Scores | Frame, baseline: str, candidate: str, metric: str | Metric | None = None
) -> ItemByItem:
    """Set two systems side by side, item by item.

    >>> scores = Scores.from_arrays({"base": [1, 2, 3], "new": [1, 4, 2]})
    >>> item_by_item(scores, "base", "new").gains.tolist()
    [0.0, 2.0, -1.0]
    """
    scores = as_scores(scores, systems=(baseline, candidate), metric=metric)
    chosen = resolve(metric, scores.columns) if metric else default(scores.columns)
    first, second = (item_values(scores, name, chosen) for name in (baseline, candidate))
    both = np.flatnonzero(~np.isnan(first + second))
    if not both.size:
        raise DataError(f"{baseline!r} and {candidate!r} have no item in common")
    meant = resolved(np.stack([first[both], second[both]], axis=1))
    return ItemByItem(
        baseline=baseline,
        candidate=candidate,
        metric=repr(chosen),
        first=meant[:, 0],
        second=meant[:, 1],
        rows=both,
        scores=scores,
        lower_is_better=scores.towards_better(chosen).lower_is_better,
        percent=scores.is_rate(chosen),
    )


def item_values(scores: Scores, system: str, metric: Metric) -> Floats:
    """What one system got on every item, as the metric prints it; NaN where it has none."""
    return single_scores(metric, metric.project(scores.of(system, metric.columns)))


def single_scores(metric: Metric, parts: Floats) -> Floats:
    """Scores of single items from their projected columns, which are on the last axis."""
    if parts.shape[-1] == 1 and metric.form in ("mean", "blackbox"):
        return parts[..., 0]
    if metric.form == "blackbox":
        raise UsageError(f"{metric!r} has no value for a single item, so nothing can be paired")
    return np.where(np.isnan(parts).any(axis=-1), np.nan, metric.finish(parts, 1.0))
