"""The calibrated test swaps whole items; the sharp one exchanges single responses."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_responses as loops
from betterthan.errors import UsageError
from betterthan.numeric import Alternative
from betterthan.responses import (
    RESPONSE_METRICS,
    Published,
    item_metric,
    p_value,
    simulate,
    whole_metric,
)
from betterthan.testing.classic import t_test
from betterthan.testing.permutation import permutation_test
from oracles import enumerate_pvalue

SIDES: list[Alternative] = ["two-sided", "greater", "less"]
EVERY_METRIC = [*RESPONSE_METRICS, "wins(emd_mean)", "wins_vectorized(mse)"]
# Dyadic responses have exact float means for one, two and four responses.
DYADIC = st.integers(0, 8).map(lambda x: x / 8)


def blocks(n: int, k: int) -> st.SearchStrategy[list[list[list[float]]]]:
    item = st.lists(DYADIC, min_size=k, max_size=k)
    return st.lists(st.lists(item, min_size=n, max_size=n), min_size=3, max_size=3)


@pytest.mark.parametrize("metric", EVERY_METRIC)
@settings(max_examples=12, deadline=None)
@given(data=blocks(4, 2), side=st.sampled_from(SIDES))
def test_swaps_whole_items(metric: str, data: list[Any], side: Alternative) -> None:
    gold, a, b = data

    def delta(x: Any, y: Any) -> Fraction:
        # Rounded so that equal values are equal: the statistics have few digits.
        return Fraction(round(loops.difference(metric, gold, x, y), 10))

    expected = enumerate_pvalue(a, b, delta, side)
    assert p_value(gold, a, b, metric, alternative=side).pvalue == pytest.approx(float(expected))


@pytest.mark.parametrize("metric", ["emd_aggregated", "emd_vectorized", "spearman", "cosine"])
def test_sampled_swaps_agree_with_enumeration(metric: str) -> None:
    made = simulate(12, 3, eps_a=0.6, rng=3)
    gold, a, b = made.gold.tolist(), made.a.tolist(), made.b.tolist()
    rng = np.random.default_rng(1)
    swaps = [tuple(row) for row in rng.integers(0, 2, (600, 12)).astype(bool)]
    observed = abs(loops.difference(metric, gold, a, b))
    hits = 0
    for swap in swaps:
        u = [y if s else x for x, y, s in zip(a, b, swap, strict=True)]
        v = [x if s else y for x, y, s in zip(a, b, swap, strict=True)]
        hits += abs(loops.difference(metric, gold, u, v)) >= observed - 1e-12
    p = p_value(gold, a, b, metric).pvalue
    assert p == pytest.approx(hits / 600, abs=4 * (p * (1 - p) / 600) ** 0.5 + 1e-3)


def test_more_items_than_can_be_enumerated_are_sampled() -> None:
    made = simulate(14, 3, eps_a=0.6, rng=3)
    found = p_value(made.gold, made.a, made.b, "spearman", rng=5)
    assert (found.kind, found.resamples) == ("sampled", 10_000)
    assert found.pvalue == p_value(made.gold, made.a, made.b, "spearman", rng=5).pvalue
    metric = RESPONSE_METRICS["spearman"]
    own = whole_metric(lambda x, g: float(metric.function(x, g)), lower_is_better=False, name="rho")
    few: dict[str, Any] = {"resamples": 500, "rng": 5}
    ordered = made.trio.at(made.trio.ordered())  # as items of functions given are not
    looped, at_once = (p_value(*ordered, x, **few) for x in (own, "spearman"))
    assert looped.pvalue == at_once.pvalue


@pytest.mark.parametrize("metric", ["mae", "cosine", "spearman", "emd_vectorized"])
def test_clusters_are_swapped_whole(metric: str) -> None:
    made = simulate(7, 2, eps_a=0.8, rng=4)
    gold, a, b = made.gold.tolist(), made.a.tolist(), made.b.tolist()
    labels = ["x", "y", "x", "z", "z", "w", "v"]
    observed = abs(loops.difference(metric, gold, a, b))
    hits = 0
    for coins in product((False, True), repeat=5):
        swap = dict(zip("xyzwv", coins, strict=True))
        u = [y if swap[c] else x for x, y, c in zip(a, b, labels, strict=True)]
        v = [x if swap[c] else y for x, y, c in zip(a, b, labels, strict=True)]
        hits += abs(loops.difference(metric, gold, u, v)) >= observed - 1e-12
    found = p_value(gold, a, b, metric, clusters=labels)
    assert found.pvalue == pytest.approx(hits / 32)
    assert found.clusters == 5
    with pytest.raises(UsageError, match="clusters"):
        p_value(gold, a, b, metric, clusters=labels, test="published")


def test_additive_metrics_are_exact_or_certified() -> None:
    made = simulate(300, rng=0)
    assert p_value(made.gold, made.a, made.b, "wins").kind == "exact"
    assert p_value(made.gold, made.a, made.b, "mae").kind == "certified"
    losses = [np.abs(x.mean(1) - made.gold.mean(1)) for x in (made.a, made.b)]
    direct = permutation_test(-losses[0], -losses[1])
    found = p_value(made.gold, made.a, made.b, "mae")
    assert found.pvalue == pytest.approx(direct.pvalue, rel=2e-3)
    assert found.delta == pytest.approx(direct.delta)


def test_likert_means_tie_in_spite_of_rounding() -> None:
    # Losses of .2 - .0 and of .6 - .4 are equal; floats disagree in the last digit.
    gold = [[0.0, 0.4], [0.6, 0.2], [0.2, 0.0], [0.8, 0.0]]
    a = [[0.4, 0.4], [0.2, 0.2], [0.3, 0.3], [0.6, 0.6]]
    b = [[0.0, 0.0], [0.6, 0.6], [-0.1, -0.1], [0.2, 0.2]]
    assert p_value(gold, a, b, "wins").delta == 0.0
    assert p_value(gold, a, b, "mae").pvalue == 1.0
    # 0.1 + 0.2 and 0.3 + 0.0 are one mean, so these ranks are tied.
    x = [[0.1, 0.2], [0.3, 0.0], [0.5, 0.5]]
    y = [[0.3, 0.0], [0.1, 0.2], [0.5, 0.5]]
    assert p_value([[1], [2], [3]], x, y, "spearman").delta == 0.0


UNPAIRED = [name for name in RESPONSE_METRICS if name not in ("cosine", "wins_vectorized")]


@pytest.mark.parametrize("how", [{}, {"test": "sharp"}, {"test": "published"}])
@pytest.mark.parametrize("metric", UNPAIRED)
@pytest.mark.parametrize("gold", [[0.5, 0.5, 0.5], [0.2, 0.1, 0.3]])
def test_the_order_of_responses_is_no_evidence(
    metric: str, gold: list[float], how: dict[str, Any]
) -> None:
    # (.1 + .2) + .3 and (.3 + .2) + .1 differ in the last digit, on every item the same way.
    made = p_value([gold] * 20, [[0.1, 0.2, 0.3]] * 20, [[0.3, 0.2, 0.1]] * 20, metric, **how)
    assert (made.pvalue, made.delta) == (1.0, 0.0)


SINGLE = "published(sampling=all_items/sample(1))"


@pytest.mark.parametrize("how", [{}, {"test": "sharp"}, {"test": SINGLE}, {"test": "published"}])
@pytest.mark.parametrize("metric", ["mae", "mse", "emd_mean", "wins", "emd_aggregated"])
def test_equal_losses_tie_in_spite_of_rounding(metric: str, how: dict[str, Any]) -> None:
    # .3 is as far from .2 as from .4, but not in floating point.
    made = p_value([0.3] * 20, [0.2] * 20, [0.4] * 20, metric, **how)
    assert (made.pvalue, made.delta) == (1.0, 0.0)


def test_rounding_in_a_metric_of_ones_own_is_no_evidence() -> None:
    own = item_metric(lambda x, y: np.abs(x.mean(-1) - y.mean(-1)), lower_is_better=True, name="d")
    assert p_value([0.3] * 20, [0.2] * 20, [0.4] * 20, own).pvalue == 1.0


@pytest.mark.parametrize("metric", EVERY_METRIC)
@pytest.mark.parametrize("test", ["calibrated", "sharp"])
def test_identical_systems_give_one(metric: str, test: Any) -> None:
    made = simulate(20, 3, rng=0)
    found = p_value(made.gold, made.a, made.a, metric, test=test, resamples=99, rng=1)
    assert found.delta == 0.0
    assert found.pvalue == 1.0


@pytest.mark.parametrize("metric", ["mae", "wins", "emd_mean", "spearman", "cosine"])
@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 1, 2)])
def test_sharp_null_deals_responses_within_items(metric: str, sizes: tuple[int, int, int]) -> None:
    made = simulate(3, sizes, eps_a=0.8, rng=8)
    gold, a, b = made.gold.tolist(), made.a.tolist(), made.b.tolist()
    if metric == "cosine" and sizes[1] != 2:
        return
    observed = loops.difference(metric, gold, a, b)
    pools = [x + y for x, y in zip(a, b, strict=True)]
    hands = list(combinations(range(len(pools[0])), len(a[0])))
    hits = total = 0
    for deal in product(hands, repeat=3):
        x = [[pool[j] for j in hand] for pool, hand in zip(pools, deal, strict=True)]
        y = [
            [v for j, v in enumerate(pool) if j not in hand]
            for pool, hand in zip(pools, deal, strict=True)
        ]
        hits += loops.difference(metric, gold, x, y) >= observed - 1e-12
        total += 1
    found = p_value(gold, a, b, metric, test="sharp", alternative="greater", rng=1)
    assert found.pvalue_low <= hits / total <= found.pvalue_high
    assert "same on every item" in found.reason


TESTS = (
    "calibrated",
    "t-test of item means",
    "pooled items x repeats",
    "sharp",
    "published, bootstrap_items/all",
    "published, bootstrap_items/sample(k)",
)


def rejections(sets: int, eps: tuple[float, float], seed: int) -> dict[str, float]:
    """Share of simulated test sets (100 items, 8 responses) on which tests reject at 5 %."""
    p = np.empty((sets, len(TESTS)))
    for i in range(sets):
        made = simulate(100, 8, eps_a=eps[0], eps_b=eps[1], rng=np.random.default_rng([seed, i]))
        gold, a, b = made.gold, made.a, made.b
        loss_a, loss_b = (np.abs(x.mean(1) - gold.mean(1)) for x in (a, b))
        single_a, single_b = (np.abs(x - gold.mean(1, keepdims=True)).ravel() for x in (a, b))
        p[i] = [
            p_value(gold, a, b).pvalue,
            t_test(-loss_a, -loss_b).pvalue,
            t_test(-single_a, -single_b).pvalue,
            p_value(gold, a, b, test="sharp", resamples=199, rng=i).pvalue,
            *(
                p_value(
                    gold, a, b, resamples=500, rng=i, test=Published(sampling=name.split(", ")[1])
                ).pvalue
                for name in TESTS[4:]
            ),
        ]
    return dict(zip(TESTS, (p <= 0.05).mean(axis=0).tolist(), strict=True))


@pytest.mark.slow
def test_type_one_error_and_power() -> None:
    """The table of docs/responses.md; rates may be off by three standard errors."""
    sets = 2000
    margin = 3 * (0.05 * 0.95 / sets) ** 0.5
    equal, same, better = (
        rejections(sets, eps, seed)
        for seed, eps in enumerate(((0.5, 0.5), (0.0, 0.0), (0.1, 0.0)), start=1)
    )
    for name in TESTS:
        print(f"| {name:<38} | {equal[name]:>6.1%} | {same[name]:>6.1%} | {better[name]:>6.1%} |")
    assert equal["calibrated"] == pytest.approx(0.05, abs=margin)
    assert same["calibrated"] == pytest.approx(0.05, abs=margin)
    assert better["calibrated"] == pytest.approx(better["t-test of item means"], abs=0.02)
    assert better["calibrated"] > 0.7
    # What is wrong with the others, as the page says.
    assert equal["pooled items x repeats"] > 0.25
    assert equal["sharp"] > 0.25
    assert same["sharp"] == pytest.approx(0.05, abs=margin)
    assert same["published, bootstrap_items/all"] > 0.08
    assert same["published, bootstrap_items/sample(k)"] < 0.03
