"""Better than Average: the exhibits that are made in seconds, and the grid of its simulation."""

import numpy as np
import pytest

from betterthan.papers import reproduce
from betterthan.papers.average_setups import Setup, grid, means_with_errors, simulated


def test_the_grid_is_the_papers() -> None:
    """Appendix A.2: 4 x 3 x 6 x 4 = 288 choices, ten data sets each."""
    choices = list(grid())
    assert len(choices) == len(set(choices)) == 288


def test_a_setup_is_drawn_as_it_says() -> None:
    made = simulated(Setup(3, 0.025, 30, 5, "released"), np.random.default_rng(0))
    assert made.scores.values.shape == (30, 5, 1)
    assert made.strengths.sum() == pytest.approx(10.0)


def test_error_bars_cover_the_mean_and_leave_out_what_is_not_there() -> None:
    mean, low, high = means_with_errors(np.array([0.0, 1.0, np.nan, 1.0]))
    assert mean == pytest.approx(2 / 3)
    assert low <= mean <= high


@pytest.mark.parametrize("exhibit", ["Figure 1", "Figure 2", "Appendix F"])
def test_what_is_told_of_the_examples_holds(exhibit: str) -> None:
    found = reproduce("average-2021", [exhibit], quick=True)
    assert found.holds, str(found)
