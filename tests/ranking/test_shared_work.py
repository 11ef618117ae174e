"""Boards and max-T come out the same whoever draws: bit by bit."""

import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.ranking.methods import Aggregation
from betterthan.ranking.pair_tests import ScorePairs
from betterthan.ranking.prepared import prepare
from betterthan.ranking.tables import ScoreTable
from betterthan.testing.request import Request

rng = np.random.default_rng(0)
REAL = bt.Scores.from_arrays({f"s{k}": rng.normal(k / 10, 1.0, 900) for k in range(4)})
WORN = bt.Scores.from_arrays({"best": [1] * 40, "rest": [0, 1] * 20, "last": [0] * 40})
BATTLES = bt.read(
    pl.DataFrame(
        {
            "model_a": [f"m{k}" for k in rng.integers(0, 5, 600)],
            "model_b": [f"n{k}" for k in rng.integers(0, 5, 600)],
            "winner": rng.choice(["model_a", "model_b", "tie"], 600).tolist(),
        }
    )
)
CLUSTERED = bt.Scores.from_arrays(
    {f"s{k}": rng.integers(1, 6, (60, 3)) for k in range(3)},
    columns=("tp", "fp", "fn"),
    clusters=[k // 3 for k in range(60)],
)
TASKS = bt.Scores.from_arrays(
    {f"s{k}": rng.normal(k, 1.0, 30) for k in range(3)}, groups={"task": ["x", "y"] * 15}
).with_tasks("task")
CIRCLE = bt.Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]})
BOARDS: list[tuple[Any, Aggregation]] = [
    (REAL, "bradley-terry"),
    (REAL, "mean"),
    (REAL, "median"),
    (WORN, "bradley-terry"),
    (BATTLES, "bradley-terry"),
]


def board(data: Any, method: Aggregation, **options: Any) -> bytes:
    made = bt.ranking.rating(data, method, resamples=1500, **options)
    return made.resamples.tobytes() + repr(made.names).encode() + repr(made.notes).encode()


def told(pairs: bt.ranking.Pairwise) -> list[Any]:
    return [(names, one.signature, one.pvalue, one.delta) for names, one in pairs.results.items()]


def diagnosed(**options: Any) -> list[Any]:
    """What else of systems is resampled, refitted or tested pair by pair."""
    ranking = bt.ranking
    tested = [
        ranking.pairwise(REAL, "mean", **options),
        ranking.pairwise(CLUSTERED, metric="f1", **options),
        ranking.pairwise(CLUSTERED, "mean", metric="f1", **options),
        ranking.pairwise(BATTLES, **options),
    ]
    agreed = ranking.agreement(REAL, ("permutation", "sign"), **options)
    fit = ranking.goodness_of_fit(BATTLES, resamples=1500, **options)
    of_tasks = ranking.rating(TASKS, "mean", resamples=200, **options)
    return [
        [(one.pvalue.tobytes(), one.log10_pvalue.tobytes(), told(one)) for one in tested],
        agreed.matrix.tobytes(),
        (fit.left, fit.error.tobytes(), fit.pvalue),
        of_tasks.resamples.tobytes(),
        ranking.leave_one_out(CIRCLE, **options),
        ranking.leave_one_out(BATTLES, **options),
        ranking.disagreement(REAL, ("mean", "median", "elo"), **options),
        ranking.study_disagreement({"a": REAL, "b": CIRCLE}, sizes=(3,), repeats=4, **options),
    ]


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


def test_diagnostics_are_the_same_whoever_draws(pool: Executor) -> None:
    alone = diagnosed()
    flips = alone[4]
    assert {flip.without for flip in flips} == {"a", "b", "c"}
    assert diagnosed(workers=2) == alone
    assert diagnosed(workers=4) == alone
    assert diagnosed(executor=pool) == alone


@pytest.mark.slow
@pytest.mark.parametrize("workers", [4, 8])
def test_processes_give_the_same_boards(workers: int) -> None:
    with ProcessPoolExecutor(workers, get_context("spawn")) as processes:
        for data, method in BOARDS:
            alone = board(data, method)
            assert board(data, method, workers=workers) == alone
            assert board(data, method, executor=processes) == alone
        assert max_t(executor=processes) == max_t(workers=1)
        assert diagnosed(executor=processes) == diagnosed()


def test_what_is_sent_holds_the_scores_and_little_else() -> None:
    """Neither what was read, nor its outcomes for Bradley-Terry, nor ids go with every piece."""
    table = prepare(REAL)
    assert isinstance(table, ScoreTable)
    table.outcomes("davidson")
    pairs = ScorePairs(table, "mean", bt.tests.Permutation(), Request(rng=0))
    sent = pickle.dumps(pairs.lean())
    assert len(sent) < 0.6 * len(pickle.dumps(pairs))
    again = pickle.loads(sent)
    assert again.result(0, 3).signature == pairs.result(0, 3).signature


def test_bad_workers_are_told() -> None:
    with pytest.raises(bt.errors.UsageError, match="workers"):
        bt.ranking.rating(REAL, workers=0)
    with pytest.raises(bt.errors.UsageError) as caught:
        bt.rank(REAL, executor="dask")
    assert caught.value.remedies[0].parameter == "workers"


@pytest.mark.parametrize(
    "call",
    [
        bt.rank,
        bt.score,
        bt.ranking.rating,
        bt.ranking.pairwise,
        bt.ranking.study_disagreement,
        bt.design.aa_check,
    ],
)
def test_keywords_that_there_are_not_are_refused_before_all_else(call: Any) -> None:
    with pytest.raises(TypeError, match="there is no keyword 'margn'"):
        call(WORN, margn=3)
