"""The number that was meant, whatever type it passed through and however it was printed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from betterthan.data.meant import noise_of, one_precision
from betterthan.data.precision import (
    BFLOAT,
    COARSER,
    HALF,
    SINGLE,
    Precision,
    as_stored,
    printed_single,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan import Scores, gate, item_by_item, permutation_test, rank
from betterthan.data.resolution import whole_numbers
from betterthan.numeric import Floats
from oracles import signed_sum_pvalue
from printed_scores import PRINTINGS, printed


def meant_by(values: Floats) -> list[Fraction] | None:
    (found,), unit = whole_numbers([values], len(values))
    return None if unit is None else [n * unit for n in found.tolist()]


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
    """Twelve or more multiples of ``1/k`` come back as such, or as no whole numbers at all."""
    numbers = np.unique(np.random.default_rng(seed).integers(0, k * top + 1, 40))
    if len(numbers) < 12:
        return
    values = SINGLE.rounded(numbers / k) if single else numbers / k
    found = meant_by(printed(values, form))
    assert found is None or found == [Fraction(int(n), k) for n in numbers]
    if form in {"repr", "shortest single", ".4f"}:
        assert found is not None


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(8, 60), st.integers(1, 9), st.sampled_from([1, 10, 100]))
def test_decimals_are_what_they_are(seed: int, n: int, places: int, top: int) -> None:
    """Random decimals were rounded from nothing, and printed from no single precision."""
    numbers = np.random.default_rng(seed).integers(0, top * 10**places + 1, n)
    found = meant_by(numbers / 10**places)
    assert found == [Fraction(int(x), 10**places) for x in numbers]


@pytest.mark.parametrize("precision", COARSER, ids=lambda x: f"{x.bits} bits")
@pytest.mark.parametrize("k", [3, 5, 7, 10])
def test_tenths_and_thirds_of_every_type(precision: Precision, k: int) -> None:
    numbers = np.arange(0, k + 1)
    stored = precision.rounded(numbers / k)
    for values in (stored, printed(stored, "shortest single")):
        assert meant_by(values) == [Fraction(int(n), k) for n in numbers]


def test_half_of_numpy() -> None:
    values = np.array([0.1, 0.25, 0.7, 3.3], dtype=np.float16)
    assert (HALF.rounded(np.array([0.1, 0.25, 0.7, 3.3])) == values.astype(float)).all()
    assert meant_by(values.astype(float)) == [
        Fraction(1, 10),
        Fraction(1, 4),
        Fraction(7, 10),
        Fraction(33, 10),
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=20))
def test_bfloat_is_the_upper_half_of_single(values: list[float]) -> None:
    """Its numbers are the single-precision ones whose last sixteen bits are zero."""
    x = np.array(values)
    with np.errstate(under="ignore"):
        bits = BFLOAT.rounded(SINGLE.rounded(x)).astype(np.float32).view(np.uint32)
    normal = np.abs(x) > 1e-30
    assert (bits[normal] & 0xFFFF == 0).all()
    assert (np.abs(BFLOAT.rounded(x) - x) <= 2.0**-8 * np.abs(x)).all()


@pytest.mark.parametrize("k", [2, 4, 64, 128, 1024, 2048])
def test_powers_of_two_need_no_type(k: int) -> None:
    """Pass rates of 1,024 samples are half-precision numbers, and meant to the last bit."""
    rng = np.random.default_rng(k)
    a, b = rng.integers(0, k + 1, (2, 60))
    assert one_precision([a / k, b / k])[0].tolist() == (a / k).tolist()
    assert noise_of([a / k, b / k]) <= SINGLE.noise
    exact, given = permutation_test(a, b), permutation_test(a / k, b / k)
    assert given.fraction is not None or given.pvalue_high - given.pvalue_low < 1e-12
    assert given.pvalue == pytest.approx(exact.pvalue, rel=1e-12)


def test_real_numbers_of_one_type_keep_its_rounding() -> None:
    rng = np.random.default_rng(0)
    reals = rng.random(50)
    for precision in COARSER:
        assert noise_of([precision.rounded(reals)]) == precision.noise
    assert noise_of([reals]) < SINGLE.noise


@pytest.mark.parametrize(
    ("values", "single"),
    [
        ([0.1, 0.2, 0.70000005], True),  # 0.6 + 0.1
        ([0.1, 0.3, 0.6999999], True),  # seven digits, and a tenth to within rounding
        ([0.33333334, 0.6666667, 1.0, 0.0], True),
        ([0.1375943, 0.8120467], False),  # seven digits, as they may have been meant
        ([12345.67, 98765.43], False),  # so have prices,
        ([102521.42, 102521.45, 110000.01], False),  # all of which single precision prints
        ([13325.207, 10001.002, 16000.333], False),
        ([0.12345678, 0.23456789, 0.34567891, 0.45678912], False),
        ([0.1, 0.2, 0.7], False),
        ([1 / 3, 2 / 3], False),
        ([1e300, 0.1], False),
        ([float("nan"), 0.33333334], False),
        ([], False),
    ],
)
def test_what_was_printed_from_single_precision(values: list[float], single: bool) -> None:
    assert printed_single(np.array(values)) is single


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 10**9),
    st.integers(4, 12),
    st.sampled_from([(10, 16, 6), (100, 128, 5), (10_000, 16_384, 3), (100_000, 131_072, 2)]),
)
def test_decimals_that_single_precision_prints_are_what_they_are(
    seed: int, n: int, zone: tuple[int, int, int]
) -> None:
    """Where its numbers are finer than the last place, every decimal of eight digits is one."""
    low, high, places = zone
    rng = np.random.default_rng(seed)
    a = rng.integers(low * 10**places, high * 10**places, n)
    b = a + rng.integers(-3, 6, n)
    d = b - a
    if not d.any():
        return
    meant = permutation_test(np.zeros(n, dtype=np.int64), d)
    found = permutation_test(a / 10**places, b / 10**places)
    assert found.fraction == meant.fraction


def test_one_row_among_many_is_seen_wherever_it_stands() -> None:
    """A value that rules out what the others would be taken for does so from any row."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 11, 9000) / 10
    odd = np.append(SINGLE.rounded(base), 0.123456789012)
    for shift in (0, 1, 11, 8999):
        assert meant_by(np.roll(odd, shift)) is None
        assert noise_of([one_precision([np.roll(odd, shift)])[0]]) < SINGLE.noise


