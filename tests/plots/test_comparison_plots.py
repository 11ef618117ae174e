"""Plots of comparisons show what they say."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.item_by_item import item_by_item
from betterthan.data.scores import Scores
from betterthan.errors import UsageError
from betterthan.plots import comparisons, items, laws


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture
def scores() -> Scores:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 100)
    return Scores.from_arrays({"base": base, "x": rng.integers(0, 2, 100), "y": 1 - base})


def test_shaded_mass_is_the_p_value(scores: Scores) -> None:
    result = bt.permutation_test(scores.of("base"), scores.of("x"))
    ax = laws.null_law(result)
    shaded = ax.containers[1]
    assert sum(bar.get_height() for bar in shaded) == pytest.approx(result.pvalue, abs=1e-4)
    assert ax.lines[0].get_xdata()[0] == result.delta


def test_a_tail_too_small_to_be_seen_is_pointed_at() -> None:
    a, b = [0] * 90 + [1] * 10, [1] * 90 + [0] * 10
    for alternative, marked in (("two-sided", [-0.8, 0.8]), ("greater", [0.8])):
        ax = laws.null_law(bt.permutation_test(a, b, alternative=alternative))  # type: ignore[arg-type]
        (marks,) = [line for line in ax.lines if line.get_marker() == "v"]
        assert list(marks.get_xdata()) == pytest.approx(marked)
        assert "too few to be seen" in ax.get_title(loc="left")
    near = laws.null_law(bt.permutation_test(a, [0] * 45 + [1] * 9 + [0] * 46))
    assert near.get_title(loc="left").startswith("Shaded: ")


def test_what_is_right_or_wrong_is_drawn_without_amounts() -> None:
    """No label lies on a corner, where all the items are."""
    scores = Scores.from_arrays({"old": [0, 0, 1, 1] * 9, "new": [0, 1, 0, 1] * 9})
    found = item_by_item(scores, "old", "new")
    ax = items.difference_histogram(found)
    assert [t.get_text() for t in ax.get_xticklabels()] == [
        "only old",
        "both or neither",
        "only new",
    ]
    assert "points" not in ax.get_xlabel()
    ax = items.paired_scatter(found)
    said = [t for t in ax.texts if "items" in t.get_text()]
    assert all(0.15 < x < 0.85 for t in said for x in t.xy)


def test_forest_has_a_line_and_a_name_for_each(scores: Scores) -> None:
    found = bt.compare_many(scores)
    given = plt.figure().subplots()
    ax = comparisons.forest(found, ax=given)
    assert ax is given
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
    ends = np.asarray(ax.lines[1].get_xdata()).tolist()
    assert ends == [100 * found[0].interval.low, 100 * found[0].interval.high]


def test_win_bars_add_up_to_all_items(scores: Scores) -> None:
    ax = comparisons.win_tie_loss(bt.compare_many(scores))
    widths = np.array([[bar.get_width() for bar in container] for container in ax.containers])
    assert widths.sum(axis=0) == pytest.approx([1.0, 1.0])


def test_what_cannot_be_drawn_is_said() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 100))
    with pytest.raises(UsageError, match="no null law"):
        laws.null_law(bt.permutation_test(a, b))
