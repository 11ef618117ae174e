"""Do 95 % intervals cover 95 %? Simulated leaderboards with known strengths.

Ten systems on 500 items whose difficulty they share, so that comparisons on an item are dependent.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from betterthan.data import Scores
from betterthan.ranking import rank

SYSTEMS, ITEMS, STUDIES = 10, 500, 400


def true_log_strengths(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """What Bradley-Terry tends to with ever more items, by the MM iteration on probabilities."""
    chance = norm.cdf((means[:, None] - means) / np.sqrt(2))
    np.fill_diagonal(chance, 0)
    strengths = np.full(len(means), 1 / len(means))
    for _ in range(2000):
        met = (chance + chance.T) / (strengths[:, None] + strengths)
        strengths = chance.sum(axis=1) / met.sum(axis=1)
        strengths /= strengths.sum()
    logs = np.log(strengths)
    return np.asarray(logs - logs.mean())


def draw(means: NDArray[np.float64], rng: np.random.Generator) -> Scores:
    values = rng.normal(size=(ITEMS, 1)) + means + rng.normal(size=(ITEMS, SYSTEMS))
    return Scores.from_arrays({str(k): values[:, k] for k in range(SYSTEMS)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "interval"),
    [
        ("bradley-terry", "resample"),
        ("bradley-terry", "sandwich"),
        ("mean", "resample"),
        ("median", "resample"),
    ],
)
def test_intervals_cover(method: str, interval: str) -> None:
    means = np.linspace(0, 0.45, SYSTEMS)
    truth = true_log_strengths(means) if method == "bradley-terry" else means
    rng = np.random.default_rng(2021)
    covered, ranks_covered = [], []
    for _ in range(STUDIES):
        made = rank(draw(means, rng), method, interval=interval, rng=rng)  # type: ignore[arg-type]
        at = np.array([int(name) for name in made.names])
        covered.append(((made.low <= truth[at]) & (truth[at] <= made.high)).mean())
        true_rank = SYSTEMS - at
        inside = (made.rank_low <= true_rank) & (true_rank <= made.rank_high)
        ranks_covered.append(inside.all())
    print(f"{method} {interval}: {np.mean(covered):.3f}, rank sets {np.mean(ranks_covered):.3f}")
    assert 0.93 <= np.mean(covered) <= 0.97
    assert np.mean(ranks_covered) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bradley-terry", "mean"])
def test_equal_systems_are_rarely_separated(method: str) -> None:
    """The hardest case for rank sets: everybody shares the first rank."""
    rng = np.random.default_rng(2024)
    together = []
    for _ in range(STUDIES):
        made = rank(draw(np.zeros(SYSTEMS), rng), method, rng=rng)  # type: ignore[arg-type]
        together.append(bool((made.rank_low == 1).all()))
    print(f"{method}: {np.mean(together):.3f}")
    assert np.mean(together) >= 0.93
