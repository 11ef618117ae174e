"""Padding: two items more, one won and one lost."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.data.pair import Pair
from betterthan.data.pairing import pair_of
from betterthan.intervals.choice import difference_interval
from betterthan.intervals.padding import padded_interval, stakes
from betterthan.metrics import F1, mean, ratio
from betterthan.numeric import Floats, Ints

ratings = st.lists(st.tuples(st.integers(2, 6), st.integers(2, 6)), min_size=2, max_size=40)


@given(ratings)
@settings(deadline=None)
def test_the_padded_interval_is_students_of_the_longer_data(drawn: list[tuple[int, int]]) -> None:
    a, b = np.array(drawn).T
    made = pair_of(a, b, mean())
    reach = max(a.max(), b.max()) - min(a.min(), b.min())
    assert stakes(made) == reach
    longer = np.append(b - a, [reach, -reach])
    found = padded_interval(made, confidence=0.95, alternative="two-sided")
    assert found is not None
    if reach:
        expected = stats.ttest_1samp(longer, 0.0).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_real_scores_are_padded_by_their_largest_difference() -> None:
    a = np.sqrt(np.arange(1.0, 21.0)) - 2.0
    d = np.linspace(-0.3, 0.7, 20) * math.pi
    made = pair_of(a, a + d, mean())
    assert stakes(made) == pytest.approx(0.7 * math.pi)
    longer = np.append(d, np.array([0.7, -0.7]) * math.pi)
    expected = stats.ttest_1samp(longer, 0.0).confidence_interval(0.95)
    found = padded_interval(made, confidence=0.95, alternative="two-sided")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=30).filter(
        lambda drawn: len({*sum(drawn, ())}) > 2  # 0/1 scores have a law of their own
    ),
    st.sampled_from([100, 10, 2, 50]),
)
@settings(deadline=None, max_examples=60)
def test_percentages_have_the_interval_of_the_shares(
    drawn: list[tuple[int, int]], whole: int
) -> None:
    """Of thousandths, and of the same in percent or points of ten; whole ones may be ratings."""
    assume((np.array(drawn) * whole % 1000).any())
    a, b = np.array(drawn).T / 1000
    shares, points = (pair_of(a * k, b * k, mean()) for k in (1, whole))
    one, other = (
        difference_interval(made, confidence=0.95, alternative="two-sided")
        for made in (shares, points)
    )
    assert (other.low / whole, other.high / whole) == pytest.approx((one.low, one.high), abs=1e-9)


def test_scores_between_0_and_1_are_padded_by_the_largest_of_them() -> None:
    """An item may fail altogether though all of them differ by a little."""
    rng = np.random.default_rng(5)
    a = rng.uniform(0.6, 0.9, 30)
    b = a + rng.normal(0.0, 0.01, 30)
    made, largest = pair_of(a, b, mean()), max(a.max(), b.max())
    assert stakes(made) == pytest.approx(largest)
    expected = stats.ttest_1samp(np.append(b - a, [largest, -largest]), 0.0)
    found = difference_interval(made, confidence=0.95, alternative="two-sided")
    assert (found.low, found.high) == pytest.approx(expected.confidence_interval(0.95))
    codes: Ints = np.repeat(np.arange(10), 3)
    assert stakes(pair_of(a, b, mean(), codes)) == pytest.approx(largest)
    seconds = pair_of(a, b, mean(lower_is_better=True))  # a later one may be larger
    assert stakes(seconds) == pytest.approx(np.abs(b - a).max())


def test_the_jackknife_of_unequal_clusters_has_their_degrees_of_freedom() -> None:
    rng = np.random.default_rng(6)
    sizes = np.array([40, 1, 2, 5, 3, 9])
    codes: Ints = np.repeat(np.arange(6), sizes)
    a, b = rng.integers(0, 4, (2, sizes.sum(), 3))

    def gain(kept: Ints) -> float:
        tp, fp, fn = (np.array([x[kept].sum(axis=0) for x in (a, b)])).T
        first, second = 2 * tp / (2 * tp + fp + fn)
        return float(second - first)

    everything = np.arange(sizes.sum())
    without = np.array([gain(everything[codes != k]) for k in range(6)])
    part = 6 / sizes.sum()
    bare = 5**2 * np.square(without - without.mean()).sum()
    delta, units = gain(everything), 6 + 2 * part
    centre = 6 * delta / units
    squares = bare + 2 * (0.5 * part) ** 2 + 6 * (delta - centre) ** 2 + 2 * part * centre**2
    df = _satterthwaite(sizes / sizes.sum(), sizes)
    assert df < 2.5
    half = stats.t.ppf(0.975, df) * math.sqrt(bare / (6 * 5))
    wide = stats.t.ppf(0.975, df + 2 * part) * math.sqrt(squares / (units * (units - 1)))
    made = pair_of(a, b, F1, codes)
    found = difference_interval(made, confidence=0.95, alternative="two-sided")
    expected = min(delta - half, centre - wide), max(delta + half, centre + wide)
    assert (found.low, found.high) == pytest.approx(expected)


def _satterthwaite(share: Floats, sizes: Ints) -> float:
    """Bell and McCaffrey's, by matrices: the smaller one of the two laws."""
    residuals = np.eye(6) - np.outer(np.ones(6), share)  # of the clusters' means
    form = residuals * (share / np.sqrt(1.0 - share))[:, None]
    found = []
    for law in (np.diag(1.0 / sizes), np.eye(6)):
        matrix = form @ law @ form.T
        found.append(float(np.trace(matrix) ** 2 / np.trace(matrix @ matrix)))
    return min(found)


