"""Counts of all pairs and their p-values, against their slow twins."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, log10

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from betterthan import Scores
from betterthan.exact.binomial import sign_pvalues
from betterthan.exact.lattice import SignedSum
from betterthan.ranking import outcome_tables, pairwise, rating
from betterthan.ranking.methods import Aggregation, TieRule
from betterthan.ranking.outcome_tables import outcomes_of_scores, signs_between
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.pair_counts import count_pairs, ranks_within
from betterthan.ranking.units import Units


def outcomes_from(values: NDArray[np.float64], rule: TieRule) -> Outcomes:
    n, m = values.shape
    names, alike = tuple(f"s{k}" for k in range(m)), np.ones(n)
    units = Units.single("items", n)
    return outcomes_of_scores(names, values, alike, units=units, unit_of=np.arange(n), rule=rule)


def counted_one_by_one(values: NDArray[np.float64]) -> Iterator[tuple[int, int, list[int]]]:
    for i, j in combinations(range(values.shape[1]), 2):
        both = ~np.isnan(values[:, i] + values[:, j])
        sign = signs_between(values[both, i], values[both, j])
        yield i, j, [int((sign == s).sum()) for s in (1, 0, -1)]


NUMBERS = st.sampled_from([0.0, 1.0, 0.3, 0.1 + 0.2, -1e6, -1e6 * (1 + 1e-15), 5.0, np.nan])
BINARY = st.sampled_from([0.0, 1.0])
SHAPES = st.tuples(st.integers(1, 12), st.integers(2, 6))


@settings(max_examples=150, deadline=None)
@given(
    values=st.sampled_from([NUMBERS, BINARY]).flatmap(lambda e: arrays(float, SHAPES, elements=e))
)
@example(values=np.array([[0.3, 0.1 + 0.2]]))
def test_counts_of_all_pairs_are_those_of_each(values: NDArray[np.float64]) -> None:
    counts = count_pairs(values)
    for i, j, expected in counted_one_by_one(values):
        assert counts[:, i, j].tolist() == expected
        assert counts[::-1, j, i].tolist() == expected
    assert not counts[:, range(values.shape[1]), range(values.shape[1])].any()


@settings(max_examples=80, deadline=None)
@given(
    values=st.sampled_from([NUMBERS, BINARY]).flatmap(lambda e: arrays(float, SHAPES, elements=e)),
    rule=st.sampled_from(["davidson", "half-win"]),
)
def test_outcomes_by_ranks_are_those_pair_by_pair(
    values: NDArray[np.float64], rule: TieRule
) -> None:
    values = np.nan_to_num(values)
    quick = outcomes_from(values, rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome_tables, "ranks_within", lambda _: None)
        slow = outcomes_from(values, rule)
    np.testing.assert_array_equal(quick.table, slow.table)
    np.testing.assert_array_equal(quick.counted, slow.counted)


def test_what_differs_by_rounding_alone_has_no_ranks() -> None:
    assert ranks_within(np.array([[0.3, 0.1 + 0.2, 1.0]])) is None
    ranks = ranks_within(np.array([[0.3, 0.3, 1.0], [2.0, np.nan, 1.0]]))
    assert ranks is not None
    assert ranks.tolist() == [[1, 1, 2], [2, 0, 1]]


@settings(max_examples=60, deadline=None)
@given(wins=st.integers(0, 1030), losses=st.integers(0, 1030))
def test_sign_pvalues_are_the_fraction(wins: int, losses: int) -> None:
    n, k = wins + losses, max(wins, losses)
    exact = min(Fraction(2 * sum(comb(n, t) for t in range(k, n + 1)), 2**n), Fraction(1))
    (p,), (log,) = sign_pvalues(np.array([wins]), np.array([losses]))
    if n <= 1024:
        assert p == float(exact)
    elif exact > Fraction(1, 10**280):
        assert abs(Fraction(p) / exact - 1) < 1e-11
    shift = exact.denominator.bit_length() - exact.numerator.bit_length()
    assert log == pytest.approx(log10(exact * 2**shift) - shift * log10(2), rel=1e-12, abs=1e-13)


def test_sign_pvalues_of_many_pairs_lie_in_the_bounds_of_the_law() -> None:
    rng = np.random.default_rng(0)
    wins, losses = rng.integers(0, 600_000, (2, 40)).astype(np.uint32)
    p, log = sign_pvalues(wins, losses)
    for a, b, value, log_value in zip(wins, losses, p, log, strict=True):
        law = SignedSum.of_counts([1], [int(a) + int(b)]).pvalue(int(a) - int(b))
        assert law.log10 == pytest.approx(log_value, rel=1e-11)
        assert law.low * (1 - 1e-10) <= value <= law.high * (1 + 1e-10)


@pytest.mark.parametrize("method", ["mean", "bradley-terry"])
def test_p_values_of_a_board_are_those_of_its_tests(method: Aggregation) -> None:
    rng = np.random.default_rng(3)
    binary = Scores.from_arrays({f"s{k}": rng.random(40) < 0.5 + k / 20 for k in range(6)})
    whole = Scores.from_arrays({f"s{k}": rng.integers(0, 900, 30) / 100 for k in range(6)})
    for scores in (
        binary,
        Scores.from_arrays({f"s{k}": rng.normal(size=12) for k in range(4)}),
        whole,
    ):
        pairs = pairwise(scores, method)
        assert len(pairs.results) == len(pairs.names) * (len(pairs.names) - 1) // 2
        for (first, second), result in pairs.results.items():
            at = pairs.names.index(first), pairs.names.index(second)
            assert pairs.pvalue[at] == result.pvalue
            assert pairs.log10_pvalue[at] == pytest.approx(result.log10_pvalue, rel=1e-14)
            assert pairs.pvalue[at[::-1]] == result.pvalue


def test_resamples_none_of_which_has_the_ties_of_the_data() -> None:
    values = np.array([[3, 2, 1], [1, 2, 3], [2, 3, 1], [1, 3, 2], [2, 1, 3], [3, 1, 2], [1, 1, 2]])
    scores = Scores.from_arrays(dict(zip("abc", values.T.astype(float), strict=True)))
    for seed in range(20):
        found = rating(scores, "bradley-terry", resamples=2, rng=seed)
        assert np.isfinite(found.resamples).all()
