"""rating(): averages, invariances, degenerate data, clusters, tasks, seeds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from betterthan.data.scores import Scores
from betterthan.errors import DataError, Remedy, UsageError
from betterthan.metrics import F1
from betterthan.ranking import Judgments, Ranking, prepare, rank, rating
from betterthan.ranking.averages import mean_scores, median_scores
from betterthan.ranking.methods import KINDS, Aggregation
from betterthan.ranking.prepared import score_table
from betterthan.ranking.tables import ScoreTable
from betterthan.ranking.units import Draws, Units
from oracles_ranking import median

ALL = pytest.mark.parametrize("method", KINDS)
BY_SANDWICH = Remedy("", "method", "bradley-terry(interval=sandwich)")
PAIRED = pytest.mark.parametrize("method", ["bradley-terry", "elo", "trueskill"])


def scores_of(columns: dict[str, Sequence[float]], **options: Any) -> Scores:
    return Scores.from_arrays(columns, **options)


def some_scores(n: int = 60, m: int = 4, seed: int = 0, **options: Any) -> Scores:
    rng = np.random.default_rng(seed)
    values = np.round(2 * (rng.normal(size=(n, m)) + np.linspace(0, 0.8, m))) / 2
    return Scores.from_arrays({f"s{k}": values[:, k] for k in range(m)}, **options)


def by_name(ranking: Ranking) -> dict[str, float]:
    return dict(zip(ranking.names, ranking.scores.tolist(), strict=True))


def _often(method: str) -> str:
    """The method over many orders of the games, where it plays any."""
    return f"{method}(repeats=400)" if method in ("elo", "trueskill") else method


@ALL
def test_names_come_best_first_and_everything_follows(method: Aggregation) -> None:
    made = rating(some_scores(), method, resamples=60, rng=0)
    assert sorted(made.names) == ["s0", "s1", "s2", "s3"]
    assert (np.diff(made.scores) <= 0).all()
    assert (made.low <= made.high).all()
    assert (made.rank_low <= np.arange(1, 5)).all()
    assert (made.rank_high >= np.arange(1, 5)).all()
    assert made.comes_first.sum() == pytest.approx(1)
    assert made.resamples.shape == (60, 4)
    assert made.in_top(4).tolist() == [1, 1, 1, 1]
    assert made.converged
    text = str(made)
    assert all(name in text for name in made.names)
    assert made.signature in text


@ALL
def test_the_seed_is_all_that_matters(method: Aggregation) -> None:
    scores = some_scores()
    one, two = (rating(scores, method, resamples=50, rng=7) for _ in range(2))
    np.testing.assert_array_equal(one.resamples, two.resamples)
    other = rating(scores, method, resamples=50, rng=8)
    assert not np.array_equal(one.resamples, other.resamples)
    # A longer run starts with the shorter one.
    longer = rating(scores, method, resamples=80, rng=7)
    if method not in ("elo", "trueskill"):
        np.testing.assert_array_equal(one.resamples, longer.resamples[:50])


@ALL
def test_systems_may_come_in_any_order(method: Aggregation) -> None:
    scores = some_scores()
    turned = scores.select("s2", "s0", "s3", "s1")
    a = rating(scores, _often(method), resamples=20, rng=0)
    b = rating(turned, _often(method), resamples=20, rng=0)
    loose = {"elo": 8.0, "trueskill": 0.2}.get(method, 1e-9)
    assert by_name(a) == pytest.approx(by_name(b), abs=loose)


@PAIRED
def test_paired_methods_see_only_who_is_better(method: Aggregation) -> None:
    """Any increasing transformation, even another for every item, changes nothing."""
    scores = some_scores()
    rng = np.random.default_rng(1)
    stretched = np.exp(scores.values[:, :, 0]) * rng.uniform(1, 9, size=(60, 1))
    moved = Scores.from_arrays({f"s{k}": stretched[:, k] for k in range(4)})
    a, b = (rating(s, method, resamples=20, rng=0) for s in (scores, moved))
    assert by_name(a) == pytest.approx(by_name(b), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=1, max_size=9),
    seed=st.integers(0, 99),
)
def test_resampled_averages_are_averages_of_the_items_written_out(
    rows: list[list[int]], seed: int
) -> None:
    values = np.array(rows, dtype=np.float64)
    table = score_table(scores_of({"a": values[:, 0].tolist(), "b": values[:, 1].tolist()}))
    weights = next(table.units.resampled(np.asarray, Draws(5, seed)))
    assert (weights.sum(axis=1) == len(rows)).all()
    means, medians = mean_scores(table, weights), median_scores(table, weights)
    for k, row in enumerate(weights.astype(int)):
        written = np.repeat(values, row, axis=0)
        np.testing.assert_allclose(means[k], written.mean(axis=0), atol=1e-12)
        assert medians[k].tolist() == [median(written[:, j].tolist()) for j in (0, 1)]


def test_clusters_are_resampled_whole() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    values = np.repeat(base, 5)
    labels = np.repeat(np.arange(20), 5).tolist()
    noise = rng.normal(size=100) * 0.01
    columns = {"a": (values + noise).tolist(), "b": np.zeros(100).tolist()}
    wide = rating(scores_of(columns, clusters=labels), "mean", resamples=2000, rng=0)
    narrow = rating(scores_of(columns), "mean", resamples=2000, rng=0)
    assert wide.units == 20
    assert wide.unit_name == "clusters"
    at = wide.position("a")
    ratio = (wide.high - wide.low)[at] / (narrow.high - narrow.low)[narrow.position("a")]
    assert ratio == pytest.approx(np.sqrt(5), rel=0.12)


def test_repeating_every_item_in_its_cluster_changes_no_rating() -> None:
    once = some_scores(n=40)
    values = np.repeat(once.values[:, :, 0], 3, axis=0)
    labels = np.repeat(np.arange(40), 3).tolist()
    thrice = Scores.from_arrays({f"s{k}": values[:, k] for k in range(4)}, clusters=labels)
    a, b = (rating(s, "bradley-terry", resamples=200, rng=0) for s in (once, thrice))
    assert by_name(a) == pytest.approx(by_name(b), abs=1e-9)
    np.testing.assert_allclose(a.low, b.low, atol=1e-8)
    c, d = (
        rating(s, "bradley-terry(interval=sandwich)", resamples=2000, rng=0) for s in (once, thrice)
    )
    np.testing.assert_allclose(c.low, d.low, atol=1e-8)


def test_missing_cells_are_used_in_pairs() -> None:
    nan = float("nan")
    scores = scores_of(
        {"a": [1, 2, 3, nan, 1], "b": [2, 1, nan, 3, 2], "c": [0, 3, 1, 2, nan]},
        missing="pairwise",
    )
    made = rating(scores, "bradley-terry(ties=half-win)", rng=0)
    assert "3 of 15 scores are missing" in made.notes[-1] + made.notes[0] + made.notes[1]
    board = rank(scores, method="bradley-terry(ties=half-win)", rng=0)
    assert [row.n for row in board.rows] == [4, 4, 4]
    assert board.pairs.n[0, 1] == 3
    with pytest.raises(DataError, match="no score"):
        scores_of({"a": [1, nan], "b": [1, 2]})


def test_items_that_nobody_has_do_not_count() -> None:
    nan = float("nan")
    scores = scores_of({"a": [1.0, 2.0, nan, 3.0], "b": [2.0, 1.0, nan, 1.0]}, missing="pairwise")
    made = rating(scores, "mean", rng=0)
    assert made.units == 3
    assert "1 item does not count: no system has a score there" in made.notes[0]
    with pytest.raises(DataError, match="every score is missing"):
        rating(scores_of({"a": [nan, nan], "b": [nan, nan]}, missing="pairwise"), "mean")
    with pytest.raises(DataError, match="'b' have no score on any item"):
        rating(scores_of({"a": [1.0, 2.0], "b": [nan, nan]}, missing="pairwise"), "mean")
    with pytest.raises(DataError, match="no two systems have an item in common"):
        rating(scores_of({"a": [1.0, nan], "b": [nan, 2.0]}, missing="pairwise"), "bradley-terry")


@ALL
def test_identical_systems_are_equal_and_inseparable(method: Aggregation) -> None:
    column = [1.0, 2.0, 3.0, 2.0]
    made = rating(scores_of({"a": column, "b": column, "c": column}), method, rng=0)
    assert made.names == ("a", "b", "c") or method in ("elo", "trueskill")
    np.testing.assert_allclose(made.scores, made.scores[0], atol=1e-9)
    assert made.rank_low.tolist() == [1, 1, 1]
    assert made.rank_high.tolist() == [3, 3, 3]
    assert made.comes_first == pytest.approx([1 / 3] * 3)
    board = rank(scores_of({"a": column, "b": column, "c": column}), method=method, rng=0)
    assert [row.tier for row in board.rows] == [1, 1, 1]
    assert not board.beats.any()


@ALL
def test_one_item_says_nothing_about_uncertainty(method: Aggregation) -> None:
    board = rank(scores_of({"a": [1.0], "b": [2.0], "c": [0.5]}), method=method, rng=0)
    assert board.rows[0].system == "b"
    assert [(row.rank_low, row.rank_high) for row in board.rows] == [(1, 3)] * 3
    assert any("one unit only" in note for note in board.notes)


@pytest.mark.parametrize("ties", ["davidson", "half-win"])
def test_all_ties_make_all_equal(ties: Any) -> None:
    made = rating(scores_of({"a": [1, 1, 2], "b": [1, 1, 2]}), f"bradley-terry(ties={ties})", rng=0)
    assert made.scores.tolist() == [0, 0]
    assert made.strengths is not None
    assert made.strengths.tolist() == [0.5, 0.5]
    if ties != "half-win":
        assert made.tie_parameter == np.inf
    sandwich = rating(
        scores_of({"a": [1, 1, 2], "b": [1, 1, 2]}),
        f"bradley-terry(ties={ties},interval=sandwich)",
        rng=0,
    )
    assert np.isnan(sandwich.low).all()  # what never varied has no interval


def test_all_ties_dropped_leave_nothing() -> None:
    with pytest.raises(DataError, match="dropped") as caught:
        rating(scores_of({"a": [1, 1], "b": [1, 1]}), "bradley-terry(ties=drop)")
    assert caught.value.remedy == Remedy("", "method", "bradley-terry(ties=half-win)")
    judged = Judgments.from_arrays(["a", "a"], ["b", "b"], [0.5, 0.5])
    with pytest.raises(DataError, match="dropped"):
        rating(judged, "bradley-terry(ties=drop)")
    split = scores_of({"a": [1, 2, 1], "b": [2, 1, 1], "c": [3, 3, 3], "d": [3, 3, 3]})
    with pytest.raises(DataError, match="won every comparison"):
        rating(split, "bradley-terry(ties=drop,separation=error)")


def test_a_constant_lead_is_separated_when_there_are_items_enough() -> None:
    column = np.arange(30.0)
    many = rating(scores_of({"a": column.tolist(), "b": (column + 1).tolist()}), "mean", rng=0)
    assert (many.rank_low.tolist(), many.rank_high.tolist()) == ([1, 2], [1, 2])
    few = rating(scores_of({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]}), "mean", rng=0)
    assert few.rank_high.tolist() == [2, 2]


def test_few_units_are_said_to_be_few() -> None:
    made = rating(some_scores(n=7), "mean", rng=0)
    assert any("7 items are few" in note for note in made.notes)
    assert not any("are few" in note for note in rating(some_scores(n=8), "mean", rng=0).notes)


def test_float_noise_is_a_tie() -> None:
    noisy = scores_of({"a": [0.1 + 0.2, 1.0, 0.0], "b": [0.3, 0.0, 1.0]})
    made = rating(noisy, "bradley-terry(ties=half-win)", rng=0)
    assert made.scores.tolist() == pytest.approx([0, 0])


def test_metrics_of_several_columns_rank_by_the_metric_itself() -> None:
    rng = np.random.default_rng(0)
    blocks = {name: rng.integers(0, 5, size=(40, 3)) for name in "ab"}
    scores = Scores.from_arrays(blocks, columns=("tp", "fp", "fn"))
    made = rating(scores, "mean", metric=F1, rng=0)
    assert by_name(made) == pytest.approx({n: F1.score(scores.of(n)) for n in "ab"})
    paired = rating(scores, "bradley-terry", metric=F1, rng=0)
    assert any("single items" in note for note in paired.notes)
    board = rank(scores, method="mean", metric="f1", rng=0)
    assert board.percent
    assert board.pairs.effect[0, 1] == pytest.approx(made.scores[0] - made.scores[1])


def test_tasks_weigh_the_same() -> None:
    rng = np.random.default_rng(0)
    task = ["big"] * 90 + ["small"] * 10
    a, b = rng.normal(size=100), rng.normal(size=100)
    a[90:] += 5
    scores = scores_of({"a": a.tolist(), "b": b.tolist()}, groups={"task": task})
    nested = scores.with_tasks("task")
    overall = rating(nested, "mean", resamples=500, rng=0)
    expected = {n: (x[:90].mean() + x[90:].mean()) / 2 for n, x in (("a", a), ("b", b))}
    assert by_name(overall) == pytest.approx(expected)
    # Items stay in their task: every resample is ninety items of the one and ten of the other.
    ready = prepare(nested)
    assert isinstance(ready, ScoreTable)
    times, own = (
        np.concatenate(list(ready.units.resampled(np.asarray, Draws(500, 0)))),
        ready.values[:, 0],
    )
    many, few = np.isin(own, a[:90]), np.isin(own, a[90:])
    assert (times[:, many].sum(axis=1) == 90).all()
    assert (times[:, few].sum(axis=1) == 10).all()
    drawn = (times[:, many] @ own[many] / 90 + times[:, few] @ own[few] / 10) / 2
    resampled = overall.resamples[:, overall.position("a")]
    np.testing.assert_allclose(resampled, drawn, rtol=1e-12)
    # Their variance is that within tasks alone: 500 draws tell it to 99.9 % from chi-square.
    within = (a[:90].var() / 90 + a[90:].var() / 10) / 4
    low, high = chi2.ppf([0.0005, 0.9995], 499) / 499
    assert low < resampled.var(ddof=1) / within < high
    board = rank(nested, method="mean", rng=0)
    assert board.pairs.effect[0, 1] == pytest.approx(abs(expected["a"] - expected["b"]))
    paired = rating(nested, "bradley-terry(ties=half-win)", rng=0)
    big, small = (np.mean(a[k] > b[k]) for k in (slice(90), slice(90, None)))
    odds = (big + small) / (2 - big - small)
    assert abs(paired.scores[0] - paired.scores[1]) == pytest.approx(abs(np.log(odds)))


def test_task_errors() -> None:
    scores = scores_of({"a": [1, 2], "b": [2, 1]}, groups={"task": ["x", "y"]}, clusters=["c", "c"])
    with pytest.raises(DataError) as caught:
        rating(scores.with_tasks("task"), "mean")
    assert [remedy.parameter for remedy in caught.value.remedies] == ["cluster"]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"method": "medain"}, Remedy("", "method", "median")),
        ({"method": "bradley-terry(interval=sandwitch)"}, BY_SANDWICH),
        ({"method": "elo(repeats=1)"}, Remedy("", "method", "elo(repeats=2)")),
        ({"method": "mean", "resamples": 1}, Remedy("", "resamples", 1000)),
        ({"method": "mean", "test": "wilcoxn"}, Remedy("", "test", "wilcoxon")),
        ({"method": "mean(interval=sandwich)"}, None),
        ({"method": "elo(k=-1)"}, None),
        ({"alpha": -94}, None),
        ({"resamples": 0}, Remedy("", "resamples", 1)),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], remedy: Remedy | None) -> None:
    with pytest.raises(UsageError) as caught:
        rating(some_scores(), **options)
    assert caught.value.remedy == remedy


def test_data_that_cannot_be_ranked_so() -> None:
    with pytest.raises(DataError) as alone:
        rating(some_scores().select("s0"), "mean")
    assert alone.value.remedies[0].command == "score"
    judged = Judgments.from_arrays(["a"], ["b"], [1])
    with pytest.raises(UsageError) as caught:
        rating(judged, "mean")
    assert [r.value for r in caught.value.remedies] == ["bradley-terry", "elo", "trueskill"]
    with pytest.raises(UsageError, match="metric"):
        rating(judged, metric="mean")
    with pytest.raises(UsageError, match="by"):
        rank(judged, by="task")
    tasks = scores_of({"a": [1, 2], "b": [2, 1]}, groups={"task": ["x", "y"]}).with_tasks("task")
    with pytest.raises(UsageError) as weighed:
        rating(tasks, "elo")
    assert weighed.value.remedies[0] == Remedy("rank by means", "method", "mean")
    with pytest.raises(KeyError):
        rating(some_scores(), resamples=2).position("zz")


def test_kinds_are_drawn_as_often_as_their_units_would_be() -> None:
    units = Units("judgments", np.array([700, 250, 50]))
    drawn = np.concatenate(list(units.resampled(np.asarray, Draws(4000, 0))))
    assert (drawn.sum(axis=1) == 1000).all()
    np.testing.assert_allclose(drawn.mean(axis=0), [700, 250, 50], rtol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), [210, 187.5, 47.5], rtol=0.1)
    strata = Units("items", np.ones(6, dtype=np.int64), np.array([0, 0, 1, 1, 1, 1]))
    drawn = np.concatenate(list(strata.resampled(np.asarray, Draws(50, 0))))
    assert (drawn[:, :2].sum(axis=1) == 2).all()
