"""The certified bracket of sums of real numbers with random signs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from betterthan.exact import meet, real
from betterthan.exact.extremal import bracket, expected_tail, majorant_transform, plan, width
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability
from betterthan.exact.signed_reals import TiltedSigns
from betterthan.numeric import Alternative
from oracles import signed_sum_pvalue

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
alternatives = st.sampled_from(ALTERNATIVES)
LEGENDRE = np.polynomial.legendre.leggauss(300)
moderate = st.floats(-1e3, 1e3).filter(lambda x: x == 0.0 or abs(x) > 1e-6)


def contains(p: Probability, truth: Fraction) -> bool:
    """Whether the bracket holds the truth, allowing only for the rounding of exp itself."""
    return p.low * (1 - 1e-15) <= truth <= p.high * (1 + 1e-15)


def overlaps(p: Probability, q: Probability) -> bool:
    return p.log_low <= q.log_high and q.log_low <= p.log_high


def exact_pvalue(differences: list[float], alternative: str) -> Fraction:
    """Share of the sign patterns that reach the observed sum, in fractions; near ties are ties."""
    d = [Fraction(x) for x in differences]
    observed, scale = sum(d, Fraction(0)), sum(map(abs, d), Fraction(0))
    sums = [Fraction(0)]
    for x in d:
        sums = [s + y for s in sums for y in (x, -x)]
    if alternative == "two-sided":
        gaps = [abs(s) - abs(observed) for s in sums]
    else:
        gaps = [(s - observed) * (1 if alternative == "greater" else -1) for s in sums]
    tie = Fraction(1, 10**12) * scale
    # Sums that miss the tie allowance by a rounding error are not part of the contract.
    assume(not any(0 < abs(gap + tie) < tie / 10 for gap in gaps))
    return Fraction(sum(gap >= -tie for gap in gaps), 2 ** len(d))


@settings(max_examples=100, deadline=None)
@given(st.lists(moderate, max_size=9), alternatives)
def test_bracket_contains_enumeration(differences: list[float], alternative: Alternative) -> None:
    p = real.pvalue(np.array(differences), alternative=alternative)
    assert contains(p, exact_pvalue(differences, alternative))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=10),
    st.floats(0.01, 0.5),
    st.sampled_from([0.3, 1e-1, 1e-2]),
    st.sampled_from([1e-12, 0.01, 0.2]),
)
def test_transform_contains_enumeration(
    sizes: list[float], share: float, width: float, doubt: float
) -> None:
    """The band-limited bracket itself, on laws so small that `pvalue` would count them.

    The slack is known to within a doubt, and whatever it is, the bracket holds the truth.
    """
    slack = share * sum(sizes)
    sums = [Fraction(0)]
    for size in sizes:
        sums += [s + Fraction(size) for s in sums]
    ends = (slack - doubt, slack + doubt)
    assume(not any(abs(float(s) - end) <= 1e-12 for s in sums for end in (*ends, slack)))
    truths = [Fraction(sum(s <= end for s in sums), 2 ** len(sizes)) for end in ends]
    law = TiltedSigns.at(np.array(sizes), np.ones(len(sizes), dtype=np.int64), slack)
    period, alias, frequencies = plan(law, width)
    for Q in {2, 17, min(frequencies, 4000)}:
        p = bracket(law, period, alias, Q, doubt=2 * doubt, tolerance=width)
        assert p is not None
        assert all(contains(p, truth) for truth in truths)
    assert contains(law.chernoff(2 * doubt), truths[1])
    # What decides the effort: E_lam[exp(-lam X); X >= 0], were X normal.
    x = np.linspace(0.0, max(law.excess, 0.0) + 12.0 * law.sd, 200_001)
    normal = stats.norm.pdf(x, law.excess, law.sd) * np.exp(-law.lam * x)
    assert expected_tail(law) == pytest.approx(float(np.trapezoid(normal, x)), rel=1e-4)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=45, max_size=90), alternatives, st.floats(0.1, 9.0))
def test_bracket_contains_lattice_law(
    steps: list[int], alternative: Alternative, unit: float
) -> None:
    """Integers in disguise have heavy ties: the bracket is wide, and right."""
    p = real.pvalue(np.array(steps) * unit, alternative=alternative, tolerance=0.05)
    assert contains(p, signed_sum_pvalue(steps, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("shift", [0.0, 0.3, -0.5])
def test_agrees_with_meet_in_the_middle(shift: float, alternative: Alternative) -> None:
    d = np.random.default_rng(36).standard_t(3, 36) + shift
    p, exact = real.pvalue(d, alternative=alternative), meet.pvalue(d, alternative=alternative)
    assert width(p) <= 1e-3
    assert overlaps(p, exact)


@pytest.mark.parametrize("n", [200, 10_000])
@pytest.mark.parametrize("z", [0.1, 2.8, 7.0])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_width_as_requested(n: int, z: float, tolerance: float) -> None:
    d = np.random.default_rng(n).normal(size=n)
    d += z / math.sqrt(n) - d.mean()
    assert width(real.pvalue(d, tolerance=tolerance)) <= tolerance


@pytest.mark.parametrize(
    ("n", "lost", "log10"),
    [(150, 0.1, (-35, -8)), (1000, 0.2, (-120, -60)), (3000, 0.115, (-420, -330))],
)
def test_tiny_p_against_the_lattice(n: int, lost: float, log10: tuple[int, int]) -> None:
    """The engine of integers, which shares no code with this one; rows with counts as well."""
    rng = np.random.default_rng(8)
    steps = rng.integers(1, 30_000, n) * np.where(rng.random(n) < lost, -1, 1)
    p, exact = real.pvalue(steps / 7.0), SignedSum.of(steps).pvalue(int(steps.sum()))
    assert overlaps(p, exact)
    assert log10[0] < p.log10 < log10[1]
    assert p.error < 1e-3
    counts = rng.integers(1, 40, 60)
    rows = rng.standard_t(4, 60) + 0.2
    tallied = real.pvalue(rows, counts=counts)
    assert overlaps(tallied, real.pvalue(np.repeat(rows, counts)))
    assert tallied.error < 1e-3


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_edges(alternative: Alternative) -> None:
    one = {"two-sided": 1.0, "greater": 0.5, "less": 1.0}[alternative]
    n = 1000  # all positive: the last pattern
    last = real.pvalue(np.random.default_rng(0).random(n) + 0.01, alternative="greater")
    assert last.log == pytest.approx(-n * math.log(2), rel=1e-13)
    assert real.pvalue(np.zeros(5), alternative=alternative).value == 1.0
    assert real.pvalue(np.array([]), alternative=alternative).value == 1.0
    assert real.pvalue(np.array([0.0, 0.7]), alternative=alternative).value == pytest.approx(one)
    noise = real.pvalue(np.array([0.1, 0.2, -0.3]), alternative=alternative)  # sum 2.8e-17
    assert contains(noise, {"two-sided": Fraction(1)}.get(alternative, Fraction(5, 8)))


def test_alpha_is_not_straddled() -> None:
    d = np.random.default_rng(3).normal(size=300) + 0.1
    coarse = real.pvalue(d, tolerance=0.5)
    alpha = coarse.low * 0.25 + coarse.high * 0.75
    p = real.pvalue(d, tolerance=0.5, alpha=alpha)
    assert coarse.low <= p.low <= p.high <= coarse.high
    assert not p.low <= alpha < p.high


@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize(
    "kind", ["scales", "clusters", "cauchy", "subnormal", "dust", "extremes", "few losses"]
)
def test_awkward_data(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    signs = rng.choice([-1.0, 1.0], n)
    d = {
        "scales": 10 ** rng.uniform(-12, 6, n) * signs,
        "clusters": (1 + 1e-9 * rng.normal(size=n)) * signs,
        "cauchy": rng.standard_cauchy(n),
        "subnormal": rng.integers(-50, 51, n) * 5e-324,
        "dust": np.where(np.arange(n) < 2, 1.0, 1e-15 * rng.random(n)) * signs,
        "extremes": np.where(np.arange(n) % 2, 1e308 / n, 5e-324) * signs,
        "few losses": np.where(np.arange(n) < 2, -1.0, 1 + 1e-3 * rng.random(n)),
    }[kind]
    for alternative in ALTERNATIVES:
        p = real.pvalue(d, alternative=alternative, tolerance=0.01)
        assert 0.0 <= p.low <= p.value <= p.high <= 1.0
        assert math.isfinite(p.log)
    assert p == real.pvalue(d * 4.0, alternative=alternative, tolerance=0.01)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.05, 3.0), st.floats(-6.0, 6.0).filter(lambda x: abs(x) > 1e-3))
def test_extremal_functions_bracket_the_exponential(a: float, x: float) -> None:
    """Inverse transforms of the majorant and minorant, by quadrature."""
    nodes, weights = LEGENDRE
    t, weights = (nodes + 1) / 2, weights / 2
    wave = np.exp(2j * np.pi * t * x)
    major = majorant_transform(t, a)
    above = 2 * float(((major * wave).real * weights).sum())
    below = 2 * float((((major - (1 - t)) * wave).real * weights).sum())
    f = math.exp(-a * x) if x >= 0 else 0.0
    assert below - 1e-9 <= f <= above + 1e-9
    # Equality at the integers characterises the extremal functions, up to the value at zero.
    k = round(x)
    if k:
        at_integer = 2 * float(((major * np.exp(2j * np.pi * t * k)).real * weights).sum())
        assert at_integer == pytest.approx(math.exp(-a * k) if k > 0 else 0.0, abs=1e-9)
