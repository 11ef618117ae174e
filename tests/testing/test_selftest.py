"""The self-test holds here, and fails where a number is wrong."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import betterthan as bt
from betterthan.testing import selftest
from oracles import signed_sum_pvalue


def test_the_expected_values_are_those_of_counting() -> None:
    expected = {check.name: check.expected for check in selftest.selftest()}
    assert expected["Darwin's maize"] == signed_sum_pvalue(selftest.FISHER)
    assert expected["decimals in single precision"] == signed_sum_pvalue([1, 2, -3, 6])
    assert expected["Wilcoxon's test with ties"] == signed_sum_pvalue([12, 4, 4, 9, -4, 9])
    drawn = list(product([1, 1, 0, -1], repeat=4))
    nothing = sum(sum(row) <= 0 for row in drawn)
    assert expected["ideal bootstrap of four items"] == Fraction(nothing, len(drawn))


def test_it_holds(betterthan: Callable[..., Any]) -> None:
    run = betterthan("selftest")
    assert run.code == 0, run.out
    assert "WRONG" not in run.out
    assert run.out.count("ok ") == 10


def test_a_wrong_number_is_found(
    betterthan: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftest, "permutation_test", lambda *_: bt.sign_test([0, 0], [1, 1]))
    run = betterthan("selftest")
    assert run.code == 70
    assert "WRONG six wins in six items" in run.out
