"""What is done with files: read them, and do what most commands do first."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import ANY, patch

import betterthan as bt
from betterthan.errors import BetterthanError
from betterthan.metrics import mean
from betterthan.readers import tally_files
from betterthan.render.overview import overview

STYLES = ("table", "md", "latex", "csv", "json")
MOST = 1000  # items that are compared


def used(data: Any) -> None:
    """Say what the data are, compare the first two systems, and score all."""
    overview(data)
    if not isinstance(data, bt.Scores) or data.n > MOST:
        return
    for column in data.columns[:1]:
        metric = mean(column, lower_is_better=False)
        if len(data.systems) > 1:
            shown(bt.compare(data, *data.systems[:2], metric=metric))
        with suppress(BetterthanError):  # of systems that have no scores, say
            shown(bt.score(data, metric=metric))


def shown(result: Any) -> None:
    """Write a result in every form."""
    for style in STYLES:
        result.rendered(style)


def anything(
    folder: Path, files: list[Path], *, named: Sequence[Path] = (), **options: Any
) -> None:
    """Read scores or judgments, with two ways to take missing ones."""
    sources = [folder / name for name in named] or files
    with suppress(BetterthanError):
        used(bt.read(*sources, missing="pairwise", **options))
    used(bt.read(*sources, missing="drop", **options))


def tables(folder: Path, files: list[Path]) -> None:
    """Read tables, and count them in place."""
    with suppress(BetterthanError):
        data: Any = bt.read(*files, items=False)
        if isinstance(data, bt.Scores) and data.counts is not None:
            shown(bt.compare(data, *data.systems[:2]))
        else:
            shown(bt.rank(data, resamples=10))
    anything(folder, files)


def tallied(folder: Path, files: list[Path]) -> None:
    """Read a tally, also where the fingerprint is wrong: whoever forges one can compute it."""
    del folder
    with patch.object(tally_files, "fingerprint", return_value=ANY):
        tally = tally_files.read_tally(files[0])
    shown(bt.gate(tally, *tally.systems[:2], margin=0.02))


def outputs(folder: Path, files: list[Path], *, metric: str) -> None:
    """Score outputs against the references among them."""
    gold = next(folder.glob("gold.*"))
    squad = "squad" if gold.suffix == ".json" else None
    systems = [file for file in files if file != gold]
    used(bt.read(*systems, ref=gold, metric=metric, input_format=squad))
