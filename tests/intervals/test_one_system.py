"""One system's interval against plain twins: fractions, enumeration, leave-one-out by hand."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.data.pair import Joint
from betterthan.data.pairing import joint_of, pair_of
from betterthan.errors import Remedy, UsageError
from betterthan.intervals.bounded import bounded_ratio
from betterthan.intervals.ends import Ends
from betterthan.intervals.one_system import score_interval
from betterthan.intervals.quantiles import binomial_rank
from betterthan.intervals.unconditional import BETA, unconditional_pvalue
from betterthan.metrics import BLEU, F1, MEDIAN, WER, Metric, blackbox, mean, ratio, sums
from betterthan.resampling.generator import binomial_ends
from betterthan.testing.request import Request
from simulated_nulls import bleu_counts


def joint(values: Any, metric: Metric | None = None, clusters: Any = None) -> Joint:
    return joint_of({"x": values}, metric or mean(), clusters)


def interval(values: Any, metric: Metric | None = None, clusters: Any = None, **how: Any) -> Ends:
    bounds = how.pop("bounds", None)
    return score_interval(joint(values, metric, clusters), Request(**{"rng": 0} | how), bounds)


def binomial_tail(k: int, n: int, p: Fraction) -> Fraction:
    """P(Binomial(n, p) >= k)."""
    return sum((math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)), Fraction(0))


@given(n=st.integers(1, 40), data=st.data())
def test_clopper_pearson_leaves_its_tail_on_either_side(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    low, high = binomial_ends(k, n, 0.025)
    if k:
        assert float(binomial_tail(k, n, Fraction(low))) == pytest.approx(0.025, rel=1e-9)
    if k < n:
        fewer = 1 - binomial_tail(k + 1, n, Fraction(high))
        assert float(fewer) == pytest.approx(0.025, rel=1e-9)
    assert (low == 0.0) == (k == 0)
    assert (high == 1.0) == (k == n)


@pytest.mark.parametrize("n", [1, 5, 20])
def test_every_rate_is_covered(n: int) -> None:
    """All outcomes of 0/1 scores, weighed by their chance, at rates between 0 and 1."""
    made = [interval([1] * k + [0] * (n - k)) for k in range(n + 1)]
    for p in np.linspace(0.0, 1.0, 101).tolist():
        chance = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        covered = sum(c for c, one in zip(chance, made, strict=True) if one.low <= p <= one.high)
        assert covered >= 0.95


def exponential_sum_below_zero(weights: list[Fraction]) -> Fraction:
    """P(sum of w E <= 0) for distinct weights: partial fractions of the law's transform."""
    total = Fraction(0)
    for i, w in enumerate(weights):
        if w < 0:
            others = (w / (w - v) for j, v in enumerate(weights) if j != i)
            total += math.prod(others, start=Fraction(1))
    return total


@given(st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True))
def test_gaffkes_ends_leave_their_tail(thousandths: list[int]) -> None:
    values = [Fraction(k, 1000) for k in thousandths]
    found = interval([float(v) for v in values], bounds=(0.0, 1.0))
    low, high = Fraction(found.low), Fraction(found.high)
    below = exponential_sum_below_zero([-low, *(v - low for v in values)])
    above = exponential_sum_below_zero([high - 1, *(high - v for v in values)])
    assert float(below) == pytest.approx(0.025, rel=1e-5)
    assert float(above) == pytest.approx(0.025, rel=1e-5)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30))
def test_gaffke_is_clopper_pearson_on_clusters_of_one(correct: list[int]) -> None:
    alone = interval(correct)
    clustered = interval(correct, clusters=range(len(correct)))
    assert "Clopper-Pearson" in alone.method
    assert clustered.method.startswith("Gaffke")
    assert clustered.low == pytest.approx(alone.low, abs=2e-8)
    assert clustered.high == pytest.approx(alone.high, abs=2e-8)


def test_bounds_are_moved_and_scaled_with_the_scores() -> None:
    ratings = [1, 5, 4, 4, 3, 5, 2]
    found = interval(ratings, bounds=(1.0, 5.0))
    same = interval([(r - 1) / 4 for r in ratings], bounds=(0.0, 1.0))
    assert found.low == pytest.approx(1 + 4 * same.low, abs=1e-7)
    assert found.high == pytest.approx(1 + 4 * same.high, abs=1e-7)
    assert interval([5] * 5, bounds=(1.0, 5.0)).high == 5.0


