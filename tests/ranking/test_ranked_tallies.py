"""A board of a tally, or of battle counts, is that of the items and the battles."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.data import tallied
from betterthan.data.judgments import Judgments
from betterthan.errors import BadValueError, DataError, UsageError
from betterthan.ranking import rank
from made_up_scores import scores_of


def said(board: Any) -> tuple[Any, ...]:
    ranking = board.ranking
    rows = [replace(row) for row in board.rows]
    return (
        board.signature,
        rows,
        ranking.resamples.tolist(),
        ranking.comes_first.tolist(),
        board.notes,
    )


@pytest.mark.parametrize("method", ["bradley-terry", "mean", "median", "elo"])
@pytest.mark.parametrize("kind", ["binary", "decimals", "real"])
def test_a_board_of_a_tally_is_that_of_the_items(kind: str, method: Any) -> None:
    for clustered in (True, False):
        scores = scores_of(kind, clustered=clustered)
        expected = rank(scores, method=method, resamples=200)
        assert said(rank(bt.tally(scores), method=method, resamples=200)) == said(expected)
    wide = {name: scores.values[:, k, 0] for k, name in enumerate(scores.systems)}
    scanned = bt.read(pl.DataFrame(wide).reverse().lazy())
    assert said(rank(scanned, method=method, resamples=200)) == said(expected)


def test_a_tally_is_ranked_by_its_metric() -> None:
    scores = scores_of("counts")
    made = bt.tally(scores, ["f1"])
    assert said(rank(made, method="mean")) == said(rank(scores, method="mean", metric="f1"))


def test_what_cannot_be_resampled_has_all_pairs_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallied, "RANKABLE", 100)
    many = bt.tally(scores_of("binary", clustered=True))
    for method in ("bradley-terry", "elo(k=9)"):
        with pytest.raises(UsageError) as caught:
            rank(many, method=method)
        assert caught.value.remedies[0].value == "mean"
    found = rank(many, correction="bonferroni")
    assert isinstance(found, bt.Comparisons)
    every = bt.compare_all(many, correction="bonferroni")
    assert found.comparisons == every.comparisons
    assert found.notes[1:] == every.notes


def test_boards_of_the_parts_of_a_tally(demo_folder: Path) -> None:
    made = [rank(bt.read("qa.csv", columns={"label": "domain"}, items=i), by="domain", resamples=20)
            for i in (True, False)]  # fmt: skip
    for (part, board), (other, counted) in zip(made[0].boards, made[1].boards, strict=True):
        assert part == other
        assert [row.beats for row in board] == [row.beats for row in counted]
        assert [row.rating for row in board] == [row.rating for row in counted]


def battles(n: int = 400) -> pl.DataFrame:
    draw = np.random.default_rng(4)
    pairs = np.array([("x", "y"), ("y", "z"), ("z", "x"), ("y", "x")])[draw.integers(4, size=n)]
    who = draw.choice(["model_a", "model_b", "tie"], n)
    prompts = [f"prompt {k}" for k in draw.integers(60, size=n)]
    return pl.DataFrame(
        {"question_id": prompts, "model_a": pairs[:, 0], "model_b": pairs[:, 1], "winner": who}
    )


@pytest.mark.parametrize("by_item", [False, True])
def test_counts_of_battles_are_ranked_like_the_battles(tmp_path: Path, by_item: bool) -> None:
    frame = battles() if by_item else battles().drop("question_id")
    frame.write_csv(tmp_path / "battles.csv")
    each, counted = (bt.read(tmp_path / "battles.csv", items=items) for items in (True, False))
    assert said(rank(counted, resamples=200)) == said(rank(each, resamples=200))


def test_counts_from_an_engine_are_judgments() -> None:
    frame = battles().drop("question_id")
    counted = frame.group_by("model_a", "model_b", "winner").agg(pl.len().alias("count"))
    found = bt.read(counted)
    assert said(rank(found, method="bradley-terry")) == said(
        rank(bt.read(frame), method="bradley-terry")
    )


def test_a_count_among_other_columns_is_no_count(tmp_path: Path) -> None:
    frame = battles().with_columns(count=pl.lit(7), language=pl.lit("en"))
    frame.write_csv(tmp_path / "battles.csv")
    assert bt.read(tmp_path / "battles.csv").n == 400


@pytest.mark.parametrize("bad", ["0", "1.5", "many", ""])
def test_bad_counts_are_refused(tmp_path: Path, bad: str) -> None:
    table = f"model_a,model_b,winner,count\nx,y,tie,3\nx,y,model_a,{bad}\n"
    (tmp_path / "counts.csv").write_text(table)
    with pytest.raises(BadValueError):
        bt.read(tmp_path / "counts.csv")
    with pytest.raises(BadValueError, match="counts"):
        Judgments.from_arrays("x", "y", ["tie"], counts=[bad])  # type: ignore[list-item]
    with pytest.raises(DataError, match="counts"):
        Judgments.from_arrays("x", "y", ["tie"], counts=[1, 2])
