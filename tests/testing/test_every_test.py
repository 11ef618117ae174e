"""What all paired tests share: one table of tests, one of degenerate data, one of errors."""

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.errors import AlignmentError, BadValueError, DataError, UsageError
from betterthan.metrics import mean
from betterthan.numeric import Alternative
from betterthan.results.tests import TestResult
from betterthan.testing.permutation import PERMUTATIONS
from betterthan.testing.values import KINDS, PairedTest, Permutation, as_test
from oracles import signed_sum_pvalue

Test = Callable[..., TestResult]

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
DRAWN: dict[str, Any] = {"resamples": 199, "rng": 0}
CONDITIONAL: dict[str, Test] = {
    "permutation": bt.permutation_test,
    "sign": bt.sign_test,
    "mcnemar": bt.mcnemar,
}
"""Tests that are one and the same where all scores are 0 or 1."""

TESTS: dict[str, Test] = CONDITIONAL | {
    "monte-carlo": partial(bt.permutation_test, method="monte-carlo", **DRAWN),
    "bootstrap": bt.bootstrap_test,
    "bootstrap of signs": partial(bt.bootstrap_test, variant="sign"),
    "strict bootstrap": partial(bt.bootstrap_test, strict=True),
    "sampled bootstrap": partial(bt.bootstrap_test, method="sample", **DRAWN),
    "wilcoxon": bt.wilcoxon,
    "pratt": partial(bt.wilcoxon, zeros="pratt"),
    "zsplit": partial(bt.wilcoxon, zeros="zsplit"),
    "mid-p": partial(bt.mcnemar, variant="mid-p"),
    "chi2": partial(bt.mcnemar, variant="chi2"),
    "uncorrected chi2": partial(bt.mcnemar, variant="chi2", continuity=False),
    "t": bt.t_test,
    "mood": bt.mood_test,
    "chi2 of medians": partial(bt.mood_test, variant="chi2"),
}
UNSAMPLED = {k: test for k, test in TESTS.items() if k not in ("monte-carlo", "sampled bootstrap")}

bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS.keys())
every_side = pytest.mark.parametrize("side", SIDES)


def lowered(test: Test) -> dict[str, Any]:
    """The option by which lower scores are better."""
    takes_metric = "metric" in inspect.signature(test).parameters
    return {"metric": mean(lower_is_better=True)} if takes_metric else {"lower_is_better": True}


def table(wins: int, losses: int, ties: int = 0) -> tuple[list[int], list[int]]:
    return [0] * wins + [1] * losses + [0] * ties, [1] * wins + [0] * losses + [0] * ties


# --- properties -------------------------------------------------------------------------------


