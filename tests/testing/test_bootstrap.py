"""The paired bootstrap against the law of all n**n resamples, and against plain loops."""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from typing import Any

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
from betterthan.testing.by_name import run_tests
from betterthan.testing.contrasts import Contrasts
from betterthan.testing.montecarlo import LOOKS
from betterthan.testing.request import Request
from betterthan.testing.values import Variant
from oracles_bootstrap import resampled_law

VARIANTS: tuple[Variant, ...] = ("shift", "sign")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
Question = tuple[Variant, Alternative]
QUESTIONS: list[Question] = list(product(VARIANTS, ALTERNATIVES))
BEYOND: dict[Question, Callable[[Any, Any], tuple[Any, Any]]] = {
    ("shift", "greater"): lambda x, d: (x, 2 * d),
    ("shift", "less"): lambda x, d: (-x, -2 * d),
    ("shift", "two-sided"): lambda x, d: (abs(x - d), abs(d)),
    ("sign", "greater"): lambda x, d: (-x, 0),
    ("sign", "less"): lambda x, d: (x, 0),
    ("sign", "two-sided"): lambda x, d: (-x * d, 0),
}
"""What a resample is compared with: it speaks against the claim if it is as large."""

Row = tuple[Sequence[Any], Sequence[Any]]  # what the baseline and the candidate have on an item
Score = Callable[[Sequence[Sequence[Any]]], Fraction]


def against(question: Question, x: Any, delta: Any, *, strict: bool = False) -> bool:
    """Whether a resample speaks against the claim; ties do, unless strict about a gain."""
    compare = operator.gt if strict and delta else operator.ge
    return bool(compare(*BEYOND[question](x, delta)))


def truth(
    rows: Sequence[Row], labels: Sequence[int], score: Score, question: Question, strict: bool
) -> tuple[Fraction, Fraction]:
    """P-value of all resamples, or the chance of one of them where it is zero; and delta."""

    def delta(drawn: Sequence[Row]) -> Fraction:
        return score([b for _, b in drawn]) - score([a for a, _ in drawn])

    units = [
        [row for row, label in zip(rows, labels, strict=True) if label == one]
        for one in sorted(set(labels))
    ]
    observed = delta([*chain(*units)])
    law = resampled_law(units, delta)
    share = sum(
        (p for x, p in law.items() if against(question, x, observed, strict=strict)), Fraction(0)
    )
    doubled = min(2 * share, Fraction(1)) if question == ("sign", "two-sided") else share
    return doubled or Fraction(1, len(units) ** len(units)), observed


def quotient(rows: Sequence[Sequence[Any]]) -> Fraction:
    below = sum(row[1] for row in rows)
    return Fraction(sum(row[0] for row in rows), below) if below else Fraction(0)


def average(rows: Sequence[Sequence[Any]]) -> Fraction:
    return Fraction(sum(row[0] for row in rows), len(rows))


def f1(rows: Sequence[Sequence[Any]]) -> Fraction:
    tp, fp, fn = (sum(row[k] for row in rows) for k in range(3))
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else Fraction(0)


def median(rows: Sequence[Sequence[Any]]) -> Fraction:
    ordered = sorted(row[0] for row in rows)
    return Fraction(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2)


# -- against all resamples ------------------------------------------------------------------------

LAWS: dict[str, tuple[Metric, Score]] = {
    "mean": (metrics.mean(), average),
    "ratio": (metrics.TOKEN_ACCURACY, quotient),
    "costs": (metrics.WER, lambda rows: -quotient(rows)),
    "negative": (metrics.ratio({"x": 1}, {"y": -1}), lambda rows: -quotient(rows)),
}


