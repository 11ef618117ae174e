"""Bytes of tables: every way to write one reads the same, and faults name their line."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.errors import BadValueError, BetterthanError, FormatError, MissingScoresError
from betterthan.tables.names import KNOWN
from conftest import Run

DECLARED = {
    "csv(header=no)": (
        b"x,0,1\ny,1,1\nz,0,0\n",
        ("column_2", "column_3"),
        [[0, 1], [1, 1], [0, 0]],
    ),
    "csv(header=yes)": (b"item,1,2\nx,0,1\ny,1,1\n", ("1", "2"), [[0, 1], [1, 1]]),
}


@pytest.mark.parametrize("form", DECLARED)
def test_what_is_declared_of_a_file(form: str, tmp_path: Path) -> None:
    content, systems, values = DECLARED[form]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    for source in (path, f"file://{path}"):
        scores = bt.read(source, input_format=form)
        assert scores.systems == systems
        assert scores.values[:, :, 0].tolist() == values


@pytest.mark.parametrize("items", [True, False])
def test_no_line_of_an_address_is_lost(items: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,1\n1,1\n0,0\n")
    with pytest.raises(FormatError) as caught:
        bt.read(f"file://{path}", items=items)
    remedy = caught.value.remedy
    assert remedy is not None
    declared: dict[str, Any] = {str(remedy.parameter): remedy.value}
    assert bt.read(f"file://{path}", items=items, **declared).n == 3


MATRICES = {
    "model": "model,{ids}\n{rows}",
    "name": "name,{ids}\n{rows}",
    "no name": ",{ids}\n{rows}",
    "no header": "{rows}",
}


@pytest.mark.parametrize("header", MATRICES)
def test_a_matrix_with_a_row_per_system_is_read_as_its_error_says(
    header: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    values = {"a": [0, 1, 1] * 4, "b": [1, 0, 1] * 4, "c": [1, 1, 0] * 4}
    rows = "\n".join(f"{name},{','.join(map(str, x))}" for name, x in values.items())
    path.write_text(MATRICES[header].format(ids=",".join(map(str, range(12))), rows=rows))
    form: str | None = None
    for _ in range(2):  # what the error offers
        with pytest.raises(FormatError) as caught:
            bt.read(path, input_format=form)
        offered = [str(x.value) for x in caught.value.remedies if x.parameter == "input_format"]
        turned = [x for x in offered if "transposed" in x]
        form = next(iter([*turned, *offered[:: 1 if header == "no header" else -1]]))
        if turned:
            break
    scores = bt.read(path, input_format=form)
    assert scores.systems == ("a", "b", "c")
    assert scores.values[:, :, 0].T.tolist() == [*values.values()]


@pytest.mark.parametrize("header", ["item,q1,q2", "score,q1,q2", "model,item,score"])
def test_names_in_a_matrix_are_not_roles(header: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\na,0,1\nb,1,1\n")
    scores = bt.read(path, input_format="csv(transposed=yes)")
    assert (scores.systems, scores.n) == (("a", "b"), 2)
    assert scores.values[:, :, 0].T.tolist() == [[0, 1], [1, 1]]


def test_the_counts_of_the_released_program(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("8,2,6,1\n5,0,5,3\n9,1,2,2\n")
    scores = bt.read(path)
    assert scores.systems == ("first", "second")
    assert scores.columns == ("tp", "incorrect")
    assert scores.values.tolist() == [[[8, 2], [6, 1]], [[5, 0], [5, 3]], [[9, 1], [2, 2]]]


# A file, the type of the error, what its message names, and the parameter of its first remedy.
FAULTS: list[tuple[str, bytes, type[BetterthanError], str, str | None]] = [
    ("t.csv", b"", FormatError, "empty", None),
    ("t.csv", b"id,a,b\n", FormatError, "no rows", None),
    ("t.json", b"[]", FormatError, "no rows", None),
    ("t.csv", b"id,a,b\nq1,1,0\nq2,0\n", FormatError, "line 3", None),
    ("t.csv", b"# by us\nid,a,b\nq1,1,0\n", FormatError, "line 2", "ref"),
    ("t.csv", b"id,a,b\nq1,1,0\nq2,0,1,5\n", FormatError, "line 3", None),
    ("t.csv", b'id,a,b\n"q\n1",1,0\nq2,0\n', FormatError, "line 4", None),
    ("t.csv", b'id,a,b\n"q1,1,0\nq2,0,1\n', FormatError, "line 2", None),
    ("t.csv", b'id,a,b\nq1,"1\nq2,0,0\nq3,"1,1\nq4,0,0\n', FormatError, "line", None),
    ("t.csv", b"id,a,a\nq1,1,0\n", FormatError, "'a'", None),
    ("t.csv", b"id,a,b\nq1,1,0\nq\xff2,0,1\n", FormatError, "line 3", None),
    ("t.csv", b"\x00\x01\x02", FormatError, "binary", None),
    ("t.xlsx", b"PK\x03\x04junk", FormatError, "spreadsheet", None),
    ("t.parquet", b"PAR1junk", FormatError, "Parquet", None),
    ("t.csv", b'{"id":1,"a":2}\n', FormatError, "json", "input_format"),
    ("t.parquet", b"id,a,b\nq1,1,0\n", FormatError, "csv", "input_format"),
    ("t.jsonl", b'{"id":1,"a":2}\n{"id":2,"a"', FormatError, "line 2", None),
    ("t.jsonl", b'{"id":1,"a":2}\n[1,2]\n', FormatError, "line 2", None),
    ("t.jsonl", b'{"id":1,"a":2}\n\n{"id":2,"a":1,"a":0}\n', FormatError, "line 3", None),
    ("t.json", b'{"id":[1,2],"a":[1,2],"a":[0,0]}', FormatError, "'a'", None),
    ("t.json", b'{"samples":[1,2],"status":"ok"}', FormatError, "'samples'", None),
    ("t.csv", b"q1,0.5\nq2,0.7\n", FormatError, "line 1", "input_format"),
    ("t.csv", b"1,2,3\n4,5,6\n", FormatError, "line 1", "input_format"),
    ("t.csv", b"id;a;b\n1;0,5;0,7\n2;0,1;1\n", FormatError, "'a'", "input_format"),
    ("t.csv", b"id,a,b\nx,1,0\ny,oops,1\nz,1,1\n", BadValueError, "line 3", "columns"),
    ("t.csv", b"\n\nid,a,b\nx,1,0\ny,oops,1\nz,1,1\n", BadValueError, "line 5", "columns"),
    ("t.csv", b"id,a,b\nx,9007199254740993,1\ny,2,1\n", BadValueError, "2^53", None),
    ("t.csv", b"id,a,b\nx,1,0\ny,inf,1\nz,1,1\n", BadValueError, "infinite", None),
    ("t.csv", b"id,a,b\nx,1,0\ny,n/a,1\nz,1,1\n", MissingScoresError, "'y'", "missing"),
    ("t.csv.gz", b"\x1f\x8bjunk", FormatError, "damaged", None),
]


@pytest.mark.parametrize("items", [True, False])
@pytest.mark.parametrize(("name", "content", "kind", "word", "parameter"), FAULTS)
def test_faults_name_their_place(
    items: bool,
    name: str,
    content: bytes,
    kind: type[BetterthanError],
    word: str,
    parameter: str | None,
    tmp_path: Path,
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(kind) as caught:
        bt.read(path, items=items)
    assert word in caught.value.message
    remedy = caught.value.remedy
    assert parameter == (remedy.parameter if remedy else None)


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
)


@given(st.lists(CELLS, min_size=2, max_size=12, unique_by=str.strip), st.sampled_from(",\t;"))
def test_any_ids_come_back(ids: list[str], separator: str) -> None:
    import tempfile

    frame = pl.DataFrame({"item": ids, "a": range(len(ids)), "b": [0] * len(ids)})
    ids = [x for x in ids if x.strip()]
    frame = frame.filter(pl.col("item").str.strip_chars() != "")
    if len(ids) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        frame.write_csv(path, separator=separator)
        scores = bt.read(path, columns={"item": "item"}, systems=["a", "b"])
    assert list(scores.items or ()) == [x.removesuffix(".0") for x in ids] or scores.n == len(ids)


PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```csv\n(.*?)```\n\n`(.*?)`\n", PAGE, re.DOTALL)


@pytest.mark.parametrize(("table", "options"), EXAMPLES)
def test_tables_of_the_documentation(table: str, options: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table)
    assert bt.read(path).source.startswith(f"t.csv · {options} · ")


def test_inspect_and_the_documentation_list_the_known_names(
    tmp_path: Path, betterthan: Callable[..., Run]
) -> None:
    assert len(EXAMPLES) == 10
    (tmp_path / "t.csv").write_text(EXAMPLES[0][0])
    shown = betterthan("inspect", str(tmp_path / "t.csv")).out
    for role, names in KNOWN.items():
        rows = [
            line for line in PAGE.splitlines() if re.match(rf"\|[\w, ]*\b{role}\b[\w, ]*\|", line)
        ]
        assert all(f"`{name}`" in "".join(rows) for name in names)
        assert f"{' '.join(names)}\n" in shown
