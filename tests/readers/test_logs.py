"""Logs of evaluation harnesses give the verdict that a plain table of the same scores gives."""

import bz2
import gzip
import json
import lzma
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_ways import advice

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.readers import streams
from betterthan.readers.families import FAMILIES
from betterthan.readers.logs.harness import Harness
from betterthan.readers.outputs.samples import EXAMPLES as OUTPUTS
from betterthan.readers.outputs.scoring import TASKS
from betterthan.readers.sources import read
from conftest import Run

Command = Callable[..., Run]
Results = dict[str, dict[str, float]]
METRICS = {"alpaca-eval": "win"}
RESULTS: Results = {
    "base": {str(i): float(i % 3 == 0) for i in range(12)},
    "new": {str(i): float(i % 3 < 2) for i in range(12)},
}
DOCS = Path(__file__).parents[2] / "docs" / "logs.md"


def made_up(systems: int, items: int, *, shades: bool = False) -> Results:
    rng = np.random.default_rng([systems, items])
    ease = rng.normal(size=items)
    results = {}
    for k in range(systems):
        latent = ease + 0.05 * k + rng.normal(size=items)
        values = np.round(latent, 3) if shades else (latent > 0).astype(float)
        results[f"model{k}"] = {str(i): float(v) for i, v in enumerate(values)}
    return results


def by_item(scores: bt.Scores) -> Results:
    assert scores.items is not None
    return {
        system: dict(zip(scores.items, scores.values[:, k, 0].tolist(), strict=True))
        for k, system in enumerate(scores.systems)
    }


def same_verdicts(scores: bt.Scores, table: bt.Scores) -> None:
    assert scores.systems == table.systems
    for one, other in zip(bt.compare_many(scores), bt.compare_many(table), strict=True):
        for name in "pvalue verdict n score_baseline score_candidate wins ties losses".split():
            assert getattr(one, name) == getattr(other, name), name


# Every format


@pytest.mark.parametrize("kind", write.WRITERS)
def test_two_models_give_the_verdict_of_the_equivalent_table(kind: str, tmp_path: Path) -> None:
    results = made_up(2, 319)
    scores = read(*write.WRITERS[kind](results, tmp_path), metric=METRICS.get(kind))
    assert scores.source.endswith(
        "319 items" if kind == "alpaca-eval" else "319 items, paired by id"
    )
    same_verdicts(scores, read(*write.wide_csv(results, tmp_path)))


@pytest.mark.parametrize("kind", ["every-eval-ever", "comet", "trec", "mt-metrics", "helm"])
def test_scores_that_are_not_right_or_wrong(kind: str, tmp_path: Path) -> None:
    results = made_up(3, 40, shades=True)
    scores = read(*write.WRITERS[kind](results, tmp_path))
    assert np.array_equal(scores.values, read(*write.wide_csv(results, tmp_path)).values)


UNORDERED = sorted(
    write.WRITERS.keys() - {"comet", "mt-metrics", "lighteval, old"}
)  # segments are known by place


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(UNORDERED),
    st.dictionaries(
        st.integers(0, 99).map(str), st.tuples(st.booleans(), st.booleans()), min_size=4
    ),
    st.randoms(use_true_random=False),
)
def test_samples_of_a_log_may_come_in_any_order(kind: str, right: Any, random: Any) -> None:
    shuffled = random.sample(list(right), len(right))
    orders = {"base": list(right), "new": shuffled}
    results = {s: {i: float(right[i][k]) for i in orders[s]} for k, s in enumerate(orders)}
    sorted_ = {s: {i: results[s][i] for i in right} for s in orders}
    if "promptfoo" in kind and kind != "promptfoo":
        results = sorted_  # a table has one order
    with tempfile.TemporaryDirectory() as folder:
        scores = read(*write.WRITERS[kind](results, Path(folder)), metric=METRICS.get(kind))
        table = read(*write.wide_csv(sorted_, Path(folder)))
    pairs = [[tuple(row) for row in x.values[:, :, 0].tolist()] for x in (scores, table)]
    assert sorted(pairs[0]) == sorted(pairs[1])


@pytest.mark.parametrize("kind", write.WRITERS)
def test_compare_and_inspect_run_on_every_format(
    kind: str, tmp_path: Path, betterthan: Command
) -> None:
    results = {s: {str(i): float(i % 3 in of) for i in range(30)} for s, of in
               (("base", (0,)), ("new", (0, 1)))}  # fmt: skip
    paths = [str(path) for path in write.WRITERS[kind](results, tmp_path)]
    run = betterthan("compare", *paths)
    assert run.code == 0, run.err
    assert "new is BETTER than base" in run.out
    assert re.search("base, ?new", betterthan("inspect", *paths).out)


