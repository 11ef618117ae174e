"""Rows that quotation marks merge, ids taken for counts, numbers taken for names: refused."""

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from reading_ways import advised, counted

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.readers.sources import read
from betterthan.readers.tables import swallowed

Write = Callable[[str, str], Path]
LOST = "look like rows of the table that it swallows"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return written


def rows_of(*texts: str, sep: str = ",", end: str = "\n") -> str:
    """Text cells as they are, between ids and scores that differ."""
    lines = [f"q{k}{sep}{text}{sep}{k % 2}{sep}1" for k, text in enumerate(texts)]
    return end.join([f"item{sep}token{sep}base{sep}new", *lines]) + end


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("sep", [",", "\t"])
@pytest.mark.parametrize(
    ("texts", "line", "lines"),
    [
        (["He", "said", '"', "yes", '"', "."], 4, 3),
        (['"', '"', "a"], 2, 2),
        (["a", '"', '"'], 3, 2),
        (['"', '"'], 2, 2),  # no other row is left
        (["a", '"yes', "b", 'no"', "c"], 3, 3),
        (['"5" disk"', '"b"', '"6" disk"', '"c"'], 2, 3),  # quoted, marks not doubled
        (['"""', '"""', '"b"', '"c"'], 2, 2),  # the same
    ],
)
@pytest.mark.parametrize("block", [7, swallowed.BLOCK])
def test_swallowed_rows_are_refused(
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[str],
    line: int,
    lines: int,
    sep: str,
    end: str,
    block: int,
) -> None:
    monkeypatch.setattr(swallowed, "BLOCK", block)
    path = write("t.tsv" if sep == "\t" else "t.csv", rows_of(*texts, sep=sep, end=end))
    for take in (read, counted):
        with pytest.raises(
            FormatError, match=f"line {line} begins a cell of {lines} lines.*{LOST}"
        ):
            take(path)


def test_a_text_in_the_last_column_swallows_too(write: Write) -> None:
    text = 'item,base,new,token\n1,0,1,"\n2,1,1,b\n3,0,0,"\n4,1,1,c\n'
    with pytest.raises(FormatError, match=f"line 2 begins a cell of 3 lines.*{LOST}"):
        read(write("t.csv", text))


ANSWERS = [
    "Sure:\nname,age,city,zip\nBob,5,3,Rome\nAnn,6,2,Oslo",
    "a,b,c,d\n1,2,3,4",
    "July 4, 1776, 1\nYes, it was, 1",
    "One,\ntwo,\nthree",
    'He said "yes",\n\nand "no".',
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "1\t2\n3\t4",
    '"\n"',
]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_answers_of_several_lines_are_read(write: Write, quoting: int, place: int) -> None:
    made = io.StringIO()
    out = csv.writer(made, quoting=quoting)  # type: ignore[arg-type]
    rows: list[list[object]] = [["item", "base", "new"], *([f"q{k}", k % 2, 1] for k in range(9))]
    for k, row in enumerate(rows):
        out.writerow([*row[:place], "answer" if k == 0 else [*ANSWERS, "x"][k - 1], *row[place:]])
    path = write("t.csv", made.getvalue())
    assert read(path).n == bt.read(path, items=False).n == 9


def test_what_is_in_doubt_is_read_where_every_text_is_quoted(write: Write) -> None:
    cell = '"b,0,1\nq7,c"'  # one cell, or the ends of two rows
    with pytest.raises(FormatError, match="put every text cell in quotation marks"):
        read(write("t.csv", rows_of("a", cell, "d", "e")))
    assert read(write("t.csv", rows_of('"a"', cell, '"d"', '"e"'))).n == 4
    ids = rows_of("a", cell, "d", "e").replace("\nq", '\n"q').replace("q0", 'q0"')
    ids = ids.replace('"q1', '"q1"').replace('"q2', '"q2"').replace('"q3', '"q3"')
    with pytest.raises(FormatError, match=r"quotation marks|swallows"):
        read(write("t.csv", ids))  # ids are quoted, texts are not


def test_whatever_is_written_is_read_or_refused(write: Write) -> None:
    """Words as they are, marks and all: as many rows as lines, or none."""
    rng, read_ones = random.Random(5), 0
    for _ in range(300):
        words = rng.choices(
            ["a", '"', 'b"', '"c', '"d"', 'e"f', '""'], [30, 1, 1, 1, 2, 1, 1], k=12
        )
        path = write("t.csv", rows_of(*words))
        try:
            assert read(path).n == len(words), words
            read_ones += 1
        except FormatError:
            pass
    assert 30 < read_ones < 270


