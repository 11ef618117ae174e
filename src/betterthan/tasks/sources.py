"""Texts with the names that messages call them by, and the columns made of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import AlignmentError, FormatError, Remedy, UsageError, how_many

Parsed = TypeVar("Parsed")
Column = NDArray[Any]  # (items, systems), whole numbers wherever possible


@dataclass(frozen=True)
class Source:
    """The text of a file, and the file's name."""

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their ends: only a line feed ends a line, whatever Unicode thinks of it."""
        lines = self.text.removeprefix("\ufeff").split("\n")
        if lines[-1] == "":
            lines.pop()
        return [line.removesuffix("\r") for line in lines]

    def at(self, line: int) -> str:
        """Name a line, counted from one."""
        return f"{self.name}, line {line:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Per-item columns of several systems.

    Attributes
    ----------
    columns : mapping of str to (items, systems) arrays
        What each system got on each item.
    items : sequence of str or None
        Item ids; None where an item is a line or a sentence in order.
    groups : mapping of str to sequences of str
        Labels of the items, such as their documents.
    cluster : str or None
        The group whose items are never independent.
    notes, signatures : tuple of str
        What the reader should know; how the metrics were computed.
    """

    columns: Mapping[str, Column]
    items: Sequence[str] | None = None
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cluster: str | None = None
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


def the_gold(golds: Sequence[Source], task: str) -> Source:
    """Return the only gold file of a task that knows but one."""
    if len(golds) != 1:
        raise UsageError(
            f"{task} needs one gold file, and {len(golds)} are given",
            *(Remedy("", "ref", gold.name) for gold in golds[:1]),
        )
    return golds[0]


def check_counts(what: str, system: tuple[Source, int], gold: tuple[Source, int]) -> None:
    """Refuse files of different lengths, saying where to look."""
    (one, n), (other, m) = system, gold
    if n == m:
        return
    empty = next((k for k, line in enumerate(one.lines, start=1) if not line.strip()), None)
    hint = f" (its first empty line is line {empty:,})" if empty and what == "line" else ""
    raise AlignmentError(
        f"{one.name} has {how_many(n, what)}{hint}, {other.name} has {m:,}: they are paired "
        "in order, so both need the same number"
    )


def check_case(
    system: Source, mine: Iterable[str], gold: Source, theirs: Iterable[str], what: str
) -> None:
    """Refuse names that a system never writes as the gold does, but in other case."""
    said, known = set(mine), set(theirs)
    missed = {name.casefold(): name for name in sorted(known - said)}
    for name in sorted(said - known):
        if name.casefold() in missed:
            raise AlignmentError(
                f"{system.name} has the {what} {name!r} where {gold.name} has "
                f"{missed[name.casefold()]!r}: all of them would be wrong; write them alike"
            )


def paired(
    systems: Sequence[Source],
    gold: Source,
    truth: Sequence[Parsed],
    what: str,
    parse: Callable[[Source], Iterable[Parsed]],
) -> Iterator[tuple[Source, list[tuple[Parsed, Parsed]]]]:
    """Yield each system with its sentences beside the gold's, of which there must be as many."""
    for system in systems:
        said = list(parse(system))
        check_counts(what, (system, len(said)), (gold, len(truth)))
        yield system, list(zip(said, truth, strict=True))


def check_not_empty(source: Source) -> None:
    """Refuse a file without content."""
    if not source.text.strip():
        raise FormatError(f"{source.name} is empty: there is nothing to compare")


def stack(
    per_system: Sequence[Sequence[Sequence[float]]], names: Sequence[str]
) -> dict[str, Column]:
    """Turn rows of numbers, per system and item, into named columns."""
    block = np.array(per_system)  # (systems, items, columns)
    if not block.size:
        raise FormatError("the gold holds no items, only blank lines or comments: check the files")
    return {name: block[:, :, k].T for k, name in enumerate(names)}
