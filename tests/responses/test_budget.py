"""How to spend a number of responses."""

import math

import numpy as np
import pytest

from betterthan.errors import UsageError
from betterthan.responses import (
    Population,
    Uniform,
    p_value,
    simulate,
    split_budget,
)


@pytest.mark.slow
def test_budget_split_predicts_the_power_of_the_calibrated_test() -> None:
    population = Population(eps_a=0.1)
    for split in split_budget(population, 400, responses=(2, 5), rng=1):
        hits = sum(
            p_value(*made.trio).pvalue <= 0.05
            for made in (
                simulate(split.items, split.responses, rng=np.random.default_rng([3, i]))
                for i in range(600)
            )
        )
        error = math.sqrt(split.power * (1 - split.power) / 600)
        assert split.power == pytest.approx(hits / 600, abs=4 * error)


def test_budget_split_needs_a_mean_over_items() -> None:
    with pytest.raises(UsageError, match="not a mean"):
        split_budget(Population(), 100, metric="spearman")
    equal = split_budget(Population(eps_a=0.0), 400, metric="wins", simulated=20_000, rng=0)
    assert all(split.power < 0.06 for split in equal)
    constant = split_budget(Population(eps_a=0.0, sds=Uniform(0.0, 0.0)), 400, simulated=100, rng=0)
    assert constant[0].power == pytest.approx(0.05)
