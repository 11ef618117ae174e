"""The paired bootstrap against the law of all n**n resamples, and against plain loops."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan import metrics
from betterthan.data.pairing import joint_of
from betterthan.errors import BadValueError, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Alternative
from betterthan.resampling.draws import bootstrap_counts
from betterthan.resampling.replicas import Replicas
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.contrasts import Contrasts
from betterthan.testing.montecarlo import LOOKS
from betterthan.testing.request import Request
from betterthan.testing.values import Variant
from oracles_bootstrap import ALTERNATIVES, VARIANTS, Law, bootstrap_pvalue, resampled_law

QUESTIONS = [
    (cast(Variant, variant), cast(Alternative, alternative))
    for variant in VARIANTS
    for alternative in ALTERNATIVES
]
Row = tuple[Sequence[Any], Sequence[Any]]  # what the baseline and the candidate have on an item
Score = Callable[[Sequence[Sequence[Any]]], Fraction]


# -- the oracle -----------------------------------------------------------------------------------


def law_of(
    rows: Sequence[Row], score: Score, clusters: Sequence[int] | None = None, sign: int = 1
) -> tuple[Law, Fraction]:
    """Law of the resampled delta, and delta."""

    def delta(drawn: Sequence[Row]) -> Fraction:
        return sign * (score([b for _, b in drawn]) - score([a for a, _ in drawn]))

    labels = list(range(len(rows))) if clusters is None else list(clusters)
    units = [
        [row for row, label in zip(rows, labels, strict=True) if label == one]
        for one in sorted(set(labels))
    ]
    return resampled_law(units, delta), delta(rows)


def mean(rows: Sequence[Sequence[Any]]) -> Fraction:
    return sum((Fraction(row[0]) for row in rows), Fraction(0)) / len(rows)


def quotient(rows: Sequence[Sequence[Any]]) -> Fraction:
    below = sum(row[1] for row in rows)
    return Fraction(sum(row[0] for row in rows), below) if below else Fraction(0)


def f1(rows: Sequence[Sequence[Any]]) -> Fraction:
    tp, fp, fn = (sum(row[k] for row in rows) for k in range(3))
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else Fraction(0)


def median(rows: Sequence[Sequence[Any]]) -> Fraction:
    ordered = sorted(Fraction(row[0]) for row in rows)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def arrays(rows: Sequence[Row]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.array([a for a, _ in rows]), np.array([b for _, b in rows])


def check_ideal(result: TestResult, exact: Fraction, units: int) -> None:
    """The oracle's value, or, where that is zero, the chance of any one resample."""
    assert result.kind == "exact"
    assert result.engine.startswith("ideal bootstrap")
    exact = exact or Fraction(1, units**units)
    assert result.pvalue == pytest.approx(float(exact), rel=1e-11)
    assert result.pvalue_low <= float(exact) * (1 + 1e-15)
    assert result.pvalue_high >= float(exact) * (1 - 1e-15)


def check_sampled(result: TestResult, exact: Fraction, units: int) -> None:
    """Within five standard errors of the oracle's value."""
    assert result.kind == "sampled"
    assert result.resamples is not None
    p = max(float(exact), float(units) ** -units)
    # A doubled p-value has twice the error of its side; the +1 rule moves it up by 1/b.
    error = 10 * math.sqrt(p * max(1 - p / 2, 0.0) / result.resamples) + 3 / result.resamples
    assert abs(result.pvalue - p) <= error
    assert 0 < result.pvalue_low <= result.pvalue <= result.pvalue_high <= 1 or exact == 0


# -- against all resamples ------------------------------------------------------------------------

whole = st.integers(-3, 3)
items = st.lists(st.tuples(st.tuples(whole), st.tuples(whole)), min_size=1, max_size=4)
small = st.lists(st.tuples(st.tuples(whole), st.tuples(whole)), min_size=2, max_size=4)
count = st.integers(0, 3)


