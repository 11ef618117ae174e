"""A board compares all pairs: too many systems are refused before anything is started."""

from importlib import import_module

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import UsageError


def test_more_systems_than_pairs_can_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_SYSTEMS", 4)
    values = np.random.default_rng(0).integers(0, 2, (30, 5))
    scores = bt.Scores.from_arrays({f"s{k}": x for k, x in enumerate(values.T)})
    with pytest.raises(UsageError, match=r"5 systems make 10 pairs.*compare_many"):
        bt.leaderboard(scores)
    with pytest.raises(UsageError, match="rank the 4 best"):
        bt.rank(scores, "mean")
    found = bt.compare_many(scores, "s0")
    assert len(found.comparisons) == 4
