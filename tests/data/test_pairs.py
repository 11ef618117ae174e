from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from betterthan.data.arrays import cluster_codes, cluster_sums
from betterthan.data.pair import Pair
from betterthan.data.pairing import joint_of, pair_of
from betterthan.data.resolution import FLOAT_NOISE
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.metrics import F1, mean, ratio
from betterthan.testing.permutation import permute
from betterthan.testing.request import Request

MEAN = mean()


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_whole_numbers_stay_whole(dtype: type) -> None:
    made = pair_of(np.array([0, 1, 1], dtype), np.array([1, 1, 0], dtype), MEAN)
    assert made.a.dtype == made.b.dtype == np.int64
    assert (made.whole, float(made.unit), made.noise) == (True, 1.0, 0.0)
    assert np.hstack([made.a, made.b]).tolist() == [[0, 1], [1, 0], [1, 1]]


def test_integers_are_not_copied() -> None:
    a = np.arange(5)
    assert np.shares_memory(pair_of(a, a, MEAN).known_items.values[0], a)


def test_whole_numbers_in_disguise() -> None:
    made = pair_of([0.1, 0.25], [0.3, 1.0], MEAN)
    assert made.unit == Fraction(1, 20)
    assert np.hstack([made.a, made.b]).tolist() == [[2, 6], [5, 20]]
    real = pair_of([0.1, 2**0.5], [0.3, 1.0], MEAN)
    assert not real.whole
    assert real.a[:, 0].tolist() == [0.1, 2**0.5]


def test_differences_may_be_whole_where_scores_are_not() -> None:
    base = np.random.default_rng(0).normal(size=12)
    made = pair_of(base, base + np.array([3, -1, 2] * 4) / 8, MEAN)
    assert not made.whole
    assert made.gains is not None
    assert made.gains.whole
    assert (made.gains.values * float(made.gains.unit)).tolist() == [-0.125, 0.25, 0.375]
    assert made.gains.counts.tolist() == [4, 4, 4]


def test_inputs_are_left_alone() -> None:
    a, b = np.array([0.1 + 0.2, 1.0]), np.array([0.3, 2.0])
    assert pair_of(a, b, MEAN).delta == 0.5
    assert a.tolist() == [0.1 + 0.2, 1.0]
    assert b.tolist() == [0.3, 2.0]


rows_of_f1 = st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=25)