@pytest.mark.parametrize("test", UNSAMPLED.values(), ids=UNSAMPLED.keys())
@given(rows=bits, order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_order_names_and_direction_do_not_matter(
    test: Test, rows: list[tuple[int, int]], order: Any
) -> None:
    a, b = map(list, zip(*rows, strict=True))
    shuffled = list(rows)
    order.shuffle(shuffled)
    for side, other in (("two-sided", "two-sided"), ("greater", "less")):
        here, there = test(a, b, alternative=side), test(b, a, alternative=other)
        assert here.pvalue == pytest.approx(there.pvalue, rel=1e-11)
        assert here.delta == pytest.approx(-there.delta, abs=1e-15)
        costs = test(b, a, alternative=side, **lowered(test))
        assert (costs.pvalue, costs.delta) == pytest.approx((here.pvalue, here.delta), rel=1e-11)
        moved = test(*zip(*shuffled, strict=True), alternative=side)
        assert moved.pvalue == pytest.approx(here.pvalue, rel=1e-12)
        assert 0 <= here.pvalue_low <= here.pvalue <= here.pvalue_high <= 1
        assert here.log10_pvalue == pytest.approx(math.log10(here.pvalue), abs=1e-12)
        assert (here.n, here.alternative) == (len(rows), side)
        assert here.signature.split("|")[-1] == moved.signature.split("|")[-1]


@given(rows=bits, side=st.sampled_from(SIDES))
@settings(deadline=None, max_examples=100)
def test_one_law_on_binary_data(rows: list[tuple[int, int]], side: Alternative) -> None:
    a, b = zip(*rows, strict=True)
    expected = signed_sum_pvalue([y - x for x, y in rows], side)
    results = [test(a, b, alternative=side) for test in CONDITIONAL.values()]
    assert {r.pvalue for r in results} == {float(expected)}
    assert len({(r.log10_pvalue, r.pvalue_low, r.pvalue_high) for r in results}) == 1
    assert {r.kind for r in results} == {"exact"}
    assert results[0].delta == pytest.approx(results[1].delta, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("test", [*CONDITIONAL.values(), bt.wilcoxon])
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=12
    ),
    side=st.sampled_from(SIDES),
)
@settings(deadline=None, max_examples=40)
def test_clusters_change_sides_as_one(
    test: Test, rows: list[tuple[int, int, int]], side: Alternative
) -> None:
    a, b, labels = zip(*rows, strict=True)
    sums = [sum(y - x for x, y, c in rows if c == label) for label in sorted(set(labels))]
    result = test(a, b, clusters=labels, alternative=side)
    assert result.pvalue == pytest.approx(float(signed_sum_pvalue(sums, side)), rel=1e-12)
    assert result.clusters == len(sums)


# --- degenerate data --------------------------------------------------------------------------


@every_test
@every_side
@pytest.mark.parametrize("n", [1, 2, 7])
def test_identical_systems(test: Test, side: Alternative, n: int) -> None:
    for values in (np.arange(n) % 2, np.ones(n), np.zeros(n, bool)):
        result = test(values, values, alternative=side)
        assert (result.pvalue, result.log10_pvalue, str(result.delta)) == (1.0, 0.0, "0.0")


@pytest.mark.parametrize("test", [*CONDITIONAL.values(), bt.t_test, bt.wilcoxon])
@pytest.mark.parametrize("n", [1, 2, 6, 30])
def test_straight_wins_are_worth_as_many_equal_signs(test: Test, n: int) -> None:
    a = np.arange(1, n + 1) / 10
    scores = [([0] * n, [1] * n), (a, a + 0.1)]
    for x, y in scores[: 1 if test is bt.mcnemar else 2]:
        assert test(x, y).pvalue == 2.0 ** (1 - n)
        assert test(x, y, alternative="greater").pvalue == 2.0**-n
        assert test(x, y, alternative="less").pvalue == 1.0
        assert test(x, y).kind == "exact"


def test_ties_do_not_count() -> None:
    """5 wins, 5 losses and 90 ties tell nothing; keeping the ties in n gave p = 1e-22 elsewhere."""
    for test in (*CONDITIONAL.values(), bt.wilcoxon):
        assert test(*table(5, 5, 90)).pvalue == 1.0
        assert test(*table(9, 1, 90)).pvalue == test(*table(9, 1)).pvalue == 22 / 1024


@pytest.mark.parametrize("wins", [5_000, 5_250, 9_900])
@pytest.mark.filterwarnings("error")
def test_a_million_scores_of_0_and_1(wins: int) -> None:
    a, b = (np.array(x) for x in table(wins, 10_000 - wins, 990_000))
    expected = stats.binomtest(wins, 10_000).pvalue
    for name, test in UNSAMPLED.items():
        result = test(a, b)
        assert math.isfinite(result.log10_pvalue)
        assert result.n == 1_000_000
        if name in (*CONDITIONAL, "wilcoxon", "pratt", "zsplit"):
            assert result.pvalue == pytest.approx(expected, rel=1e-9)
        elif "mood" not in name and "median" not in name:
            assert (result.pvalue < 0.05) == (wins > 5_000)


