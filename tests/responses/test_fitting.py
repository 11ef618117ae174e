"""Populations fitted to gold responses."""

from typing import Any

import numpy as np
import pytest

from betterthan.errors import DataError, UsageError
from betterthan.responses import (
    Categorical,
    FoldedNormal,
    Likert,
    Normal,
    Population,
    Triangular,
    Uniform,
    fit,
    simulate,
)
from betterthan.responses.budget import split_budget
from betterthan.responses.simulator import draw_test_set


def test_fit_finds_the_laws_that_made_the_data() -> None:
    law = FoldedNormal(0.45, 0.12, 0.8)
    made = simulate(8000, 60, means=law, sds=Triangular(0.0, 0.02, 0.09), rng=2)
    found = fit(np.clip(made.gold, 0, 1))
    assert found.means.error < 0.003
    assert found.sds.error < 0.006
    assert found.means.observed.sum() == pytest.approx(1)
    assert found.means.expected.sum() == pytest.approx(1)
    assert found.response == Normal()
    edges = found.means.edges
    assert found.means.law.cdf(edges) == pytest.approx(law.cdf(edges), abs=0.02)


@pytest.mark.parametrize(
    ("law", "found"),
    [
        (Likert(5), Likert(5, nearest=True)),
        (Likert(5, closed=True), Likert(5, nearest=True, closed=True)),  # (rating - 1) / 4
        (Likert(4, nearest=True, closed=True), Likert(4, nearest=True, closed=True)),
        (Categorical(2), Categorical(2)),
        (Normal(), Normal()),
    ],
)
def test_fit_knows_the_levels_of_ratings(law: Any, found: Any) -> None:
    made = simulate(400, 5, law=law, rng=1)
    gold = np.clip(made.gold, 0.0, 1.0) if law == Normal() else made.gold
    fitted = fit(gold)
    assert fitted.response == found
    again = draw_test_set(fitted.population(eps_a=0.0), 400, 5, rng=2)
    if law != Normal():
        assert set(np.unique(again.gold)) <= set(np.unique(gold))
    assert again.gold.mean() == pytest.approx(gold.mean(), abs=0.05)


@pytest.mark.parametrize(
    "population",
    [
        Population(eps_a=0.1),
        Population(eps_a=0.1, sds=Uniform(0.1, 0.5), response=Likert(5, nearest=True, closed=True)),
    ],
)
def test_latent_spreads_are_recovered(population: Population) -> None:
    """Five responses scatter: the law of their deviations is not that of the items' own.

    Drawn again, data look like those that were fitted, and what a budget buys is what it would buy
    where they came from.
    """
    gold = np.clip(draw_test_set(population, 1500, 5, rng=1).gold, 0.0, 1.0)
    fitted = fit(gold).population(population.eps_a)
    again = np.clip(draw_test_set(fitted, 20_000, 5, rng=2).gold, 0.0, 1.0)
    assert again.mean() == pytest.approx(gold.mean(), abs=0.02)
    assert again.mean(axis=1).std() == pytest.approx(gold.mean(axis=1).std(), rel=0.05)
    within = [x.std(axis=1, ddof=1).mean() for x in (again, gold)]
    assert within[0] == pytest.approx(within[1], rel=0.05)
    bought, true = (
        {s.responses: s.power for s in split_budget(p, 1500, simulated=100_000, rng=0)}
        for p in (fitted, population)
    )
    assert all(abs(bought[k] - true[k]) < 0.12 for k in true), (bought, true)


def test_simulated_gold_responses_are_fitted_as_they_are() -> None:
    """A normal law has responses beyond [0, 1]: they count, and are drawn again."""
    gold = simulate(1500, rng=3).gold
    assert gold.min() < 0.0
    assert gold.max() > 1.0
    fitted = fit(gold)
    assert fitted.response == Normal()
    again = draw_test_set(fitted.population(), 20_000, 5, rng=4).gold
    spreads = [np.std(x, axis=1, ddof=1).mean() for x in (again, gold)]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.05)
    assert np.quantile(again, [0.05, 0.95]) == pytest.approx(
        np.quantile(gold, [0.05, 0.95]), abs=0.05
    )


def test_fit_says_what_it_needs() -> None:
    with pytest.raises(DataError, match=r"scale them to \[0, 1\]"):
        fit([[1, 5], [2, 3]])
    with pytest.raises(DataError, match="one response per item"):
        fit([[0.1], [0.3]])
    with pytest.raises(UsageError, match="bins"):
        fit([[0.1, 0.2], [0.3, 0.2]], bins=1)
    assert fit([[0.25, 0.5], [0.75, 0.0]]).response == Likert(4, nearest=True)
    assert fit([[0.5, 0.25], [0.5]]).population(0.2).eps_a == 0.2