@given(rows_of_f1, st.booleans(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=100)
def test_the_tally_against_plain_counting(rows: list[list[int]], clustered: bool, mix: Any) -> None:
    labels = [k // 3 for k in range(len(rows))]
    block = np.array(rows)
    made = pair_of(block[:, :3], block[:, 3:], F1, labels if clustered else None)
    units: dict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for k, (tp_a, fp_a, fn_a, tp_b, fp_b, fn_b) in enumerate(rows):
        row = [2 * tp_a, 2 * tp_a + fp_a + fn_a, 2 * tp_b, 2 * tp_b + fp_b + fn_b, 1]
        at = labels[k] if clustered else k
        units[at] = [x + y for x, y in zip(units[at], row, strict=True)]
    counted = Counter(map(tuple, units.values()))
    assert [tuple(row) for row in made.tally.rows.tolist()] == sorted(counted)
    assert made.counts.tolist() == [counted[row] for row in sorted(counted)]
    assert (made.n, made.units) == (len(rows), len(units))
    first, second = F1.score(block[:, :3]), F1.score(block[:, 3:])
    assert made.scores == pytest.approx((first, second), rel=1e-15)
    order = list(range(len(rows)))
    mix.shuffle(order)
    cluster_of = [labels[k] for k in order] if clustered else None
    shuffled = pair_of(block[order, :3], block[order, 3:], F1, cluster_of)
    assert [x.tolist() for x in shuffled.hashed] == [x.tolist() for x in made.hashed]


def test_a_pair_of_many_systems_is_that_of_the_two_alone() -> None:
    values = np.random.default_rng(1).integers(0, 4, (3, 50))
    joint = joint_of({"x": values[0], "y": values[1], "z": values[2]}, MEAN)
    for i, j in ((0, 1), (2, 0)):
        alone = pair_of(values[i], values[j], MEAN)
        assert joint.pair(i, j).tally.rows.tolist() == alone.tally.rows.tolist()
        assert joint.pair(i, j).counts.tolist() == alone.counts.tolist()
    assert joint.pair(0, 1) is joint.pair(0, 1)
    assert joint.pair(0, 1).systems == ("x", "y")


def test_a_tally_alone_says_what_it_lacks() -> None:
    made = pair_of([0, 1, 1], [1, 1, 0], MEAN, ["x", "x", "y"])
    bare = replace(made, items=None)
    assert bare.delta == made.delta
    with pytest.raises(UsageError, match="needs the single items"):
        _ = bare.wins


def test_columns_follow_the_metric() -> None:
    assert pair_of(np.ones((4, 3), int), np.zeros((4, 3), int), F1).a.tolist() == [[2, 4]]
    with pytest.raises(UsageError, match=r"a has 2 columns an item, but f1 reads 3 \(tp, fp, fn\)"):
        pair_of(np.ones((4, 2)), np.ones((4, 3)), F1)
    with pytest.raises(UsageError, match="b has 2 columns"):
        pair_of([1, 2], [[1, 2], [3, 4]], MEAN)


def test_lengths_must_agree() -> None:
    with pytest.raises(AlignmentError, match="a has 3 items and b has 2"):
        pair_of([1, 2, 3], [1, 2], MEAN)


def test_no_items() -> None:
    with pytest.raises(DataError, match="no items"):
        pair_of([], [], MEAN)


def test_bad_values_are_named() -> None:
    b = np.ones(9)
    b[[0, 2, 3, 5, 6, 8]] = np.nan, np.inf, -np.inf, np.nan, np.inf, np.nan
    with pytest.raises(BadValueError, match=r"b is NaN or infinite at .*'0', '2', .*and 1 more"):
        pair_of(np.ones(9), b, MEAN)
    with pytest.raises(BadValueError, match="'1'"):
        pair_of([1.0, None], [1.0, 2.0], MEAN)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="'1'"):
        pair_of(np.ma.masked_array([1, 2], mask=[False, True]), [1, 2], MEAN)


def test_opposite_infinities_do_not_cancel() -> None:
    with pytest.raises(BadValueError, match="'0', '1'"):
        pair_of([np.inf, -np.inf], [0.0, 0.0], MEAN)


def test_floats_too_large_to_sum_are_refused() -> None:
    assert pair_of([1e100] * 3, [-1e100] * 3, MEAN).n == 3
    with pytest.raises(BadValueError, match=r"b holds scores beyond 1e100, up to 1e\+308"):
        pair_of([0.0, 0.0], [1e308, -1e308], MEAN)


@pytest.mark.parametrize("bad", [["x", "y"], [[1, 2], [3]], [1 + 2j, 3]])
def test_mistyped_values(bad: object) -> None:
    with pytest.raises(BadValueError):
        pair_of(bad, [1, 2], MEAN)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [3.0, np.zeros((2, 1, 1))])
def test_wrong_dimensions(bad: object) -> None:
    with pytest.raises(DataError, match="dimensions"):
        pair_of(bad, [1, 2], MEAN)  # type: ignore[arg-type]


@pytest.mark.parametrize("huge", [2**54, -(2**54), 2**63 - 1, -(2**63)])
def test_integers_too_large_to_sum_are_refused(huge: int) -> None:
    with pytest.raises(BadValueError, match="too large to sum exactly"):
        pair_of([0, 1], [huge, 1], MEAN)


def test_unsigned_integers_do_not_wrap() -> None:
    with pytest.raises(BadValueError, match="too large to sum exactly"):
        pair_of(np.array([2**64 - 1], dtype=np.uint64), [1], MEAN)


def test_large_sums_are_refused() -> None:
    many = np.full(2**12, 2**52)
    with pytest.raises(BadValueError, match="over 4,096 items"):
        pair_of(many, many, MEAN)


def test_float_noise_is_a_tie() -> None:
    made = pair_of([0.1 + 0.2, 1e-30, 1e11], [0.3, 2e-30, 1e11 + 1], MEAN)
    assert (made.wins, made.ties, made.losses) == (2, 1, 0)
    assert made.gains is not None
    assert (made.gains.values * float(made.gains.unit)).tolist() == [0.0, 1e-30, 1.0]


def test_float32_is_noisy_at_its_own_precision() -> None:
    a, b = np.array([0.1, 0.1], "f4") + np.float32(0.6), np.array([0.7, 0.8], "f4")
    assert a[0] != b[0]
    assert (pair_of(a, b, MEAN).wins, pair_of(a, b, MEAN).ties) == (1, 1)


