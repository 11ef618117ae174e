"""JSON holds what results hold, and says null where it cannot."""

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from betterthan.results.json_text import embedded, plain_value, to_json


@dataclass
class Made:
    x: float
    parts: tuple[int, ...]


def test_what_json_has_no_word_for() -> None:
    assert plain_value([float("inf"), -float("inf"), float("nan")]) == [None] * 3
    assert plain_value(np.array([1.5, np.nan])) == [1.5, None]


def test_types_stay_what_they_are() -> None:
    given = [np.int64(3), np.float64(0.5), np.bool_(True), Fraction(2, 6), Made(0.1, (1, 2))]
    assert json.loads(to_json(given)) == [3, 0.5, True, "1/3", {"x": 0.1, "parts": [1, 2]}]
    assert to_json({1: np.int64(3)}) == '{\n  "1": 3\n}'


def test_no_digit_is_lost() -> None:
    x = 0.1 + 0.2
    assert json.loads(to_json(x)) == x


def test_names_are_written_as_they_are() -> None:
    assert to_json("系统") == '"系统"'


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="object has no place"):
        to_json({"x": object()})


def test_a_page_gives_build_services_no_commands() -> None:
    for name in ("##vso[task.complete]", "##teamcity[buildStatus]", "##[add-mask]"):
        text = embedded({"name": name})
        assert "##" not in text
        assert json.loads(text) == {"name": name}
