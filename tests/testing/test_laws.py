"""Laws of tests against plain enumeration: every swap, every resample."""

import pickle
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.exact.lattice import SignedSum
from betterthan.results.tests import TestResult
from betterthan.testing.laws import law_of_sum
from oracles import signed_sum_law

f1_rows = st.lists(
    st.tuples(*[st.integers(0, 2)] * 6).filter(lambda r: sum(r) > 0), min_size=2, max_size=7
)


def as_law(result: TestResult) -> dict[float, float]:
    assert result.law is not None
    values, masses = result.law.mass()
    assert (np.diff(values) > 0).all()
    return {
        round(v, 9): m for v, m in zip(values.tolist(), masses.tolist(), strict=True) if m > 1e-13
    }


def f1(rows: list[tuple[int, ...]]) -> Fraction:
    tp, fp, fn = (sum(column) for column in zip(*rows, strict=True))
    return Fraction(2 * tp, 2 * tp + fp + fn) if 2 * tp + fp + fn else Fraction(0)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5))
@settings(deadline=None, max_examples=40)
def test_law_of_all_resamples(d: list[int]) -> None:
    result = bt.bootstrap_test([0] * len(d), d)
    expected: dict[float, float] = defaultdict(float)
    for drawn in product(d, repeat=len(d)):
        expected[round(sum(drawn) / len(d), 9) + 0.0] += len(d) ** -float(len(d))
    assert as_law(result) == pytest.approx(dict(expected), abs=1e-12)


def test_law_of_resamples_of_many_units() -> None:
    """Mean and spread of the resampled mean, and nothing lost outside the window."""
    d = np.random.default_rng(0).integers(-2, 4, 5000)
    law = bt.bootstrap_test(np.zeros(5000, int), d).law
    assert law is not None
    values, masses = law.mass()
    assert masses.sum() == pytest.approx(1.0, abs=1e-10)
    assert masses @ values == pytest.approx(d.mean(), abs=1e-12)
    assert law.sd == pytest.approx(d.std() / np.sqrt(5000), rel=1e-9)


def test_a_result_with_its_law_can_be_pickled() -> None:
    for result in (
        bt.permutation_test([0, 0, 1], [1, 1, 1]),
        bt.permutation_test([[1, 0, 1], [0, 1, 1]], [[1, 1, 0], [1, 0, 0]], "f1"),
        bt.wilcoxon([0, 0, 1], [1, 2, 1]),
        bt.bootstrap_test([0, 0, 1], [1, 1, 1]),
    ):
        again = pickle.loads(pickle.dumps(result))
        assert again == result
        assert (again.law is None) == (result.law is None)


def test_a_rounded_law_looks_the_same() -> None:
    """Its distribution function, against that of the law itself: far less than a bar's width."""
    rng = np.random.default_rng(3)
    fine = SignedSum.of(np.rint(rng.normal(300, 4000, 60)).astype(np.int64))
    rounded = law_of_sum(fine, 0.01, 123.0, "difference")
    (x, p), (y, q) = fine.mass(), rounded.mass()
    assert len(y) < len(x) / 10
    sd = 0.01 * fine.variance**0.5
    assert rounded.sd == pytest.approx(sd, rel=1e-3)
    assert rounded.observed == 123.0
    at = np.linspace(-3, 3, 61) * sd
    first, second = (np.cumsum(m)[np.searchsorted(v, at) - 1] for v, m in ((x * 0.01, p), (y, q)))
    assert np.abs(first - second).max() < 0.003
    # What is not fine stays as it is.
    steps = law_of_sum(SignedSum.of(np.array([1, 2, -1])), 1.0, 2.0, "difference")
    assert steps.mass()[0].tolist() == [-4, -2, 0, 2, 4]


@given(f1_rows)
@settings(deadline=None, max_examples=40)
def test_law_of_f1_under_swaps(rows: list[tuple[int, ...]]) -> None:
    a, b = [r[:3] for r in rows], [r[3:] for r in rows]
    result = bt.permutation_test(a, b, "f1")
    if result.law is None:  # no swap changes anything, or one column decides
        return
    expected: dict[float, float] = defaultdict(float)
    for swaps in product((False, True), repeat=len(rows)):
        u = [y if s else x for x, y, s in zip(a, b, swaps, strict=True)]
        v = [x if s else y for x, y, s in zip(a, b, swaps, strict=True)]
        expected[round(float(f1(v) - f1(u)), 9) + 0.0] += 0.5 ** len(rows)
    assert as_law(result) == pytest.approx(dict(expected), abs=1e-12)
    assert result.law.observed == pytest.approx(result.delta, abs=1e-15)
    if result.delta:
        tail = result.law.tail(abs(result.delta)).value
        assert tail == pytest.approx(result.pvalue / 2, abs=1e-11)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9).filter(any))
@settings(deadline=None, max_examples=40)
def test_laws_of_the_classic_tests(d: list[int]) -> None:
    for test, steps in ((bt.sign_test, np.sign(d)), (bt.permutation_test, d)):
        law = signed_sum_law([int(x) for x in steps])
        scale = 1 if test is bt.sign_test else len(d)
        expected = {round(float(k) / scale, 9): float(m) for k, m in law.items()}
        assert as_law(test([0] * len(d), d)) == pytest.approx(expected)
    ranked = bt.wilcoxon([0] * len(d), d, alternative="greater")
    assert ranked.law is not None
    assert ranked.law.name == "signed rank sum"
    assert ranked.law.tail(ranked.law.observed).value == pytest.approx(ranked.pvalue)
