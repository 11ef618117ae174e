"""A rate is a rate however often its items were repeated."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import BadValueError
from betterthan.metrics import mean

RNG = np.random.default_rng(5)
EASE = RNG.random(30)
BASE, NEW = ((RNG.random((30, 4)) < EASE[:, None] + gain).astype(int) for gain in (0.0, 0.1))


def inspect_logs(folder: Path, epochs: int) -> list[Path]:
    paths = []
    for name, block in (("base", BASE), ("new", NEW)):
        samples = [
            {"id": k, "epoch": e + 1, "input": f"q{k}", "scores": {"m": {"value": int(x)}}}
            for k, row in enumerate(block)
            for e, x in enumerate(row[:epochs])
        ]
        log = {
            "status": "success",
            "eval": {"task": "t", "model": name},
            "plan": {},
            "samples": samples,
        }
        paths.append(folder / f"{name}{epochs}.json")
        paths[-1].write_text(json.dumps(log), encoding="utf-8")
    return paths


def long_table(seeds: int) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"id": f"q{k}", "system": name, "seed": s, "correct": int(x)}
            for name, block in (("base", BASE), ("new", NEW))
            for k, row in enumerate(block)
            for s, x in enumerate(row[:seeds])
        ]
    )


@pytest.mark.parametrize("times", [1, 2, 4])
def test_epochs_and_seeds_keep_the_unit(times: int, tmp_path: Path) -> None:
    for scores in (bt.read(*inspect_logs(tmp_path, times)), bt.read(long_table(times))):
        made = bt.compare(scores, "base", "new")
        assert made.percent
        assert scores.is_rate(scores.measured())
        assert all(row.percent for row in bt.score(scores))
        assert "points" in str(made)
        assert made.delta == pytest.approx(NEW[:, :times].mean() - BASE[:, :times].mean())
        assert bt.gate(scores, "base", "new", margin=0.02).checks[0].margin == 0.02
        assert bt.rank(scores, resamples=10).percent


def test_item_means_are_not_zeros_and_ones() -> None:
    pair = bt.read(long_table(4)).pair("base", "new")
    assert pair.rate
    assert not pair.is_binary
    with pytest.raises(BadValueError, match="0/1 scores"):
        bt.compare(bt.read(long_table(4)), "base", "new", test="mcnemar")
    assert "Tango" not in bt.compare(bt.read(long_table(4)), "base", "new").interval.method
    assert bt.read(long_table(1)).pair("base", "new").is_binary


def test_other_responses_and_plain_quarters_are_no_rates() -> None:
    quarters: dict[str, Any] = {"base": BASE.mean(axis=1), "new": NEW.mean(axis=1)}
    assert not bt.Scores.from_arrays(quarters).pair("base", "new").rate
    stars = bt.Scores.from_responses({"a": [[1, 2], [3, 1]], "b": [[1, 1], [2, 2]]})
    assert not stars.pair("a", "b").rate
    mixed = bt.Scores.from_responses(
        {"a": [[1, 0], [1]], "b": [[1], [0, 1, 1]], "c": [[2, 1], [0]]}
    )
    assert mixed.pair("a", "b").rate  # ragged, and a third system does not matter
    assert not mixed.pair("a", "c").rate
    assert not mixed.is_rate(mean())


def test_missing_responses_count_as_the_worst() -> None:
    frame = long_table(4).filter(~((pl.col("id") == "q3") & (pl.col("system") == "new")))
    scores = bt.read(frame, missing="worst")
    assert scores.pair("base", "new").rate
    assert any("worst value, 0" in note for note in scores.notes)
