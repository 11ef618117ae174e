import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from betterthan.comparison.multiplicity import Bracket, adjust, levels
from betterthan.errors import BadValueError, Remedy, UsageError

STATSMODELS = {
    "bonferroni": "bonferroni",
    "hochberg": "simes-hochberg",
    "sidak": "sidak",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
pvalues = st.lists(
    st.floats(1e-12, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=12
)
METHODS = ["holm", *STATSMODELS, "none"]


@pytest.mark.parametrize("method", STATSMODELS)
@given(p=pvalues)
@settings(deadline=None, max_examples=100)
def test_against_statsmodels(method: str, p: list[float]) -> None:
    with np.errstate(divide="ignore"):
        expected = multipletests(p, method=STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-12)


def slow_holm(p: list[float]) -> list[float]:
    """The largest of m p_(1), (m - 1) p_(2), ... up to one's own place, as Holm has it."""
    ordered = sorted(p)
    steps = [min(1.0, (len(p) - k) * x) for k, x in enumerate(ordered)]
    return [max(steps[: ordered.index(x) + 1]) for x in p]


@given(p=pvalues)
@settings(deadline=None, max_examples=100)
def test_holm_against_its_slow_twin(p: list[float]) -> None:
    assert adjust(p, "holm").tolist() == slow_holm(p)


@given(p=st.lists(st.sampled_from([0.0, 1e-3, 0.01, 0.011, 0.2, 1.0]), min_size=1, max_size=12))
@settings(deadline=None, max_examples=100)
def test_holm_of_p_values_and_how_often_they_occur(p: list[float]) -> None:
    distinct, times = np.unique(p, return_counts=True)
    back = np.searchsorted(distinct, p)
    assert adjust(distinct, times=times)[back].tolist() == slow_holm(p)


@pytest.mark.parametrize("method", METHODS)
@given(p=pvalues, seed=st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_properties(method: str, p: list[float], seed: int) -> None:
    adjusted = adjust(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(np.random.default_rng(seed).random(len(p)))
    np.testing.assert_array_equal(adjust(np.array(p)[order], method), adjusted[order])
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    np.testing.assert_allclose(
        adjust(np.log10(p), method, log10=True), np.log10(adjusted), atol=1e-12
    )


@pytest.mark.parametrize("method", METHODS)
@given(p=pvalues, alpha=st.sampled_from([0.2, 0.05, 1e-3, 1e-9]))
@settings(max_examples=100)
def test_what_is_rejected_is_below_its_own_level(method: str, p: list[float], alpha: float) -> None:
    """An adjusted p-value is at most alpha exactly if p is at most what it was compared with."""
    adjusted, own = adjust(p, method), levels(p, method, alpha)
    clear = abs(adjusted / alpha - 1.0) > 1e-9  # of rounding
    assert ((adjusted <= alpha) == (np.array(p) <= own))[clear].all()
    assert (own <= alpha).all()
    assert (own >= alpha / len(p) / sum(1 / k for k in range(1, len(p) + 1)) * (1 - 1e-9)).all()


def test_one_comparison_needs_no_adjustment() -> None:
    for method in METHODS:
        assert adjust([0.03], method).tolist() == [0.03]
        assert adjust([], method).tolist() == []


def test_logarithms_survive_where_pvalues_underflow() -> None:
    np.testing.assert_allclose(
        adjust([-400.0, -500.0], "holm", log10=True), [-400.0, -500.0 + np.log10(2)]
    )
    assert adjust([5e-324, 1.0]).min() > 0
    np.testing.assert_allclose(
        adjust([-400.0, -500.0], "sidak", log10=True), [-400.0 + np.log10(2), -500.0 + np.log10(2)]
    )


@pytest.mark.parametrize("bad", [[0.1, float("nan")], [-0.1, 0.5], [1.1]])
def test_what_is_no_pvalue_is_refused(bad: list[float]) -> None:
    for method in METHODS:
        with pytest.raises(BadValueError, match="not p-values"):
            adjust(bad, method)
    with pytest.raises(BadValueError, match="log10 p-values at most 0"):
        adjust([0.1], log10=True)


def test_unknown_method_and_shape() -> None:
    with pytest.raises(UsageError) as caught:
        adjust([0.1], "bonferoni")
    assert caught.value.remedy == Remedy("", "correction", "bonferroni")
    with pytest.raises(UsageError, match="one dimension"):
        adjust([[0.1]])


@given(
    st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 3).map(sorted), min_size=1, max_size=6),
    st.sampled_from(METHODS),
)
def test_bounds_stay_bounds_of_what_is_adjusted(rows: list[list[float]], method: str) -> None:
    low, value, high = np.array(rows).T
    log10 = np.log10(np.maximum(value, 1e-300))
    made = Bracket(value, low, high, log10, ["sampled"] * len(rows)).adjusted(method)
    assert (made.low <= made.value).all()
    assert (made.value <= made.high).all()
    assert made.value.tolist() == adjust(value, method).tolist()


def test_what_rests_on_a_sampled_p_is_sampled() -> None:
    p = np.array([0.01, 0.04])
    made = Bracket(p, p, p, np.log10(p), ["sampled", "exact"])
    assert made.adjusted("holm").kinds == ["sampled", "sampled"]
    assert made.adjusted("none").kinds == ["sampled", "exact"]
