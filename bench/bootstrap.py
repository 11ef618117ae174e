"""The bootstrap beside sacrebleu's and scipy's, and the ideal bootstrap beside resampling.

Times are the best of several runs, taken in turn so that a busy machine slows all alike. Set
``OPENBLAS_NUM_THREADS=1`` (or your BLAS's equivalent) where cores are shared: the workers here are
threads already.
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from betterthan.exact.ideal import ResampledRatio, ResampledSum
from betterthan.exact.probability import Probability
from betterthan.resampling import replicate_blocks, replicates

ITEMS = 2_000
BLEU_COLUMNS = 10
RESAMPLES = 20_000
SACREBLEU_RESAMPLES = 1_000  # its default

Floats = NDArray[np.float64]


def bleu_counts(n: int, rng: np.random.Generator) -> Floats:
    """Ten BLEU columns of ``n`` sentences: lengths, then matches and totals of four orders."""
    length = rng.integers(5, 40, n)
    totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
    matches = rng.binomial(totals, [0.6, 0.4, 0.25, 0.15])
    return np.column_stack([length, length + rng.integers(-3, 4, n), matches, totals]).astype(float)


def bleu(sums: Floats) -> Floats:
    """Corpus BLEU of every replicate and system (no smoothing: no match count is zero here)."""
    s = sums.reshape(len(sums), -1, BLEU_COLUMNS)
    brevity = np.minimum(0.0, 1.0 - s[:, :, 1] / s[:, :, 0])
    return np.asarray(100.0 * np.exp(np.log(s[:, :, 2:6] / s[:, :, 6:]).mean(axis=2) + brevity))


def run() -> None:
    """Print the tables."""
    rng = np.random.default_rng(2012)
    _versus_sacrebleu(rng)
    _versus_scipy(rng)
    _ideal(rng)
    _campaign(rng)


def _versus_sacrebleu(rng: np.random.Generator) -> None:
    print(f"\nPaired bootstrap of BLEU, {ITEMS:,} segments: microseconds per replicate and system")
    systems = [bleu_counts(ITEMS, rng) for _ in range(30)]
    peer = _sacrebleu_bootstrap(systems[0], systems[1])
    if peer is None:
        print("sacrebleu is not installed: pip install sacrebleu to compare with it")
    print(_row("systems", "betterthan", "sacrebleu", "ratio"))
    for count in (2, 30):
        ours = partial(replicates, np.hstack(systems[:count]), RESAMPLES, 1, statistic=bleu)
        mine, *others = _best([ours] if peer is None else [ours, peer], repeats=5)
        micros = 1e6 * mine / RESAMPLES / count
        # sacrebleu resamples two systems a pair, whatever the number of systems.
        theirs = [1e6 * other / SACREBLEU_RESAMPLES / 2 for other in others]
        ratios = [f"{other / micros:.0f}" for other in theirs]
        print(_row(str(count), f"{micros:.2f}", *(f"{other:.2f}" for other in theirs), *ratios))


def _versus_scipy(rng: np.random.Generator) -> None:
    print(
        f"\nBootstrap of a mean difference, {ITEMS:,} items, {RESAMPLES:,} resamples: milliseconds"
    )
    d = rng.integers(-3, 5, ITEMS).astype(float)

    def ours() -> object:
        return replicates(d[:, None], RESAMPLES, 1, statistic=lambda sums: sums[:, 0] / ITEMS)

    def scipys() -> object:
        return stats.bootstrap((d,), np.mean, n_resamples=RESAMPLES, rng=1, method="percentile")

    mine, theirs = _best([ours, scipys], repeats=2)
    print(_row("", "betterthan", "scipy", "ratio"))
    print(_row("", f"{1e3 * mine:.1f}", f"{1e3 * theirs:.1f}", f"{theirs / mine:.1f}"))


def _ideal(rng: np.random.Generator) -> None:
    print(f"\nIdeal bootstrap beside {RESAMPLES:,} resamples, {ITEMS:,} items: milliseconds")
    print(_row("statistic", "ideal", "resampling", "ratio", "p", "error"))
    d = rng.choice([-1, 0, 1], p=[0.08, 0.82, 0.10], size=ITEMS)
    w = rng.integers(3, 60, ITEMS)
    errors = np.minimum(w, rng.poisson(0.08 * w))
    d_tokens = np.minimum(errors, rng.poisson(1.0, ITEMS)) - np.minimum(1, rng.poisson(0.9, ITEMS))
    observed = Fraction(int(d_tokens.sum()), int(w.sum()))
    r = 2.0 * float(observed)

    def resampled_sum() -> object:
        values = replicates(d[:, None], RESAMPLES, 1)
        return np.count_nonzero(values >= 2 * d.sum())

    def resampled_ratio() -> object:
        values = replicates(np.column_stack([d_tokens, w]), RESAMPLES, 1)
        return np.count_nonzero(values[:, 0] >= r * values[:, 1])

    def by_indices() -> object:
        gathered = (d[rng.integers(ITEMS, size=(2_000, ITEMS))] for _ in range(RESAMPLES // 2_000))
        return sum(np.count_nonzero(x.sum(axis=1) >= 2 * d.sum()) for x in gathered)

    def ideal_sum() -> Probability:
        return ResampledSum.of(d).tail(2 * int(d.sum()))

    def ideal_ratio() -> Probability:
        return ResampledRatio.of(d_tokens, w).tail(2 * observed)

    rows: tuple[tuple[str, Callable[[], Probability], Callable[[], object]], ...] = (
        ("sum", ideal_sum, resampled_sum),
        ("sum, by indices", ideal_sum, by_indices),
        ("ratio", ideal_ratio, resampled_ratio),
    )
    for name, ideal, other in rows:
        exact, sampled = _best([ideal, other], repeats=5)
        p = ideal()
        cells = (f"{1e3 * exact:.3f}", f"{1e3 * sampled:.1f}", f"{sampled / exact:.0f}")
        print(_row(name, *cells, f"{p.value:.3g}", f"{p.error:.0e}"))


def _campaign(rng: np.random.Generator, *, systems: int = 30, part: int = 20_000) -> None:
    """Thirty systems, all pairs, a million replicates: timed on a part, which is a fixed share."""
    pairs = np.triu_indices(systems, 1)
    columns = np.hstack([bleu_counts(ITEMS, rng) for _ in range(systems)])
    observed = bleu(columns.sum(axis=0)[None])[0]
    delta = observed[pairs[0]] - observed[pairs[1]]

    def hits(sums: Floats) -> Floats:
        score = bleu(sums)
        moved = np.abs(score[:, pairs[0]] - score[:, pairs[1]] - delta) >= np.abs(delta)
        return np.asarray(moved.sum(axis=0, keepdims=True), dtype=np.float64)

    print(
        f"\n{systems} systems x {ITEMS:,} segments, {delta.size} pairs: seconds for 1e6 replicates"
    )
    print(_row("workers", "seconds"))
    for workers in (1, 2):
        start = time.perf_counter()
        for _ in replicate_blocks(columns, part, 1, statistic=hits, workers=workers):
            pass
        print(_row(str(workers), f"{(time.perf_counter() - start) * 1e6 / part:.0f}"))


def _sacrebleu_bootstrap(first: Floats, second: Floats) -> Callable[[], object] | None:
    """The paired bootstrap of sacrebleu itself on given statistics; None if it is not installed."""
    try:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415
        from sacrebleu.significance import Result, _paired_bs_test  # noqa: PLC0415
    except ImportError:
        return None

    class Given(BLEU):
        """BLEU of statistics that are known already: what is timed is the bootstrap alone."""

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return hypotheses

    metric = Given()
    a, b = first.tolist(), second.tolist()
    baseline = {"BLEU": (a, Result(metric._aggregate_and_compute(a).score))}
    return lambda: _paired_bs_test(
        baseline, "b", b, None, {"BLEU": metric}, SACREBLEU_RESAMPLES, seed=1
    )


def _best(work: list[Callable[[], object]], *, repeats: int) -> list[float]:
    """Shortest time of each, measured in turn; what takes milliseconds is run ten times a turn."""
    best = [math.inf] * len(work)
    for _ in range(repeats):
        for i, one in enumerate(work):
            for _ in range(10 if best[i] < 0.02 else 1):
                start = time.perf_counter()
                one()
                best[i] = min(best[i], time.perf_counter() - start)
    return best


def _row(first: str, *cells: str) -> str:
    return first.ljust(18) + "".join(cell.rjust(12) for cell in cells)


if __name__ == "__main__":
    run()
