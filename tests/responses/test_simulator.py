"""Algorithm 3 of Wein et al. (2023)."""

import numpy as np
import pytest

from betterthan.responses import Population, simulate
from betterthan.responses.response_laws import Uniform


def test_algorithm_3() -> None:
    made = simulate(items=20_000, responses=4, eps_a=0.2, eps_b=0.0, sd=0.3, rng=1)
    assert made.gold.shape == made.a.shape == made.b.shape == (20_000, 4)
    # Means U[0, 1], sds U[0, .3]: an item's variance is .03 on average, and a response's
    # variance 1/12 + .03, plus .2^2 / 3 where perturbed.
    for block, variance in ((made.gold, 0.11333), (made.b, 0.11333), (made.a, 0.12667)):
        assert block.mean() == pytest.approx(0.5, abs=0.01)
        assert block.var() == pytest.approx(variance, rel=0.03)
        assert block.var(axis=1, ddof=1).mean() == pytest.approx(0.03, rel=0.03)
    # One perturbation an item, shared by its responses, so it stays in the item's mean:
    # .03 / 4 from either side's noise, plus .2^2 / 3.
    apart = made.a.mean(1) - made.gold.mean(1)
    assert apart.var() == pytest.approx(0.03 / 2 + 0.04 / 3, rel=0.03)
    assert np.array_equal(made.gold, simulate(20_000, 4, 0.2, rng=1).gold)
    assert made.scores.systems == ("gold", "a", "b")
    assert made.scores.responses is not None


def test_scores_of_a_simulation_are_its_responses() -> None:
    made = simulate(6, (3, 2, 4), rng=0)
    scores = made.scores
    assert scores.responses is not None
    assert np.array_equal(scores.responses[:, 1, 0, :2], made.a)
    assert np.isnan(scores.responses[:, 1, 0, 2:]).all()


def test_perturbed_means_are_clamped_on_request() -> None:
    wild = Population(eps_a=5.0, clamp=True)
    items = wild.items((1000,), np.random.default_rng(0))
    assert 0 == items.a.min() < items.a.max() == 1
    assert not np.array_equal(items.a, items.gold)
    assert np.array_equal(items.b, items.gold)


def test_minus_zero_is_zero() -> None:
    plus, minus = (Population(eps_a=e, sds=Uniform(0.0, e)) for e in (0.0, -0.0))
    first, second = (p.items((3,), np.random.default_rng(0)) for p in (plus, minus))
    assert np.array_equal(first.a, second.a)
