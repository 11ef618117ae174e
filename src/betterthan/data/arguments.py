"""Options of a call, as one value."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

Chosen = TypeVar("Chosen")


def among(options: type[Chosen], arguments: Mapping[str, Any]) -> Chosen:
    """Make a dataclass of options from the ``locals()`` of a function that takes them by keyword.

    >>> from betterthan.data.frames.reader_options import Options
    >>> among(Options, {"path": "runs.csv", "item": "id"}).item
    'id'
    """
    names = (field.name for field in fields(options))  # type: ignore[arg-type]
    return options(**{name: arguments[name] for name in names if name in arguments})
