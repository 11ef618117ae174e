"""Systems by their names: where one stands, which is the baseline, and two of them as a pair."""

from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar, Literal

from betterthan.data.labels import unknown_system
from betterthan.data.pair import Joint, Pair
from betterthan.errors import Remedy, UsageError, quote
from betterthan.metrics import Metric, directed

BY_ROWS = "the systems stand in the order of rows, of keys in JSON, or of files in a folder"


class NamedSystems:
    """What scores of named systems have in common, whether the items are known or counted."""

    __slots__ = ()
    unordered: ClassVar[str] = "the rows have the systems in no one order"  # where none is first
    systems: tuple[str, ...]
    shuffled: bool
    by_rows: bool
    lower_is_better: bool
    higher_is_better: bool
    lower: frozenset[str]

    def joint(
        self, systems: Sequence[str] | None = None, metric: str | Metric | None = None
    ) -> Joint:
        """Several systems' sums per unit, checked once: what tests and resamples start from."""
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

    def towards_better(self, metric: Metric) -> Metric:
        """Return a metric in the direction that the data, or else its columns' names, say."""
        if self.higher_is_better:
            return metric.raised()
        return metric.lowered() if self.lower_is_better else directed(metric, self.lower)

    def positions(self, systems: Iterable[str]) -> list[int]:
        """Indices of systems, or an error that lists those there are."""
        if isinstance(systems, str) or not isinstance(systems, Iterable):
            raise UsageError(f"systems must be a list of names, got {quote(systems)}")
        named = list(systems)
        for name in named:
            if name not in self.systems:
                raise unknown_system(name, self.systems, named=named)
        return [self.systems.index(name) for name in named]

    def position(
        self, system: str, parameter: Literal["systems", "baseline", "candidate"] = "systems"
    ) -> int:
        """Index of a system, or an error that lists those there are."""
        if system not in self.systems:
            raise unknown_system(system, self.systems, parameter)
        return self.systems.index(system)

    def baseline(
        self,
        named: str | None = None,
        candidates: Sequence[str] = (),
        *,
        whatever_rows: bool = False,
    ) -> str:
        """Return the baseline: the one named, or the first.

        Where rows come in no order none is first: of two it is the one that is no candidate, and
        else it is asked for. So it is where it has to be the same ``whatever_rows`` come first.
        """
        if not isinstance(candidates, Collection) or isinstance(candidates, bytes):
            raise UsageError(f"candidates are a list of systems, not {quote(candidates)}")
        rest = [name for name in self.systems if name not in candidates]
        if named is None and (self.shuffled or (whatever_rows and self.by_rows)):
            if len(self.systems) == 2 and len(rest) == 1:
                return rest[0]
            known = self.unordered if self.shuffled else BY_ROWS
            raise UsageError(
                f"{known}, so that none of them is the first",
                *(Remedy("", "baseline", name) for name in sorted(rest or self.systems)[:5]),
            )
        if named is None:
            return self.systems[0]
        return self.systems[self.position(named, "baseline")]
