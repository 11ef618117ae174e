"""The runner: what is timed, and how. Ratios are measured side by side in one run, never asserted.

Times are processor seconds of all threads, so that a busy machine does not count against anyone.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from betterthan import TestResult

Work = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """A job at one size: ours, and what does the same or the least that any program has to do.

    Attributes
    ----------
    ours : callable
        What is timed.
    others : dict of str to callable
        By name; that of a floor begins with ``floor``.
    times : dict of str to float
        How many times as much an other would have to do for the same job.
    """

    ours: Work
    others: dict[str, Work] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark:
    """A line of the table of benchmarks.

    Attributes
    ----------
    group : str
        What it is called on the command line.
    job : str
        What is done.
    sizes : tuple
        Sizes of which there is a case, in ascending order.
    case : callable
        From a size to the case.
    clock : callable
        Processor time, or wall time where workers share the work.
    """

    group: str
    job: str
    sizes: tuple[int, ...]
    case: Callable[[int], Case]
    clock: Callable[[], float] = time.process_time


class Row(NamedTuple):
    """What was measured: seconds of ours and of one other; both answers; megabytes so far."""

    group: str
    job: str
    size: int
    ours: float
    our_answer: str
    other: str
    theirs: float | None
    their_answer: str
    megabytes: int

    @property
    def ratio(self) -> float | None:
        """How many times as long the other takes."""
        return None if self.theirs is None else self.theirs / max(self.ours, 1e-9)

    @property
    def is_floor(self) -> bool:
        """Whether the other is the least that any program has to do."""
        return self.other.startswith("floor")


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> tuple[float, object]:
    """The shortest of several runs of what is over soon, and what it returns."""
    times: list[float] = []
    while not times or (sum(times) < 0.2 and len(times) < 20):
        start = clock()
        result = work()
        times.append(clock() - start)
    return min(times), result


def answer(result: Any) -> str:
    """A p-value, of our tests with its bounds; empty for all else."""
    if isinstance(result, TestResult):
        return f"{result.pvalue:.12g} [{result.pvalue_low:.6g}, {result.pvalue_high:.6g}]"
    value = getattr(result, "pvalue", result)
    return f"{value:.12g}" if isinstance(value, float) else ""


def measured(benchmark: Benchmark, *, quick: bool = False) -> Iterator[Row]:
    """Time all sizes; ``quick`` leaves out the largest two, and what has no others."""
    sizes = benchmark.sizes
    for size in sizes[:-2] if quick else sizes:
        case = benchmark.case(size)
        if size == sizes[0] and len(sizes) > 1:
            case.ours()  # imports are not counted
        others: list[tuple[str, float | None, str]] = []
        for name, work in case.others.items():
            try:
                taken, result = seconds(work, benchmark.clock)
                text = "" if name.startswith("floor") else answer(result)
                others.append((name, taken * case.times.get(name, 1.0), text))
            except Exception as error:
                others.append((name, None, type(error).__name__))
        ours, result = seconds(case.ours, benchmark.clock)
        divisor = 1 << 20 if sys.platform == "darwin" else 1 << 10
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // divisor
        for other in others or [("", None, "")]:
            place = (benchmark.group, benchmark.job, size)
            yield Row(*place, ours, answer(result), *other, megabytes)


def line(row: Row) -> str:
    """A row for the terminal."""
    theirs = "" if row.theirs is None else f"{row.theirs:>9.3g} {row.ratio:>8.3g} x"
    text = f"{row.job:<52.52} {row.size:>11,} {row.ours:>9.3g}{theirs:>21}  {row.other}"
    return f"{text}  {row.our_answer}  {row.their_answer}".rstrip()
