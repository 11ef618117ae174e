"""Ways to read: all items, or only counted where they are; and what errors advise."""

from collections.abc import Iterable
from typing import Any

import pytest

import betterthan as bt
from betterthan.errors import BetterthanError, remedy_of


def counted(*sources: Any, **options: Any) -> Any:
    """Read as ``bt.read`` does, grouped and counted in place."""
    return bt.read(*sources, items=False, **options)


def advised(caught: pytest.ExceptionInfo[BetterthanError]) -> list[tuple[str | None, object]]:
    """What the remedies of an error set, and to what."""
    return [(remedy.parameter, remedy.value) for remedy in caught.value.remedies]


def advice(notes: Iterable[str]) -> list[tuple[str | None, object]]:
    """What the remedies of notes set, and to what."""
    remedies = [remedy for note in notes if (remedy := remedy_of(note)) is not None]
    return [(remedy.parameter, remedy.value) for remedy in remedies]
