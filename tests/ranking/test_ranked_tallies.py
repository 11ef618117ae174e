"""A board of a tally, or of battle counts, is that of the items and the battles."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.data import tallied
from betterthan.data.judgments import Judgments
from betterthan.errors import BadValueError, DataError, FormatError, UsageError
from betterthan.ranking import leaderboard
from betterthan.readers.judgments.as_judgments import read_judgments
from conftest import Run
from made_up_scores import scores_of


def said(board: Any) -> tuple[Any, ...]:
    ranking = board.ranking
    rows = [replace(row) for row in board.rows]
    return board.signature, rows, ranking.resamples.tolist(), ranking.p_best.tolist(), board.notes


@pytest.mark.parametrize("method", ["bradley-terry", "mean", "median", "elo"])
@pytest.mark.parametrize("kind", ["binary", "decimals", "real"])
def test_a_board_of_a_tally_is_that_of_the_items(kind: str, method: Any) -> None:
    scores = scores_of(kind)
    expected = leaderboard(scores, method, resamples=200)
    assert said(leaderboard(bt.Tallied.of(scores), method, resamples=200)) == said(expected)
    wide = {name: scores.values[:, k, 0] for k, name in enumerate(scores.systems)}
    scanned = bt.scan(pl.DataFrame(wide).reverse().lazy())
    assert said(leaderboard(scanned, method, resamples=200)) == said(expected)


def test_a_tally_is_ranked_by_its_metric() -> None:
    scores = scores_of("counts")
    made = bt.Tallied.of(scores, ["f1"])
    assert said(leaderboard(made, "mean")) == said(leaderboard(scores, "mean", metric="f1"))


def test_what_is_not_told_apart_is_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    clustered = bt.Tallied.of(scores_of("binary", clustered=True))
    with pytest.raises(UsageError, match=r"items of a cluster apart: .*compare_all"):
        leaderboard(clustered)
    monkeypatch.setattr(tallied, "RANKABLE", 100)
    with pytest.raises(UsageError, match="80 items of 3 systems are too many"):
        leaderboard(bt.Tallied.of(scores_of("binary")))


def test_rank_tests_all_pairs_where_there_is_no_board(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    assert betterthan("tally", "qa.csv", "--cluster", "document", "-o", "t.parquet").code == 0
    found = betterthan("rank", "t.parquet", "--format", "csv")
    assert "without ratings, rank sets and P(best)" in found.err
    every = betterthan("compare", "t.parquet", "--all", "--format", "csv")
    assert (found.code, found.out) == (0, every.out)
    assert betterthan("rank", "t.parquet", "--plot", "b.png").code == 2


def test_the_command_line_ranks_tallies_and_scans(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    expected = betterthan("rank", "qa.csv", "--format", "csv").out
    assert betterthan("rank", "qa.csv", "--scan", "--format", "csv").out == expected
    betterthan("tally", "qa.csv", "--by", "domain", "-o", "t.csv")
    assert betterthan("rank", "t.csv", "--format", "csv").out == expected
    parts = betterthan("rank", "t.csv", "--by", "domain").out
    assert parts == betterthan("rank", "qa.csv", "--by", "domain").out


def battles(n: int = 400) -> pl.DataFrame:
    draw = np.random.default_rng(4)
    pairs = np.array([("x", "y"), ("y", "z"), ("z", "x"), ("y", "x")])[draw.integers(4, size=n)]
    who = draw.choice(["model_a", "model_b", "tie"], n)
    prompts = [f"prompt {k}" for k in draw.integers(60, size=n)]
    return pl.DataFrame(
        {"question_id": prompts, "model_a": pairs[:, 0], "model_b": pairs[:, 1], "winner": who}
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
@pytest.mark.parametrize("by_item", [False, True])
def test_counts_of_battles_are_ranked_like_the_battles(
    tmp_path: Path, betterthan: Callable[..., Run], suffix: str, by_item: bool
) -> None:
    frame = battles() if by_item else battles().drop("question_id")
    frame.write_csv(tmp_path / "battles.csv")
    expected = leaderboard(read_judgments(tmp_path / "battles.csv"), resamples=200)
    made = tmp_path / f"counts.{suffix}"
    assert betterthan("tally", str(tmp_path / "battles.csv"), "-o", str(made)).code == 0
    found = leaderboard(read_judgments(made), resamples=200)
    assert said(found) == said(expected)
    text = made.read_bytes()
    assert b"prompt" not in text  # items are numbered


def test_counts_from_an_engine_are_judgments() -> None:
    frame = battles().drop("question_id")
    counted = frame.group_by("model_a", "model_b", "winner").agg(pl.len().alias("times"))
    found = Judgments.from_frame(counted, count="times")
    assert said(leaderboard(found)) == said(leaderboard(Judgments.from_frame(frame)))


def test_a_count_among_other_columns_is_no_count(tmp_path: Path) -> None:
    frame = battles().with_columns(count=pl.lit(7), language=pl.lit("en"))
    frame.write_csv(tmp_path / "battles.csv")
    assert read_judgments(tmp_path / "battles.csv").n == 400


@pytest.mark.parametrize("bad", ["0", "1.5", "many", ""])
def test_bad_counts_are_refused(tmp_path: Path, bad: str) -> None:
    table = f"model_a,model_b,winner,count\nx,y,tie,3\nx,y,model_a,{bad}\n"
    (tmp_path / "counts.csv").write_text(table)
    with pytest.raises(FormatError, match="row 2: a count of judgments is a whole number"):
        read_judgments(tmp_path / "counts.csv")
    with pytest.raises(BadValueError, match="whole numbers of at least 1"):
        Judgments.from_arrays("x", "y", ["tie"], counts=[bad])  # type: ignore[list-item]
    with pytest.raises(DataError, match="2 counts for 1 row"):
        Judgments.from_arrays("x", "y", ["tie"], counts=[1, 2])
