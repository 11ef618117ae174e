"""Edit distance and common subsequence against the textbook dynamic programmes."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

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
