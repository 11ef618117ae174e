"""Logs and tables of several tasks, each with metrics of its own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import log_writers as write
import numpy as np
import polars as pl
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


FIRST = ("--baseline", "base")  # the order of names in a folder says nothing


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


def test_a_verdict_per_task_and_their_mean(four: str, betterthan: Command) -> None:
    run = betterthan("compare", four, "--format", "json")
    assert run.code == 0, run.err
    assert "4 tasks (arc, gsm8k, hellaswag, summ)" in run.err
    whole, *tasks = json.loads(run.out)["rows"]
    deltas = {t: np.mean(NEW[t]) - np.mean(BASE[t]) for t in BASE}
    assert whole["delta"] == pytest.approx(np.mean(list(deltas.values())))
    assert whole["metric"] == "mean over 4 tasks"
    found = {c["subset"].removeprefix("task="): c for c in tasks}
    assert {t: c["delta"] for t, c in found.items()} == pytest.approx(deltas)
    assert {t: c["metric"] for t, c in found.items()} == {
        t: f"mean({m})" for t, m in METRICS.items()
    }
    assert json.loads(run.out)["correction"] == "holm"


def test_the_log_says_which_way_is_better(tmp_path: Path, betterthan: Command) -> None:
    folder = lm_eval(
        tmp_path, {"base": BASE, "new": NEW}, METRICS | {"arc": "bias"}, lower={"arc": "bias"}
    )
    run = betterthan("compare", folder, "--format", "json")
    rows = {c["subset"]: c for c in json.loads(run.out)["rows"]}
    assert rows["task=arc"]["delta"] == pytest.approx(np.mean(BASE["arc"]) - np.mean(NEW["arc"]))
    # No mean of what is better up and down: three tasks ahead, one behind; two-sided sign test.
    assert (rows[None]["metric"], rows[None]["n"]) == ("tasks ahead", 4)
    assert (rows[None]["wins"], rows[None]["ties"], rows[None]["losses"]) == (2, 1, 1)
    assert rows[None]["pvalue"] == 1.0
    assert "less is better on 'arc'" in betterthan("compare", folder).out
    refused = betterthan("rank", folder)
    assert refused.code == 2
    assert "--by task" in refused.err
    boards = betterthan("rank", folder, "--by", "task", "--resamples", "9")
    assert boards.code == 0, boards.err
    first = boards.out.split("task=gsm8k")[0]
    assert first.index(" base ") < first.index(" new ")  # less bias is better


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


def test_inspect_shows_tasks_metrics_and_items(tmp_path: Path, betterthan: Command) -> None:
    fewer = NEW | {"summ": NEW["summ"][:5]}
    del fewer["arc"]
    folder = lm_eval(tmp_path, {"base": BASE, "new": fewer}, METRICS)
    run = betterthan("inspect", folder)
    assert run.code == 0, run.err
    rows = [line.split() for line in run.out.splitlines()]
    assert ["task", "metric", "base", "new"] in rows
    assert ["arc", "acc", "20", "0"] in rows
    assert ["gsm8k", "exact_match", "40", "40"] in rows
    assert ["summ", "rouge", "12", "5"] in rows
    refused = betterthan("compare", folder)
    assert refused.code == 4
    assert "task=gsm8k+hellaswag+summ" in refused.err


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


LONG = pl.DataFrame(
    {
        "id": [*range(6), *range(4)] * 2,
        "lang": (["de"] * 6 + ["fr"] * 4) * 2,
        "system": ["base"] * 10 + ["new"] * 10,
        "metric": (["comet"] * 6 + ["bleu"] * 4) * 2,
        "score": [
            *(0.1, 0.2, 0.3, 0.2, 0.1, 0.2, 20, 30, 25, 10),
            *(0.2, 0.3, 0.4, 0.3, 0.2, 0.3, 30, 35, 40, 20),
        ],
    }
)


def test_a_long_table_with_a_column_of_tasks(tmp_path: Path, betterthan: Command) -> None:
    path = tmp_path / "long.csv"
    LONG.write_csv(path)
    run = betterthan("compare", str(path), "--columns", "task=lang", "--format", "json")
    assert run.code == 0, run.err
    whole, *tasks = json.loads(run.out)["rows"]
    assert whole["metric"] == "tasks ahead"
    assert [(c["subset"], c["metric"], c["n"]) for c in tasks] == [
        ("lang=de", "mean(comet)", 6),
        ("lang=fr", "mean(bleu)", 4),
    ]
    shown = betterthan("inspect", str(path), "--columns", "task=lang").out
    rows = [line.split() for line in shown.splitlines()[-2:]]
    assert rows == [["de", "comet", "6", "6"], ["fr", "bleu", "4", "4"]]
    frame = bt.read(LONG, columns={"task": "lang"})
    assert len(bt.compare_many(frame)) == 3
    wrong = betterthan("compare", str(path), "--columns", "task=id")
    assert wrong.code in (2, 4)


def test_gates_rule_on_every_task(four: str, betterthan: Command) -> None:
    run = betterthan("gate", four, *FIRST, "--margin", "40", "--by", "task", "--format", "json")
    found = json.loads(run.out)
    assert [row["subset"] for row in found["rows"]] == [f"task={t}" for t in sorted(BASE)]
    assert run.code == found["exit_code"]
    refused = betterthan("gate", four, *FIRST, "--margin", "2")
    assert refused.code == 2
    assert "--by task" in refused.err


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


def test_columns_of_tasks_and_groups_may_be_spelled_otherwise(
    tmp_path: Path, betterthan: Callable[..., Run]
) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"q{k},{'xy'[k % 2]},{k % 3 > 0:d},{k % 5 > 0:d}\n" for k in range(12))
    path.write_text(f"item,Doc Type,a,b\n{rows}")
    for command in ("compare", "rank"):
        for role in ("--columns=task=", "--by="):
            runs = [betterthan(command, str(path), f"{role}{x}") for x in ("Doc Type", "doc_type")]
            assert [run.code for run in runs] == [0, 0], runs[1].err
            assert runs[1].out.replace("doc_type", "Doc Type") == runs[0].out
    assert betterthan("gate", str(path), "--margin", "2", "--by", "doc_type").code in (1, 3)
