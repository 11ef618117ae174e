"""More systems than a board compares: refused, or ranked by their wins and losses in blocks."""

import time
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import DataError, Remedy, UsageError
from betterthan.numeric import Bools, Floats
from betterthan.ranking import aggregations, bradley_terry, many_systems
from betterthan.ranking.many_systems import beaten
from betterthan.ranking.pair_tests import BY_SIGN
from betterthan.ranking.pairwise import pairwise
from betterthan.ranking.prepared import prepare
from betterthan.ranking.structure import shortest_cycle
from betterthan.ranking.uncertainty import order_of


@pytest.fixture(name="few")
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_SYSTEMS", 4)


def drawn(systems: int = 9, items: int = 60, *, seed: int = 0, missing: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    values = (rng.random((items, systems)) < rng.random(systems)).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return values


def scores_of(values: Floats, **options: object) -> bt.Scores:
    return bt.Scores.from_arrays({f"s{k}": x for k, x in enumerate(values.T)}, **options)  # type: ignore[arg-type]


@pytest.mark.usefixtures("few")
def test_more_systems_than_pairs_can_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = scores_of(drawn(5))
    for call in (
        lambda: bt.rank(scores, method="bradley-terry"),
        lambda: bt.ranking.rating(scores, "bradley-terry"),
        lambda: pairwise(scores, "mean"),
    ):
        with pytest.raises(UsageError, match="10 pairs") as caught:
            call()
        assert caught.value.remedy == Remedy("rank by means", "method", "mean")
    real, grouped = np.random.default_rng(0).normal(size=(30, 5)), np.arange(60) // 2
    counts = {f"s{k}": np.ones((9, 3)) for k in range(5)}
    for data, options, why in (
        (scores_of(real), {}, "scores that are not all 0 or 1"),
        (scores_of(drawn(5), clusters=grouped), {}, "clusters"),
        (scores_of(drawn(5), groups={"task": ["x", "y"] * 30}).with_tasks("task"), {}, "tasks"),
        (bt.Scores.from_arrays(counts, columns=("tp", "fp", "fn")), {"metric": "f1"}, "by f1"),
        (bt.Judgments.from_arrays([*"abcde"], [*"bcdea"], [1, 0, 1, 0, 1]), {}, "judgments"),
    ):
        asked: dict[str, Any] = options
        for refused in (bt.rank, bt.ranking.rating):
            with pytest.raises(UsageError, match=why) as caught:
                refused(data, **asked)
            assert [remedy.parameter for remedy in caught.value.remedies] == ["systems"]
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_BY_MEAN", 4)
    with pytest.raises(UsageError) as caught:
        bt.ranking.rating(scores, "mean")
    assert [remedy.parameter for remedy in caught.value.remedies] == ["systems"]
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_BY_MEAN", 5)
    with pytest.raises(UsageError) as caught:
        bt.ranking.rating(scores, "mean", test="t")
    assert caught.value.remedy == BY_SIGN
    found = bt.compare_many(scores, "s0")
    assert len(found.comparisons) == 4


@pytest.mark.usefixtures("few")
def test_boards_of_more_systems_are_rankings() -> None:
    scores = scores_of(drawn(5))
    made = bt.rank(scores, alpha=0.1, resamples=50)
    assert isinstance(made, bt.ranking.Ranking)
    assert made.signature == bt.ranking.rating(scores, alpha=0.1, resamples=50).signature
    assert "without ratings" in made.notes[0]
    assert made.plots == ("ranks",)
    with pytest.raises(UsageError) as caught:
        bt.rank(scores, correction="bh")
    assert caught.value.remedy == Remedy("", "correction", "holm")
    with pytest.raises(UsageError) as caught:
        bt.rank(scores_of(drawn(5), groups={"part": ["x", "y"] * 30}), by="part")
    assert caught.value.remedies[0].parameter == "systems"


def test_many_systems_on_a_handful_of_items() -> None:
    """A system that wins all of three items has p = 1/4, and Holm multiplies it by all pairs."""
    values = np.random.default_rng(0).random((3, 201))
    before = time.process_time()
    bt.rank(scores_of(values[:, :200]), method="bradley-terry")
    for refused in (bt.rank, bt.ranking.rating):
        with pytest.raises(DataError, match=r"201 systems .* 3 items.* least 20") as caught:
            refused(scores_of(values), method="bradley-terry")
        assert [remedy.parameter for remedy in caught.value.remedies] == ["systems"]
    assert 201 * 100 * 2.0 ** (1 - 19) > 0.05 >= 201 * 100 * 2.0 ** (1 - 20)
    assert time.process_time() - before < 5


def test_equal_resamples_are_fitted_once_and_counted_each() -> None:
    """Of 3 items there are 10 resamples; in some of them a system wins or loses everything."""
    values = np.array([[1.0, 2.0, 3.0, 0.0], [3.0, 1.0, 2.0, 4.0], [2.0, 3.0, 1.0, 2.5]])
    outcomes = prepare(scores_of(values)).outcomes("davidson")
    fitted, _ = bradley_terry.fit(outcomes)
    refit = aggregations._Refit(outcomes, fitted, ghost=False)
    weights = np.random.default_rng(1).multinomial(3, [1 / 3] * 3, size=40).astype(float)
    theta, ghosts = refit(weights)
    alone = [bradley_terry.fit_resamples(outcomes, row[None], fitted) for row in weights]
    np.testing.assert_allclose(theta, np.concatenate([x.theta for x, _ in alone]), atol=1e-8)
    assert ghosts == sum(lost.size for _, lost in alone) > 0


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.9])
@pytest.mark.parametrize(("low", "high", "lower"), [(0, 1, False), (0.3, 0.7, False), (0, 1, True)])
def test_ranks_are_those_of_a_board(
    monkeypatch: pytest.MonkeyPatch, missing: float, low: float, high: float, lower: bool
) -> None:
    values = low + (high - low) * drawn(missing=missing)
    arrays = {f"s{k}": x for k, x in enumerate(values.T)}
    scores = bt.Scores.from_arrays(arrays, lower_is_better=lower, missing="pairwise")
    board = bt.ranking.rating(scores, "mean")
    assert board.sets.separated.any() == (missing < 0.9)
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_SYSTEMS", 4)
    monkeypatch.setattr(many_systems, "CELLS", 20)
    found = bt.ranking.rating(scores, "mean")
    assert found.sets.errors is None
    assert board.sets.errors is not None
    assert found.signature == board.signature
    assert found.names == board.names
    np.testing.assert_array_equal(found.sets.separated, board.sets.separated)
    for column in ("scores", "low", "high", "rank_low", "rank_high", "comes_first", "resamples"):
        np.testing.assert_array_equal(getattr(found, column), getattr(board, column))


