"""Results that were made together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from betterthan.results.protocol import Result

Part = TypeVar("Part")


class Sequenced(Result, Generic[Part]):
    """A result that is a sequence of others, those in ``_each``."""

    __slots__ = ()

    @property
    def _each(self) -> tuple[Part, ...]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Part]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, at: int) -> Part:
        return self._each[at]


@dataclass(frozen=True, slots=True)
class Several(Sequenced[Part]):
    """Results that were made together and are written as one; a sequence of them."""

    parts: tuple[Part, ...]

    @property
    def _each(self) -> tuple[Part, ...]:
        return self.parts