def test_single_precision_beyond_cents() -> None:
    """Amounts whose cents single precision does not hold are no multiples of its last bit."""
    a = [28653.54, 24084.45, 29296.32, 24116.23, 29626.01, 25383.38, 20858.44, 28827.11, 28693.0]
    b = [28653.57, 24084.5, 29296.35, 24116.3, 29625.99, 25383.44, 20858.46, 28827.11, 28692.99]
    cents = [round(100 * (y - x)) for x, y in zip(a, b, strict=True)]
    meant = permutation_test(np.zeros(9, dtype=np.int64), np.array(cents))
    stored = permutation_test(np.array(a, dtype=np.float32), np.array(b, dtype=np.float32))
    assert meant.pvalue == permutation_test(a, b).pvalue
    assert stored.pvalue_low <= meant.pvalue <= stored.pvalue_high


def test_the_last_bit_of_single_precision_may_count() -> None:
    """A win by one last bit is one, or the bracket says that it may be."""
    a = "0.4225185 0.5567559 0.2505997 0.5199826 0.6554272 0.1549042 0.2977751 0.6342994".split()
    b = "0.4225189 0.5567559 0.2506000 0.5199830 0.6554273 0.1549042 0.2977754 0.6343000".split()
    steps = [round(1e7 * (float(y) - float(x))) for x, y in zip(a, b, strict=True)]
    meant = permutation_test(np.zeros(8, dtype=np.int64), np.array(steps))
    stored = permutation_test(np.array(a, dtype=np.float32), np.array(b, dtype=np.float32))
    assert stored.pvalue_low <= meant.pvalue <= stored.pvalue_high


@pytest.mark.parametrize("precision", [BFLOAT, HALF])
def test_the_finer_of_two_types_is_not_rounded(precision: Precision) -> None:
    rng = np.random.default_rng(2)
    base = precision.rounded(rng.uniform(0.5, 1.0, 12))
    new = (base * 0.995).round(6)  # further apart than a rounding
    pair = Scores.from_arrays({"base": base, "new": new}).pair("base", "new")
    assert pair.losses == 12
    assert pair.delta == pytest.approx(float((new - base).mean()), rel=1e-9)
    assert permutation_test(base, new).fraction == Fraction(2, 2**12)


