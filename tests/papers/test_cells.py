"""What is said of a published number beside ours."""

import math

import pytest
from scipy.stats import norm

from betterthan.papers import Cell, Claim, Exhibit, Reproduction
from betterthan.papers.catalogue import PAPERS


@pytest.mark.parametrize(
    ("published", "ours", "error", "theirs", "reason", "ruling"),
    [
        (".05", 0.0549, 0.0, 0.0, "", "agrees"),
        (".05", 0.0551, 0.0, 0.0, "", "unexplained"),
        (".05", 0.0551, 0.0, 0.0, "another test set", "differs"),
        ("97", 97.5, 0.0, 0.0, "", "agrees"),
        ("97", 97.6, 0.0, 0.0, "", "unexplained"),
        ("2.00E-06", 2.004e-6, 0.0, 0.0, "", "agrees"),
        ("2.00E-06", 2.1e-6, 0.0, 0.0, "", "unexplained"),
        (".0500", 0.0500, 0.0, 0.0, "known to differ, and does not", "agrees"),
        (".0500", 0.0590, 0.003, 0.0, "", "agrees"),
        (".0500", 0.0591, 0.003, 0.0, "", "unexplained"),
        (".0500", 0.0649, 0.003, 0.004, "", "agrees"),
        (".0500", 0.0652, 0.003, 0.004, "", "unexplained"),
        ("<0.001", 0.0, 0.0, 0.0, "", "agrees"),
        ("<0.001", 0.001, 0.0, 0.0, "", "agrees"),
        ("<0.001", 0.0011, 0.0, 0.0, "", "unexplained"),
        ("<0.001", 0.0029, 0.0006, 0.0, "another machine", "differs"),
        ("<0.001", 0.0027, 0.0006, 0.0, "", "agrees"),
    ],
)
def test_a_number_agrees_within_rounding_and_three_errors(
    published: str, ours: float, error: float, theirs: float, reason: str, ruling: str
) -> None:
    assert Cell("x", published, ours, error, theirs, reason).ruling(3.0) == ruling


def test_a_missing_number_says_why() -> None:
    assert Cell("x", ".05", None, reason="no data").ruling(3.0) == "not available"
    with pytest.raises(ValueError, match="needs a reason"):
        Cell("x", ".05", None)


def made(*cells: Cell, claims: tuple[Claim, ...] = ()) -> Reproduction:
    exhibit = Exhibit("Table 1", "numbers", cells, claims)
    return Reproduction(next(iter(PAPERS.values())), (exhibit,), quick=True, seed=0)


def test_errors_are_simultaneous_over_the_numbers_compared() -> None:
    """By Bonferroni: five comparisons at 99 % jointly are each at 99.8 %, two-sided."""
    cells = [Cell(str(k), "0.5", 0.5, 0.1) for k in range(5)]
    absent = Cell("gone", "0.5", None, reason="no data")
    found = made(*cells, absent)
    assert math.isclose(2 * norm.sf(found.multiple), 0.01 / 5, rel_tol=1e-9)
    assert found.counts() == {"agrees": 5, "differs": 0, "unexplained": 0, "not available": 1}


def test_what_fails_is_said() -> None:
    assert made(Cell("x", "0.5", 0.5)).holds
    assert not made(Cell("x", "0.5", 0.7)).holds
    assert made(Cell("x", "0.5", 0.7, reason="known")).holds
    failing = made(Cell("x", "0.5", 0.5), claims=(Claim("It rains.", False, "It does not."),))
    assert not failing.holds
    assert "0 of 1 claims hold" in str(failing)
    assert "FAILS: It rains." in str(failing)
    assert failing.to_dict()["rows"][0]["ruling"] == "agrees"


def test_errors_that_allow_too_much_are_seen() -> None:
    """Twenty differences of half a standard error, and one that is far off and explained."""
    cells = [Cell(str(k), "0.50", 0.5 + 0.05 * (-1) ** k, 0.06, 0.08) for k in range(20)]
    assert made(*cells, Cell("x", "0.5", 9.0, 0.1, reason="known")).typical == pytest.approx(0.5)
    assert made(*cells[:19]).typical is None
    assert Cell("x", "<0.5", 0.4, 0.1).standardised is None
    assert Cell("x", "0.5", 0.4).standardised is None
