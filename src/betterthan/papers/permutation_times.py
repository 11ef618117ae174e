"""Run times of the published algorithms beside the engine, on simulated taggers."""

import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from betterthan.exact.published import exact_test, monte_carlo
from betterthan.metrics import F1, Metric
from betterthan.numeric import Ints
from betterthan.papers.exhibits import Curves, Exhibit, Series, pictured
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.papers.simulated_taggers import simulate_taggers
from betterthan.testing.permutation import permutation_test

MACHINE = "another machine, and code that works on whole arrays"
STANZA = (
    "the outputs of Stanza on the English UD test set are not bundled; the four numbers are the "
    "parameters of the simulation (`bt.papers.simulate_taggers`). Score a tagger of yours with "
    "`betterthan compare --ref gold.conllu a.conllu b.conllu -m upos`"
)
Timed = dict[str, dict[int, float]]


def times(runner: Runner, *, samples: Mapping[int, int], fft: bool) -> Exhibit:
    """Run time by the number of sentences; nothing else runs beside it and nothing is kept.

    ``samples`` says up to how many sentences the paper found its dynamic programme faster than
    Monte Carlo with so many samples; none where it was not.
    """
    sizes = (100, 300, 1_000, 3_000, 10_000) if runner.quick else tuple(range(1_000, 10_001, 1_000))
    measured: Timed = {}
    agreeing = True
    for n in sizes:
        both = simulate_taggers(n, rng=runner.seed).values[:, :, 0].astype(np.int64)
        stay = both[:, 1] - both[:, 0]
        ways: dict[str, Callable[[], float]] = {
            "betterthan": partial(_ours, both[:, 0], both[:, 1]),
            "DP": partial(exact_test, stay, -stay, np.abs, convolve="dp"),
        }
        if fft:
            ways["FFT"] = partial(exact_test, stay, -stay, np.abs, convolve="fft")
        ways |= {
            f"Monte Carlo, K = {k:,}": partial(monte_carlo, stay, -stay, np.abs, k, rng=runner.seed)
            for k in samples
        }
        found = {}
        for name, way in ways.items():
            found[name], seconds = _timed(way)
            measured.setdefault(name, {})[n] = seconds
        exact = [found[name] for name in ("DP", "FFT") if name in found]
        agreeing &= np.allclose(exact, found["betterthan"], rtol=1e-9, atol=1e-13)
        if runner.progress is not None:
            runner.progress("run times", sizes.index(n) + 1, len(sizes))
    series = tuple(Series(name, list(by), list(by.values())) for name, by in measured.items())
    largest = f"Monte Carlo, K = {max(samples):,}"
    by_fft: tuple[Claim, ...] = ()
    if fft:
        text = f"The exact test by FFT is faster than {largest}, at every N."
        by_fft = (_faster(text, measured["FFT"], measured[largest], sizes[-1]),)
    return Exhibit(
        "Figure 1",
        "run time by the number of sentences",
        on="simulated taggers",
        cells=_cells(measured),
        claims=(
            Claim(
                "The exact test gives the same p-value however it is computed.",
                bool(agreeing),
                f"DP{', FFT' * fft} and our engine agree to nine digits at every N.",
            ),
            *by_fft,
            *(
                _faster(
                    f"The exact dynamic programme is faster than Monte Carlo, K = {k:,}, up to "
                    f"N = {limit:,}.",
                    measured["DP"],
                    measured[f"Monte Carlo, K = {k:,}"],
                    limit,
                )
                for k, limit in samples.items()
                if limit
            ),
            _ours_is_fastest(measured, largest),
        ),
        pictures=pictured(
            "Seconds by the number of sentences, on one core.",
            Curves("Run time", "sentences N", "seconds", series, "xy"),
        ),
        remarks=("The published algorithms are those of `bt.exact`, timed in one process.",),
    )


def _cells(measured: Timed) -> tuple[Cell, ...]:
    n = 10_000
    if "FFT" not in measured:
        return (Cell(f"DP at N = {n:,}, seconds", "<3", measured["DP"][n], reason=MACHINE),)
    speedups = [measured[name][n] / measured["FFT"][n] for name in measured if "Carlo" in name]
    reason = f"{MACHINE}: the paper's processor was an Apple M1 Max"
    return (
        Cell(f"FFT at N = {n:,}, seconds", "0.1", measured["FFT"][n], reason=reason),
        Cell("FFT against Monte Carlo, least speed-up", "3", min(speedups), reason=reason),
        Cell("FFT against Monte Carlo, largest speed-up", "30", max(speedups), reason=reason),
    )


def _faster(text: str, fast: dict[int, float], slow: dict[int, float], limit: int) -> Claim:
    """Check that one way takes less time than another at every size up to a limit."""
    ratios = {n: seconds / fast[n] for n, seconds in slow.items()}
    each = ", ".join(f"{ratio:.1f} at N = {n:,}" for n, ratio in ratios.items())
    holds = all(ratio > 1 for n, ratio in ratios.items() if n <= limit)
    return Claim(text, holds, f"Times faster: {each}.")