def test_multiples_of_a_decimal_are_no_fractions() -> None:
    a = np.array([0.260, 0.468, 0.208, 0.468, 0.130, 0.104, 0.104])
    b = np.array([0.468, 0.156, 0.260, 0.156, 0.338, 0.468, 0.104])
    pair = Scores.from_arrays({"base": a, "new": b}).pair("base", "new")
    assert pair.delta == pytest.approx(float((b - a).mean()), rel=1e-12)


def test_sixths_in_percent() -> None:
    a = np.array([16.67, 50, 50, 83.33, 50, 0, 0])
    b = np.array([100, 16.67, 100, 66.67, 16.67, 50, 66.67])
    sixths = permutation_test(np.rint(a * 6 / 100).astype(int), np.rint(b * 6 / 100).astype(int))
    assert permutation_test(a, b).fraction == sixths.fraction == Fraction(19, 64)


@pytest.mark.parametrize("form", ["repr", "shortest single", ".10f", ".8f", ".9g", ".8g", ".7g"])
@pytest.mark.parametrize("seed", range(4))
def test_scores_computed_in_single_precision(form: str, seed: int) -> None:
    """The bracket holds the p-value of the tenths that were meant, however they were printed."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 11, 40)
    steps = rng.integers(-2, 4, 40)
    first = (a / 10).astype(np.float32)
    second = first + (steps / 10).astype(np.float32)
    meant = permutation_test(a, a + steps)
    found = permutation_test(
        printed(first.astype(float), form), printed(second.astype(float), form)
    )
    assert found.pvalue_low <= meant.pvalue <= found.pvalue_high + 1e-12
    assert found.pvalue == pytest.approx(found.pvalue_high, rel=1e-12)
    one, two = (printed(SINGLE.rounded(x / 10), form) for x in (a, a + steps))
    plain = permutation_test(one, two)
    assert plain.pvalue == pytest.approx(meant.pvalue, rel=1e-12)


def test_thirds_printed_in_places_that_people_use() -> None:
    """Means of three raters, in four places and in percent, tie where thirds do."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, (2, 30))
    meant = permutation_test(a, b)
    for scale, places in ((1, 4), (1, 6), (100, 2), (5, 3)):
        found = permutation_test(np.round(scale * a / 3, places), np.round(scale * b / 3, places))
        assert found.fraction == meant.fraction


