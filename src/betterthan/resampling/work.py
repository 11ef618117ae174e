"""Work in pieces that know their seed: here, on threads, in processes, or on a cluster.

What a piece draws depends on the seed and on its number alone, and results come in order, so that
neither how many workers there are, nor where they are, nor which of them died, changes a bit.
"""

import hashlib
import io
import marshal
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from queue import SimpleQueue
from types import FunctionType
from typing import Any, TypedDict, TypeVar

import numpy as np

from betterthan.checks import check_keywords
from betterthan.errors import Choice, Remedy, UsageError, WorkersLostError, quote
from betterthan.resampling.generator import affordable, one_blas_thread
from betterthan.resampling.pools import left_at_once, processes

Task = TypeVar("Task")
Made = TypeVar("Made")

PIECES = 64
"""Most pieces in which small tasks are sent away: their data go with each of them."""

TRIES = 3
"""How often workers of our own may die in a row without any result."""

_saved: dict[str, dict[int, Any]] = {}
"""What was done before a pool of the caller's broke, for whoever asks the same again."""


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
        whatever it is.
    executor : concurrent.futures.Executor, optional
        Who draws instead: any pool of processes or threads, or a Dask client. It is not shut down,
        and the numbers are the same whoever it is.
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
        Threads, or processes where that is said.
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
        self, function: Callable[[Task], Made], tasks: Iterable[Task], total: int
    ) -> Iterator[Made]:
        """Results of many small tasks in their order, of which few are held at a time.

        On an executor ``function`` and tasks have to be picklable. Matrix products keep to one
        thread each: the workers are the threads.
        """
        with one_blas_thread():
            if self.executor is None and self.workers == 1:
                yield from map(function, tasks)
            elif self.executor is None:
                course = _Course(function, tasks, total, 2 * self.workers)
                with left_at_once(ThreadPoolExecutor(self.workers)) as pool:
                    yield from (made for _, made in course.run(pool))
            else:
                size = max(1, -(-total // PIECES))
                pieces = iter(partial(_taken, iter(tasks), size), [])
                course = _Course(
                    partial(_each, function), pieces, -(-total // size), PIECES, keep=True
                )
                for _, several in self._shared(course):
                    yield from several

    def jobs(
        self, function: Callable[[Task], Made], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Made]]:
        """Numbers and results of large tasks as they are done, in processes if not here."""
        listed = list(tasks)
        if self.executor is None and (self.workers == 1 or len(listed) < 2):
            yield from ((at, function(task)) for at, task in enumerate(listed))
            return
        total, theirs = len(listed), self.executor is not None
        yield from self._shared(_Course(function, listed, total, total, ordered=False, keep=theirs))

    def _pool(self, tasks: int) -> AbstractContextManager[Any]:
        if self.executor is None:
            return processes(min(self.workers, tasks))
        as_pool = getattr(self.executor, "get_executor", None)  # of a Dask client
        return nullcontext(self.executor if as_pool is None else as_pool())

    def _shared(self, course: "_Course") -> Iterator[tuple[int, Any]]:
        """Go on after the death of workers, as far as the pool is ours."""
        tries, before = 0, -1
        while True:
            try:
                with self._pool(course.total) as pool:
                    yield from course.run(pool)
                return
            except _LostError as error:
                yield from course.ready()
                tries = tries + 1 if course.finished == before else 1
                before = course.finished
                if self.executor is None and tries <= TRIES:
                    continue
                raise course.failed() from error.__cause__


HERE = Work()
"""In this thread, one piece after the other."""


class _LostError(Exception):
    """A worker died, or the pool is gone."""


@dataclass(slots=True)
class _Course:
    """How far some work has come: what is done, what is lost, and what comes next."""

    function: Callable[[Any], Any]
    tasks: Iterable[Any]
    total: int
    window: int
    ordered: bool = True
    keep: bool = False
    done: dict[int, Any] = field(default_factory=dict)
    lost: list[tuple[int, Any]] = field(default_factory=list)
    kept: dict[int, Any] = field(default_factory=dict)
    finished: int = 0
    _taken: int = 0
    _next: int = 0
    _key: str | None = None

    def __post_init__(self) -> None:
        first = list(islice(tasks := iter(self.tasks), 1))
        self.tasks = chain(first, tasks)
        if self.keep:
            self._key = _content(self.function, first, self.total)
            if self._key is not None:
                self.done = _saved.pop(self._key, {})
            self.kept, self.finished = dict(self.done), len(self.done)

    def run(self, pool: Executor) -> Iterator[tuple[int, Any]]:
        """Number and result of each task; what a broken pool did not do is left for the next."""
        under_way: dict[Future[Any], tuple[int, Any]] = {}
        # A pool that is shut down cancels what waits, which concurrent.futures.wait is not told.
        ended: SimpleQueue[Future[Any]] = SimpleQueue()
        try:
            while True:
                for task in self._to_submit():
                    future = self._submitted(pool, task)
                    under_way[future] = task
                    future.add_done_callback(ended.put)
                before = self._next
                yield from self.ready()
                if under_way:
                    future = ended.get()
                    self._harvest(future, under_way.pop(future))
                elif self._next == before:
                    return
        finally:
            for future, task in under_way.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._harvest(future, task)
                else:
                    future.cancel()
                    self.lost.append(task)

    def _to_submit(self) -> Iterator[tuple[int, Any]]:
        """What was lost, and then what is not too far ahead of what is waited for."""
        while self.lost:
            yield self.lost.pop()
        while self._taken < self._next + self.window:
            for task in islice(self.tasks, 1):
                self._taken += 1
                if self._taken - 1 not in self.kept:
                    yield self._taken - 1, task
                break
            else:
                return

    def _submitted(self, pool: Executor, task: tuple[int, Any]) -> Future[Any]:
        try:
            return pool.submit(self.function, task[1])
        except RuntimeError as error:  # broken, or shut down
            self.lost.append(task)
            raise _LostError from error

    def _harvest(self, future: Future[Any], task: tuple[int, Any]) -> None:
        try:
            made = self.done[task[0]] = future.result()
        except Exception as error:
            if isinstance(error, BrokenExecutor | CancelledError) or _is_killed(error):
                self.lost.append(task)
                raise _LostError from error
            if "pickle" in str(error).lower() or "get local object" in str(error):
                raise UsageError(
                    f"this cannot be sent to another process ({error}): use functions of a module "
                    "rather than lambdas, or threads rather than an executor",
                    Remedy("threads instead", "workers", Choice("N")),
                ) from error
            raise
        self.finished += 1
        if self.keep:
            self.kept[task[0]] = made

    def ready(self) -> Iterator[tuple[int, Any]]:
        """What can be handed over."""
        if not self.ordered:
            while self.done:
                self._next += 1
                yield self.done.popitem()
            return
        while self._next in self.done:
            self._next += 1
            yield self._next - 1, self.done.pop(self._next - 1)

    def failed(self) -> WorkersLostError:
        """Say what to do about workers that are gone; what is done is kept for a second call."""
        told = f"after {self.finished:,} of {self.total:,} pieces of work"
        if not self.keep:
            return WorkersLostError(
                f"workers died {TRIES + 1} times in a row {told}: memory may be short",
                Remedy("needs less memory", "workers", 1),
            )
        _saved.clear()
        rest = ""
        if self._key is not None:
            _saved[self._key] = self.kept
            rest = ", and with the same seed only the rest is done, to the same numbers"
        return WorkersLostError(
            f"the executor lost its workers {told}: call again with another executor{rest}"
        )


class _Contents(pickle.Pickler):
    """Takes the code of functions too: one that was written anew is another."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.codes: list[bytes] = []

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, FunctionType):
            self.codes.append(marshal.dumps(thing.__code__, 2))  # later ones count references
        return NotImplemented


def _content(*parts: Any) -> str | None:
    """Tell work by its content; what cannot be pickled is like nothing else."""
    contents = _Contents(written := io.BytesIO())
    try:
        contents.dump(parts)
    except Exception:  # whatever a class of the caller's raises
        return None
    return hashlib.sha256(b"".join((written.getvalue(), *contents.codes))).hexdigest()


def _is_killed(error: Exception) -> bool:
    """Whether Dask gave up a task, whose workers died again and again."""
    return type(error).__name__ == "KilledWorker"


def _taken(tasks: Iterator[Any], size: int) -> list[Any]:
    return list(islice(tasks, size))


def _each(function: Callable[[Any], Any], tasks: list[Any]) -> list[Any]:
    """Do the tasks of a piece, wherever this is."""
    with one_blas_thread():
        return [function(task) for task in tasks]
