"""Outputs and references written in a test, and what the metrics make of them."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from betterthan.errors import Note
from betterthan.metrics import resolve
from betterthan.tasks.sources import Scored, Source


def scored(
    task: ModuleType, systems: str | Sequence[str], golds: str | Sequence[str], *metrics: str
) -> Scored:
    """Score texts of outputs, called s0, s1 ..., against those of references, g0, g1 ..."""
    texts = [[each] if isinstance(each, str) else each for each in (systems, golds)]
    files = [
        [Source(f"{name}{k}", text) for k, text in enumerate(some)]
        for name, some in zip("sg", texts, strict=True)
    ]
    result: Scored = task.score(*files, metrics)
    return result


def value(scores: Scored, metric: str, system: int = 0) -> float:
    """A system's score by our columns and the algebra's ``finish(sum T)``."""
    known = resolve(metric, tuple(scores.columns))
    block = np.stack([scores.columns[c][:, system] for c in known.columns], axis=1)
    return known.score(block.astype(float))


def warnings(scores: Scored) -> list[str]:
    """Notes that stand next to the verdict."""
    return [note for note in scores.notes if isinstance(note, Note) and note.beside_verdict]


def column(scores: Scored, name: str, system: int = 0) -> list[Any]:
    """What a system got on each item."""
    values: list[Any] = scores.columns[name][:, system].tolist()
    return values
