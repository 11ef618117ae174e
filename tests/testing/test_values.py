"""Tests as values: they print as they are typed, and comparisons run them."""

import pickle
from typing import Literal, get_args, get_type_hints

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.testing.permutation import PERMUTATIONS
from betterthan.testing.values import KINDS, PairedTest, Permutation, as_test

A, B = np.random.default_rng(0).integers(0, 6, (2, 40))
X, Y = A > 2, B > 1
STARS = bt.Scores.from_arrays({"a": A, "b": B})
RIGHT = bt.Scores.from_arrays({"a": X, "b": Y})


@pytest.mark.parametrize(
    "test",
    [
        *(kind() for kind in KINDS.values()),
        bt.tests.Permutation(method="monte-carlo"),
        bt.tests.Bootstrap(variant="sign", recentre=True),
        bt.tests.McNemar(variant="mid-p"),
    ],
    ids=repr,
)
def test_a_value_is_its_text(test: PairedTest) -> None:
    assert as_test(repr(test)) == test == as_test(test) == pickle.loads(pickle.dumps(test))
    assert hash(test) == hash(as_test(repr(test)))


def test_the_engines_are_those_of_the_permutation_test() -> None:
    assert get_args(get_type_hints(Permutation)["method"]) == PERMUTATIONS


def test_options_of_every_test_reach_it() -> None:
    for zeros in ("wilcox", "pratt", "zsplit"):
        found = bt.compare(STARS, test=f"wilcoxon(zeros={zeros})")
        assert found.test.statistic == bt.wilcoxon(A, B, zeros=zeros).statistic
    for variant in ("exact", "mid-p", "chi2"):
        found = bt.compare(RIGHT, test=bt.tests.McNemar(variant=variant))
        assert found.pvalue == bt.mcnemar(X, Y, variant=variant).pvalue
    approaches: tuple[Literal["exact", "chi2"], ...] = ("exact", "chi2")
    for approach in approaches:
        found = bt.compare(STARS, test=bt.tests.Mood(variant=approach))
        assert found.pvalue == bt.mood_test(A, B, variant=approach).pvalue
    found = bt.compare(STARS, test="permutation(method=fft)")
    assert found.engine == bt.permutation_test(A, B, method="fft").engine
    assert bt.compare(STARS, test=bt.tests.T()).pvalue == bt.t_test(A, B).pvalue


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("bootstap", "bootstrap"),
        ("bootstrap(variant=sgn)", "bootstrap(variant=sign)"),
        ("wilcoxon(zero=pratt)", "wilcoxon(zeros=pratt)"),
        ("bootstrap(method=ideal,recentre=yes)", "bootstrap(recentre=yes)"),
        ("permutation(method=latice)", "permutation(method=lattice)"),
    ],
)
def test_the_remedy_of_a_mistake_is_a_test(given: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        bt.compare(STARS, test=given)
    found = caught.value.remedy
    assert found is not None
    assert (found.parameter, found.value) == ("test", remedy)
    assert bt.compare(STARS, test=remedy).pvalue > 0


def test_what_is_no_test_is_an_error() -> None:
    for given in (3, None, bt.tests.Bootstrap, "bootstrap(variant)", "t(x=1)"):
        with pytest.raises(UsageError):
            bt.compare(STARS, test=given)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        bt.tests.Bootstrap(recentre="no")  # type: ignore[arg-type]
