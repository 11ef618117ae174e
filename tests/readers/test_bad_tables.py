"""Files that cannot be read: the message names the file, the place and the remedy."""

import gzip
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_ways import advised, counted

from betterthan.errors import AlignmentError, BadValueError, DataError, FormatError, UsageError
from betterthan.readers.sources import read
from betterthan.readers.tables.odd_json import refuse_repeated

ROWS = "id,a,b\nq1,1,0\nq2,0,1\n"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", b"", "t.csv is empty"),
        ("t.csv", b"\xef\xbb\xbf \n\n", "t.csv is empty"),
        ("t.csv", b"id,a,b\n", "t.csv has no rows"),
        ("t.json", b"[]", "t.json has no rows"),
        ("t.csv", b"id,a,b\nq1,1,0\nq2,0\nq3,1,1\n", "line 3 has 2 fields where line 1 has 3"),
        ("t.csv", b"id,a,b\nq1,1,0\nq2,0,1,5\n", "line 3 has 4 fields where line 1 has 3"),
        ("t.csv", b'id,a,b\n"q\n1",1,0\nq2,0\n', "line 4 has 2 fields where line 1 has 3"),
        ("t.csv", b"id,a,a\nq1,1,0\n", "line 1 names 'a' more than once"),
        ("t.csv", b"id,a,,b\nq1,1,0,1\n", "gives column 3 no name"),
        ("t.csv", b"id,a\nq1,1\nq\xff2,0\n", "line 3 holds bytes that are not UTF-8.*as UTF-8"),
        ("t.csv", b'id,a\n"q1,1\nq2,0\n', "line 2 has 1 field .*quotation marks"),
        ("t.csv", b'id\r",a\nq1,1\n', "line 1 may end after field 1 or 2.*line ends"),
        ("t.csv", b"\x00\x01\x02\x03", "binary file"),
        ("t.xlsx", b"PK\x03\x04junk", "binary file .*CSV, JSONL or Parquet"),
        ("t.parquet", b"PAR1junk", "damaged Parquet"),
        ("t.csv", b'{"id":1,"a":2}\n', "looks like json, not csv.*input_format=.json"),
        ("t.parquet", ROWS.encode(), "looks like text, not parquet.*input_format=.csv"),
        ("t.jsonl", ROWS.encode(), "looks like text, not jsonl"),
        ("t.csv", b"PAR1\x00\x00", "looks like parquet, not csv"),
        ("t.jsonl", b'{"id":1,"a":2}\n{"id":2,"a"', "line 2 is cut off: .*delete that line"),
        ("t.jsonl", b'{"id":1,"a":2}\n{"id":2,,}\n{"id":3}\n', r"line 2 is not JSON"),
        ("t.jsonl", b'{"id":1,"a":2}\n[1,2]\n', "line 2 is a list"),
        ("t.json", b'[{"id":1,"a":2},', "is not whole JSON"),
        (
            "t.jsonl",
            b'{"id":1,"a":2,"b":1,"b":0}\n{"id":2,"a":1,"b":1}\n',
            "line 1 gives 'b' 2 times",
        ),
        ("t.jsonl", b'{"id":1,"a":2}\n\n{"id" :2,"a" :1, "a" :1}\n', "line 3 gives 'a' 2 times"),
        (
            "t.jsonl",  # as jq writes it
            b'{\n "id": 1,\n "a": 2\n}\n{\n "id": 2,\n "a": 1,\n "a": 0\n}\n',
            "line 5 gives 'a' 2 times",
        ),
        ("t.json", b'[{"id":1,"a":2},{"id":2,"a":1,"a":0}]', "begins with 'id': '2'.* 'a' 2 times"),
        ("t.json", b'{"id":[1,2],"a":[1,2],"a":[0,0]}', "gives 'a' 2 times"),
        ("t.jsonl", b'{"id":1,"a":2}\n{"id":2,"a":NaN}\n', "line 2 holds NaN.*null"),
        ("t.json", b'[{"id":1,"a":2},{"id":2,"a":-Infinity}]', "holds -Infinity.*null"),
        ("t.json", b'{"id":{"0":"q1"},"a":{"0":1}}', "orient=.records."),
        ("t.csv", b"sep=;\nid;a;b\n1;1;0\n", "'sep=;'. tells Excel .*delete line 1"),
        ("t.csv", b"\xef\xbb\xbfsep=,\r\nid,a,b\r\n1,1,0\r\n", "'sep=,'. .*delete line 1"),
        ("t.json", b'{"samples":[1,2],"status":"ok"}', "a JSON object but no table"),
        ("t.csv", b"q1,0.5\nq2,0.7\n", "does line 1 .'q1', '0.5'. name the columns.*item,score"),
        ("t.jsonl", b'{"id":1}\n{"id":"\xff"}\n', "line 2 holds bytes that are not UTF-8"),
        ("t.csv", b"0.5,0.7\n1,1\n", "line 1 holds 2 numbers and no names: .*item,score"),
        ("t.csv", b"1,2,3,-4\n4,5,6,7\n", "line 1 holds 4 numbers and no names: .*item,score"),
        ("t.csv", b"id;a;b\n1;1,250;2,500\n", "writes numbers with commas .*'1,250' in line 2"),
        ("t.csv", b"id;a;b\n1;1.250,5;2,5\n", "writes numbers with commas .*'2,5' in line 2"),
        ("t.csv", b"id;a;b\n1;0,5;0.7\n", "writes numbers with commas .*'0,5' in line 2"),
        ("t.tsv", b"id\tspan\ta\n1\t3,17\t1\n", "writes numbers with commas .*'3,17' in line 2"),
        ("t.csv", b'id,a,b\n1,"0,5","0,7"\n', "writes numbers with commas .*'0,5' in line 2"),
        ("t.csv", b"1,2,3\n4,5,6\n", "line 1 holds 3 numbers and no names: .*item,score"),
        ("t.txt", b"a sentence of words\nand one with a comma, too\n", "is no table"),
        ("t.txt", b"a,b;c\n1,2;3\n", "by commas or by semicolons.*input_format="),
        ("t.csv.gz", b"\x1f\x8bjunk", "cannot read"),
        ("t.csv.gz", gzip.compress(ROWS.encode() * 9, mtime=0)[:-9], "cannot read"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=f"(?s){says}") as caught:
        read(path)
    assert name in str(caught.value)
    assert caught.value.exit_code == 4


