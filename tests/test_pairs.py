from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.metrics import F1, mean
from betterthan.pairs import cluster_codes, cluster_sums, pair

MEAN = mean()


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_whole_numbers_stay_whole(dtype: type) -> None:
    made = pair(np.array([0, 1, 1], dtype), np.array([1, 1, 0], dtype), MEAN)
    assert made.a.dtype == made.b.dtype == np.int64
    assert made.a.shape == (3, 1)
    assert made.noise == 0.0
    assert made.differences()[:, 0].tolist() == [1, 0, -1]


def test_integers_are_not_copied() -> None:
    a = np.arange(5)
    assert np.shares_memory(pair(a, a, MEAN).a, a)


def test_integer_and_float_meet_as_floats() -> None:
    made = pair([0, 1], [0.5, 1.0], MEAN)
    assert made.a.dtype == made.b.dtype == np.float64


def test_inputs_are_left_alone() -> None:
    a, b = np.array([0.1 + 0.2, 1.0]), np.array([0.3, 2.0])
    pair(a, b, MEAN).differences()
    assert a.tolist() == [0.1 + 0.2, 1.0]
    assert b.tolist() == [0.3, 2.0]


def test_columns_follow_the_metric() -> None:
    assert pair(np.ones((4, 3), int), np.zeros((4, 3), int), F1).a.shape == (4, 3)
    with pytest.raises(UsageError, match=r"a has 2 columns an item, but f1 reads 3 \(tp, fp, fn\)"):
        pair(np.ones((4, 2)), np.ones((4, 3)), F1)
    with pytest.raises(UsageError, match="b has 2 columns"):
        pair([1, 2], [[1, 2], [3, 4]], MEAN)


def test_lengths_must_agree() -> None:
    with pytest.raises(AlignmentError, match="a has 3 items and b has 2"):
        pair([1, 2, 3], [1, 2], MEAN)


def test_no_items() -> None:
    with pytest.raises(DataError, match="no items"):
        pair([], [], MEAN)


def test_bad_values_are_named() -> None:
    b = np.ones(9)
    b[[0, 2, 3, 5, 6, 8]] = np.nan, np.inf, -np.inf, np.nan, np.inf, np.nan
    with pytest.raises(BadValueError, match=r"b is NaN or infinite at .*'0', '2', .*and 1 more"):
        pair(np.ones(9), b, MEAN)
    with pytest.raises(BadValueError, match="'1'"):
        pair([1.0, None], [1.0, 2.0], MEAN)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="'1'"):
        pair(np.ma.masked_array([1, 2], mask=[False, True]), [1, 2], MEAN)


def test_opposite_infinities_do_not_cancel() -> None:
    with pytest.raises(BadValueError, match="'0', '1'"):
        pair([np.inf, -np.inf], [0.0, 0.0], MEAN)


def test_floats_too_large_to_sum_are_refused() -> None:
    assert pair([1e150] * 3, [-1e150] * 3, MEAN).n == 3
    with pytest.raises(BadValueError, match="b holds values up to 1e\\+308"):
        pair([0.0, 0.0], [1e308, -1e308], MEAN)


@pytest.mark.parametrize("bad", [["x", "y"], [[1, 2], [3]], [1 + 2j, 3]])
def test_mistyped_values(bad: object) -> None:
    with pytest.raises(BadValueError):
        pair(bad, [1, 2], MEAN)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [3.0, np.zeros((2, 1, 1))])
def test_wrong_dimensions(bad: object) -> None:
    with pytest.raises(DataError, match="dimensions"):
        pair(bad, [1, 2], MEAN)  # type: ignore[arg-type]


@pytest.mark.parametrize("huge", [2**54, -(2**54), 2**63 - 1, -(2**63)])
def test_integers_too_large_to_sum_are_refused(huge: int) -> None:
    with pytest.raises(BadValueError, match="too large to sum exactly"):
        pair([0, 1], [huge, 1], MEAN)


def test_unsigned_integers_do_not_wrap() -> None:
    with pytest.raises(BadValueError, match="too large to sum exactly"):
        pair(np.array([2**64 - 1], dtype=np.uint64), [1], MEAN)


def test_large_sums_are_refused() -> None:
    many = np.full(2**12, 2**52)
    with pytest.raises(BadValueError, match="over 4,096 items"):
        pair(many, many, MEAN)


def test_float_noise_is_a_tie() -> None:
    made = pair([0.1 + 0.2, 1e-30, 1e11], [0.3, 2e-30, 1e11 + 1], MEAN)
    assert made.differences()[:, 0].tolist() == [0.0, 1e-30, 1.0]


def test_float32_is_noisy_at_its_own_precision() -> None:
    a, b = np.array([0.1, 0.1], "f4") + np.float32(0.6), np.array([0.7, 0.8], "f4")
    assert a[0] != b[0]
    assert (pair(a, b, MEAN).differences()[:, 0] != 0).tolist() == [False, True]


def test_binary() -> None:
    assert pair([0.0, 1.0], [True, False], MEAN).is_binary
    assert not pair([0, 1], [2, 1], MEAN).is_binary
    assert not pair([0, 1], [0.5, 1], MEAN).is_binary


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.sampled_from("abcd")), min_size=1))
@settings(deadline=None, max_examples=100)
def test_cluster_sums_are_exact(rows: list[tuple[int, str]]) -> None:
    values = np.array([x for x, _ in rows])
    made = pair(np.zeros(len(rows), int), values, MEAN, [label for _, label in rows])
    expected: dict[str, int] = defaultdict(int)
    for value, label in rows:
        expected[label] += value
    sums = made.per_unit(made.differences())[:, 0]
    assert made.n_clusters == len(expected)
    assert sums.tolist() == [expected[label] for label in sorted(expected)]


def test_without_clusters_items_are_the_units() -> None:
    made = pair([1, 2], [3, 4], MEAN)
    assert made.clusters is None
    assert made.n_clusters == 2
    assert made.per_unit(made.a) is made.a


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