def test_systems_in_two_types() -> None:
    """One system's tenths in half precision, another's in double."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 11, (2, 30))
    meant = permutation_test(a, b)
    for precision in COARSER:
        stored = precision.rounded(a / 10)
        for first in (stored, printed(stored, "shortest single")):
            assert permutation_test(first, b / 10).fraction == meant.fraction


def test_noise_of_single_precision_is_no_win() -> None:
    """Scores that differ by rounding alone tie in rankings and item by item, as in tests."""
    rng = np.random.default_rng(3)
    base = (rng.integers(0, 11, 60) / 10).astype(np.float32)
    same = (base + np.float32(0.3)) - np.float32(0.3)
    assert (base != same).any()
    better = np.minimum(base + np.float32(0.2), np.float32(1.0))
    for form in ("repr", "shortest single"):
        columns = {
            name: printed(x.astype(float), form)
            for name, x in (("base", base), ("same", same), ("better", better))
        }
        scores = Scores.from_arrays(columns)
        assert not item_by_item(scores, "base", "same").gains.any()
        pair = scores.pair("base", "same")
        assert (pair.wins, pair.ties, pair.losses) == (0, 60, 0)
        ranked = rank(scores, method="bradley-terry(separation=ghost)").ranking
        strengths = dict(zip(ranked.names, ranked.scores, strict=True))
        assert strengths["base"] == pytest.approx(strengths["same"], abs=1e-9)


def test_real_numbers_in_few_bits_are_taken_as_stored() -> None:
    rng = np.random.default_rng(1)
    a = rng.random(12)
    first, second = (x.astype(np.float16) for x in (a, a + rng.normal(0.05, 0.1, 12)))
    found = permutation_test(first, second)
    d = [Fraction(float(y)) - Fraction(float(x)) for x, y in zip(first, second, strict=True)]
    signs = (np.array(list(product((-1, 1), repeat=12))) @ np.array(d)).tolist()
    truth = Fraction(sum(abs(x) >= abs(sum(d, Fraction(0))) for x in signs), 2**12)
    assert found.pvalue_low <= truth <= found.pvalue_high
    assert any("as stored" in note for note in found.notes)
    assert permutation_test(a, a[::-1]).notes == ()


@pytest.mark.parametrize("precision", [BFLOAT, HALF], ids=lambda x: f"{x.bits} bits")
def test_few_bits_printed_as_single_precision_are_the_numbers_stored(precision: Precision) -> None:
    """Scores without a unit have the p, the sums that tie and the note of the stored numbers."""
    rng = np.random.default_rng(1)
    a = rng.random(40)
    first, second = (precision.rounded(x) for x in (a, a + rng.normal(0.05, 0.1, 40)))
    one, two = (printed(x, "shortest single") for x in (first, second))
    assert (one != first).any()
    assert as_stored([one])[0].tolist() == first.tolist()
    stored, found = permutation_test(first, second), permutation_test(one, two)
    assert (found.pvalue_low, found.pvalue_high) == (stored.pvalue_low, stored.pvalue_high)
    assert found.notes == stored.notes
    assert any("as stored" in note for note in found.notes)


def test_pass_rates_of_a_power_of_two_come_back_from_print() -> None:
    """n/1024 has ten decimals, of which single precision prints eight or so: sums tie no more."""
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 1025, (2, 16))
    exact = permutation_test(a, b)
    found = permutation_test(printed(a / 1024, "shortest single"), b / 1024)
    assert found.pvalue_low <= exact.pvalue <= found.pvalue_high
    assert found.pvalue == pytest.approx(exact.pvalue, rel=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.25, 0.75, 1.0],  # in every type, to the last digit
        [0.20019531, 0.1, 0.5],  # a tenth that passed through no type
        [0.20019531, 0.69995117, 0.12345678],
        [0.20019532, 0.7001953],  # one in the last digit beside
        [0.2001953, 0.7001953],  # no print of the first, whose digits are not enough
        [0.5000000000000001, 1.0000000000000002],  # computed
        [1e300, 1e-300, float("inf"), float("nan")],
        [],
    ],
)
def test_what_was_not_printed_from_few_bits(values: list[float]) -> None:
    given = [np.array(values)]
    assert as_stored(given) is given


def test_one_number_that_few_bits_would_print_is_what_it_is() -> None:
    """0.19995117 beside halves and quarters is a decimal of eight digits."""
    values = [0.19995117, 0.5, 0.25, 1.0]
    assert meant_by(np.array(values)) == [Fraction(str(x)) for x in values]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 12), st.sampled_from([7, 8, 9]))
def test_eight_digits_came_from_no_few_bits(seed: int, n: int, digits: int) -> None:
    """Random numbers of as many digits as single precision prints."""
    rng = np.random.default_rng(seed)
    values = rng.integers(10 ** (digits - 1), 10**digits, n) / 10.0 ** rng.integers(0, digits + 3)
    given = [values]
    assert as_stored(given) is given


def test_medians_of_every_type() -> None:
    a = np.array([0.5, 0.4, 0.7, 0.1, 0.3, 0.8, 1.0])
    b = np.array([0.0, 0.9, 0.8, 0.3, 1.0, 0.0, 0.9])
    whole = permutation_test(np.rint(10 * a), np.rint(10 * b), "median").fraction
    for kind in (np.float16, np.float32, np.float64):
        assert permutation_test(a.astype(kind), b.astype(kind), "median").fraction == whole
    far = permutation_test(a + 1e6, b + 1e6, "median").fraction
    assert far == whole
    thirds = permutation_test([0.3333, 0, 0.3333], [0.6667, 0.6667, 0], "median").fraction
    assert thirds == permutation_test([1, 0, 1], [2, 2, 0], "median").fraction


def test_systems_in_two_types_are_ranked_and_listed_alike() -> None:
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 4, (2, 40))
    single = SINGLE.rounded(numbers[0] / 3)
    scores = Scores.from_arrays({"a": single, "b": numbers[0] / 3, "c": numbers[1] / 3})
    assert not item_by_item(scores, "a", "b").gains.any()
    ranked = rank(scores, method="bradley-terry").ranking
    strengths = dict(zip(ranked.names, ranked.scores, strict=True))
    assert strengths["a"] == pytest.approx(strengths["b"], abs=1e-9)


@pytest.mark.parametrize("low", [10.000001, 1000.0001, 99.99991, 0.9999993])
def test_what_is_near_a_round_number_is_not_that_number(low: float) -> None:
    step = 10.0 ** -len(repr(low).split(".")[1])
    a = np.round(low + step * np.array([0, 0, 0, 1, 1, 0]), 7)
    b = np.round(a + step * np.array([2, 2, 2, 1, 1, 1]), 7)
    pair = Scores.from_arrays({"base": a, "new": b}).pair("base", "new")
    assert (pair.wins, pair.losses) == (6, 0)
    assert permutation_test(a, b).fraction == Fraction(1, 32)


def test_a_margin_that_a_difference_meets() -> None:
    """0.3 less three tenths is nothing, and no reason to lose the unit."""
    a = np.array([3, 8, 1, 9, 5, 6, 7, 5, 6, 3, 8, 5, 3, 0, 0, 5])
    b = np.array([2, 4, 3, 1, 7, 9, 5, 2, 8, 5, 3, 5, 6, 4, 0, 10])
    found = [
        gate(Scores.from_arrays({"a": a / k, "b": b / k}), margin=3 / k, assume="shift")
        for k in (1, 10)
    ]
    assert found[0].checks[0].pvalue == found[1].checks[0].pvalue == 0.00390625


def test_whole_numbers_too_large_for_a_common_unit() -> None:
    """Beside decimals, 1e14 is no whole number of their unit that 64 bits would hold doubled."""
    large, small = np.array([1e14, 2e14, 3.0]), np.array([0.00001, 0.5, 0.25])
    (a, b), unit = whole_numbers([large, small], 3)
    one = 1 if unit is None else unit
    assert [float(x * one) for x in a.tolist()] == large.tolist()
    assert [float(x * one) for x in b.tolist()] == small.tolist()


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-42, 1e39, 1e99])
def test_what_single_precision_cannot_hold_was_not_printed_from_it(scale: float) -> None:
    values = np.array([1.0, 2.0, 4.0, 7.0]) * scale
    assert as_stored([values])[0] is values
    found = permutation_test(values[:3], values[1:])
    assert found.delta == pytest.approx(2.0 * scale)


def test_two_systems_of_few_values_tell_together_what_one_does_not() -> None:
    """Half of the second one's values are off; whole twentieths have p = 1."""
    a = [0.3, 0.05, 0.3, 0.25, 0.85, 0.45, 0.2, 0.15]
    b = [0.35000002, 0, 0.20000002, 0.15, 0.90000004, 0.55, 0.35000002, 0.050000004]
    meant = permutation_test([6, 1, 6, 5, 17, 9, 4, 3], [7, 0, 4, 3, 18, 11, 7, 1])
    found = permutation_test(a, b)
    assert found.pvalue_low <= meant.pvalue <= found.pvalue_high
    assert found.pvalue >= meant.pvalue


