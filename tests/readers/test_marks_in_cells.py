"""Quotation marks that are part of the text, names of rows that R writes, comments above names."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_ways import counted

import betterthan as bt
from betterthan.data.frames.reader_options import Options
from betterthan.errors import BadValueError, FormatError
from betterthan.readers.tables import swallowed
from betterthan.readers.tables.table_files import frame_of
from conftest import Run

Command = Callable[..., Run]
TAKES: list[Callable[..., object]] = [bt.read, counted]
SEPARATORS = [("t.tsv", "\t"), ("t.csv", ","), ("t.txt", ";")]
TEXTS = {
    "one": ["ok", 'a 5" pipe', "ok", "ok"],
    "two": ["ok", 'a 5" pipe', 'a 6" pipe', "ok"],
    "words behind": ["ok", '"Hi" she said', "ok", "ok"],
    "both": ['a 5" pipe', '"Hi" she said', 'he said "no"', '"a" or "b"'],
    "blanks before": ["ok", '  "Hi" she said', "ok", 'a 5" é'],
    "wrapped": ['"Yes."', '"Hi" she said', "ok", "ok"],
    "many bytes": ["ok", 'für 5" Röhren 你好', "naïve", 'é"'],
    "at the end": ["ok", 'a"', 'b""', "ok"],
}
BASE, NEW = [0, 1, 0, 1], [1, 1, 1, 0]


def table(texts: list[str], sep: str, end: str = "\n") -> str:
    rows = zip(range(1, 5), texts, BASE, NEW, strict=True)
    lines = [sep.join(map(str, row)) for row in rows]
    return end.join([sep.join(["id", "text", "base", "new"]), *lines])


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("last", ["", "end"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "sep"), SEPARATORS)
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("block", [7, swallowed.BLOCK])
def test_marks_in_cells_are_text(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    sep: str,
    texts: list[str],
    end: str,
    last: str,
    block: int,
) -> None:
    monkeypatch.setattr(swallowed, "BLOCK", block)
    text = table(texts, sep, end) + (end if last else "")
    path = put(tmp_path / name, text)
    frame, _ = frame_of(path, Options(), as_text=True)
    names, *rows = csv.reader(io.StringIO(text), delimiter=sep, quoting=csv.QUOTE_NONE)
    assert frame.columns == names
    assert [[*row] for row in frame.iter_rows()] == rows
    scores = bt.read(path)
    assert scores.systems == ("base", "new")
    assert scores.of("base").ravel().tolist() == BASE
    assert scores.of("new").ravel().tolist() == NEW
    if name != "t.txt":
        tally = bt.read(path, items=False)
        assert (tally.n, tally.systems) == (4, scores.systems)
        assert bt.compare(tally).pvalue == bt.compare(scores).pvalue


def test_the_command_line_reads_them(tmp_path: Path, betterthan: Command) -> None:
    path = put(tmp_path / "t.tsv", table(TEXTS["one"], "\t"))
    run = betterthan("compare", str(path))
    assert run.code != 4
    assert "4 items" in run.out + run.err


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize(
    "texts",
    [
        ["ok", '"Hi" she said', '"a, b"', "ok"],  # a separator inside of a quoted cell
        ["ok", '"Hi" she said', '"a ""b"" c"', "ok"],  # doubled marks
        ["ok", '"Hi" she said', '"a\nb"', "ok"],  # two lines
        ["ok", '"Hi" she said', '"5"', "ok"],  # a number
        ["ok", '"Hi" she said', '""', "ok"],  # nothing
        ["ok", '"Hi" she said, he said', "a", "ok"],  # a field more
        ["ok", '"Hi she said', "a", "ok"],
        ["ok", '"', 'a 5" pipe', "ok"],
    ],
)
def test_what_may_be_quoted_is_not_taken_for_text(
    tmp_path: Path, take: Callable[..., object], texts: list[str]
) -> None:
    with pytest.raises(FormatError):
        take(put(tmp_path / "t.csv", table(texts, ",")))


def test_quoted_names_speak_for_quoting(tmp_path: Path) -> None:
    text = table(TEXTS["words behind"], "\t").replace("id\t", '"id"\t', 1)
    for take in TAKES:
        with pytest.raises(FormatError):
            take(put(tmp_path / "t.tsv", text))


@pytest.mark.parametrize("sep", [",", "\t"])
def test_quoted_cells_are_unquoted(tmp_path: Path, sep: str) -> None:
    texts = ['say "no"', f"a{sep}b", "two\nlines", 'a 5" pipe']
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
        made = io.StringIO()
        out = csv.writer(made, delimiter=sep, quoting=quoting)
        out.writerow(["id", "text", "base", "new"])
        out.writerows(zip("abcd", texts, BASE, NEW, strict=True))
        path = put(tmp_path / ("t.csv" if sep == "," else "t.tsv"), made.getvalue())
        frame, _ = frame_of(path, Options(), as_text=True)
        assert frame["text"].to_list() == texts
        assert bt.read(path, items=False).n == 4


def test_parts_are_scanned_by_their_own_marks(tmp_path: Path) -> None:
    first = put(tmp_path / "1.csv", table(TEXTS["two"], ","))
    text = table(["ok", '"a, b"', '"c ""d"""', "ok"], ",")
    for k in range(1, 5):
        text = text.replace(f"\n{k},", f"\n{k + 4},")
    put(tmp_path / "2.csv", text)
    tally = bt.read(str(tmp_path / "*.csv"), items=False)
    assert tally.n == 8
    first.rename(tmp_path / "3.csv")
    assert bt.read(str(tmp_path / "*.csv"), items=False).n == 8
    put(tmp_path / "2.csv", text.replace('"', "").replace("a, b", "a"))
    assert bt.read(str(tmp_path / "*.csv"), items=False).n == 8


