"""Systems by their names: where one stands, and which is the baseline."""

from collections.abc import Iterable, Sequence

from betterthan.errors import UsageError, first_few


class NamedSystems:
    """What all data about named systems can say of them."""

    __slots__ = ()
    systems: tuple[str, ...]
    shuffled: bool

    def positions(self, systems: Iterable[str]) -> list[int]:
        """Indices of systems, or an error that lists those there are."""
        found = []
        for name in systems:
            if name not in self.systems:
                listed = first_few(self.systems)
                raise UsageError(f"there is no system {name!r}; there are {listed}")
            found.append(self.systems.index(name))
        return found

    def position(self, system: str) -> int:
        """Index of a system, or an error that lists those there are."""
        return self.positions((system,))[0]

    def baseline(self, named: str | None = None, candidates: Sequence[str] = ()) -> str:
        """Return the baseline: the one named, or the first.

        Where rows come in no order none is first: of two it is the one that is no candidate, and
        else it is asked for.
        """
        rest = [name for name in self.systems if name not in candidates]
        if named is None and self.shuffled:
            if len(self.systems) == 2 and len(rest) == 1:
                return rest[0]
            listed = " or ".join(f'baseline="{name}"' for name in sorted(rest or self.systems)[:5])
            raise UsageError(
                "the rows have the systems in no one order, so that none of them is the first: say "
                f"which is the baseline, {listed}"
            )
        return self.systems[0] if named is None else named
