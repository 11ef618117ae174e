"""Rows of an id and a label are refused, and what the refusal says to do is right."""

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from betterthan.errors import FormatError
from betterthan.metrics import resolve
from betterthan.readers.outputs.scoring import read_outputs
from betterthan.tasks import classification
from betterthan.tasks.sources import Source
from conftest import Run

Command = Callable[..., Run]
MARKS = ["\t", ",", ";", "|"]
GOLD = ["pos", "neg", "pos", "neg", "pos", "neg"]
SAID = ["pos", "pos", "pos", "neg", "pos", "neg"]


def file_of(name: str, lines: Sequence[str]) -> Source:
    return Source(name, "".join(f"{line}\n" for line in lines))


def check(said: Sequence[str], gold: Sequence[str]) -> None:
    classification.check_related([file_of("sys", said)], [file_of("gold", gold)])


def rows(ids: Sequence[object], labels: Sequence[str], mark: str, header: str = "") -> list[str]:
    """Write rows, below a header if there is one."""
    lines = [f"{name}{mark}{label}" for name, label in zip(ids, labels, strict=True)]
    return [header.replace(",", mark), *lines] if header else lines


class TestRefused:
    @pytest.mark.parametrize("mark", MARKS)
    @pytest.mark.parametrize("header", ["", "id,label", "PassengerId,Survived", ",label", "row,y"])
    @pytest.mark.parametrize(
        "ids", [range(6), range(892, 898), [f"test_{k * k}" for k in range(6)]]
    )
    def test_rows(self, mark: str, header: str, ids: Sequence[object]) -> None:
        at = 2 if header else 1
        with pytest.raises(FormatError, match=rf"^gold, line {at} \(.*\) is a row of an id and"):
            check(rows(ids, SAID, mark, header), rows(ids, GOLD, mark, header))

    def test_four_rows_that_count(self) -> None:
        with pytest.raises(FormatError, match=r"as with cut -d, -f2 FILE > FILE.labels"):
            check(rows(range(4), SAID[:4], ","), rows(range(4), GOLD[:4], ","))

    def test_numbers_that_do_not_count_below_a_header(self) -> None:
        ids = [17, 4, 99, 23, 8, 15]
        with pytest.raises(FormatError, match="is a row"):
            check(rows(ids, list("101010"), ",", "Id,y"), rows(ids, list("101110"), ",", "Id,y"))

    def test_ids_without_digits_that_all_files_share(self) -> None:
        ids = ["ann", "bob", "cat", "dan", "eve", "flo"]
        with pytest.raises(FormatError, match="is a row"):
            check(rows(ids, SAID, ",", "id,label"), rows(ids, GOLD, ",", "id,label"))

    def test_rows_beside_plain_labels(self) -> None:
        with pytest.raises(FormatError, match=r"^gold, line 1 .*as with cut -d, -f2 FILE"):
            check(SAID, rows(range(6), GOLD, ","))

    def test_quoted_cells(self) -> None:
        gold = ['"","label"', *(f'"{k}","{label}"' for k, label in enumerate(GOLD, start=1))]
        with pytest.raises(FormatError, match="is a row"):
            check(gold, gold)

    def test_a_column_between(self) -> None:
        gold = ["id,text,label", *(f"{k},it is,{label}" for k, label in enumerate(GOLD))]
        with pytest.raises(FormatError, match="cut -d, -f3"):
            check(gold, gold)

    def test_answers_with_commas_below_a_header(self) -> None:
        gold = ["id,answer", "1,Paris, France", "2,Rome", "3,Bonn"]
        with pytest.raises(FormatError, match="cut -d, -f2- > FILE"):
            check(gold, gold)

    def test_other_ids(self) -> None:
        with pytest.raises(FormatError, match="sys lacks the id '0' of gold: give all files the"):
            check(rows(range(1, 7), SAID, ","), rows(range(6), GOLD, ","))


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
        check(gold, gold)

    @given(
        st.sampled_from(MARKS),
        st.lists(st.tuples(*[st.sampled_from("abc012")] * 2), min_size=7, max_size=40),
    )
    def test_several_labels_of_a_few(self, mark: str, lines: list[tuple[str, str]]) -> None:
        gold = [mark.join(pair) for pair in lines]
        check(gold, gold)

    @given(st.lists(st.text("ab1,;| ", min_size=1, max_size=4).filter(str.strip), max_size=12))
    def test_any_lines_are_refused_with_a_reason_or_not_at_all(self, lines: list[str]) -> None:
        try:
            check(["pos", *lines], ["pos", *lines])  # no row
        except FormatError as error:
            pytest.fail(f"{lines}: {error}")


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(MARKS),
    st.sampled_from(["", "id,label"]),
    st.integers(4, 30),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_the_command_of_the_refusal_leaves_the_labels(
    tmp_path: Path, mark: str, header: str, n: int, shuffled: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first = int(rng.integers(0, 100))
    labels = rng.choice(["pos", "neg", "not sure"], (2, n)).tolist()
    files = [tmp_path / "gold.txt", tmp_path / "sys.txt"]
    for path, its in zip(files, labels, strict=True):
        order = rng.permutation(n) if shuffled else np.arange(n)
        lines = rows([first + k for k in order], [its[k] for k in order], mark, header)
        path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(FormatError) as refused:
        read_outputs([files[1]], gold=files[0], metric="accuracy")
    told = re.search(r"as with (.*) for each", str(refused.value))
    assert told is not None
    for path in files:
        subprocess.run(told[1].replace("FILE", str(path)), shell=True, check=True)
    plain = [f"{path}.labels" for path in files]
    scores = read_outputs([plain[1]], gold=plain[0], metric="accuracy", unchecked=True)
    assert scores.values.sum() == sum(a == b for a, b in zip(*labels, strict=True))
    assert scores.n == n


def test_by_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("id,label\n1,pos\n2,neg\n3,pos\n4,neg\n")
    Path("base.csv").write_text("id,label\n1,pos\n2,pos\n3,pos\n4,neg\n")
    Path("new.csv").write_text("id,label\n4,neg\n3,pos\n2,neg\n1,pos\n")
    words = ["compare", "-m", "accuracy", "--gold", "gold.csv", "base.csv", "new.csv"]
    run = betterthan(*words)
    assert run.code == 4
    assert "gold.csv, line 2 ('1,pos') is a row of an id and a label" in run.err
    assert "tail -n +2 FILE | sort -t, -k1,1 | cut -d, -f2 > FILE.labels" in run.err
    assert "--unchecked" in run.err
    assert betterthan(*words, "--unchecked").code == 0


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
        scores = read_outputs(files, gold=tmp_path / "gold", metric="macro-f1")
        metric = resolve("macro-f1", scores.columns)
        found = [metric.score(scores.values[:, k]) for k in range(2)]
        # a: 2 * 1 / (1 + 3), b: 2 * 2 / (2 + 3), and 0 for foo and bar
        assert found == pytest.approx([(0.5 + 0.8 + 0 + 0) / 4, 1])
