"""Files that an engine fails on: which, what it said, on one line, and that reading takes them."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from reading_ways import advised, counted

import betterthan as bt
from betterthan.errors import FormatError
from betterthan.readers import files
from betterthan.readers.tables import odd_json

ROWS = "".join(f'{{"item":"q{k}","a":{k % 2},"b":1}}\n' for k in range(5))
HALF, OTHER = r"\ud83d", r"\ud83e"


@pytest.mark.parametrize("depth", [200, 400])
def test_records_nested_beyond_the_stack(depth: int, tmp_path: Path) -> None:
    """How deep that is depends on the versions of Python and of the engine."""
    path = tmp_path / "t.jsonl"
    path.write_text(ROWS.replace("}", ',"m":' + '{"x":' * depth + "1" + "}" * (depth + 1)))
    with suppress(FormatError):
        assert counted(path).n == 5


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.jsonl", ROWS + '{"item":"x","a":' + "1" * 400 + ',"b":0}\n', "InvalidNumber"),
        (
            "t.jsonl",
            ROWS + '{"item":"x","a":1,"b":' + "[" * 3000 + "]" * 3000 + "}\n",
            "Depth|supertype",
        ),
        ("t.jsonl", ROWS + '{"item":"x","a":1,"b":\n', "Syntax"),
        ("t.csv", 'item,a,b\nq1,1,0\n"q2,1,1\nq3,0,1\n', r"q3,0,1\n` as dtype"),
    ],
)
def test_what_an_engine_says_is_whole_and_has_a_remedy(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        counted(path)
    message = caught.value.message
    assert f"{path} cannot be counted in place, for the engine says" in message
    assert any(one in message for one in said.split("|"))  # as versions of the engine have it
    assert "might want to try" not in message
    assert advised(caught) == [("items", True)]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_lines_that_end_in_returns_are_read_and_not_scanned(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = "item,a,b\nq1,1,0\nq2,0,1\n" if name == "t.csv" else ROWS
    path.write_bytes(text.replace("\n", "\r").encode())
    assert bt.read(path).systems == ("a", "b")
    with pytest.raises(FormatError, match="its lines end in carriage returns"):
        bt.read(path, items=False)


def test_halves_of_emojis_are_told_apart_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    ids = f'{{"item":"{HALF}","a":1,"b":0}}\n{{"item":"{OTHER}","a":0,"b":0}}\n'
    path.write_text(ROWS + ids)
    assert bt.read(path).n == 7
    with pytest.raises(FormatError, match=r"line 6, 'item': half of an emoji"):
        bt.read(path, items=False)
    path.write_text(ids.replace("item", "answer"))  # of no use to a scan
    assert bt.read(path, items=False).n == 2
    path.write_text(
        json.dumps({"item": "😀", "a": 1, "b": 0}) + "\n" + r'{"item":"\\ud83d","a":1,"b":0}'
    )
    assert bt.read(path, items=False).n == 2
    battle = '{{"model_a":"{}","model_b":"y","winner":"model_a"}}\n'
    path.write_text(battle.format("x") + battle.format(HALF))
    with pytest.raises(FormatError, match=r"line 2, 'model_a': half of an emoji"):
        bt.read(path, items=False)


def test_lines_are_counted_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_json, "CHUNK", 64)
    path = tmp_path / "t.jsonl"
    path.write_text(ROWS + f'{{"item":"{HALF}","a":1,"b":0}}\n')
    with pytest.raises(FormatError, match="line 6,"):
        bt.read(path, items=False)


def test_ids_that_are_records_are_scanned_as_they_are_read(tmp_path: Path) -> None:
    rows = pl.DataFrame({"item": [{"x": 2}, {"x": 1}], "a": [1.0, 0.0], "b": [0.0, 1.0]})
    rows.write_parquet(tmp_path / "t.parquet")
    assert bt.read(tmp_path / "t.parquet").n == bt.read(tmp_path / "t.parquet", items=False).n == 2
    rows.write_ndjson(tmp_path / "t.jsonl")
    for call in (bt.read, counted):
        with pytest.raises(FormatError, match="'item' holds records or lists"):
            call(tmp_path / "t.jsonl")


@pytest.mark.parametrize("name", ["t[1].csv", "t[1].parquet"])
def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path, name: str) -> None:
    rows = pl.DataFrame({"item": ["q1", "q2"], "a": [1, 0], "b": [1, 1]})
    (rows.write_csv if name.endswith("csv") else rows.write_parquet)(tmp_path / name)
    assert bt.read(tmp_path / name, items=False).n == 2


@pytest.mark.parametrize("call", [bt.read, counted])
@pytest.mark.parametrize("dictionary", [True, False])
def test_parquet_without_rows_is_not_damaged(
    tmp_path: Path, call: Callable[..., Any], dictionary: bool
) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    types = [("item", pa.string()), ("a", pa.float64()), ("b", pa.float64())]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.schema(types).empty_table(), path, use_dictionary=dictionary)
    with pytest.raises(FormatError, match=r"t\.parquet has no rows"):
        call(path)


@pytest.mark.parametrize("call", [bt.read, counted])
def test_parquet_with_a_name_twice_is_not_damaged(tmp_path: Path, call: Callable[..., Any]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = [pa.array(["q1", "q2"]), pa.array([1.0, 0.0]), pa.array([0.0, 1.0])]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns, names=["item", "a", "a"]), path)
    with pytest.raises(FormatError, match=r"names 'a' more than once: rename"):
        call(path)


def test_a_folder_of_many_things_is_not_searched_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_OTHERS", 20)
    for k in range(30):
        (tmp_path / f"{k}.dat").touch()
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(FormatError, match="is a folder of many things"):
        files.meant(tmp_path)
    log = tmp_path / "report.json"
    log.write_text("{}")  # before the last of the others
    (tmp_path / "zoo").mkdir()
    for k in range(30):
        (tmp_path / "zoo" / f"{k}.dat").touch()
    monkeypatch.setattr(files, "MOST_OTHERS", 40)
    assert files.meant(tmp_path) == [log]
