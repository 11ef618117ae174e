"""How scores spread, against the definitions spelled out; the disagreement study."""

import statistics

import numpy as np
import pytest
from scipy.stats import kendalltau

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.ranking import score_matrix, score_spread, study_disagreement


def spelled_out(rows: list[list[float]]) -> tuple[float, float, float]:
    """Mean deviation within items, of ranks, and between items, one number at a time."""
    within = statistics.mean(statistics.pstdev(row) for row in rows)
    ranks = []
    for row in rows:
        # 1 is best; those that tie share the mean of their places.
        better = [sum(y > x for y in row) for x in row]
        same = [sum(y == x for y in row) for x in row]
        ranks.append([b + (s + 1) / 2 for b, s in zip(better, same, strict=True)])
    of_ranks = statistics.mean(statistics.pstdev(column) for column in zip(*ranks, strict=True))
    return within, of_ranks, statistics.pstdev([statistics.mean(row) for row in rows])


@pytest.mark.parametrize("seed", range(3))
def test_spreads_are_what_their_names_say(seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 5, (12, 3)).astype(float)
    found = score_spread(bt.Scores.from_arrays({"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 2]}))
    expected = spelled_out(rows.tolist())
    assert (found.within_items, found.of_ranks, found.between_items) == pytest.approx(expected)
    assert found.n == 12


def test_outliers_lie_beyond_tukeys_fences() -> None:
    """Quartiles of 0 .. 8 with one 100: 2 and 6, so the fences are -4 and 12."""
    values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 100.0]
    found = score_spread(bt.Scores.from_arrays({"a": values, "b": [1.0] * 9}))
    assert found.outliers_of == {"a": pytest.approx(1 / 9), "b": 0.0}


def test_gross_outliers_contradict_the_order_and_permuted_ones_do_not_leave_the_scale() -> None:
    gross = score_matrix(systems=6, items=200, outliers=0.05, outlier="gross", rng=1)
    values = gross.scores.values[:, :, 0]
    far = np.flatnonzero(np.abs(values).max(axis=1) > 8)
    assert len(far) == 10
    assert all(kendalltau(values[at], gross.strengths).statistic < 0 for at in far)
    permuted = score_matrix(systems=6, items=200, outliers=0.05, rng=1)
    assert np.abs(permuted.scores.values).max() < 8
    one = score_matrix(systems=6, items=20, outliers=0.01, outlier="gross", rng=1)
    assert (np.abs(one.scores.values[:, :, 0]).max(axis=1) > 8).sum() == 1


def test_strengths_add_up_to_the_total() -> None:
    made = score_matrix(systems=7, total=10.0, rng=2)
    assert made.strengths.sum() == pytest.approx(10.0)
    with pytest.raises(UsageError, match="outlier"):
        score_matrix(outlier="huge")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two systems"):
        score_matrix(systems=1, outliers=0.1, outlier="gross")


def test_the_study_averages_over_data_sets_and_sizes() -> None:
    one = bt.Scores.from_arrays({"a": [1, 1, 9], "b": [2, 2, 2], "c": [0, 3, 1]})
    same = bt.Scores.from_arrays({"a": [1, 1, 1], "b": [2, 2, 2], "c": [3, 3, 3]})
    found = study_disagreement({"one": one, "same": same}, sizes=(2,), repeats=3)
    assert [d.share for d in found.overall] == pytest.approx([1 / 6, 1 / 6, 0.0])
    assert list(found.sizes) == [2]
    with pytest.raises(UsageError, match="no data set has 5 items: the largest has 3"):
        study_disagreement({"one": one, "same": same}, sizes=(2, 5))
    assert found.setups == ("one", "same")
    assert "mean vs median" in str(found)
    assert found.to_dict()["rows"][0]["setups"] == 2
    with pytest.raises(UsageError, match="data set"):
        study_disagreement({})


def test_the_share_with_another_winner_does_not_depend_on_the_order_of_columns() -> None:
    values = np.random.default_rng(5).integers(0, 3, (9, 4)).astype(float)
    names = ["a", "b", "c", "d"]

    def shares(order: list[int]) -> list[tuple[float, float]]:
        scores = bt.Scores.from_arrays({names[k]: values[:, k] for k in order})
        rows = study_disagreement({"x": scores}).overall
        return [(d.other_winner, d.other_top3) for d in rows]

    assert shares([0, 1, 2, 3]) == shares([3, 1, 0, 2]) == shares([2, 3, 1, 0])
