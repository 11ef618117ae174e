"""What the first lines say: who, by which metric, which way, and how sure."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from betterthan.comparison.comparing import compare_many
from betterthan.data.scores import Scores
from betterthan.design.gates import gate
from betterthan.metrics import mean
from betterthan.ranking.board import Leaderboard
from betterthan.ranking.uncertainty import RankSets
from betterthan.render.leaderboards import verdict_of
from betterthan.render.single import describe_p
from betterthan.results.tests import TestResult
from made_up_results import BOARD, PAIRS, SAMPLED, row
from made_up_results import tested as a_result

SAMPLE = "permutation(method=monte-carlo)"
NAMES = ("atlas", "birch", "cedar", "dogwood", "elm")


def two_metrics(**asked: object) -> tuple[str, ...]:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 9, (40, 2)) / 1.0
    arrays = {"old": base, "new": base + 1.0}
    scores = Scores.from_arrays(arrays, columns=("quality", "seconds"))
    metrics = [mean("quality"), mean("seconds", lower_is_better=True)]
    found = compare_many(scores, "old", metric=metrics, **asked)  # type: ignore[arg-type]
    each = [comparison.sheet().headlines[0] for comparison in found]
    return (*found.sheet().headlines, *each)


def test_several_metrics_are_named_and_a_cost_says_its_direction() -> None:
    both, quality, seconds = two_metrics()
    assert both == (
        "The metrics disagree on new against old: BETTER by mean(quality); WORSE by "
        "mean(seconds, lower_is_better)"
    )
    assert quality.startswith("new is BETTER than old   +1.0")
    assert seconds.startswith("new is WORSE than old   mean(seconds) ")
    assert ", lower is better: worse by 1.0" in seconds
    assert "worse by 1.00  gain [-" in seconds


def test_one_metric_needs_no_name() -> None:
    scores = Scores.from_arrays({"old": [0.0] * 9, "new": [1.0] * 9})
    (only,) = compare_many(scores, "old").sheet().headlines
    assert only.startswith("new is BETTER than old   +100.0 points  [")


@pytest.mark.parametrize(
    ("asked", "p"),
    [
        ({"test": SAMPLE, "resamples": 39_999}, "p < 5.0e-05 (Holm)"),  # twice the floor
        ({"test": SAMPLE, "resamples": 19_999, "correction": "none"}, "p < 5.0e-05"),
    ],
)
def test_a_sampled_floor_is_a_bound(asked: dict[str, object], p: str) -> None:
    assert all(line.endswith(p) for line in two_metrics(**asked)[1:])


def test_what_all_swaps_would_give_is_not_called_p_of_the_draws() -> None:
    scores = Scores.from_arrays({"old": [0.0] * 40, "new": [1.0] * 39 + [2.0]})
    asked = {"test": SAMPLE, "resamples": 19_999}
    (only,) = compare_many(scores, "old", **asked)  # type: ignore[arg-type]
    assert only.sheet().headlines[0].endswith("p < 5.0e-05")
    assert "19,999 draws, none as far out; p of all swaps below 0.000" in str(only)


def gate_lines(a: list[float], b: list[float], **asked: object) -> tuple[str, ...]:
    scores = Scores.from_arrays({"old": a, "new": b})
    sheet = gate(scores, "old", "new", **asked).sheet()  # type: ignore[arg-type]
    return (*sheet.headlines, *sheet.subheads, *sheet.notes)


def test_a_gate_names_metric_scores_and_direction() -> None:
    right, wrong = [1.0] * 60, [1.0] * 30 + [0.0] * 30
    first, second = gate_lines(right, wrong, margin=0.01)
    assert first.startswith(
        "REGRESSION   new against old: mean 100.0 -> 50.0: worse by 50.0 points"
    )
    assert second == "No loss beyond 1 point is what had to be shown."


def test_an_open_interval_does_not_change_the_digits_of_a_gate() -> None:
    """The interval's one end justifies them: half of it is 3 and a little."""
    rng = np.random.default_rng(0)
    a = (50 + 20 * rng.standard_normal(100)).tolist()
    b = [x + d for x, d in zip(a, 20 * rng.standard_normal(100), strict=True)]
    first, *_ = gate_lines(a, b, margin=0.01)
    assert "[-∞, +" in first
    scores = re.search(r"mean (\S+) -> (\S+):", first)
    assert scores is not None
    assert all(re.fullmatch(r"\d\d\.\d", x) for x in scores.groups())


