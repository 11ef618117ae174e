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
    Triangular,
    fit_population,
    simulate,
)
from betterthan.responses.simulator import draw_test_set


def test_fit_finds_the_laws_that_made_the_data() -> None:
    law = FoldedNormal(0.45, 0.12, 0.8)
    made = simulate(8000, 60, means=law, sds=Triangular(0.0, 0.02, 0.09), rng=2)
    found = fit_population(np.clip(made.gold, 0, 1))
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
    made = simulate(400, 5, response=law, rng=1)
    gold = np.clip(made.gold, 0.0, 1.0) if law == Normal() else made.gold
    fitted = fit_population(gold)
    assert fitted.response == found
    again = draw_test_set(fitted.population(eps_a=0.0), 400, 5, rng=2)
    if law != Normal():
        assert set(np.unique(again.gold)) <= set(np.unique(gold))
    assert again.gold.mean() == pytest.approx(gold.mean(), abs=0.05)


def test_fit_says_what_it_needs() -> None:
    with pytest.raises(DataError, match=r"scale them to \[0, 1\]"):
        fit_population([[1, 5], [2, 3]])
    with pytest.raises(DataError, match="one response per item"):
        fit_population([[0.1], [0.3]])
    with pytest.raises(UsageError, match="bins"):
        fit_population([[0.1, 0.2], [0.3, 0.2]], bins=1)
    assert fit_population([[0.25, 0.5], [0.75, 0.0]]).response == Likert(4, nearest=True)
    assert fit_population([[0.5, 0.25], [0.5]]).population(0.2).eps_a == 0.2
