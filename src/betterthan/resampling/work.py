"""Work in pieces that know their seed: here, on threads, in processes, or on a cluster.

What a piece draws depends on the seed and on its number alone, and results come in order, so that
neither how many workers there are nor where they are changes a bit.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from multiprocessing import active_children, get_context
from typing import Any, TypedDict, TypeVar

import numpy as np

from betterthan.checks import check_keywords
from betterthan.errors import Choice, Remedy, UsageError, WorkersLostError, quote
from betterthan.resampling.generator import Rng, affordable, block_rows, blocks

Task = TypeVar("Task")
Result = TypeVar("Result")

PIECES = 64
"""Most pieces in which small tasks are sent away: their data go with each of them."""

Progress = Callable[[int, int], None]


class Sampling(TypedDict, total=False):
    """How samples are drawn, where any are: keywords of every function that may have to draw some.

    What is exact draws nothing, and has no use for them.

    Attributes
    ----------
    resamples : int, optional
        How many are drawn; by default as many as are needed.
    tolerance : float
        Relative width of the bracket that is asked of a p-value that is not sampled and not exact
        either; 0.001 by default.
    workers : int
        Threads that draw, or processes where whole tasks are done; the numbers are the same
        for any number of them.
    executor : concurrent.futures.Executor, optional
        Who draws instead: any pool of processes or threads, or a Dask client. It is not shut down,
        and the numbers are the same for any of them.
    progress : callable, optional
        Called with the number of samples drawn and their total.
    """

    resamples: int | None
    tolerance: float
    workers: int
    executor: Any
    progress: Progress | None


@dataclass(frozen=True, slots=True)
class Work:
    """Who does the work.

    Attributes
    ----------
    workers : int
        Threads, or processes for large tasks.
    executor : concurrent.futures.Executor or None
        Who does it instead: any pool with ``submit``, or a Dask client. It is not shut down.
    """

    workers: int = 1
    executor: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.workers, int | np.integer) or self.workers < 1:
            raise UsageError(f"workers must be at least 1, got {quote(self.workers)}")
        affordable(1024, workers=self.workers)
        if self.executor is not None and (
            isinstance(self.executor, type) or not callable(getattr(self.executor, "submit", None))
        ):
            raise UsageError(
                "executor must be a pool of concurrent.futures or have its submit method, not a "
                f"{type(self.executor).__name__}",
                Remedy("threads instead", "workers", Choice("N")),
            )

    @classmethod
    def of(cls, sampling: Sampling) -> "Work":
        """Take the workers among the keywords of a call, none of which may be unknown."""
        check_keywords(sampling, Sampling)
        return cls(sampling.get("workers", 1), sampling.get("executor"))

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], total: int
    ) -> Iterator[Result]:
        """Results of many small tasks in their order, of which few are held at a time.

        On an executor ``function`` and tasks have to be picklable. Matrix products keep to one
        thread each: the workers are the threads.
        """
        tasks = iter(tasks)
        with _blas().limit(limits=1, user_api="blas"):
            if self.executor is not None:
                size = max(1, -(-total // PIECES))
                pieces = iter(lambda: list(islice(tasks, size)), [])
                each = partial(_each, function)
                for results in _in_order(self._pool, each, pieces, PIECES):
                    yield from results
            elif self.workers == 1:
                yield from map(function, tasks)
            else:
                pool = ThreadPoolExecutor(self.workers)
                try:
                    yield from _in_order(pool, function, tasks, 2 * self.workers)
                finally:  # an interrupted program does not wait for the rest
                    pool.shutdown(wait=False, cancel_futures=True)

    def draw(
        self,
        function: Callable[[tuple[int, np.random.Generator]], Result],
        cells: int,
        resamples: int,
        rng: Rng,
        progress: Progress | None = None,
    ) -> Iterator[Result]:
        """What a function makes of each block of resamples of that many ``cells``, in their order.

        The function is called with the number of resamples and the generator that draws them.
        """
        rows = block_rows(cells)
        drawn = self.map(function, blocks(cells, resamples, rng), -(-resamples // rows))
        for number, result in enumerate(drawn, start=1):
            if progress is not None:
                progress(min(number * rows, resamples), resamples)
            yield result

    def jobs(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """Results of large tasks in their order, each sent away alone, to processes if any."""
        if self.executor is not None:
            yield from _in_order(self._pool, function, iter(tasks), len(tasks))
        elif self.workers == 1 or len(tasks) < 2:
            yield from map(function, tasks)
        else:
            with _processes(min(self.workers, len(tasks))) as pool:
                yield from _in_order(pool, function, iter(tasks), len(tasks))

    @property
    def _pool(self) -> Any:
        as_pool = getattr(self.executor, "get_executor", None)  # of a Dask client
        return self.executor if as_pool is None else as_pool()


HERE = Work()
"""In this thread, one piece after the other."""


@cache
def _blas() -> Any:
    """The libraries of numpy's matrix product, which keeps to one thread while work is shared.

    Blocks are small, and more threads would fight for the cores. Finding them takes a moment.
    """
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415

    return ThreadpoolController()


def _each(function: Callable[[Task], Result], tasks: list[Task]) -> list[Result]:
    """Do the tasks of a piece."""
    with _blas().limit(limits=1, user_api="blas"):
        return [function(task) for task in tasks]


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Processes that end with the work: done, failed or interrupted."""
    before = active_children()
    # Whoever interrupts means the program, which ends its workers.
    ignore = (signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), signal.signal, ignore)
    try:
        yield pool
    except BaseException:
        for worker in active_children():
            if worker not in before:
                worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: Executor, function: Callable[[Task], Result], tasks: Iterator[Task], window: int
) -> Iterator[Result]:
    """Results in the order of the tasks, of which at most ``window`` are submitted at a time."""
    waiting: deque[Future[Result]] = deque()
    try:
        while True:
            for task in islice(tasks, window - len(waiting)):
                waiting.append(_submitted(pool, function, task))
            if not waiting:
                return
            yield _result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _submitted(pool: Executor, function: Callable[[Task], Result], task: Task) -> Future[Result]:
    try:
        return pool.submit(function, task)
    except RuntimeError as error:  # broken, or shut down
        raise _lost() from error


def _result(future: Future[Result]) -> Result:
    """Wait for a result; lost workers and what cannot be pickled raise an error."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise _lost() from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # of Dask
            raise _lost() from error
        if "pickle" in str(error).lower() or "get local object" in str(error):
            raise UsageError(
                f"this cannot be sent to another process ({error}): use functions of a module "
                "rather than lambdas, or threads rather than an executor",
                Remedy("threads instead", "workers", Choice("N")),
            ) from error
        raise


def _lost() -> WorkersLostError:
    return WorkersLostError(
        "the workers died or were shut down before the work was done: call again, with another "
        "executor or fewer workers if memory is short"
    )