@pytest.mark.parametrize("kind", LAWS)
@given(data=st.data(), question=st.sampled_from(QUESTIONS), strict=st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_law_of_all_resamples(
    kind: str, data: st.DataObject, question: Question, strict: bool
) -> None:
    """Whole numbers, and in disguise (halves, tenths, thousandths), of items and of clusters."""
    n, (metric, score) = data.draw(st.integers(1, 4)), LAWS[kind]
    rows: list[Row] = []
    for _ in range(n):
        total = data.draw(st.integers(0, 3))
        x, y = (data.draw(st.integers(-3 if kind == "mean" else 0, total)) for _ in range(2))
        rows.append(((x, total), (y, total)) if kind != "mean" else ((x,), (y,)))
    clustered = data.draw(st.booleans())
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    labels = labels if clustered else list(range(n))
    parts = data.draw(st.sampled_from([1, 2, 10, 1000])) if kind == "mean" else 1
    a, b = (np.array(x) / parts if parts > 1 else np.array(x) for x in zip(*rows, strict=True))
    clusters = labels if clustered else None
    result = bt.bootstrap_test(a, b, metric, *question, clusters=clusters, strict=strict)
    expected, delta = truth(rows, labels, score, question, strict)
    assert (result.kind, result.clusters) == ("exact", len(set(labels)) if clustered else None)
    assert result.pvalue == pytest.approx(float(expected), rel=1e-11)
    assert result.pvalue_low <= float(expected) * (1 + 1e-15)
    assert result.pvalue_high >= float(expected) * (1 - 1e-15)
    assert result.delta == pytest.approx(float(delta) / parts, abs=1e-15)
    assert ("strict" in result.signature) == strict


@pytest.mark.parametrize(
    ("metric", "score", "columns"), [("mean", average, 1), ("f1", f1, 3), ("median", median, 1)]
)
@given(data=st.data(), question=st.sampled_from(QUESTIONS), strict=st.booleans())
@settings(max_examples=30, deadline=None)
def test_resampling_approaches_the_law(
    metric: str, score: Score, columns: int, data: st.DataObject, question: Question, strict: bool
) -> None:
    """Within five standard errors."""
    unit = st.tuples(*[st.tuples(*[st.integers(0, 3)] * columns)] * 2)
    rows = data.draw(st.lists(unit, min_size=2, max_size=4))
    expected, _ = truth(rows, range(len(rows)), score, question, strict)
    draws, seed = 1000 if metric == "median" else 4000, data.draw(st.integers(0, 2**32))
    variant, side = question
    a, b = (np.array(x) for x in zip(*rows, strict=True))
    result = bt.bootstrap_test(
        a, b, metric, variant, side, "sample", strict=strict, resamples=draws, rng=seed
    )
    assert (result.kind, result.resamples) == ("sampled", draws)
    # A doubled p-value has twice the error of its side; the +1 rule moves it up by 1/b.
    p = float(expected)
    assert abs(result.pvalue - p) <= 10 * math.sqrt(p * (1 - p / 2) / draws) + 3 / draws
    assert 0 <= result.pvalue_low <= result.pvalue <= result.pvalue_high <= 1


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


def pvalue_of(question: Question, hits: int, draws: int, *, strict: bool) -> float:
    p = hits / draws if strict and hits else (1 + hits) / (draws + 1)
    return min(1.0, p * (2 if question == ("sign", "two-sided") else 1))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_procedure_of_the_paper(question: Question, strict: bool) -> None:
    """Figure 1 and footnote 2 of Berg-Kirkpatrick et al. (2012): the +1 rule, or as printed."""
    a, b = np.random.default_rng(5).normal([[0.0], [0.2]], 1.0, size=(2, 40))
    delta = float((b - a).mean())
    hits = sum(against(question, x, delta, strict=strict) for x in deltas_of(a, b, 2000, 7))
    result = bt.bootstrap_test(
        a, b, "mean", *question, "sample", strict=strict, resamples=2000, rng=7
    )
    assert result.pvalue == pvalue_of(question, hits, 2000, strict=strict)
    assert any("ties do not count" in note for note in result.notes) == strict


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("question", QUESTIONS)
def test_recentring_moves_resamples_to_the_observed_delta(question: Question, strict: bool) -> None:
    """Footnote 3: a maximum is biased downwards in every resample, and pairs are moved apart."""
    largest = metrics.blackbox(lambda x: float(x.max()), spelling="max")
    skewed = np.random.default_rng(8).random((3, 25, 1)) ** [[[1.0]], [[4.0]], [[2.0]]]
    counts = np.random.default_rng(3).random((3, 30, 3)) * 4
    for metric, values in ((largest, skewed), (metrics.F1.over_any_numbers(), counts)):
        joint = joint_of(dict(zip("abc", values, strict=True)), metric)
        pairs = list(combinations(range(3), 2))
        request = Request(alternative=question[1], resamples=800, rng=5)
        test = bt.tests.Bootstrap(variant=question[0], recentre=True, strict=strict)
        drawn = np.concatenate(list(Replicas.of(joint).blocks(800, 5)))
        for (i, j), result in zip(pairs, run_tests(joint, pairs, test, request), strict=True):
            deltas = drawn[:, j] - drawn[:, i]
            moved = deltas - deltas.mean() + result.delta
            hits = sum(against(question, x, result.delta, strict=strict) for x in moved)
            assert result.pvalue == pytest.approx(pvalue_of(question, hits, 800, strict=strict))
            assert result.pvalue_low < result.pvalue < result.pvalue_high or result.pvalue == 1
            assert "recentred" in result.engine
            assert "recentred" in result.signature


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
    strict = bt.bootstrap_test([0] * 3, [2, 0, 0], strict=True)
    assert strict.pvalue == pytest.approx(1 / 27)  # of 2 alone: two thirds are a tie
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
    unmatched = np.array([[1, 0], [1, 2], [0, 3]]), np.array([[0, 0], [2, 2], [1, 3]])
    result = bt.bootstrap_test(*unmatched, "wer", rng=0)
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


GEOMETRIC = metrics.sums(tuple("abc"), lambda s: np.cbrt(s.prod(axis=-1)), spelling="geometric")


@pytest.mark.parametrize("metric", [metrics.F1, metrics.MEDIAN, GEOMETRIC], ids=repr)
@pytest.mark.parametrize("question", QUESTIONS)
def test_same_numbers_for_any_number_of_workers_and_any_pairing(
    metric: Metric, question: Question
) -> None:
    rng, draws = np.random.default_rng(0), 300 if metric is metrics.MEDIAN else 3000
    values = rng.integers(0, 9, (4, 80, len(metric.columns)))
    pairs = [(0, 1), (2, 3), (3, 0), (1, 2)]
    test = bt.tests.Bootstrap(variant=question[0])
    options: dict[str, Any] = {"alternative": question[1], "resamples": draws, "rng": 6}
    joint = joint_of({f"s{k}": x for k, x in enumerate(values)}, metric)
    together = run_tests(joint, pairs, test, Request(workers=2, **options))
    alone = run_tests(joint, pairs[::-1], test, Request(**options))[::-1]
    for (i, j), result, other in zip(pairs, together, alone, strict=True):
        assert result == replace(other, reason=result.reason)
        apart = bt.bootstrap_test(values[i], values[j], joint.metric, *question, rng=6)
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
    sampled = run_tests(joint, [(0, 1)], "bootstrap(method=sample)", Request(rng=0))
    assert sampled[0].kind == "sampled"


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
