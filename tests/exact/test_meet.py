import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.exact import meet
from betterthan.numeric import Alternative
from oracles import signed_sum_pvalue

alternatives = st.sampled_from(["two-sided", "greater", "less"])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-40, 40), max_size=14),
    alternatives,
    st.sampled_from([1.0, 0.1, 1 / 3, 1e-300, 1e300]),
)
def test_equals_exact_fractions(steps: list[int], alternative: Alternative, unit: float) -> None:
    """Multiples of 0.1 and 1/3 are ties only up to rounding noise; they must count as ties."""
    p = meet.pvalue(np.array(steps, dtype=float) * unit, alternative=alternative)
    truth = signed_sum_pvalue(steps, alternative)
    assert p.value == pytest.approx(float(truth), rel=1e-13)
    assert p.low * (1 - 1e-15) <= truth <= p.high * (1 + 1e-15)


@pytest.mark.parametrize("n", [30, 44])
def test_many_items_against_the_lattice_law(n: int) -> None:
    steps = np.random.default_rng(n).integers(-50, 60, n)
    p = meet.pvalue(np.asarray(steps * 0.01, dtype=np.float64))
    truth = signed_sum_pvalue(steps.tolist())
    assert p.value == pytest.approx(float(truth), rel=1e-13)


def test_noise_does_not_break_ties() -> None:
    d = np.array([0.1 + 0.2, -0.3, 0.7, 0.3])
    assert meet.pvalue(d).value == pytest.approx(float(signed_sum_pvalue([3, -3, 7, 3])))
    assert meet.pvalue(np.array([0.1, 0.2, -0.3])).value == 1.0


def test_only_free_signs_count_towards_the_limit() -> None:
    """Two losses of 0.1 among 998 wins of at least 1: few signs can ever change."""
    d = np.concatenate([[-0.1, -0.1], np.linspace(1.0, 2.0, 998)])
    assert meet.pvalue(d).log == pytest.approx(math.log(8) - 1000 * math.log(2), rel=1e-14)
    with pytest.raises(ValueError, match="44 free signs, not 1000"):
        meet.pvalue(np.tile([1.0, -1.5], 500))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 20), max_size=10), st.integers(-1, 60))
def test_count_subsets(sizes: list[int], slack: int) -> None:
    sums = [0]
    for size in sizes:
        sums += [s + size for s in sums]
    assert meet.count_subsets(np.array(sizes, dtype=float), (slack, slack / 2)) == [
        sum(s <= slack for s in sums),
        sum(s <= slack / 2 for s in sums),
    ]


def test_single_item() -> None:
    assert meet.pvalue(np.array([2.5]), alternative="greater").value == 0.5
    assert meet.pvalue(np.array([2.5]), alternative="less").value == 1.0
    assert Fraction(meet.pvalue(np.array([-2.5])).value) == 1


def test_darwins_plants() -> None:
    """Fisher (1935), The Design of Experiments, section 21: 1726 of 32768 arrangements."""
    eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert meet.pvalue(np.array(eighths) / 8.0).value == pytest.approx(1726 / 32768, rel=1e-14)
