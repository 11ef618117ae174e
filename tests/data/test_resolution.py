"""The exact numbers behind scores, whatever type they passed through and however printed."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan import Scores, item_by_item, permutation_test, rank
from betterthan.data.resolution import (
    BFLOAT,
    FLOAT_NOISE,
    HALF,
    SINGLE,
    SINGLE_NOISE,
    TYPES,
    Real,
    Whole,
    noise_of,
    resolution,
    round_to_bits,
)
from oracles import signed_sum_pvalue
from printed_scores import PRINTINGS, printed

DENOMINATORS = [1, 2, 3, 4, 7, 10, 12, 100, 365, 1000, 10**4, 10**5, 10**6]


def fractions(*columns: Any) -> list[list[Fraction]] | None:
    """What the columns stand for, or None for real numbers."""
    exact = resolution([np.asarray(x) for x in columns])
    if isinstance(exact, Real):
        return None
    return [[n * exact.unit for n in x.tolist()] for x in exact.columns]


def pvalue(d: list[Fraction]) -> Fraction:
    """Two-sided p-value of the mean by listing all swaps."""
    sums = [abs(sum(x, Fraction())) for x in product(*((y, -y) for y in d))]
    return Fraction(sum(x >= abs(sum(d, Fraction())) for x in sums), len(sums))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-5000, 5000), min_size=1, max_size=40), st.sampled_from(DENOMINATORS))
def test_multiples_are_recovered(numbers: list[int], k: int) -> None:
    """Values a few roundings away from n/k come back as n/k, in the coarsest unit."""
    rng = np.random.default_rng(len(numbers))
    noisy = np.array(numbers) / k * (1 + rng.integers(-4, 5, len(numbers)) * 2.0**-52)
    exact = resolution([noisy])
    assert isinstance(exact, Whole)
    assert fractions(noisy) == [[Fraction(n, k) for n in numbers]]
    assert k % exact.unit.denominator == 0


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 50), st.sampled_from([1e-3, 1.0, 100.0, 1e6]))
def test_random_reals_have_no_unit(seed: int, n: int, scale: float) -> None:
    assert fractions(np.random.default_rng(seed).random(n) * scale) is None


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, 10**9),
    st.sampled_from([3, 6, 7, 9, 10, 12, 20, 30, 100]),
    st.integers(1, 10),
    st.sampled_from(sorted(PRINTINGS)),
    st.booleans(),
)
def test_fractions_come_back_from_print(
    seed: int, k: int, top: int, form: str, single: bool
) -> None:
    """Twelve or more multiples of ``1/k`` come back as such, or as real numbers."""
    numbers = np.unique(np.random.default_rng(seed).integers(0, k * top + 1, 40))
    if len(numbers) < 12:
        return
    values = round_to_bits(numbers / k, SINGLE) if single else numbers / k
    exact = fractions(printed(values, form))
    assert exact is None or exact == [[Fraction(int(n), k) for n in numbers]]
    assert exact is not None or form not in {"repr", "shortest single", ".4f"}


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(8, 60), st.integers(1, 9), st.sampled_from([1, 10, 100]))
def test_decimals_are_what_they_are(seed: int, n: int, places: int, top: int) -> None:
    """Random decimals were not rounded from fractions, nor printed from single precision."""
    numbers = np.random.default_rng(seed).integers(0, top * 10**places + 1, n)
    assert fractions(numbers / 10**places) == [[Fraction(int(x), 10**places) for x in numbers]]


@pytest.mark.parametrize("bits", TYPES)
@pytest.mark.parametrize("k", [3, 5, 7, 10])
def test_tenths_and_thirds_of_every_type(bits: int, k: int) -> None:
    numbers = np.arange(0, k + 1)
    stored = round_to_bits(numbers / k, bits)
    expected = [Fraction(int(n), k) for n in numbers]
    assert fractions(stored) == [expected]
    assert fractions(stored, numbers / k) == [expected] * 2


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([0.33, 0.67, 1.0, 0.0], Fraction(1, 3)),
        ([0.33, 0.5, 1.0, 0.0], Fraction(1, 100)),  # one of two thirds may be a hundredth
        ([16.67, 50, 83.33, 100, 66.67], Fraction(1, 3)),  # sixths in percent
        ([0.260, 0.468, 0.208, 0.130, 0.104], Fraction(1, 500)),  # not of 2/77
        ([0.1, 0.2, 0.70000005], Fraction(1, 10)),  # 0.6 + 0.1 in single precision
        ([0.33333334, 0.6666667, 1.0, 0.0], Fraction(1, 3)),
        ([102521.42, 102521.45, 110000.01], Fraction(1, 100)),  # as single precision prints, too
        ([0.1375943, 0.8120467], Fraction(1, 10**7)),
        ([1e-6, 2e-6, 1e6], Fraction(1, 10**6)),
        ([1e12, 1e12 - 1.0, 3.0], Fraction(1)),
        (np.array([0.87, 0.4, 0.29], np.float32), Fraction(1, 100)),
        (np.array([823_817, 5], np.float32), Fraction(1)),
        (
            np.array(
                [28653.54, 24084.45, 29296.32, 24116.23, 29626.01, 25383.38, 20858.44], np.float32
            ),
            Fraction(1, 100),
        ),
        (np.arange(9) / 1024, Fraction(1, 1024)),
        ([True, False], Fraction(1)),
        ([Fraction(1, 3), Decimal("0.5")], Fraction(1, 6)),
    ],
)
def test_units(values: Any, unit: Fraction) -> None:
    array = values if isinstance(values, np.ndarray) else np.array(values)
    assert resolution([array]).unit == unit
    assert isinstance(resolution([array]), Whole)


@pytest.mark.parametrize(
    "values", [[np.nan, 1.0], [np.inf], [1e300], [np.pi], [1e-9 / 7], [1e-22], [0.5, 2**0.5]]
)
def test_values_without_a_unit(values: list[float]) -> None:
    assert isinstance(resolution([np.array(values)]), Real)


def test_late_values_count() -> None:
    """A value that tells the unit, or rules it out, does so from any row and any column."""
    x = np.concatenate([np.zeros(50), [0.5], np.ones(50) / 3, [0.25]])
    assert resolution([x, np.array([2.0])]).unit == Fraction(1, 12)
    tenths = round_to_bits(np.random.default_rng(0).integers(0, 11, 9000) / 10, SINGLE)
    for shift in (0, 1, 11, 8999):
        values = np.roll(np.append(tenths, 0.123456789012345), shift)
        assert fractions(values, tenths) is None


def test_noise_is_that_of_the_type() -> None:
    reals = np.random.default_rng(0).random(50)
    for bits in TYPES:
        assert resolution([round_to_bits(reals, bits)]).noise == noise_of(bits)
    assert resolution([reals]).noise == FLOAT_NOISE
    coarse = [np.tile([0.0, 0.5], 20), np.sqrt(np.arange(40))]  # halves are of any type
    assert resolution(coarse).noise == FLOAT_NOISE
    assert resolution([reals.astype(np.float32), reals]).noise == SINGLE_NOISE


@pytest.mark.parametrize("unit", [3, 6])
@pytest.mark.parametrize("places", [2, 3, 4])
def test_thirds_and_sixths_tie_in_few_places(unit: int, places: int) -> None:
    rng = np.random.default_rng(7)
    for n in (12, 40, 200):
        a, b = rng.integers(0, unit + 1, (2, n))
        exact = permutation_test(a, b).fraction
        for other in ((b / unit).round(places), b / unit):  # or only one system was rounded
            assert permutation_test((a / unit).round(places), other).fraction == exact


@pytest.mark.parametrize("form", ["repr", "shortest single", ".8f", ".7g"])
@pytest.mark.parametrize("seed", range(2))
def test_scores_computed_in_single_precision(form: str, seed: int) -> None:
    """The bracket holds the p-value of the tenths that were computed, however printed."""
    rng = np.random.default_rng(seed)
    a, steps = rng.integers(0, 11, 40), rng.integers(-2, 4, 40)
    first = (a / 10).astype(np.float32)
    second = first + (steps / 10).astype(np.float32)
    tenths = permutation_test(a, a + steps)
    one, two = (printed(x.astype(np.float64), form) for x in (first, second))
    result = permutation_test(one, two)
    assert result.pvalue_low <= tenths.pvalue <= result.pvalue_high + 1e-12
    one, two = (printed(round_to_bits(x / 10, SINGLE), form) for x in (a, a + steps))
    assert permutation_test(one, two).pvalue == pytest.approx(tenths.pvalue, rel=1e-12)


def test_the_last_bit_of_single_precision_may_count() -> None:
    """A win by one last bit is one, or the bracket says that it may be."""
    a = "0.4225185 0.5567559 0.2505997 0.5199826 0.6554272 0.1549042 0.2977751 0.6342994".split()
    b = "0.4225189 0.5567559 0.2506000 0.5199830 0.6554273 0.1549042 0.2977754 0.6343000".split()
    steps = [round(1e7 * (float(y) - float(x))) for x, y in zip(a, b, strict=True)]
    exact = permutation_test(np.zeros(8, dtype=np.int64), np.array(steps))
    stored = permutation_test(np.array(a, dtype=np.float32), np.array(b, dtype=np.float32))
    assert stored.pvalue_low <= exact.pvalue <= stored.pvalue_high


def test_real_numbers_in_few_bits_are_taken_as_stored() -> None:
    rng = np.random.default_rng(1)
    a = rng.random(12)
    first, second = (x.astype(np.float16) for x in (a, a + rng.normal(0.05, 0.1, 12)))
    result = permutation_test(first, second)
    d = [Fraction(float(y)) - Fraction(float(x)) for x, y in zip(first, second, strict=True)]
    assert result.pvalue_low <= pvalue(d) <= result.pvalue_high
    assert any("as stored" in note for note in result.notes)
    assert permutation_test(a, a[::-1]).notes == ()


@pytest.mark.parametrize("bits", [BFLOAT, HALF])
def test_the_finer_of_two_types_is_not_rounded(bits: int) -> None:
    base = round_to_bits(np.random.default_rng(2).uniform(0.5, 1.0, 12), bits)
    new = (base * 0.995).round(6)  # further apart than a rounding
    pair = Scores.from_arrays({"base": base, "new": new}).pair("base", "new")
    assert pair.losses == 12
    assert pair.delta == pytest.approx(float((new - base).mean()), rel=1e-9)


@pytest.mark.parametrize("low", [10.000001, 1000.0001, 99.99991, 0.9999993])
def test_what_is_near_a_round_number_is_not_that_number(low: float) -> None:
    step = 10.0 ** -len(repr(low).split(".")[1])
    a = np.round(low + step * np.array([0, 0, 0, 1, 1, 0]), 7)
    b = np.round(a + step * np.array([2, 2, 2, 1, 1, 1]), 7)
    assert permutation_test(a, b).fraction == Fraction(1, 32)


def test_rounding_is_not_a_win_in_rankings_and_lists() -> None:
    rng = np.random.default_rng(3)
    base = (rng.integers(0, 11, 60) / 10).astype(np.float32)
    same = (base + np.float32(0.3)) - np.float32(0.3)
    assert (base != same).any()
    better = np.minimum(base + np.float32(0.2), np.float32(1.0))
    for form in ("repr", "shortest single"):
        columns = {"base": base, "same": same, "better": better}
        scores = Scores.from_arrays({k: printed(x / 1.0, form) for k, x in columns.items()})
        assert not item_by_item(scores, "base", "same").gains.any()
        assert scores.pair("base", "same").outcomes == (0, 60, 0)
        board = rank(scores, method="bradley-terry(separation=ghost)").ranking
        strengths = dict(zip(board.names, board.scores, strict=True))
        assert strengths["base"] == pytest.approx(strengths["same"], abs=1e-9)


KINDS: list[Callable[[int], Any]] = [int, float, Fraction, Decimal, lambda x: Fraction(x, 3)]


@given(
    base=st.sampled_from([0, 2**41, 2**50]),
    steps=st.lists(st.tuples(*[st.integers(-600, 600)] * 2), min_size=1, max_size=6),
    kind=st.sampled_from(KINDS),
)
@settings(deadline=None, max_examples=200)
def test_differences_of_large_numbers_are_exact(
    base: int, steps: list[tuple[int, int]], kind: Callable[[int], Any]
) -> None:
    a, b = ([kind(base + step) for step in column] for column in zip(*steps, strict=True))
    d = [Fraction(y) - Fraction(x) for x, y in zip(a, b, strict=True)]
    result = permutation_test(a, b)
    assert result.pvalue == pytest.approx(float(pvalue(d)), rel=1e-12)
    assert result.delta == pytest.approx(float(sum(d, Fraction()) / len(d)), rel=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 30)] * 2), min_size=1, max_size=9), st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_scale_order_and_sides_change_nothing(rows: list[tuple[int, int]], k: int) -> None:
    a, b = (np.array(x) for x in zip(*rows, strict=True))
    exact = float(signed_sum_pvalue((b - a).tolist(), "two-sided"))
    for first, second in ((a, b), (b, a), (a[::-1], b[::-1]), (a / k, b / k), (a * 0.1, b * 0.1)):
        assert permutation_test(first, second).pvalue == pytest.approx(exact, rel=1e-12)
    medians = [permutation_test(x(a), x(b), "median").pvalue for x in (np.int64, np.float32)]
    assert medians[0] == medians[1] == permutation_test(a / 10, b / 10, "median").pvalue
