"""A probability says what was really done to find it."""

import numpy as np
import pytest

from betterthan.exact import grid, meet, real
from betterthan.exact.counting import work
from betterthan.exact.lattice import SignedSum
from betterthan.exact.rational import Ratio
from oracles import signed_sum_pvalue


def test_counted_or_transformed() -> None:
    few, many = np.arange(1, 20), np.arange(1, 3000)
    p = SignedSum.of(few).pvalue(40)
    assert p.how == "whole-number counts"
    assert isinstance(p, Ratio)
    p = SignedSum.of(many).pvalue(40_000, "less")
    assert p.how == "lattice transform"
    assert not isinstance(p, Ratio)


def test_enumerated_or_transformed() -> None:
    rng = np.random.default_rng(3)
    few, many = rng.integers(1, 5, (4, 8)), rng.integers(1, 5, (4, 300))
    few[0], few[2] = 0, 1
    p = grid.ratio_pvalue(*few)
    assert p.how == "enumeration of all swaps"
    assert isinstance(p, Ratio)
    assert (p.fraction * 2**8).denominator == 1
    assert grid.ratio_pvalue(*many).how == "lattice transform of the joint law"


def test_met_or_bracketed() -> None:
    d = np.sqrt(np.arange(1.0, 300.0))
    d[::3] *= -1.0
    assert meet.pvalue(d[:20]).how == "meet in the middle"
    assert real.pvalue(d[:20]).how == "meet in the middle"
    assert real.pvalue(d, alternative="less").how == "Graham-Vaaler bracket"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_fraction_stays_one(alternative: str) -> None:
    p = SignedSum.of(np.array([3, 1, 1, -2])).pvalue(3, alternative)  # type: ignore[arg-type]
    assert isinstance(p, Ratio)
    assert p.fraction == signed_sum_pvalue([3, 1, 1, -2], alternative)


def counting(law: SignedSum) -> int:
    """Nanoseconds in which more than half of all patterns are counted."""
    return work(law.steps.tolist(), law.counts.tolist(), law.reach // 2 + 1)


def test_costs_prefer_what_is_cheap() -> None:
    fine = SignedSum.of(np.array([3000000, -1999999, 3000002, 1, 3000002, 3000000]))
    assert fine.cost(0) <= counting(fine) < 10**6
    coarse = SignedSum.of(np.tile([1, 2, -1, 3], 5000))
    assert coarse.cost(0) < 10**7 < counting(coarse)
    assert coarse.cost(0) < meet.cost(44)
    beyond = SignedSum.of(np.random.default_rng(0).integers(1, 10**15, 100))
    assert min(beyond.cost(0), counting(beyond)) > meet.cost(44)