def test_large_integers_are_not_ties() -> None:
    made = pair_of(np.full(8, 10**12 - 1), np.full(8, 10**12 - 2), MEAN)
    assert (made.wins, made.ties, made.losses, made.delta) == (0, 0, 8, -1.0)


def test_binary() -> None:
    assert pair_of([0.0, 1.0], [True, False], MEAN).is_binary
    assert not pair_of([0, 1], [2, 1], MEAN).is_binary
    assert not pair_of([0, 1], [0.5, 1], MEAN).is_binary
    clustered = pair_of([0, 1, 1], [1, 1, 1], MEAN, ["x", "x", "y"])
    assert clustered.is_binary
    assert clustered.rate
    assert pair_of([0.25, 1], [0.5, 1], MEAN).within_one


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.sampled_from("abcd")), min_size=1))
@settings(deadline=None, max_examples=100)
def test_cluster_sums_are_exact(rows: list[tuple[int, str]]) -> None:
    values = np.array([x for x, _ in rows])
    made = pair_of(np.zeros(len(rows), int), values, MEAN, [label for _, label in rows])
    expected: dict[str, int] = defaultdict(int)
    for value, label in rows:
        expected[label] += value
    assert made.units == made.clusters == len(expected)
    assert np.repeat(made.b[:, 0], made.counts).tolist() == sorted(expected.values())


def test_cluster_labels() -> None:
    for labels in ([7, 7, 3], [7_000, 7_000, -3], np.array([9, 9, 8], np.uint8)):
        codes, count = cluster_codes(labels, 3)
        assert (codes.tolist(), codes.dtype.name, count) == ([1, 1, 0], "int64", 2)
    assert cluster_codes([2**63 - 1, -(2**63), 0], 3)[0].tolist() == [2, 0, 1]
    assert cluster_codes([1.0, 2.0, 1.0], 3)[1] == 2
    assert cluster_codes(np.array([1, 1.0, "x"], dtype=object), 3)[1] == 2
    with pytest.raises(AlignmentError, match=r"clusters has shape \(2,\) for 3 items"):
        cluster_codes(["x", "y"], 3)
    with pytest.raises(BadValueError, match="no label at positions '0', '2'"):
        cluster_codes(np.array([None, "x", np.nan], dtype=object), 3)


def test_columns_are_summed_separately() -> None:
    values = np.array([[1, 10], [2, 20], [4, 40]])
    assert cluster_sums(values, np.array([1, 0, 1]), 2).tolist() == [[2, 20], [5, 50]]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_cluster_labels_of_small_integer_types_do_not_overflow(dtype: type) -> None:
    labels: NDArray[np.integer] = np.array([-128, 127, *range(98)], dtype=dtype)
    codes, units = cluster_codes(labels, labels.size)
    assert units == len(set(labels.tolist()))
    assert len(set(zip(labels.tolist(), codes.tolist(), strict=True))) == units


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.booleans(),
)
@settings(deadline=None, max_examples=50)
def test_a_pair_of_a_tally_is_that_of_its_items(rows: list[tuple[int, int]], split: bool) -> None:
    a, b = zip(*rows, strict=True)
    whole = pair_of(a, b, MEAN)
    counted = Counter(rows)
    listed = [(row, times) for row, times in counted.items()]
    if split:  # tallies add up: rows may repeat
        listed = [(row, 1) for row in rows]
    made = Pair.of_tally([row for row, _ in listed], [times for _, times in listed], MEAN)
    assert [x.tolist() for x in made.hashed] == [x.tolist() for x in whole.hashed]
    assert permute(made, Request()).pvalue == permute(whole, Request()).pvalue
    assert (made.wins, made.ties, made.losses) == (whole.wins, whole.ties, whole.losses)
    assert (made.n, made.delta, made.is_binary) == (whole.n, whole.delta, whole.is_binary)


@pytest.mark.parametrize(
    ("rows", "counts", "metric"),
    [
        ([[0, 1, 2]], [1], MEAN),
        ([[0, 1]], [0], MEAN),
        ([[0, 1]], [1, 2], MEAN),
        ([[0.5, 1]], [1], MEAN),
        ([[0, 1]], [1], F1),
    ],
)
def test_a_tally_that_is_none(rows: Any, counts: Any, metric: Any) -> None:
    with pytest.raises(DataError):
        Pair.of_tally(rows, counts, metric)


