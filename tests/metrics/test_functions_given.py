"""Functions that users give as metrics: what they must return is said, whoever calls them."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan import responses
from betterthan.errors import BadValueError, UsageError
from betterthan.metrics import blackbox, sums

RNG = np.random.default_rng(2)
A = RNG.integers(0, 5, 30).astype(float)
B = A + RNG.integers(-1, 3, 30)
SCORES = bt.Scores.from_arrays({"a": A, "b": B})

USES: list[Callable[[Any], Any]] = [
    lambda m: bt.permutation_test(A, B, m, resamples=50, rng=0),
    lambda m: bt.bootstrap_test(A, B, m, resamples=50, rng=0),
    lambda m: bt.bootstrap_interval(A, B, m, resamples=50, rng=0),
    lambda m: bt.compare(SCORES, metric=m, resamples=50),
    lambda m: bt.compare_many(SCORES, metric=[m], resamples=50),
    lambda m: bt.score(SCORES, metric=[m]),
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("given", [np.mean, lambda x: 1.0, ["mean"], 3, b"mean"])
def test_what_is_no_metric(use: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(UsageError, match="metric must be"):
        use(given)


@pytest.mark.parametrize("given", [np.mean, 3])
def test_what_are_no_metrics(given: Any) -> None:
    frame = pd.DataFrame({"a": A, "b": B})
    for use in (
        lambda: bt.compare_many(SCORES, metric=given),
        lambda: bt.compare_all(SCORES, metric=given),
        lambda: bt.score(SCORES, metric=given),
        lambda: bt.compare(frame, metric=given),
        lambda: bt.compare_many(frame, metric=given),
        lambda: bt.rank(SCORES, metric=given),
        lambda: bt.gate(SCORES, metric=given, margin=0.1),
    ):
        with pytest.raises(UsageError, match="metric must be"):
            use()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (np.array([1.0]), r"numbers of shape \(1,\)"),
        (None, "None"),
        (pd.NA, "<NA>"),
        ([1.0, 2.0], r"numbers of shape \(2,\)"),
        ("1", "'1'"),
        (1j, "1j"),
        ([[1], [1, 2]], r"\[\[1\], \[1, 2\]\]"),
    ],
)
def test_a_black_box_returns_one_number(
    use: Callable[[Any], Any], returned: Any, said: str
) -> None:
    with pytest.raises(UsageError, match=f"<lambda>. returned {said}, and must return one number"):
        use(blackbox(lambda x: returned))


@pytest.mark.parametrize("number", [1, True, np.float32(0.5), np.array(2.0), Fraction(1, 2)])
def test_any_number_will_do(number: Any) -> None:
    assert blackbox(lambda x: number).score(A[:, None]) == float(number)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "finish",
    [
        lambda s: 1.0,
        lambda s: s,
        lambda s: s[0],
        lambda s: float(s[0]),
        lambda s: None,
        lambda s: s[..., 0] + 1j,
    ],
)
def test_a_function_of_sums_returns_a_number_for_each(
    use: Callable[[Any], Any], finish: Callable[[Any], Any]
) -> None:
    with pytest.raises(UsageError, match=r"sums of shape .* columns are on the last axis"):
        use(sums(("score",), finish))


@pytest.mark.parametrize("use", USES)
def test_chance_is_no_metric(use: Callable[[Any], Any]) -> None:
    calls, noise = itertools.count(), np.random.default_rng(1)
    for metric in (
        blackbox(lambda x: float(x.mean()) + next(calls)),
        sums(("score",), lambda s: s[..., 0] + noise.random(s.shape[:-1])),
    ):
        with pytest.raises(UsageError, match="may not depend on chance"):
            use(metric)


@pytest.mark.parametrize("n", [6, 30])
def test_a_black_box_that_is_undefined_on_swaps_has_no_p(n: int) -> None:
    seen = {float(A[:n].mean()), float(B[:n].mean())}
    box = blackbox(lambda x: float(x.mean()) if float(x.mean()) in seen else float("nan"))
    with pytest.raises(BadValueError, match="NaN or infinite where items are swapped"):
        bt.permutation_test(A[:n], B[:n], box, resamples=200, rng=0)


@pytest.mark.parametrize("wrong", [lambda x, y: x, lambda x, y: None, lambda x, y: 1.0])
def test_a_function_of_responses_returns_a_number_for_each_item(wrong: Any) -> None:
    made = responses.simulate(items=20, responses=3, rng=0)
    metric = responses.item_metric(wrong, lower_is_better=True)
    with pytest.raises(UsageError, match=r"must return numbers of shape \(20,\)"):
        responses.p_value(made.gold, made.a, made.b, metric, resamples=50, rng=0)
    if wrong(1, 1) != 1.0 or wrong(2, 2) == 2:
        metric = responses.whole_metric(wrong, lower_is_better=True)
        with pytest.raises(UsageError, match="must return one number"):
            responses.p_value(made.gold, made.a, made.b, metric, resamples=50, rng=0)
