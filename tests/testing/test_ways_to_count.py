"""Strict counting, as Figure 1 of the 2012 paper prints it, and recentring of many pairs."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.data.pairing import joint_of
from betterthan.errors import UsageError
from betterthan.metrics import TOKEN_ACCURACY, parse
from betterthan.numeric import Alternative
from betterthan.resampling.draws import bootstrap_counts
from betterthan.resampling.replicas import Replicas
from betterthan.testing.by_name import run_tests
from betterthan.testing.request import Request
from betterthan.testing.values import Variant

VARIANTS: tuple[Variant, ...] = ("shift", "sign")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
QUESTIONS = list(product(VARIANTS, ALTERNATIVES))
AGAINST: dict[tuple[str, str], Callable[[Fraction, Fraction], bool]] = {
    ("shift", "greater"): lambda x, d: x > 2 * d,
    ("shift", "less"): lambda x, d: x < 2 * d,
    ("shift", "two-sided"): lambda x, d: abs(x - d) > abs(d),
    ("sign", "greater"): lambda x, d: x < 0,
    ("sign", "less"): lambda x, d: x > 0,
    ("sign", "two-sided"): lambda x, d: x * d < 0,
}


def strict_share(
    rows: Sequence[Any], delta_of: Callable[[Sequence[Any]], Fraction], question: tuple[str, str]
) -> tuple[Fraction, Fraction]:
    """Share of all resamples strictly against the claim, one by one; and delta."""
    delta = delta_of(rows)
    draws = [delta_of(drawn) for drawn in product(rows, repeat=len(rows))]
    share = Fraction(sum(AGAINST[question](x, delta) for x in draws), len(draws))
    doubled = question == ("sign", "two-sided")
    return min(2 * share, Fraction(1)) if doubled else share, delta


def quotient(rows: Sequence[tuple[int, int, int]]) -> Fraction:
    below = sum(total for *_, total in rows)
    return Fraction(sum(b - a for a, b, _ in rows), below) if below else Fraction(0)


@st.composite
def tokens(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        total = draw(st.integers(0, 3))
        rows.append((draw(st.integers(0, total)), draw(st.integers(0, total)), total))
    return rows


@given(tokens(), st.sampled_from(QUESTIONS))
@settings(max_examples=200, deadline=None)
def test_ties_do_not_count_where_counting_is_strict(
    rows: list[tuple[int, int, int]], question: tuple[Variant, Alternative]
) -> None:
    a, b = (np.array([(row[k], row[2]) for row in rows]) for k in range(2))
    found = bt.bootstrap_test(a, b, TOKEN_ACCURACY, *question, strict=True)
    share, delta = strict_share(rows, quotient, question)
    if not delta:  # nothing is gained: ties count all the same
        assert found.pvalue == bt.bootstrap_test(a, b, TOKEN_ACCURACY, *question).pvalue
        return
    expected = share or Fraction(1, len(rows) ** len(rows))
    assert found.kind == "exact"
    assert found.pvalue == pytest.approx(float(expected), rel=1e-11)
    assert "strict" in found.signature


def test_the_procedure_as_printed() -> None:
    """Figure 1: s counts resamples beyond twice the gain, and p is s / b."""
    a, b = np.random.default_rng(5).normal([[0.0], [0.2]], 1.0, size=(2, 40))
    counts = np.concatenate(list(bootstrap_counts(40, 2000, 7))).astype(float)
    d = (b - a)[np.lexsort((b, a))]  # units are drawn in the order of their rows
    drawn = np.array([sum(row * d) / 40 for row in counts])
    s = int((drawn > 2 * (b - a).mean()).sum())
    found = bt.bootstrap_test(
        a, b, alternative="greater", method="sample", strict=True, resamples=2000, rng=7
    )
    assert s > 0
    assert found.pvalue == s / 2000
    assert any("ties do not count" in note for note in found.notes)


def test_resamples_approach_the_strict_law() -> None:
    """Scores so coarse that a tenth of all resamples are ties."""
    a = np.array([0, 0, 1, 1, 0, 1, 0, 0] * 4)
    b = np.array([1, 0, 1, 0, 0, 1, 1, 0] * 4)
    for strict in (True, False):
        ideal = bt.bootstrap_test(a, b, alternative="greater", strict=strict)
        sampled = bt.bootstrap_test(
            a, b, alternative="greater", strict=strict, method="sample", resamples=4000, rng=4
        )
        assert sampled.pvalue_low <= ideal.pvalue <= sampled.pvalue_high
        assert sampled.pvalue_high - sampled.pvalue_low < 0.03


def test_no_hit_is_never_zero() -> None:
    a, b = np.zeros(40, dtype=int), np.ones(40, dtype=int)
    b[0] = 0
    sampled = bt.bootstrap_test(a, b, strict=True, method="sample", resamples=500, rng=0)
    assert sampled.pvalue == 1 / 501
    same = bt.bootstrap_test(a, a, strict=True)
    assert same.pvalue == 1


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("strict", [False, True])
def test_many_pairs_are_recentred_one_by_one(
    question: tuple[Variant, Alternative], strict: bool
) -> None:
    rng = np.random.default_rng(3)
    values = {name: rng.random((30, 3)) * 4 for name in "abc"}
    joint = joint_of(values, parse("f1").over_any_numbers())
    pairs = list(combinations(range(3), 2))
    variant, alternative = question
    request = Request(alternative=alternative, resamples=800, rng=5)
    test = bt.tests.Bootstrap(variant=variant, recentre=True, strict=strict)
    scores = np.concatenate(list(Replicas.of(joint).blocks(800, 5)))
    for (i, j), found in zip(pairs, run_tests(joint, pairs, test, request), strict=True):
        drawn = scores[:, j] - scores[:, i]
        moved = drawn - drawn.mean() + found.delta
        share = np.mean([AGAINST[question](x, Fraction(found.delta)) for x in moved])
        hits = round(800 * share)
        p = hits / 800 if strict and hits else (1 + hits) / 801
        assert found.pvalue == pytest.approx(min(1, p * (1 + (question == QUESTIONS[3]))))


def test_only_the_bootstrap_is_counted_in_other_ways() -> None:
    scores = bt.Scores.from_arrays({"a": [0, 1, 0, 1], "b": [1, 1, 1, 0]})
    for option in ("strict=yes", "recentre=yes", "variant=sign"):
        with pytest.raises(UsageError, match="no option"):
            bt.compare(scores, test=f"permutation({option})")
    found = bt.compare(scores, test="bootstrap(variant=sign,strict=yes)")
    expected = bt.bootstrap_test([0, 1, 0, 1], [1, 1, 1, 0], variant="sign", strict=True)
    assert found.pvalue == expected.pvalue
