"""How often gates pass a candidate exactly as bad as the margin: no more often than alpha."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from betterthan.data.pairing import pair_of
from betterthan.intervals.margins import margin_tests
from betterthan.metrics import F1, Metric, mean
from betterthan.numeric import Numbers
from simulated_sentences import sentences

pytestmark = pytest.mark.slow

Draw = Callable[[np.random.Generator, int], tuple[Numbers, Numbers]]
ALPHA, REPLICATES, POPULATION = 0.05, 400, 1_000_000
MOST = ALPHA + 3.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / REPLICATES)


def spoiled(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    return sentences(rng, n, lost=0.02)


def ratings(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Ratings 1 to 5: most are equal, and one in fifty drops to 1."""
    base = rng.choice([3, 4, 5], n, p=[0.2, 0.4, 0.4])
    new = np.clip(base + rng.choice([-1, 0, 1], n, p=[0.05, 0.9, 0.05]), 1, 5)
    return base, np.where(rng.random(n) < 0.02, 1, new)


def seconds(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Latencies up to a timeout of 30: one in fifty becomes several times as long."""
    base = np.minimum(rng.lognormal(0.0, 0.5, n), 30.0)
    slow = np.minimum(base * rng.lognormal(1.5, 1.0, n), 30.0)
    usual = np.minimum(base * rng.uniform(0.97, 1.03, n), 30.0)
    return base, np.where(rng.random(n) < 0.02, slow, usual)


def shares(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """Scores between 0 and 1, all different; one in a thousand is lost."""
    base = rng.beta(8.0, 2.0, n)
    new = np.clip(base + rng.normal(0.0, 0.01, n), 0.0, 1.0)
    return base, np.where(rng.random(n) < 0.001, 0.0, new)


def answers(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers]:
    """0/1 scores in documents of five."""
    chance = np.repeat(rng.beta(8.0, 2.0, n // 5), 5)
    base = (rng.random(n) < chance).astype(np.int64)
    return base, np.where(rng.random(n) < 0.9, base, rng.random(n) < chance - 0.2)


@pytest.mark.parametrize(
    ("draw", "metric", "bounds", "cluster", "sizes"),
    [
        (sentences, F1, None, 1, (50, 400)),
        (spoiled, F1, None, 1, (50, 400)),
        (ratings, mean(), (1.0, 5.0), 1, (50, 100, 400)),
        (seconds, mean(lower_is_better=True), (0.0, 30.0), 1, (30, 100, 300)),
        (shares, mean(), None, 1, (3000,)),
        (answers, mean(), None, 5, (250, 1000, 4000)),
    ],
)
def test_false_passes_at_the_boundary(
    draw: Draw,
    metric: Metric,
    bounds: tuple[float, float] | None,
    cluster: int,
    sizes: tuple[int, ...],
) -> None:
    margin = -pair_of(*draw(np.random.default_rng(0), POPULATION), metric).delta
    assert margin > 0.0
    for n in sizes:
        rng = np.random.default_rng(n)
        clusters = None if cluster == 1 else np.arange(n) // cluster
        passed = 0
        for _ in range(REPLICATES):
            made = pair_of(*draw(rng, n), metric, clusters)
            passed += margin_tests(made, bounds=bounds)[0].above(-margin) <= ALPHA
        assert passed / REPLICATES <= MOST, n


def test_equal_systems_pass_with_enough_units() -> None:
    """A gate that never passes is of no use."""
    rng = np.random.default_rng(5)
    passed = 0
    for _ in range(50):
        base = (rng.random(1500) < np.repeat(rng.beta(8, 2, 300), 5)).astype(np.int64)
        new = np.where(rng.random(1500) < 0.95, base, rng.random(1500) < 0.8)
        made = pair_of(base, new, mean(), np.arange(1500) // 5)
        passed += margin_tests(made)[0].above(-0.05) <= ALPHA
    assert passed > 40
    rng, passed = np.random.default_rng(6), 0
    for _ in range(50):
        made = pair_of(*sentences(rng, 800, found=(0.9, 0.9)), F1)
        passed += margin_tests(made)[0].above(-0.05) <= ALPHA
    assert passed > 40