def test_a_ratio_is_a_mean_over_clusters_of_its_denominators() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, 20)
    right = rng.binomial(sizes, 0.8)
    rate = ratio({"hit": 1}, {"all": 1}, percent=True)
    whole = interval(np.column_stack((right, sizes)), rate)
    single = np.concatenate([[1] * k + [0] * (n - k) for k, n in zip(right, sizes, strict=True)])
    clustered = interval(single, clusters=np.repeat(np.arange(20), sizes))
    assert whole.low == pytest.approx(clustered.low, abs=1e-7)
    assert whole.high == pytest.approx(clustered.high, abs=1e-7)


def test_f1_of_nothing_to_find_may_be_anything() -> None:
    nothing = interval(np.zeros((5, 3), dtype=int), F1)
    assert (nothing.low, nothing.high) == (-math.inf, math.inf)
    perfect = interval(np.array([[2, 0, 0]] * 5), F1)
    assert perfect.high == 1.0
    assert 0.4 < perfect.low < 0.5


@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=25).filter(
        lambda x: len(set(x)) > 1 and not set(x) <= {0, 1}
    )
)
def test_other_means_have_students(values: list[int]) -> None:
    found = interval(values)
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_each_system_is_judged_by_its_own_scores() -> None:
    rng = np.random.default_rng(0)
    answers, shares = rng.integers(0, 2, 40), rng.random(40).round(2)
    both = bt.score(bt.Scores.from_arrays({"a": answers, "b": shares}))
    alone = [bt.score(bt.Scores.from_arrays({n: x}))[0] for n, x in (("a", answers), ("b", shares))]
    assert [x.interval for x in both] == [x.interval for x in alone]
    assert ["Clopper" in x.interval.method for x in both] == [True, False]


def test_nothing_is_certain() -> None:
    for values in ([5.0] * 9, [3.7]):
        found = interval(values)
        assert (found.low, found.high) == (-math.inf, math.inf)
    right = interval([1] * 9)
    assert 0.6 < right.low < right.high == 1.0
    clustered = interval([1] * 9, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])
    assert clustered.low < right.low


def test_direction_order_and_shift_leave_no_trace() -> None:
    rng = np.random.default_rng(1)
    x = rng.lognormal(size=30).round(3)
    first, lowered = interval(x), interval(x, mean(lower_is_better=True))
    assert (first.low, first.high) == (lowered.low, lowered.high)
    assert interval(x[::-1]) == first
    moved = interval(x + 100)
    assert moved.low == pytest.approx(first.low + 100)
    assert moved.high == pytest.approx(first.high + 100)


def test_errors_per_word_are_quotients_of_sums() -> None:
    errors, words = np.array([0, 3, 1, 0, 9, 2, 0, 1]), np.array([5, 9, 7, 4, 6, 8, 5, 6])
    found = interval(np.column_stack((errors, words)), WER)
    assert 0.0 <= found.low < errors.sum() / words.sum() < found.high


