"""Reading tables from files: golden reads of every layout and format, and round trips."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from reading_ways import advice

from betterthan.data.arrays import LARGEST_FLOAT
from betterthan.data.frames.evidence import MARKS
from betterthan.data.frames.summing import summarises
from betterthan.data.scores import Scores
from betterthan.readers.sources import read

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def table(scores: Scores) -> dict[str, list[float]]:
    """Scores of one column as a plain mapping."""
    assert len(scores.columns) == 1
    return {s: scores.of(s)[:, 0].tolist() for s in scores.systems}


def ids(scores: Scores) -> list[str]:
    assert scores.items is not None
    return [str(item) for item in scores.items]


GOLD = {"base": [0.0, 1.0, 0.5], "new": [1.0, 1.0, 0.25]}
WIDE = {
    "t.csv": "id,base,new\nq1,0,1\nq2,1,1\nq3,0.5,0.25\n",
    "t.tsv": "id\tbase\tnew\nq1\t0\t1\nq2\t1\t1\nq3\t0.5\t0.25",
    "t.txt": "id;base;new\nq1;0;1\nq2;1;1\nq3;0.5;0.25\n\n",
    "semicolons.csv": "id;base;new\nq1;0;1\nq2;1;1\nq3;0.5;0.25\n",
    "bars": "id|base|new\nq1|0|1\nq2|1|1\nq3|0.5|0.25\n",
    "blanks.txt": "id base  new\nq1\t0 1\nq2  1\t1\nq3 0.5 0.25\n",
    "crlf.csv": "id,base,new\r\nq1,0,1\r\nq2,1,1\r\nq3,0.5,0.25\r\n",
    "mac.csv": "id,base,new\rq1,0,1\rq2,1,1\rq3,0.5,0.25\r",
    "bom.csv": "\ufeffid,base,new\nq1,0,1\nq2,1,1\nq3,0.5,0.25\n",
    "quoted.csv": '"id","base","new"\n"q1","0","1"\nq2,1,"1"\n"q3",0.5,0.25\n',
    "trailing.csv": "id,base,new,\nq1,0,1,\nq2,1,1,\nq3,0.5,0.25,\n",
    "gap.csv": "id,base,new\nq1,0,1\n\nq2,1,1\nq3,0.5,0.25\n",
    "pandas.csv": ",base,new\nq1,0,1\nq2,1,1\nq3,0.5,0.25\n",
    "t.jsonl": '{"id":"q1","base":0,"new":1}\n{"id":"q2","base":true,"new":true}\n'
    '{"id":"q3","base":0.5,"new":0.25}\n',
    "t.json": '[{"id":"q1","base":0,"new":1},\n{"id":"q2","base":1,"new":1},\n'
    ' {"new":0.25,"id":"q3","base":0.5}]',
    "columns.json": '{"id":["q1","q2","q3"],"base":[0,1,0.5],"new":[1,1,0.25]}',
}


@pytest.mark.parametrize("name", WIDE)
def test_wide_tables(write: Write, name: str) -> None:
    scores = read(write(name, WIDE[name]))
    assert table(scores) == GOLD
    assert ids(scores) == ["q1", "q2", "q3"]
    assert scores.source.startswith(f"{name} · wide table · item=")
    assert scores.source.endswith("systems base, new · 3 items paired by id")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.json"])
def test_compressed_text(write: Write, name: str) -> None:
    path = write(f"{name}.gz", gzip.compress(WIDE[name].encode()))
    assert table(read(path)) == GOLD
    assert table(read(str(path))) == GOLD


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"id": ["q1", "q2", "q3"], **GOLD}).write_parquet(tmp_path / "t.parquet")
    assert table(read(tmp_path / "t.parquet")) == GOLD


def test_a_frame_is_as_good_as_a_file() -> None:
    assert table(read(pl.DataFrame(GOLD))) == GOLD


def test_quoted_fields_may_hold_anything(write: Write) -> None:
    scores = read(write("t.csv", 'id,a,b\n"x, ""y""\nz",1,0\nq2,0,1\n'))
    assert ids(scores) == ['x, "y"\nz', "q2"]


def test_ids_stay_as_they_are_written(write: Write) -> None:
    assert ids(read(write("t.csv", "id,a\n007,1\n7,0\nNA,1\n1e3,1\n"))) == ["007", "7", "NA", "1e3"]


def test_long_table(write: Write) -> None:
    text = "item,model,metric,score,seed,doc\n"
    for model, shift in (("base", 0), ("new", 1)):
        for item in ("x", "y"):
            for seed in (1, 2):
                text += f"{item},{model},acc,{shift + seed},{seed},d\n"
                text += f"{item},{model},f,{10 * shift + seed},{seed},d\n"
    scores = read(write("long.csv", text))
    assert scores.columns == ("acc", "f")
    assert scores.of("new").tolist() == [[2.5, 11.5], [2.5, 11.5]]
    assert scores.responses is not None
    assert scores.responses.shape == (2, 2, 2, 2)
    assert scores.source == (
        "long.csv · long table · item=item · system=model · metric=metric · "
        "response=seed (2 an item) · scores acc, f · systems base, new · label doc · "
        "2 items paired by id"
    )
    assert advice(scores.notes) == [("columns", {"cluster": "doc"})]
    assert read(write("long.csv", text), metric="acc").columns == ("acc",)


def test_one_file_per_system(write: Write) -> None:
    base = write("base.csv", "item,score\nq1,0\nq2,1\nq3,0.5\n")
    new = write(
        "new.jsonl", '{"id":"q3","score":0.25}\n{"id":"q1","score":1}\n{"id":"q2","score":1}\n'
    )
    scores = read(base, new)
    assert table(scores) == GOLD
    assert scores.source == (
        "2 files, one per system · item=item · score score · systems base, new · "
        "3 items paired by id"
    )
    assert read(new, base).systems == ("new", "base")


def test_one_file_per_system_with_counts(write: Write) -> None:
    a = write("a.csv", "id,tp,fp,fn,domain\n1,1,2,3,x\n2,4,5,6,y\n3,0,0,0,x\n")
    b = write("b.csv", "id,fn,fp,tp\n2,60,50,40\n3,0,0,0\n1,30,20,10\n")
    scores = read(a, b)
    assert scores.columns == ("tp", "fp", "fn")
    assert scores.of("b").tolist() == [[10, 20, 30], [40, 50, 60], [0, 0, 0]]
    assert scores.groups["domain"].tolist() == ["x", "y", "x"]


def test_ids_of_different_types_pair(write: Write, tmp_path: Path) -> None:
    a = write("a.jsonl", '{"id":1,"score":1}\n{"id":2,"score":0}\n')
    b = write("b.csv", "id,score\n2.0,1\n1.0,0\n")
    pl.DataFrame({"id": [2.0, 1.0], "score": [5, 6]}).write_parquet(tmp_path / "c.parquet")
    assert table(read(a, b, tmp_path / "c.parquet")) == {"a": [1, 0], "b": [0, 1], "c": [6, 5]}


def test_bare_columns_pair_by_position(write: Write) -> None:
    a, b = write("a.txt", "1\n0\n1"), write("b.txt", "0\n0.5\n1\n")
    scores = read(a, b)
    assert table(scores) == {"a": [1, 0, 1], "b": [0, 0.5, 1]}
    assert scores.items is None
    assert scores.source.endswith("3 items paired by position")
    named = read(write("a.csv", "score\n1\n0\n"), write("b.csv", "score\n0\n0\n"))
    assert table(named) == {"a": [1, 0], "b": [0, 0]}


def test_several_long_tables_are_put_together(write: Write) -> None:
    a = write("a.csv", "item,system,score\n1,s,0\n2,s,1\n")
    b = write(
        "b.jsonl", '{"item":"2","system":"t","score":0.5}\n{"item":"1","system":"t","score":2}\n'
    )
    scores = read(a, b)
    assert table(scores) == {"s": [0, 1], "t": [2, 0.5]}
    assert scores.source.startswith("2 files · long tables · item=item · system=system")


def test_a_file_each_though_it_names_one_system(write: Write) -> None:
    a = write("prompt1.csv", "item,model,score\n1,gpt,0\n2,gpt,1\n")
    b = write("prompt2.csv", "item,model,score\n1,gpt,1\n2,gpt,1\n")
    assert read(a, b, input_format="single").systems == ("prompt1", "prompt2")


def test_the_counts_of_the_2022_code(write: Write) -> None:
    scores = read(write("acc.csv", "8,6\n5,5\n3,4\n"))
    assert scores.systems == ("first", "second")
    assert scores.columns == ("correct",)
    assert table(scores) == {"first": [8, 5, 3], "second": [6, 5, 4]}
    assert "no names: correct of two systems" in scores.source
    four = read(write("f1.csv", "8,2,6,1\n5,0,5,3\n"))
    assert four.systems == ("first", "second")
    assert four.columns == ("tp", "incorrect")
    assert four.of("first").tolist() == [[8, 2], [5, 0]]
    assert four.of("second").tolist() == [[6, 1], [5, 3]]


def test_folders_tell_files_of_one_name_apart(write: Write) -> None:
    text = "item,score\n1,0\n"
    a, b = write("base/scores.csv", text), write("new/scores.csv", text)
    assert read(a, b).systems == ("base", "new")
    c = write("new/other.csv", text)
    assert read(a, b, c).systems == ("base/scores", "new/scores", "new/other")
    d, e = write("x/run/s.csv", text), write("y/run/s.csv", text)
    assert read(d, e).systems == ("x/run/s", "y/run/s")
    f = write("x/run/s.jsonl", '{"item":1,"score":0}')
    assert read(d, f).systems == ("s.csv", "s.jsonl")


def test_patterns(write: Write, tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        write(f"runs/{name}.csv", "item,score\n1,0\n")
    assert read(str(tmp_path / "runs/*.csv")).systems == ("a", "b", "c")
    assert read(tmp_path / "runs/b.csv", tmp_path / "runs/[ac].csv").systems == ("b", "a", "c")


def test_a_checkpoint_may_be_called_by_a_number(write: Write) -> None:
    assert read(write("t.csv", "item,1000,2000\nq1,0,1\n")).systems == ("1000", "2000")


def test_a_file_may_hold_one_system(write: Write) -> None:
    scores = read(write("agent.csv", "task_id,trial,reward\n0,0,1\n1,0,0\n0,1,0\n1,1,0\n"))
    assert scores.systems == ("agent",)
    assert scores.values[:, 0, 0].tolist() == [0.5, 0]


def test_header_and_rows_separated_differently(write: Write) -> None:
    scores = read(
        write("mqm.tsv", "system avg seg_id\nA\t-5.0 1\nA\t-0.5 2\nB\t-1.0 1\nB\tNone 2\n"),
        missing="drop",
    )
    assert table(scores) == {"A": [-5], "B": [-1]}


def test_a_late_key_of_json_lines_is_not_lost(write: Write) -> None:
    lines = [json.dumps({"id": k, "a": 1}) for k in range(300)] + ['{"id":300,"a":1,"b":0}']
    scores = read(write("t.jsonl", "\n".join(lines)), missing="pairwise")
    assert scores.systems == ("a", "b")


finite = st.floats(-LARGEST_FLOAT, LARGEST_FLOAT)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
).filter(lambda s: s == s.strip())


@st.composite
def blocks(draw: st.DrawFn) -> tuple[list[str], list[list[float]]]:
    """Item ids, and a row of two scores for each."""
    # An id such as MEDIAN is refused: it looks like a line below the items.
    ids = names.filter(lambda name: not summarises(name))
    items = draw(st.lists(ids, min_size=1, max_size=12, unique=True))
    # Larger ones that are nearly the same are refused: they may differ by rounding alone.
    row = st.lists(finite.filter(lambda x: abs(x) < 1e12), min_size=2, max_size=2)
    rows = draw(st.lists(row, min_size=len(items), max_size=len(items)))
    # Shares beside what may be percentages, or marks of missing scores, are refused as well.
    ranges = [(min(system), max(system)) for system in zip(*rows, strict=True)]
    shares = any(low >= 0 and high <= 1 for low, high in ranges)
    percent = any(low >= 0 and 10 < high <= 100 for low, high in ranges)
    assume(not (shares and percent) and not any(x in MARKS for some in rows for x in some))
    return items, rows


def check(scores: Scores, items: list[str], rows: list[list[float]]) -> None:
    assert scores.systems == ("base", "new")
    place = {item: k for k, item in enumerate(ids(scores))}
    for item, row in zip(items, rows, strict=True):
        assert scores.values[place[item], :, 0].tolist() == row


quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(block=blocks())
def test_round_trip_of_a_wide_csv(
    tmp_path: Path, block: tuple[list[str], list[list[float]]]
) -> None:
    items, rows = block
    base, new = np.array(rows).T
    pl.DataFrame({"item": items, "base": base, "new": new}).write_csv(
        tmp_path / "t.csv", float_precision=None
    )
    if items != [item.removesuffix(".0") for item in items]:
        return  # 1.0 and 1 are the same id on purpose
    check(read(tmp_path / "t.csv", systems="base,new"), items, rows)


@quick
@given(block=blocks(), data=st.data())
def test_round_trip_of_long_json_lines(
    tmp_path: Path, block: tuple[list[str], list[list[float]]], data: st.DataObject
) -> None:
    items, rows = block
    lines = [
        json.dumps({"item": item, "system": system, "score": value})
        for item, row in zip(items, rows, strict=True)
        for system, value in zip(("base", "new"), row, strict=True)
    ]
    rest = data.draw(st.permutations(lines[1:]))  # the baseline comes first
    (tmp_path / "t.jsonl").write_text("\n".join([lines[0], *rest]), encoding="utf-8")
    if items != [item.removesuffix(".0") for item in items]:
        return
    check(read(tmp_path / "t.jsonl"), items, rows)


@quick
@given(block=blocks(), seed=st.integers(0, 99))
def test_round_trip_of_a_parquet_file_per_system(
    tmp_path: Path, block: tuple[list[str], list[list[float]]], seed: int
) -> None:
    items, rows = block
    for k, system in enumerate(("base", "new")):
        one = pl.DataFrame({"item": items, "score": [row[k] for row in rows]})
        one.sample(fraction=1, shuffle=True, seed=seed + k).write_parquet(
            tmp_path / f"{system}.parquet"
        )
    if items != [item.removesuffix(".0") for item in items]:
        return
    check(read(tmp_path / "base.parquet", tmp_path / "new.parquet"), items, rows)
