import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from betterthan.errors import BadValueError
from betterthan.exact import inversion, real
from betterthan.exact.inversion import shift_interval, walsh_interval
from betterthan.exact.lattice import SignedSum
from betterthan.numeric import Alternative, Ints
from oracles import signed_sum_law, signed_sum_pvalue


def ones(n: int) -> Ints:
    """Every difference occurs once."""
    return np.ones(n, dtype=np.int64)


SHARE = Fraction(1, 40)
levels = st.sampled_from([0.8, 0.9, 0.95])


def exact_low(d: list[int], share: Fraction) -> Fraction | None:
    """Least shift that is not rejected: subsets in fractions, one by one."""
    means = sorted(
        Fraction(sum(chosen), size)
        for size in range(1, len(d) + 1)
        for chosen in combinations(d, size)
    )
    rank = math.floor(share * 2 ** len(d))
    return means[rank - 1] if rank else None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=8), levels)
def test_interval_is_the_set_of_means(d: list[int], confidence: float) -> None:
    share = (1 - Fraction(str(confidence))) / 2
    interval = shift_interval(np.array(d) / 4, confidence=confidence)
    low, high = exact_low(d, share), exact_low([-x for x in d], share)
    assert interval.low == (-math.inf if low is None else float(low / 4))
    assert interval.high == (math.inf if high is None else float(-high / 4))
    assert interval.slack == 0.0


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-9, 9), min_size=3, max_size=9),
    st.fractions(-9, 9, max_denominator=20),
    st.sampled_from(["two-sided", "greater", "less"]),
    levels,
)
def test_interval_and_test_agree(
    d: list[int], shift: Fraction, alternative: Alternative, confidence: float
) -> None:
    """A shift is inside exactly when the exact test of the shifted differences keeps it."""
    interval = shift_interval(np.array(d), confidence=confidence, alternative=alternative)
    shifted = [x * shift.denominator - shift.numerator for x in d]
    kept = signed_sum_pvalue(shifted, alternative) > 1 - Fraction(str(confidence))
    near = any(abs(float(shift) - end) < 1e-12 for end in (interval.low, interval.high))
    assert (float(shift) in interval) == kept or near


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-30, 30), min_size=6, max_size=10), st.sampled_from([SHARE, 2 * SHARE]))
def test_joint_law_finds_the_same_end(d: list[int], share: Fraction) -> None:
    assert inversion._joint_end(np.array(d), ones(len(d)), share) == exact_low(d, share)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-2, 1e-4]))
@example(9217, 1e-4)  # a plateau, on which secants crawl
def test_search_encloses_the_listed_end(seed: int, resolution: float) -> None:
    d = np.random.default_rng(seed).standard_t(3, 15)
    listed = inversion._listed_end(d, ones(15), SHARE)
    low, slack = inversion._searched_end(d, ones(15), SHARE, resolution)
    assert low <= listed <= low + slack + 1e-12
    assert slack <= resolution * d.std(ddof=1) / math.sqrt(15)


@pytest.mark.parametrize("n", [200, 2000])
def test_lattice_end_is_where_the_exact_test_turns(n: int) -> None:
    d = np.random.default_rng(n).integers(-3, 5, n)
    end = inversion._joint_end(d, ones(n), SHARE)
    steps = d * end.denominator - end.numerator
    law, observed = SignedSum.of(steps), int(steps.sum())
    assert law.tail(observed).value > SHARE
    assert law.tail(observed + 1).value + 2.0**-n <= SHARE  # any smaller shift: ties break away


@pytest.mark.parametrize("n", [60, 1000])
@pytest.mark.parametrize("resolution", [1e-3, 1e-4])
def test_real_ends_are_certified(n: int, resolution: float) -> None:
    d = np.random.default_rng(n).normal(size=n) + 0.1
    interval = shift_interval(d, confidence=0.9, resolution=resolution)
    for x, end in ((d, interval.low), (-d, -interval.high)):
        outside = real.pvalue(x - end, alternative="greater", tolerance=1e-5)
        inside = real.pvalue(x - end - interval.slack, alternative="greater")
        assert outside.value <= 0.05 <= inside.high
    assert interval.slack <= 1.1 * resolution * d.std() / math.sqrt(n)
    assert (interval.low > 0) == (real.pvalue(d, alternative="greater").value <= 0.05)


