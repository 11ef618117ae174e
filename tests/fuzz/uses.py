"""What is done with files: read them, and do what most commands do first."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import betterthan as bt
from betterthan.cli.flags import overview_lines
from betterthan.data.overview import overview
from betterthan.data.scores import Scores
from betterthan.data.tallied import Tallied
from betterthan.design.plan import read_plan, seal
from betterthan.errors import BetterthanError
from betterthan.metrics import mean, parse
from betterthan.readers import read, tally_files
from betterthan.readers.judgments.as_judgments import read_any
from betterthan.readers.outputs.scoring import read_outputs
from betterthan.responses.trio import read_trio

STYLES = ("table", "md", "latex", "csv", "json")
MOST = 1000  # items that are compared


def used(data: Any) -> None:
    """Say what the data are, compare the first two systems, and estimate all."""
    overview_lines(overview(data))
    if not isinstance(data, Scores) or data.n > MOST:
        return
    for column in data.columns[:1]:
        metric = mean(column, lower_is_better=False)
        if len(data.systems) > 1:
            shown(bt.compare(data, data.systems[0], data.systems[1], metric=metric))
        with suppress(BetterthanError):  # of systems that have no scores, say
            shown(bt.estimate(data, metrics=[metric]))


def shown(result: Any) -> None:
    """Write a result in every form."""
    for style in STYLES:
        result.rendered(style)


def pages(folder: Path, files: list[Path]) -> None:
    """Write what takes long: reports and every picture."""
    data = read(*files, missing="drop")
    if len(data.systems) == 1:
        return
    baseline, candidate = data.systems[:2]
    for result in (
        bt.compare(data, baseline, candidate),
        bt.estimate(data),
        bt.gate(data, baseline, candidate, margin=2),
    ):
        result.rendered("html")
        for kind in result.plot_kinds():
            result.save(folder / "kept.svg", kind=kind)
            (folder / "kept.svg").unlink()


def transposed(folder: Path, files: list[Path]) -> None:
    """Read a table with a row per system, which has to be asked for."""
    del folder
    used(read(*files, input_format="transposed"))


def anything(folder: Path, files: list[Path], *, named: Sequence[Path] = ()) -> None:
    """Read scores or judgments, with two ways to take missing ones."""
    given = [folder / name for name in named] or files
    used(read_any(*given, missing="pairwise"))
    used(read_any(*given, missing="drop"))


def outputs(folder: Path, files: list[Path], *, metric: str) -> None:
    """Score outputs against the references among them."""
    gold = next(folder.glob("gold.*"))
    squad = "squad" if gold.suffix == ".json" else None
    systems = [file for file in files if file != gold]
    used(read_outputs(systems, gold=gold, metric=metric, input_format=squad, unchecked=True))


def plan(folder: Path, files: list[Path]) -> None:
    """Read a plan, sealed or not; seal it, read it again, and gate by it."""
    del folder
    with suppress(BetterthanError):
        read_plan(files[0])
    seal(files[0])
    made = read_plan(files[0])
    i = np.arange(30)
    data = {"base": np.c_[i % 3 > 0, i % 5 == 0, i % 4 == 0], "new": np.c_[i % 4 > 0, i < 3, i > 9]}
    scores = Scores.from_arrays(
        data, columns=("tp", "fp", "fn"), groups={"topic": [f"t{k % 2}" for k in i]}
    )
    shown(
        bt.gate(
            scores,
            made.baseline,
            made.candidate,
            checks=made.checks,
            by=made.by,
            alpha=made.alpha,
            correction=made.correction,
            plan=made.hash,
        )
    )


def spellings(folder: Path, files: list[Path]) -> None:
    """Parse the spelling of a metric on every line, of the first thousand: nobody gives more."""
    del folder
    for line in files[0].read_bytes().decode(errors="replace").split("\n")[:1000]:
        if ":" not in line:
            try:
                repr(parse(line))
            except BetterthanError:
                continue


def responses(folder: Path, files: list[Path]) -> None:
    """Read gold responses and those of two systems."""
    del folder
    read_trio(*files, gold="v1")


def frames(folder: Path, files: list[Path]) -> None:
    """Frames of every library that takes such columns; which do not is theirs to say."""
    del folder
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = json.loads(files[0].read_bytes())
    makers: list[Callable[[Any], Any]] = [
        pd.DataFrame,
        lambda c: pl.DataFrame(c, strict=False),
        pa.table,
        lambda c: pd.DataFrame(c).set_index(next(iter(c))),
        lambda c: pd.concat([pd.DataFrame(c), pd.DataFrame(c)], axis=1),
    ]
    for make in makers:
        try:
            frame = make(columns)
        except Exception:  # no frame
            continue
        with suppress(BetterthanError):
            used(read(frame))


def tasks(folder: Path, files: list[Path]) -> None:
    """Read a table of several tasks, and compare over them."""
    del folder
    data = read(*files, tasks="domain", cluster="document", missing="drop")
    overview_lines(overview(data))
    shown(bt.compare_many(data, data.systems[0]))
    shown(bt.estimate(data))


def scanned(folder: Path, files: list[Path]) -> None:
    """Scan a table, with roles told and found, and write and read the tally."""
    roles: dict[str, Any] = {"item": "item", "by": "domain", "systems": ["base", "atlas"]}
    for said in ({}, roles):
        with suppress(BetterthanError):
            kept(bt.scan(*files, **said), folder)


def battles_scanned(folder: Path, files: list[Path]) -> None:
    """Scan judgments, with items told and found; what can also be read has the same board."""
    del folder
    for said in ({}, {"item": "question_id"}):
        with suppress(BetterthanError):
            counted = bt.rank(bt.scan_judgments(*files, **said), resamples=10)
            shown(counted)
            listed = bt.rank(bt.read_judgments(*files, **said), resamples=10)
            if counted.signature != listed.signature:
                raise AssertionError("another board was scanned than was read")


def kept(made: Tallied, folder: Path) -> None:
    """Write a tally in every form; what is read is what was written."""
    if made.n <= MOST and len(made.systems) > 1:
        shown(bt.compare(made, made.systems[0], made.systems[1]))
    for suffix in (".csv", ".json", ".parquet"):
        path = folder / f"kept{suffix}"
        path.write_bytes(tally_files.encode_tally(made, suffix))
        again = tally_files.read_tally(path)
        path.unlink()
        if not np.array_equal(again.rows.items.rows, made.rows.items.rows):
            raise AssertionError(f"another tally was read from {suffix} than was written")


def tallied(folder: Path, files: list[Path]) -> None:
    """Read a tally, also where the fingerprint is wrong: whoever forges one can compute it."""
    with suppress(BetterthanError):
        tally_files.read_tally(files[0])
    _, made = tally_files.decode_tally(files[0])
    baseline, candidate = made.systems[:2]
    shown(bt.compare(made, baseline, candidate))
    shown(bt.gate(made, baseline, candidate, margin=2))
    kept(made, folder)
