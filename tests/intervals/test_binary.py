"""Tango's interval against published values, other tools and its definition."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from betterthan.intervals.binary import tango, tango_score
from betterthan.testing.classic import mcnemar


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(1, 40))
    wins = draw(st.integers(0, n))
    return wins, draw(st.integers(0, n - wins)), n


# Tango (1998), his two examples, Agresti & Min (2005) and Fagerland et al. (2014), as the
# tests of the R package ratesci quote them; Cavo et al. (2012) as in the tests of the R package
# contingencytables (Fagerland, Lydersen & Laake: Statistical Analysis of Contingency Tables, 8).
@pytest.mark.parametrize(
    ("table", "confidence", "published", "digits"),
    [
        ((9, 3, 32), 0.95, (-0.027, 0.390), 3),
        ((0, 1, 44), 0.90, (-0.096, 0.037), 3),
        ((16, 8, 86), 0.95, (-0.020, 0.207), 3),
        ((1, 7, 21), 0.95, (-0.517, -0.026), 3),
        ((6, 16, 161), 0.95, (-0.1240, -0.0054), 4),
    ],
)
def test_tango_published(
    table: tuple[int, int, int], confidence: float, published: tuple[float, float], digits: int
) -> None:
    made = tango(*table, alpha=1 - confidence)
    assert (round(made.low, digits), round(made.high, digits)) == published


# R 4.6.1, PropCIs 0.3.0: scoreci.mp(losses, wins, n, level), which stops bisecting near 1e-7.
@pytest.mark.parametrize(
    ("table", "confidence", "published"),
    [
        ((7, 0, 14), 0.95, (0.17703378200531006, 0.73200792074203491)),
        ((0, 0, 14), 0.95, (-0.21531081199645996, 0.21531075239181519)),
        ((3, 2, 14), 0.95, (-0.26107772759028841, 0.38899629882403786)),
        ((13, 1, 14), 0.95, (0.37062617710658474, 0.97455562864031109)),
        ((14, 0, 14), 0.95, (0.56937837600708008, 1.0)),
        ((0, 14, 14), 0.95, (-1.0, -0.56937843561172485)),
        ((1, 1, 2), 0.95, (-0.81093764305114746, 0.81093758344650269)),
        ((25, 12, 200), 0.95, (0.005635504722595221, 0.12694109946489335)),
        ((2, 9, 20), 0.90, (-0.5665505409240722, -0.084052941203117348)),
        ((6, 2, 42), 0.90, (-0.017778811000642335, 0.21623966523579191)),
    ],
)
def test_tango_against_propcis(
    table: tuple[int, int, int], confidence: float, published: tuple[float, float]
) -> None:
    made = tango(*table, alpha=1 - confidence)
    assert (made.low, made.high) == pytest.approx(published, abs=3e-7)


def slow_score(wins: int, losses: int, n: int, delta: float) -> float:
    """The score statistic with the nuisance parameter found by searching the likelihood."""

    def cost(q: float) -> float:
        terms = ((wins, q + delta), (losses, q), (n - wins - losses, 1 - 2 * q - delta))
        return -sum(k * math.log(max(p, 1e-300)) for k, p in terms if k)

    bounds = max(0.0, -delta), (1 - delta) / 2
    found = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    q = min((found, *bounds), key=cost)
    return (wins - losses - n * delta) / math.sqrt(n * (2 * q + delta - delta**2))


@given(table=tables(), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(deadline=None, max_examples=60)
def test_tango_against_its_slow_twin(table: tuple[int, int, int], confidence: float) -> None:
    wins, losses, n = table
    z = stats.norm.isf((1 - confidence) / 2)
    made = tango(*table, alpha=1 - confidence)
    estimate, edge = (wins - losses) / n, 1 - 1e-9
    for bound, side, end in ((made.low, z, -edge), (made.high, -z, edge)):
        if abs(estimate) == 1 and estimate * end > 0:
            assert bound == estimate
        else:
            start = max(-edge, min(estimate, edge)) or 1e-9 * end
            root = brentq(lambda x, z=side: slow_score(*table, x) - z, start, end)
            assert bound == pytest.approx(root, abs=2e-6)


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**6])
def test_tango_closed_forms(n: int) -> None:
    """No discordant pair: z^2 / (n + z^2). All wins: (n - z^2) / (n + z^2)."""
    square = stats.norm.isf(0.025) ** 2
    none, all_wins = tango(0, 0, n), tango(n, 0, n)
    assert (none.low, none.high) == pytest.approx((-square / (n + square), square / (n + square)))
    assert all_wins.low == pytest.approx((n - square) / (n + square))
    assert all_wins.high == 1.0


@given(table=tables(), confidence=st.floats(0.01, 0.9999))
@settings(deadline=None, max_examples=100)
def test_tango_properties(table: tuple[int, int, int], confidence: float) -> None:
    wins, losses, n = table
    made, mirrored = (
        tango(*table, alpha=1 - confidence),
        tango(losses, wins, n, alpha=1 - confidence),
    )
    assert -1 <= made.low <= (wins - losses) / n <= made.high <= 1
    assert (mirrored.low, mirrored.high) == (-made.high, -made.low)
    # The test rejects outside the interval and only there.
    for bound in (made.low, made.high):
        if abs(bound) < 1 and bound != (wins - losses) / n:
            z = abs(float(tango_score(*table, bound)))
            assert 2 * stats.norm.sf(z) == pytest.approx(1 - confidence, rel=1e-6)
    lower = tango(*table, alpha=1 - confidence, alternative="greater")
    upper = tango(*table, alpha=1 - confidence, alternative="less")
    assert lower.high == math.inf
    assert upper.low == -math.inf
    if confidence > 0.5:
        both = tango(*table, alpha=2 * (1 - confidence))
        assert (lower.low, upper.high) == pytest.approx((both.low, both.high), abs=1e-12)


@given(table=tables().filter(lambda table: table[0] + table[1] > 0))
@settings(deadline=None, max_examples=50)
def test_tango_at_zero_is_mcnemar(table: tuple[int, int, int]) -> None:
    wins, losses, n = table
    a = [0] * wins + [1] * losses + [1] * (n - wins - losses)
    b = [1] * wins + [0] * losses + [1] * (n - wins - losses)
    expected = mcnemar(a, b, variant="chi2", continuity=False, alternative="greater").pvalue
    assert stats.norm.sf(tango_score(*table, 0.0)) == pytest.approx(expected, rel=1e-9)


def test_tango_score_mirrors() -> None:
    assert tango_score(9, 3, 40, -0.1) == -tango_score(3, 9, 40, 0.1)
    assert tango_score(0, 0, 5, 0.0) == 0.0
    assert tango_score(0, 900_000, 10**6, 0.5) < -700