def test_median_ranks_by_enumeration() -> None:
    for n in range(1, 40):
        below = [Fraction(math.comb(n, j), 2**n) for j in range(n + 1)]
        # The k-th value lies above the median if fewer than k values lie below it.
        allowed = [k for k in range(1, (n + 1) // 2 + 1) if sum(below[:k]) <= Fraction(1, 40)]
        assert binomial_rank(n, 0.5, 0.025) == max(allowed, default=0)
    x = np.arange(20.0)[::-1]
    found = interval(x, MEDIAN)
    assert (found.low, found.high) == (5.0, 14.0)
    few = interval(x[:5], MEDIAN)
    assert (few.low, few.high) == (-math.inf, math.inf)
    assert binomial_rank(1_000_001, 0.5, 0.025) == pytest.approx(500_000 - 980, abs=2)


def test_bleu_by_leaving_out_each_sentence() -> None:
    counts = bleu_counts(12)(np.random.default_rng(2))[0]
    found = interval(counts, BLEU)
    whole = BLEU.score(counts.astype(float))
    left = [BLEU.score(np.delete(counts, k, axis=0).astype(float)) for k in range(12)]
    error = math.sqrt(11 / 12 * sum((x - np.mean(left)) ** 2 for x in left))
    half = stats.t.ppf(0.975, 11) * error
    assert found.low == pytest.approx(max(whole - half, 0.0), rel=1e-9)
    assert found.high == pytest.approx(min(whole + half, 1.0), rel=1e-9)


def test_unequal_clusters_of_sentences_count_for_less() -> None:
    counts = bleu_counts(40)(np.random.default_rng(3))[0]
    equal = interval(counts, BLEU, np.arange(40) // 5)
    unequal = interval(counts, BLEU, np.minimum(np.arange(40), 7))  # one cluster of 33, seven of 1
    assert unequal.high - unequal.low > 1.5 * (equal.high - equal.low)


def test_other_functions_of_sums_and_black_boxes() -> None:
    rng = np.random.default_rng(4)
    x = np.column_stack((rng.normal(5, 1, 25), np.ones(25)))
    made = interval(x, sums(("v", "one"), lambda total: total[..., 0] / total[..., 1]))
    error = x[:, 0].std(ddof=1) / 5
    assert made.low == pytest.approx(x[:, 0].mean() - stats.t.ppf(0.975, 24) * error)
    box = blackbox(lambda values: float(values.mean()))
    first, again = interval(x[:, 0], box, rng=5), interval(x[::-1, 0], box, rng=5)
    assert first == again
    assert first.low == pytest.approx(made.low, abs=0.1)
    assert first.high == pytest.approx(made.high, abs=0.1)
    with pytest.raises(UsageError, match="say nothing about"):
        interval(x[:, 0], box, bounds=(0.0, 10.0))


def test_estimate_has_rows_for_systems_metrics_and_subsets() -> None:
    scores = bt.Scores.from_arrays(
        {"a": [1, 0, 1, 1], "b": [1, 1, 1, 1]}, groups={"lang": ["de", "de", "en", "en"]}
    )
    found = bt.score(scores, by="lang")
    assert [(e.system, e.subset, e.n) for e in found] == [
        ("a", None, 4),
        ("b", None, 4),
        ("a", "lang=de", 2),
        ("b", "lang=de", 2),
        ("a", "lang=en", 2),
        ("b", "lang=en", 2),
    ]
    assert bt.score(scores.select("b"))[0].score == found["b"].score == 1.0
    assert bt.score(scores, alpha=0.5)[0].interval.high < found[0].interval.high
    assert found[0].interval.of == "score"
    assert "level:0.95" in found.signature
    assert repr(found) == "<SystemScores: a 0.75 [0.19, 0.99] and 5 more>"
    for wrong in ({"alpha": 95}, {"bounds": (5, 1)}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            bt.score(scores, **wrong)


def test_bounds_that_scores_exceed_are_widened_by_the_remedy() -> None:
    scores = bt.Scores.from_arrays({"a": [1, 2, 6, 3]})
    with pytest.raises(UsageError) as caught:
        bt.score(scores, bounds=(1, 5))
    assert caught.value.remedy == Remedy("", "bounds", (1, 6))


def test_resamples_of_a_black_box_may_be_chosen() -> None:
    scores = bt.Scores.from_arrays({"a": np.random.default_rng(0).random(40)})
    box = blackbox(lambda values: float(values.max()))
    found = bt.score(scores, metric=box, resamples=300)[0]
    assert "(300 resamples)" in found.interval.method


def test_tasks_are_estimated_one_by_one() -> None:
    scores = bt.Scores.from_arrays(
        {"a": [1, 0, 1, 1, 1, 0]}, groups={"task": ["qa"] * 4 + ["nli"] * 2}
    ).with_tasks("task")
    found = bt.score(scores)
    assert [(e.subset, e.n, e.score) for e in found] == [("task=nli", 2, 0.5), ("task=qa", 4, 0.75)]
    assert any("each task by itself" in note for note in found.notes)


def test_repeats_of_items_are_no_new_items() -> None:
    once = bt.Scores.from_arrays({"a": [1, 0, 1, 1, 1, 0]})
    thrice = bt.Scores.from_responses({"a": [[x] * 3 for x in (1, 0, 1, 1, 1, 0)]})
    first, second = bt.score(once)[0], bt.score(thrice)[0]
    assert second.percent
    assert second.interval.low == pytest.approx(first.interval.low, abs=1e-7)
    assert second.interval.high == pytest.approx(first.interval.high, abs=1e-7)


def test_ratings_that_are_all_one_are_ratings() -> None:
    """Another system's scores, or bounds that are declared, say that 1 is no success."""
    ratings = bt.Scores.from_arrays({"base": [1] * 10, "new": [2] * 10})
    alone, other = bt.score(ratings)
    assert (alone.percent, other.percent) == (False, False)
    assert alone.interval.method == other.interval.method
    (bounded,) = bt.score(ratings.select("base"), bounds=(1, 5))
    assert "from 1 to 5" in bounded.interval.method
    assert (bounded.percent, bounded.interval.low) == (False, 1.0)
    rate = bt.Scores.from_arrays({"new": [1] * 9 + [0]})
    plain = bt.score(rate)[0].interval
    for bounds in ((0, 1), (0, 100)):
        assert bt.score(rate, bounds=bounds)[0].interval == plain


def test_the_order_of_systems_and_tasks_leaves_the_hash_alone() -> None:
    rows = [
        {"item": f"{task}{k}", "task": task, "system": name, "score": (k * 7 + len(name)) % 3}
        for task in ("qa", "mt")
        for k in range(9)
        for name in ("base", "new")
    ]

    def hashed(rows: list[dict[str, Any]]) -> str:
        scores = bt.read(pl.DataFrame(rows), columns={"task": "task"})
        return bt.score(scores).signature.rpartition("data:")[2]

    assert len({hashed(rows), hashed(rows[::-1]), hashed(rows[1::2] + rows[::2])}) == 1
    wide = {"base": [0, 1, 1, 1], "new": [1, 1, 0, 0]}
    turned = dict(reversed(wide.items()))
    one, other = (bt.score(bt.Scores.from_arrays(x)).signature for x in (wide, turned))
    assert one == other


# -- bounds of a difference, where every score has bounds ------------------------------------------


def test_scores_at_a_bound_end_there() -> None:
    """What cannot be lower has no lower end, and a level that all data reject ends at the data."""
    lowest = interval([0.0] * 10, clusters=[0, 1, 2, 3, 4] * 2, bounds=(0.0, 1.0))
    assert lowest.low == 0.0
    assert lowest.high == pytest.approx(1 - 0.025 ** (1 / 5))
    gains = bounded_ratio(pair_of([1, 2, 3.0, 1], [2, 2, 4, 1], mean()), (1, 5))
    assert gains is not None
    assert gains.lower(0.95) == gains.delta == 0.5
    assert gains.lower(0.3) < gains.lower(0.5) < 0.5
    assert gains.above(gains.lower(0.3)) == pytest.approx(0.3, rel=1e-6)


def test_a_baseline_of_empty_denominators_may_have_any_score() -> None:
    known = bounded_ratio(pair_of([[0, 0, 0]] * 5, [[0, 1, 0]] * 5, F1))
    assert known is not None
    assert known.references[[0, -1]].tolist() == [0.0, 1.0]
    assert (known.delta, known.lower(0.05)) == (0.0, -1.0)


@pytest.mark.parametrize(("n", "margin"), [(3, 0.9), (5, 0.5), (20, 0.97)])
def test_all_wins_have_the_chance_of_their_worst_case(n: int, margin: float) -> None:
    """Win - loss = margin with no tie: all n won with ((1 + margin) / 2)^n."""
    worst = Fraction((1 + Fraction(margin)) / 2) ** n
    low, high = unconditional_pvalue(n, 0, n, margin)
    assert low <= float(worst) + BETA * 1.001
    assert float(worst) <= high <= float(worst) + 2e-3
    assert unconditional_pvalue(0, n, n, -margin) == (1.0, 1.0)
    assert unconditional_pvalue(0, n, n, 0.0)[1] == 1.0
