"""P-values compared with the truth."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import calibration
from betterthan.errors import UsageError
from simulated_labs import labs


def test_calibration_counts_what_it_says() -> None:
    scores, _ = labs(n=800, count=5, each=2, spread=0.15)
    result = calibration(scores, sizes=200, test_sets=4, rng=3)
    assert result.truth == ("population",)
    for one in result.bins["population"]:
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
    assert (result.near["population"].tests, result.near["population"].agreeing) == (near, right)
    assert near > 0
    assert sum(b.tests for b in result.bins["population"]) == total


def test_domains_are_compared_with_each_other() -> None:
    scores, _ = labs(n=400, count=4, each=3)
    labelled = bt.Scores.from_arrays(
        {name: scores.of(name)[:, 0] for name in scores.systems},
        groups={"domain": ["news"] * 200 + ["law"] * 100 + ["code"] * 100},
    )
    result = calibration(labelled, by="domain=news")
    assert result.truth == ("code", "law")
    assert result.size == 200
    for by in ("domain", "domain=mars"):
        with pytest.raises(UsageError) as caught:
            calibration(labelled, by=by)
        values = [remedy.value for remedy in caught.value.remedies]
        assert values == ["domain=code", "domain=law", "domain=news"]


def test_several_sizes() -> None:
    scores, _ = labs(n=200, count=3, each=1)
    result = calibration(scores, sizes=[50, 100], test_sets=2, rng=1)
    assert [one.size for one in result] == [50, 100]
    alone = calibration(scores, sizes=100, test_sets=2, rng=1)
    assert result[1].bins == alone.bins


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"bins": (0.5, 0.1)}, None),
        ({"sizes": 1}, "sizes"),
        ({"test_sets": 0}, "test_sets"),
        ({"band": (0.6, 0.4)}, "band"),
        ({"test": "bootstap"}, "test"),
    ],
)
def test_bad_calibrations_are_errors(options: dict[str, Any], parameter: str | None) -> None:
    scores, _ = labs(n=50, count=2, each=1)
    with pytest.raises(UsageError) as caught:
        calibration(scores, **options)
    assert parameter in {None, *(remedy.parameter for remedy in caught.value.remedies)}


def test_a_calibration_needs_two_systems() -> None:
    with pytest.raises(UsageError):
        calibration(bt.Scores.from_arrays({"a": [1, 0]}))


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
        calibration(world.only(np.arange(n)), sizes=1600, test_sets=8).near["population"]
        for world in worlds
    ]
    assert min(result.tests for result in near) > 50
    share = sum(f.tests * (f.share or 0.0) for f in near) / sum(f.tests for f in near)
    assert 0.8 < share <= 1.0  # 92 % in the paper
    away = calibration(worlds[0], by="domain=home").bins["abroad"]
    agreeing = sum(b.agreeing for b in away if b.high <= 0.08)
    tests = sum(b.tests for b in away if b.high <= 0.08)
    assert agreeing / tests < share - 0.1
