"""Logs and tables of several tasks, each with metrics of its own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import log_writers as write
import numpy as np
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.readers.sources import read
from conftest import Run

Command = Callable[..., Run]
Values = Mapping[str, list[float]]


def right(n: int, every: int) -> list[float]:
    return [float(i % every != 0) for i in range(n)]


BASE = {"gsm8k": right(40, 2), "hellaswag": right(30, 3), "arc": right(20, 2), "summ": right(12, 3)}
NEW = {"gsm8k": right(40, 5), "hellaswag": right(30, 6), "arc": right(20, 4), "summ": right(12, 3)}
METRICS = {"gsm8k": "exact_match", "hellaswag": "acc", "arc": "acc", "summ": "rouge"}
MMLU = {"mmlu": ["stem", "law"], "stem": ["bio", "maths"], "gsm8k": []}


def lm_eval(
    folder: Path,
    systems: Mapping[str, Values],
    metrics: Mapping[str, str],
    groups: Mapping[str, list[str]] | None = None,
    lower: Mapping[str, str] | None = None,
) -> str:
    """A folder of samples, as the harness writes it: a folder a model, a file a task."""
    for system, tasks in systems.items():
        home = folder / f"org__{system}"
        for task, values in tasks.items():
            records = []
            for k, value in enumerate(values):
                record = write.lm_eval_record(str(k), 0.0, filter="none")
                del record["exact_match"]
                hashes = {"doc_hash": write.digest(f"{task} {k}")}
                names = metrics[task].split(",")
                records.append(record | hashes | {"metrics": names} | dict.fromkeys(names, value))
            write.write_lines(home / f"samples_{task}_{write.DATE}.jsonl", records)
        directions = {task: {name: False} for task, name in (lower or {}).items()}
        results = {"results": {}, "configs": {}, "model_name": system}
        about = {"group_subtasks": groups or {}, "higher_is_better": directions}
        write.write_json(home / f"results_{write.DATE}.json", results | about)
    return str(folder)


@pytest.fixture
def four(tmp_path: Path) -> str:
    return lm_eval(tmp_path / "results", {"base": BASE, "new": NEW}, METRICS)


def test_tasks_keep_metrics_of_their_own(four: str) -> None:
    scores = read(four)
    assert (scores.tasks, scores.n, scores.columns) == (
        "task",
        102,
        ("acc", "exact_match", "rouge"),
    )
    parts = scores.by_task()
    assert {task: part.columns for task, part in parts.items()} == {
        "arc": ("acc",),
        "gsm8k": ("exact_match",),
        "hellaswag": ("acc",),
        "summ": ("rouge",),
    }
    assert parts["gsm8k"].values[:, 1, 0].tolist() == NEW["gsm8k"]
    with pytest.raises(UsageError) as caught:
        bt.gate(scores, "base", margin=0.02)
    assert ("by", "task") in advised(caught)
    with pytest.raises(UsageError, match="'gsm8k' is measured by exact_match"):
        bt.score(scores, metric=["acc"])
    with pytest.raises(UsageError, match="'gsm8k' is measured by exact_match"):
        bt.compare(scores, metric="acc")


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("a*", {"arc"}),
        ("*a*+gsm8k", {"arc", "hellaswag", "gsm8k"}),
        (["arc", "summ"], {"arc", "summ"}),
    ],
)
def test_tasks_are_chosen_by_patterns(four: str, asked: str | list[str], kept: set[str]) -> None:
    scores = bt.read(four, where={"task": asked})
    assert scores.n == sum(len(BASE[task]) for task in kept)
    assert scores.tasks is None or set(scores.by_task()) == kept
    with pytest.raises(UsageError, match="'arc', 'gsm8k', 'hellaswag', 'summ'"):
        bt.read(four, where={"task": "mmlu_*"})


def test_groups_of_tasks_count_as_one(tmp_path: Path, betterthan: Command) -> None:
    base = {"gsm8k": right(20, 2), "bio": right(10, 2), "maths": right(30, 3), "law": right(20, 2)}
    new = {"gsm8k": right(20, 4), "bio": right(10, 3), "maths": right(30, 5), "law": right(20, 4)}
    metrics = dict.fromkeys(base, "acc")
    folder = lm_eval(tmp_path, {"base": base, "new": new}, metrics, MMLU)
    scores = read(folder)
    assert scores.tasks == "task_group"
    assert {task: part.n for task, part in scores.by_task().items()} == {"gsm8k": 20, "mmlu": 60}
    assert any("mmlu (3)" in note for note in scores.notes)
    whole = bt.compare(scores)
    pooled = [
        np.concatenate([run[t] for t in ("bio", "maths", "law")]).mean() for run in (base, new)
    ]
    gain = np.mean(new["gsm8k"]) - np.mean(base["gsm8k"])
    assert whole.delta == pytest.approx((pooled[1] - pooled[0] + gain) / 2)
    each = bt.read(folder, columns={"task": "task"})
    assert set(each.by_task()) == set(base)
    assert set(bt.read(folder, where={"task": "stem"}).labels("task")) == {"bio", "maths"}
    assert bt.read(folder, where={"task": "mmlu"}).tasks == "task"  # of one group, its tasks
    with pytest.raises(UsageError, match="mmlu"):
        bt.read(folder, where={"task": "x"})


def test_a_task_that_cannot_be_read_can_be_left_out(tmp_path: Path) -> None:
    folder = lm_eval(tmp_path, {"base": BASE, "new": NEW}, METRICS)
    for home in ("org__base", "org__new"):
        record = write.lm_eval_record("0", 0.0, metrics=["bleu"], bleu=["a", "b"])
        del record["exact_match"]
        write.write_lines(tmp_path / home / f"samples_wmt_{write.DATE}.jsonl", [record])
    with pytest.raises(FormatError, match="bleu"):
        read(folder)
    assert bt.read(folder, where={"task": "gsm8k+arc"}).n == 60


def test_perplexity_of_a_document_is_a_likelihood(tmp_path: Path) -> None:
    values = {"base": {"lambada": [-2.0, -1.5, -3.0]}, "new": {"lambada": [-1.0, -1.2, -2.0]}}
    folder = lm_eval(tmp_path, values, {"lambada": "perplexity"}, lower={"lambada": "perplexity"})
    scores = read(folder)
    assert scores.columns == ("loglikelihood",)
    assert bt.compare(scores).delta > 0  # likelier is better


def test_the_log_says_which_way_is_better(tmp_path: Path, betterthan: Command) -> None:
    metrics = METRICS | {"arc": "bias"}
    folder = lm_eval(tmp_path, {"base": BASE, "new": NEW}, metrics, lower={"arc": "bias"})
    rows = {row.subset: row for row in bt.compare_many(read(folder), "base")}
    assert rows["task=arc"].delta == pytest.approx(np.mean(BASE["arc"]) - np.mean(NEW["arc"]))
    shown = [line.split() for line in betterthan("inspect", folder).out.splitlines()]
    assert ["task", "metric", "base", "new"] in shown
    assert ["gsm8k", "exact_match", "40", "40"] in shown
    boards = betterthan("rank", folder, "--by", "task", "--resamples", "9")
    first = boards.out.split("task=gsm8k")[0]
    assert first.index(" base ") < first.index(" new ")  # less bias is better


def test_samples_that_two_tasks_share_are_one_unit(tmp_path: Path) -> None:
    values = {
        "base": {"cot": [0.0] * 6, "plain": [0.0] * 6},
        "new": {"cot": [1.0] * 6, "plain": [1.0] * 6},
    }
    folder = Path(lm_eval(tmp_path, values, {"cot": "acc", "plain": "acc"}))
    apart = bt.compare(read(folder))
    assert (apart.clusters, apart.pvalue) == (None, 2 / 2**12)
    for path in folder.rglob("samples_plain*"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for record in records:
            record["doc_hash"] = write.digest(f"cot {record['doc_id']}")
        write.write_lines(path, records)
    shared = bt.compare(read(folder))
    assert (shared.clusters, shared.pvalue) == (6, 2 / 2**6)
