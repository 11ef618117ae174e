"""Rows of an id and a label are doubted, other labels are not."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.metrics import resolve
from betterthan.tasks import classification
from betterthan.tasks.sources import Source

MARKS = ["\t", ",", ";", "|"]
GOLD = ["pos", "neg", "pos", "neg", "pos", "neg"]
SAID = ["pos", "pos", "pos", "neg", "pos", "neg"]


def file_of(name: str, lines: Sequence[str]) -> Source:
    return Source(name, "".join(f"{line}\n" for line in lines))


def doubt(said: Sequence[str], gold: Sequence[str]) -> str:
    """What is doubted about labels and their gold; empty where nothing is."""
    return "; ".join(classification.doubts([file_of("sys", said)], [file_of("gold", gold)]))


def rows(ids: Sequence[object], labels: Sequence[str], mark: str, header: str = "") -> list[str]:
    """Write rows, below a header if there is one."""
    lines = [f"{name}{mark}{label}" for name, label in zip(ids, labels, strict=True)]
    return [header.replace(",", mark), *lines] if header else lines


class TestDoubted:
    @pytest.mark.parametrize("mark", MARKS)
    @pytest.mark.parametrize("header", ["", "id,label", "PassengerId,Survived", ",label", "row,y"])
    @pytest.mark.parametrize(
        "ids", [range(6), range(892, 898), [f"test_{k * k}" for k in range(6)]]
    )
    def test_rows(self, mark: str, header: str, ids: Sequence[object]) -> None:
        found = doubt(rows(ids, SAID, mark, header), rows(ids, GOLD, mark, header))
        assert re.search(rf"^gold, line {2 if header else 1} \(.*\) is a row of an id and", found)

    def test_rows_below_a_header(self) -> None:
        ids = [17, 4, 99, 23, 8, 15]  # numbers that do not count
        one, other = (rows(ids, list(x), ",", "Id,y") for x in ("101010", "101110"))
        assert "is a row" in doubt(one, other)
        names = ["ann", "bob", "cat", "dan", "eve", "flo"]  # without digits, shared by all files
        one, other = (rows(names, x, ",", "id,label") for x in (SAID, GOLD))
        assert "is a row" in doubt(one, other)

    def test_rows_beside_plain_labels(self) -> None:
        assert doubt(SAID, rows(range(6), GOLD, ",")).startswith("gold, line 1")
        assert "is a row" in doubt(rows(range(4), SAID[:4], ","), rows(range(4), GOLD[:4], ","))

    @pytest.mark.parametrize(
        "gold",
        [
            ['"","label"', *(f'"{k}","{label}"' for k, label in enumerate(GOLD, start=1))],
            ["id,text,label", *(f"{k},it is,{label}" for k, label in enumerate(GOLD))],
            ["id,answer", "1,Paris, France", "2,Rome", "3,Bonn"],
        ],
    )
    def test_cells(self, gold: list[str]) -> None:
        assert "is a row" in doubt(gold, gold)


class TestNoFalseAlarms:
    @pytest.mark.parametrize(
        "gold",
        [
            ["pos,neg", "neg,neg", "pos,pos", "neg,pos", "pos,neg"],  # several labels a line
            ["id,en", "fr,de", "es,pt", "en,nl", "it,sv", "da,no"],  # Indonesian
            ["no,yes", "yes,no", "maybe,no"],
            ["Paris, France", "Lyon, France", "Rome, Italy", "Bonn, Germany", "Nice, France"],
            ["12,5", "7,5", "3,0", "19,5", "101,0", "4,5"],  # decimal commas
            ["1,5", "2,5", "3,5", "4,5", "5,5"],
            ["I10,E11", "E78,I25", "J45,I10", "N18,E11", "E11,I25"],  # codes
            ["3;7", "1;2", "2;9", "4;1"],
            ["1,a", "2,b", "3,a"],  # too few to tell
            ["a|b", "b|c", "c|d", "d|e", "e|f"],
            ["1", "2", "3", "4", "5"],
            ["1,pos"],
            ["id,label"],
        ],
    )
    def test_labels(self, gold: list[str]) -> None:
        assert not doubt(gold, gold)

    @given(
        st.sampled_from(MARKS),
        st.lists(st.tuples(*[st.sampled_from("abc012")] * 2), min_size=7, max_size=40),
    )
    def test_several_labels_of_a_few(self, mark: str, lines: list[tuple[str, str]]) -> None:
        gold = [mark.join(pair) for pair in lines]
        assert not doubt(gold, gold)

    @given(st.lists(st.text("ab1,;| ", min_size=1, max_size=4).filter(str.strip), max_size=12))
    def test_a_line_that_is_no_row(self, lines: list[str]) -> None:
        assert "is a row" not in doubt(["pos", *lines], ["pos", *lines])


class TestStrangers:
    GOLD = file_of("gold", ["a", "b"] * 3)
    SYSTEM = file_of("sys", ["a", "b", "foo", "b", "bar", "foo"])

    def test_labels_that_are_no_class_are_said(self) -> None:
        notes = classification.score([self.SYSTEM, self.GOLD], [self.GOLD], ["macro-f1"]).notes
        assert notes == (
            "sys: 3 of 6 labels are no class of gold ('foo', 'bar'): in its macro-F1 they count "
            "as classes of their own",
        )
        assert classification.score([self.SYSTEM], [self.GOLD], ["accuracy"]).notes == ()

    def test_they_are_classes_of_their_own(self, tmp_path: Path) -> None:
        for source in (self.GOLD, self.SYSTEM):
            (tmp_path / source.name).write_text(source.text)
        files = [tmp_path / "sys", tmp_path / "gold"]
        scores = bt.read(*files, ref=tmp_path / "gold", metric="macro-f1")
        metric = resolve("macro-f1", scores.columns)
        found = [metric.score(scores.values[:, k]) for k in range(2)]
        # a: 2 * 1 / (1 + 3), b: 2 * 2 / (2 + 3), and 0 for foo and bar
        assert found == pytest.approx([(0.5 + 0.8 + 0 + 0) / 4, 1])
