"""The self-test holds here, and fails where a number is wrong."""

from fractions import Fraction
from itertools import product

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


def test_a_wrong_number_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(check.holds for check in selftest.selftest())
    monkeypatch.setattr(selftest, "permutation_test", lambda *_, **__: bt.sign_test([0, 0], [1, 1]))
    wrong = [check.name for check in selftest.selftest() if not check.holds]
    assert "six wins in six items" in wrong
    assert "sign test, six wins" not in wrong
