"""Response tests: resampling in blocks beside the same scheme, one draw at a time in NumPy."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.responses import SAMPLINGS, Published, Simulation, p_value, simulate, study
from betterthan.responses.published_test import overlap_of

Floats = NDArray[np.float64]

ITEMS, RESPONSES, DRAWS = 1000, 5, 10_000
LOOPED = 400
"""Draws that the loop is timed on; its time is scaled up to all of them."""


def run() -> None:
    """Print seconds for one cell of the paper's grid, the ratio, and the time of a whole grid."""
    made = simulate(ITEMS, RESPONSES, eps_a=0.1, rng=0)
    print(
        f"Published response test, MAE, {ITEMS:,} items x {RESPONSES} responses, {DRAWS:,} draws "
        "(seconds; best of several)"
    )
    print(f"{'sampling':<32}{'one at a time':>14}{'betterthan':>12}{'×':>7}{'p':>9}{'p':>9}")
    for sampling in SAMPLINGS:
        loop, p = _best(partial(one_at_a_time, made, sampling, LOOPED), 5)
        loop *= DRAWS / LOOPED
        ours, found = _best(partial(_ours, made, Published(sampling), resamples=DRAWS), 15)
        print(f"{sampling:<32}{loop:>14.2f}{ours:>12.3f}{loop / ours:>7.0f}{p:>9.4f}{found:>9.4f}")
    for test in ("calibrated", "sharp"):
        seconds, found = _best(partial(_ours, made, test), 3)
        print(f"{test:<32}{'':>14}{seconds:>12.3f}{'':>7}{'':>9}{found:>9.2g}")
    start = time.perf_counter()
    grid = study(eps=(0.1,), workers=2, rng=1)
    print(
        f"grid of {len(grid.cells)} cells at eps 0.1 and their true p, {grid.resamples:,} draws "
        f"each, two threads: {time.perf_counter() - start:.0f} s"
    )


def one_at_a_time(made: Simulation, sampling: str, draws: int) -> float:
    """Algorithms 1 and 2 with a Python loop over draws, vectorised over items."""
    gold, a, b = made.gold, made.a, made.b
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


def _ours(made: Simulation, test: Any, **options: Any) -> float:
    return p_value(made.gold, made.a, made.b, "mae", test=test, rng=1, **options).pvalue


def _best(work: Callable[[], float], repeats: int) -> tuple[float, float]:
    """Shortest of several times, and what the work gives."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
    return min(times), found


if __name__ == "__main__":
    run()