@every_side
def test_the_least_possible_p_of_few_units_is_said(side: Alternative) -> None:
    """C units have 2^C swaps, and two-sided tests count two of them at least."""
    two = side == "two-sided"
    for test in (bt.permutation_test, bt.sign_test, bt.wilcoxon):
        result = test([0, 1], [1, 2], alternative=side, clusters=["x", "y"])
        assert result.pvalue == {"two-sided": 0.5, "greater": 0.25, "less": 1.0}[side]
        assert f"below {0.5 if two else 0.25} is possible" in result.notes[0]
        five, six = (test(np.zeros(n), np.arange(n) + 1.0, alternative=side) for n in (5, 6))
        assert [n.startswith("only 5 items: no p-value below 0.0625") for n in five.notes] == (
            [True] if two else []
        )
        assert six.notes == ()


def test_few_clusters_are_said_aloud() -> None:
    for test in (bt.permutation_test, bt.sign_test):
        (note,) = test([0] * 12, [1] * 12, clusters=[1, 2, 3] * 4).notes
        assert note.startswith("only 3 clusters: no p-value below 0.25")
    result = bt.t_test([0] * 6, [1, 2, 3, 4, 5, 6], clusters=[1, 1, 1, 2, 2, 2])
    assert "few for a cluster-robust t" in result.notes[0]


# --- errors -----------------------------------------------------------------------------------


@every_test
def test_bad_input(test: Test) -> None:
    for a, b, error in (
        ([1, 0], [1], AlignmentError),
        ([], [], DataError),
        ([1.0, math.nan], [1.0, 0.0], BadValueError),
        (["x"], ["y"], BadValueError),
    ):
        with pytest.raises(error):
            test(a, b)
    with pytest.raises(UsageError, match="alternative") as caught:
        test([1, 0], [1, 0], alternative="grater")
    assert caught.value.remedies


@pytest.mark.parametrize(
    ("test", "options", "remedy"),
    [
        (bt.wilcoxon, {"zeros": "split"}, None),
        (bt.mood_test, {"variant": "mid-p"}, None),
        (bt.permutation_test, {"metric": "f2"}, None),
        (bt.permutation_test, {"method": "magic"}, None),
        (bt.permutation_test, {"method": "lattice"}, "auto"),
        (bt.permutation_test, {"tolerance": 0.0}, None),
        (bt.permutation_test, {"tolerance": math.nan}, None),
        (bt.bootstrap_test, {"variant": "slide"}, None),
        (bt.bootstrap_test, {"method": "smple"}, "sample"),
        (bt.bootstrap_test, {"method": "ideal", "metric": "median"}, "auto"),
        (bt.bootstrap_test, {"method": "ideal", "recentre": True}, "auto"),
        (bt.bootstrap_test, {"resamples": 0}, 1),
        (bt.bootstrap_test, {"resamples": 10.5}, None),
        (bt.bootstrap_test, {"workers": 0}, None),
        (bt.bootstrap_test, {"alpha": 5}, 0.05),
        (bt.mcnemar, {"variant": "midp", "a": [0], "b": [1]}, None),
    ],
)
def test_mistakes_are_explained(test: Test, options: dict[str, Any], remedy: Any) -> None:
    scores: dict[str, Any] = {"a": [0.1234567, math.pi], "b": [math.e, 2.0]}
    with pytest.raises(UsageError, match=next(iter(options))) as caught:
        test(**scores | options)
    if remedy is not None:
        assert (next(iter(options)), remedy) in [
            (x.parameter, x.value) for x in caught.value.remedies
        ]


def test_mcnemar_says_what_it_cannot_test() -> None:
    with pytest.raises(BadValueError, match="0/1") as caught:
        bt.mcnemar([1, 2], [0, 1])
    assert [one.value for one in caught.value.remedies] == ["permutation", "sign"]
    with pytest.raises(UsageError, match="clusters") as unclustered:
        bt.mcnemar([1], [0], variant="mid-p", clusters=[1])
    assert [one.value for one in unclustered.value.remedies] == ["mcnemar"]


# --- tests as values --------------------------------------------------------------------------