def test_the_order_of_real_items_leaves_no_trace_in_clusters() -> None:
    rng = np.random.default_rng(0)
    a, b, clusters = rng.normal(size=60), rng.normal(size=60), rng.integers(0, 9, 60)
    turned = rng.permutation(60)
    first = pair_of(a, b, MEAN, clusters)
    second = pair_of(a[turned], b[turned], MEAN, clusters[turned])
    assert first.delta == second.delta
    assert all(map(np.array_equal, first.hashed, second.hashed))


def test_negative_zeros_are_zeros() -> None:
    a, b = np.array([-0.0, 0.0, 2**0.5]), np.array([0.1, 0.1, 0.3])
    made = [pair_of(x, y, MEAN).tally.rows.tobytes() for x, y in ((a, b), (a[::-1], b[::-1]))]
    assert made[0] == made[1]


def test_heavy_weights_do_not_overflow() -> None:
    metric = ratio({"x": 0.333333333333}, {"y": 1})
    a = np.array([[10**6, 10**6], [3, 4]] * 500)
    b = a + np.array([[1, 0]])
    made = pair_of(a, b, metric)
    assert made.delta == pytest.approx(0.333333333333 * 1000 / a[:, 1].sum(), rel=1e-12)
    found = permute(made, Request(alternative="greater"))
    assert found.log10_pvalue == pytest.approx(-1000 * np.log10(2))


def test_huge_whole_differences_do_not_overflow() -> None:
    b = np.arange(3000.0) * 2.0**40 + 1.0
    made = pair_of(np.zeros(3000), b * 2.0**-20, MEAN)
    assert made.delta == pytest.approx(b.mean() * 2.0**-20)
    wide = np.append(np.full(4999, 2.0**51), 1.0)
    assert pair_of(np.zeros(5000), wide, MEAN).delta == pytest.approx(wide.mean())


def test_one_system_in_single_precision() -> None:
    exact = np.arange(40) % 11 / 10
    single = exact.astype(np.float32)
    for made in (pair_of(exact, single, MEAN), pair_of(exact, single, MEAN, np.arange(40) // 2)):
        assert (made.delta, made.wins, made.losses) == (0.0, 0, 0)
    coarse = pair_of(np.tile([0.0, 0.5], 20), np.sqrt(np.arange(40)), MEAN)
    assert coarse.noise == FLOAT_NOISE


def test_rounding_that_cancels_within_a_cluster_is_not_forgotten() -> None:
    a = np.array([1e6, -1e6, 0.5, 0.25, 0.1, 0.7]) * 2**0.5
    b = a + np.array([0.1, 0.2, -0.1, -0.2, 0.05, 0.4]) * 2**0.5
    made = pair_of(a, b, MEAN, [0, 0, 1, 1, 2, 2])  # gains of 0.3, -0.3 and 0.45
    assert permute(made, Request()).pvalue_high == pytest.approx(0.75)


def test_a_tally_of_clusters_says_what_it_cannot_know() -> None:
    rows, counts, sizes = [[1, 2], [0, 3], [2, 2]], [4, 1, 3], [2, 3, 2]
    silent = Pair.of_tally(rows, counts, MEAN, sizes=sizes)
    for name in ("is_binary", "span", "within_one", "rate"):
        with pytest.raises(UsageError, match="sums over clusters"):
            getattr(silent, name)
    told = Pair.of_tally(rows, counts, MEAN, sizes=sizes, span=(0, 1))
    assert told.rate
    assert told.is_binary
    assert told.span == (0.0, 1.0)
    rated = Pair.of_tally(rows, counts, MEAN, sizes=sizes, span=(0, 3))
    assert (rated.rate, rated.is_binary, rated.within_one, rated.span) == (
        *(False, False, False),
        (0.0, 3.0),
    )
    with pytest.raises(DataError, match=r"not within \(0, 1\) times their sizes"):
        Pair.of_tally([[0, 4]], [1], MEAN, sizes=[3], span=(0, 1))
    single = Pair.of_tally([[0, 1], [1, 1]], [2, 3], MEAN, sizes=[1, 1])
    assert single.rate
    assert single.span == (0.0, 1.0)
