"""``betterthan list formats``, ``betterthan inspect``, and logs given to the other commands."""

import json
from collections.abc import Callable
from pathlib import Path

import log_writers as write
import pytest

from betterthan.readers.families import FAMILIES
from betterthan.readers.outputs.samples import EXAMPLES as OUTPUTS
from betterthan.readers.outputs.scoring import TASKS
from conftest import Run

Command = Callable[..., Run]
RESULTS = {
    "base": {str(i): float(i % 3 == 0) for i in range(30)},
    "new": {str(i): float(i % 3 < 2) for i in range(30)},
}


def test_every_format_is_listed_with_a_sample_and_a_command(betterthan: Command) -> None:
    out = betterthan("list", "formats").out
    unlisted = {"csv", "tsv", "jsonl", "json", "parquet", "ir-measures"}
    for family in FAMILIES:
        assert set(family.FORMATS) - unlisted == set(family.EXAMPLES)
    listed = {name: each for family in FAMILIES for name, each in family.EXAMPLES.items()}
    for name, example in (listed | OUTPUTS).items():
        assert f"{name}\n" in out
        assert f"$ {example.command}" in out
    assert set(OUTPUTS) == set(TASKS)


@pytest.mark.parametrize("kind", TASKS)
def test_samples_of_raw_outputs_are_of_their_kind(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    example = OUTPUTS[kind]
    text = example.sample + "\n"
    gold = text
    if kind == "squad":
        answer = {"id": "q", "question": "?", "answers": [{"text": "Denver", "answer_start": 0}]}
        paragraph = {"context": "Denver", "qas": [answer]}
        gold = json.dumps({"data": [{"title": "t", "paragraphs": [paragraph]}]})
        text = json.dumps({"q": "Denver"})
    words = example.command.split()[1:]
    given = words[words.index("--ref") + 1]
    for name in words[-2:]:
        Path(name).write_text(text.replace("?", "-") if kind == "alignments" else text)
    Path(given).write_text(gold)
    run = betterthan(*words)
    assert run.code == 0, run.err
    assert f"2 x {kind}" in run.err


def test_inspect_shows_what_is_missing_instead_of_refusing_it(
    tmp_path: Path, betterthan: Command
) -> None:
    few = RESULTS | {"new": {"0": 1.0, "2": 0.0}}
    run = betterthan("inspect", *map(str, write.inspect_eval(few, tmp_path)))
    assert run.code == 0, run.err
    assert "Read 2 x Inspect · arithmetic · item=id · score match" in run.err
    assert "new lacks 28 of 30" in run.out
    assert "metadata.topic (7)" in run.out


def test_inspect_shows_responses_and_clusters(tmp_path: Path, betterthan: Command) -> None:
    rows = [write.inspect_sample(str(i), "C", epoch=e) for i in range(9) for e in (1, 2, 3)]
    path = write.eval_archive(tmp_path / "a.eval", write.inspect_header("a"), rows[:-1])
    out = betterthan("inspect", str(path), "--columns", "cluster=metadata.topic").out
    assert "2 to 3 per item" in out
    assert "clusters   7" in out


def test_compare_takes_clusters_and_metrics_from_logs(tmp_path: Path, betterthan: Command) -> None:
    paths = [str(path) for path in write.inspect_eval(RESULTS, tmp_path)]
    run = betterthan("compare", *paths, "--cluster", "metadata.topic", "--format", "json")
    assert run.code == 0, run.err
    (found,) = json.loads(run.out)["rows"]
    assert (found["clusters"], found["n"], found["baseline"]) == (7, 30, "base")
    by = betterthan("compare", *paths, "--by", "metadata.topic")
    assert "metadata.topic=t3" in by.out


def test_compare_several_metrics_of_a_log(tmp_path: Path, betterthan: Command) -> None:
    path = str(write.promptfoo(RESULTS, tmp_path)[0])
    run = betterthan("compare", path, "-m", "pass", "-m", "score", "--format", "json")
    assert run.code == 0, run.err
    assert len(json.loads(run.out)["rows"]) == 2
    one = betterthan("compare", path)
    assert "--metric score" in one.out


def test_tasks_are_a_label(tmp_path: Path, betterthan: Command) -> None:
    for task in ("algebra", "geometry"):
        write.lm_eval(RESULTS, tmp_path, task)
    run = betterthan("compare", str(tmp_path), "--by", "task")
    assert "Read 4 x lm-eval · 2 tasks" in run.err
    assert "task=algebra" in run.out
    assert "60/60 items paired" in run.err
    assert betterthan("rank", str(tmp_path), "--where", "task=algebra").code == 0


@pytest.mark.parametrize("kind", write.WRITERS)
def test_compare_and_inspect_run_on_every_format(
    kind: str, tmp_path: Path, betterthan: Command
) -> None:
    paths = [str(path) for path in write.WRITERS[kind](RESULTS, tmp_path)]
    run = betterthan("compare", *paths)
    assert run.code == 0, run.err
    assert "new is BETTER than base" in run.out
    assert "base, new" in betterthan("inspect", *paths).out
