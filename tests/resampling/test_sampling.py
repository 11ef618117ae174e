"""Generators, blocks, fair signs, the +1 rule and the Clopper-Pearson interval."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import UsageError
from betterthan.numeric import Floats, Ints
from betterthan.resampling.draws import draw_signs
from betterthan.resampling.generator import (
    BLOCK_CELLS,
    as_count,
    as_generator,
    block_rows,
    blocks,
    clopper_pearson,
    plus_one,
)


def test_zero_is_a_seed_and_a_generator_moves_on() -> None:
    first = [as_generator(seed).integers(1 << 60) for seed in (0, 0, np.int64(0), 1, None, None)]  # type: ignore[arg-type]
    assert first[0] == first[1] == first[2]
    assert len(set(first)) == 4
    generator = np.random.default_rng(3)
    assert as_generator(generator) is generator
    a, b = (as_generator(np.random.SeedSequence(5)).integers(1 << 60) for _ in range(2))
    assert a == b


@pytest.mark.parametrize("wrong", [True, 1.0, "7", [1], np.random.RandomState(0)])
def test_what_is_no_seed_is_named(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"rng must be None, an integer seed, .* of type"):
        as_generator(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 0, not -1"):
        as_generator(-1)


@given(st.integers(1, 10**8), st.integers(1, 5000))
@settings(max_examples=50, deadline=None)
def test_blocks_cover_the_run_and_bound_the_memory(n: int, resamples: int) -> None:
    assert block_rows(n) == 1 or block_rows(n) * n <= BLOCK_CELLS
    resamples = min(resamples, 50 * block_rows(n))
    assert sum(rows for rows, _ in blocks(n, resamples, 0)) == resamples


@pytest.mark.parametrize("wrong", [0, -1, 1.5, math.nan, math.inf, True, "9", 10**9, 10**400])
def test_a_number_of_draws_is_an_integer_that_can_be_done(wrong: Any) -> None:
    assert as_count(1e6) == 10**6
    with pytest.raises(UsageError, match="resamples"):
        as_count(wrong)


def test_blocks_are_independent_of_the_order_they_are_used_in() -> None:
    forward = [g.integers(1 << 60) for _, g in blocks(100_000, 20, 4)]
    backward = [g.integers(1 << 60) for _, g in reversed(list(blocks(100_000, 20, 4)))]
    assert forward == backward[::-1]
    assert len(set(forward)) == len(forward)
    with pytest.raises(ValueError, match="resamples must be at least 1, not 0"):
        next(blocks(5, 0, 4))
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        next(blocks(0, 5, 4))


def signs_of(units: int, resamples: int, counts: Ints | None = None) -> Floats:
    drawn = [draw_signs(units, *block, counts) for block in blocks(units, resamples, 1)]
    return np.concatenate(drawn)


def test_signs_are_fair_and_a_longer_run_starts_with_the_shorter() -> None:
    n, resamples = 70, 20_000
    signs = signs_of(n, resamples)
    assert signs.shape == (resamples, n)
    assert set(np.unique(signs)) == {-1, 1}
    # Means and correlations of fair coins have standard deviation 1/sqrt(resamples).
    assert np.abs(signs.mean(axis=0)).max() < 4.5 / math.sqrt(resamples)
    products = signs.T @ signs / resamples - np.eye(n)
    assert np.abs(products).max() < 5.5 / math.sqrt(resamples)
    shorter = signs_of(n, 1234)
    assert (shorter == signs[:1234]).all()


def test_net_signs_of_rows_have_the_law_of_single_ones() -> None:
    counts, resamples = np.array([900, 64, 1]), 20_000
    net = signs_of(3, resamples, counts)
    assert net.shape == (resamples, 3)
    assert (np.abs(net) <= counts).all()
    assert ((net - counts) % 2 == 0).all()
    # Sums of so many fair signs: five standard errors of their means and variances.
    assert (np.abs(net.mean(axis=0)) < 5 * np.sqrt(counts / resamples)).all()
    assert net.var(axis=0) == pytest.approx(counts, rel=5 * math.sqrt(2 / resamples))
    shorter = signs_of(3, 1234, counts)
    assert (shorter == net[:1234]).all()


@given(st.integers(1, 30), st.data(), st.sampled_from([0.9, 0.95, 0.99]))
@settings(max_examples=60, deadline=None)
def test_clopper_pearson_inverts_the_binomial_tails(
    trials: int, data: st.DataObject, confidence: float
) -> None:
    hits = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(hits, trials, confidence)
    tail = (1 - confidence) / 2
    masses = [
        [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
        for p in (Fraction(low), Fraction(high))
    ]
    assert float(sum(masses[0][hits:])) == pytest.approx(tail if hits else 1.0, rel=1e-9)
    below = tail if hits < trials else 1.0
    assert float(sum(masses[1][: hits + 1])) == pytest.approx(below, rel=1e-9)
    assert plus_one(hits, trials) == (1 + hits) / (1 + trials)
