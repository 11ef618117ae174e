"""What is done with files: read them, and do what most commands do first."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import ANY, patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import betterthan as bt
from betterthan.design.plan import seal
from betterthan.errors import BetterthanError
from betterthan.grammar import call_of, pairs_of
from betterthan.metrics import mean, parse
from betterthan.ranking.methods import method_of
from betterthan.readers import tally_files
from betterthan.render.overview import overview
from betterthan.responses import read_trio
from betterthan.testing.values import as_test

STYLES = ("table", "md", "latex", "csv", "json")
MOST = 1000  # items that are compared
ROLES: tuple[dict[str, str], ...] = (
    {},
    {"item": "item", "label": "domain"},
    {"item": "question_id"},
)


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
    """Read tables, count them in place with roles declared and inferred, and keep the tallies."""
    for roles in ROLES:
        with suppress(BetterthanError):
            data: Any = bt.read(*files, columns=roles, items=False)
            if isinstance(data, bt.Tallied):
                kept(data, folder)
            else:
                shown(bt.rank(data, resamples=10))
    anything(folder, files)


def kept(tally: Any, folder: Path) -> None:
    """Write a tally in every form; what is read is what was written."""
    if tally.n <= MOST and len(tally.systems) > 1:
        shown(bt.compare(tally, *tally.systems[:2]))
    for suffix in (".csv", ".json", ".parquet"):
        path = folder / f"kept{suffix}"
        path.write_bytes(tally_files.encode_tally(tally, suffix))
        again = tally_files.read_tally(path)
        path.unlink()
        if not np.array_equal(again.rows.items.rows, tally.rows.items.rows):
            raise AssertionError(f"another tally was read from {suffix} than was written")


def tallied(folder: Path, files: list[Path]) -> None:
    """Read a tally, also where the fingerprint is wrong: whoever forges one can compute it."""
    with suppress(BetterthanError):
        bt.read(files[0])
    with patch.object(tally_files, "fingerprint", return_value=ANY):
        tally = tally_files.read_tally(files[0])
    shown(bt.gate(tally, *tally.systems[:2], margin=0.02))
    kept(tally, folder)


def outputs(folder: Path, files: list[Path], *, metric: str) -> None:
    """Score outputs against the references among them."""
    gold = next(folder.glob("gold.*"))
    squad = "squad" if gold.suffix == ".json" else None
    systems = [file for file in files if file != gold]
    used(bt.read(*systems, ref=gold, metric=metric, input_format=squad))


def plan(folder: Path, files: list[Path]) -> None:
    """Read a plan, sealed or not; seal it, read it again, and gate by it."""
    del folder
    with suppress(BetterthanError):
        bt.Plan.read(files[0])
    seal(files[0])
    rules = bt.Plan.read(files[0])
    counts = np.random.default_rng(1).integers(0, 3, (2, 30, 3))
    data, topics = dict(zip(("base", "new"), counts, strict=True)), {"topic": ["t", "u"] * 15}
    shown(rules.gate(bt.Scores.from_arrays(data, columns=("tp", "fp", "fn"), groups=topics)))


def spellings(folder: Path, files: list[Path]) -> None:
    """Parse every line as a metric, a test, a method and pairs, of the first thousand."""
    del folder
    for line in files[0].read_bytes().decode(errors="replace").split("\n")[:1000]:
        readers: tuple[Callable[[str], object], ...] = (call_of, pairs_of, as_test, method_of)
        for reader in readers if ":" in line else (*readers, parse):  # which would be imported
            with suppress(BetterthanError):
                repr(reader(line))


def responses(folder: Path, files: list[Path]) -> None:
    """Read gold responses and those of two systems."""
    del folder
    read_trio(*files, gold="v1")


def frames(folder: Path, files: list[Path]) -> None:
    """Frames of every library that takes such columns; which do not is theirs to say."""
    del folder
    columns = json.loads(files[0].read_bytes())
    makers: list[Callable[[Any], Any]] = [
        pd.DataFrame,
        partial(pl.DataFrame, strict=False),
        pa.table,
        lambda c: pd.DataFrame(c).set_index(next(iter(c))),
        lambda c: pd.concat([pd.DataFrame(c), pd.DataFrame(c)], axis=1),
    ]
    for make in makers:
        frame = None
        with suppress(Exception):  # no frame
            frame = make(columns)
        with suppress(BetterthanError):
            used(bt.read(frame))
