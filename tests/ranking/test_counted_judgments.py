"""Rows that stand for many judgments are ranked as the judgments one by one."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import BadValueError, DataError, UsageError
from betterthan.ranking import Judgments, pairwise, rank, rating
from betterthan.ranking.prepared import battle_table
from betterthan.ranking.structure import goodness_of_fit, leave_one_out, tie_sensitivity
from betterthan.render.overview import overview

NAMES = "wxyz"
WINNERS = ("left", "tie", "right")


class Row(NamedTuple):
    left: str
    right: str
    winner: str
    item: str
    times: int


ROW = st.builds(
    lambda pair, *rest: Row(*pair, *rest),
    st.sampled_from([(a, b) for a in NAMES for b in NAMES if a != b]),
    st.sampled_from(WINNERS),
    st.sampled_from(["q1", "q10", "q2"]),
    st.integers(1, 4),
)
ROUND = [Row(a, b, "left", "q0", 1) for a, b in zip(NAMES, NAMES[1:] + NAMES[0], strict=True)]
ROWS = st.lists(ROW, min_size=1, max_size=20).map(lambda rows: rows + ROUND)  # a circle of wins


def judged(rows: list[Row], *, items: bool, counts: bool) -> Judgments:
    left, right, winner, item, times = (list(column) for column in zip(*rows, strict=True))
    return Judgments.from_arrays(
        left,
        right,
        winner,
        items=item if items else None,
        counts=times if counts else None,
    )


def both(rows: list[Row], *, items: bool) -> tuple[Judgments, Judgments]:
    """Rows with counts, and every row so many times."""
    each = [row for row in rows for _ in range(row.times)]
    return judged(rows, items=items, counts=True), judged(each, items=items, counts=False)


SEVERAL = settings(max_examples=20, deadline=None)


@SEVERAL
@given(rows=ROWS, items=st.booleans(), ties=st.sampled_from(["davidson", "half-win", "drop"]))
def test_a_board_of_counts_is_that_of_the_judgments(
    rows: list[Row], items: bool, ties: Any
) -> None:
    counted, each = both(rows, items=items)
    assert counted.n == each.n == sum(row.times for row in rows)
    assert overview(counted) == overview(each)
    boards = [
        rank(data, method=f"bradley-terry(ties={ties})", resamples=20) for data in (counted, each)
    ]
    assert boards[0].signature == boards[1].signature
    assert boards[0].rows == boards[1].rows
    assert boards[0].notes == boards[1].notes
    tested = [pairwise(data) for data in (counted, each)]
    assert tested[0].names == tested[1].names
    for name in ("wins", "ties", "losses", "pvalue", "adjusted", "effect", "model"):
        np.testing.assert_array_equal(getattr(tested[0], name), getattr(tested[1], name))
    for pair, result in tested[1].results.items():
        assert str(tested[0].results[pair]) == str(result)
        assert tested[0].results[pair].signature == result.signature


@SEVERAL
@given(rows=ROWS, items=st.booleans(), method=st.sampled_from(["elo", "trueskill"]))
def test_what_plays_games_plays_every_judgment(rows: list[Row], items: bool, method: Any) -> None:
    counted, each = both(rows, items=items)
    found, expected = (
        rating(data, f"{method}(repeats=3)", resamples=2) for data in (counted, each)
    )
    assert found.signature == expected.signature
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.resamples, expected.resamples)
    with pytest.raises(UsageError, match="counted have lost their order"):
        rating(counted, f"{method}(order=file,repeats=2)", resamples=2)


@settings(max_examples=8, deadline=None)
@given(rows=ROWS, items=st.booleans())
def test_diagnoses_of_counts_are_those_of_the_judgments(rows: list[Row], items: bool) -> None:
    counted, each = both(rows, items=items)
    assert leave_one_out(counted) == leave_one_out(each)
    assert tie_sensitivity(counted) == tie_sensitivity(each)
    assert counted.counted() == each.counted()
    for systems in ("wx", "zyx"):
        assert counted.select(*systems).counted() == each.select(*systems).counted()
    fits = [goodness_of_fit(data, resamples=20) for data in (each, counted)]
    assert fits[0].pvalue == fits[1].pvalue
    np.testing.assert_array_equal(fits[0].observed, fits[1].observed)


def test_counts_cost_what_their_rows_do() -> None:
    """A thousand million judgments in three rows, ranked by hand."""
    many = 500_000_000
    judgments = Judgments.from_arrays("aab", "bba", ["left", "right", "tie"], counts=[many, 3, 1])
    table = battle_table(judgments)
    assert table.sizes.tolist() == [many + 4, many + 4]
    assert table.units.count == judgments.n == many + 4
    found = pairwise(judgments).results["a", "b"]
    assert found.n == many + 4
    assert found.log10_pvalue < -1e6  # about 2 ** -many
    assert repr(judgments) == "<Judgments: 500,000,004 of 2 systems ('a', 'b')>"


def test_all_judgments_of_one_item_are_one_unit() -> None:
    counted, each = both([Row("w", "x", "left", "q", 3), Row("x", "w", "tie", "q", 1)], items=True)
    for judgments in (counted, each):
        table = battle_table(judgments)
        assert (table.units.name, table.units.count, table.n) == ("items", 1, 4)


@pytest.mark.parametrize("counts", [[0, 1], [1.5, 1], [float("nan"), 1], [-1, 1]])
def test_counts_are_whole_numbers_of_at_least_one(counts: list[float]) -> None:
    rows = (np.array([0, 0]), np.array([1, 1]), np.array([0.0, 1.0]))
    with pytest.raises(BadValueError, match="whole numbers of at least 1"):
        Judgments(("a", "b"), *rows, counts=np.array(counts))
    with pytest.raises(DataError, match="1 counts for 2 rows"):
        Judgments(("a", "b"), *rows, counts=np.array([1]))
