"""What systems are called: ``NAME=FILE``, names of files, fields of nested records."""

import io
import json
import re
import sys
from functools import partial
from pathlib import Path

import log_writers as write
import pytest

import betterthan as bt
from betterthan.errors import BetterthanError, FormatError, UsageError
from betterthan.readers.sources import read

ITEMS = {str(k): float(k % 2) for k in range(6)}
RESULTS = {"one": ITEMS, "two": dict.fromkeys(ITEMS, 1.0)}


def table(path: Path, system: str) -> Path:
    rows = "".join(f"{item},{value}\n" for item, value in RESULTS[system].items())
    path.write_text(f"item,score\n{rows}")
    return path


@pytest.mark.parametrize("kind", write.WRITERS)
def test_logs_are_called_as_they_are_given(kind: str, tmp_path: Path) -> None:
    paths = write.WRITERS[kind](RESULTS, tmp_path)
    read = partial(bt.read, metric="win" if "alpaca" in kind else None)
    plain = read(*paths)
    given = [f"s{k}={path}" for k, path in enumerate(paths)]
    if "alpaca" in kind:
        with pytest.raises(UsageError, match=r"names its systems itself.*'s0'"):
            read(*given)
        return
    scores = read(*given)
    several = tuple(f"s0 · {name}" for name in plain.systems)
    assert scores.systems == (("s0", "s1") if len(paths) == 2 else several)
    assert scores.values.tolist() == plain.values.tolist()


def test_tables_folders_and_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (table(tmp_path / f"{name}.csv", name) for name in RESULTS)
    assert read(f"old={one}", two).systems == ("old", "two")
    assert read(f"old={tmp_path}/o*.csv", f"new={two}").systems == ("old", "new")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(two.read_bytes())))
    assert read(one, "new=-").systems == ("one", "new")
    for name, values in RESULTS.items():
        for task in ("gsm8k", "arc"):
            write.lm_eval({"same": values}, tmp_path / name, task)
    scores = read(f"a={tmp_path}/one", f"b={tmp_path}/two")
    assert scores.systems == ("a", "b")
    assert scores.tasks == "task"


def test_paths_with_such_a_sign_are_paths(tmp_path: Path) -> None:
    folder = tmp_path / "mmlu:model=x"
    folder.mkdir()
    one, two = table(folder / "a=one.csv", "one"), table(folder / "a=two.csv", "two")
    assert read(one, two).systems == ("a=one", "a=two")
    assert read(f"{folder}/a=*.csv").systems == ("a=one", "a=two")
    with pytest.raises(FormatError, match=r"there is no file .*model=y/a\.csv"):
        read(f"{tmp_path}/model=y/a.csv")
    with pytest.raises(FormatError, match=r"there is no file 'nowhere\.csv"):
        read("old=nowhere.csv")


def test_files_with_names_of_their_own_refuse_others(tmp_path: Path) -> None:
    wide, judged = tmp_path / "wide.csv", tmp_path / "judged.csv"
    wide.write_text("item,base,new\nq1,0,1\nq2,1,1\n")
    judged.write_text("model_a,model_b,winner\nx,y,model_a\ny,x,model_b\n")
    with pytest.raises(UsageError, match="names its systems itself"):
        read(f"n={wide}")
    with pytest.raises(UsageError, match="names its systems itself"):
        read(f"n={judged}")


def test_fields_of_nested_records(tmp_path: Path) -> None:
    paths = []
    for name, values in RESULTS.items():
        paths.append(tmp_path / f"{name}.jsonl")
        records = (
            {"meta": {"id": item}, "scores": {"acc": {"value": value}, "why": "so"}}
            for item, value in values.items()
        )
        paths[-1].write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(BetterthanError):
        bt.read(*paths, columns={"item": "meta.id"})
    scores = bt.read(*paths, columns={"item": "meta.id", "score": "scores.acc.value"})
    flat = read(*(table(tmp_path / f"{name}.csv", name) for name in RESULTS))
    assert scores.values.tolist() == flat.values.tolist()
    for wrong in ("scores.f1", "scores.why"):
        with pytest.raises(BetterthanError, match=re.escape(wrong)):
            bt.read(*paths, columns={"item": "meta.id", "score": wrong})