def test_where_most_items_tie_the_whole_range_counts() -> None:
    errors = np.array([0, 0, 3, 25, 0, 1, 0, 5])
    other = errors + np.array([1, 0, 0, 0, 0, 0, 0, 0])
    assert stakes(pair_of(errors, other, mean(lower_is_better=True))) == 25.0


def test_clusters_are_padded_by_items_where_few_differ() -> None:
    codes: Ints = np.repeat(np.arange(10), 5)
    right = np.arange(50) % 3 == 0
    same = pair_of(right, right, mean(), codes)
    assert stakes(same) == 1.0
    found = difference_interval(same, confidence=0.95, alternative="two-sided")
    assert -found.low == pytest.approx(found.high)
    assert 0.03 < found.high < 0.2  # t quantile times sqrt(2) / 52, or more
    rng = np.random.default_rng(0)
    real = pair_of(rng.normal(size=50), rng.normal(size=50), mean(), codes)
    assert stakes(real) is None


def test_a_tally_of_clusters_has_no_items_to_pad_by() -> None:
    made = Pair.of_tally([[3, 4], [1, 1], [0, 2]], [4, 5, 6], mean(), sizes=[5, 3, 2])
    assert stakes(made) is None
    assert padded_interval(made, confidence=0.95, alternative="two-sided") is None


def test_equal_ratings_have_an_interval_of_some_width() -> None:
    a = np.tile([1, 2, 3, 4, 5], 10)
    found = difference_interval(pair_of(a, a, mean()), confidence=0.95, alternative="two-sided")
    expected = stats.t.ppf(0.975, 51) * math.sqrt(32 / 52 / 51)
    assert (found.low, found.high) == pytest.approx((-expected, expected))
    assert found.method.endswith("widened to the padded t interval")


def test_ratios_of_ones_own_are_padded_as_named_ones() -> None:
    """An item's score lies between 0 and 1 in either, and both ends come up."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, (2, 30, 3))
    a[0], a[1] = (3, 0, 0), (0, 1, 1)
    intervals = [
        difference_interval(
            pair_of(a, b, ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}, percent=percent)),
            confidence=0.95,
            alternative="two-sided",
        )
        for percent in (True, False)
    ]
    assert intervals[0] == intervals[1]


def test_a_ratio_without_a_scale_is_padded_by_what_its_items_score() -> None:
    """Errors per hour: ten times the hours per unit make everything ten times as large."""
    rng = np.random.default_rng(4)
    hours = rng.integers(1, 9, 40)
    a, b = (np.column_stack((rng.poisson(3 * hours), hours)) for _ in range(2))
    metric = ratio({"errors": 1}, {"hours": 1}, lower_is_better=True)
    one, ten = (
        difference_interval(
            pair_of(x * [k, 1], y * [k, 1], metric), confidence=0.95, alternative="two-sided"
        )
        for x, y, k in ((a, b, 1), (a, b, 10))
    )
    assert (ten.low, ten.high) == pytest.approx((10 * one.low, 10 * one.high))
    assert one.method == "padded jackknife t"


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30),
    st.sampled_from([0, 10, 1000]),
    st.sampled_from([0.5, 0.9, 0.95]),
)
@settings(deadline=None)
def test_a_ratio_with_one_denominator_has_students_interval_of_the_longer_data(
    drawn: list[tuple[int, int]], gain: int, confidence: float
) -> None:
    """Scores per item are means then; two items around 0 do not draw the interval off its gain."""
    a, b = np.array(drawn).T
    b = b + gain
    ones = np.ones(len(a), dtype=np.int64)
    found = difference_interval(
        pair_of(np.c_[a, ones], np.c_[b, ones], ratio({"x": 1}, {"n": 1})),
        confidence=confidence,
        alternative="two-sided",
    )
    half = (max(a.max(), b.max()) - min(a.min(), b.min())) / 2.0
    ends = [
        stats.ttest_1samp(d, 0.0).confidence_interval(confidence)
        for d in (b - a, np.append(b - a, [half, -half]))
        if np.ptp(d) > 0
    ] or [(0.0, 0.0)]
    mean_gain = float(np.mean(b - a))
    low, high = min(mean_gain, *(e[0] for e in ends)), max(mean_gain, *(e[1] for e in ends))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("constant", [5, 0.7, 3.25, -2])
def test_one_and_the_same_score_tells_nothing_about_others(constant: float) -> None:
    # Candidates that lose four points on 8 % of the items agree on all of 20 in 19 sets of 100.
    found = bt.compare(bt.Scores.from_arrays({"a": [constant] * 20, "b": [constant] * 20}))
    low, high = found.interval.low, found.interval.high
    assert low < 0 < high
    if constant == int(constant):  # others are shares or percentages, of which all may be lost
        assert (low, high) == (-math.inf, math.inf)
        assert "no spread observed" in found.interval.method