def test_a_line_behind_marks_is_named(tmp_path: Path) -> None:
    text = table(TEXTS["words behind"], "\t").replace("4\tok\t1", "4\tok\tx")
    with pytest.raises(BadValueError, match=r"'x' in line 5"):
        bt.read(put(tmp_path / "t.tsv", text), columns={"score": ["base", "new"]})
    for short in ("5\ta", '5\ta "b'):
        with pytest.raises(FormatError, match="line 6 has 2 fields where line 1 has 4"):
            bt.read(put(tmp_path / "t.tsv", f"{table(TEXTS['one'], chr(9))}\n{short}\n"))
        with pytest.raises(FormatError, match="the last line has 2 fields where line 1 has 4"):
            bt.read(put(tmp_path / "t.tsv", f"{table(TEXTS['one'], chr(9))}\n{short}"), items=False)


def test_judgments_with_marks_in_cells(tmp_path: Path) -> None:
    rows = ["model_a\tmodel_b\twinner\tprompt", 'x\ty\tmodel_a\ta 5" pipe', "y\tx\tmodel_a\tb"]
    path = put(tmp_path / "t.tsv", "\n".join(rows))
    assert bt.read(path).n == bt.read(path, items=False).n == 2


CELL = st.text('a" é.', max_size=6).filter(lambda cell: not cell.lstrip().startswith('"'))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    cells=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8),
    marked=CELL.filter(lambda cell: '"' in cell),
    sep=st.sampled_from([",", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
    block=st.integers(1, 50),
)
def test_cells_without_quoting_are_read_as_they_are(
    tmp_path: Path, cells: list[tuple[str, str]], marked: str, sep: str, end: str, block: int
) -> None:
    rows = [(str(k), *pair, "1", "0") for k, pair in enumerate([*cells, (marked, "a")])]
    lines = [sep.join(row) for row in [("id", "text", "more", "base", "new"), *rows]]
    path = put(tmp_path / ("t.csv" if sep == "," else "t.tsv"), end.join(lines) + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swallowed, "BLOCK", block)
        frame, _ = frame_of(path, Options(), as_text=True)
    found = [tuple(cell or "" for cell in row) for row in frame.iter_rows()]
    assert found == rows
    assert bt.read(path, columns={"item": "id"}, items=False, systems=["base", "new"]).n == len(
        rows
    )


R_ROWS = ['"base"\t"new"', '"1"\t0\t1', '"2"\t1\t1', '"3"\t0\t0']


@pytest.mark.parametrize("take", TAKES)
def test_names_of_rows_that_r_writes(tmp_path: Path, take: Callable[..., object]) -> None:
    for text in (
        "\n".join(R_ROWS),
        "\r\n".join(R_ROWS) + "\r\n",
        "\n".join(R_ROWS).replace('"', ""),
    ):
        with pytest.raises(
            FormatError,
            match=r"line 1 has 2 names and the lines after it have 3 fields, as R writes .*: put a "
            r"name in front of line 1.*col\.names = NA",
        ):
            take(put(tmp_path / "t.tsv", text))


@pytest.mark.parametrize("front", ['""', '"item"', "item"])
def test_the_remedies_for_names_of_rows_help(tmp_path: Path, front: str) -> None:
    path = put(tmp_path / "t.tsv", "\n".join([f"{front}\t{R_ROWS[0]}", *R_ROWS[1:]]))
    scores = bt.read(path)
    assert scores.systems == ("base", "new")
    assert scores.of("base").ravel().tolist() == [0, 1, 0]
    assert scores.of("new").ravel().tolist() == [1, 1, 0]
    if front != '""':  # no engine scans a column without a name
        assert bt.read(path, items=False).n == 3


def test_other_lines_with_a_field_more_are_not_of_r(tmp_path: Path) -> None:
    for rows in (["q1,1,0,5", "q2,0,1"], ["q1,1,0", "q2,0,1,5"], ["q1,1,0,", "q2,0,1,"]):
        with pytest.raises(FormatError, match=r"has 4 fields where line 1 has 3"):
            bt.read(put(tmp_path / "t.csv", "\n".join(["id,a,b", *rows])))
    with pytest.raises(FormatError, match=r"line 2 has 4 fields where line 1 has 3"):
        bt.read(put(tmp_path / "t.csv", "1,1,0\n2,1,1,1\n3,1,1,1\n"), input_format="csv(header=no)")


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "sep"), SEPARATORS[:2])
def test_comments_above_the_names(
    tmp_path: Path, take: Callable[..., object], name: str, sep: str, end: str
) -> None:
    body = table(["a"] * 4, sep, end) + end
    path = put(tmp_path / name, f"# run 2026-01-01{end}{body}")
    with pytest.raises(FormatError, match=r"line 1 is a comment .*2026-01-01.*: remove it$"):
        take(path)
    put(path, f"# run 2026-01-01{end}#{end}{body}")
    with pytest.raises(FormatError, match=r"lines 1 to 2 are comments .*: remove them$"):
        take(path)
    put(path, f"#{body}")  # a name
    assert take(path, columns={"item": "#id"})


def test_a_name_or_word_with_a_sharp_is_no_comment(tmp_path: Path) -> None:
    assert bt.read(put(tmp_path / "t.csv", "#score\n0.5\n1\n")).n == 2
    rows = pl.DataFrame({"#": ["q1", "q2"], "a": [1, 0], "b": [1, 1]})
    rows.write_csv(tmp_path / "t.csv")
    assert bt.read(tmp_path / "t.csv").n == bt.read(tmp_path / "t.csv", items=False).n == 2
