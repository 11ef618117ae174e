"""What a task takes and gives: texts of files in, columns of numbers per item out.

This is the seam between tasks and readers. Readers hand over :class:`Source` objects, UTF-8 texts
that are not empty, and metrics as they are written (``"bleu(lc)"``). A task hands back
:class:`Scored`: the columns that its metrics are computed from, the ids of the items (None where
they are lines or sentences in order), labels of the items, the label that clusters them, and notes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import (
    AlignmentError,
    DataError,
    FormatError,
    Remedy,
    UsageError,
    Where,
    how_many,
)

Parsed = TypeVar("Parsed")
Column = NDArray[Any]  # (items, systems), integers wherever possible


@dataclass(frozen=True, eq=False)
class Source:
    """The text of a file, and the file's name."""

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their ends; only a line feed ends a line, not Unicode's separators."""
        return self.text.removesuffix("\n").split("\n")

    def at(self, line: int | None = None) -> Where:
        """Return the place of a line, counted from one, or that of the file."""
        return Where(Path(self.name), line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Per-item columns of several systems.

    Attributes
    ----------
    columns : mapping of str to (items, systems) arrays
        What each system got on each item; NaN where it did not answer.
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


def fault(
    place: Where, text: str, *remedies: Remedy, kind: type[DataError] = FormatError
) -> DataError:
    """Make the error for a file or its line."""
    return kind(f"{place}: {text}", *remedies, where=place)


def only(golds: Sequence[Source]) -> Source:
    """Return the reference file where there must be exactly one."""
    if len(golds) != 1:
        raise UsageError(
            f"this metric needs one reference file, got {len(golds)}",
            Remedy("", "ref", golds[0].name),
        )
    return golds[0]


def check_counts(what: str, system: Source, n: int, other: str, m: int) -> None:
    """Raise an error for a file of another length, which cannot be paired in order."""
    if n != m:
        text = f"{how_many(n, what)} here, {m:,} in {other}: both must have the same number"
        raise fault(system.at(), text, kind=AlignmentError)


def check_words(system: Any, gold: Any) -> None:
    """Raise an error for a sentence or tree whose ``words`` are not the gold's."""
    if system.words != gold.words:
        text = f"the words differ from those of {gold.place}"
        raise fault(system.place, text, kind=AlignmentError)


def parsed(
    systems: Sequence[Source], gold: Source, what: str, parse: Callable[[Source], Iterable[Parsed]]
) -> tuple[list[Parsed], list[list[Parsed]]]:
    """Parse the gold's items and those of each system, which must be as many."""
    truth, *answers = [list(parse(source)) for source in (gold, *systems)]
    for system, items in zip(systems, answers, strict=True):
        check_counts(what, system, len(items), gold.name, len(truth))
    return truth, answers


def columns_of(
    names: Sequence[str], per_system: Sequence[Sequence[Sequence[float]]]
) -> dict[str, Column]:
    """Turn rows of numbers, per system and item, into named columns."""
    block = np.array(per_system).reshape(len(per_system), -1, len(names))
    return {name: block[:, :, k].T for k, name in enumerate(names)}


def document_groups(documents: Sequence[str]) -> dict[str, Sequence[str]]:
    """Label items by their documents, if there are several."""
    return {"document": documents} if len(set(documents)) > 1 else {}


def optional(module: str) -> Any:
    """Import a module that only some metrics need."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f"this metric needs the package {package}",
            Remedy("install it: pip install 'betterthan[metrics]'"),
        ) from error
