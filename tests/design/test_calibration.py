"""P-values held against the truth."""

from itertools import combinations

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from simulated_labs import labs


def test_calibration_counts_what_it_says() -> None:
    scores, _ = labs(n=800, count=5, each=2, spread=0.15)
    found = bt.calibration(scores, size=200, test_sets=4, rng=3)
    assert found.truth == ("population",)
    for one in found.bins["population"]:
        assert 0 <= one.agreeing <= one.tests
        assert one.interval[0] <= (one.share or 0.0) <= one.interval[1] or not one.tests
    # The same count, pair by pair, from the same draws.
    rng = np.random.default_rng(3)
    values = {name: scores.of(name)[:, 0] for name in sorted(scores.systems)}
    ordered = sorted(zip(*values.values(), strict=True))  # draws are from items in order
    values = dict(zip(values, np.array(ordered).T, strict=True))
    near = right = total = 0
    for _ in range(4):
        rows = rng.integers(800, size=200)
        for a, b in combinations(values, 2):
            drawn, true = (
                values[b][at].mean() - values[a][at].mean() for at in (rows, slice(None))
            )
            better, worse = (b, a) if drawn > 0 else (a, b)
            p = bt.bootstrap_test(
                values[worse][rows], values[better][rows], alternative="greater"
            ).pvalue
            total += drawn * true != 0
            if 0.04 <= p <= 0.06 and drawn * true != 0:
                near += 1
                right += int(drawn * true > 0)
    assert (found.near["population"].tests, found.near["population"].agreeing) == (near, right)
    assert near > 0
    assert sum(b.tests for b in found.bins["population"]) == total


def test_domains_are_held_against_each_other() -> None:
    scores, _ = labs(n=400, count=4, each=3)
    labelled = bt.Scores.from_arrays(
        {name: scores.of(name)[:, 0] for name in scores.systems},
        groups={"domain": ["news"] * 200 + ["law"] * 100 + ["code"] * 100},
    )
    found = bt.calibration(labelled, by="domain", on="news")
    assert found.truth == ("code", "law")
    assert found.size == 200
    with pytest.raises(UsageError, match="on names the domain"):
        bt.calibration(labelled, by="domain", on="mars")
    with pytest.raises(UsageError, match="borders"):
        bt.calibration(labelled, bins=(0.5, 0.1))
    with pytest.raises(UsageError, match="two systems"):
        bt.calibration(bt.Scores.from_arrays({"a": [1, 0]}))
    with pytest.raises(UsageError, match="at least two items"):
        bt.calibration(labelled, size=1)


def _home_and_abroad(seed: int, n: int, count: int) -> bt.Scores:
    """Systems whose skills abroad have nothing to do with those at home."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(0.0, 0.03, size=(2, count))
    item = rng.normal(size=2 * n)
    arrays = {
        f"s{k}": (item + rng.normal(size=2 * n) + np.repeat(skills[:, k], n) > 0).astype(int)
        for k in range(count)
    }
    return bt.Scores.from_arrays(arrays, groups={"domain": ["home"] * n + ["abroad"] * n})


@pytest.mark.slow
def test_calibration_is_near_nominal_at_home_and_decays_abroad() -> None:
    """Pairs of 24 systems share their systems, so that one world says little: four are pooled."""
    n = 6000
    worlds = [_home_and_abroad(seed, n, 24) for seed in range(5, 9)]
    near = [
        bt.calibration(world.only(np.arange(n)), size=1600, test_sets=8).near["population"]
        for world in worlds
    ]
    assert min(found.tests for found in near) > 50
    share = sum(f.tests * (f.share or 0.0) for f in near) / sum(f.tests for f in near)
    assert 0.8 < share <= 1.0  # 92 % in the paper
    away = bt.calibration(worlds[0], by="domain", on="home").bins["abroad"]
    agreeing = sum(b.agreeing for b in away if b.high <= 0.08)
    tests = sum(b.tests for b in away if b.high <= 0.08)
    assert agreeing / tests < share - 0.1
