"""Accuracy: the exact engine beside the published algorithms, on the paper's data model."""

import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from betterthan.exact.lattice import SignedSum
from betterthan.exact.published import exact_test, monte_carlo

SAMPLES = 20_000
PUBLISHED_UP_TO = 10_000

Ints = NDArray[np.int64]


def stanza_like(n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Correct tags per sentence of two taggers alike (Zmigrod et al. 2022, Table 1).

    Sentence lengths are at least 1, with mean about 12.08 and standard deviation about 10.6;
    accuracies are normal (.9543, .1116), truncated to [0, 1]; correct = floor(accuracy * length).
    """
    mean, sd = 12.08, 10.60
    shape = (mean - 1.0) ** 2 / sd**2
    lengths = 1 + np.rint(rng.gamma(shape, sd**2 / (mean - 1.0), n)).astype(np.int64)
    first, second = (np.floor(_truncated_normal(n, rng) * lengths) for _ in range(2))
    return first.astype(np.int64), second.astype(np.int64)


def run() -> None:
    """Print the table: milliseconds (medians), and how many times slower than the engine."""
    rng = np.random.default_rng(2022)
    print("Exact two-sided paired test of a difference in accuracy (milliseconds; × = engine's)")
    mc = f"MC {SAMPLES:,}"
    print(_row(("N", "p", "engine", "FFT", "×", "DP", "×", mc, "×", "bincount", "eng./binc.")))
    for n in (100, 1_000, 10_000, 100_000, 1_000_000):
        a, b = stanza_like(n, rng)
        print(_row(_measure(n, a, b)))


def _measure(n: int, a: Ints, b: Ints) -> list[str]:
    """One line of the table."""

    def engine() -> float:
        d = b - a
        return SignedSum.of(d).pvalue(int(d.sum())).value

    p = engine()
    ours = _milliseconds(engine, repeats=101 if n <= PUBLISHED_UP_TO else 15)
    cells = [f"{n:,}", f"{p:.4g}", f"{ours:.3f}"]
    d = b - a
    rivals: tuple[tuple[Callable[[], float], int], ...] = (
        (lambda: exact_test(d, -d, np.abs, convolve="fft"), 5),
        (lambda: exact_test(d, -d, np.abs, convolve="dp"), 3),
        (lambda: monte_carlo(d, -d, np.abs, SAMPLES, rng=0), 1),
    )
    for rival, repeats in rivals:
        if n > PUBLISHED_UP_TO:
            cells += ["", ""]
            continue
        theirs = _milliseconds(rival, repeats=repeats)
        cells += [f"{theirs:.1f}", f"{theirs / ours:,.0f}"]
    reading = _milliseconds(lambda: np.bincount(np.abs(a - b)), repeats=15)
    return [*cells, f"{reading:.3f}", f"{ours / reading:.1f}"]


def _milliseconds(work: Callable[[], object], *, repeats: int) -> float:
    """Median time of one call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def _row(cells: "list[str] | tuple[str, ...]") -> str:
    """Right-aligned cells."""
    widths = (9, 9, 8, 9, 6, 9, 7, 10, 7, 9, 10)
    return " ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def _truncated_normal(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Accuracies, drawn again until all lie in [0, 1]."""
    values = rng.normal(0.9543, 0.1116, n)
    while (outside := np.flatnonzero((values < 0.0) | (values > 1.0))).size:
        values[outside] = rng.normal(0.9543, 0.1116, outside.size)
    return values


if __name__ == "__main__":
    run()
