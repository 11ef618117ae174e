"""How often the printed 95 % intervals cover the true difference, at the sizes people use."""

import math

import numpy as np
import pytest

from betterthan.data.pairing import pair_of
from betterthan.intervals.choice import difference_interval
from betterthan.metrics import BLEU, F1, Metric, mean, ratio
from simulated_ratings import MEANS, Draw, errors, translations
from simulated_sentences import f1_difference, sentences

pytestmark = pytest.mark.slow

REPLICATES = 600
LEAST = 0.95 - 3.0 * math.sqrt(0.95 * 0.05 / REPLICATES)  # .923: 93 % within the error


@pytest.mark.parametrize(
    ("found", "alike"),
    [((0.9, 0.9), 0.8), ((0.9, 0.8), 0.8), ((0.95, 0.92), 0.95), ((0.8, 0.7), 0.3)],
)
@pytest.mark.parametrize("n", [10, 20, 30, 50, 100, 200])
def test_f1_differences_of_sentences(n: int, found: tuple[float, float], alike: float) -> None:
    population = sentences(np.random.default_rng(0), 2_000_000, found=found, alike=alike)
    truth = f1_difference(*population)
    rng = np.random.default_rng(n)
    covered = 0
    for _ in range(REPLICATES):
        made = pair_of(*sentences(rng, n, found=found, alike=alike), F1)
        interval = difference_interval(made)
        covered += interval.low <= truth <= interval.high
    assert covered / REPLICATES >= LEAST


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("clusters", [8, 20, 50, 100])
def test_means_over_clusters_of_unequal_size(clusters: int, skewed: bool) -> None:
    """Clusters of 1 to 231 items with effects of their own; the true mean is zero."""
    rng = np.random.default_rng(clusters)
    covered = 0
    for _ in range(REPLICATES):
        sizes = np.clip(rng.lognormal(2.0, 1.2, clusters).round(), 1, 231).astype(np.int64)
        effect = rng.exponential(1.0, clusters) - 1.0 if skewed else rng.normal(size=clusters)
        codes = np.repeat(np.arange(clusters), sizes)
        d = 0.4 * effect[codes] + rng.normal(size=codes.size)
        made = pair_of(np.zeros(codes.size), d, mean(), codes)
        interval = difference_interval(made)
        covered += interval.low <= 0.0 <= interval.high
    assert covered / REPLICATES >= LEAST


def covered(
    draw: Draw, metric: Metric, truth: float, n: int, replicates: int = REPLICATES
) -> float:
    """Share of intervals that hold the truth."""
    rng, hits = np.random.default_rng(n), 0
    for _ in range(replicates):
        made = pair_of(*draw(rng, n), metric)
        interval = difference_interval(made)
        hits += interval.low <= truth <= interval.high
    return hits / replicates


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("n", [10, 20, 50, 100, 400])
def test_means_with_rare_losses(n: int, name: str) -> None:
    a, b = MEANS[name](np.random.default_rng(0), 4_000_000)
    assert covered(MEANS[name], mean(), float((b - a).mean()), n) >= LEAST


PER_SECOND = ratio({"errors": 1}, {"seconds": 1}, lower_is_better=True)
OWN_F1 = ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}, lower_is_better=False)


@pytest.mark.parametrize(
    ("draw", "metric"),
    [
        (errors(0.6), PER_SECOND),
        (errors(0.95), PER_SECOND),
        (lambda rng, n: sentences(rng, n, found=(0.95, 0.92), alike=0.95), OWN_F1),
        (lambda rng, n: sentences(rng, n, found=(0.8, 0.7), alike=0.3), OWN_F1),
        (translations(0.0, 0.0), BLEU),
        (translations(0.5, 0.1), BLEU),
        (translations(0.9, 0.3), BLEU),
    ],
)
@pytest.mark.parametrize("n", [20, 50, 100, 400])
def test_ratios_of_ones_own_and_bleu(n: int, draw: Draw, metric: Metric) -> None:
    population = [pair_of(*draw(np.random.default_rng(k), 300_000), metric) for k in range(3)]
    truth = float(np.mean([made.delta for made in population]))
    assert covered(draw, metric, truth, n) >= LEAST
