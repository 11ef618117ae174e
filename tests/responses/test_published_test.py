from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import oracles_responses as loops
from betterthan.errors import UsageError
from betterthan.resampling.generator import block_rows
from betterthan.responses import RESPONSE_METRICS, SAMPLINGS, Published, p_value
from betterthan.responses.published_test import overlap_of
from betterthan.responses.resampled_sets import bootstrap_items
from betterthan.responses.strategies import as_strategy
from oracles_responses import Block

rng = np.random.default_rng(20230707)
MEANS = rng.random((9, 1))
GOLD = MEANS + 0.2 * rng.standard_normal((9, 3))
A = MEANS + 0.25 * rng.standard_normal((9, 1)) + 0.2 * rng.standard_normal((9, 3))
B = MEANS + 0.1 * rng.standard_normal((9, 1)) + 0.2 * rng.standard_normal((9, 3))
TRIO = (GOLD, A, B)
EVERY_METRIC = [*RESPONSE_METRICS, "wins(emd_mean)", "wins_vectorized(mse)"]
REDRAWN = [f"{sampling}/redrawn" for sampling in SAMPLINGS]
EVERY_SAMPLING = [*SAMPLINGS, "bootstrap_items/split"]
DRAWS, MANY = 150, 4000


def likert(x: np.ndarray) -> np.ndarray:
    return np.clip(np.round(x * 5), 0, 4) / 5


def agree(metric: str, sampling: str, gold: Block, a: Block, b: Block) -> None:
    """Our p and the loops' differ by at most four standard errors.

    The share of overlapping pairs of M draws varies no more than twice as much as that of M
    independent pairs.
    """
    twin = loops.published_p(metric, gold, a, b, sampling, DRAWS, seed=1)
    p = p_value(
        gold,
        a,
        b,
        metric,
        alternative="greater",
        resamples=MANY,
        rng=2,
        test=Published(sampling=sampling),
    ).pvalue
    variance = sum(2 * (p * (1 - p) + 1 / m) / m for m in (DRAWS, MANY))
    assert p == pytest.approx(twin, abs=4 * variance**0.5)


@pytest.mark.parametrize("sampling", [*EVERY_SAMPLING, "bootstrap_items/sample(2)"])
@pytest.mark.parametrize("metric", EVERY_METRIC)
def test_agrees_with_the_algorithms_written_as_loops(metric: str, sampling: str) -> None:
    agree(metric, sampling, *(x.tolist() for x in TRIO))


@pytest.mark.parametrize("sampling", [*REDRAWN, "bootstrap_items/sample(2)/redrawn"])
@pytest.mark.parametrize("metric", ["mae", "wins_vectorized", "emd_mean", "spearman"])
def test_redrawn_nulls_agree_with_the_loops(metric: str, sampling: str) -> None:
    agree(metric, sampling, *(x.tolist() for x in TRIO))


@pytest.mark.parametrize("sampling", [*EVERY_SAMPLING, *REDRAWN])
@pytest.mark.parametrize("metric", ["mae", "wins", "emd_mean", "spearman", "emd_vectorized"])
def test_ragged_and_tied_responses_agree_with_the_loops(metric: str, sampling: str) -> None:
    steps = (1, 2, 3 if as_strategy(sampling).fair else 2)  # others take as many of a and b
    gold, a, b = (
        [row[: 1 + (i * k) % 3] for i, row in enumerate(likert(x).tolist())]
        for k, x in zip(steps, TRIO, strict=True)
    )
    agree(metric, sampling, gold, a, b)


@pytest.mark.parametrize("sampling", ["all_items/sample(k)", "bootstrap_items/split"])
def test_many_responses_are_drawn_without_a_table(sampling: str) -> None:
    gold, a, b = (np.hstack([x] * 7).tolist() for x in TRIO)  # 21 responses: 21**21 ways
    agree("mae", sampling, gold, a, b)


def test_overlap_of_single_responses_is_that_of_all_equally_likely_draws() -> None:
    gold, a, b = [[0.0, 1.0], [2.0, 2.5]], [[1.0, 3.0], [4.0, 2.0]], [[0.5, 0.0], [3.0, 2.5]]

    def law(x: Block, y: Block) -> list[float]:
        return [
            loops.difference("mae", [[g] for g in gs], [[p] for p in ps], [[q] for q in qs])
            for gs in product(*gold)
            for ps in product(*x)
            for qs in product(*y)
        ]

    pool = [p + q for p, q in zip(a, b, strict=True)]
    exact = loops.overlap(law(pool, pool), law(a, b), "greater")
    found = p_value(
        gold,
        a,
        b,
        alternative="greater",
        resamples=40_000,
        rng=0,
        test=Published(sampling="all_items/sample(1)"),
    )
    assert found.pvalue_low <= exact <= found.pvalue_high


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12),
    st.sampled_from(["greater", "less"]),
)
def test_overlap_in_sorted_order_counts_all_pairs(
    draws: list[tuple[int, int]], side: Literal["greater", "less"]
) -> None:
    null, alternative = np.array(draws, dtype=np.float64).T
    found = overlap_of(null, alternative, side)
    assert found.pairs == round(
        loops.overlap(list(null), list(alternative), side) * len(draws) ** 2
    )
    assert found.low <= found.pvalue <= found.high


