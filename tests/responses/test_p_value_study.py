"""Estimated against true p-values."""

from dataclasses import replace
from typing import Any

import pytest

from betterthan.errors import UsageError
from betterthan.responses import (
    SAMPLINGS,
    FoldedNormal,
    Likert,
    Population,
    Triangular,
    simulate,
    study,
)


def test_study_of_few_cells() -> None:
    options: dict[str, Any] = {
        "eps": (0.0, 0.3),
        "items": 40,
        "responses": 3,
        "draws": 60,
        "metric": ["mae", "wins_vectorized"],
        "repeats": 2,
        "rng": 5,
    }
    found = study(**options)
    assert len(found.cells) == 2 * (6 + 3)  # vectorised wins need several responses
    assert found == study(**options, workers=3)
    assert {tuple(row) for row in found.to_polars().to_dicts()} == {
        ("eps", "sampling", "metric", "estimated", "true", "error")
    }
    least = found.least_error("metric")
    assert set(least) == {"mae", "wins_vectorized"}
    assert least["mae"][0.3] == min(
        c.error for c in found.cells if (c.metric, c.eps) == ("mae", 0.3)
    )
    assert found.ranking()[0][0] in found.recommendation
    assert [note.remedy and note.remedy.parameter for note in found.notes] == ["repeats"]
    assert replace(found, repeats=20).notes == ()
    assert "least error by sampling" in str(found)


def test_study_of_own_data_uses_them() -> None:
    gold = simulate(50, 4, means=FoldedNormal(), sds=Triangular(), law=Likert(), rng=1).gold
    found = study(gold, eps=(0.3,), metric=["mae"], draws=50, rng=1)
    assert (found.items, found.responses) == (50, 4)
    ragged = [row[: 2 + i % 3] for i, row in enumerate(gold.tolist())]
    mixed = study(ragged, eps=(0.3,), metric=["cosine", "mae"], draws=20, rng=1)
    assert {c.sampling for c in mixed.cells if c.metric == "cosine"} == {
        name for name in SAMPLINGS if "(1)" in name or "first" in name
    }
    with pytest.raises(UsageError, match="no other"):
        study(gold, population=Population())
    with pytest.raises(UsageError, match="at least one"):
        study(eps=())
    with pytest.raises(UsageError, match="by must be"):
        found.least_error("eps")
