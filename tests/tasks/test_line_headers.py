"""Headers above texts are refused, with ids below them or alone; words of the text are not."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import FormatError
from betterthan.tasks import text
from betterthan.tasks.line_headers import TEXTS
from betterthan.tasks.sources import Source
from conftest import Run

Command = Callable[..., Run]
TEXT = ["The cat sat.", "A dog, he said, ran.", "Stop!", "We can not know.", "It is late."]


def file_of(name: str, lines: Sequence[str]) -> Source:
    return Source(name, "".join(f"{line}\n" for line in lines))


def check(said: Sequence[str], gold: Sequence[str]) -> None:
    text.check_related([file_of("sys", said)], [file_of("ref", gold)])


def numbered(mark: str, first: int = 0) -> list[str]:
    return [f"{k}{mark}{line}" for k, line in enumerate(TEXT, start=first)]


class TestIdsBelowAHeader:
    @pytest.mark.parametrize(
        ("header", "mark", "cut"),
        [
            ("id\ttext", "\t", r"cut -f2-"),
            ("utterance\twords", "\t", r"cut -f2-"),
            ("\ttext", "\t", r"cut -f2-"),
            ("id text", " ", r"cut -d' ' -f2-"),
            ("id,text", ",", r"cut -d, -f2-"),
            (",text", ",", r"cut -d, -f2-"),
            ("row;text", ";", r"cut -d';' -f2-"),
            ("id|text", "|", r"cut -d'\|' -f2-"),
        ],
    )
    def test_a_header_does_not_hide_ids(self, header: str, mark: str, cut: str) -> None:
        lines = [header, *numbered(mark)]
        with pytest.raises(
            FormatError, match=rf"ref: every line below the first .*tail -n \+2 FILE \| {cut}"
        ):
            check(lines, lines)
        with pytest.raises(FormatError, match=r"^sys: every line below the first"):
            check(lines, [*TEXT, "The end of it."])

    @pytest.mark.parametrize("mark", [",", ";", "|"])
    def test_numbers_of_the_lines_without_a_header(self, mark: str) -> None:
        with pytest.raises(FormatError, match=r"ref: every line begins with an id .*cut -d"):
            check(numbered(mark), numbered(mark))

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
        check(lines, lines)


class TestHeaderAlone:
    @pytest.mark.parametrize("word", sorted(TEXTS))
    def test_a_column_of_texts(self, word: str) -> None:
        with pytest.raises(
            FormatError, match=rf"^ref, line 1 looks like a header: '{word}' .*\(tail -n \+2 FILE\)"
        ):
            check([word, *TEXT], [word, *TEXT])

    def test_each_file_has_its_own_name(self) -> None:
        with pytest.raises(FormatError, match="looks like a header: 'reference'"):
            check(["hypothesis", *TEXT], ["reference", *TEXT])

    def test_cells_as_pandas_writes_them(self) -> None:
        quoted = [f'"{line}"' if "," in line else line for line in TEXT]
        with pytest.raises(FormatError, match=r"FILE\) and write the texts without the quotes"):
            check(["text", *quoted], ["text", *quoted])

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
        check(said, gold)

    @given(st.lists(st.sampled_from(["yes", "no", *sorted(TEXTS)]), min_size=1, max_size=30))
    def test_single_words_are_answers(self, lines: list[str]) -> None:
        check(lines, lines)

    def test_by_one_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("ref", "base", "new"):
            Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in ["text", *TEXT]))
        words = ["compare", "-m", "wer", "--ref", "ref.txt", "base.txt", "new.txt"]
        run = betterthan(*words)
        assert run.code == 4
        assert "ref.txt, line 1 looks like a header: 'text'" in run.err
        assert "--unchecked" in run.err
        assert betterthan(*words, "--unchecked").code == 0