def test_the_interval_holds_the_limit() -> None:
    # Null N(0, 1) against alternative N(1, 1): P(null >= alternative) = Phi(-1 / sqrt 2).
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        x, y = generator.standard_normal((2, 60))
        found = overlap_of(x, y + 1, "greater")
        covered += found.low <= 0.2397500610934768 <= found.high
    assert covered >= 290  # 99 % of 300 is 297; 290 or fewer has probability 1e-4


@pytest.mark.parametrize("n", [2, 3, 1000, 1 << 16, (1 << 16) + 1])
def test_bootstrapped_items_are_uniform(n: int) -> None:
    rows = max(1, 60_000 // n)
    items = bootstrap_items(n, rows, np.random.default_rng(n))
    assert items.shape == (rows, n)
    cells = min(n, 50)
    counts = np.bincount(items.ravel() * cells // n, minlength=cells)
    expected = np.bincount(np.arange(n) * cells // n) * rows
    assert stats.chisquare(counts, expected).pvalue > 1e-3
    assert not bootstrap_items(1, 5, np.random.default_rng(0)).any()


def test_taking_all_responses_makes_the_null_difference_zero() -> None:
    found = p_value(*TRIO, test="published", alternative="greater", rng=1)
    assert not found.overlap.null.any()
    wrong_side = np.count_nonzero(found.overlap.alternative <= 0)
    assert found.pvalue == pytest.approx(wrong_side / 10_000, abs=1e-6)
    assert "bootstrap_items/all" in found.signature
    assert p_value(
        *TRIO, rng=1, test=Published(sampling="bootstrap_items/split")
    ).overlap.null.any()


def test_two_sided_is_the_smaller_direction() -> None:
    test = "published(sampling=bootstrap_items/sample(1))"
    args: dict[str, Any] = {"test": test, "resamples": 500, "rng": 1}
    greater, less = (p_value(*TRIO, alternative=x, **args).pvalue for x in ("greater", "less"))
    assert p_value(*TRIO, **args).pvalue == min(greater, less)
    assert greater + less == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("metric", EVERY_METRIC)
@pytest.mark.parametrize("sampling", ["bootstrap_items/all", "bootstrap_items/first_element"])
def test_identical_systems(metric: str, sampling: str) -> None:
    found = p_value(GOLD, A, A, metric, resamples=50, rng=1, test=Published(sampling=sampling))
    assert (found.pvalue, found.delta) == (1.0, 0.0)


def test_the_seed_alone_decides() -> None:
    test = "published(sampling=bootstrap_items/sample(k))"
    args: dict[str, Any] = {"test": test, "resamples": 300}
    one = p_value(*TRIO, rng=11, **args)
    assert one.pvalue == p_value(*TRIO, rng=11, **args).pvalue
    assert one.pvalue != p_value(*TRIO, rng=12, **args).pvalue
    block = block_rows(len(GOLD))  # whole blocks do not depend on how many follow
    long, short = (
        p_value(*TRIO, test="published", rng=11, resamples=k * block).overlap for k in (3, 2)
    )
    assert np.array_equal(long.alternative[: 2 * block], short.alternative)


def test_no_overlap_is_not_zero() -> None:
    far = p_value(
        GOLD, GOLD + 50, GOLD, resamples=1000, rng=1, test=Published(sampling="all_items/sample(1)")
    )
    assert 0 < far.pvalue <= 1e-6
    assert far.pvalue_high == pytest.approx(1 - 0.005 ** (1 / 1000))
    assert any("no pair" in note for note in far.notes)


@pytest.mark.parametrize(
    "spelling",
    ["all_items/all", "sample(1)", "bootstrap_items/sample", "x/y", "all_items/sample(0)"],
)
def test_unknown_strategies(spelling: str) -> None:
    with pytest.raises(UsageError):
        as_strategy(spelling)


@pytest.mark.parametrize("spelling", [*EVERY_SAMPLING, *REDRAWN, "all_items/sample(12)"])
def test_strategies_print_as_they_are_spelled(spelling: str) -> None:
    assert str(as_strategy(spelling)) == spelling
