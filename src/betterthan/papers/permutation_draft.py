"""Exact Paired Permutation Testing Algorithms for NLP Systems: Table 2, Figures 3 and 4, F1."""

from dataclasses import replace

import numpy as np

from betterthan.numeric import Floats
from betterthan.papers.exhibits import Curves, Exhibit, Series, pictured
from betterthan.papers.permutation_times import table_1, timed_f1, times
from betterthan.papers.printed_cells import Cell, Claim
from betterthan.papers.runner import Runner
from betterthan.papers.simulated_taggers import simulate_taggers
from betterthan.testing.permutation import permutation_test

TABLE_2 = {
    250: (0.95, ".0512", ".1351"),
    500: (0.96, ".0189", ".0656"),
    1000: (0.97, ".0153", ".0534"),
    2000: (0.98, ".0202", ".0536"),
    4000: (0.985, ".0170", ".0538"),
    8000: (0.99, ".0360", ".1146"),
}
"""Sentences: factor of the mean, and the mean and standard deviation of p as printed."""

THEIR_PAIRS = 25
"""Pairs of systems behind a printed mean. The draft says five for every K and does not list the Ks;
its Figure 3 has at least five of them."""

SAMPLES = (5_000, 10_000, 20_000, 30_000, 40_000)
LARGEST = 10.0
"""Relative errors beyond this are discarded, as in the draft's footnote 4."""


def table_2(runner: Runner) -> Exhibit:
    """Mean and standard deviation of p by the number of sentences."""
    pairs, share = (200, 50) if runner.quick else (4_000, 250)
    jobs = [
        {"sentences": n, "factor": factor, "pairs": share}
        for n, (factor, *_) in TABLE_2.items()
        for _ in range(pairs // share)
    ]
    found = runner.map("draft table 2", exact_ps, jobs)
    cells = []
    for n, (factor, mean, sd) in TABLE_2.items():
        drawn = [found[at] for at, job in enumerate(jobs) if job["sentences"] == n]
        p = np.concatenate(drawn)
        spread = p.std(ddof=1)
        of_sd = np.sqrt(((p - p.mean()) ** 4).mean() - spread**4) / (2 * spread)
        name = f"N = {n:,}, {factor} μ"
        for what, printed, ours, scale in (
            ("mean p", mean, p.mean(), spread),
            ("sd of p", sd, spread, of_sd),
        ):
            error, theirs = scale / np.sqrt(p.size), scale / np.sqrt(THEIR_PAIRS)
            cells.append(Cell(f"{name}: {what}", printed, float(ours), float(error), float(theirs)))
    return Exhibit(
        "Table 2",
        "p-values of two simulated taggers",
        tuple(cells),
        on="simulated taggers",
        remarks=(
            f"{pairs:,} pairs of taggers for every N, each tested exactly. The draft does not "
            f"state how many pairs its means are over; {THEIR_PAIRS} are assumed for their error.",
        ),
    )


def exact_ps(
    seed: np.random.SeedSequence, sentences: int, factor: float, pairs: int
) -> list[float]:
    """Exact p-values of so many pairs of taggers."""
    rng = np.random.default_rng(seed)
    return [_exact(sentences, factor, rng)[1] for _ in range(pairs)]


def _exact(sentences: int, factor: float, rng: np.random.Generator) -> tuple[Floats, float]:
    both = simulate_taggers(sentences, factor, rng).values[:, :, 0]
    return both, permutation_test(both[:, 0], both[:, 1]).pvalue


def figure_3(runner: Runner) -> Exhibit:
    """Relative error of Monte Carlo by the number of samples and of sentences."""
    pairs, share = (25, 5) if runner.quick else (60, 10)
    jobs = [{"sentences": n, "pairs": share} for n in TABLE_2 for _ in range(pairs // share)]
    found = runner.map("draft figure 3", relative_errors, jobs)
    table = {
        n: np.hstack([e for e, job in zip(found, jobs, strict=True) if job["sentences"] == n])
        for n in TABLE_2
    }
    means = {n: [float(np.mean(e[e <= LARGEST])) for e in errors] for n, errors in table.items()}
    series = tuple(Series(f"N = {n:,}", SAMPLES, errors) for n, errors in means.items())
    beyond = sum(int((errors > LARGEST).sum()) for errors in table.values())
    every = sum(errors.size for errors in table.values())
    pooled = np.mean(list(means.values()), axis=0)
    at_20k = {n: errors[SAMPLES.index(20_000)] for n, errors in means.items()}
    return Exhibit(
        "Figure 3",
        "relative error of Monte Carlo",
        on="simulated taggers",
        claims=(
            Claim(
                "There is a downwards trend as the number of samples grows.",
                bool(pooled[-1] < pooled[0]),
                f"Averaged over N, the error falls from {pooled[0]:.0%} of p with {SAMPLES[0]:,} "
                f"samples to {pooled[-1]:.0%} with {SAMPLES[-1]:,}; for single N it is as noisy as "
                "the draft says.",
            ),
            Claim(
                "The approximation is unreliable for every N even with 20,000 samples.",
                min(at_20k.values()) > 0.01,
                f"It is then off by {min(at_20k.values()):.0%} to {max(at_20k.values()):.0%} of p "
                "on average, most where p is small.",
            ),
        ),
        pictures=pictured(
            "Mean relative error of the Monte Carlo p-value by the number of samples.",
            Curves("Relative error of p", "samples K", "|p̂ − p| / p", series),
        ),
        remarks=(
            f"{pairs} pairs for every N, each sampled five times for every K; errors above 10 are "
            f"discarded as in the draft ({beyond:,} of {every:,} here), whose 25 data points a "
            "cell make rougher curves. The "
            "estimate is the share of hits; where the draft prints `≤ o`, `≥ o` is meant.",
        ),
    )


def relative_errors(seed: np.random.SeedSequence, sentences: int, pairs: int) -> list[list[float]]:
    """Relative errors of the sampled p for every number of samples."""
    rng = np.random.default_rng(seed)
    factor = TABLE_2[sentences][0]
    errors: list[list[float]] = [[] for _ in SAMPLES]
    for _ in range(pairs):
        both, exact = _exact(sentences, factor, rng)
        for at, samples in enumerate(SAMPLES):
            for _ in range(5):
                hits = permutation_test(
                    both[:, 0], both[:, 1], method="monte-carlo", resamples=samples, rng=rng
                )
                share = (hits.pvalue * (1 + samples) - 1) / samples  # without the correction
                errors[at].append(abs(share - exact) / exact)
    return errors


def figure_4(runner: Runner) -> Exhibit:
    """Run time of the dynamic programme and of Monte Carlo."""
    made = times(replace(runner, workers=1), samples={20_000: 6_000, 40_000: 10_000}, fft=False)
    return replace(made, name="Figure 4")


EXHIBITS = {
    "Table 1": table_1,
    "Table 2": table_2,
    "Figure 3": figure_3,
    "Figure 4": figure_4,
    "Appendix B": timed_f1,
}
UNAVAILABLE: dict[str, str] = {}
