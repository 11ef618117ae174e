from fractions import Fraction

import numpy as np
import pytest
from betterthan.data.precision import COARSER
from hypothesis import example, given, settings
from hypothesis import strategies as st

from betterthan.data.resolution import as_lattice

DENOMINATORS = [1, 2, 3, 4, 7, 10, 12, 100, 365, 1000, 10**4, 10**5, 10**6]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(-5000, 5000), min_size=1, max_size=40),
    st.sampled_from(DENOMINATORS),
)
def test_multiples_are_recovered(numbers: list[int], k: int) -> None:
    """Values a few roundings away from n/k come back as n, on the coarsest common unit."""
    rng = np.random.default_rng(len(numbers))
    noisy = np.array(numbers) / k * (1 + rng.integers(-4, 5, len(numbers)) * 2.0**-52)
    found = as_lattice(noisy)
    assert found is not None
    (integers,), unit = found
    assert [n * unit for n in integers.tolist()] == [Fraction(n, k) for n in numbers]
    assert k % unit.denominator == 0


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 50), st.sampled_from([1e-3, 1.0, 100.0, 1e6]))
def test_random_reals_are_rejected(seed: int, n: int, scale: float) -> None:
    assert as_lattice(np.random.default_rng(seed).random(n) * scale) is None


@settings(max_examples=300, deadline=None)
@example([1e-22])
@given(st.lists(st.floats(), max_size=12))
def test_whatever_is_accepted_is_close(values: list[float]) -> None:
    """Each value by its own size: an outlier lends nothing to the others."""
    x = np.array(values)
    found = as_lattice(x)
    if found is not None:
        (integers,), unit = found
        assert integers.dtype == np.int64
        kept = [precision for precision in COARSER if precision.holds(x)]
        meant = np.array([float(n * unit) for n in integers.tolist()])
        if kept:
            assert any((precision.rounded(meant) == x).all() for precision in kept)
        else:
            for value, n in zip(values, integers.tolist(), strict=True):
                assert abs(Fraction(value) - n * unit) <= abs(Fraction(value)) / 10**12


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(-999, 999), min_size=1, max_size=30),
    st.sampled_from([(0, 10), (0, 1000), (100, 1000), (10_000, 10), (1, 10**5), (5, 7)]),
    st.booleans(),
)
def test_decimals_come_back_from_single_precision_and_from_offsets(
    numbers: list[int], form: tuple[int, int], single: bool
) -> None:
    offset, k = form
    meant = [Fraction(n, k) + offset for n in numbers]
    written = np.array([float(x) for x in meant])
    if single and max(abs(x) for x in meant) * k >= 10**6:
        return  # more digits than single precision can tell apart
    stored = written.astype(np.float32).astype(np.float64) if single else written
    found = as_lattice(stored)
    assert found is not None
    assert [n * found[1] for n in found[0][0].tolist()] == meant


def test_large_and_small_side_by_side() -> None:
    found = as_lattice(np.array([1e-6, 2e-6, 1e6]))
    assert found is not None
    assert [n * found[1] for n in found[0][0].tolist()] == [
        Fraction(1, 10**6),
        Fraction(2, 10**6),
        Fraction(10**6),
    ]
    found = as_lattice(np.array([1e12, 1e12 - 1.0, 3.0]))
    assert found is not None
    assert found[0][0].tolist() == [10**12, 10**12 - 1, 3]


def test_one_real_spoils_the_lattice() -> None:
    x = np.arange(1000) / 4
    assert as_lattice(x, x[::-1]) is not None
    x[777] += 1e-7 * np.pi
    assert as_lattice(x) is None


def test_late_denominators_join() -> None:
    x = np.concatenate([np.zeros(50), [0.5], np.ones(50) / 3, [0.25]])
    found = as_lattice(x, np.array([2.0]))
    assert found is not None
    (first, second), unit = found
    assert unit == Fraction(1, 12)
    assert first[[50, 51, -1]].tolist() == [6, 4, 3]
    assert second.tolist() == [24]


def test_dtypes() -> None:
    assert as_lattice(np.array([True, False])) is not None
    singles = np.array([0.87, 0.4, 0.29], dtype=np.float32)
    found = as_lattice(singles)
    assert found is not None
    assert found[0][0].tolist() == [87, 40, 29]
    found = as_lattice(np.array([823_817, 5], dtype=np.float32))
    assert found is not None
    assert found[1] == 1
    mixed = as_lattice(np.array([1, 2]), np.array([0.5]))
    assert mixed is not None
    assert mixed[0][0].tolist() == [2, 4]


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [np.inf], [1e300], [np.pi], [1e-9 / 7]])
def test_not_a_lattice(bad: list[float]) -> None:
    assert as_lattice(np.array(bad)) is None


def test_nothing_and_zeros() -> None:
    assert as_lattice(np.zeros(3)) is not None
    assert as_lattice(np.array([])) is not None
