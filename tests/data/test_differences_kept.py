"""Numbers as they were given: a difference is counted to the last digit, or it is refused."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import BadValueError

FROM = bt.Scores.from_arrays
ODD = 2**53 + 5  # no double
KINDS: list[Callable[[int], Any]] = [int, float, Fraction, Decimal, lambda x: Fraction(x, 3)]
MAKERS: list[Callable[[list[Any]], Any]] = [
    list,
    lambda x: np.array(x, dtype=object),
    lambda x: pd.Series(x, dtype=object),
    iter,
]


def _flipped(d: list[Fraction]) -> Fraction:
    """Two-sided p-value of the mean by listing all swaps."""
    sums = [
        abs(sum((s * x for s, x in zip(signs, d, strict=True)), Fraction()))
        for signs in product((1, -1), repeat=len(d))
    ]
    return Fraction(sum(x >= abs(sum(d, Fraction())) for x in sums), len(sums))


@given(
    base=st.sampled_from([0, 2**41, 2**52, 2**53, 2**54 + 2, 10**18, -(2**60), 10**30]),
    steps=st.lists(st.tuples(*[st.integers(-600, 600)] * 2), min_size=1, max_size=6),
    kind=st.sampled_from(KINDS),
    made=st.sampled_from(MAKERS),
)
@settings(deadline=None, max_examples=300)
def test_no_difference_is_lost(
    base: int,
    steps: list[tuple[int, int]],
    kind: Callable[[int], Any],
    made: Callable[[list[Any]], Any],
) -> None:
    a, b = ([kind(base + step) for step in column] for column in zip(*steps, strict=True))
    d = [Fraction(y) - Fraction(x) for x, y in zip(a, b, strict=True)]
    delta = float(sum(d, Fraction()) / len(d))
    p = float(_flipped(d))
    try:
        pair = FROM({"a": made(a), "b": made(b)}).joint().pair(0, 1)
    except BadValueError as error:
        assert "subtract one number from all scores" in str(error)  # noqa: PT017 (or none at all)
        assert base
    else:
        assert pair.delta == pytest.approx(delta, rel=1e-12)
        assert pair.outcomes == tuple(sum(f(x) for x in d) for f in SIGNS)
    try:
        test = bt.permutation_test(made(a), made(b))
    except BadValueError as error:
        assert "subtract one number from all scores" in str(error)  # noqa: PT017
        assert base
    else:
        assert test.pvalue == pytest.approx(p, rel=1e-12)
        assert test.delta == pytest.approx(delta, rel=1e-12)


SIGNS: list[Callable[[Fraction], bool]] = [lambda x: x > 0, lambda x: x == 0, lambda x: x < 0]


A, B = [2.0**53 + 4] * 8, [2.0**53 + 6] * 8
LARGE: dict[str, Any] = {"a": A, "b": B}
HOLES: dict[str, Any] = {"a": [*A, None], "b": [*B, 1.0]}


@pytest.mark.parametrize(
    "use",
    [
        lambda: FROM(LARGE),
        lambda: FROM(HOLES, missing="pairwise"),
        lambda: bt.Scores.from_responses({k: [[x, x] for x in v] for k, v in LARGE.items()}),
        lambda: bt.read(pl.DataFrame(LARGE)),
        lambda: bt.read(pd.DataFrame(LARGE)),
        lambda: bt.compare(bt.read(pl.LazyFrame(LARGE), items=False), "a", "b"),
        lambda: bt.permutation_test(A, B),
        lambda: bt.permutation_test(A, B, metric="median"),
        lambda: bt.t_test(A, B),
        lambda: bt.mood_test(A, B),
        lambda: bt.bootstrap_interval(np.array(A), np.array(B)),
    ],
)
def test_large_doubles_that_hardly_differ_are_refused(use: Callable[[], Any]) -> None:
    with pytest.raises(BadValueError, match="item reach 9007199254740998 and differ by 2,"):
        use()


def test_large_doubles_too_many_to_sum() -> None:
    rng = np.random.default_rng(3)
    a = 2.0**52 + rng.integers(0, 50, 2000)
    assert bt.permutation_test(a, a * 1.5).delta == pytest.approx(np.mean(a * 0.5))
    assert bt.permutation_test(a, a).pvalue == 1.0
    with pytest.raises(BadValueError, match=r"scores of one item reach 4503\d+ and differ by 1,"):
        bt.permutation_test(a, a + 1)


@pytest.mark.parametrize("step", [2.0, 0.1])
def test_sums_of_clusters_lose_nothing(step: float) -> None:
    a, b = [2.0**60, step] * 8, [2.0**60, 2 * step] * 8
    assert bt.permutation_test(a, b).delta == pytest.approx(step / 2)
    with pytest.raises(
        BadValueError, match=rf"one cluster reach 1\.15\d+e\+18 and differ by {step:g},"
    ):
        bt.permutation_test(a, b, clusters=np.repeat(np.arange(8), 2))


@pytest.mark.parametrize(
    "given",
    [
        [ODD, 1],
        [ODD, 0.5],
        [ODD, None],
        [np.int64(ODD), 0.5],
        np.array([ODD, 1]),
        np.array([ODD, 1], dtype=np.uint64),
        np.ma.masked_equal([ODD, 1], 1),
        [Fraction(ODD), 1],
        [Fraction(ODD * 2 + 1, 2), 1],
        [Decimal(ODD), 1],
        [2**70 + 1, 1],
        pl.Series([ODD, None]),
        pa.array([ODD, None]),
        pd.Series([ODD, None], dtype="Int64"),
        pl.DataFrame({"score": [ODD, None]}),
        pa.table({"score": [ODD, None]}),
        pd.DataFrame({"score": pd.array([ODD, None], dtype="Int64")}),
        (x for x in [ODD, 0.5]),
        {"x": ODD, "y": 0.5}.values(),
    ],
    ids=lambda x: type(x).__name__,
)
def test_whole_numbers_are_not_rounded(given: Any) -> None:
    with pytest.raises(BadValueError, match=r"system 'a' holds .*beyond 2\^53 that would be round"):
        FROM({"a": given, "b": [1, 1]}, missing="pairwise")


def test_responses_are_not_rounded() -> None:
    responses: dict[str, Any] = {"a": [[ODD, 1.5], [1]], "b": [[1], [1]]}
    with pytest.raises(BadValueError, match=f"system 'a', item 1 holds {ODD}"):
        bt.Scores.from_responses(responses)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_frames_are_not_rounded(library: Any) -> None:
    frame = library({"tp": [ODD, 1], "length": [0.5, 1.5]})
    with pytest.raises(BadValueError, match=rf"system 'a' holds {ODD}, a number beyond 2\^53"):
        FROM({"a": frame, "b": frame}, columns=("tp", "length"))
