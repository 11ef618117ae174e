"""Edit distance and common subsequence against the textbook dynamic programmes."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TooLargeError
from betterthan.tasks import edits
from betterthan.tasks.edits import common_subsequence, edit_distance

tokens = st.lists(st.sampled_from("abcd"), max_size=12)


def slow_distance(a: Sequence[str], b: Sequence[str]) -> int:
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, start=1):
        for j, y in enumerate(b, start=1):
            substitution = table[i - 1][j - 1] + (x != y)
            table[i][j] = min(substitution, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


def slow_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a, start=1):
        for j, y in enumerate(b, start=1):
            longer = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if x == y else longer
    return table[-1][-1]


@given(tokens, tokens)
def test_edit_distance(a: list[str], b: list[str]) -> None:
    assert edit_distance(a, b) == slow_distance(a, b) == edit_distance(b, a)


@given(tokens, tokens)
def test_common_subsequence(a: list[str], b: list[str]) -> None:
    assert common_subsequence(a, b) == slow_subsequence(a, b) == common_subsequence(b, a)


def test_sequences_longer_than_a_machine_word() -> None:
    a = list("abcde" * 60)
    b = list("badce" * 55)
    assert edit_distance(a, b) == slow_distance(a, b)
    assert common_subsequence(a, b) == slow_subsequence(a, b)


@given(tokens, tokens, st.integers(0, 20))
def test_a_band_gives_the_distance_or_more_than_its_width(
    a: list[str], b: list[str], k: int
) -> None:
    a, b = (a, b) if len(a) >= len(b) else (b, a)
    truth, k = slow_distance(a, b), max(k, len(a) - len(b))
    found = edits._distance_within(a, b, k)
    assert found == truth if truth <= k else found > k


@given(tokens, tokens, st.sampled_from([0, 2]))
def test_long_sequences_by_all_their_ways(a: list[str], b: list[str], rare: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"FEW_CELLS": 0, "FIRST_BAND": 1, "SHORT": 0, "RARE": rare}.items():
            patch.setattr(edits, name, value)
        assert edit_distance(a, b) == slow_distance(a, b)
        assert common_subsequence(a, b) == slow_subsequence(a, b)


def test_sequences_too_long_are_refused_unless_they_are_alike() -> None:
    one, other = "ab" * 100_000, "ba" * 99_999 + "xy"
    assert edit_distance(one, other) == 3  # one a before, and the last two other ones
    for measure in (edit_distance, common_subsequence):
        with pytest.raises(TooLargeError, match=r"200,000 and 200,000 tokens .* split them"):
            measure(one, "cd" * 100_000)
