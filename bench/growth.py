"""How each main job grows with its data, beside the peers and the least that any program has to do.

The floor of a job is one pass: a sum, a group-by, a matrix product, one reading of the file. Times
are processor seconds, so that a busy machine does not count against anybody.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import evalica
import numpy as np
import polars as pl
from scipy import stats

import betterthan as bt
from bench import logs
from betterthan.metrics import F1
from betterthan.ranking import rating
from betterthan.ranking.methods import BradleyTerry

Work = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """One job at one size: ours, the floor, and a peer where one does the same."""

    ours: Work
    floor: Work
    peer: Work | None = None


@dataclass(frozen=True)
class Job:
    """A job, what it is measured in, its sizes, and how a case of it is made."""

    name: str
    sizes: tuple[int, ...]
    floor: str
    peer: str
    make: Callable[[int], Case]


@dataclass(frozen=True)
class Timing:
    """Processor seconds of a job at one size."""

    job: Job
    size: int
    ours: float
    floor: float
    peer: float | None


def seconds(work: Work) -> float:
    """Processor time of all threads; the shortest of several runs of what is over soon."""
    times: list[float] = []
    while not times or (sum(times) < 0.2 and len(times) < 20):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def right_or_wrong(n: int) -> Case:
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, n)) < [[0.70], [0.705]]).astype(np.int64)

    def scipys() -> object:
        return stats.permutation_test(
            (a, b), _mean_difference, permutation_type="samples", n_resamples=9999, vectorized=True
        )

    return Case(
        lambda: bt.permutation_test(a, b),
        lambda: np.bincount(2 * a + b, minlength=4),
        scipys if n <= 1000 else None,
    )


def _mean_difference(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.asarray(np.mean(x, axis=axis) - np.mean(y, axis=axis))


def real_permutation(n: int) -> Case:
    a, b = np.random.default_rng(1).normal([[0.0], [0.01]], 1.0, size=(2, n))

    def scipys() -> object:
        return stats.permutation_test(
            (a, b), _mean_difference, permutation_type="samples", n_resamples=9999, vectorized=True
        )

    return Case(
        lambda: bt.permutation_test(a, b), lambda: np.sum(b - a), scipys if n <= 1000 else None
    )


def real_bootstrap(n: int) -> Case:
    a, b = np.random.default_rng(2).normal([[0.0], [0.01]], 1.0, size=(2, n))
    d = b - a

    def scipys() -> object:
        return stats.bootstrap((d,), np.mean, n_resamples=9999, method="percentile", batch=100)

    return Case(lambda: bt.bootstrap_test(a, b), d.sum, scipys if n <= 10_000 else None)


def f1_bootstrap(n: int) -> Case:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 6, n)
    both = [np.stack([rng.binomial(gold, 0.8), rng.poisson(0.5, n), gold], axis=1) for _ in "ab"]
    a, b = (np.stack([x[:, 0], x[:, 1], x[:, 2] - x[:, 0]], axis=1) for x in both)
    drawn = rng.poisson(1.0, size=(20, n)).astype(np.float32)
    columns = np.hstack([a, b]).astype(np.float32)
    return Case(
        lambda: bt.bootstrap_test(a, b, F1, resamples=20_000, rng=0),
        lambda: [drawn @ columns for _ in range(1000)],
    )


def median(n: int) -> Case:
    a, b = np.random.default_rng(4).normal(size=(2, n))
    scores = bt.Scores.from_arrays({"a": a, "b": b})
    return Case(
        lambda: bt.compare(scores, metric="median", workers=1),
        lambda: [np.median(x) for x in (a, b)],
    )


def board(systems: int) -> Case:
    rng = np.random.default_rng(5)
    odds = rng.normal(size=systems) - 1.5 * rng.normal(size=(500, 1))
    values = (rng.random((500, systems)) < 1 / (1 + np.exp(-odds))).astype(np.float32)
    scores = bt.Scores.from_arrays({f"s{k:04d}": x for k, x in enumerate(values.T)})
    return Case(lambda: bt.rank(scores, method="bradley-terry"), lambda: values.T @ (1 - values))


def battles(count: int) -> Case:
    rng = np.random.default_rng(6)
    names = np.array([f"model {k}" for k in range(50)], dtype=object)
    left = rng.integers(50, size=count)
    right = (left + rng.integers(1, 50, size=count)) % 50
    outcome = rng.choice([0.0, 0.5, 1.0], count)
    a, b = names[left].tolist(), names[right].tolist()
    kinds = np.array([evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X], dtype=object)
    winners = kinds[(2 * outcome).astype(int)].tolist()
    frame = pl.DataFrame({"a": a, "b": b, "outcome": outcome})
    return Case(
        lambda: rating(bt.Judgments.from_arrays(a, b, outcome), BradleyTerry(ties="half-win")),
        lambda: frame.group_by(frame.columns).len(),
        lambda: evalica.bradley_terry(a, b, winners),
    )


def long_csv(rows: int) -> Path:
    path = Path(tempfile.gettempdir()) / f"betterthan-bench-{rows}.csv"
    half, rng = rows // 2, np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "item": [f"q{k}" for k in range(half)] * 2,
            "system": ["base"] * half + ["new"] * half,
            "score": rng.integers(0, 2, 2 * half),
        }
    )
    frame[rng.permutation(2 * half)].write_csv(path)
    return path


def reading(rows: int) -> Case:
    path = long_csv(rows)
    return Case(
        lambda: bt.read(path),
        lambda: pl.read_csv(path),
        lambda: pl.read_csv(path).pivot(on="system", index="item", values="score"),
    )


def wide_parquet(rows: int) -> Path:
    path = Path(tempfile.gettempdir()) / f"betterthan-bench-{rows}.parquet"
    rng = np.random.default_rng(8)
    pl.DataFrame(
        {"item": np.arange(rows), **{s: rng.integers(0, 2, rows) for s in ("base", "new")}}
    ).write_parquet(path)
    return path


def counting(rows: int) -> Case:
    path = wide_parquet(rows)
    return Case(
        lambda: bt.compare(bt.read(path, items=False), "base", "new"),
        lambda: pl.scan_parquet(path).group_by("base", "new").len().collect(),
    )


def archive(samples: int) -> Case:
    path = logs.inspect_eval(Path(tempfile.mkdtemp()), samples, "What is 6 times 7? " * 13)
    return Case(lambda: bt.read(path), lambda: logs.inflated(path), lambda: logs.members(path))


UNITS = (1_000, 10_000, 100_000, 1_000_000)
SWAPS, RESAMPLES = "scipy, 9,999 swaps", "scipy, 9,999 resamples"
JOBS = (
    Job("exact permutation test, 0/1", UNITS, "counting", SWAPS, right_or_wrong),
    Job("certified permutation test, real", UNITS, "one sum", SWAPS, real_permutation),
    Job("certified bootstrap, real", UNITS, "one sum", RESAMPLES, real_bootstrap),
    Job("bootstrap of F1, 20,000 resamples", UNITS[:2], "matrix products", "", f1_bootstrap),
    Job("median, test and interval", UNITS[:3], "two medians", "", median),
    Job("Bradley-Terry board of systems x 500", (10, 30, 100, 300), "matrix product", "", board),
    Job("Bradley-Terry of battles", UNITS[1:], "one group-by", "evalica, no intervals", battles),
    Job("reading a shuffled long CSV", UNITS[1:], "polars.read_csv", "and pivot", reading),
    Job("Inspect .eval archive", UNITS[:3], "decompression", "json.loads of members", archive),
    Job("Parquet counted in place, to the verdict", UNITS[1:], "one group-by", "", counting),
)


def timings(*, quick: bool = False) -> Iterator[Timing]:
    """Measure all jobs at all sizes; ``quick`` leaves out the largest two of each."""
    for job in JOBS:
        for size in job.sizes[: max(1, len(job.sizes) - 2)] if quick else job.sizes:
            case = job.make(size)
            if size == job.sizes[0]:
                case.ours()  # imports are not counted
            peer = None if case.peer is None else seconds(case.peer)
            yield Timing(job, size, seconds(case.ours), seconds(case.floor), peer)


def run() -> None:
    """Print a line for each job and size."""
    print(f"{'processor seconds':<42} {'size':>9} {'ours':>9} {'floor':>9} {'peer':>9}")
    for one in timings():
        peer = "" if one.peer is None else f"{one.peer:.3g}"
        print(
            f"{one.job.name:<42} {one.size:>9,} {one.ours:>9.3g} {one.floor:>9.3g} {peer:>9}",
            flush=True,
        )
