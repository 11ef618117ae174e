"""Exact and certified tests next to published algorithms, sampled swaps, and plain programmes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import betterthan as bt
from bench.runner import Benchmark, Case
from betterthan.metrics import F1

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = tuple[Ints, ...]
"""Numerators and denominators of the two systems' F1: num_a, den_a, num_b, den_b."""

SAMPLES, BATCH = 20_000, 8_000_000  # swaps; signs at a time, so that products stay in memory


def stanza_like(n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Correct tags per sentence of two taggers alike (Zmigrod et al. 2022, Table 1).

    Sentence lengths are at least 1, with mean about 12.08 and standard deviation about 10.6;
    accuracies are normal (.9543, .1116), truncated to [0, 1]; correct = floor(accuracy * length).
    """
    mean, sd = 12.08, 10.60
    lengths = 1 + np.rint(rng.gamma((mean - 1.0) ** 2 / sd**2, sd**2 / (mean - 1.0), n))
    low, high = (np.array([0.0, 1.0]) - 0.9543) / 0.1116
    share = stats.truncnorm.rvs(low, high, 0.9543, 0.1116, size=(2, n), random_state=rng)
    first, second = np.floor(share * lengths).astype(np.int64)
    return first, second


def published(n: int) -> Case:
    """The paper's DP and FFT, and its Monte Carlo, of a difference in accuracy."""
    a, b = stanza_like(n, np.random.default_rng(2022))
    d = b - a
    others: dict[str, Callable[[], object]] = {"floor: bincount": lambda: np.bincount(np.abs(d))}
    if n <= 10_000:
        others |= {
            "published FFT": lambda: bt.exact.exact_test(d, -d, np.abs, convolve="fft"),
            "published DP": lambda: bt.exact.exact_test(d, -d, np.abs, convolve="dp"),
            "published Monte Carlo, 20,000": lambda: bt.exact.monte_carlo(
                d, -d, np.abs, SAMPLES, rng=0
            ),
        }
    return Case(lambda: bt.permutation_test(a, b), others)


def conll_like(n: int, rng: np.random.Generator, *, gain: float) -> Columns:
    """Sentences as in CoNLL-2003's test set: 1.6 entities each, two taggers with F1 near .90.

    Most entities are found by both taggers; of the hard ones the second finds a share ``gain``
    more. What is missed is, half of the time, found with a wrong span.
    """
    gold = rng.poisson(1.6, n)
    easy = rng.binomial(gold, 0.84)
    columns = []
    for skill in (0.35, 0.35 + gain):
        tp = easy + rng.binomial(gold - easy, skill)
        predicted = tp + rng.binomial(gold - tp, 0.6) + rng.binomial(1, 0.03, n)
        columns += [2 * tp, predicted + gold]
    return tuple(columns)


def sampled_f1(columns: Columns, *, live_only: bool) -> float:
    """P-value from 20,000 swaps, as one matrix product in batches that fit the memory."""
    rng = np.random.default_rng(0)
    num_a, den_a, num_b, den_b = columns
    steps = np.stack([num_a - num_b, den_a - den_b], axis=1).astype(np.float32)
    steps = steps[steps.any(axis=1)] if live_only else steps
    num_total, den_total = (num_a + num_b).sum(), (den_a + den_b).sum()
    observed = abs(num_b.sum() / den_b.sum() - num_a.sum() / den_a.sum())
    hits = 0
    for swaps in _swaps(len(steps), rng):
        num, den = (swaps.astype(np.float32) @ steps).T.astype(np.float64)
        num, den = num + num_b.sum(), den + den_b.sum()
        delta = np.abs(num / den - (num_total - num) / (den_total - den))
        hits += int(np.count_nonzero(delta >= observed - 1e-12))
    return (1 + hits) / (1 + SAMPLES)


def _swaps(n: int, rng: np.random.Generator) -> Any:
    """Which items are swapped: bits, in batches."""
    rows = max(BATCH // max(n, 1), 1)
    for start in range(0, SAMPLES, rows):
        count = min(rows, SAMPLES - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(count * (-(-n // 8))), np.uint8))
        yield bits.reshape(count, -1)[:, :n]


def dynamic_programme(columns: Columns) -> float:
    """P-value by one convolution an item in extended precision: nothing tilted, nothing cut off.

    The published DP (Zmigrod et al., 2022, Alg. 3) in two dimensions; ties in 64-bit integers.
    """
    num_a, den_a, num_b, den_b = columns
    num_low, den_low = np.minimum(num_a, num_b), np.minimum(den_a, den_b)
    law = np.ones((1, 1), dtype=np.longdouble)
    moves = np.stack([num_a - num_low, den_a - den_low, num_b - num_low, den_b - den_low])
    moves[[0, 2]] //= 2  # F1's numerators are even
    for x, y, u, v in moves[:, (moves[:2] != moves[2:]).any(axis=0)].T.tolist():
        after = np.zeros((law.shape[0] + max(x, u), law.shape[1] + max(y, v)), dtype=law.dtype)
        after[x : x + law.shape[0], y : y + law.shape[1]] += law
        after[u : u + law.shape[0], v : v + law.shape[1]] += law
        after *= 0.5
        law = after
    num = num_low.sum() + 2 * np.arange(law.shape[0])[:, None]
    den = den_low.sum() + np.arange(law.shape[1])
    num_total, den_total = (num_a + num_b).sum(), (den_a + den_b).sum()
    # |delta| >= |observed| with all denominators multiplied out.
    top = abs(num_b.sum() * den_a.sum() - num_a.sum() * den_b.sum())
    left = np.abs(num * den_total - num_total * den) * (den_a.sum() * den_b.sum())
    return float(law[left >= top * (den * (den_total - den))].sum())


def taggers(n: int, *, gain: float) -> Case:
    """F1: exact, sampled from all items or those that differ, and by a plain 2-D DP."""
    columns = conll_like(n, np.random.default_rng(2003), gain=gain)
    num_a, den_a, num_b, den_b = columns
    # F1 asks for tp, fp, fn: of these the denominator needs only the sum of the last two.
    a, b = (np.stack([x // 2, y - x, 0 * x], axis=1) for x, y in ((num_a, den_a), (num_b, den_b)))
    others: dict[str, Callable[[], object]] = {
        "20,000 swaps, one matrix product": partial(sampled_f1, columns, live_only=False),
        "the same of items that differ": partial(sampled_f1, columns, live_only=True),
    }
    if n < 5_000:
        others["2-D DP in extended precision"] = partial(dynamic_programme, columns)
    return Case(lambda: bt.permutation_test(a, b, F1), others)


def sentence_scores(n: int, z: float) -> tuple[Floats, Floats]:
    """Sentence scores of two systems, their mean difference ``z`` standard errors from zero.

    Scores lie in (0, 1), the systems share each item's difficulty, as sentence BLEU or COMET do.
    """
    rng = np.random.default_rng(1981)
    difficulty = rng.beta(2.0, 2.0, n)
    a, b = (np.clip(difficulty + rng.normal(0.0, 0.1, n), 0.0, 1.0) for _ in range(2))
    d = b - a
    for _ in range(20):  # the permutation law's scale is sqrt(sum d**2), which the shift changes
        d += z * np.sqrt((d * d).sum()) / n - d.mean()
    return a, a + d


def sampled_mean(d: Floats) -> float:
    """Two-sided p-value from random swaps, as fast as NumPy goes: bits, one product a batch."""
    rng, observed = np.random.default_rng(0), abs(float(d.sum())) * (1.0 - 1e-12)
    sums = [d.sum() - 2.0 * (swaps.astype(float) @ d) for swaps in _swaps(d.size, rng)]
    return float((1 + sum((np.abs(x) >= observed).sum() for x in sums)) / (1 + SAMPLES))


def certified(n: int, *, z: float, tolerance: float) -> Case:
    """A certified p-value of real scores, and sampled swaps."""
    a, b = sentence_scores(n, z)
    return Case(
        lambda: bt.permutation_test(a, b, tolerance=tolerance),
        {"20,000 swaps, matrix products": lambda: sampled_mean(b - a)},
    )


def scipy_swaps(a: NDArray[Any], b: NDArray[Any]) -> object:
    """The permutation test of scipy."""

    def difference(x: NDArray[Any], y: NDArray[Any], axis: int = -1) -> NDArray[Any]:
        return np.asarray(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    return stats.permutation_test(
        (a, b), difference, permutation_type="samples", n_resamples=9999, vectorized=True
    )


def right_or_wrong(n: int) -> Case:
    """0/1 scores, from arrays to the p-value."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, n)) < [[0.70], [0.705]]).astype(np.int64)
    others = {"floor: counting": lambda: np.bincount(2 * a + b, minlength=4)}
    swaps = {"scipy, 9,999 swaps": lambda: scipy_swaps(a, b)} if n <= 1000 else {}
    return Case(lambda: bt.permutation_test(a, b), others | swaps)


def real(n: int) -> Case:
    """Real scores, from arrays to the p-value."""
    a, b = np.random.default_rng(1).normal([[0.0], [0.01]], 1.0, size=(2, n))
    swaps = {"scipy, 9,999 swaps": lambda: scipy_swaps(a, b)} if n <= 1000 else {}
    return Case(
        lambda: bt.permutation_test(a, b), {"floor: one sum": lambda: np.sum(b - a)} | swaps
    )


UNITS = (1_000, 10_000, 100_000, 1_000_000)
BENCHMARKS = (
    Benchmark("growth", "exact permutation test, 0/1", UNITS, right_or_wrong),
    Benchmark("growth", "certified permutation test, real", UNITS, real),
    Benchmark("accuracy", "exact test of accuracy", (100, *UNITS), published),
    *(
        Benchmark("f1", f"exact test of F1, gain {gain}", (n,), partial(taggers, gain=gain))
        for n, gain in (
            *((100, 0.1), (3684, 0.04), (3684, 0.2), (3684, 0.45)),
            *((10_000, 0.02), (10_000, 0.14), (10_000, 0.28)),
        )
    ),
    *(
        Benchmark(
            "real",
            f"certified test of scores, p near {near}, tolerance {tolerance:g}",
            UNITS[:2],
            partial(certified, z=z, tolerance=tolerance),
        )
        for z, near in ((2.81, ".005"), (7.15, "1e-12"))
        for tolerance in (1e-2, 1e-3, 1e-4)
    ),
)
