"""Shared work: the same bits whoever does it, and whoever dies on the way."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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
from betterthan.papers.runner import Runner
from betterthan.resampling import work as module
from betterthan.resampling.work import Work
from dying_workers import die, square, square_after

GENERATOR = np.random.default_rng(3)
A, B = GENERATOR.normal(size=(2, 300))
C, D = GENERATOR.integers(0, 9, size=(2, 200, 3))


def middle(values: Any) -> float:
    return float(np.median(values))


def drawn(seed: np.random.SeedSequence, scale: float) -> float:
    return float(np.random.default_rng(seed).normal() * scale)


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


@pytest.mark.parametrize("workers", [2, 4])
def test_threads_change_no_bit(alone: list[Any], workers: int) -> None:
    assert sampled(workers=workers) == alone


def in_processes() -> Executor:
    return ProcessPoolExecutor(2, get_context("spawn"))


@pytest.mark.parametrize("pool", [partial(ThreadPoolExecutor, 3), in_processes])
def test_executors_change_no_bit(alone: list[Any], pool: Callable[[], Executor]) -> None:
    with pool() as executor:
        assert sampled(executor) == alone
        assert executor.submit(abs, -1).result() == 1  # theirs, and left as it was


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_a_cluster_changes_no_bit(alone: list[Any], dask_client: Any) -> None:
    assert sampled(dask_client) == alone
    assert sampled(dask_client.get_executor()) == alone


def test_a_dead_worker_of_ours_costs_time_and_no_result(tmp_path: Path) -> None:
    jobs = Work(2).jobs(partial(square_after, tmp_path, 1), range(9))
    assert dict(jobs) == {k: k * k for k in range(9)}
    assert len(list(tmp_path.iterdir())) == 1


def test_a_task_that_always_kills_its_worker_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRIES", 1)
    with pytest.raises(WorkersLostError, match="died 2 times in a row"):
        list(Work(2).jobs(partial(square_after, tmp_path, 99), range(3, 5)))


def test_a_dead_worker_of_a_cluster_costs_time_and_no_result(
    tmp_path: Path, dask_client: Any
) -> None:
    jobs = Work(executor=dask_client).jobs(partial(square_after, tmp_path, 1), range(9))
    assert dict(jobs) == {k: k * k for k in range(9)}
    assert len(list(tmp_path.iterdir())) == 1


class Fragile(Executor):
    """Does so many pieces in this thread, and is gone."""

    def __init__(self, pieces: float) -> None:
        self.left = pieces
        self.done = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.left <= 0:
            future.set_exception(BrokenProcessPool("gone"))
            return future
        self.left, self.done = self.left - 1, self.done + 1
        future.set_result(fn(*args, **kwargs))
        return future


def test_what_a_broken_pool_did_is_kept() -> None:
    def test(executor: Any) -> Any:
        return bt.bootstrap_test(
            A, B, method="sample", resamples=30_000, rng=1, executor=executor
        ).pvalue

    whole = Fragile(np.inf)
    expected = test(whole)
    with pytest.raises(WorkersLostError, match=r"after 20 of .* call again with another executor"):
        test(Fragile(20))
    rest = Fragile(np.inf)
    assert test(rest) == expected
    assert rest.done == whole.done - 20
    with pytest.raises(WorkersLostError):
        test(Fragile(20))
    other = Fragile(np.inf)
    bt.bootstrap_test(A, B, method="sample", resamples=30_000, rng=2, executor=other)
    assert other.done == whole.done  # another seed is other work
    module._saved.clear()


def test_a_pool_whose_worker_died_is_an_error_that_tells() -> None:
    with in_processes() as executor:
        with pytest.raises(BrokenProcessPool):
            executor.submit(die).result()
        with pytest.raises(WorkersLostError, match="the executor lost its workers after 0 of"):
            bt.permutation_test(A, B, method="monte-carlo", rng=0, executor=executor)
    module._saved.clear()


def test_a_run_goes_on_with_another_pool(tmp_path: Path) -> None:
    jobs = [{"scale": float(k)} for k in range(1, 7)]
    expected = Runner().map("study", drawn, jobs)
    with pytest.raises(WorkersLostError, match="after 2 of 6"):
        Runner(folder=tmp_path, executor=Fragile(2)).map("study", drawn, jobs)
    module._saved.clear()  # as in another process
    again = Fragile(np.inf)
    assert Runner(folder=tmp_path, executor=again).map("study", drawn, jobs) == expected
    assert again.done == 4


def test_errors_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="executor must be a pool"):
        bt.bootstrap_test(A, B, executor=3)
    with in_processes() as executor:
        with pytest.raises(UsageError, match="cannot be sent to another process"):
            bt.bootstrap_test(A, B, blackbox(lambda x: x.max()), resamples=50, executor=executor)
        executor.shutdown()
        with pytest.raises(WorkersLostError, match="call again with another executor"):
            bt.bootstrap_test(A, B, method="sample", executor=executor)
    module._saved.clear()


@pytest.mark.parametrize("total", [0, 1, 63, 64, 65, 1000])
def test_pieces_come_in_order(total: int) -> None:
    with ThreadPoolExecutor(3) as executor:
        made = list(Work(executor=executor).map(square, iter(range(total)), total))
    assert made == [k * k for k in range(total)]
    assert list(Work(3).map(square, iter(range(total)), total)) == made


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


def test_what_cannot_be_told_from_other_work_is_not_taken_for_it() -> None:
    box = blackbox(lambda x: float(np.median(x)))

    def test(a: Any, b: Any, executor: Any = None) -> float:
        return bt.bootstrap_test(a, b, box, resamples=3000, rng=1, executor=executor).pvalue

    with pytest.raises(WorkersLostError, match=r"call again with another executor$"):
        test(A, B, Fragile(1))
    assert not module._saved
    assert test(B[:50], A[:50], Fragile(np.inf)) == test(B[:50], A[:50])


def test_a_function_that_was_written_anew_is_other_work() -> None:
    keys = []
    for changed in ("x.max()", "x.min()", "x.max()"):
        exec(f"def rewritten(x): return float({changed})", globals())
        keys.append(module._content(globals()["rewritten"]))
    assert None not in keys
    assert keys[0] == keys[2] != keys[1]
    del globals()["rewritten"]


def test_a_pool_that_somebody_shuts_down_is_lost_and_not_waited_for() -> None:
    executor = ThreadPoolExecutor(1)

    def shut(task: int) -> int:
        executor.shutdown(wait=False, cancel_futures=True)
        return task

    with pytest.raises(WorkersLostError, match=r"after [01] of 9 .* call again"):
        list(Work(executor=executor).map(shut, range(9), 9))