A, B = np.random.default_rng(0).integers(0, 6, (2, 40))
STARS = bt.Scores.from_arrays({"a": A, "b": B})
RIGHT = bt.Scores.from_arrays({"a": A > 2, "b": B > 1})


@pytest.mark.parametrize(
    "value",
    [
        *(kind() for kind in KINDS.values()),
        bt.tests.Permutation(method="monte-carlo"),
        bt.tests.Bootstrap(variant="sign", recentre=True),
        bt.tests.McNemar(variant="mid-p"),
    ],
    ids=repr,
)
def test_a_value_is_its_text(value: PairedTest) -> None:
    assert as_test(repr(value)) == value == as_test(value)
    assert hash(value) == hash(as_test(repr(value)))
    assert get_args(get_type_hints(Permutation)["method"]) == PERMUTATIONS


def test_options_of_every_test_reach_it() -> None:
    spelled: dict[str, Test] = {
        "wilcoxon(zeros=pratt)": partial(bt.wilcoxon, zeros="pratt"),
        "wilcoxon(zeros=zsplit)": partial(bt.wilcoxon, zeros="zsplit"),
        "mcnemar(variant=mid-p)": partial(bt.mcnemar, variant="mid-p"),
        "mcnemar(variant=chi2)": partial(bt.mcnemar, variant="chi2"),
        "mood": bt.mood_test,
        "mood(variant=chi2)": partial(bt.mood_test, variant="chi2"),
        "sign": bt.sign_test,
        "t": bt.t_test,
        "permutation(method=fft)": partial(bt.permutation_test, method="fft"),
        "bootstrap(variant=sign,strict=yes)": partial(
            bt.bootstrap_test, variant="sign", strict=True
        ),
    }
    for text, test in spelled.items():
        scores, a, b = (RIGHT, A > 2, B > 1) if text.startswith("mcnemar") else (STARS, A, B)
        result, expected = bt.compare(scores, test=text).test, test(a, b)
        assert (result.pvalue, result.statistic) == (expected.pvalue, expected.statistic)
        assert (result.engine, result.metric) == (expected.engine, expected.metric)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("bootstap", "bootstrap"),
        ("bootstrap(variant=sgn)", "bootstrap(variant=sign)"),
        ("wilcoxon(zero=pratt)", "wilcoxon(zeros=pratt)"),
        ("bootstrap(method=ideal,recentre=yes)", "bootstrap(recentre=yes)"),
        ("permutation(method=latice)", "permutation(method=lattice)"),
        ("permutation(strict=yes)", None),
        ("bootstrap(variant)", None),
        ("t(x=1)", None),
        (3, None),
        (None, None),
        (bt.tests.Bootstrap, None),
    ],
)
def test_the_remedy_of_a_mistake_is_a_test(text: Any, remedy: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        bt.compare(STARS, test=text)
    if remedy is not None:
        assert ("test", remedy) in [(x.parameter, x.value) for x in caught.value.remedies]
        assert bt.compare(STARS, test=remedy).pvalue > 0


def test_results_tell_their_story() -> None:
    result = bt.wilcoxon([0] * 6, [3, 1, 1, 2, -1, 0], zeros="pratt", alternative="greater")
    assert "4 wins, 1 losses, 1 ties" in str(result)
    assert result.signature.startswith(
        "betterthan:0.1|wilcoxon:pratt|m:pseudo-median|n:6|1s>|data:"
    )
    assert bt.wilcoxon([0], [1], lower_is_better=True).metric == "pseudo-median(lower_is_better)"
    text = str(bt.permutation_test([0] * 6, [1] * 6))
    for part in ("the systems differ", "p = 0.031", "exact", "McNemar", "betterthan:0.1|perm-"):
        assert part in text
    drawn = bt.permutation_test([1, 2], [2, 5], method="monte-carlo", rng=np.int64(3))  # type: ignore[arg-type]
    assert "|seed:3|" in drawn.signature
    assert bt.permutation_test([0] * 6, [1] * 6, method="rational").fraction == Fraction(1, 32)
