"""The certified law of resampled real numbers against all resamples, in fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import betterthan as bt
from betterthan.exact.drawn_reals import TiltedDraws, tail_of_real_draws
from betterthan.exact.extremal import WantedPrecision, bracket, plan
from betterthan.exact.ideal import ResampledRatio
from betterthan.exact.probability import BudgetExceededError, Probability
from oracles_bootstrap import Law

VALUES = st.lists(
    st.tuples(st.floats(-100.0, 100.0).filter(lambda x: abs(x) > 1e-3), st.integers(1, 3)),
    min_size=2,
    max_size=4,
    unique_by=lambda pair: pair[0],
)


def law_of_draws(values: list[float], counts: list[int]) -> Law:
    """Law of the sum of as many draws as there are units, one draw after the other."""
    n, law = sum(counts), {Fraction(0): Fraction(1)}
    for _ in range(n):
        after: Law = {}
        for total, mass in law.items():
            for value, count in zip(values, counts, strict=True):
                key = total + Fraction(value)
                after[key] = after.get(key, Fraction(0)) + mass * Fraction(count, n)
        law = after
    return law


def contains(p: Probability, truth: Fraction) -> bool:
    return p.low * (1 - 1e-15) <= truth <= p.high * (1 + 1e-15)


def with_counts(pairs: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    values, counts = zip(*pairs, strict=True)
    return list(values), list(counts)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from([1e-1, 1e-3]))
def test_the_bracket_contains_all_resamples(
    pairs: list[tuple[float, int]], tolerance: float
) -> None:
    values, counts = with_counts(pairs)
    law = law_of_draws(values, counts)
    doubt = 1e-9
    assume(all(abs(total) > 2 * doubt for total in law))
    truth = sum((mass for total, mass in law.items() if total >= 0), Fraction(0))
    try:
        p = tail_of_real_draws(
            np.array(values), np.array(counts), WantedPrecision(tolerance, None), doubt
        )
    except BudgetExceededError:
        return
    assert contains(p, truth)
    assert truth == 0 or p.error <= tolerance


@settings(max_examples=50, deadline=None)
@given(VALUES, st.sampled_from([2, 17, 300]))
def test_every_single_bracket_is_right_however_coarse(
    pairs: list[tuple[float, int]], frequencies: int
) -> None:
    values, counts = with_counts(pairs)
    z, times = np.array(values), np.array(counts)
    assume(z.max() > 0 and float(times @ z) <= 0)
    law, drawn = law_of_draws(values, counts), TiltedDraws.at(z, times)
    assume(all(abs(total) > 1e-9 for total in law))
    truth = sum((mass for total, mass in law.items() if total >= 0), Fraction(0))
    assert contains(drawn.chernoff(1e-10), truth)
    assume(drawn.sd > 1e-6)
    period, alias, _ = plan(drawn, 0.1)
    p = bracket(drawn, period, alias, frequencies, doubt=1e-10, tolerance=0.1)
    assert p is not None
    assert contains(p, truth)


@settings(max_examples=30, deadline=None)
@given(VALUES, st.floats(2.0, 30.0))
@example([(0.5, 1), (-8.0, 3), (-83.0, 1)], 19.0)  # a mass of 1e-17 is not nothing
def test_what_the_shifts_add_is_bounded(pairs: list[tuple[float, int]], periods: float) -> None:
    values, counts = with_counts(pairs)
    z, times = np.array(values), np.array(counts)
    assume(z.max() > 0 and float(times @ z) <= 0)
    drawn = TiltedDraws.at(z, times)
    assume(drawn.sd > 1e-3 * np.abs(z).max())
    period = periods * drawn.sd
    added = 0.0
    for total, mass in law_of_draws(values, counts).items():
        tilted = float(mass) * math.exp(drawn.lam * float(total) - drawn.exponent)
        shifts = (float(total) + j * period for j in range(-60, 61) if j)
        added += tilted * sum(math.exp(-drawn.lam * x) for x in shifts if x >= 0)
    assert added <= drawn.aliasing()(period) * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["normal", "far outliers", "two clumps", "nearly a lattice"])
@pytest.mark.parametrize("n", [60, 3000])
def test_dead_frequencies_are_dead(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    z = {
        "normal": rng.normal(size=n),
        "far outliers": rng.standard_t(1.5, size=n),
        "two clumps": rng.choice([-1.0, 1.0], n) + 1e-6 * rng.normal(size=n),
        "nearly a lattice": rng.integers(-3, 4, n) + 1e-4 * rng.normal(size=n),
    }[kind]
    z -= z.mean() + 1.5 * z.std() / math.sqrt(n)
    drawn = TiltedDraws.at(z, np.ones(n, dtype=np.int64))
    period, frequencies, cut = 12.0 * drawn.sd, 3000, 18.0
    alive = drawn.alive(period, frequencies, cut)
    assert (np.diff(alive) > 0).all()
    dead = np.setdiff1d(np.arange(1, frequencies), alive)
    assert dead.size > 100
    for some in np.array_split(dead, 50):
        phi = np.exp(2j * np.pi / period * np.outer(some, z)) @ drawn.mass
        assert (n * np.log(np.abs(phi)) <= -cut * (1 - 1e-9)).all()


@pytest.mark.parametrize("n", [50, 2000])
@pytest.mark.parametrize("gap", [-0.7, 0.4, 2.5, 7.0])
def test_whole_numbers_have_the_law_that_is_computed_on_their_lattice(n: int, gap: float) -> None:
    """Half way between two sums there is no tie, and the two engines have nothing in common."""
    d = np.random.default_rng(n).poisson(30.0, n) - 30
    s = math.floor(d.sum() + gap * d.std() * math.sqrt(n))
    exact = ResampledRatio.of(d).tail(Fraction(s, n))
    p = tail_of_real_draws(
        d - (s - 0.5) / n, np.ones(n, dtype=np.int64), WantedPrecision(1e-3, None), 1e-9
    )
    assert p.low <= exact.high
    assert exact.low <= p.high
    assert p.error < 1e-3


def test_ties_with_the_threshold_are_not_decided_by_a_bracket() -> None:
    d = np.random.default_rng(0).integers(-2, 3, 40).astype(float)
    with pytest.raises(BudgetExceededError, match="between"):
        tail_of_real_draws(
            d - d.mean(), np.ones(40, dtype=np.int64), WantedPrecision(1e-3, None), 1e-9
        )


def test_the_ends_of_the_law() -> None:
    goal, ones = WantedPrecision(1e-3, None), np.ones(3, dtype=np.int64)
    assert tail_of_real_draws(np.array([-3.0, -1.0, -0.1]), ones, goal, 1e-9).value == 0.0
    assert tail_of_real_draws(np.array([3.0, 1.0, 0.1]), ones, goal, 1e-9).value == 1.0
    with pytest.raises(BudgetExceededError, match="rounding"):
        tail_of_real_draws(np.array([-3.0, -1.0, 0.0]), ones, goal, 1e-9)
    # All three draws have to be the largest: one resample of 27.
    last = tail_of_real_draws(np.array([-3.0, -1.0, 0.4]), ones, goal, 1e-9)
    assert contains(last, Fraction(1, 27))


@pytest.mark.parametrize("scale", [1e-290, 1.0, 1e290])
def test_the_scale_of_the_numbers_does_not_matter(scale: float) -> None:
    z = np.random.default_rng(1).normal(-0.2, 1.0, size=100)
    ones = np.ones(100, dtype=np.int64)
    p = tail_of_real_draws(scale * z, ones, WantedPrecision(1e-3, None), scale * 1e-9)
    plain = tail_of_real_draws(z, ones, WantedPrecision(1e-3, None), 1e-9)
    assert p.log == pytest.approx(plain.log, rel=1e-6)


@pytest.mark.parametrize("variant", ["shift", "sign"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_resamples_approach_the_certified_law(variant: str, alternative: str) -> None:
    """99 % intervals of 20,000 resamples hold the p-value that none of them gave."""
    rng = np.random.default_rng(8)
    a = rng.exponential(size=400)
    b = a + rng.normal(0.05, 0.5, size=400)
    clusters = rng.integers(0, 60, size=400)
    for groups in (None, clusters):
        options = {"variant": variant, "alternative": alternative, "clusters": groups}
        found: NDArray[np.object_] = np.array(
            [bt.bootstrap_test(a, b, method=m, resamples=20_000, rng=3, **options)  # type: ignore[arg-type]
             for m in ("auto", "sample")]
        )  # fmt: skip
        sure, drawn = found
        assert (sure.kind, drawn.kind) == ("certified", "sampled")
        assert drawn.pvalue_low <= sure.pvalue <= drawn.pvalue_high
        assert sure.pvalue_low <= sure.pvalue <= sure.pvalue_high


def test_a_ratio_with_one_denominator_for_both() -> None:
    rng = np.random.default_rng(9)
    below = rng.uniform(1.0, 3.0, size=300)
    a, b = (np.stack([below * rng.beta(5, 3, size=300), below], axis=1) for _ in range(2))
    share = bt.metrics.ratio({"x": 1}, {"w": 1})
    sure = bt.bootstrap_test(a, b, share, alternative="greater")
    drawn = bt.bootstrap_test(a, b, share, alternative="greater", method="sample", rng=1)
    assert sure.kind == "certified"
    assert drawn.pvalue_low <= sure.pvalue <= drawn.pvalue_high
    assert sure.pvalue_high <= sure.pvalue_low * (1 + 1.1e-3)


@pytest.mark.parametrize(
    ("often", "n"), [(25, 26), (41, 43), (22, 23), (1, 40), (999_999, 1_000_000)]
)
def test_the_last_resample_is_bounded_to_the_last_bit(often: int, n: int) -> None:
    """``P(all draws are the largest)`` is the whole tail where the other value is far below."""
    z, counts = np.array([-n, 1.0]), np.array([n - often, often])
    low = TiltedDraws.at(z, counts).chernoff(0.0).log_low
    with localcontext(prec=60):
        truth = n * (Decimal(often) / n).ln()
        assert 1 - Decimal("1e-14") < truth / Decimal(low) <= 1