@given(
    st.lists(
        st.dictionaries(
            st.text('a":\\ ', max_size=3),
            st.recursive(
                st.text('":\\ {', max_size=4) | st.integers(),
                lambda inner: (
                    st.lists(inner, max_size=2)
                    | st.dictionaries(st.text('":\\', max_size=2), inner, max_size=2)
                ),
                max_leaves=3,
            ),
            min_size=1,
            max_size=3,
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([(",", ":"), (", ", ": "), (",", " : "), (",", "\n:")]),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
def test_a_name_twice_is_always_found(
    records: Any, marks: Any, indent: int | None, twice: bool
) -> None:
    texts = [json.dumps(record, separators=marks, indent=indent) for record in records]
    if twice:
        name = json.dumps(next(iter(records[-1])))
        texts[-1] = f"{texts[-1][:-1]}{marks[0]}{name}{marks[1]}7}}"
    data = "\n".join(texts).encode()
    decoded = [json.loads(text) for text in texts]
    with pytest.raises(FormatError, match="2 times") if twice else nullcontext():
        refuse_repeated(decoded, data, "t.jsonl", "line")


def test_an_id_that_is_no_number_is_blank(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    ids = [float("nan"), *map(float, range(9))]
    pl.DataFrame({"id": ids, "a": [0, 1] * 5, "b": [1] * 10}).write_parquet(path)
    for way in (read, counted):
        with pytest.raises(AlignmentError, match=r"1 row has no item \(row 1\)"):
            way(path)


def test_a_scan_refuses_names_that_occur_twice(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"id":"1","a":1,"b":0}\n{"id":"2","a":1,"b":0,"b":1}\n')
    with pytest.raises(FormatError, match="line 2 gives 'b' 2 times"):
        read(path, items=False)


def test_records_of_several_lines_are_read_and_not_scanned(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"id": k, "note": 'a "b": c\\', "x": k % 2, "y": 1} for k in range(4)
    ]
    path = tmp_path / "t.jsonl"
    for mark in (": ", "\n:"):
        path.write_text("\n".join(json.dumps(r, indent=2, separators=(",", mark)) for r in records))
        assert read(path).values[:, :, 0].tolist() == [[k % 2, 1] for k in range(4)]
        with pytest.raises(FormatError, match=r"no record by itself .*read it"):
            read(path, items=False)
    path.write_text(
        "\n".join(json.dumps(r | {"x": [1, "oops", 0, 1][r["id"]]}, indent=1) for r in records)
    )
    with pytest.raises(BadValueError, match="'oops' in record 2"):
        read(path)


def test_bad_cells_name_file_column_and_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\nq1,1,0\nq2,oops,1\nq3,1,1\n")
    with pytest.raises(BadValueError, match=r"'a' has a cell that is no number .'oops' in line 3"):
        read(path)
    path.write_text("id,a,b\nq1,1,0\nq2,inf,1\n")
    with pytest.raises(BadValueError, match=r"'a' has infinite scores for 1 of 2 items .'q2'"):
        read(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no file .*none.csv"):
        read(tmp_path / "none.csv")
    with pytest.raises(FormatError, match=r"no file matches .*\*.csv"):
        read(tmp_path / "*.csv")
    with pytest.raises(FormatError, match=r"is a folder: name its files, as in .*\*.csv"):
        read(tmp_path)
    with pytest.raises(UsageError, match=r"at least one file"):
        read()


def test_the_same_file_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(ROWS)
    (tmp_path / "link.csv").symlink_to(path)
    for twin in (path, tmp_path / "link.csv", tmp_path / "." / "a.csv"):
        with pytest.raises(UsageError, match=r"is given twice"):
            read(path, twin)


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_records_with_nothing_in_common(tmp_path: Path, name: str) -> None:
    records = [f'{{"item": {k}, "x{k}": 1}}' for k in range(6000)]
    path = tmp_path / name
    path.write_text("\n".join(records) if name == "t.jsonl" else f"[{','.join(records)}]")
    with pytest.raises(FormatError, match=r"6,000 records have 6,001 names, and hardly any"):
        read(path)
    if name == "t.jsonl":
        with pytest.raises(FormatError, match="6,001 columns"):
            read(path, items=False)


def test_columns_that_are_rather_items(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    names = [f"c{k}" for k in range(1001)]
    rows = [f"r{r},{','.join(str((r * k) % 2) for k in range(1001))}\n" for r in range(3)]
    path.write_text(f"item,{','.join(names)}\n{''.join(rows)}")
    with pytest.raises(FormatError, match='input_format="transposed"'):
        read(path)
    assert len(read(path, input_format="wide").systems) == 1001
    assert read(path, input_format="transposed").n == 1001
    assert read(path, systems=["c0", "c7"]).systems == ("c0", "c7")


def test_a_row_per_system_and_no_items(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("system\nbase\nnew\n")
    with pytest.raises(FormatError, match="no column beside 'system'"):
        read(tmp_path / "t.csv", input_format="transposed")


def test_files_that_do_not_fit_each_other(tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    a = write("a.csv", "item,score\n1,0\n2,1\n3,1\n")
    with pytest.raises(AlignmentError, match=r"'b' has no score for 2 of 3 items .'2', '3'"):
        read(a, write("b.csv", "item,score\n1,0\n"))
    with pytest.raises(AlignmentError, match=r"system 'b' has more than one score .*'1'"):
        read(a, write("b.csv", "item,score\n1,0\n1,0\n2,1\n3,1\n"))
    with pytest.raises(AlignmentError, match=r"no item in common"):
        read(a, write("b.csv", "item,score\nx1,0\nx2,0\n"))
    with pytest.raises(FormatError, match=r"a.csv has a column for the item and .*b.csv has none"):
        read(a, write("b.csv", "score\n0\n1\n1\n"))
    with pytest.raises(
        FormatError, match=r"c.csv has the scores 'tp', 'fp', .*d.csv has 'tp', 'x'"
    ):
        read(write("c.csv", "id,tp,fp\n1,0,1\n"), write("d.csv", "id,tp,x\n1,0,1\n"))
    with pytest.raises(FormatError, match=r"one at a time"):
        read(write("c.csv", ROWS), write("d.csv", ROWS), input_format="wide")
    with pytest.raises(FormatError, match=r"'a', 'b' scores of one system\?") as caught:
        read(tmp_path / "c.csv", tmp_path / "d.csv")
    assert advised(caught) == [("input_format", "single")]
    assert read(tmp_path / "c.csv", tmp_path / "d.csv", input_format="single").columns == ("a", "b")
    with pytest.raises(FormatError, match=r"f.csv: line 1 holds 2 numbers and no names"):
        read(write("e.csv", "item,score\n1,1\n"), write("f.csv", "1,1\n"))
    one, two = write("g.txt", "1\n0\n"), write("h.txt", "1\n0\n1\n")
    with pytest.raises(AlignmentError, match=r"'g' has 2, 'h' has 3"):
        read(one, two)


def test_a_blank_line_of_bare_scores_is_a_missing_score(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n\n0\n")
    (tmp_path / "b.txt").write_text("1\n1\n0\n")
    with pytest.raises(AlignmentError, match=r"system 'a' has no score for 1 of 3 items .'row 2'"):
        read(tmp_path / "a.txt", tmp_path / "b.txt")


def test_input_format_overrules_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "t.log"
    path.write_text(ROWS.replace(",", "\t"))
    assert read(path, input_format="tsv").systems == ("a", "b")
    pl.DataFrame({"id": [1], "a": [1]}).write_parquet(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", input_format="parquet").systems == ("a",)
    with pytest.raises(UsageError, match="'xml'"):
        read(path, input_format="xml")
    with pytest.raises(FormatError, match=r"files of counts have no line of names"):
        read(path, input_format="counts")


def test_files_and_frames_do_not_mix(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not both"):
        read(pl.DataFrame({"a": [1]}), tmp_path / "t.csv")
    with pytest.raises(UsageError, match="sources must be files, data frames"):
        read(object())


def test_gigantic_ids(tmp_path: Path) -> None:
    long = "x" * 300_000
    path = tmp_path / "t.csv"
    path.write_text(f'id,a,b\n{long}1,1,0\n"{long}2",,1\n')
    with pytest.raises(DataError) as caught:
        read(path)
    assert "'a' has no score for 1 of 2 items" in str(caught.value)
    assert read(path, missing="drop").n == 1


def test_the_column_that_names_systems_under_another_name_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "melted.csv"
    rows = "".join(
        f"{k},{name},{(k + len(name)) % 2}\n" for name in ("base", "a") for k in range(4)
    )
    path.write_text("item,variable,value\n" + rows)
    with pytest.raises(AlignmentError) as caught:
        read(path)
    assert advised(caught)[0] == ("columns", {"system": "variable"})
    assert read(path, columns={"system": "variable"}).systems == ("base", "a")
    path.write_text("item,rater,value\nq1,x,1\nq1,x,2\nq2,y,1\nq2,y,2\n")
    with pytest.raises(AlignmentError, match=r"\('q1', 'q2'\): remove the duplicates"):
        read(path)


def test_an_object_of_ids_and_scores_is_told_how_to_become_records(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("base.json", "new.json")]
    for path in paths:
        path.write_text('{"q1": 0, "q2": 1, "q3": 0}')
    with pytest.raises(FormatError, match=r"one record of 3 numbers: if 'q1', .*to_entries\[\]"):
        read(*paths)
    for path in paths:  # as that jq writes it
        path.with_suffix(".jsonl").write_text(
            '{"id":"q1","score":0}\n{"id":"q2","score":1}\n{"id":"q3","score":0}\n'
        )
    assert read(*(path.with_suffix(".jsonl") for path in paths)).n == 3


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize(
    ("part", "item"),
    [("task", "id"), ("document", "segment"), ("passage_id", "qid"), ("dialogue_id", "turn_id")],
)
def test_ids_that_count_anew_within_a_part_are_told_how_to_be_named(
    part: str, item: str, layout: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    ids = [(f"d{k // 3}", k % 3) for k in range(12)]
    if layout == "wide":
        text = f"{part},{item},base,new\n" + "".join(f"{d},{k},{k % 2},1\n" for d, k in ids)
    else:
        text = f"{part},{item},system,score\n" + "".join(
            f"{d},{k},{name},{k % 2}\n" for name in ("base", "new") for d, k in ids
        )
    path.write_text(text)
    with pytest.raises(AlignmentError) as caught:
        read(path)
    assert advised(caught)[0] == ("columns", {"item": f"{part}+{item}"})
    assert read(path, columns={"item": f"{part}+{item}"}).n == 12


def test_ids_that_count_anew_within_two_parts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [(f"l{k // 8}", f"t{k // 4 % 2}", k % 4) for k in range(16)]
    path.write_text("lang,task,id,a,b\n" + "".join(f"{x},{t},{k},1,0\n" for x, t, k in rows))
    with pytest.raises(AlignmentError) as caught:
        read(path)
    assert advised(caught)[0] == ("columns", {"item": "lang+task+id"})
    assert read(path, columns={"item": "lang+task+id"}).n == 16


def test_answers_that_differ_between_repeats_make_no_items(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [(k % 6, name, f"{name} says {k}") for name in ("a", "b") for k in range(12)]
    path.write_text("id,system,text,score\n" + "".join(f"{i},{s},{x},1\n" for i, s, x in rows))
    with pytest.raises(AlignmentError, match=r"\): remove the duplicates, or name"):
        read(path)


def test_two_columns_of_ids_may_name_the_item_together(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc_id,seg_id,a,b\n1,1,0,1\n1,2,1,1\n2,1,0,0\n2,2,1,0\n")
    with pytest.raises(FormatError) as caught:
        read(path)
    offered = [value for _, value in advised(caught)]
    assert offered == [{"item": name} for name in ("doc_id", "seg_id", "doc_id+seg_id")]
    assert read(path, columns={"item": "doc_id+seg_id"}).n == 4


@pytest.mark.parametrize("name", ["temperature", "k", "checkpoint", "version", "task"])
def test_numbers_that_may_name_systems_are_asked_about(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [(i, value) for value in ("0.5", "1") for i in range(6)]
    path.write_text(f"id,{name},score\n" + "".join(f"q{i},{v},{i % 2}\n" for i, v in rows))
    for columns in ({}, {"score": "score"}):
        with pytest.raises(FormatError) as caught:
            read(path, columns=columns)
        assert ("columns", {"system": name}) in advised(caught)
        assert ("columns", {"item": f"{name}+id"}) in advised(caught)
    assert read(path, columns={"system": name}).systems == ("0.5", "1")
    assert read(path, columns={"item": f"{name}+id", "score": "score"}).n == 12
    assert read(path, columns={"response": name}).n == 6


@pytest.mark.parametrize(
    "text",
    [
        "base new\n1 1 0\n2 0 1\n3 1 1\n",
        '"item" "base" "new"\n"1" "q0" 1 1\n"2" "q1" 1 0\n',
        '"item" "base" "new"\n"first one" 1 1\n"two" 1 0\n',
    ],
)
def test_tables_as_r_writes_them_are_told_how_to_be_written(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"separated by blanks.*write.csv\(.*row.names = FALSE"):
        read(path)


def test_systems_inside_of_nested_values_are_told_how_to_be_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(f'{{"id": {k}, "scores": {{"base": {k % 2}, "new": 1}}}}\n' for k in range(6))
    )
    with pytest.raises(FormatError) as caught:
        read(path)
    assert advised(caught)[0] == ("systems", ["scores.base", "scores.new"])
    assert read(path, systems="scores.base,scores.new").systems == ("scores.base", "scores.new")
    named = read(path, systems=["scores.base", *["scores.new"]])
    assert named.systems == ("scores.base", "scores.new")


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser\na,b\nb,a\na,b\n",
        "item,system_a,system_b,preferred\n1,a,b,a\n2,a,b,b\n",
        "item,baseline,candidate,outcome\n1,a,b,win\n2,a,b,loss\n",
        "item,model_1,model_2,winner\n1,a,b,1\n2,a,b,2\n3,a,b,2\n",
    ],
)
def test_judgments_of_another_layout_are_told_how_to_be_written(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"call the columns model_a, model_b and winner"):
        read(path)


@pytest.mark.parametrize("above", ["\n", "\r\n\r\n", "  \n"])
def test_blank_lines_above_the_names(above: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"{above}id,a,b\nq1,1,0\nq2,0,1\n".encode())
    for door in (read, counted):
        with pytest.raises(FormatError, match=r"lines? 1 .*blank, above the line of names: delete"):
            door(path)
