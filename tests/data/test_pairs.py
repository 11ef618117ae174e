"""Pairs: distinct rows and their counts, summed exactly within clusters."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan import Scores, permutation_test, tally
from betterthan.data.macro import Macro
from betterthan.data.pairing import joint_of, pair_of
from betterthan.errors import DataError, UsageError
from betterthan.metrics import F1, mean, ratio

MEAN = mean()
COUNTS = st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=25)


@given(COUNTS, st.booleans(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=100)
def test_the_tally_against_plain_counting(rows: list[list[int]], clustered: bool, mix: Any) -> None:
    """Rows, counts and scores by hand; and the same bits in any order of the items."""
    labels = [k // 3 for k in range(len(rows))]
    block = np.array(rows)
    pair = pair_of(block[:, :3], block[:, 3:], F1, labels if clustered else None)
    units: dict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for k, (tp_a, fp_a, fn_a, tp_b, fp_b, fn_b) in enumerate(rows):
        row = [2 * tp_a, 2 * tp_a + fp_a + fn_a, 2 * tp_b, 2 * tp_b + fp_b + fn_b, 1]
        unit = labels[k] if clustered else k
        units[unit] = [x + y for x, y in zip(units[unit], row, strict=True)]
    counted = Counter(map(tuple, units.values()))
    assert [tuple(row) for row in pair.tally.rows.tolist()] == sorted(counted)
    assert pair.counts.tolist() == [counted[row] for row in sorted(counted)]
    assert (pair.n, pair.units) == (len(rows), len(units))
    expected = F1.score(block[:, :3]), F1.score(block[:, 3:])
    assert pair.scores == pytest.approx(expected, rel=1e-15)
    order = list(range(len(rows)))
    mix.shuffle(order)
    cluster_of = [labels[k] for k in order] if clustered else None
    shuffled = pair_of(block[order, :3], block[order, 3:], F1, cluster_of)
    assert [x.tolist() for x in shuffled.hashed] == [x.tolist() for x in pair.hashed]


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.sampled_from("abcd")), min_size=1))
@settings(deadline=None, max_examples=100)
def test_cluster_sums_are_exact(rows: list[tuple[int, str]]) -> None:
    values = np.array([x for x, _ in rows])
    pair = pair_of(np.zeros(len(rows), int), values, MEAN, [label for _, label in rows])
    expected: dict[str, int] = defaultdict(int)
    for value, label in rows:
        expected[label] += value
    assert pair.units == pair.clusters == len(expected)
    assert np.repeat(pair.b[:, 0], pair.counts).tolist() == sorted(expected.values())


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.booleans(),
)
@settings(deadline=None, max_examples=50)
def test_a_pair_of_a_tally_is_that_of_its_items(rows: list[tuple[int, int]], split: bool) -> None:
    a, b = zip(*rows, strict=True)
    whole = pair_of(a, b, MEAN)
    listed = [(row, 1) for row in rows] if split else [*Counter(rows).items()]
    left, right = zip(*(row for row, _ in listed), strict=True)
    counted = tally(Scores.from_arrays({"a": left, "b": right}), counts=[k for _, k in listed])
    pair = counted.pair("a", "b")
    assert [x.tolist() for x in pair.hashed] == [x.tolist() for x in whole.hashed]
    assert pair.outcomes == whole.outcomes
    assert (pair.n, pair.delta, pair.is_binary) == (whole.n, whole.delta, whole.is_binary)


def test_a_million_binary_items_are_four_rows() -> None:
    a, b = np.random.default_rng(0).integers(0, 2, (2, 10**6))
    pair = pair_of(a, b, MEAN)
    assert pair.tally.rows.tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    assert pair.counts.sum() == pair.n == 10**6


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64])
def test_integers_stay_integers(dtype: type) -> None:
    pair = pair_of(np.array([0, 1, 1], dtype), np.array([1, 1, 0], dtype), MEAN)
    assert pair.a.dtype == np.int64
    assert (pair.whole, pair.unit, pair.noise) == (True, Fraction(1), 0.0)
    assert np.hstack([pair.a, pair.b]).tolist() == [[0, 1], [1, 0], [1, 1]]


def test_differences_may_be_whole_where_scores_are_not() -> None:
    base = np.random.default_rng(0).normal(size=12)
    pair = pair_of(base, base + np.array([3, -1, 2] * 4) / 8, MEAN)
    assert not pair.whole
    assert pair.gains is not None
    assert (pair.gains.values * float(pair.gains.unit)).tolist() == [-0.125, 0.25, 0.375]
    assert pair.gains.counts.tolist() == [4, 4, 4]


def test_two_of_many_systems_are_the_two_alone() -> None:
    values = np.random.default_rng(1).integers(0, 4, (3, 50))
    joint = joint_of({"x": values[0], "y": values[1], "z": values[2]}, MEAN)
    for i, j in ((0, 1), (2, 0)):
        alone = pair_of(values[i], values[j], MEAN)
        assert joint.pair(i, j).tally.rows.tolist() == alone.tally.rows.tolist()
        assert joint.pair(i, j).counts.tolist() == alone.counts.tolist()
    mixed = joint_of({"a": [0, 1, 1, 2], "b": [0.1, 2**0.5, 0, 1], "c": [1, 1, 3, 2]}, MEAN)
    assert [mixed.whole, mixed.pair(0, 2).whole, mixed.pair(0, 1).whole] == [False, True, False]


def test_rounding_is_a_tie() -> None:
    pair = pair_of([0.1 + 0.2, 1e-30, 1e11], [0.3, 2e-30, 1e11 + 1], MEAN)
    assert pair.outcomes == (2, 1, 0)
    a, b = np.array([0.1, 0.1], "f4") + np.float32(0.6), np.array([0.7, 0.8], "f4")
    assert pair_of(a, b, MEAN).outcomes == (1, 1, 0)
    large = pair_of(np.full(8, 10**12 - 1), np.full(8, 10**12 - 2), MEAN)
    assert (large.outcomes, large.delta) == ((0, 0, 8), -1.0)
    exact = np.arange(40) % 11 / 10
    for clusters in (None, np.arange(40) // 2):
        same = pair_of(exact, exact.astype(np.float32), MEAN, clusters)
        assert (same.delta, same.wins, same.losses) == (0.0, 0, 0)


def test_the_order_of_real_items_leaves_no_trace_in_clusters() -> None:
    rng = np.random.default_rng(0)
    a, b, clusters = rng.normal(size=60), rng.normal(size=60), rng.integers(0, 9, 60)
    turned = rng.permutation(60)
    first = pair_of(a, b, MEAN, clusters)
    second = pair_of(a[turned], b[turned], MEAN, clusters[turned])
    assert first.delta == second.delta
    assert all(map(np.array_equal, first.hashed, second.hashed))
    zeros = np.array([-0.0, 0.0, 2**0.5])
    pairs = [pair_of(x, [0.1, 0.1, 0.3][::s], MEAN) for x, s in ((zeros, 1), (zeros[::-1], -1))]
    assert pairs[0].tally.rows.tobytes() == pairs[1].tally.rows.tobytes()


def test_large_numbers_do_not_overflow() -> None:
    metric = ratio({"x": 0.333333333333}, {"y": 1})
    a = np.array([[10**6, 10**6], [3, 4]] * 500)
    pair = pair_of(a, a + np.array([[1, 0]]), metric)
    assert pair.delta == pytest.approx(0.333333333333 * 1000 / a[:, 1].sum(), rel=1e-12)
    b = np.arange(3000.0) * 2.0**40 + 1.0
    assert pair_of(np.zeros(3000), b * 2.0**-20, MEAN).delta == pytest.approx(b.mean() * 2.0**-20)
    wide = np.append(np.full(4999, 2.0**51), 1.0)
    assert pair_of(np.zeros(5000), wide, MEAN).delta == pytest.approx(wide.mean())


def test_rounding_that_cancels_within_a_cluster_is_not_forgotten() -> None:
    a = np.array([1e6, -1e6, 0.5, 0.25, 0.1, 0.7]) * 2**0.5
    b = a + np.array([0.1, 0.2, -0.1, -0.2, 0.05, 0.4]) * 2**0.5
    result = permutation_test(a, b, clusters=[0, 0, 1, 1, 2, 2])  # gains of 0.3, -0.3 and 0.45
    assert result.pvalue_high == pytest.approx(0.75)


def test_a_tally_says_what_it_lacks() -> None:
    pair = pair_of([0, 1, 1], [1, 1, 0], MEAN, ["x", "x", "y"])
    bare = replace(pair, items=None)
    assert bare.delta == pair.delta
    with pytest.raises(UsageError, match="single items"):
        _ = bare.wins
    for name in ("is_binary", "span", "rate"):
        with pytest.raises(UsageError, match="single items"):
            getattr(replace(pair, items=None), name)
    rate, rated = (replace(pair, items=None, stated_span=span) for span in ((0, 1), (0, 3)))
    assert (rate.rate, rate.is_binary, rate.span) == (True, True, (0.0, 1.0))
    assert (rated.rate, rated.is_binary) == (False, False)


@pytest.mark.parametrize("counts", [[1], [0, 1], [1, 2, 3], [0.5, 1], 1, ["1", "2"]])
def test_counts_that_are_none_of_the_rows(counts: Any) -> None:
    with pytest.raises(DataError):
        tally(Scores.from_arrays({"a": [0, 1], "b": [1, 1]}), counts=counts)


@given(
    st.lists(
        st.lists(st.tuples(*[st.integers(0, 1)] * 2), min_size=1, max_size=9),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None, max_examples=50)
def test_the_mean_over_tasks_against_fractions(tasks: list[list[tuple[int, int]]]) -> None:
    sides = [[*zip(*rows, strict=True)] for rows in tasks]
    macro = Macro.of([pair_of(a, b, MEAN) for a, b in sides])
    deltas = [Fraction(sum(b - a for a, b in rows), len(rows)) for rows in tasks]
    assert macro.delta == pytest.approx(float(sum(deltas, Fraction()) / len(tasks)), abs=1e-15)
    assert macro.gains is not None
    assert macro.gains.total * macro.gains.unit == sum(deltas, Fraction()) / len(tasks)
    assert macro.n == sum(map(len, tasks))
