"""False alarms on null data."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.design import aa_check
from betterthan.errors import UsageError
from simulated_labs import labs


def test_swapped_systems_are_a_null() -> None:
    scores, _ = labs(n=150, count=2, each=1)
    result = aa_check(scores, simulations=300, rng=1)
    assert result.alarms == int((result.pvalues <= 0.05).sum())
    assert result.low <= result.rate <= result.high
    # The test is exact: at no level are there more alarms than a fair share of them allows.
    for level in (0.01, 0.05, 0.2, 0.5):
        assert (result.pvalues <= level).sum() <= stats.binom.ppf(0.999, 300, level)
    assert (result.pvalues <= 0.5).mean() > 0.25
    # The same null test sets, one by one.
    entropy = np.random.default_rng(1).integers(1 << 32, size=4, dtype=np.uint32).tolist()
    items = zip(*(scores.of(name)[:, 0] for name in scores.systems), strict=True)
    a, b = np.array(sorted(items)).T  # draws are from items in order
    for k, p in enumerate(result.pvalues[:20]):
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(k,)))
        rows, swap = rng.integers(150, size=150), rng.random(150) < 0.5
        left, right = np.where(swap, b[rows], a[rows]), np.where(swap, a[rows], b[rows])
        assert p == bt.permutation_test(left, right).pvalue
    assert "false alarms" in str(result)
    assert aa_check(scores, simulations=50, rng=1).pvalues.tolist() == result.pvalues[:50].tolist()


def test_clusters_are_swapped_whole() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), 8)
    a = np.repeat(rng.integers(0, 2, size=40), 8)
    b = np.repeat(rng.integers(0, 2, size=40), 8)
    scores = bt.Scores.from_arrays({"a": a, "b": b}, clusters=clusters.tolist())
    right = aa_check(scores, simulations=200, rng=0)
    assert right.low < 0.05
    for level in (0.05, 0.2, 0.5):
        assert (right.pvalues <= level).sum() <= stats.binom.ppf(0.999, 200, level)


def test_seeds_of_one_system_are_a_null() -> None:
    rng = np.random.default_rng(3)
    rows = [list(rng.normal(size=rng.integers(2, 5))) for _ in range(80)]
    scores = bt.Scores.from_responses({"a": rows})
    result = aa_check(scores, null="seeds", simulations=200, rng=0)
    assert result.low < 0.05
    assert result.null == "seeds"
    with pytest.raises(UsageError) as caught:
        aa_check(bt.Scores.from_arrays({"a": [1, 0], "b": [0, 0]}), null="seeds")
    assert [remedy.parameter for remedy in caught.value.remedies] == ["columns", "null"]
    single = bt.Scores.from_responses({"a": [[1.0, 2.0], [3.0]]})
    with pytest.raises(UsageError, match="two responses"):
        aa_check(single, null="seeds")


def test_several_tests_and_sizes() -> None:
    scores, _ = labs(n=60, count=2, each=1)
    result = aa_check(scores, test=["permutation", "bootstrap(variant=sign)"], simulations=20)
    assert [one.test for one in result] == ["permutation", "bootstrap(variant=sign)"]
    single = aa_check(scores, simulations=20)
    assert result[0].pvalues.tolist() == single.pvalues.tolist()
    sized = aa_check(scores, test=["sign"], sizes=[20, 40], simulations=20)
    assert [one.n for one in sized] == [20, 40]


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"alpha": 2.0}, None),
        ({"simulations": 0}, "simulations"),
        ({"sizes": 0}, "sizes"),
        ({"null": "swop"}, "null"),
        ({"test": "permutaton"}, "test"),
    ],
)
def test_bad_checks_are_errors(options: dict[str, Any], parameter: str | None) -> None:
    scores = bt.Scores.from_arrays({"a": [1, 0, 1], "b": [0, 0, 1]})
    with pytest.raises(UsageError) as caught:
        aa_check(scores, **options)
    assert parameter in {None, *(remedy.parameter for remedy in caught.value.remedies)}


@pytest.mark.slow
def test_the_published_bootstrap_is_honest_and_the_exact_test_too() -> None:
    scores, _ = labs(n=300, count=2, each=1, seed=4)
    for test in ("permutation", "bootstrap", "t"):
        result = aa_check(scores, test=test, simulations=2000, rng=1)
        assert result.high < 0.075, test
        assert result.low < 0.05, test
