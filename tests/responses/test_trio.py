"""Gold, baseline and candidate: ragged, incomplete, from Scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.data.scores import Scores
from betterthan.errors import AlignmentError, BadValueError, DataError, Remedy, UsageError
from betterthan.responses import (
    RESPONSE_METRICS,
    Calibrated,
    Published,
    from_scores,
    p_value,
    simulate,
)
from betterthan.responses.trio import as_responses
from betterthan.responses.trio_files import read_source, read_trio
from made_up_responses import GOLD, TESTS, A, B

UNPAIRED = [name for name in RESPONSE_METRICS if not RESPONSE_METRICS[name].paired]


@pytest.mark.parametrize("how", TESTS)
@pytest.mark.parametrize("metric", UNPAIRED)
def test_ragged_responses(metric: str, how: dict[str, Any]) -> None:
    found = p_value(GOLD, A, B, metric, rng=0, **how)
    assert 0 < found.pvalue <= 1
    assert np.isfinite(found.delta)
    # NaN is the same as not there.
    gold, a, b = (as_responses(x, "x").values for x in (GOLD, A, B))
    assert p_value(gold, a, b, metric, rng=0, **how).pvalue == found.pvalue


def test_more_raters_than_expected_for_one_item() -> None:
    gold = [[0.2, 0.4], [0.9, 0.8], [0.5, 0.6, 0.5, 0.4, 0.6, 0.9, 0.1]]
    assert as_responses(gold, "gold").counts.tolist() == [2, 2, 7]
    assert (
        p_value(
            gold, A, B, resamples=50, rng=0, test=Published(sampling="all_items/sample(k)")
        ).pvalue
        > 0
    )


def test_all_missing_items_are_named() -> None:
    with pytest.raises(AlignmentError, match="a has no response to items 2, 4"):
        p_value([1, 2, 3, 4], [[1.0], [np.nan], [3.0], []], [1, 2, 3, 4])
    with pytest.raises(BadValueError, match="b is infinite at item 1"):
        p_value([1, 2], [1, 2], [[np.inf], [1.0]])
    with pytest.raises(AlignmentError, match="gold has 2 items, a has 2 and b has 3"):
        p_value([1, 2], [1, 2], [1, 2, 3])
    with pytest.raises(BadValueError, match="numbers"):
        p_value([["x"], ["y"]], [1, 2], [1, 2])
    with pytest.raises(DataError, match="no responses at all"):
        p_value([], [], [])
    with pytest.raises(DataError, match="dimensions"):
        p_value(np.zeros((2, 2, 2)), [1, 2], [1, 2])


def test_from_scores_and_from_a_long_table() -> None:
    rows = [
        {"item": f"q{i}", "system": system, "rater": j, "score": value}
        for system, block in (("gold", GOLD), ("x", A), ("y", B))
        for i, values in enumerate(block)
        for j, value in enumerate(values)
    ]
    import polars as pl

    scores = bt.read(
        pl.DataFrame(rows),
        columns={"item": "item", "system": "system", "score": "score", "response": "rater"},
    )
    assert scores.systems == ("gold", "x", "y")
    long = p_value(*from_scores(scores, "gold", "x", "y"), "mae", rng=0, test=Calibrated(even=True))
    assert long.pvalue == p_value(GOLD, A, B, "mae", rng=0, test=Calibrated(even=True)).pvalue
    plain = Scores.from_arrays({"gold": [1, 2], "x": [1, 3], "y": [2, 2]})
    assert from_scores(plain, "gold", "x", "y").a.counts.tolist() == [1, 1]
    with pytest.raises(UsageError, match="no system 'z'"):
        from_scores(plain, "gold", "x", "z")


def test_a_shuffled_long_table_has_no_first_system(tmp_path: Path) -> None:
    rows = [
        f"q{i},{system},{(i + len(system)) % 3}"
        for i in range(6)
        for system in (("gold", "one", "other")[:: 1 if i % 2 else -1])
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["item,system,score", *rows]))
    with pytest.raises(UsageError) as caught:
        read_trio(path)
    assert [remedy.parameter for remedy in caught.value.remedies] == ["systems", "systems"]
    for systems in (["one", "other"], ["other", "one"]):
        assert Remedy("", "systems", systems) in caught.value.remedies
        assert read_trio(path, systems=systems)[1] == (*systems,)


def test_other_systems_of_a_long_table_have_no_influence(tmp_path: Path) -> None:
    names = ("gold", "one", "other", "late")
    rows = [f"q{i},{name},{(i + k) % 3}" for k, name in enumerate(names) for i in range(6)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["item,system,score", *rows[:-2]]))  # "late" lacks two items
    with pytest.raises(UsageError, match="two of"):
        read_trio(path)
    data, pair = read_trio(path, systems="one,other")
    assert (data.n, pair) == (6, ("one", "other"))
    assert read_trio(path, gold="other", systems=["gold", "one"])[1] == ("gold", "one")


def test_a_study_takes_the_gold_of_what_was_simulated(tmp_path: Path) -> None:
    made = simulate(items=5, responses=(3, 2, 2), rng=0)
    path = tmp_path / "made.csv"
    rows = [
        f"q{i},{name},{j},{value}"
        for name in ("gold", "a", "b")
        for i, values in enumerate(getattr(made, name).tolist())
        for j, value in enumerate(values)
    ]
    path.write_text("\n".join(["item,system,response,score", *rows]))
    assert np.allclose(read_source(path).values, made.gold)
