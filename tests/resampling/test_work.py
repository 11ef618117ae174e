"""Shared work: the same bits whoever does it, and one clear error where workers are lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan import design, responses
from betterthan.errors import UsageError, WorkersLostError
from betterthan.metrics import blackbox
from betterthan.resampling.work import Work
from dying_workers import die, square, square_after

GENERATOR = np.random.default_rng(3)
A, B = GENERATOR.normal(size=(2, 300))
C, D = GENERATOR.integers(0, 9, size=(2, 200, 3))


def middle(values: Any) -> float:
    return float(np.median(values))


def constant(examples: Any) -> Any:
    if len(set(examples)) == 1:
        raise ValueError("all examples are alike")
    return partial(max, sum(examples))


def at_least(prediction: int, item: int) -> bool:
    return prediction > 3 * item


def sampled(executor: Any = None, workers: int = 1) -> list[Any]:
    """Something of everything that is drawn."""
    how: dict[str, Any] = {"rng": 5, "executor": executor, "workers": workers}
    boot = bt.bootstrap_test(A, B, method="sample", resamples=3000, **how)
    ratio = bt.bootstrap_test(C, D, "f1", method="sample", resamples=3000, **how)
    box = bt.bootstrap_test(A[:40], B[:40], blackbox(middle), resamples=200, **how)
    swaps = bt.permutation_test(A, B, method="monte-carlo", resamples=5000, **how)
    joint = bt.permutation_test(C, D, "f1", method="monte-carlo", **how)
    ends = bt.bootstrap_interval(C, D, "f1", resamples=3000, **how)
    scores = bt.Scores.from_arrays({"a": A, "b": B, "c": A[::-1]})
    pairs = bt.compare_all(scores, test="bootstrap", resamples=2000, **how)
    every = bt.compare_all(scores, **how)
    few = bt.Scores.from_arrays({"a": A > 0, "b": B > 0, "c": A > 0.3})
    aa = design.aa_check(few, simulations=30, test="bootstrap", resamples=200, **how)
    counts = bt.Scores.from_arrays({"a": C, "b": np.maximum(D, 1)}, columns=("tp", "fp", "fn"))
    gains = design.thresholds(few, test="permutation", **how)
    drawn_sets = bt.tests.Bootstrap(method="sample")
    sets = design.calibration(few, sizes=50, test_sets=3, test=drawn_sets, resamples=300, **how)
    plan = [
        bt.power(design.Pilot(data, metric=metric), items=12, effect=0.001, **how)
        for data, metric in ((scores.select("a", "b"), None), (counts, "f1"))
    ]
    of_responses = responses.study(items=30, responses=2, eps=(0.1,), draws=50, **how)
    box_of = blackbox(middle)
    beside = bt.score(scores, metric=[box_of], **how)
    two = scores.select("a", "b")
    gates = bt.gate(two, metric=["median", "mean"], margin=0.5, assume="large-sample", **how)
    bar = design.against_published(counts.select("a"), 0.3, metric="f1", **how)
    population = responses.Population(eps_a=0.1)
    truth = responses.true_ps(
        population, ["mae", "wins"], items=900, responses=2, resamples=400, **how
    )
    budget = responses.split_budget(population, 500, simulated=900, **how)
    trained = design.resample_training(
        {"one": constant}, range(3), range(9), at_least, failures=20, **how
    )
    return [
        beside.scores,
        gates.checks,
        (bar.interval, bar.clear),
        [(one.pvalue, one.null.tobytes(), one.alternative.tobytes()) for one in truth],
        budget,
        (trained.scores.systems, trained.scores.values.tobytes(), trained.scores.notes),
        *((one.pvalue, one.pvalue_low, one.signature) for one in (boot, ratio, box, swaps, joint)),
        (ends.low, ends.high),
        [(one.pvalue, one.interval, one.signature) for one in pairs],
        [(one.pvalue, one.signature) for one in every],
        aa.pvalues.tolist(),
        [(one.gain, one.pvalue) for one in gains.gains],
        sets.bins,
        [(one.power, one.type_m) for one in plan],
        of_responses.cells,
    ]


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    return sampled()


def in_processes() -> Executor:
    return ProcessPoolExecutor(2, get_context("spawn"))


def test_threads_change_no_bit(alone: list[Any]) -> None:
    assert sampled(workers=3) == alone


def test_processes_change_no_bit(alone: list[Any]) -> None:
    with in_processes() as executor:
        assert sampled(executor) == alone
        assert executor.submit(abs, -1).result() == 1  # theirs, and left as it was


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_a_cluster_changes_no_bit(alone: list[Any], dask_client: Any) -> None:
    assert sampled(dask_client) == alone


@pytest.mark.parametrize("total", [0, 1, 63, 64, 65, 1000])
def test_pieces_come_in_order(total: int, dask_client: Any) -> None:
    with ThreadPoolExecutor(3) as executor:
        for work in (Work(3), Work(executor=executor), Work(executor=dask_client.get_executor())):
            assert list(work.map(square, iter(range(total)), total)) == [
                k * k for k in range(total)
            ]


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_a_dead_worker_of_a_cluster_costs_time_and_no_result(
    tmp_path: Path, dask_client: Any
) -> None:
    jobs = Work(executor=dask_client).jobs(partial(square_after, tmp_path, 1), range(9))
    assert list(jobs) == [k * k for k in range(9)]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_come_in_order_and_may_fail(workers: int) -> None:
    assert list(Work(workers).jobs(square, range(5))) == [0, 1, 4, 9, 16]
    start = time.monotonic()
    with pytest.raises(ValueError, match="non-negative"):
        list(Work(workers).jobs(time.sleep, [-1, 600]))
    assert time.monotonic() - start < 300  # nobody waits for the rest


def in_a_process(executor: Executor) -> None:
    executor.submit(die)


def as_a_task(executor: Executor) -> None:
    list(Work(executor=executor).map(apply, [die], 1))


def shut_down(executor: Executor) -> None:
    executor.shutdown()


def apply(function: Callable[[], None]) -> None:
    function()


@pytest.mark.parametrize("lose", [in_a_process, as_a_task, shut_down])
def test_lost_workers_are_one_error(lose: Callable[[Executor], None]) -> None:
    def lost(executor: Executor) -> None:
        lose(executor)
        for _ in range(1000):
            bt.permutation_test(A, B, method="monte-carlo", rng=0, executor=executor)

    with in_processes() as executor, pytest.raises(WorkersLostError, match="call again"):
        lost(executor)


def test_a_process_of_ours_that_dies_is_the_same_error(tmp_path: Path) -> None:
    with pytest.raises(WorkersLostError, match="call again"):
        list(Work(2).jobs(partial(square_after, tmp_path, 1), range(9)))


def test_a_pool_that_somebody_shuts_down_is_lost_and_not_waited_for() -> None:
    executor = ThreadPoolExecutor(1)

    def shut(task: int) -> int:
        executor.shutdown(wait=False, cancel_futures=True)
        return task

    with pytest.raises(WorkersLostError, match="call again"):
        list(Work(executor=executor).map(shut, range(9), 9))


def test_what_cannot_share_work_is_an_error() -> None:
    with pytest.raises(UsageError, match="executor must be a pool"):
        bt.bootstrap_test(A, B, executor=3)
    with in_processes() as executor, pytest.raises(UsageError, match="cannot be sent"):
        bt.bootstrap_test(A, B, blackbox(lambda x: x.max()), resamples=50, executor=executor)


PROGRAM = """
import os, signal, sys, time
from betterthan.resampling.work import Work
from dying_workers import sleep
signal.signal(signal.SIGINT, signal.default_int_handler)
if __name__ == "__main__":
    list(Work(2).jobs(sleep, [600, 600]))
"""


def test_processes_end_with_a_program_that_is_interrupted() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with program:
        assert program.stdout is not None
        for _ in range(2):  # both are at work
            program.stdout.readline()
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        # The pipes are at their end when all who hold them have ended.
        _, said = program.communicate(timeout=60)
    assert program.returncode == -signal.SIGINT
    assert said.count("Traceback") == 1


def test_threads_do_not_run_far_ahead() -> None:
    asked: list[int] = []

    def tasks() -> Iterator[int]:
        for k in range(10**9):
            asked.append(k)
            yield k

    made = Work(2).map(square, tasks(), 10**9)
    assert [next(made) for _ in range(5)] == [0, 1, 4, 9, 16]
    del made
    assert len(asked) < 20
