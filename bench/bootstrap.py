"""The bootstrap next to sacrebleu's and scipy's, and the ideal bootstrap next to resampling."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import betterthan as bt
from bench.runner import Benchmark, Case
from betterthan.metrics import BLEU, F1, UAS

RESAMPLES, SACREBLEU_RESAMPLES = 20_000, 1_000  # of ours, and its default


def bleu_counts(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ten BLEU columns of ``n`` sentences: lengths, then matches and totals of four orders."""
    length = rng.integers(5, 40, n)
    totals = np.stack([np.maximum(length - order, 0) for order in range(4)], axis=1)
    matches = rng.binomial(totals, [0.6, 0.4, 0.25, 0.15])
    return np.column_stack([length, length + rng.integers(-3, 4, n), matches, totals])


def bleu(n: int) -> Case:
    """Two systems next to sacrebleu's paired bootstrap on the same counts."""
    a, b = (bleu_counts(n, np.random.default_rng(k)) for k in (1, 2))
    theirs = "sacrebleu, 1,000 resamples, times 20 (target: 25)"
    return Case(
        lambda: bt.bootstrap_test(a, b, BLEU, method="sample", resamples=RESAMPLES, rng=1),
        {theirs: _sacrebleu_bootstrap(a, b)},
        {theirs: RESAMPLES / SACREBLEU_RESAMPLES},
    )


def _sacrebleu_bootstrap(first: NDArray[Any], second: NDArray[Any]) -> Callable[[], object]:
    """The paired bootstrap of sacrebleu itself, of counts that are known already."""

    def work() -> object:
        from sacrebleu.metrics.bleu import BLEU as TheirBLEU  # noqa: N811, PLC0415
        from sacrebleu.significance import Result, _paired_bs_test  # noqa: PLC0415

        class Counted(TheirBLEU):
            def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
                return hypotheses

        metric, a, b = Counted(), first.tolist(), second.tolist()
        baseline: Any = {"BLEU": (a, Result(metric._aggregate_and_compute(a).score))}
        counted: Any = {"BLEU": metric}
        return _paired_bs_test(baseline, "b", b, None, counted, SACREBLEU_RESAMPLES, seed=1)

    return work


def campaign(resamples: int, *, workers: int) -> Case:
    """Thirty systems on 2,000 segments, all 435 pairs, next to sacrebleu's bootstrap of a pair."""
    systems = {f"s{k:02d}": bleu_counts(2_000, np.random.default_rng(k)) for k in range(30)}
    scores = bt.Scores.from_arrays(systems, columns=BLEU.columns)
    options: Any = {"resamples": resamples, "workers": workers, "rng": 1}
    theirs = "sacrebleu, one pair, times all systems (target: 100)"
    return Case(
        lambda: bt.compare_all(scores, metric=BLEU, test="bootstrap(method=sample)", **options),
        {theirs: _sacrebleu_bootstrap(systems["s00"], systems["s01"])},
        {theirs: resamples / SACREBLEU_RESAMPLES * len(systems) / 2},
    )


def mean_interval(n: int) -> Case:
    """The percentile interval of a mean difference, next to scipy's."""
    d = np.random.default_rng(2012).integers(-3, 5, n).astype(float)
    options: Any = {"method": "sample", "kind": "percentile", "resamples": RESAMPLES}

    def theirs() -> object:
        return stats.bootstrap((d,), np.mean, n_resamples=RESAMPLES, rng=1, method="percentile")

    return Case(
        lambda: bt.bootstrap_interval(0 * d, d, rng=1, **options), {"scipy, percentile": theirs}
    )


