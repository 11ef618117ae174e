"""The bootstrap beside sacrebleu's and scipy's, and the ideal bootstrap beside resampling.

Times are medians of several runs, taken in turn so that a busy machine slows all alike. What counts
are the ratios; the target stands beside those that have one.
"""

import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import betterthan as bt
from betterthan.data.pairing import joint_of
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import Probability
from betterthan.metrics import BLEU
from betterthan.resampling.sums import replicates
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request

ITEMS = 2_000
RESAMPLES = 20_000
SACREBLEU_RESAMPLES = 1_000  # its default
CAMPAIGN = 1_000_000

Floats = NDArray[np.float64]
Work = Callable[[], object]


def bleu_counts(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ten BLEU columns of ``n`` sentences: lengths, then matches and totals of four orders."""
    length = rng.integers(5, 40, n)
    totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
    matches = rng.binomial(totals, [0.6, 0.4, 0.25, 0.15])
    return np.column_stack([length, length + rng.integers(-3, 4, n), matches, totals])


def run() -> None:
    """Print the tables."""
    rng = np.random.default_rng(2012)
    _campaign(rng)  # first, for its peak of memory is that of the process
    _versus_sacrebleu(rng)
    _versus_scipy(rng)
    _ideal(rng)


def _versus_sacrebleu(rng: np.random.Generator) -> None:
    print(f"\nPaired bootstrap of BLEU, {ITEMS:,} segments: microseconds per replicate and system")
    systems = [bleu_counts(ITEMS, rng) for _ in range(30)]
    peer = _sacrebleu_bootstrap(systems[0], systems[1])
    if peer is None:
        print("sacrebleu is not installed: pip install sacrebleu to compare with it")
        return
    print(_row("systems", "betterthan", "sacrebleu", "ratio", "target"))
    for count, target in ((2, 25), (30, 100)):
        columns = np.hstack(systems[:count])

        def ours(columns: NDArray[np.int64] = columns, count: int = count) -> Floats:
            sums = replicates(columns, RESAMPLES, 1)
            return BLEU.finish(sums.reshape(RESAMPLES, count, -1), ITEMS)

        mine, theirs = _medians([ours, peer], repeats=7)
        mine *= 1e6 / RESAMPLES / count
        # sacrebleu resamples two systems a pair, whatever the number of systems.
        theirs *= 1e6 / SACREBLEU_RESAMPLES / 2
        cells = (f"{mine:.2f}", f"{theirs:.2f}", f"{theirs / mine:.0f}", f"{target}")
        print(_row(str(count), *cells))


def _versus_scipy(rng: np.random.Generator) -> None:
    print(f"\nBootstrap of a mean difference, {ITEMS:,} items, {RESAMPLES:,} resamples: ms")
    d = rng.integers(-3, 5, ITEMS).astype(float)

    def ours() -> object:
        return replicates(d[:, None], RESAMPLES, 1)[:, 0] / ITEMS

    def scipys() -> object:
        return stats.bootstrap((d,), np.mean, n_resamples=RESAMPLES, rng=1, method="percentile")

    mine, theirs = _medians([ours, scipys], repeats=3)
    print(_row("", "betterthan", "scipy", "ratio"))
    print(_row("", f"{1e3 * mine:.1f}", f"{1e3 * theirs:.1f}", f"{theirs / mine:.1f}"))


def _ideal(rng: np.random.Generator) -> None:
    print(f"\nIdeal bootstrap beside {RESAMPLES:,} resamples, {ITEMS:,} items: milliseconds")
    print(_row("", "ideal", "resampling", "ratio", "target", "p", "error"))
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
        return ResampledRatio.of(d).tail(Fraction(2 * int(d.sum()), ITEMS))

    def ideal_ratio() -> Probability:
        return ResampledRatio.of(d_tokens, w).tail(2 * observed)

    def whole_test(method: Literal["auto", "ideal", "sample"]) -> object:
        return bt.bootstrap_test(
            d < 0, d > 0, alternative="greater", method=method, resamples=RESAMPLES, rng=1
        )

    rows: tuple[tuple[str, Work, Work, str], ...] = (
        ("sum, by indices", ideal_sum, by_indices, "300"),
        ("sum, by our counts", ideal_sum, resampled_sum, ""),
        ("bootstrap_test", partial(whole_test, "ideal"), partial(whole_test, "sample"), ""),
        ("ratio", ideal_ratio, resampled_ratio, ""),
    )
    for name, ideal, other, target in rows:
        exact, sampled = _medians([ideal, other], repeats=5)
        cells = [f"{1e3 * exact:.3f}", f"{1e3 * sampled:.1f}", f"{sampled / exact:.0f}", target]
        if isinstance(p := ideal(), Probability):
            cells += [f"{p.value:.3g}", f"{p.error:.0e}"]
        print(_row(name, *cells))


def _campaign(rng: np.random.Generator, *, systems: int = 30, part: int = 50_000) -> None:
    """Thirty systems, all pairs, a million replicates: timed on a part, which is a fixed share."""
    values = [bleu_counts(ITEMS, rng) for _ in range(systems)]
    pairs = list(combinations(range(systems), 2))
    print(f"\n{systems} systems x {ITEMS:,} segments, {len(pairs)} pairs, {CAMPAIGN:,} replicates")
    print(_row("workers", "seconds", "peak MB"))
    for workers in (1, 2):
        start = time.perf_counter()
        joint = joint_of({f"s{k:02d}": x for k, x in enumerate(values)}, BLEU)
        run_tests(joint, pairs, "bootstrap", Request(resamples=part, workers=workers, rng=1))
        seconds = (time.perf_counter() - start) * CAMPAIGN / part
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        megabytes = size / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        print(_row(str(workers), f"{seconds:.0f}", f"{megabytes:.0f}"))


def _sacrebleu_bootstrap(first: NDArray[Any], second: NDArray[Any]) -> Work | None:
    """The paired bootstrap of sacrebleu itself on given statistics; None if it is not installed."""
    try:
        from sacrebleu.metrics.bleu import BLEU as TheirBLEU  # noqa: N811, PLC0415
        from sacrebleu.significance import Result, _paired_bs_test  # noqa: PLC0415
    except ImportError:
        return None

    class Given(TheirBLEU):
        """BLEU of statistics that are known already: what is timed is the bootstrap alone."""

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return hypotheses

    metric = Given()
    a, b = first.tolist(), second.tolist()
    baseline: Any = {"BLEU": (a, Result(metric._aggregate_and_compute(a).score))}
    return lambda: _paired_bs_test(
        baseline, "b", b, None, {"BLEU": metric}, SACREBLEU_RESAMPLES, seed=1
    )


def _medians(work: list[Work], *, repeats: int) -> list[float]:
    """Median time of each, measured in turn; what takes milliseconds is run twenty times a turn."""
    times: list[list[float]] = [[] for _ in work]
    for _ in range(repeats):
        for one, taken in zip(work, times, strict=True):
            for _ in range(20 if taken and taken[-1] < 0.02 else 1):
                start = time.perf_counter()
                one()
                taken.append(time.perf_counter() - start)
    return [median(taken[1:]) for taken in times]  # the first one fills the caches


def _row(first: str, *cells: str) -> str:
    return first.ljust(19) + "".join(cell.rjust(12) for cell in cells)


if __name__ == "__main__":
    run()
