"""Functions on data take frames as they take Scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betterthan as bt
from betterthan.design import (
    Pilot,
    against_published,
    thresholds_by_domain,
    thresholds_by_size,
)
from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.ranking import by_size, diagnose, leave_one_out

RNG = np.random.default_rng(3)
IDS = [f"q{k:02d}" for k in range(40)]
BASE = (RNG.random(40) < 0.5).astype(int)
NEW = np.where(RNG.random(40) < 0.4, 1, BASE)
OTHER = (RNG.random(40) < 0.6).astype(int)
SCORES = bt.Scores.from_arrays({"base": BASE, "new": NEW, "other": OTHER}, items=IDS)
WIDE = pd.DataFrame({"id": IDS, "base": BASE, "new": NEW, "other": OTHER})
LONG = WIDE.melt("id", var_name="system", value_name="score")
ORDER = RNG.permutation(40)

FRAMES: dict[str, Any] = {
    "pandas wide": WIDE,
    "pandas wide, shuffled": WIDE.iloc[ORDER],
    "pandas wide, index": WIDE.set_index("id").iloc[ORDER],
    "pandas wide, index of any name": WIDE.rename(columns={"id": "sentence"}).set_index("sentence"),
    "pandas wide, index of no name": WIDE.set_index("id").rename_axis(None),
    "pandas wide, integers as index": WIDE.drop(columns="id").set_axis(range(7, 47)).iloc[ORDER],
    "pandas wide, counted": WIDE.drop(columns="id"),
    "pandas long": LONG,
    "pandas long, sampled": LONG.sample(frac=1, random_state=1),
    "pandas long, index": LONG.set_index("id"),
    "pandas long, index of any name": LONG.rename(columns={"id": "sent"}).set_index("sent"),
    "pandas long, two levels": LONG.set_index(["id", "system"]),
    "pandas pivoted": LONG.pivot_table(index="id", columns="system", values="score"),
    "polars wide": pl.DataFrame(WIDE.to_dict("list")),
    "polars long": pl.DataFrame(LONG.to_dict("list")),
    "polars long, sampled": pl.DataFrame(LONG.to_dict("list")).sample(
        fraction=1.0, shuffle=True, seed=1
    ),
    "polars lazy": pl.LazyFrame(WIDE.to_dict("list")),
    "pyarrow wide": pl.DataFrame(WIDE.to_dict("list")).to_arrow(),
    "pyarrow long": pl.DataFrame(LONG.to_dict("list")).to_arrow(),
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda data: bt.compare(data, "base", "new"),
    "compare_many": lambda data: bt.compare_many(data, "base"),
    "compare_all": bt.compare_all,
    "rank": lambda data: bt.rank(data, resamples=20),
    "gate": lambda data: bt.gate(data, "base", "new", margin=0.03),
    "aa_check": lambda data: bt.design.aa_check(data, "base", "new", simulations=5),
    "power": lambda data: bt.power(Pilot(data, "base", "new"), items=100, effect=0.1),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_frame_is_the_same_comparison(frame: Any) -> None:
    made, expected = bt.compare(frame, "base", "new"), bt.compare(SCORES, "base", "new")
    assert made.signature == expected.signature
    assert (made.wins, made.losses, made.pvalue) == (
        expected.wins,
        expected.losses,
        expected.pvalue,
    )


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("frame", ["pandas wide", "polars long"])
def test_every_function_takes_frames(name: str, frame: str) -> None:
    # Where the systems are named, the others are not read.
    two = name in ("compare", "gate", "aa_check", "power")
    scores = SCORES.select("base", "new") if two else SCORES
    assert CALLS[name](FRAMES[frame]).signature == CALLS[name](scores).signature


def test_studies_and_plain_scores_take_frames() -> None:
    for call in (bt.design.thresholds, bt.design.calibration, bt.score):
        assert call(WIDE).signature == call(SCORES).signature
    assert bt.score(WIDE.set_index("id")).signature == bt.score(SCORES).signature


def test_columns_of_counts_and_their_metric() -> None:
    counts = {"tp": [1, 2, 0, 3] * 2, "fp": [1, 0, 2, 1] * 2, "fn": [0, 1, 1, 0] * 2}
    frame = pl.DataFrame({"id": list("abcd") * 2, "system": ["x"] * 4 + ["y"] * 4, **counts})
    assert bt.compare(frame, "x", "y", metric="f1").delta == 0.0
    assert bt.compare_many(frame, "x", metric=["f1", "recall"])[1].metric == "recall"


def test_the_echo_names_the_index() -> None:
    frame = WIDE.rename(columns={"id": "sentence"}).set_index("sentence")
    assert "item=sentence" in bt.read(frame).source
    assert bt.read(frame).paired_by == "id"
    assert bt.read(WIDE.drop(columns="id")).paired_by == "position"


def test_an_index_twice() -> None:
    twice = WIDE.set_index("id").rename(index={"q01": "q00"})
    with pytest.raises(AlignmentError, match="q00"):
        bt.compare(twice, "base", "new")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([1, 2], "a list"),
        ({"a": [1]}, "a dict"),
        (np.zeros((3, 2)), "a ndarray"),
        ("runs.csv", r"bt\.read\('runs\.csv'\)"),
        (Path("runs.csv"), "read it first"),
        (None, "a NoneType"),
    ],
)
def test_other_types_are_told_what_is_accepted(data: Any, said: str) -> None:
    for call in CALLS.values():
        with pytest.raises(UsageError, match=said):
            call(data)


def test_what_the_call_names_settles_the_columns() -> None:
    frame = WIDE.assign(length=np.arange(40) % 7 + 20, level=np.arange(40) % 4)
    expected = bt.compare(SCORES, "base", "new").signature
    assert bt.compare(frame, "base", "new").signature == expected
    assert bt.gate(frame, "base", "new", margin=0.03).candidate == "new"
    parts = bt.compare_many(frame.drop(columns=["length", "other"]), "base", by="level")
    assert [c.subset for c in parts][1:] == [f"level={k}" for k in range(4)]
    with pytest.raises(FormatError, match="'length'") as caught:
        bt.compare_all(frame)
    assert any("bt.read(frame" in remedy.does for remedy in caught.value.remedies)
    read = bt.read(frame, columns={"label": ["length", "level"]})
    assert [c.candidate for c in bt.compare_many(read, "base")] == ["new", "other"]


def test_studies_and_diagnoses_take_frames() -> None:
    rng = np.random.default_rng(0)
    made = {f"s{k}": rng.normal(size=60) for k in range(4)}
    frame = pl.DataFrame({"item": range(60), "year": [2019, 2020] * 30, **made})
    sized = frame.drop("year")
    read, dated = bt.read(sized), bt.read(frame, columns={"label": "year"})
    assert thresholds_by_size(sized, [30, 60]) == thresholds_by_size(read, [30, 60])
    assert thresholds_by_domain(frame, "year") == thresholds_by_domain(dated, "year")
    assert diagnose(sized, "s0", "s1").preferred == diagnose(read, "s0", "s1").preferred
    assert leave_one_out(sized) == leave_one_out(read)
    assert by_size(sized, [20], repeats=2) == by_size(read, [20], repeats=2)
    gains = (bt.item_by_item(data, "s0", "s1").gains.tolist() for data in (sized, read))
    assert next(gains) == next(gains)
    told = (against_published(data, 0.1, "s0", threshold=0.2) for data in (sized, read))
    assert next(told) == next(told)


def test_systems_are_named_by_text() -> None:
    frame = pd.DataFrame({1: [0.1, 0.2, 0.3, 0.5], 2: [0.3, 0.2, 0.4, 0.6]})
    assert bt.compare(frame, "1").candidate == "2"
    for names in ({"baseline": 1}, {"candidate": 2}):
        with pytest.raises(UsageError, match="must be strings"):
            bt.compare(frame, **names)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is no system 'x'"):
        bt.compare(frame, "x")