def ideal(n: int, *, ratio: bool) -> Case:
    """The law of all resamples next to 20,000 of them, of a sum or of a quotient of two sums."""
    rng = np.random.default_rng(2012)
    tokens = rng.integers(3, 60, n)
    errors = rng.poisson(0.02 * tokens)
    better = np.maximum(errors - rng.poisson(0.05, n), 0)
    d = rng.choice([-1, 0, 1], p=[0.08, 0.82, 0.10], size=n)
    a, b = d < 0, d > 0
    if ratio:
        a, b = (np.stack([tokens - x, tokens], axis=1) for x in (errors, better))

    def whole(method: Literal["ideal", "sample"]) -> object:
        metric = UAS if ratio else "mean"
        return bt.bootstrap_test(
            a, b, metric, alternative="greater", method=method, resamples=RESAMPLES, rng=1
        )

    def by_indices() -> float:
        parts = (d[rng.integers(n, size=(2_000, n))] for _ in range(RESAMPLES // 2_000))
        hits = sum(np.count_nonzero(x.sum(axis=1) >= 2 * d.sum()) for x in parts)
        return (1 + hits) / (1 + RESAMPLES)

    others: dict[str, Callable[[], object]] = {"20,000 resamples": partial(whole, "sample")}
    indices = {} if ratio else {"20,000 resamples by indices (target: 300)": by_indices}
    return Case(partial(whole, "ideal"), others | indices)


def real(n: int) -> Case:
    """The certified bootstrap of real scores."""
    a, b = np.random.default_rng(2).normal([[0.0], [0.01]], 1.0, size=(2, n))
    d = b - a

    def theirs() -> object:
        return stats.bootstrap((d,), np.mean, n_resamples=9999, method="percentile", batch=100)

    peers = {"scipy, 9,999 resamples": theirs} if n <= 10_000 else {}
    return Case(lambda: bt.bootstrap_test(a, b), {"floor: one sum": d.sum} | peers)


def f1(n: int) -> Case:
    """F1 has no law of all resamples."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 6, n)
    both = [np.stack([rng.binomial(gold, 0.8), rng.poisson(0.5, n), gold], axis=1) for _ in "ab"]
    a, b = (np.stack([x[:, 0], x[:, 1], x[:, 2] - x[:, 0]], axis=1) for x in both)
    drawn = rng.poisson(1.0, size=(20, n)).astype(np.float32)
    columns = np.hstack([a, b]).astype(np.float32)
    return Case(
        lambda: bt.bootstrap_test(a, b, F1, resamples=RESAMPLES, rng=0),
        {"floor: matrix products": lambda: [drawn @ columns for _ in range(1000)]},
    )


def median(n: int) -> Case:
    """A black box: its test, and its interval."""
    a, b = np.random.default_rng(4).normal(size=(2, n))
    scores = bt.Scores.from_arrays({"a": a, "b": b})
    return Case(
        lambda: bt.compare(scores, metric="median", workers=1),
        {"floor: two medians": lambda: [np.median(x) for x in (a, b)]},
    )


UNITS = (1_000, 10_000, 100_000, 1_000_000)
BENCHMARKS = (
    Benchmark("growth", "certified bootstrap, real", UNITS, real),
    Benchmark("growth", "bootstrap of F1, 20,000 resamples", UNITS[:2], f1),
    Benchmark("growth", "median, test and interval", UNITS[:3], median),
    Benchmark("boards", "items, median, test and interval", UNITS[2:3], median),
    Benchmark("bootstrap", "bootstrap of BLEU, 20,000 resamples", (2_000,), bleu),
    Benchmark("bootstrap", "bootstrap of a mean, 20,000 resamples", (2_000,), mean_interval),
    Benchmark("bootstrap", "ideal bootstrap of a sum", (2_000,), partial(ideal, ratio=False)),
    Benchmark("bootstrap", "ideal bootstrap of a ratio", (2_000,), partial(ideal, ratio=True)),
    *(
        Benchmark(
            "bootstrap",
            f"BLEU of 30 systems, 435 pairs, {workers} workers, resamples",
            (50_000,),
            partial(campaign, workers=workers),
            time.perf_counter,
        )
        for workers in (1, 2)
    ),
)