SQUEEZED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize(
    ("kind", "end"),
    [(kind, [*SQUEEZED][k % 4]) for k, kind in enumerate(write.WRITERS)]
    + [("lm-eval", end) for end in SQUEEZED],
)
def test_compressed_logs_are_read_like_others(kind: str, end: str, tmp_path: Path) -> None:
    paths = write.WRITERS[kind](made_up(2, 12), tmp_path)
    if any(path.is_dir() for path in paths):  # a run's folder names its system
        paths = [path for folder in paths for path in folder.rglob("per_instance_stats.json")]
    before = read(*paths, metric=METRICS.get(kind))
    squeezed = [path.with_name(path.name + end) for path in paths]
    for path, packed in zip(paths, squeezed, strict=True):
        packed.write_bytes(SQUEEZED[end](path.read_bytes()))
        path.unlink()
    after = read(*squeezed, metric=METRICS.get(kind))
    assert (after.source, after.values.tolist()) == (before.source, before.values.tolist())
    torn = squeezed[0]
    torn.write_bytes(torn.read_bytes()[: torn.stat().st_size * 2 // 3])
    with pytest.raises(FormatError, match="cut off"):
        read(*squeezed)


@pytest.mark.parametrize("end", SQUEEZED)
def test_logs_that_swell_beyond_belief(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HARMLESS", 1 << 20)  # to be quick about it
    path = tmp_path / f"samples_x.jsonl{end}"
    line = b'{"doc_id": 0, "doc": {}, "metrics": ["acc"], "acc": 1}'
    path.write_bytes(SQUEEZED[end](line + b" " * (1 << 22)))
    with pytest.raises(FormatError, match="100 times"):
        read(path)


def test_every_format_is_listed_and_documented(betterthan: Command) -> None:
    out, docs = betterthan("list", "formats").out, DOCS.read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in docs.splitlines() if line.startswith("| ")]
    unlisted = {"csv", "tsv", "jsonl", "json", "parquet"}
    names = [name for family in FAMILIES for name in family.FORMATS]
    examples = {name: each for family in FAMILIES for name, each in family.EXAMPLES.items()}
    assert len(set(names)) == len(names)
    assert set(names) - unlisted == set(examples)
    for name, example in (examples | OUTPUTS).items():
        assert f"{name}\n" in out
        assert example.sample.strip()
        assert f"$ {example.command}" in out
    for family in FAMILIES:
        if isinstance(family, Harness):
            title = family.EXAMPLES[family.name].title.partition(":")[0]
            assert any(title.split()[0] in row for row in rows), title


@pytest.mark.parametrize("kind", TASKS)
def test_samples_of_raw_outputs_are_of_their_kind(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    example = OUTPUTS[kind]
    text = gold = example.sample + "\n"
    if kind == "squad":
        answer = {"id": "q", "question": "?", "answers": [{"text": "Denver", "answer_start": 0}]}
        paragraph = {"context": "Denver", "qas": [answer]}
        gold = json.dumps({"data": [{"title": "t", "paragraphs": [paragraph]}]})
        text = json.dumps({"q": "Denver"})
    words = example.command.split()[1:]
    for name in words[-2:]:
        Path(name).write_text(text.replace("?", "-") if kind == "alignments" else text)
    Path(words[words.index("--ref") + 1]).write_text(gold)
    run = betterthan(*words)
    assert run.code == 0, run.err
    assert f"2 x {kind}" in run.err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_table_formats_are_still_tables(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    frame = pl.DataFrame({"doc_id": [1, 2], "a": [0, 1], "b": [1, 1]})
    if suffix == "parquet":
        frame.write_parquet(path)
    elif suffix in ("csv", "tsv"):
        frame.write_csv(path, separator="," if suffix == "csv" else "\t")
    else:
        frame.write_json(path) if suffix == "json" else frame.write_ndjson(path)
    assert read(path).systems == ("a", "b")
    rows = [
        {"item": k, "system": s, "user_input": "q", "response": "a", "faithfulness": k % 2}
        for s in "ab"
        for k in range(4)
    ]
    long = write.write_lines(tmp_path / "long.jsonl", rows)  # not an export of ragas
    assert bt.read(long, columns={"score": "faithfulness"}).systems == ("a", "b")


# What the commands say about logs


def pasted(source: str) -> dict[str, Any]:
    """The options in a Read line."""
    parts = (part.removeprefix("--").partition(" ") for part in source.split(" · ") if "--" in part)
    return {name: value for name, _, value in parts}


@pytest.mark.parametrize("kind", [kind for kind in write.WRITERS if kind != "alpaca-eval"])
def test_the_read_line_can_be_pasted_back(kind: str, tmp_path: Path) -> None:
    paths = write.WRITERS[kind](made_up(2, 12), tmp_path)
    scores = read(*paths)
    again = bt.read(*paths, **pasted(scores.source))
    assert {"columns", "systems"} <= pasted(scores.source).keys()
    assert again.source == scores.source
    same_verdicts(again, scores)
    for role in ("item", "response", "label"):
        with pytest.raises(UsageError, match="x"):
            bt.read(*paths, columns={role: "x"})


def test_read_lines_of_several_tasks_repeats_and_clusters(tmp_path: Path) -> None:
    for task in ("algebra", "geometry"):
        write.lm_eval(made_up(2, 6), tmp_path / "tasks", task)
    grades = [write.inspect_sample(str(i), "CI"[i % e], epoch=e) for i in range(9) for e in (1, 2)]
    log = write.eval_archive(tmp_path / "a.eval", write.inspect_header("a"), grades)
    for path, columns in ((tmp_path / "tasks", None), (log, "cluster=metadata.topic")):
        scores = bt.read(path, columns=columns)
        again = bt.read(path, **pasted(scores.source))
        assert again.source == scores.source
        assert (again.tasks, again.values.tolist()) == (scores.tasks, scores.values.tolist())


def test_inspect_shows_what_is_missing_and_what_is_repeated(
    tmp_path: Path, betterthan: Command
) -> None:
    few = RESULTS | {"new": {"0": 1.0, "2": 0.0}}
    run = betterthan("inspect", *map(str, write.inspect_eval(few, tmp_path)))
    assert run.code == 0, run.err
    assert "Read 2 x inspect · --columns item=id,system=model,score=match" in run.err
    assert "new lacks 10 of 12" in run.out
    rows = [write.inspect_sample(str(i), "C", epoch=e) for i in range(9) for e in (1, 2, 3)]
    path = write.eval_archive(tmp_path / "a.eval", write.inspect_header("a"), rows[:-1])
    out = betterthan("inspect", str(path), "--columns", "cluster=metadata.topic").out
    assert "2 to 3 per item" in out
    assert "clusters   7" in out


def test_compare_takes_clusters_metrics_and_parts_of_logs(
    tmp_path: Path, betterthan: Command
) -> None:
    paths = [str(path) for path in write.inspect_eval(RESULTS, tmp_path)]
    run = betterthan("compare", *paths, "--cluster", "metadata.topic", "--format", "json")
    (row,) = json.loads(run.out)["rows"]
    assert (row["clusters"], row["n"], row["baseline"]) == (7, 12, "base")
    assert "metadata.topic=t3" in betterthan("compare", *paths, "--by", "metadata.topic").out
    path = str(write.promptfoo(RESULTS, tmp_path)[0])
    run = betterthan("compare", path, "-m", "pass", "-m", "score", "--format", "json")
    assert len(json.loads(run.out)["rows"]) == 2
    assert "--metric score" in betterthan("compare", path).out


def test_deepeval_knows_of_which_metrics_less_is_better(
    tmp_path: Path, betterthan: Command
) -> None:
    paths = [str(path) for path in write.deepeval(RESULTS, tmp_path)]
    run = betterthan("compare", *paths, "-m", "Toxicity")
    assert "better by 33.3 points" in run.out


# SWE-bench


def test_the_leaderboard_of_swe_bench_has_a_record_for_each_system(tmp_path: Path) -> None:
    ids = [f"django__django-{k}" for k in range(8)]
    board, every = tmp_path / "board.json", tmp_path / "ids.json"
    every.write_text(json.dumps(ids))
    solved = {"agent": ids[:3], "tool": ids[1:6]}
    for records in (
        [{"name": name, "resolved": x} for name, x in solved.items()],
        [{"name": name, "resolved": 50.0, "resolved_ids": x} for name, x in solved.items()],
    ):
        board.write_text(json.dumps(records))
        with pytest.raises(FormatError, match="ids of all instances"):
            read(board)
        scores = read(board, every)
        assert (scores.n, scores.systems) == (8, ("agent", "tool"))
        assert scores.values.sum(axis=0).ravel().tolist() == [3, 5]
    details = [
        {
            "name": name,
            "resolved": 50.0,
            "per_instance_details": {i: {"resolved": i in x} for i in ids},
        }
        for name, x in solved.items()
    ]
    board.write_text(json.dumps(details))
    np.testing.assert_array_equal(read(board).values, scores.values)


# lm-evaluation-harness


def test_lm_eval_names_what_it_read(tmp_path: Path) -> None:
    paths = write.lm_eval(made_up(2, 5), tmp_path)
    assert read(*paths).source == (
        "2 x lm-eval · --columns item=doc_id,system=model,score=exact_match · "
        "--systems model0,model1 · --where filter=strict-match · gsm8k · 5 items, paired by id"
    )
    for source in (tmp_path, tmp_path / "*" / "samples_*.jsonl"):
        assert read(source).systems == ("model0", "model1")
    for path in tmp_path.rglob("results_*.json"):
        path.unlink()
    assert read(*paths).systems == ("model0", "model1")  # by folder
    plain = [path.rename(tmp_path / f"{k}.jsonl") for k, path in enumerate(paths)]
    assert read(*plain).systems == ("0", "1")  # by file


def test_lm_eval_several_tasks(tmp_path: Path, betterthan: Command) -> None:
    for task in ("algebra", "geometry"):
        write.lm_eval(made_up(2, 6), tmp_path, task)
    scores = read(tmp_path)
    assert scores.n == 12
    assert scores.items is not None
    assert scores.items[0] == "algebra/0"
    assert set(scores.labels("task")) == {"algebra", "geometry"}
    assert bt.read(tmp_path, where={"task": "geometry"}).n == 6
    with pytest.raises(UsageError, match="law"):
        bt.read(tmp_path, where={"task": "law"})
    run = betterthan("compare", str(tmp_path), "--by", "task")
    assert "2 tasks (algebra, geometry)" in run.err
    assert "task=algebra" in run.out


def test_lm_eval_reads_nan(tmp_path: Path) -> None:
    record = write.lm_eval_record("1", float("nan"))
    plain = write.write_lines(tmp_path / "a.jsonl", [write.lm_eval_record("0", 1.0), record])
    assert b"NaN" in plain.read_bytes()
    scores = read(plain, write.write_lines(tmp_path / "b.jsonl", [write.lm_eval_record("0", 1.0)]),
                  missing="drop")  # fmt: skip
    assert (scores.n, scores.systems) == (1, ("a", "b"))


def test_lm_eval_notes_other_metrics_and_prompts(tmp_path: Path) -> None:
    paths = [
        write.write_lines(
            tmp_path / f"{name}.jsonl",
            [
                write.lm_eval_record(
                    i, 1.0, metrics=["bleu", "exact_match", "perplexity"], bleu=["a", "b"],
                    perplexity=-2.5, prompt_hash=name + i,
                )
                for i in "012"
            ],
        )
        for name in ("base", "new")
    ]  # fmt: skip
    scores = read(*paths)
    assert scores.columns == ("exact_match",)
    assert any("bleu" in note for note in scores.notes)
    assert any("prompts of 3 of 3 items differ" in note for note in scores.notes)
    assert ("metric", "loglikelihood") in advice(scores.notes)
    assert read(*paths, metric="loglikelihood").values.tolist() == [[[-2.5], [-2.5]]] * 3


# Inspect


@pytest.mark.parametrize("summaries", [True, False])
def test_inspect_grades_epochs_and_clusters(tmp_path: Path, summaries: bool) -> None:
    paths = [
        write.eval_archive(
            tmp_path / f"{name}.eval",
            write.inspect_header(name),
            [
                write.inspect_sample(str(i), grade, epoch=epoch)
                for i in range(8)
                for epoch, grade in enumerate(values, start=1)
            ],
            summaries=summaries,
        )
        for name, values in (("base", "CIPN"), ("new", "CCIP"))
    ]
    scores = bt.read(*paths, columns={"cluster": "metadata.topic"})
    assert scores.responses is not None
    assert scores.responses[0, :, 0].tolist() == [[1.0, 0.0, 0.5, 0.0], [1.0, 1.0, 0.0, 0.5]]
    assert scores.values[0, :, 0].tolist() == [0.375, 0.625]
    assert "in 7 clusters x 4 epochs" in scores.source


def test_inspect_dictionaries_and_unscored_samples(tmp_path: Path) -> None:
    def log(name: str, shift: float) -> Path:
        scores = [{"judge": {"value": {"style": i + shift, "facts": True}}} for i in range(3)]
        rows = [
            write.inspect_sample(str(i), None, scores=None if i == 0 else scores[i])
            for i in range(3)
        ]
        header = write.inspect_header(name)
        return write.write_json(tmp_path / f"{name}.json", header | {"samples": rows})

    paths = [log("base", 0.0), log("new", 0.5)]
    with pytest.raises(bt.BetterthanError) as caught:
        read(*paths)
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "drop"
    scores = read(*paths, missing="drop")
    assert scores.columns == ("judge.style",)
    assert scores.values[:, :, 0].tolist() == [[1.0, 1.5], [2.0, 2.5]]
    facts = read(*paths, missing="drop", metric="judge.facts")
    assert facts.values[:, :, 0].tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("kind", ["json", "archive", "summaries"])
def test_inspect_keeps_what_samples_took(kind: str, tmp_path: Path) -> None:
    """Also where summaries do not say it; tokens of a judge are not the model's."""
    paths = []
    for name, tokens in (("base", 30), ("new", 20)):
        usage = {name: {"total_tokens": tokens}, "judge": {"total_tokens": 1000}}
        samples = [
            write.inspect_sample(str(k), "C" if k % 2 else "I", model_usage=usage, total_time=1.5)
            for k in range(6)
        ]
        header, path = write.inspect_header(name), tmp_path / f"{name}.eval"
        paths.append(
            write.write_json(path.with_suffix(".json"), header | {"samples": samples})
            if kind == "json"
            else write.eval_archive(path, header, samples, summaries=kind == "summaries")
        )
    assert read(*paths).columns == ("match",)
    scores = read(*paths, metric=["match", "mean(total_tokens, lower_is_better)"])
    made = bt.compare(scores, metric="mean(total_tokens, lower_is_better)")
    assert (made.delta, made.wins) == (10.0, 6)
    assert bt.read(*paths, columns={"score": "total_time"}).values.mean() == 1.5
    with pytest.raises(UsageError, match="cost"):
        read(*paths, metric="cost")


def test_inspect_run_that_broke_off_is_noted(tmp_path: Path) -> None:
    header, samples = write.inspect_header("base"), [write.inspect_sample("1", "C")]
    path = tmp_path / "base.eval"
    write.eval_archive(path, header, samples, finished=False, summaries=False)
    assert any("'started'" in note for note in read(path).notes)


# promptfoo


def promptfoo_results(repeats: int, tests: int = 10, **more: object) -> list[dict[str, object]]:
    """Results as promptfoo --repeat numbers them: every repeat of a test is a separate test."""
    return [
        {
            "promptIdx": p,
            "testIdx": repeats * t + r,
            "provider": {"id": f"openai:{system}"},
            "prompt": {"raw": f"Q: {t}", "label": "Q: {{q}}"},
            "vars": {"q": t},
            "testCase": {"vars": {"q": t}, "assert": [{"type": "equals", "value": t}]},
            "success": (t + p * (t % 3)) % 2 == 0,
            "score": 1.0,
            "cost": 0.25 * (1 + p),
            "latencyMs": 100 + r,
            "response": {"output": "x", "tokenUsage": {"total": 10 * (p + 1), "prompt": 4}},
            **more,
        }
        for t in range(tests)
        for r in range(repeats)
        for p, system in enumerate(("base", "new"))
    ]


def test_promptfoo_repeats_are_responses(tmp_path: Path) -> None:
    once = read(write.write_lines(tmp_path / "once.jsonl", promptfoo_results(1)))
    scores = read(write.write_lines(tmp_path / "thrice.jsonl", promptfoo_results(3)[::-1]))
    assert scores.responses is not None
    assert scores.responses.shape[-1] == 3
    assert by_item(scores) == by_item(once)
    made, expected = (bt.compare(s, "openai:base", "openai:new") for s in (scores, once))
    assert (made.pvalue, made.n) == (expected.pvalue, expected.n)


def test_promptfoo_tests_and_providers_stay_apart(tmp_path: Path) -> None:
    lines = promptfoo_results(1, tests=6, vars={"q": "same"})
    path = tmp_path / "out.jsonl"
    assert read(write.write_lines(path, lines)).n == 6  # by what they ask of the answer
    lines = promptfoo_results(1, tests=6, vars={"q": "same"}, testCase={"vars": {"q": "same"}})
    repeated = read(write.write_lines(path, lines))
    assert repeated.n == 1
    assert repeated.responses is not None
    lines = promptfoo_results(1, provider={"id": "openai:gpt"})
    scores = read(write.write_lines(path, lines))
    assert scores.systems == ("openai:gpt · column 1", "openai:gpt · column 2")
    for p, line in enumerate(lines):
        line["prompt"] = {"raw": "x" * 100 * (p % 2 + 1)}
    scores = read(write.write_lines(path, lines))
    assert scores.systems == ("openai:gpt · prompt 1", "openai:gpt · prompt 2")


def test_promptfoo_keeps_what_answers_took(tmp_path: Path) -> None:
    path = write.write_lines(tmp_path / "out.jsonl", promptfoo_results(2))
    tokens = read(path, metric="mean(total_tokens, lower_is_better)")
    assert tokens.values.mean(axis=(0, 2)).tolist() == [10.0, 20.0]
    assert read(path, metric="latency_ms").values.mean() == 100.5
    assert bt.read(path, columns={"score": "cost"}).values.mean(axis=(0, 2)).tolist() == [0.25, 0.5]
    with pytest.raises(UsageError, match="output_tokens"):
        read(path, metric="output_tokens")


@pytest.mark.parametrize("version", [1, 2])
def test_promptfoo_before_version_three(version: int, tmp_path: Path) -> None:
    """Written to the format of the old exports, whose results come in the order of completion."""
    long = "Answer as briefly as you possibly can, in a word or two: {{q}}"
    results = [
        {
            "prompt": {"raw": display.replace("{{q}}", q), "display": display},
            "vars": {"q": q},
            "response": {"output": "x", "tokenUsage": {"total": 7}},
            "success": q in right,
        }
        for display, right, order in (("Q: {{q}}", "ac", "abcd"), (long, "abc", "dbca"))
        for q in order
    ]
    table = {"head": {"prompts": ["Q: {{q}}", long], "vars": ["q"]}, "body": []}
    log: dict[str, object] = {"version": version, "results": results, "stats": {}, "table": table}
    if version == 2:
        log = {"results": log, "config": {}, "shareableUrl": None}
    scores = read(write.write_json(tmp_path / "output.json", log))
    assert scores.systems == ("Q: {{q}}", "Answer as briefly as you possibly can, i ...")
    assert scores.responses is None
    made = bt.compare(scores)
    assert (made.wins, made.ties, made.losses) == (1, 3, 0)


def test_promptfoo_tables(tmp_path: Path) -> None:
    (path,) = write.promptfoo_csv(RESULTS, tmp_path)
    assert read(path).systems == ("base", "new")
    head, body = path.read_text().split("\n", 1)
    path.write_text(head + "\n" + body + body)
    assert "x 2 repeats" in read(path).source
    rows = [
        {"outputs": ["[PASS] yes", "[FAIL] Expected x\n---\nno"], "vars": [str(k)]}
        for k in range(3)
    ]
    table = {"head": {"prompts": ["Ask: {{q}}", "Say: {{q}}"], "vars": ["q"]}, "body": rows}
    first = write.write_json(tmp_path / "a.json", {"version": 1, "table": table, "stats": {}})
    for source in (first, write.write_json(tmp_path / "b.json", table)):
        scores = read(source)
        assert scores.systems == ("Ask: {{q}}", "Say: {{q}}")
        assert scores.values[:, :, 0].tolist() == [[1, 0]] * 3


# SWE-bench: what counts as unresolved

IDS = [write.instance(str(i)) for i in range(6)]


def test_what_one_run_did_not_submit_is_missing_or_unresolved(tmp_path: Path) -> None:
    a = write.write_json(tmp_path / "a.json", {"submitted_ids": IDS[:4], "resolved_ids": IDS[:2]})
    b = write.write_json(tmp_path / "b.json", {"submitted_ids": IDS[1:], "resolved_ids": IDS[1:5]})
    with pytest.raises(bt.errors.MissingScoresError, match=IDS[0]):
        read(a, b)
    assert set(by_item(read(a, b, missing="drop"))["a"]) == set(IDS[1:4])
    every = write.write_json(tmp_path / "instances.json", IDS)
    for scores in (read(a, b, missing="worst"), read(a, b, every)):
        assert by_item(scores) == {
            "a": {name: float(name in IDS[:2]) for name in IDS},
            "b": {name: float(name in IDS[1:5]) for name in IDS},
        }


def test_lists_of_the_leaderboard_need_to_know_all_instances(tmp_path: Path) -> None:
    paths = [
        write.write_json(
            tmp_path / name / "results" / "results.json",
            {"no_generation": IDS[5:], "no_logs": [], "resolved": IDS[:count]},
        )
        for name, count in (("20240402_a", 2), ("20240612_b", 4))
    ]
    every = write.write_json(tmp_path / "instances.json", IDS)
    few = write.write_json(tmp_path / "few.json", IDS[:3])
    for files in (paths, [*paths, few], [every]):
        with pytest.raises(bt.errors.DataError):
            read(*files)
    scores = read(*paths, every)
    assert scores.systems == ("20240402_a", "20240612_b")
    assert (scores.n, scores.values[:, :, 0].sum(axis=0).tolist()) == (6, [2, 4])
    older = [
        write.write_json(
            tmp_path / f"{name}.json",
            {"no_generation": IDS[5:], "generated": IDS[:5], "applied": IDS, "resolved": IDS[:k]},
        )
        for name, k in (("a", 1), ("b", 3))
    ]
    assert read(*older).values[:, :, 0].sum(axis=0).tolist() == [1, 3]


def test_reports_of_instances(tmp_path: Path) -> None:
    homes = write.swe_bench_instances(RESULTS, tmp_path / "logs")
    expected = {s: {write.instance(i): x for i, x in r.items()} for s, r in RESULTS.items()}
    assert by_item(read(*homes)) == expected


# The others


def test_helm_trials_and_perturbations(tmp_path: Path) -> None:
    homes = write.helm(made_up(2, 4), tmp_path)
    for home in homes:
        rows = [
            {
                "instance_id": f"id{i}",
                "train_trial_index": trial,
                "stats": [write.helm_stat("exact_match", float(trial))],
                **({"perturbation": {"name": "typos", "prob": 0.1}} if perturbed else {}),
            }
            for i in range(4)
            for trial in range(3)
            for perturbed in (False, True)
        ]
        write.write_json(home / "per_instance_stats.json", rows)
    scores = read(*homes)
    assert scores.n == 8
    assert scores.responses is not None
    assert scores.responses.shape[-1] == 3
    assert set(scores.labels("perturbation")) == {"none", "typos,prob=0.1"}
    assert bt.read(*homes, columns={"cluster": "instance"}).clusters is not None
    assert ("columns", {"cluster": "instance"}) in advice(scores.notes)


def test_mt_metrics_documents_and_unrated_segments(tmp_path: Path) -> None:
    path = tmp_path / "human-scores" / "en-de.mqm.seg.score"
    path.parent.mkdir()
    values = {"A": ["-1", "None", "-2.5", "0"], "B": ["0", "None", "-1", "-1"]}
    path.write_text("".join(f"{s}\t{x}\n" for s, row in values.items() for x in row))
    docs = tmp_path / "documents" / "en-de.docs"
    docs.parent.mkdir()
    docs.write_text("news\td1\nnews\td1\nsocial\td2\nsocial\td2\n")
    scores = read(path)
    assert scores.values[:, :, 0].tolist() == [[-1.0, 0.0], [-2.5, -1.0], [0.0, -1.0]]
    assert any("1 of 4 segments" in note for note in scores.notes)
    assert ("columns", {"cluster": "document"}) in advice(scores.notes)
    assert scores.labels("domain").tolist() == ["news", "social", "social"]
    clustered = bt.read(path, columns={"cluster": "document"}).clusters
    assert clustered is not None
    assert clustered.tolist() == ["d1", "d2", "d2"]


def test_openai_evals_match_events(tmp_path: Path) -> None:
    for name in ("base", "new"):
        rows = [
            {"run_id": "r", "event_id": i, "sample_id": f"s{i}", "type": "match",
             "data": {"correct": i % 2 == 0, "expected": "1", "picked": "1"}}
            for i in range(4)
        ]  # fmt: skip
        spec = {"spec": {"completion_fns": [name], "eval_name": "e"}}
        write.write_lines(tmp_path / f"{name}.jsonl", [spec, *rows])
    scores = read(tmp_path / "base.jsonl", tmp_path / "new.jsonl")
    assert (scores.systems, scores.columns) == (("base", "new"), ("correct",))
    assert scores.values[:, 0, 0].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_trec_counts_are_not_the_default_and_logs_may_be_called_eval(tmp_path: Path) -> None:
    paths = write.trec_eval(made_up(2, 6), tmp_path)
    scores = read(*paths)
    assert scores.columns == ("map",)
    assert scores.systems == ("model0", "model1")  # from runid
    assert read(*paths, metric="num_ret").values.tolist() == [[[100.0], [100.0]]] * 6
    renamed = [path.rename(path.with_suffix("")) for path in paths]
    assert renamed[0].suffix == ".eval"
    assert read(*renamed).n == 6


def test_deepeval_names_and_older_files(tmp_path: Path) -> None:
    case = {"name": "test_case_0", "input": "q", "success": True}
    old = [{"metric": "Bias", "score": 0.25, "minimumScore": 0.5}]
    talk = {"name": "c", "scenario": "a refund", "success": False, "metricsData": [], "turns": []}
    run: dict[str, Any] = {
        "testCases": [case | {"metricsMetadata": old}], "conversationalTestCases": [talk]
    }  # fmt: skip
    model = {"hyperparameters": {"model": "gpt-x"}}
    scores = read(
        write.write_json(tmp_path / "a.json", run | {"identifier": "first"}),
        write.write_json(tmp_path / "b.json", run | model),
        metric=["pass"],
    )
    assert scores.systems == ("first", "gpt-x")
    assert by_item(scores)["first"] == {"q": 1.0, "a refund": 0.0}
    latest = write.write_json(tmp_path / ".latest_test_run.json", {"testRunData": run | model})
    assert read(latest).systems == ("gpt-x",)


def test_ragas_takes_known_metrics_and_others_by_name(tmp_path: Path) -> None:
    paths = write.ragas(RESULTS, tmp_path)
    scores = read(*paths)
    assert scores.columns == ("faithfulness",)
    assert ("metric", "answer_relevancy") in advice(scores.notes)
    assert read(*paths, metric="my_length").columns == ("my_length",)
    rows = [
        {"question": f"q{k}", "answer": "x", "contexts": ["c"], "ground_truth": str(k)}
        | {"answer_correctness": k / 4}
        for k in range(4)
    ]  # older names
    pl.DataFrame(rows).write_parquet(tmp_path / "two.parquet")
    one = write.write_json(tmp_path / "one.json", rows)
    three = write.write_lines(tmp_path / "three.jsonl", rows)
    scores = read(one, tmp_path / "two.parquet", three)
    assert scores.systems == ("one", "two", "three")
    assert scores.values[:, :, 0].tolist() == [[k / 4] * 3 for k in range(4)]


def test_langsmith_repetitions_and_usage(tmp_path: Path) -> None:
    paths = write.langsmith(RESULTS, tmp_path)
    assert read(*paths, metric="mean(execution_time, lower_is_better)").values[3, 0, 0] == 3.5
    for path in paths:
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([*lines, *lines[1:]]))
    scores = read(*paths)
    assert scores.n == 12
    assert scores.responses is not None
    assert "x 2 repetitions" in scores.source


def test_braintrust_counts_samples_and_not_their_steps(tmp_path: Path) -> None:
    paths = write.braintrust(RESULTS, tmp_path)
    scores = read(*paths)
    assert (scores.n, scores.columns) == (12, ("Factuality",))
    assert read(*paths, metric="mean(duration, lower_is_better)").values[0, 0, 0] == 1.5
    assert read(*paths, metric="mean(tokens, lower_is_better)").values[0, 0, 0] == 12
    rows = [{"id": k, "created": "2026", "input": {"q": k}, "output": "x"} for k in range(4)]
    one = write.write_json(
        tmp_path / "one.json", [r | {"scores": {"F": k % 2}} for k, r in enumerate(rows)]
    )
    two = write.write_lines(
        tmp_path / "two.jsonl", [r | {"scores.F": k % 2} for k, r in enumerate(rows)]
    )
    assert by_item(read(one, two))["two"] == {f'{{"q":{k}}}': k % 2 for k in range(4)}


def test_lighteval_folders_and_metrics_of_the_corpus(tmp_path: Path) -> None:
    write.lighteval({f"org/{name}": values for name, values in RESULTS.items()}, tmp_path)
    scores = read(tmp_path)
    assert scores.systems == ("org/base", "org/new")
    assert "item=doc,system=model,score=extractive_match" in scores.source
    rows = {
        "doc": [{"id": str(k), "query": "q"} for k in range(3)],
        "metric": [{"bleu": [1.0, 2.0], "f1": k / 2} for k in range(3)],
        "model_response": [""] * 3,
    }
    pl.DataFrame(rows).write_parquet(tmp_path / "details_x.parquet")
    scores = read(tmp_path / "details_x.parquet")
    assert scores.columns == ("f1",)


def test_opencompass_runs_are_responses_and_other_numbers_go_by_name(tmp_path: Path) -> None:
    paths = []
    for name, shift in (("a", 0), ("b", 1)):
        details = [
            {"example_abbr": f"d_{k}", "correct": [(k + j + shift) % 3 > 0 for j in range(4)]}
            | {"pred": ["x"] * 4, "answer": ["y"] * 4, "G-Pass@4_0.5": 1.0}
            for k in range(5)
        ]
        record = {"accuracy (4 runs average)": 1.0, "details": details}
        paths.append(write.write_json(tmp_path / "results" / name / "aime.json", record))
    scores = read(*paths)
    assert scores.systems == ("a", "b")
    assert "item=sample,system=model,response=run,score=correct" in scores.source
    expected = [
        [np.mean([(k + j + s) % 3 > 0 for j in range(4)]) for s in (0, 1)] for k in range(5)
    ]
    assert np.array_equal(scores.values[:, :, 0], expected)
    plain = {"predictions": "x", "references": "y", "origin_prediction": "z"}
    log = {"score": 1, "details": {str(k): plain | {"rouge": k} for k in range(3)}}
    path = write.write_json(tmp_path / "results" / "m" / "b.json", log)
    assert read(path, metric="rouge").columns == ("rouge",)


# AlpacaEval, through the common opponent


def test_models_are_compared_through_their_common_opponent(
    tmp_path: Path, betterthan: Command
) -> None:
    shades = {s: {i: x * 0.75 + 0.1 for i, x in values.items()} for s, values in RESULTS.items()}
    paths = write.alpaca_eval(shades, tmp_path)
    scores = read(*paths, metric="win")
    for system, values in by_item(scores).items():
        expected = {f"What is {item}?": value for item, value in shades[system].items()}
        assert values == pytest.approx(expected)
    assert any("gpt4_turbo" in note for note in scores.notes)
    table = read(*write.wide_csv(shades, tmp_path))
    one, other = bt.compare(scores, "base", "new"), bt.compare(table, "base", "new")
    assert one.pvalue == pytest.approx(other.pvalue)
    against = bt.read(*paths, metric="win", systems=["gpt4_turbo"])
    assert against.systems == ("gpt4_turbo", "base", "new")
    ranked = betterthan("rank", *map(str, paths), "--resamples", "99")
    assert ranked.code == 0, ranked.err
    assert "gpt4_turbo" in ranked.out
    path = tmp_path / "new" / "annotations.json"
    path.write_text(path.read_text().replace("gpt4_turbo", "davinci", 1))
    with pytest.raises(bt.BetterthanError):  # of different opponents
        read(*paths, metric="win")
