"""Texts of the items that are listed, looked up in logs and raw outputs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from log_writers import ANSWER, inspect_eval, inspect_json, lm_eval, lm_eval_old

from betterthan.readers.item_texts import item_texts
from conftest import Run

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


def test_several_tasks_have_no_texts(tmp_path: Path) -> None:
    files = lm_eval(RESULTS, tmp_path) + lm_eval(RESULTS, tmp_path, task="other")
    assert item_texts(files, ["3"], [3]) == {}


def test_tables_have_no_texts(demo_folder: Path) -> None:
    assert item_texts(["qa.csv"], ["n000-1"], [0]) == {}


def test_lines_of_outputs_are_those_that_are_listed(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    words = "compare --metric bleu --ref outputs/gold.txt outputs/base.txt outputs/new.txt"
    run = betterthan(*words.split(), "--items", "3", "--format", "json")
    listed = json.loads(run.out)["comparisons"][0]["items"]
    assert len(listed) == 6
    lines = {n: Path(f"outputs/{n}.txt").read_text().splitlines() for n in ("gold", "base", "new")}
    for item in listed:
        at = int(item["item"].removeprefix("row ")) - 1
        assert item["texts"] == {
            "target": lines["gold"][at],
            "base: output": lines["base"][at],
            "new: output": lines["new"][at],
        }


def test_listed_samples_show_what_was_said(
    demo_folder: Path, betterthan: Callable[..., Run]
) -> None:
    records = [json.loads(line) for line in Path("logs/new.jsonl").read_text().splitlines()]
    by_id = {str(record["doc_id"]): record for record in records}
    logs = ("logs/base.jsonl", "logs/new.jsonl")
    run = betterthan("compare", *logs, "--items", "4", "--format", "json")
    for item in json.loads(run.out)["comparisons"][0]["items"]:
        record = by_id[item["item"]]
        assert item["texts"]["input"] == record["doc"]["question"]
        assert item["texts"]["new: output"] == record["filtered_resps"][0]
        right = item["texts"]["new: output"] == item["texts"]["target"]
        assert right is (item["candidate"] == 1.0)
    assert "output" not in betterthan("compare", *logs, "--format", "json").out
