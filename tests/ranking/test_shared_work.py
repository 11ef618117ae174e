"""Boards and max-T come out the same whoever draws: bit by bit."""

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.ranking import Judgments
from betterthan.ranking.result import Aggregation

rng = np.random.default_rng(0)
REAL = bt.Scores.from_arrays({f"s{k}": rng.normal(k / 10, 1.0, 900) for k in range(4)})
WORN = bt.Scores.from_arrays({"best": [1] * 40, "rest": [0, 1] * 20, "last": [0] * 40})
BATTLES = Judgments.from_frame(
    pl.DataFrame(
        {
            "model_a": [f"m{k}" for k in rng.integers(0, 5, 600)],
            "model_b": [f"n{k}" for k in rng.integers(0, 5, 600)],
            "winner": rng.choice(["model_a", "model_b", "tie"], 600).tolist(),
        }
    )
)
BOARDS: list[tuple[Any, Aggregation]] = [
    (REAL, "bradley-terry"),
    (REAL, "mean"),
    (REAL, "median"),
    (WORN, "bradley-terry"),
    (BATTLES, "bradley-terry"),
]


def board(data: Any, method: Aggregation, **options: Any) -> bytes:
    made = bt.rank(data, method, separation="ghost", resamples=1500, **options)
    return made.resamples.tobytes() + repr(made.names).encode() + repr(made.notes).encode()


def max_t(**options: Any) -> list[float]:
    found = bt.compare_all(REAL, correction="max-t", **options)
    return [one.pvalue_adjusted for one in found.comparisons]


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as made:
        yield made


@pytest.mark.parametrize(("data", "method"), BOARDS)
def test_a_board_is_the_same_whoever_draws(data: Any, method: Aggregation, pool: Executor) -> None:
    alone = board(data, method)
    assert board(data, method, workers=2) == alone
    assert board(data, method, executor=pool) == alone
    assert board(data, method, rng=1) != alone


def test_max_t_is_the_same_whoever_swaps(pool: Executor) -> None:
    alone = max_t(workers=1)
    assert max_t(workers=2) == alone
    assert max_t(executor=pool) == alone


@pytest.mark.slow
@pytest.mark.parametrize("workers", [4, 8])
def test_processes_give_the_same_boards(workers: int) -> None:
    with ProcessPoolExecutor(workers, get_context("spawn")) as processes:
        for data, method in BOARDS:
            alone = board(data, method)
            assert board(data, method, workers=workers) == alone
            assert board(data, method, executor=processes) == alone
        assert max_t(executor=processes) == max_t(workers=1)


def test_bad_workers_are_told() -> None:
    with pytest.raises(bt.errors.UsageError, match="workers must be at least 1"):
        bt.rank(REAL, workers=0)
    with pytest.raises(bt.errors.UsageError, match="executor is a pool"):
        bt.leaderboard(REAL, executor="dask")
