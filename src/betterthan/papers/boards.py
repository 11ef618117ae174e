"""Scores of the systems of the papers, item by item, from a folder of tables.

``SETUP__METRIC.csv`` (``item[,section],SYSTEM...``) is a board: what every system scored on a data
set by a metric. ``groups.csv`` (``system,group[,class]``) says who made a system, ``ratings.csv``
(``item,rater...``) holds responses of people.
"""

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.numeric import Floats
from betterthan.readers.sources import read


@dataclass(frozen=True, slots=True)
class Board:
    """A data set scored by a metric."""

    setup: str
    metric: str
    path: Path

    @property
    def name(self) -> str:
        """Setup and metric."""
        return f"{self.setup} {self.metric}"

    @property
    def scores(self) -> Scores:
        """What every system scored on every item."""
        return scores_in(self.path)

    @property
    def arguments(self) -> dict[str, Any]:
        """Where a job finds the board; its content decides whether the job was done before."""
        return {"board": str(self.path), "content": zlib.crc32(self.path.read_bytes())}


@cache
def scores_in(path: str | Path) -> Scores:
    """Read a board; a section describes an item and is not a score."""
    with Path(path).open(encoding="utf-8") as stream:
        header = stream.readline().strip().split(",")
    sections = {"label": "section"} if "section" in header else {}
    scores: Scores = read(path, columns={"item": "item", **sections})
    return scores


def check_folder(folder: Path) -> None:
    """Raise an error if a folder holds no table of a paper."""
    tables = [*folder.glob("*__*.csv"), folder / "groups.csv", folder / "ratings.csv"]
    if not any(path.is_file() for path in tables):
        raise UsageError(
            f"{folder} has no data of a paper: name a folder with SETUP__METRIC.csv, groups.csv or "
            "ratings.csv"
        )


def boards(folder: Path | None) -> tuple[Board, ...]:
    """List the boards in a folder, by name; none without a folder."""
    paths = [] if folder is None else sorted(folder.glob("*__*.csv"))
    named = ((path.stem.partition("__"), path) for path in paths)
    return tuple(Board(setup, metric, path) for (setup, _, metric), path in named)


@cache
def ratings_in(path: str | Path) -> Floats:
    """Read responses of people: a row for each item, a column for each rater."""
    scores: Scores = read(path, columns={"item": "item"})
    return np.ascontiguousarray(scores.values[:, :, 0])


def ratings_arguments(folder: Path | None) -> dict[str, Any]:
    """Where a job finds the ratings, and what they hold; nothing without them."""
    path = None if folder is None else folder / "ratings.csv"
    if path is None or not path.is_file():
        return {}
    return {"ratings": str(path), "content": zlib.crc32(path.read_bytes())}


def some_of_each(chosen: tuple[Board, ...], count: int) -> tuple[Board, ...]:
    """Keep the first boards of every setup."""
    setups = list(dict.fromkeys(board.setup for board in chosen))
    return tuple(b for s in setups for b in [x for x in chosen if x.setup == s][:count])
