"""Response tests: resampling in blocks next to the same scheme, one draw at a time in NumPy."""

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.runner import Benchmark, Case
from betterthan.responses import SAMPLINGS, Published, Simulation, p_value, simulate, study
from betterthan.responses.published_test import overlap_of

Floats = NDArray[np.float64]
RESPONSES, DRAWS, LOOPED = 5, 10_000, 400  # the loop is timed on few draws, and scaled up


def published(items: int, *, sampling: str) -> Case:
    """A cell of the paper's grid: MAE, items with five responses each, 10,000 draws."""
    data = simulate(items, RESPONSES, eps_a=0.1, rng=0)
    loop = "one draw at a time"
    return Case(
        lambda: _p_value(data, Published(sampling), resamples=DRAWS),
        {loop: partial(one_at_a_time, data, sampling, LOOPED)},
        {loop: DRAWS / LOOPED},
    )


def tested(items: int, *, test: str) -> Case:
    """Tests of this package's own on the same data."""
    data = simulate(items, RESPONSES, eps_a=0.1, rng=0)
    return Case(lambda: _p_value(data, test))


def _p_value(data: Simulation, test: Any, **options: Any) -> float:
    return p_value(data.gold, data.a, data.b, "mae", test=test, rng=1, **options).pvalue


def one_at_a_time(data: Simulation, sampling: str, draws: int) -> float:
    """Algorithms 1 and 2 with a Python loop over draws, vectorised over items."""
    gold, a, b = data.gold, data.a, data.b
    rng = np.random.default_rng(1)
    items_how, how = sampling.split("/")
    n, k = gold.shape
    pool = np.concatenate([a, b], axis=1)
    null, alternative = np.empty(draws), np.empty(draws)

    def error(system: Floats, truth: Floats) -> float:
        return float(np.abs(system.mean(axis=1) - truth.mean(axis=1)).mean())

    def pick(block: Floats, items: Any) -> Floats:
        rows: Floats = block[items]
        if how == "all":
            return rows
        if how == "first_element":
            return rows[:, :1]
        size = 1 if how == "sample(1)" else k
        return np.take_along_axis(rows, rng.integers(rows.shape[1], size=(n, size)), axis=1)

    for j in range(draws):
        items = rng.integers(n, size=n) if items_how == "bootstrap_items" else slice(None)
        truth = pick(gold, items)
        alternative[j] = error(pick(a, items), truth) - error(pick(b, items), truth)
        null[j] = error(pick(pool, items), truth) - error(pick(pool, items), truth)
    return overlap_of(null, alternative).pvalue


def grid(workers: int) -> Case:
    """The paper's grid at one eps and its true p."""
    return Case(lambda: study(eps=(0.1,), workers=workers, rng=1))


BENCHMARKS = (
    *(
        Benchmark("responses", f"items, {name}", (1_000,), partial(published, sampling=name))
        for name in SAMPLINGS
    ),
    *(
        Benchmark("responses", f"items, {test} test", (1_000,), partial(tested, test=test))
        for test in ("calibrated", "sharp")
    ),
    Benchmark("responses", "threads, grid at eps .1", (2,), grid, time.perf_counter),
)
