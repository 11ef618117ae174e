"""Headers above texts are doubted, with ids below them or alone; words of the text are not."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.tasks import text
from betterthan.tasks.line_headers import TEXTS
from betterthan.tasks.sources import Source

TEXT = ["The cat sat.", "A dog, he said, ran.", "Stop!", "We can not know.", "It is late."]


def file_of(name: str, lines: Sequence[str]) -> Source:
    return Source(name, "".join(f"{line}\n" for line in lines))


def doubt(said: Sequence[str], gold: Sequence[str]) -> str:
    """What is doubted about an output and its reference; empty where nothing is."""
    notes = text.doubts([file_of("sys", said)], [file_of("ref", gold)])
    assert all(note.beside_verdict for note in notes)
    return "; ".join(notes)


def numbered(mark: str, first: int = 0) -> list[str]:
    return [f"{k}{mark}{line}" for k, line in enumerate(TEXT, start=first)]


class TestIdsBelowAHeader:
    @pytest.mark.parametrize(
        ("header", "mark"),
        [
            ("id\ttext", "\t"),
            ("utterance\twords", "\t"),
            ("\ttext", "\t"),
            ("id text", " "),
            ("id,text", ","),
            (",text", ","),
            ("row;text", ";"),
            ("id|text", "|"),
        ],
    )
    def test_a_header_does_not_hide_ids(self, header: str, mark: str) -> None:
        lines = [header, *numbered(mark)]
        assert "ref: every line below the first begins with an id" in doubt(lines, lines)
        found = doubt(lines, [*TEXT, "The end of it."])
        assert found.startswith("sys: every line below the first")

    @pytest.mark.parametrize("mark", [",", ";", "|"])
    def test_numbers_of_the_lines_without_a_header(self, mark: str) -> None:
        assert "ref: every line begins with an id" in doubt(numbered(mark), numbered(mark))

    @pytest.mark.parametrize(
        "lines",
        [
            ["1,2", "2,3", "3,4", "4,5", "5,6"],
            ["x1,x2", "x2,x3", "x3,x4", "x4,x5", "x5,x6"],
            ["index funds", "1 a", "1 b", "2 c", "3 d"],
            ["A list\tof", "3 cats", "1 dog", "2 cows", "4 mice", "5 rats"],
            ["3,000 people came", "2,500 left", "1,200 stayed", "4,100 slept", "5,900 ate"],
            ["Well, no", "Yes, sir", "In 2019, we", "On 5 May, it", "So, 3 of us"],
        ],
    )
    def test_text_with_numbers(self, lines: list[str]) -> None:
        assert not doubt(lines, lines)


class TestHeaderAlone:
    @pytest.mark.parametrize("word", sorted(TEXTS))
    def test_a_column_of_texts(self, word: str) -> None:
        found = doubt([word, *TEXT], [word, *TEXT])
        assert found.startswith(f"ref, line 1 looks like a header: '{word}'")

    def test_each_file_has_its_own_name(self) -> None:
        found = doubt(["hypothesis", *TEXT], ["reference", *TEXT])
        assert "looks like a header: 'reference'" in found

    @pytest.mark.parametrize(
        ("said", "gold"),
        [
            (TEXT, ["text", *TEXT[1:]]),  # in the reference alone
            (["text", *TEXT[1:]], TEXT),
            (["text", *TEXT, "text"], ["text", *TEXT, "text"]),  # a line like others
            (["Text", *TEXT], ["Text", *TEXT]),
            (["text that goes on", *TEXT], ["text that goes on", *TEXT]),
            (["text"], ["text"]),
            (["answer", "the cat"], ["answer", "the cat"]),
            (["answer", "word", "text", "line"], ["answer", "word", "text", "line"]),  # words
        ],
    )
    def test_no_false_alarms(self, said: list[str], gold: list[str]) -> None:
        assert not doubt(said, gold)

    @given(st.lists(st.sampled_from(["yes", "no", *sorted(TEXTS)]), min_size=1, max_size=30))
    def test_single_words_are_answers(self, lines: list[str]) -> None:
        assert not doubt(lines, lines)