def test_thirds_in_two_places_are_thirds() -> None:
    base = "2 1 3 0 0 2 0 1 2 1 1 0 0 3 2 1 0 3 0 1".split()
    new = "2 2 2 0 2 2 2 2 2 3 1 0 0 3 2 2 0 3 0 1".split()
    a, b = (
        np.array(["0.00", "0.33", "0.67", "1.00"], float)[list(map(int, x))] for x in (base, new)
    )
    thirds = [int(y) - int(x) for x, y in zip(base, new, strict=True)]
    assert (
        permutation_test(a, b).fraction == signed_sum_pvalue(thirds, "two-sided") > Fraction(1, 20)
    )


@pytest.mark.parametrize("unit", [3, 6])
@pytest.mark.parametrize("places", [2, 3, 4])
def test_thirds_and_sixths_are_told_in_few_places(unit: int, places: int) -> None:
    rng = np.random.default_rng(7)
    for n in (12, 40, 200):
        a, b = rng.integers(0, unit + 1, (2, n))
        rounded = permutation_test((a / unit).round(places), (b / unit).round(places))
        assert rounded.fraction == permutation_test(a, b).fraction


def test_one_of_two_thirds_in_two_places_may_be_a_hundredth() -> None:
    a, b = np.array([0.33, 0, 1, 0.33, 0.5, 0]), np.array([0, 1, 0.33, 1, 0.33, 0.33])
    assert permutation_test(a, b).fraction == permutation_test(100 * a, 100 * b).fraction
