"""Scores of single items, packed for the page's script.

A report carries every score that was compared, so that any two systems can be set side by side
where it is opened; texts of items are not among them. Scores that take few values are packed into
as few bits as tell them apart: 1,000 items of sixty systems that are right or wrong take 10 kB.
"""

import base64
from typing import Any

import numpy as np

from betterthan.comparison.item_by_item import item_values
from betterthan.data.scores import Scores
from betterthan.errors import BetterthanError
from betterthan.metrics import Metric
from betterthan.numeric import Floats

LARGEST = 4_000_000
"""Most bytes of scores in a report."""
IDS = 50_000
"""Most items whose ids are in it."""
VALUES = 24
"""Most values of a label by which items are broken down."""
WIDEST = 60
"""Longest of these values, in characters: what is longer is text."""


class Blocks:
    """Collects blocks of scores, each under a metric and a source; each is packed once."""

    def __init__(self) -> None:
        self.sources: list[dict[str, Any]] = []
        self.blocks: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._size = 0
        self._known: dict[tuple[int, str], int | None] = {}
        self._alive: list[Scores] = []  # whose ids() must not be used again

    def add(self, scores: Scores, metric: Metric, *, percent: bool) -> int | None:
        """Return the place of a block; None, and a note, where there is none."""
        key = id(scores), metric.spelling
        if key not in self._known:
            self._alive.append(scores)
            try:
                self._known[key] = self._pack(scores, metric, percent)
            except BetterthanError as error:
                self._note(f"single items are not shown: {error.message}")
                self._known[key] = None
        return self._known[key]

    def _pack(self, scores: Scores, metric: Metric, percent: bool) -> int | None:
        values = np.column_stack([item_values(scores, name, metric) for name in scores.systems])
        block = packed(values)
        self._size += sum(map(len, block["data"])) * 3 // 4
        if self._size > LARGEST:
            self._note(
                f"single items are not shown: {values.size:,} scores would make the report larger "
                f"than {LARGEST // 1_000_000} MB"
            )
            return None
        lower = scores.towards_better(metric).lower_is_better
        source = next((k for k, s in enumerate(self._alive) if s is scores), 0)
        while len(self.sources) <= source:
            self.sources.append(_source(self._alive[len(self.sources)]))
            if scores.items is not None and scores.n > IDS:
                self._note(f"ids of {scores.n:,} items are left out: their numbers are shown")
        right = set(block["levels"]) <= {0.0, 1.0} and block["bits"] < 32
        self.blocks.append(
            {**block, "source": source, "metric": metric.spelling, "lower": lower}
            | {"scale": 100 if percent and not right else 1, "binary": right}
            | {"systems": list(scores.systems), "percent": percent}
        )
        return len(self.blocks) - 1

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def packed(values: Floats) -> dict[str, Any]:
    """Pack items x systems: as places in a list of levels, or as floats of 32 bits.

    >>> packed(np.array([[0.0], [1.0], [1.0]]))
    {'n': 3, 'bits': 1, 'levels': [0.0, 1.0], 'data': ['Bg==']}
    """
    n = len(values)
    missing = np.isnan(values)
    levels = np.unique(values[~missing])
    count = len(levels) + bool(missing.any())
    bits = next((b for b in (1, 2, 4, 8) if count <= 2**b), 32)
    if bits == 32:
        levels, rows = levels[:0], values.astype("<f4").T
    else:
        codes = np.where(missing, len(levels), np.searchsorted(levels, values)).astype(np.uint8)
        single = np.unpackbits(codes.T[..., None], axis=2, count=bits, bitorder="little")
        rows = np.packbits(single.reshape(values.shape[1], -1), axis=1, bitorder="little")
    data = [base64.b64encode(np.ascontiguousarray(row).tobytes()).decode() for row in rows]
    return {"n": n, "bits": bits, "levels": levels.tolist(), "data": data}


def _source(scores: Scores) -> dict[str, Any]:
    """Ids of items, and labels that have few values."""
    known = scores.items is not None and scores.n <= IDS
    labels = []
    for name, column in scores.groups.items():
        values, codes = np.unique(np.asarray(column).astype(str), return_inverse=True)
        few = 1 < len(values) <= min(VALUES, scores.n // 4)  # what several items share is no text
        if few and max(map(len, values)) <= WIDEST:
            one = packed(codes[:, None].astype(np.float64))
            labels.append({"name": name, "values": values.tolist(), **one})
    return {
        "n": scores.n,
        "items": scores.item_names(np.arange(scores.n)) if known else None,
        "labels": labels,
    }
