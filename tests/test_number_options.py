"""Options that are numbers: what is not one is an error that names the option."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Pilot
from betterthan.errors import UsageError

RNG = np.random.default_rng(8)
A, B = RNG.integers(0, 2, (2, 20))
SCORES = bt.Scores.from_arrays({"a": A, "b": B})
REAL = bt.Scores.from_arrays({"a": RNG.random(20), "b": RNG.random(20)})
OPTIONS: list[tuple[str, Callable[[Any], Any]]] = [
    ("alpha", lambda x: bt.compare(SCORES, alpha=x)),
    ("alpha", lambda x: bt.permutation_test(A, B, alpha=x)),
    ("alpha", lambda x: bt.bootstrap_interval(A, B, alpha=x)),
    ("alpha", lambda x: bt.score(SCORES, alpha=x)),
    ("alpha", lambda x: bt.gate(SCORES, margin=0.02, alpha=x)),
    ("alpha", lambda x: bt.rank(SCORES, alpha=x)),
    ("alpha", lambda x: bt.exact.shift_interval([1, 2, 3], alpha=x)),
    ("tolerance", lambda x: bt.permutation_test(A, B, tolerance=x)),
    ("workers", lambda x: bt.permutation_test(A, B, workers=x)),
    ("resamples", lambda x: bt.compare(SCORES, resamples=x)),
    ("margin", lambda x: bt.gate(SCORES, margin=x)),
    ("bounds", lambda x: bt.gate(REAL, margin=0.1, bounds=(0, x))),
    ("bounds", lambda x: bt.score(SCORES, bounds=x)),
    ("repeats", lambda x: bt.rank(SCORES, method=bt.methods.Elo(repeats=x))),
    ("simulations", lambda x: bt.design.aa_check(SCORES, simulations=x)),
    ("effect", lambda x: bt.power(Pilot(SCORES), items=100, effect=x)),
    ("rng", lambda x: bt.compare(SCORES, rng=x)),
    ("rng", lambda x: bt.rank(SCORES, rng=x)),
]


@pytest.mark.parametrize(("name", "use"), OPTIONS)
@pytest.mark.parametrize("wrong", ["2", (0,), Decimal(2), float("nan"), -1], ids=repr)
def test_numbers_that_are_not(name: str, use: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(UsageError, match=name):
        use(wrong)


@pytest.mark.parametrize("level", [np.float32(0.05), np.float64(0.05)])
def test_numbers_of_numpy_are_numbers(level: Any) -> None:
    assert bt.compare(SCORES, alpha=level).pvalue == bt.compare(SCORES).pvalue
    assert bt.gate(SCORES, margin=level, alpha=level).ruling