def test_properly_written_marks_are_read(write: Write) -> None:
    words = ["a", '"', "b", '"', 'c"', '"d']
    made = io.StringIO()
    csv.writer(made).writerows(
        [["item", "token", "base", "new"], *([k, word, k % 2, 1] for k, word in enumerate(words))]
    )
    path = write("t.csv", made.getvalue())
    assert read(path).n == bt.read(path, items=False).n == 6


def test_ids_are_not_counts(write: Write) -> None:
    scores = [1, 0, 1, 1, 0, 1, 1]
    rng = random.Random(1)
    for first in (
        range(1, 8),
        range(7),
        rng.sample(range(100, 107), 7),
        [9, 40, 12, 77, 3, 51, 60],
    ):
        path = write("t.csv", "".join(f"{i},{s}\n" for i, s in zip(first, scores, strict=True)))
        with pytest.raises(FormatError, match="looks like ids of items") as caught:
            read(path)
        assert advised(caught) == [("input_format", "counts")]
        assert read(path, input_format="counts").systems == ("first", "second")
        named = bt.read(path, columns={"item": "column_1"}, input_format="csv(header=no)")
        assert named.n == 7
        assert named.of(named.systems[0]).ravel().tolist() == scores


@pytest.mark.parametrize(
    "text",
    [
        "8,6\n5,5\n3,4\n",
        "1,1\n2,1\n",  # too few to tell
        "8,6\n5,5\n8,4\n7,7\n2,3\n9,9\n1,0\n",  # 8 twice
        "1,2\n2,1\n3,4\n4,3\n5,6\n6,5\n",  # both count
        "812,800\n640,641\n77,70\n512,500\n90,70\n33,30\n18,17\n",  # large documents
    ],
)
def test_counts_are_counts(write: Write, text: str) -> None:
    scores = read(write("t.csv", text))
    assert scores.systems == ("first", "second")
    assert scores.n == text.count("\n")


def test_numbers_that_pandas_gives_columns_are_no_data(tmp_path: Path) -> None:
    path, other = tmp_path / "t.csv", tmp_path / "u.csv"
    pd.DataFrame([[k % 2, k % 3 // 2] for k in range(40)]).to_csv(path, index=False)
    with pytest.raises(FormatError, match=r"is line 1 \('0', '1'\) data") as caught:
        read(path)
    forms: list[str] = [str(value) for _, value in advised(caught)]
    assert forms == ["counts", "csv(header=no)"]
    assert [read(path, input_format=form).n for form in forms] == [41, 41]
    for k, one in enumerate([path, other]):
        pd.Series([(i + k) % 2 for i in range(40)]).to_csv(one, index=False)
    with pytest.raises(FormatError, match=r"is line 1 \('0'\) data"):
        read(path, other)
    assert bt.read(path, other, input_format="csv(header=no)").n == 41
    other.write_text(other.read_text().replace("0\n", "1\n", 1))  # no name, so that neither has one
    assert read(path, other).n == 41


@pytest.mark.parametrize("cell", ["", '""'])
def test_a_line_of_separators_is_refused_before_it_is_a_table(
    write: Write, monkeypatch: pytest.MonkeyPatch, cell: str
) -> None:
    def parsed(*_: object) -> None:
        raise AssertionError("this takes long")

    monkeypatch.setattr("betterthan.readers.tables.delimited._parsed", parsed)
    with pytest.raises(FormatError, match=r"line 1 has 100,001 fields and no names in 100,001"):
        read(write("t.csv", f"{cell}," * 100_000))
    with pytest.raises(FormatError, match=r"line 1 holds 100,000 numbers and no names"):
        read(write("t.csv", ",".join("1" * 100_000)))
    wide = ",".join(f"s{k}" for k in range(20_000)) + "\n" + ",".join("1" * 20_000)
    with pytest.raises(FormatError, match="20,000 columns on 1 row") as caught:
        read(write("t.csv", wide))
    assert advised(caught)[:2] == [("input_format", "transposed"), ("input_format", "wide")]


def test_records_inside_of_an_object_are_pointed_at(write: Write) -> None:
    records = [{"id": k, "a": k % 2, "b": 1} for k in range(4)]
    for whole in ({"results": records}, {"model": "x", "results": records, "n": 4}):
        with pytest.raises(FormatError, match=r"under 'results': .*jq '.\[\"results\"\]'"):
            read(write("t.json", json.dumps(whole)))
    columns = {"id": [1, 2], "a": [0, 1], "b": [1, 1], "meta": [{"x": 1}, {"x": 2}]}
    assert read(write("t.json", json.dumps(columns))).n == 2
    with pytest.raises((FormatError, UsageError)):
        read(write("t.json", json.dumps({"results": []})))
