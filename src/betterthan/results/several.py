"""Results that were made together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from betterthan.results.protocol import Result

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Several(Result, Generic[Part]):
    """Results that were made together and are written as one; a sequence of them."""

    parts: tuple[Part, ...]

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, at: int) -> Part:
        return self.parts[at]