def test_one_sided_and_mirror() -> None:
    d = np.random.default_rng(1).normal(size=50)
    both = shift_interval(d, confidence=0.9)
    below = shift_interval(d, confidence=0.95, alternative="greater")
    above = shift_interval(-d, confidence=0.95, alternative="less")
    assert below.low == both.low == -above.high
    assert below.high == math.inf == -above.low
    assert below.assumption == "exact under a shift model"


def test_too_few_items_and_constants() -> None:
    assert shift_interval([1.5, 2.0, 3.5, 1.0, 7.0]).low == -math.inf  # 2 / 32 > 0.05
    assert math.isfinite(shift_interval([1.5, 2.0, 3.5, 1.0, 7.0, 2.0]).low)
    constant = shift_interval(np.full(40, math.sqrt(2)))
    assert constant.low <= math.sqrt(2) <= constant.high
    assert constant.high - constant.low < 1e-9
    assert shift_interval(np.zeros(30)).low == 0.0
    with pytest.raises(ValueError, match="at least one"):
        shift_interval([])
    with pytest.raises(ValueError, match="confidence must be"):
        shift_interval([1.0], confidence=95)


def walsh_oracle(d: list[int], share: Fraction) -> tuple[float, float]:
    """Order statistics of the sorted Walsh averages at the exact critical rank."""
    n = len(d)
    averages = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
    law = signed_sum_law(list(range(1, n + 1)))
    below = [sum(q for s, q in law.items() if s <= 2 * k - len(averages)) for k in range(n * n)]
    k = sum(p <= share for p in below)
    return (averages[k - 1], averages[-k]) if k else (-math.inf, math.inf)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=10), levels, st.booleans())
def test_walsh_interval(d: list[int], confidence: float, counted: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if counted:
            patch.setattr(inversion, "MAX_PAIRS", 0)
        interval = walsh_interval(d, confidence=confidence)
    assert (interval.low, interval.high) == walsh_oracle(d, (1 - Fraction(str(confidence))) / 2)
    averages = [(x + y) / 2 for i, x in enumerate(d) for y in d[i:]]
    assert interval.estimate == np.median(averages)


def test_walsh_depression_scores() -> None:
    """Hollander & Wolfe (1999), examples 3.3, 3.4: estimate -.46, 96 % limits -.786 and -.010."""
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    interval = walsh_interval(np.array(second) - first, confidence=0.96)
    assert interval.estimate == pytest.approx(-0.46)
    assert (interval.low, interval.high) == pytest.approx((-0.786, -0.010))


def test_walsh_of_many_items_bounds_memory_and_agrees() -> None:
    d = np.random.default_rng(2).normal(size=2500)
    counted = walsh_interval(d)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inversion, "MAX_PAIRS", 10**7)
        listed = walsh_interval(d)
    assert (counted.low, counted.high) == (listed.low, listed.high)
    assert walsh_interval(d, alternative="greater", confidence=0.975).low == listed.low
    assert walsh_interval(d, alternative="greater").high == math.inf


@given(
    st.lists(st.integers(-(2**45), 2**45), min_size=1, max_size=12),
    st.lists(st.integers(1, 9), min_size=12, max_size=12),
)
@example([2**34, 0, 1, -1], [1] * 12)
def test_windows_of_large_whole_numbers_do_not_overflow(
    values: list[int], times: list[int]
) -> None:
    counts = times[: len(values)]
    x, centre, span, _ = inversion._joint_windows(np.array(values), np.array(counts))
    exact = [value - centre for value in values]
    assert x.tolist() == exact
    reach = math.sqrt(2.0 * math.log(2.0 / inversion.LOST))
    squares = sum(t * v * v for t, v in zip(counts, exact, strict=True))
    whole = sum(t * abs(v) for t, v in zip(counts, exact, strict=True))
    assert span == pytest.approx(min(whole, reach * math.sqrt(squares)) + 2, rel=1e-12, abs=1)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    for interval in (shift_interval, walsh_interval):
        with pytest.raises(BadValueError, match="NaN or infinite at positions '7'"):
            interval([1, 2, 3, 4, 5, 6, 7, bad])
        with pytest.raises(BadValueError, match="at least one difference"):
            interval([])


@pytest.mark.parametrize("power", [-1000, -664, 332])
def test_the_search_does_not_depend_on_the_scale(power: int) -> None:
    d = np.random.default_rng(4).normal(0.4, 1.0, 40)
    plain, scaled = shift_interval(d), shift_interval(np.ldexp(d, power))
    assert plain.engine == scaled.engine == "certified search"
    found = [math.ldexp(x, -power) for x in (scaled.low, scaled.high, scaled.slack)]
    assert found == [plain.low, plain.high, plain.slack]
