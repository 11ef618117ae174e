"""Options that are numbers: what is none is refused in our words, wherever it is given."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Pilot
from betterthan.errors import UsageError

RNG = np.random.default_rng(8)
A = RNG.integers(0, 2, 20)
B = RNG.integers(0, 2, 20)
SCORES = bt.Scores.from_arrays({"a": A, "b": B})
REAL = bt.Scores.from_arrays({"a": RNG.random(20), "b": RNG.random(20)})

LEVELS: list[Callable[[Any], Any]] = [
    lambda x: bt.compare(SCORES, alpha=x),
    lambda x: bt.compare_many(SCORES, alpha=x),
    lambda x: bt.permutation_test(A, B, alpha=x),
    lambda x: bt.bootstrap_test(A, B, alpha=x),
    lambda x: bt.bootstrap_interval(A, B, alpha=x),
    lambda x: bt.score(SCORES, alpha=x),
    lambda x: bt.gate(SCORES, margin=0.02, alpha=x),
    lambda x: bt.rank(SCORES, alpha=x),
    lambda x: bt.power(Pilot(SCORES), items=100, effect=0.05, alpha=x),
    lambda x: bt.design.aa_check(SCORES, simulations=5, alpha=x),
    lambda x: bt.exact.shift_interval([1, 2, 3], confidence=x),
    lambda x: bt.exact.walsh_interval([1, 2, 3], confidence=x),
]
WRONG = ["0.05", None, [0.05], Decimal("0.05"), Fraction(1, 20), np.array([0.05]), 0, 1, 2.0, True]


@pytest.mark.parametrize("use", LEVELS)
@pytest.mark.parametrize("wrong", [*WRONG, float("nan")], ids=repr)
def test_levels(use: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"(alpha|confidence) must be between 0 and"):
        use(wrong)


@pytest.mark.parametrize("level", [0.05, np.float32(0.05), np.float64(0.05)])
def test_numbers_of_numpy_are_numbers(level: Any) -> None:
    assert bt.compare(SCORES, alpha=level).pvalue == bt.compare(SCORES).pvalue


@pytest.mark.parametrize(
    ("use", "name"),
    [
        (lambda x: bt.permutation_test(A, B, tolerance=x), "tolerance"),
        (lambda x: bt.permutation_test(A, B, workers=x), "workers"),
        (lambda x: bt.compare(SCORES, resamples=x), "resamples"),
        (lambda x: bt.gate(SCORES, margin=x), "margin"),
        (lambda x: bt.gate(REAL, margin=0.1, bounds=x), "bounds"),
        (lambda x: bt.gate(REAL, margin=0.1, bounds=(0, x)), "bounds"),
        (lambda x: bt.score(SCORES, bounds=x), "bounds"),
        (lambda x: bt.rank(SCORES, resamples=x), "resamples"),
        (lambda x: bt.rank(SCORES, method=bt.methods.Elo(k=x)), "k "),
        (lambda x: bt.rank(SCORES, method=bt.methods.Elo(repeats=x)), "repeats"),
        (lambda x: bt.design.aa_check(SCORES, simulations=x), "simulations"),
        (lambda x: bt.power(Pilot(SCORES), items=100, effect=x), "effect"),
        (lambda x: bt.power(Pilot(SCORES), items=0 if x == [2] else x, effect=0.05), "items?"),
    ],
)
@pytest.mark.parametrize("wrong", ["2", [2], (0,), Decimal(2), float("nan")], ids=repr)
def test_other_numbers(use: Callable[[Any], Any], name: str, wrong: Any) -> None:
    with pytest.raises(UsageError, match=name):
        use(wrong)


@pytest.mark.parametrize("wrong", ["x", -1, 1.5, True, [1], np.int64(-1)], ids=repr)
def test_seeds_are_looked_at_where_none_is_needed(wrong: Any) -> None:
    uses: list[Callable[[], Any]] = [
        lambda: bt.compare(SCORES, rng=wrong),
        lambda: bt.permutation_test(A, B, rng=wrong),
        lambda: bt.bootstrap_test(A, B, rng=wrong),
        lambda: bt.bootstrap_interval(A, B, rng=wrong),
        lambda: bt.score(SCORES, rng=wrong),
        lambda: bt.gate(SCORES, margin=0.02, rng=wrong),
        lambda: bt.rank(SCORES, rng=wrong),
    ]
    for use in uses:
        with pytest.raises(UsageError, match="rng must be"):
            use()


def test_the_class_of_a_pool_is_none() -> None:
    with pytest.raises(UsageError, match="executor must be a pool"):
        bt.bootstrap_test(A, B, executor=ThreadPoolExecutor)
