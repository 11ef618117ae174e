"""Do 95 % intervals cover 95 %? Simulated leaderboards with known strengths.

Ten systems on 500 items whose difficulty they share, so that comparisons on an item are dependent.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from betterthan.data.scores import Scores
from betterthan.ranking import prepare
from betterthan.ranking.aggregate import aggregate
from calibrate.cell import Cell
from calibrate.table import WHAT, cells

SYSTEMS, ITEMS, REPEATS = 10, 500, 400
BOARDS = [cell for cell in cells() if cell.what == "ranks"]


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
    "method", ["bradley-terry", "bradley-terry(interval=sandwich)", "mean", "median"]
)
def test_intervals_cover(method: str) -> None:
    means = np.linspace(0, 0.45, SYSTEMS)
    truth = true_log_strengths(means) if method.startswith("bradley-terry") else means
    rng = np.random.default_rng(2021)
    covered = []
    for _ in range(REPEATS):
        made = aggregate(prepare(draw(means, rng)), method, rng=rng)
        at = np.array([int(name) for name in made.names])
        covered.append(((made.low <= truth[at]) & (truth[at] <= made.high)).mean())
    print(f"{method}: {np.mean(covered):.3f}")
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", BOARDS, ids=lambda x: f"{x.method}-{x.world}-{x.items}-{x.systems}"
)
def test_rank_sets_hold_together(cell: Cell) -> None:
    """At least 93 % in every cell, but for chance in one run of the grid in a thousand."""
    times = 40 if cell.systems > 10 else 200
    rng = np.random.default_rng(5)
    held = sum(bool(WHAT["ranks"](cell, rng)[f"joint ranks/{cell.method}"]) for _ in range(times))
    print(f"{cell} | {held / times:.3f}")
    assert held >= binom.ppf(0.001 / len(BOARDS), times, 0.93)
