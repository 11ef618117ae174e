"""Texts of the items that are listed, looked up in logs and raw outputs."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from log_writers import ANSWER, inspect_eval, inspect_json, lm_eval, lm_eval_old

from betterthan.readers.item_texts import item_texts
from betterthan.readers.sources import read
from betterthan.results.atomic_write import encode

RESULTS = {
    "base": {str(i): float(i % 2) for i in range(12)},
    "new": {str(i): float(i % 3 > 0) for i in range(12)},
}


@pytest.mark.parametrize("write", [lm_eval, lm_eval_old, inspect_eval, inspect_json])
def test_texts_of_logs(write: Callable[..., list[Path]], tmp_path: Path) -> None:
    files = write(RESULTS, tmp_path)
    found = item_texts(files, ["3", "5"], [3, 5])
    assert sorted(found) == ["3", "5"]
    assert found["3"]["input"].startswith("What is 3")
    assert found["3"]["target"] == "3"
    said = "3" if write in (lm_eval, lm_eval_old) else ANSWER
    assert {k: v for k, v in found["3"].items() if "output" in k} == {
        "base: output": said,
        "new: output": said,
    }


@pytest.mark.parametrize("write", [lm_eval, inspect_eval])
def test_several_tasks(write: Callable[..., list[Path]], tmp_path: Path) -> None:
    files = write(RESULTS, tmp_path) + write(RESULTS, tmp_path, task="other")
    item = "other/3"
    assert item in (read(*files).items or ())
    found = item_texts(files, [item], [3])
    assert list(found) == ["other/3"]
    assert found[item]["input"].startswith("What is 3")
    assert {"base: output", "new: output"} <= found[item].keys()


def test_lines_of_outputs(demo_folder: Path) -> None:
    files = ["outputs/base.txt", "outputs/new.txt"]
    lines = {n: Path(f"outputs/{n}.txt").read_text().splitlines() for n in ("gold", "base", "new")}
    found = item_texts(files, ["row 3"], [2], ref="outputs/gold.txt", metric="bleu")
    assert found["row 3"] == {
        "target": lines["gold"][2],
        "base: output": lines["base"][2],
        "new: output": lines["new"][2],
    }


def test_tables_without_such_columns_have_no_texts(demo_folder: Path) -> None:
    assert item_texts(["qa.csv"], ["n000-1"], [0]) == {"n000-1": {}}


WIDE = {
    "id": ["a", "b"], "Prompt": ["1+1?", "2+2?"], "answer": ["two", "four"], "old": [0, 1],
    "new": [1, 0], "old_output": ["three", "four"], "response new": ["two", "five"],
}  # fmt: skip
LONG = {
    "item": ["a", "b", "a", "b"], "system": ["old", "old", "new", "new"], "score": [0, 1, 1, 0],
    "question": ["1+1?", "2+2?"] * 2, "answer": ["three", "four", "two", "five"],
    "target": ["two", "four"] * 2,
}  # fmt: skip
TOLD = {"input": "2+2?", "target": "four", "old: output": "four", "new: output": "five"}


@pytest.mark.parametrize("rows", [WIDE, LONG])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_columns_of_tables(tmp_path: Path, rows: dict[str, list[object]], suffix: str) -> None:
    path = tmp_path / f"runs.{suffix}"
    frame = pl.DataFrame(rows)
    path.write_bytes(encode(frame, f".{suffix}"))
    assert item_texts([path], ["b"], [1]) == {"b": TOLD}


def test_one_table_per_system_without_ids(tmp_path: Path) -> None:
    files = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, said in zip(files, (["three", "four"], ["two", "five"]), strict=True):
        frame = {
            "score": [0, 1],
            "input": ["1+1?", "2+2?"],
            "gold": ["two", "four"],
            "output": said,
        }
        pl.DataFrame(frame).write_csv(path)
    assert item_texts(files, ["2+2?"], [1]) == {
        "2+2?": {name: text for name, text in TOLD.items() if name != "input"}
    }
