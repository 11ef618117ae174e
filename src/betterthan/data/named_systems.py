"""Systems by their names: their order and direction, which is the baseline, and two as a pair."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from betterthan.data.labels import check_unique, places_of
from betterthan.data.pair import Joint, Pair
from betterthan.errors import Remedy, UsageError, no_truth_value, quote
from betterthan.metrics import Metric, default, resolve

Order = Literal["given", "by rows", "none"]
"""Where the order of systems is from: the user or columns; rows, keys or a folder, where another
order would mean the same; or rows that have them in different orders."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedSystems:
    """What scores of named systems have in common, whether the items are known or counted."""

    systems: tuple[str, ...]
    columns: tuple[str, ...] = ("score",)
    lower_is_better: bool | None = None
    lower: frozenset[str] = frozenset()
    order: Order = "given"
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, names in (("system", self.systems), ("column", self.columns)):
            check_unique(what, names)
        if not isinstance(self.lower_is_better, bool | np.bool_ | None):
            raise no_truth_value("lower_is_better", self.lower_is_better)

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, checked once: what tests and resamples start from."""
        chosen = self.measured(metric)
        index = [self.columns.index(column) for column in chosen.columns]
        places = self.positions(self.systems if systems is None else systems)
        if not places:
            raise UsageError("systems must name at least one; leave it out for all")
        return self._joint(places, index, chosen)

    def _joint(self, places: Sequence[int], columns: Sequence[int], metric: Metric) -> Joint:
        """Systems and columns by their places."""
        raise NotImplementedError

    def pair(self, baseline: str, candidate: str, metric: str | Metric | None = None) -> Pair:
        """Two systems on the same units, checked once and carried to the end.

        Examples
        --------
        >>> from betterthan import Scores
        >>> pair = Scores.from_arrays({"base": [0, 1, 1], "new": [1, 1, 1]}).pair("base", "new")
        >>> pair.delta, pair.counts.tolist()
        (0.333..., [1, 2])
        """
        if baseline == candidate:
            raise UsageError(f"{baseline!r} cannot be compared with itself: name two systems")
        return self.joint((baseline, candidate), metric).pair(0, 1)

    def measured(self, metric: str | Metric | None = None) -> Metric:
        """Return the metric asked for, or that of the columns, in the direction of better."""
        return self.towards_better(
            default(self.columns) if metric is None else resolve(metric, self.columns)
        )

    def towards_better(self, metric: Metric) -> Metric:
        """Return a metric in the direction that the data, or else its columns' names, say."""
        return metric.directed(self.lower_is_better, self.lower)

    def positions(self, systems: Iterable[str]) -> list[int]:
        """Indices of systems, or an error that lists those there are."""
        return places_of(systems, self.systems)

    def position(
        self, system: str, parameter: Literal["systems", "baseline", "candidate"] = "systems"
    ) -> int:
        """Index of a system, or an error that lists those there are."""
        return places_of([system], self.systems, parameter)[0]

    def baseline(
        self,
        named: str | None = None,
        candidates: Sequence[str] = (),
        *,
        whatever_rows: bool = False,
    ) -> str:
        """Return the baseline: the one named, or the first.

        Where there is no order none is first: of two it is the one that is no candidate, and else
        it is asked for. So it is where it has to be the same ``whatever_rows`` come first.
        """
        if not isinstance(candidates, Collection) or isinstance(candidates, bytes):
            raise UsageError(f"candidates are a list of systems, not {quote(candidates)}")
        if named is not None:
            return self.systems[self.position(named, "baseline")]
        if self.order == "given" or (self.order == "by rows" and not whatever_rows):
            return self.systems[0]
        rest = [name for name in self.systems if name not in candidates]
        if len(self.systems) == 2 and len(rest) == 1:
            return rest[0]
        raise UsageError(
            "the order of the systems is that of rows, keys or files, so that none of them is the "
            "first",
            *(Remedy("", "baseline", name) for name in sorted(rest or self.systems)[:5]),
        )