def _ours_is_fastest(measured: Timed, sampling: str) -> Claim:
    """Check our engine from 1,000 sentences on; below, it is fixed costs that are measured."""
    ours = measured["betterthan"]
    others = [by for name, by in measured.items() if name != "betterthan"]
    ratio, best = max((seconds / ours[n], n) for n, seconds in measured[sampling].items())
    return Claim(
        "(Ours) Our engine is faster than all of them from 1,000 sentences on.",
        all(ours[n] < by[n] for by in others for n in by if n >= 1_000),
        f"Up to {ratio:,.0f} times faster than {sampling} (N = {best:,}).",
    )


def _ours(a: Ints, b: Ints, metric: Metric | str = "mean") -> float:
    return permutation_test(a, b, metric=metric).pvalue


def _timed(way: Callable[[], float]) -> tuple[float, float]:
    """Return the p-value and the least of three run times, which other work disturbs least."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        value = way()
        seconds.append(time.perf_counter() - start)
        if sum(seconds) > 3.0:
            break
    return value, min(seconds)


def timed_f1(runner: Runner) -> Exhibit:
    """F1 by the published programme over four counts while it can be afforded, and by ours."""
    small, large = (5, 10, 20, 40, 80), (100, 1_000, 3_684, 10_000)
    ours: dict[int, float] = {}
    theirs: dict[int, float] = {}
    deepest, agreeing = 0.0, True
    for n in (*small, *large):
        a, b = _entities(n, np.random.default_rng([runner.seed, n]))
        found, ours[n] = _timed(partial(_ours, a, b, F1))
        if n in small:
            expected, theirs[n] = _timed(partial(published_f1, a, b))
            agreeing &= abs(found - expected) <= 1e-12
        deepest = min(deepest, permutation_test(a, b, metric=F1).log10_pvalue)
    series = (
        Series("published, four counts", list(theirs), list(theirs.values())),
        Series("betterthan", list(ours), list(ours.values())),
    )
    return Exhibit(
        "Appendix B",
        "the exact test of F1",
        on="simulated entity taggers",
        claims=(
            Claim(
                "The dynamic programme over four counts gives the exact p-value of F1.",
                agreeing,
                f"It and ours agree to 1e-12 at {', '.join(map(str, small))} sentences.",
            ),
            Claim(
                "It is impractical for common data sets.",
                theirs[80] / theirs[20] > 4**2,
                f"Four times the sentences take {theirs[80] / theirs[20]:.0f} times as long.",
            ),
        ),
        pictures=pictured(
            "Seconds by the number of sentences.",
            Curves("Exact test of F1", "sentences N", "seconds", series, "xy"),
        ),
        remarks=(
            f"Beyond what the paper could do: {large[-1]:,} sentences take {ours[large[-1]]:.2g} "
            f"seconds, and tails as deep as p = 1e{deepest:.0f} keep their digits.",
        ),
    )


def published_f1(a: Ints, b: Ints) -> float:
    """P-value of F1 by Figure 5 of the draft, with its ``<= o`` set right: ``>= o``.

    ``a`` and ``b`` have the columns tp, fp, fn; F1 is compared in whole numbers.
    """
    law = {(0, 0, 0, 0): 1.0}
    pairs = [
        ((x[0], x[1] + x[2]), (y[0], y[1] + y[2]))
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    for x, y in pairs:
        after: dict[tuple[int, int, int, int], float] = {}
        for (ta, fa, tb, fb), mass in law.items():
            for (s, t), (u, v) in ((x, y), (y, x)):
                to = (ta + s, fa + t, tb + u, fb + v)
                after[to] = after.get(to, 0.0) + mass / 2
        law = after

    def effect(ta: int, fa: int, tb: int, fb: int) -> tuple[int, int]:
        above, below = 2 * ta + fa, 2 * tb + fb
        return abs(2 * ta * below - 2 * tb * above), above * below

    start = tuple(int(v) for v in np.array([[*x, *y] for x, y in pairs]).sum(axis=0))
    top, bottom = effect(*start)
    reached = ((effect(*at), mass) for at, mass in law.items())
    return float(sum(mass for (up, down), mass in reached if up * bottom >= top * down))


def _entities(n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Counts tp, fp, fn of two entity taggers: most entities are found by both."""
    gold = rng.poisson(1.6, n)
    easy = rng.binomial(gold, 0.85)
    hits = [easy + rng.binomial(gold - easy, share) for share in (0.3, 0.45)]
    wrong = rng.poisson(0.15, (2, n))
    first, second = (np.column_stack([h, w, gold - h]) for h, w in zip(hits, wrong, strict=True))
    return first, second


def table_1(_: Runner) -> Exhibit:
    """Moments of a tagger's accuracy and of sentence lengths: where the simulation starts."""
    printed = (("accuracy", (".9543", ".1116")), ("sentence length", ("12.08", "10.60")))
    return Exhibit(
        "Table 1",
        "accuracy and sentence length of a tagger",
        tuple(
            Cell(f"{what}: {moment}", value, None, reason=STANZA)
            for what, values in printed
            for moment, value in zip(("mean", "deviation"), values, strict=True)
        ),
        on="nothing: the parameters of the simulation",
    )