@st.composite
def tokens(draw: st.DrawFn) -> list[Row]:
    """Counts of two systems and a denominator that they share, zero perhaps."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(1, 4))):
        total = draw(st.integers(0, 3))
        a, b = (draw(st.integers(0, total)) for _ in range(2))
        rows.append(((a, total), (b, total)))
    return rows


@given(items, st.sampled_from(QUESTIONS), st.sampled_from([1, 2, 10, 1000]))
@settings(max_examples=120, deadline=None)
def test_a_mean_has_the_law_of_all_resamples(
    rows: list[Row], question: tuple[Variant, Alternative], parts: int
) -> None:
    """Whole numbers, and whole numbers in disguise (halves, tenths, thousandths)."""
    a, b = (x[:, 0] / parts if parts > 1 else x for x in arrays(rows))
    law, delta = law_of(rows, mean)
    result = bt.bootstrap_test(a, b, "mean", *question)
    check_ideal(result, bootstrap_pvalue(law, delta, *question), len(rows))
    assert result.delta == pytest.approx(float(delta) / parts, abs=1e-15)
    lowered = bt.bootstrap_test(-a, -b, metrics.mean(lower_is_better=True), *question)
    assert lowered.pvalue == result.pvalue


@given(items, st.lists(st.integers(0, 2), min_size=5, max_size=5), st.sampled_from(QUESTIONS))
@settings(max_examples=100, deadline=None)
def test_clusters_are_drawn_as_one(
    rows: list[Row], labels: list[int], question: tuple[Variant, Alternative]
) -> None:
    clusters = labels[: len(rows)]
    law, delta = law_of(rows, mean, clusters)
    result = bt.bootstrap_test(*arrays(rows), "mean", *question, clusters=clusters)
    check_ideal(result, bootstrap_pvalue(law, delta, *question), len(set(clusters)))
    assert result.clusters == len(set(clusters))


@given(tokens(), st.sampled_from(QUESTIONS), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_ratio_with_a_varying_denominator_has_the_law_of_all_resamples(
    rows: list[Row], question: tuple[Variant, Alternative], errors: bool
) -> None:
    metric = metrics.WER if errors else metrics.TOKEN_ACCURACY
    law, delta = law_of(rows, quotient, sign=-1 if errors else 1)
    result = bt.bootstrap_test(*arrays(rows), metric, *question)
    check_ideal(result, bootstrap_pvalue(law, delta, *question), len(rows))
    assert result.delta == pytest.approx(float(delta), abs=1e-15)


@given(tokens(), st.lists(st.integers(0, 2), min_size=4, max_size=4), st.sampled_from(QUESTIONS))
@settings(max_examples=60, deadline=None)
def test_a_ratio_in_clusters(
    rows: list[Row], labels: list[int], question: tuple[Variant, Alternative]
) -> None:
    clusters = labels[: len(rows)]
    law, delta = law_of(rows, quotient, clusters)
    result = bt.bootstrap_test(*arrays(rows), metrics.TOKEN_ACCURACY, *question, clusters=clusters)
    check_ideal(result, bootstrap_pvalue(law, delta, *question), len(set(clusters)))


def test_negative_denominators_of_one_sign() -> None:
    metric = metrics.ratio({"x": 1}, {"y": -1})
    rows: list[Row] = [((1, 2), (3, 2)), ((2, 3), (2, 3)), ((0, 1), (1, 1))]
    law, delta = law_of(rows, quotient, sign=-1)
    for question in QUESTIONS:
        result = bt.bootstrap_test(*arrays(rows), metric, *question)
        check_ideal(result, bootstrap_pvalue(law, delta, *question), 3)


@given(small, st.sampled_from(QUESTIONS), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_resampling_a_mean_approaches_the_law(
    rows: list[Row], question: tuple[Variant, Alternative], seed: int
) -> None:
    law, delta = law_of(rows, mean)
    exact = bootstrap_pvalue(law, delta, *question)
    result = bt.bootstrap_test(*arrays(rows), "mean", *question, "sample", resamples=4000, rng=seed)
    check_sampled(result, exact, len(rows))


@given(
    st.lists(st.tuples(st.tuples(count, count, count), st.tuples(count, count, count)),
             min_size=2, max_size=4),
    st.sampled_from(QUESTIONS),
    st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_resampling_f1_approaches_the_law(
    rows: list[Row], question: tuple[Variant, Alternative], seed: int
) -> None:
    law, delta = law_of(rows, f1)
    exact = bootstrap_pvalue(law, delta, *question)
    result = bt.bootstrap_test(
        *arrays(rows), "f1", *question, resamples=4000, rng=seed, clusters=range(len(rows))
    )
    if result.kind == "sampled":  # where both systems share their denominators F1 is ideal too
        check_sampled(result, exact, len(rows))
    else:
        check_ideal(result, exact, len(rows))


@given(small, st.sampled_from(QUESTIONS), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_resampling_a_median_approaches_the_law(
    rows: list[Row], question: tuple[Variant, Alternative], seed: int
) -> None:
    law, delta = law_of(rows, median)
    exact = bootstrap_pvalue(law, delta, *question)
    result = bt.bootstrap_test(*arrays(rows), "median", *question, resamples=1000, rng=seed)
    check_sampled(result, exact, len(rows))


def test_the_ideal_law_is_the_limit_of_resampling() -> None:
    rng = np.random.default_rng(3)
    total = rng.integers(1, 30, 60)
    a, b = (np.column_stack([rng.binomial(total, p), total]) for p in (0.6, 0.63))
    for question in QUESTIONS:
        ideal, sampled = (
            bt.bootstrap_test(a, b, "token-accuracy", *question, method, resamples=200_000, rng=1)
            for method in ("ideal", "sample")
        )
        assert sampled.pvalue_low <= ideal.pvalue <= sampled.pvalue_high
        assert sampled.pvalue_high - sampled.pvalue_low < 0.013


@pytest.mark.parametrize(("wins", "below"), [(40, 1e-7), (200, 1e-30), (800, 1e-290)])
def test_tiny_p_values_keep_their_relative_accuracy(wins: int, below: float) -> None:
    """Twice the wins: a binomial tail, here in big integers."""
    n = 2000
    terms = (math.comb(n, k) * wins**k * (n - wins) ** (n - k) for k in range(2 * wins, n + 1))
    exact = Fraction(sum(terms), n**n)
    result = bt.bootstrap_test([0] * n, [1] * wins + [0] * (n - wins), alternative="greater")
    log10 = math.log10(exact.numerator) - math.log10(exact.denominator)
    assert exact < below
    assert result.log10_pvalue == pytest.approx(log10, abs=1e-9)


# -- against plain loops --------------------------------------------------------------------------


def deltas_of(a: NDArray[Any], b: NDArray[Any], resamples: int, seed: int) -> NDArray[np.float64]:
    """Mean differences of the resamples that this seed draws."""
    rows = np.concatenate(list(bootstrap_counts(len(a), resamples, seed)))
    d = (b - a)[np.lexsort((b, a))]  # units are drawn in the order of their rows
    return np.array([sum(row * d) / len(a) for row in rows.astype(float)])


def test_the_procedure_of_the_paper() -> None:
    """Figure 1 and footnote 2 of Berg-Kirkpatrick et al. (2012), with the +1 rule."""
    a, b = np.random.default_rng(5).normal([[0.0], [0.2]], 1.0, size=(2, 40))
    drawn, delta = deltas_of(a, b, 2000, 7), float((b - a).mean())
    for variant, hits in (("shift", (drawn > 2 * delta).sum()), ("sign", (drawn < 0).sum())):
        result = bt.bootstrap_test(
            a, b, "mean", cast(Variant, variant), "greater", "sample", resamples=2000, rng=7
        )
        assert result.pvalue == (1 + hits) / 2001
    both = bt.bootstrap_test(a, b, method="sample", resamples=2000, rng=7)
    assert both.pvalue == (1 + (np.abs(drawn - delta) > abs(delta)).sum()) / 2001
    doubled = bt.bootstrap_test(a, b, variant="sign", method="sample", resamples=2000, rng=7)
    assert doubled.pvalue == 2 * (1 + (drawn < 0).sum()) / 2001


@pytest.mark.parametrize("variant", VARIANTS)
def test_recentring_moves_resamples_to_the_observed_delta(variant: Variant) -> None:
    """Footnote 3: a maximum is biased downwards in every resample."""
    metric = metrics.blackbox(lambda x: float(x.max()), spelling="max")
    a, b = np.random.default_rng(8).random((2, 25)) ** [[1.0], [4.0]] * [[1.0], [1.2]]
    delta = float(b.max() - a.max())
    rows = np.concatenate(list(bootstrap_counts(25, 1500, 2)))
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    drawn = np.array([b[row > 0].max() - a[row > 0].max() for row in rows])
    moved = drawn - drawn.mean() + delta
    assert abs(drawn.mean() - delta) > 0.02
    expected = {
        ("shift", "two-sided"): (np.abs(moved - delta) >= abs(delta)).mean(),
        ("shift", "greater"): (moved >= 2 * delta).mean(),
        ("sign", "greater"): (moved <= 0).mean(),
        ("sign", "less"): (moved >= 0).mean(),
    }
    for (name, alternative), share in expected.items():
        if name == variant:
            side = cast(Alternative, alternative)
            result = bt.bootstrap_test(
                a, b, metric, variant, side, resamples=1500, recentre=True, rng=2
            )
            assert result.pvalue == pytest.approx((1 + 1500 * share) / 1501, rel=1e-12)
            assert result.pvalue_low < result.pvalue < result.pvalue_high
            assert "recentred" in result.engine
            assert "recentred" in result.signature


def test_recentring_changes_nothing_where_resamples_are_unbiased() -> None:
    a, b = np.random.default_rng(9).integers(0, 9, size=(2, 30))
    ideal = bt.bootstrap_test(a, b)
    recentred = bt.bootstrap_test(a, b, recentre=True, rng=0)
    assert recentred.kind == "sampled"
    assert recentred.pvalue_low <= ideal.pvalue <= recentred.pvalue_high


def test_rounding_breaks_no_ties() -> None:
    """Tenths and thirds as floats have the hits of the whole numbers that they stand for."""
    a, b = np.random.default_rng(1).integers(0, 10, size=(2, 12))
    for question in QUESTIONS:
        exact = bt.bootstrap_test(a, b, "mean", *question, "sample", resamples=3000, rng=4)
        for parts in (10.0, 3.0, 1e9):
            noisy = bt.bootstrap_test(
                a / parts, b / parts, "mean", *question, "sample", resamples=3000, rng=4
            )
            assert noisy.pvalue == exact.pvalue
        # Scores that cancel are no smaller than what they are made of.
        shifted = bt.bootstrap_test(
            a - 1e6, b - 1e6, "mean", *question, "sample", resamples=3000, rng=4
        )
        assert shifted.pvalue == exact.pvalue


# -- degenerate data ------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS)
def test_identical_systems_are_never_significant(question: tuple[Variant, Alternative]) -> None:
    # sacrebleu's paired bootstrap gives 0.0010 for two identical files.
    rng = np.random.default_rng(0)
    cases: list[tuple[NDArray[Any], str]] = [
        (rng.integers(0, 2, (50, 1)), "mean"),
        (rng.normal(size=(50, 1)), "mean"),
        (rng.integers(0, 5, (50, 3)), "f1"),
        (rng.integers(0, 5, (50, 1)), "median"),
    ]
    for x, metric in cases:
        for method in ("auto", "sample"):
            result = bt.bootstrap_test(x, x, metric, *question, method, resamples=99, rng=0)
            assert (result.pvalue, result.delta) == (1.0, 0.0)


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_item_proves_nothing(question: tuple[Variant, Alternative]) -> None:
    for a, b in (([0], [1]), ([0.123456789], [math.pi])):
        for method in ("auto", "sample"):
            result = bt.bootstrap_test(a, b, "mean", *question, method, resamples=99, rng=0)
            assert result.pvalue == 1.0
            assert math.isfinite(result.log10_pvalue)
    assert bt.bootstrap_test([3], [5], "median", *question, resamples=99, rng=0).pvalue == 1.0


def test_few_items_are_said_aloud() -> None:
    x, y = np.random.default_rng(0).integers(0, 2, (2, 60))
    assert bt.bootstrap_test(x, y).notes == ()
    (note,) = bt.bootstrap_test(x, y, clusters=np.arange(60) // 5).notes
    assert note.startswith("only 12 clusters")
    assert bt.bootstrap_test(x[:19], y[:19]).notes[0].startswith("only 19 items")
    assert bt.bootstrap_test([1], [1]).notes[0].startswith("only 1 item:")


def test_verdicts_from_few_or_unequal_clusters_are_refused() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2, (2, 400))
    for codes, worth in (
        (np.arange(400) // 20, "19.0"),  # twenty of one size: nineteen degrees of freedom
        (np.maximum(np.arange(400) - 300, 0), ""),  # one of 301 items, 99 of one
    ):
        scores = bt.Scores.from_arrays({"a": x, "b": y}, clusters=codes.tolist())
        with pytest.raises(UsageError, match=f"count for {worth}") as caught:
            bt.compare(scores, test="bootstrap")
        assert (remedy := caught.value.remedy) is not None
        assert (remedy.parameter, remedy.value) == ("test", "permutation")
        assert bt.compare(scores).test.test == "permutation"
    (note,) = bt.bootstrap_test(x, y, clusters=np.maximum(np.arange(400) - 300, 0)).notes
    assert note.startswith("100 clusters of such sizes count for 1.")
    enough = bt.Scores.from_arrays({"a": x, "b": y}, clusters=(np.arange(400) // 8).tolist())
    assert bt.compare(enough, test="bootstrap").test.notes == ()


def test_constant_differences_have_the_p_value_of_a_single_resample() -> None:
    result = bt.bootstrap_test([0] * 6, [1] * 6)
    assert result.pvalue == pytest.approx(6.0**-6)
    assert result.pvalue_low == 0.0
    assert any("no resample" in note for note in result.notes)
    assert "p = 0" not in str(result).replace("p = 0.000021", "")
    # One resample of 6**6 does speak against the claim here: that is no degenerate case.
    rare = bt.bootstrap_test([0] * 6, [1] * 5 + [0], variant="sign", alternative="greater")
    assert rare.pvalue == pytest.approx(6.0**-6)
    assert rare.pvalue_low > 0
    assert not any("no resample" in note for note in rare.notes)
    sampled = bt.bootstrap_test([0] * 3, [1] * 3, method="sample", resamples=999, rng=0)
    assert sampled.pvalue == pytest.approx(1 / 27)
    assert sampled.pvalue_low <= sampled.pvalue <= sampled.pvalue_high


def test_empty_denominators() -> None:
    nothing = np.zeros((4, 2), dtype=int)
    for question in QUESTIONS:
        for metric in ("token-accuracy", "wer"):
            for method in ("ideal", "sample"):
                result = bt.bootstrap_test(
                    nothing, nothing, metric, *question, method, resamples=99, rng=0
                )
                assert (result.pvalue, result.delta) == (1.0, 0.0)
    # A count without anything to count among has no ideal law, but a score.
    odd = np.array([[1, 0], [1, 2], [0, 3]]), np.array([[0, 0], [2, 2], [1, 3]])
    result = bt.bootstrap_test(*odd, "wer", rng=0)
    assert result.kind == "sampled"
    assert "numerators without a denominator" in result.reason
    mixed = metrics.ratio({"x": 1}, {"y": 1})
    both = np.array([[1, -1], [1, 2]]), np.array([[0, -1], [2, 2]])
    assert "both signs" in bt.bootstrap_test(*both, mixed, rng=0, resamples=99).reason


def test_a_metric_that_is_no_number_on_a_resample_is_refused() -> None:
    metric = metrics.sums(("x", "y"), lambda s: np.where(s[..., 1] > 0, s[..., 0], np.nan))
    a, b = np.array([[1, 0], [2, 1]]), np.array([[3, 0], [1, 1]])
    with pytest.raises(BadValueError, match="NaN or infinite on"):
        bt.bootstrap_test(a, b, metric, rng=0, resamples=99)


# -- one run, many ways ---------------------------------------------------------------------------


def ten_columns(n: int, systems: int, seed: int) -> list[NDArray[np.int64]]:
    """Lengths, matches and totals such as BLEU is made of."""
    rng = np.random.default_rng(seed)
    length = rng.integers(5, 40, n)
    totals = np.stack([length - order for order in range(4)], axis=1)
    return [
        np.column_stack(
            [length + rng.integers(-2, 3, n), length, rng.binomial(totals, 0.5), totals]
        )
        for _ in range(systems)
    ]


def finish(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    precision = np.log((sums[..., 2:6] + 0.1) / sums[..., 6:]).mean(axis=-1)
    return np.asarray(np.exp(precision + np.minimum(0.0, 1.0 - sums[..., 1] / sums[..., 0])))


GEOMETRIC = metrics.sums(tuple("abcdefghij"), finish, spelling="geometric")


@pytest.mark.parametrize("metric", ["f1", "median", GEOMETRIC], ids=str)
def test_same_numbers_for_any_number_of_workers_and_any_pairing(metric: str | Metric) -> None:
    values: list[NDArray[Any]] = list(np.random.default_rng(0).integers(0, 6, (4, 80, 3)))
    draws = 3000
    if metric == "median":
        values, draws = [x[:, :1] for x in values], 300
    if isinstance(metric, Metric):
        values = [*ten_columns(80, 4, 0)]
    parsed = metrics.parse(metric) if isinstance(metric, str) else metric
    pairs = [(0, 1), (2, 3), (3, 0), (1, 2)]
    for question in QUESTIONS:
        variant, alternative = question
        test = bt.tests.Bootstrap(variant=variant)
        options: dict[str, Any] = {"alternative": alternative, "resamples": draws, "rng": 6}
        joint = joint_of({f"s{k}": x for k, x in enumerate(values)}, parsed)
        together = run_tests(joint, pairs, test, Request(workers=2, **options))
        alone = run_tests(joint, pairs[::-1], test, Request(**options))[::-1]
        for (i, j), result, other in zip(pairs, together, alone, strict=True):
            assert result.pvalue == other.pvalue
            assert (result.pvalue_low, result.pvalue_high) == (other.pvalue_low, other.pvalue_high)
            apart = bt.bootstrap_test(values[i], values[j], parsed, *question, rng=6)
            assert result.pvalue_low <= apart.pvalue_high
            assert apart.pvalue_low <= result.pvalue_high
            assert result.delta == apart.delta
            assert result.signature.split("|")[-1] == apart.signature.split("|")[-1]
            assert "4 pairs share one set of resamples" in result.reason


def test_pairs_with_a_law_are_not_sampled_and_the_others_are() -> None:
    rng = np.random.default_rng(2)
    values = [rng.integers(0, 2, (40, 1)), rng.integers(0, 2, (40, 1)), rng.normal(size=(40, 1))]
    joint = joint_of({f"s{k}": x for k, x in enumerate(values)}, metrics.mean())
    results = run_tests(joint, [(0, 1), (0, 2), (1, 2)], "bootstrap")
    assert [r.kind for r in results] == ["exact", "certified", "certified"]
    many = run_tests(joint, [(0, 1)] * 100 + [(0, 2), (1, 2)] * 50, "bootstrap", Request(rng=0))
    assert [r.kind for r in many] == ["exact"] * 100 + ["sampled"] * 100
    assert results[0].pvalue == bt.bootstrap_test(values[0], values[1]).pvalue
    asked = run_tests(joint, [(0, 1)], "bootstrap(method=sample)", Request(rng=0))
    assert asked[0].kind == "sampled"


def test_sampling_goes_on_while_the_answer_is_unclear() -> None:
    rng = np.random.default_rng(4)
    ask = partial(bt.bootstrap_test, method="sample")
    clear = ask(rng.normal(size=30), rng.normal(size=30), rng=1)
    assert clear.resamples == 20_000
    a, b = rng.normal([[0.0], [0.6]], 1.0, size=(2, 30))
    level = bt.bootstrap_test(a, b).pvalue
    unclear = ask(a, b, alpha=level, rng=1)
    assert unclear.resamples is not None
    assert unclear.resamples > 20_000
    assert unclear.pvalue_high - unclear.pvalue_low < clear.pvalue_high - clear.pvalue_low


def test_more_resamples_for_more_pairs_and_fewer_where_they_cost_more() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 30))

    def looks(metric: Metric, pairs: int) -> tuple[int, ...]:
        joint = joint_of({"a": x, "b": y}, metric)
        return Contrasts.of(joint, [(0, 1)] * pairs).looks_at(0.05)

    assert looks(metrics.mean(), 1) == LOOKS
    # 1,000 pairs times 1 / 160,000 is below 0.05 / 5; 20,000 resamples could not show anything.
    assert looks(metrics.mean(), 1000) == LOOKS[3:]
    assert looks(metrics.MEDIAN, 1) == LOOKS[:5]
    noise = np.random.default_rng(1).normal(size=(400, 20_000))
    wide = Replicas.of(joint_of({f"s{k}": x for k, x in enumerate(noise)}, metrics.mean()))
    assert Contrasts(wide, np.array([0]), np.array([1])).looks_at(0.05) == LOOKS[:1]


def test_progress_counts_up_to_the_total() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 30))
    ask = partial(bt.bootstrap_test, a, b, method="sample", resamples=1500, rng=0)
    for metric in ("mean", "median"):
        seen: list[tuple[int, int]] = []
        ask(metric=metric, progress=lambda *x, to=seen: to.append(x))
        assert seen == [(1024, 1500), (1500, 1500)]


def test_exchanging_the_systems_exchanges_the_sides() -> None:
    a, b = np.random.default_rng(3).integers(0, 9, size=(2, 25))
    for variant in VARIANTS:
        assert (
            bt.bootstrap_test(a, b, "mean", cast(Variant, variant), "greater").pvalue
            == pytest.approx(
                bt.bootstrap_test(b, a, "mean", cast(Variant, variant), "less").pvalue, rel=1e-12
            )
        )  # fmt: skip
        assert bt.bootstrap_test(a, b, variant=cast(Variant, variant)).pvalue == pytest.approx(
            bt.bootstrap_test(b, a, variant=cast(Variant, variant)).pvalue, rel=1e-12
        )


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"variant": "slide"}, None),
        ({"alternative": "grater"}, ("alternative", "greater")),
        ({"method": "smple"}, ("method", "sample")),
        ({"method": "ideal", "metric": "median"}, ("method", "auto")),
        ({"method": "ideal", "recentre": True}, ("method", "auto")),
        ({"resamples": 0}, ("resamples", 1)),
        ({"workers": 0}, None),
        ({"alpha": 5}, ("alpha", 0.05)),
    ],
)
def test_bad_questions_are_explained(
    options: dict[str, Any], remedy: tuple[str, object] | None
) -> None:
    with pytest.raises(UsageError, match=next(iter(options))) as caught:
        bt.bootstrap_test([0.1234567, math.pi], [math.e, 2.0], **options)
    found = caught.value.remedy
    assert (found and (found.parameter, found.value)) == remedy


def test_a_million_may_be_written_as_a_float() -> None:
    a, b = [0, 1, 1, 0, 1], [1, 1, 1, 0, 1]

    def run(resamples: Any) -> Any:
        return bt.bootstrap_test(a, b, method="sample", resamples=resamples, rng=0)

    assert run(1e3) == run(1000)
    with pytest.raises(UsageError, match="integer"):
        run(10.5)
