"""Functions on data take frames as they take Scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betterthan as bt
from betterthan.design import Pilot, thresholds_by_size
from betterthan.errors import FormatError, UsageError
from betterthan.ranking import by_size, leave_one_out

RNG = np.random.default_rng(3)
IDS = [f"q{k:02d}" for k in range(40)]
BASE = (RNG.random(40) < 0.5).astype(int)
NEW = np.where(RNG.random(40) < 0.4, 1, BASE)
OTHER = (RNG.random(40) < 0.6).astype(int)
SCORES = bt.Scores.from_arrays({"base": BASE, "new": NEW, "other": OTHER}, items=IDS)
WIDE = pd.DataFrame({"id": IDS, "base": BASE, "new": NEW, "other": OTHER})
LONG = WIDE.melt("id", var_name="system", value_name="score")
POLARS = pl.DataFrame(WIDE.to_dict("list"))

FRAMES: dict[str, Any] = {
    "pandas wide": WIDE,
    "pandas shuffled, with an index": WIDE.set_index("id").iloc[RNG.permutation(40)],
    "pandas long, sampled": LONG.sample(frac=1, random_state=1),
    "pandas long, two levels": LONG.set_index(["id", "system"]),
    "pandas pivoted": LONG.pivot_table(index="id", columns="system", values="score"),
    "polars long": pl.DataFrame(LONG.to_dict("list")),
    "polars lazy": POLARS.lazy(),
    "pyarrow": POLARS.to_arrow(),
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda data: bt.compare(data, "base", "new"),
    "compare_many": lambda data: bt.compare_many(data, "base"),
    "compare_all": bt.compare_all,
    "rank": lambda data: bt.rank(data, resamples=20),
    "score": bt.score,
    "gate": lambda data: bt.gate(data, "base", "new", margin=0.03),
    "aa_check": lambda data: bt.design.aa_check(data, "base", "new", simulations=5),
    "power": lambda data: bt.power(Pilot(data, "base", "new"), items=100, effect=0.1),
    "thresholds": bt.design.thresholds,
    "calibration": bt.design.calibration,
}
OF_TWO = ("compare", "gate", "aa_check", "power")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_frame_is_the_same_comparison(frame: Any) -> None:
    assert bt.compare(frame, "base", "new") == bt.compare(bt.read(frame), "base", "new")
    assert bt.compare(frame, "base", "new").signature == bt.compare(SCORES, "base", "new").signature


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("frame", ["pandas wide", "polars long"])
def test_every_function_takes_frames(name: str, frame: str) -> None:
    # Where the systems are named, the others are not read.
    scores = SCORES.select("base", "new") if name in OF_TWO else SCORES
    assert CALLS[name](FRAMES[frame]).signature == CALLS[name](scores).signature


@pytest.mark.parametrize(
    "data", [[1, 2], {"a": [1]}, np.zeros((3, 2)), "runs.csv", Path("runs.csv"), None]
)
def test_other_types_end_in_a_remedy(data: Any) -> None:
    for call in CALLS.values():
        with pytest.raises(UsageError, match="must be Scores or a data frame") as caught:
            call(data)
        assert caught.value.remedies


def test_what_the_call_names_settles_the_columns() -> None:
    frame = WIDE.assign(width=np.arange(40) % 7 + 20, level=np.arange(40) % 4)
    expected = bt.compare(SCORES, "base", "new").signature
    assert bt.compare(frame, "base", "new").signature == expected
    parts = bt.compare_many(frame.drop(columns=["width", "other"]), "base", by="level")
    assert [c.subset for c in parts][1:] == [f"level={k}" for k in range(4)]
    with pytest.raises(FormatError) as caught:
        bt.compare_all(frame)
    assert any("bt.read(frame" in remedy.does for remedy in caught.value.remedies)


def test_systems_are_named_by_text() -> None:
    frame = pd.DataFrame({1: [0.1, 0.2, 0.3, 0.5], 2: [0.3, 0.2, 0.4, 0.6]})
    assert bt.compare(frame, "1").candidate == "2"
    a, b = pd.Series([0, 1, 1]), pd.Series([1, 1, 1])
    calls: list[Any] = [
        lambda: bt.compare(frame, baseline=1),  # type: ignore[arg-type]
        lambda: bt.compare(a, b),
        lambda: bt.compare([0, 1], [1, 1]),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(UsageError, match="must be strings") as caught:
            call()
        assert "bt.permutation_test(a, b)" in caught.value.remedies[0].does


@pytest.mark.parametrize("nothing", [[], (), np.array([])])
def test_an_empty_choice_is_not_all(nothing: Any) -> None:
    with pytest.raises(UsageError, match="systems must name at least one"):
        bt.read(WIDE, systems=nothing)
    for call in (bt.compare_many, bt.compare_all, bt.score):
        with pytest.raises(UsageError, match="metric must name at least one"):
            call(WIDE, metric=nothing)


def test_studies_take_frames() -> None:
    assert thresholds_by_size(WIDE, [20, 40]) == thresholds_by_size(SCORES, [20, 40])
    assert leave_one_out(WIDE) == leave_one_out(SCORES)
    assert by_size(WIDE, [20], repeats=2) == by_size(SCORES, [20], repeats=2)