@pytest.mark.parametrize("most", [4, 9])
@pytest.mark.parametrize("lower", [False, True])
def test_all_right_and_all_wrong_have_intervals(
    monkeypatch: pytest.MonkeyPatch, lower: bool, most: int
) -> None:
    """Of n right answers in n, the chance p ** n of as many is 2.5 % at the lower end."""
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_SYSTEMS", most)
    values = drawn(5)
    values[:, 1], values[:, 3] = 1.0, 0.0
    values[:20, 3] = np.nan
    arrays = {f"s{k}": x for k, x in enumerate(values.T)}
    scores = bt.Scores.from_arrays(arrays, lower_is_better=lower, missing="pairwise")
    made = bt.ranking.rating(scores, "mean", resamples=100)
    low, high = (dict(zip(made.names, end.tolist(), strict=True)) for end in (made.low, made.high))
    assert (low["s1"], high["s1"]) == (pytest.approx(0.025 ** (1 / 60)), 1.0)
    assert (low["s3"], high["s3"]) == (0.0, pytest.approx(1 - 0.025 ** (1 / 40)))
    assert any("is Clopper and Pearson" in note for note in made.notes)
    clusters = bt.Scores.from_arrays(
        dict(zip("ab", values[20:, :2].T, strict=True)), clusters=[0, 1] * 20
    )
    assert np.isnan(bt.ranking.rating(clusters, "mean", resamples=100).low).any()


def test_a_ranking_says_what_decided(few: None) -> None:
    for scores, method, told in (
        (scores_of(drawn(5)), "mean", "permutation"),
        (scores_of(drawn(4)), "mean", "permutation"),
        (scores_of(drawn(4)), "bradley-terry", "sign"),
    ):
        made = bt.ranking.rating(scores, method, alpha=0.1, resamples=50)
        assert (made.decided_by, made.correction, made.alpha) == (told, "holm", 0.1)
        assert made.signature.endswith(f"|beats:{told}|adj:holm|a:0.1")
        assert f"jointly at 90 %: {told} tests of all pairs, Holm, alpha 0.1" in str(made)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    items=st.integers(1, 80),
    alpha=st.sampled_from([0.5, 0.2, 0.05]),
    missing=st.sampled_from([0.0, 0.5]),
)
def test_who_is_beaten_is_who_the_pairs_say(
    seed: int, items: int, alpha: float, missing: float
) -> None:
    values = drawn(7, items, seed=seed, missing=missing)
    if np.isnan(values).all(axis=0).any():
        values[0] = 1.0
    scores = bt.Scores.from_arrays(dict(zip("abcdefg", values.T, strict=True)), missing="pairwise")
    pairs = pairwise(scores, "mean", alpha=alpha)
    at = ["abcdefg".index(name) for name in pairs.names]
    np.testing.assert_array_equal(beaten(values[:, at], alpha), pairs.beats)


def slow_order(beats: Bools) -> Bools:
    """Every way of wins, one step longer at a time."""
    reached = beats.copy()
    for _ in range(len(beats)):
        for i, k in np.argwhere(reached):
            reached[i] |= reached[k]
    return reached & ~reached.T


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(1, 12),
    share=st.sampled_from([0.05, 0.15, 0.5]),
    seed=st.integers(0, 10**6),
    circles=st.booleans(),
)
def test_the_order_by_its_slow_twin(size: int, share: float, seed: int, circles: bool) -> None:
    rng = np.random.default_rng(seed)
    beats = rng.random((size, size)) < share
    beats &= ~beats.T if circles else np.tri(size, k=-1, dtype=bool)
    mixed = rng.permutation(size)
    beats = beats[np.ix_(mixed, mixed)]
    np.testing.assert_array_equal(order_of(beats), slow_order(beats))


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 9), share=st.sampled_from([0.1, 0.3, 0.6]), seed=st.integers(0, 10**6))
def test_the_shortest_circle_by_powers(size: int, share: float, seed: int) -> None:
    beats = np.random.default_rng(seed).random((size, size)) < share
    beats &= ~beats.T
    found, walks, shortest = shortest_cycle(beats), np.eye(size, dtype=int), 0
    for length in range(1, size + 1):
        walks = np.minimum(walks @ beats, 1)
        if np.trace(walks) and not shortest:
            shortest = length
    assert len(found) == shortest
    assert all(beats[one, then] for one, then in zip(found, (*found[1:], *found[:1]), strict=True))
    assert len(set(found)) == len(found)
