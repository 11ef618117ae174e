"""Judgments: what is read from words, names and frames, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import BadValueError, DataError, UsageError
from betterthan.ranking import Judgments, rating


def test_words_numbers_and_names_say_the_same() -> None:
    left, right = ["gpt", "llama", "gpt", "llama"], ["llama", "gpt", "llama", "gpt"]
    for outcome in (
        [1, 0, 0.5, 1],
        ["left", "right", "tie", "left"],
        ["model_a", "model_b", "tie (bothbad)", "model_a"],
        ["gpt", "gpt", "draw", "llama"],
        ["A", "B", "both_bad", "a"],
    ):
        made = Judgments.from_arrays(left, right, outcome)
        assert made.outcome.tolist() == [1, 0, 0.5, 1]
        assert made.systems == ("gpt", "llama")


def test_a_system_called_left_is_meant_by_its_name_where_others_are_named() -> None:
    left, right = ["right", "left", "left"], ["left", "right", "gpt"]
    made = Judgments.from_arrays(left, right, ["right", "right", "gpt"])
    assert made.outcome.tolist() == [1, 0, 0]
    with pytest.raises(BadValueError, match="'right' may be the winner's name"):
        Judgments.from_arrays(left[:2], right[:2], ["right", "right"])


@pytest.mark.parametrize("library", [pl, pd])
def test_frames_of_any_kind(library: object) -> None:
    frame = library.DataFrame(  # type: ignore[attr-defined]
        {
            "model_a": ["a", "b", "a"],
            "model_b": ["b", "c", "c"],
            "winner": ["model_a", "tie", "model_b"],
            "question": [1, 1, 2],
            "judge": ["j1", "j2", "j1"],
        }
    )
    made = bt.read(frame)
    assert isinstance(made, Judgments)
    assert made.n == 3
    assert made.items is not None
    assert made.items.tolist() == ["1", "1", "2"]
    assert rating(made, "bradley-terry", rng=0).units == 2
    by_judge = bt.read(frame, columns={"cluster": "judge"})
    assert rating(by_judge, "bradley-terry", rng=0).unit_name == "clusters"
    with pytest.raises(UsageError, match="no column 'prompt'"):
        bt.read(frame, columns={"item": "prompt"})


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(BadValueError, match="row 2: cannot tell who won from 'maybe'"):
        Judgments.from_arrays(["a", "a"], ["b", "b"], ["left", "maybe"])
    with pytest.raises(BadValueError, match="outcome must be 1"):
        Judgments.from_arrays(["a"], ["b"], [0.7])
    with pytest.raises(DataError, match="compared with itself in 'row 1'"):
        Judgments.from_arrays(["a"], ["a"], [1])
    with pytest.raises(DataError, match="one entry per judgment"):
        Judgments.from_arrays(["a"], ["b", "c"], [1])
    with pytest.raises(DataError, match="no judgments"):
        Judgments.from_arrays([], [], [])
    with pytest.raises(DataError, match="1 entries"):
        Judgments.from_arrays(["a"], ["b"], [1], items=["x", "y"])


def test_it_cannot_be_changed() -> None:
    made = Judgments.from_arrays(["a"], ["b"], [1])
    with pytest.raises(ValueError, match="read-only"):
        made.outcome[0] = 0
    assert "1 of 2 systems" in repr(made)


def test_independent_judgments_earn_a_note() -> None:
    rng = np.random.default_rng(0)
    made = Judgments.from_arrays(["a"] * 50, ["b"] * 50, rng.integers(0, 2, 50))
    assert any(
        "taken for independent" in note for note in rating(made, "bradley-terry", rng=0).notes
    )
