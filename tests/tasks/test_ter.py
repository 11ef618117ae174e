"""TER against sacrebleu, whose counts ours must be."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from betterthan.errors import TooLargeError
from betterthan.tasks import text
from betterthan.tasks.sources import Source
from betterthan.tasks.ter import MOST_WORDS, edits

Line = list[str]


@st.composite
def lines(draw: st.DrawFn) -> tuple[Line, Line]:
    """A line and its reference: unrelated, or the reference with words moved and replaced."""
    vocabulary = "abcdefghijklmnopqrstuvwxyz"[: draw(st.sampled_from([2, 4, 26]))]
    longest = draw(st.sampled_from([4, 12, 70]))
    related = draw(st.booleans())
    words = st.lists(st.sampled_from(vocabulary), max_size=longest)
    reference: Line = draw(words)
    line: Line = draw(words)
    if reference and related:
        line = list(reference)
        for _ in range(draw(st.integers(1, 5))):
            start, length = draw(st.integers(0, len(line))), draw(st.integers(1, 12))
            moved = line[start : start + length]
            del line[start : start + length]
            target = draw(st.integers(0, len(line)))
            line[target:target] = moved
            line[draw(st.integers(0, len(line) - 1))] = draw(st.sampled_from(vocabulary))
    return line, reference


@given(lines())
@example((["a"] * 3, ["a"] * 200))  # so unlike in length that the beam is widened
@example((["a"] * 200, ["a"] * 3))
@example((list("ab" * 40), list("ba" * 40)))  # more shifts than are tried
@settings(max_examples=150)
def test_counts_of_sacrebleu(pair: tuple[Line, Line]) -> None:
    line, reference = pair
    assert edits(line, reference) == translation_edit_rate(line, reference)[0]


def test_long_lines_as_sacrebleu() -> None:
    """Beyond the beam, and until no more shifts are tried."""
    reference = [str(k * k % 97) for k in range(110)]
    line = reference[40:60] + reference[:40] + reference[65:] + reference[60:65]
    line[::17] = ["x"] * len(line[::17])
    assert edits(line, reference) == translation_edit_rate(line, reference)[0]


def test_a_line_that_is_too_long_is_named() -> None:
    gold = Source("r.txt", "a b\n" + "a " * (MOST_WORDS + 1) + "\n")
    with pytest.raises(TooLargeError, match=r"s\.txt, line 2: a segment of 20,001 words"):
        text.score([Source("s.txt", "a b\na\n")], [gold], ["ter"])