def test_a_floor_has_no_interval_from_zero() -> None:
    found = TestResult(
        test="permutation",
        pvalue=1 / 20_000,
        pvalue_low=0.0,
        pvalue_high=0.000265,
        log10_pvalue=-4.30103,
        delta=1.0,
        kind="sampled",
        engine="Monte Carlo",
        reason="as asked",
        n=40,
        alternative="two-sided",
        resamples=19_999,
    )
    assert describe_p(found) == "< 5.0e-05 of the draws (99 % interval of p of all: up to 0.000265)"
    above = replace(found, pvalue=2 / 20_000, pvalue_low=1e-7, log10_pvalue=-4.0)
    assert describe_p(above).startswith("= 0.00010 (99 % interval 1e-07 to")


def board(wins: str) -> Leaderboard:
    """Five systems of which the first of each two letters beats the second."""
    beats = np.zeros((5, 5), dtype=bool)
    for win in wins.split():
        beats["abcde".index(win[0]), "abcde".index(win[1])] = True
    sets = RankSets.of(beats, 2.0, np.zeros((5, 5)))
    square = np.full((5, 5), 3)
    pairs = replace(
        PAIRS, names=NAMES, adjusted=np.full((5, 5), 0.22), wins=square, ties=square,
        losses=square, log10_adjusted=np.log10(np.full((5, 5), 0.22)),
    )  # fmt: skip
    rows = tuple(
        replace(row(0, (), 1, 1.0), system=name, rank_low=int(sets.low[k]))
        for k, name in enumerate(NAMES)
    )
    return replace(BOARD, rows=rows, beats=beats, pairs=pairs)


@pytest.mark.parametrize(
    ("wins", "said"),
    [
        (
            "ab ac ad ae",
            "atlas is BETTER than every other system.   CAN'T TELL birch, cedar, dogwood and elm "
            "apart.",
        ),
        (
            "ab ac ad de",
            "atlas comes first: it beats 3 of the 4 others itself, and systems below it beat the "
            "rest.",
        ),
        (
            "ac ad ae bc bd be",
            "CAN'T TELL atlas from birch (p = 0.22): either may be best; 3 systems are beaten by "
            "both.",
        ),
        (
            "ad bd cd ce",
            "CAN'T TELL which is best: atlas, birch and cedar may be; 1 system is beaten by all "
            "three, 1 by some of them.",
        ),
        (
            "ab bc ca ad bd cd de",
            "CAN'T TELL which is best: atlas, birch and cedar may be; their wins go round in a "
            "circle; 1 system is beaten by all three, 1 by others.",
        ),
        (
            "",
            "CAN'T TELL any of 5 systems from another.",
        ),
    ],
)
def test_a_board_names_those_that_may_be_best(wins: str, said: str) -> None:
    assert verdict_of(board(wins)) == said


def test_a_floor_is_said_in_tables_of_pairs_too() -> None:
    draws = 20_000
    least = 1 / (draws + 1)
    floor = a_result(**SAMPLED | {"pvalue": least, "log10_pvalue": math.log10(least)})
    assert floor.floor
    first, *others = PAIRS.results
    made = replace(PAIRS, results={first: floor, **{pair: PAIRS.results[pair] for pair in others}})
    rows = {row[:2]: row for row in made.sheet().tables[0].rows}
    assert rows[first][3].startswith("< ")
    assert rows[first][4].startswith("< ")
    assert not any("<" in cell for pair in others for cell in rows[pair])
