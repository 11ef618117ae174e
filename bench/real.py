"""Real-valued scores: a certified p-value beside 20,000 swaps sampled by matrix products."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.exact import real
from betterthan.exact.extremal import width

SAMPLES = 20_000
BATCH = 8_000_000  # signs drawn at a time: the matrix product stays in memory
TOLERANCES = (1e-2, 1e-3, 1e-4)
CASES = (
    (1_000, 2.81, ".005"),
    (1_000, 7.15, "1e-12"),
    (10_000, 2.81, ".005"),
    (10_000, 7.15, "1e-12"),
)

Floats = NDArray[np.float64]
T = TypeVar("T")


def score_differences(n: int, z: float, rng: np.random.Generator) -> Floats:
    """Differences of two systems' sentence scores, their mean ``z`` standard errors from zero.

    Scores lie in (0, 1), the systems share each item's difficulty, as sentence BLEU or COMET do.
    """
    difficulty = rng.beta(2.0, 2.0, n)
    first, second = (np.clip(difficulty + rng.normal(0.0, 0.1, n), 0.0, 1.0) for _ in range(2))
    d = second - first
    for _ in range(20):  # the permutation law's scale is sqrt(sum d**2), which the shift changes
        d += z * np.sqrt((d * d).sum()) / n - d.mean()
    return np.asarray(d)


def sampled(d: Floats, seed: int) -> float:
    """Two-sided p-value from random swaps, as fast as NumPy goes: bits, one product a batch."""
    rng = np.random.default_rng(seed)
    hits, observed = 0, abs(float(d.sum())) * (1.0 - 1e-12)
    rows = max(BATCH // d.size, 1)
    for start in range(0, SAMPLES, rows):
        count = min(rows, SAMPLES - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(count * (-(-d.size // 8))), dtype=np.uint8))
        swaps = bits.reshape(count, -1)[:, : d.size].astype(np.float64)
        hits += int((np.abs(d.sum() - 2.0 * (swaps @ d)) >= observed).sum())
    return (1 + hits) / (1 + SAMPLES)


def run() -> None:
    """Print the table: medians in milliseconds, and how many times slower the sampling is."""
    rng = np.random.default_rng(1981)
    print(f"Certified two-sided p-value of real scores, and {SAMPLES:,} sampled swaps (ms)")
    print(
        _row(("N", "p near", "tolerance", "p", "width", "certified", "sampled", "sampled p", "×"))
    )
    for n, z, near in CASES:
        d = score_differences(n, z, rng)
        slow, p_sampled = _timed(partial(sampled, d, 0), repeats=3)
        for tolerance in TOLERANCES:
            fast, p = _timed(partial(real.pvalue, d, tolerance=tolerance), repeats=15)
            cells = (f"{n:,}", near, f"{tolerance:g}", f"{p.value:.5g}", f"{width(p):.1e}")
            ratio = f"{slow / fast:,.0f}"
            print(_row((*cells, f"{fast:.2f}", f"{slow:.0f}", f"{p_sampled:.2g}", ratio)))


def _timed(work: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Median milliseconds and the result."""
    times, result = [], work()
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times), result


def _row(cells: tuple[str, ...]) -> str:
    """Right-align a line of the table."""
    return "".join(f"{cell:>11}" for cell in cells)


if __name__ == "__main__":
    run()
