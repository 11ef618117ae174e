"""More systems than a board compares: refused, or ranked by their wins and losses in blocks."""

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import DataError, UsageError
from betterthan.numeric import Bools, Floats
from betterthan.ranking import aggregations, bradley_terry, many_systems
from betterthan.ranking.many_systems import beaten
from betterthan.ranking.pairwise import pairwise
from betterthan.ranking.prepared import prepare
from betterthan.ranking.structure import shortest_cycle
from betterthan.ranking.uncertainty import order_of
from conftest import Run


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
    for refused in (bt.leaderboard, bt.rank, pairwise):
        with pytest.raises(UsageError, match=r"5 systems make 10 pairs.*method='mean'"):
            refused(scores)
    real, grouped = np.random.default_rng(0).normal(size=(30, 5)), np.arange(60) // 2
    counts = {f"s{k}": np.ones((9, 3)) for k in range(5)}
    battles = bt.Judgments.from_arrays([*"abcde"], [*"bcdea"], [1, 0, 1, 0, 1])
    tasks = {"task": ["x", "y"] * 30}
    for data, options, why in (
        (scores_of(real), {}, "scores that are not all 0 or 1, as these are,"),
        (scores_of(drawn(5), clusters=grouped), {}, "items in clusters"),
        (scores_of(drawn(5), groups=tasks), {"tasks": "task"}, "tasks that weigh the same"),
        (bt.Scores.from_arrays(counts, columns=("tp", "fp", "fn")), {"metric": "f1"}, "by f1"),
        (battles, {"method": "bradley-terry"}, "judgments"),
    ):
        asked: dict[str, Any] = {"method": "mean", **options}
        for refused in (bt.leaderboard, bt.rank):
            with pytest.raises(UsageError, match=rf"10 pairs, and .*{why} .*has 4 systems at most"):
                refused(data, **asked)
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_BY_MEAN", 4)
    with pytest.raises(UsageError, match="5 systems make 10 pairs: 4 systems are ranked at most"):
        bt.rank(scores, "mean")
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_BY_MEAN", 5)
    with pytest.raises(UsageError, match="not by test='t'"):
        bt.rank(scores, "mean", test="t")
    found = bt.compare_many(scores, "s0")
    assert len(found.comparisons) == 4


def test_many_systems_on_a_handful_of_items(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    """A system that wins all of three items has p = 1/4, and Holm multiplies it by all pairs."""
    values = np.random.default_rng(0).random((3, 201))
    before = time.process_time()
    bt.leaderboard(scores_of(values[:, :200]))
    for refused in (bt.leaderboard, bt.rank):
        with pytest.raises(DataError, match=r"201 systems cannot be rated on 3 items.* least 20"):
            refused(scores_of(values))
    assert 201 * 100 * 2.0 ** (1 - 19) > 0.05 >= 201 * 100 * 2.0 ** (1 - 20)
    assert time.process_time() - before < 5
    rows = [f"s{k},q{i},{x}" for i, row in enumerate(values) for k, x in enumerate(row)]
    (tmp_path / "runs.csv").write_text("\n".join(["system,item,score", *rows]))
    run = betterthan("rank", str(tmp_path / "runs.csv"))
    assert run.code == 4
    assert "200 systems at most (--systems)" in run.err


def test_equal_resamples_are_fitted_once_and_counted_each() -> None:
    """Of 3 items there are 10 resamples; in some of them a system wins or loses everything."""
    values = np.array([[1.0, 2.0, 3.0, 0.0], [3.0, 1.0, 2.0, 4.0], [2.0, 3.0, 1.0, 2.5]])
    outcomes = prepare(scores_of(values)).outcomes("davidson")
    fitted, _ = bradley_terry.fit(outcomes)
    refit = aggregations._Refit(outcomes, fitted, None)
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
    board = bt.rank(scores, "mean")
    assert board.sets.separated.any() == (missing < 0.9)
    monkeypatch.setattr(import_module("betterthan.ranking.aggregate"), "MOST_SYSTEMS", 4)
    monkeypatch.setattr(many_systems, "CELLS", 20)
    found = bt.rank(scores, "mean")
    assert found.sets.errors is None
    assert board.sets.errors is not None
    assert found.signature == board.signature
    assert found.names == board.names
    np.testing.assert_array_equal(found.sets.separated, board.sets.separated)
    for column in ("scores", "low", "high", "rank_low", "rank_high", "p_best", "resamples"):
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
    made = bt.rank(scores, "mean", resamples=100)
    low, high = (dict(zip(made.names, end.tolist(), strict=True)) for end in (made.low, made.high))
    assert (low["s1"], high["s1"]) == (pytest.approx(0.025 ** (1 / 60)), 1.0)
    assert (low["s3"], high["s3"]) == (0.0, pytest.approx(1 - 0.025 ** (1 / 40)))
    assert any("is Clopper and Pearson" in note for note in made.notes)
    clusters = bt.Scores.from_arrays(
        dict(zip("ab", values[20:, :2].T, strict=True)), clusters=[0, 1] * 20
    )
    assert np.isnan(bt.rank(clusters, "mean", resamples=100).low).any()


def test_a_ranking_says_what_decided(few: None) -> None:
    for scores, method, told in (
        (scores_of(drawn(5)), "mean", "permutation"),
        (scores_of(drawn(4)), "mean", "permutation"),
        (scores_of(drawn(4)), "bradley-terry", "sign"),
    ):
        made = bt.rank(scores, method, confidence=0.9, resamples=50, separation="ghost")  # type: ignore[arg-type]
        document = made.to_dict()
        assert (document["decided_by"], document["correction"]) == (told, "holm")
        assert document["alpha"] == made.alpha == 0.1
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


@pytest.mark.usefixtures("few")
def test_the_command_says_what_is_left_out(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    header = ",".join(["item", *(f"s{k}" for k in range(5))])
    rows = [f"q{k}," + ",".join(f"{x:.0f}" for x in row) for k, row in enumerate(drawn(5))]
    (tmp_path / "runs.csv").write_text("\n".join([header, *rows]))
    table = str(tmp_path / "runs.csv")
    found = betterthan("rank", table, "--method", "mean")
    assert found.code == 0
    assert "5 systems: ranks, scores and P(best), without ratings" in found.err
    assert "mean ranking of 5 systems on 60 items" in found.out
    refused = betterthan("rank", table)
    assert refused.code == 2
    assert "--method mean" in refused.err
    for options in (
        ("--correction", "bh"),
        ("--alpha", "0.01"),
        ("--plot", str(tmp_path / "x.svg")),
    ):
        refused = betterthan("rank", table, "--method", "mean", *options)
        assert refused.code == 2
        assert "more than" in refused.err
