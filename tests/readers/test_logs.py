"""Logs of evaluation harnesses give the verdict that a plain table of the same scores gives."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import log_writers as write
import numpy as np
import polars as pl
import pytest
import zstandard
from reading_ways import advice

import betterthan as bt
from betterthan.errors import FormatError, UsageError
from betterthan.readers import streams
from betterthan.readers.families import FAMILIES
from betterthan.readers.sources import read


def made_up(systems: int, items: int, *, shades: bool = False) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng([systems, items])
    ease = rng.normal(size=items)
    results = {}
    for k in range(systems):
        latent = ease + 0.05 * k + rng.normal(size=items)
        values = np.round(latent, 3) if shades else (latent > 0).astype(float)
        results[f"model{k}"] = {str(i): float(v) for i, v in enumerate(values)}
    return results


def same_verdicts(scores: bt.Scores, table: bt.Scores, metric: str | None = None) -> None:
    assert scores.systems == table.systems
    found = bt.compare_many(scores, metric=metric)
    expected = bt.compare_many(table)
    for one, other in zip(found, expected, strict=True):
        assert (one.pvalue, one.verdict, one.n) == (other.pvalue, other.verdict, other.n)
        assert (one.score_baseline, one.score_candidate) == (
            other.score_baseline,
            other.score_candidate,
        )
        assert (one.wins, one.ties, one.losses) == (other.wins, other.ties, other.losses)


@pytest.mark.parametrize("kind", write.WRITERS)
def test_two_models_give_the_verdict_of_the_equivalent_table(kind: str, tmp_path: Path) -> None:
    results = made_up(2, 1319)
    paths = write.WRITERS[kind](results, tmp_path)
    scores = read(*paths, metric=METRICS.get(kind))
    assert scores.source.split(" · ")[0].endswith(FRIENDLY[kind])
    assert scores.source.endswith(
        "1,319 items" if kind == "alpaca-eval" else "1,319/1,319 items paired by id"
    )
    same_verdicts(scores, read(*write.wide_csv(results, tmp_path)))


METRICS = {"alpaca-eval": "win"}
FRIENDLY = {
    "lm-eval": "2 x lm-eval",
    "lm-eval, old": "2 x lm-eval",
    "inspect .json": "2 x Inspect",
    "inspect .eval": "2 x Inspect",
    "inspect .eval, zstd": "2 x Inspect",
    "helm": "2 x HELM",
    "every-eval-ever": "1 x Every Eval Ever",
    "openai-evals": "2 x OpenAI evals",
    "promptfoo": "1 x promptfoo",
    "comet": "1 x COMET",
    "mt-metrics": "1 x mt-metrics-eval",
    "trec": "2 x trec_eval",
    "ir-measures": "2 x trec_eval",
    "promptfoo, table": "1 x promptfoo",
    "promptfoo .csv": "1 x promptfoo",
    "promptfoo .csv, old": "1 x promptfoo",
    "swe-bench": "2 x SWE-bench",
    "swe-bench, details": "2 x SWE-bench",
    "deepeval": "2 x deepeval",
    "ragas": "2 x ragas",
    "langsmith": "2 x LangSmith",
    "braintrust": "2 x Braintrust",
    "lighteval": "2 x lighteval",
    "lighteval, 0.12": "2 x lighteval",
    "lighteval, old": "2 x lighteval",
    "opencompass": "2 x OpenCompass",
    "opencompass, list": "2 x OpenCompass",
    "alpaca-eval": "2 x judgments against gpt4_turbo",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", write.WRITERS)
def test_ten_models_of_14000_items(kind: str, tmp_path: Path) -> None:
    results = made_up(10, 14_000)
    scores = read(*write.WRITERS[kind](results, tmp_path))
    table = read(*write.wide_csv(results, tmp_path))
    assert scores.systems == table.systems
    assert np.array_equal(scores.values, table.values)
    same_verdicts(scores.select("model0", "model9"), table.select("model0", "model9"))


@pytest.mark.parametrize("kind", ["every-eval-ever", "comet", "trec", "mt-metrics", "helm"])
def test_scores_that_are_not_right_or_wrong(kind: str, tmp_path: Path) -> None:
    results = made_up(3, 40, shades=True)
    scores = read(*write.WRITERS[kind](results, tmp_path))
    assert np.array_equal(scores.values, read(*write.wide_csv(results, tmp_path)).values)


def test_every_family_says_what_its_files_look_like() -> None:
    names = [name for family in FAMILIES for name in family.FORMATS]
    assert len(set(names)) == len(names)


SQUEEZED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("end", SQUEEZED)
@pytest.mark.parametrize("kind", write.WRITERS)
def test_compressed_logs_are_read_like_others(kind: str, end: str, tmp_path: Path) -> None:
    results = made_up(2, 12)
    paths = write.WRITERS[kind](results, tmp_path)
    if any(path.is_dir() for path in paths):  # a run's folder names its system
        paths = [path for folder in paths for path in folder.rglob("per_instance_stats.json")]
    before = read(*paths, metric=METRICS.get(kind))
    squeezed = []
    for path in paths:
        packed = path.with_name(path.name + end)
        packed.write_bytes(SQUEEZED[end](path.read_bytes()))
        path.unlink()
        squeezed.append(packed)
    after = read(*squeezed, metric=METRICS.get(kind))
    assert after.source == before.source
    assert np.array_equal(after.values, before.values)
    torn = squeezed[0]
    torn.write_bytes(torn.read_bytes()[: torn.stat().st_size * 2 // 3])
    with pytest.raises(FormatError, match=f"cannot read .*{end}.*damaged or cut off"):
        read(*squeezed)


@pytest.mark.parametrize("end", SQUEEZED)
def test_logs_that_swell_beyond_belief_are_refused(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HARMLESS", 1 << 20)  # to be quick about it
    path = tmp_path / f"samples_x.jsonl{end}"
    line = b'{"doc_id": 0, "doc": {}, "metrics": ["acc"], "acc": 1}'
    path.write_bytes(SQUEEZED[end](line + b" " * (1 << 22)))
    with pytest.raises(FormatError, match="swells to more than 100 times its size"):
        read(path)


# lm-evaluation-harness


def test_lm_eval_says_what_it_read(tmp_path: Path) -> None:
    paths = write.lm_eval(made_up(2, 5), tmp_path)
    assert read(*paths).source == (
        "2 x lm-eval · gsm8k · item=doc_id · score exact_match (strict-match) · "
        "systems model0, model1 · not compared: prompts and answers · 5/5 items paired by id"
    )
    assert read(tmp_path).systems == ("model0", "model1")  # a folder
    assert read(tmp_path / "*" / "samples_*.jsonl").systems == ("model0", "model1")


def test_lm_eval_names_systems_by_folder_where_nothing_else_does(tmp_path: Path) -> None:
    paths = write.lm_eval(made_up(2, 5), tmp_path)
    for path in tmp_path.rglob("results_*.json"):
        path.unlink()
    assert read(*paths).systems == ("model0", "model1")
    plain = [path.rename(tmp_path / f"{k}.jsonl") for k, path in enumerate(paths)]
    assert read(*plain).systems == ("0", "1")


def test_lm_eval_filters_and_metrics(tmp_path: Path) -> None:
    paths = [
        write.write_lines(
            tmp_path / name / f"samples_gsm8k_{write.DATE}.jsonl",
            [
                write.lm_eval_record(
                    str(i),
                    float(i % 2 == shift),
                    filter=kind,
                    metrics=["exact_match", "f1"],
                    f1=i / 10 + shift,
                )
                for i in range(10)
                for kind, shift in (("strict-match", 0), ("flexible-extract", 1))
            ],
        )
        for name in ("base", "new")
    ]
    scores = read(*paths)
    assert scores.values[:2, 0, 0].tolist() == [1.0, 0.0]
    noted = advice(scores.notes)
    assert ("where", {"filter": "flexible-extract"}) in noted
    assert ("metric", "f1") in noted
    other = bt.read(*paths, where={"filter": "flexible-extract"}, metric="f1")
    assert other.values[:2, 0, 0].tolist() == [1.0, 1.1]
    assert "f1 (flexible-extract)" in other.source
    assert read(*paths, metric=["exact_match", "f1"]).columns == ("exact_match", "f1")
    with pytest.raises(UsageError, match=r"no filter 'strict'.*'strict-match', 'flexible-extract'"):
        bt.read(*paths, where={"filter": "strict"})
    with pytest.raises(UsageError, match="no metric 'bleurt'; it has 'exact_match', 'f1'"):
        read(*paths, metric="bleurt")


def test_lm_eval_several_tasks(tmp_path: Path) -> None:
    for task in ("algebra", "geometry"):
        write.lm_eval(made_up(2, 6), tmp_path, task)
    scores = read(tmp_path)
    assert scores.n == 12
    assert scores.items is not None
    assert scores.items[0] == "algebra/0"
    assert set(scores.labels("task")) == {"algebra", "geometry"}
    assert bt.read(tmp_path, where={"task": "geometry"}).n == 6
    with pytest.raises(UsageError, match=r"no task 'law'.*algebra, geometry"):
        bt.read(tmp_path, where={"task": "law"})


def test_lm_eval_reads_nan_and_compressed_logs(tmp_path: Path) -> None:
    record = write.lm_eval_record("1", float("nan"))
    plain = write.write_lines(tmp_path / "a.jsonl", [write.lm_eval_record("0", 1.0), record])
    assert b"NaN" in plain.read_bytes()
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    scores = read(plain, tmp_path / "b.jsonl.gz", missing="drop")
    assert (scores.n, scores.systems) == (1, ("a", "b"))


def test_lm_eval_version_03(tmp_path: Path) -> None:
    rows = [
        {
            "doc_id": i,
            "prompt_0": write.ANSWER,
            "logit_0": "-1.5",
            "truth": "2",
            "acc": f"{i % 2}.0",
        }
        for i in range(4)
    ]
    for name in ("x", "y"):
        write.write_json(tmp_path / f"{name}_write_out_info.json", rows, indent=2)
    scores = read(tmp_path / "x_write_out_info.json", tmp_path / "y_write_out_info.json")
    assert scores.columns == ("acc",)
    assert scores.values[:, 0, 0].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_lm_eval_corpus_metrics_beside_others_are_said(tmp_path: Path) -> None:
    rows = [
        write.lm_eval_record(i, 1.0, metrics=["bleu", "exact_match"], bleu=["a", "b"])
        for i in "012"
    ]
    paths = [write.write_lines(tmp_path / f"{name}.jsonl", rows) for name in ("base", "new")]
    scores = read(*paths)
    assert scores.columns == ("exact_match",)
    assert "metrics of the whole corpus not used: bleu" in scores.notes
    with pytest.raises(bt.BetterthanError, match=r"'bleu' is a metric of the whole corpus"):
        read(*paths, metric="bleu")


def test_differing_prompts_are_said(tmp_path: Path) -> None:
    for name in ("base", "new"):
        rows = [write.lm_eval_record(str(i), 1.0, prompt_hash=name + str(i)) for i in range(3)]
        write.write_lines(tmp_path / f"{name}.jsonl", rows)
    notes = read(tmp_path / "base.jsonl", tmp_path / "new.jsonl").notes
    assert any("prompts of 3 of 3 items differ" in note for note in notes)


# Inspect


def test_inspect_grades_epochs_and_clusters(tmp_path: Path) -> None:
    def samples(values: str) -> list[dict[str, object]]:
        return [
            write.inspect_sample(str(i), grade, epoch=epoch)
            for i in range(8)
            for epoch, grade in enumerate(values, start=1)
        ]

    for summaries in (True, False):
        paths = [
            write.eval_archive(
                tmp_path / f"{name}{summaries}.eval",
                write.inspect_header(name),
                samples(values),
                summaries=summaries,
            )
            for name, values in (("base", "CIPN"), ("new", "CCIP"))
        ]
        scores = bt.read(*paths, columns={"cluster": "metadata.topic"})
        assert scores.responses is not None
        assert scores.responses[0, :, 0].tolist() == [[1.0, 0.0, 0.5, 0.0], [1.0, 1.0, 0.0, 0.5]]
        assert scores.values[0, :, 0].tolist() == [0.375, 0.625]
        assert scores.clusters is not None
        assert len(set(scores.clusters)) == 7
        assert "4 epochs an item · cluster=metadata.topic (7)" in scores.source
        with pytest.raises(UsageError, match=r"no label 'metadata.x'.*'metadata.topic'"):
            bt.read(*paths, columns={"cluster": "metadata.x"})


def test_inspect_dictionaries_and_unscored_samples(tmp_path: Path) -> None:
    def log(name: str, shift: float) -> Path:
        rows = [
            write.inspect_sample(
                str(i),
                None,
                scores={"judge": {"value": {"style": i + shift, "facts": True}}} if i else None,
            )
            for i in range(3)
        ]
        return write.write_json(
            tmp_path / f"{name}.json", write.inspect_header(name) | {"samples": rows}
        )

    paths = [log("base", 0.0), log("new", 0.5)]
    with pytest.raises(bt.BetterthanError, match=r"'base' has no score for 1 of 3 items .'0'"):
        read(*paths)
    scores = read(*paths, missing="drop")
    assert scores.columns == ("judge.style",)
    assert scores.values[:, :, 0].tolist() == [[1.0, 1.5], [2.0, 2.5]]
    facts = read(*paths, missing="drop", metric="judge.facts")
    assert facts.values[:, :, 0].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_inspect_run_that_broke_off_is_said(tmp_path: Path) -> None:
    paths = [
        write.eval_archive(
            tmp_path / f"{name}.eval",
            write.inspect_header(name),
            [write.inspect_sample("1", "C")],
            finished=name == "new",
            summaries=False,
        )
        for name in ("base", "new")
    ]
    assert "base.eval is of a run that ended as 'started'" in read(*paths).notes


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
    scores = {"A": ["-1", "None", "-2.5", "0"], "B": ["0", "None", "-1", "-1"]}
    lines = [f"{system}\t{value}\n" for system, values in scores.items() for value in values]
    path.write_text("".join(lines), encoding="utf-8")
    docs = tmp_path / "documents" / "en-de.docs"
    docs.parent.mkdir()
    docs.write_text("news\td1\nnews\td1\nsocial\td2\nsocial\td2\n", encoding="utf-8")
    found = read(path)
    assert found.values[:, :, 0].tolist() == [[-1.0, 0.0], [-2.5, -1.0], [0.0, -1.0]]
    assert any("1 of 4 segments left out" in note for note in found.notes)
    assert ("columns", {"cluster": "document"}) in advice(found.notes)
    assert found.labels("domain").tolist() == ["news", "social", "social"]
    clustered = bt.read(path, columns={"cluster": "document"}).clusters
    assert clustered is not None
    assert clustered.tolist() == ["d1", "d2", "d2"]


def test_promptfoo_prompts_are_systems(tmp_path: Path) -> None:
    lines = [
        {
            "promptIdx": p,
            "testIdx": t,
            "provider": {"id": "openai:gpt"},
            "prompt": {"raw": "x" * 100 * (p + 1)},
            "success": bool((t + p) % 2),
            "score": 0.5,
        }
        for t in range(4)
        for p in range(2)
    ]
    scores = read(write.write_lines(tmp_path / "out.jsonl", lines))
    assert scores.systems == ("openai:gpt · prompt 1", "openai:gpt · prompt 2")
    assert scores.columns == ("pass",)
    assert read(tmp_path / "out.jsonl", metric="score").values.mean() == 0.5


def test_openai_evals_match_events(tmp_path: Path) -> None:
    for name in ("base", "new"):
        rows = [
            {"spec": {"completion_fns": [name], "eval_name": "e"}},
            *(
                {
                    "run_id": "r",
                    "event_id": i,
                    "sample_id": f"s{i}",
                    "type": "match",
                    "data": {"correct": i % 2 == 0, "expected": "1", "picked": "1"},
                }
                for i in range(4)
            ),
        ]
        write.write_lines(tmp_path / f"{name}.jsonl", rows)
    scores = read(tmp_path / "base.jsonl", tmp_path / "new.jsonl")
    assert scores.systems == ("base", "new")
    assert scores.columns == ("correct",)
    assert scores.values[:, 0, 0].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_trec_counts_are_nobodys_default(tmp_path: Path) -> None:
    paths = write.trec_eval(made_up(2, 6), tmp_path)
    scores = read(*paths)
    assert scores.columns == ("map",)
    assert scores.systems == ("model0", "model1")  # from runid
    assert read(*paths, metric="num_ret").values.tolist() == [[[100.0], [100.0]]] * 6


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
    assert "wide table" in read(path).source


def promptfoo_results(repeats: int, tests: int = 10, **more: object) -> list[dict[str, object]]:
    """Results as promptfoo --repeat numbers them: every repeat of a test is a test of its own."""
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
    lines = promptfoo_results(3)
    scores = read(write.write_lines(tmp_path / "thrice.jsonl", lines[::-1]))
    assert (once.n, scores.n) == (10, 10)
    assert scores.responses is not None
    assert scores.responses.shape[-1] == 3
    assert once.items is not None
    assert scores.items is not None
    order = [scores.items.tolist().index(item) for item in once.items]
    assert sorted(scores.items.tolist()) == sorted(once.items.tolist())
    by_system = [scores.systems.index(name) for name in once.systems]
    assert scores.values[order][:, by_system].tolist() == once.values.tolist()
    made, expected = (bt.compare(s, "openai:base", "openai:new") for s in (scores, once))
    assert (made.pvalue, made.n) == (expected.pvalue, expected.n)


def test_promptfoo_tests_with_the_same_variables_are_told_by_what_they_ask(tmp_path: Path) -> None:
    lines = promptfoo_results(1, tests=6)
    for line in lines:
        line["vars"] = {"q": "same"}
    assert read(write.write_lines(tmp_path / "out.jsonl", lines)).n == 6
    for line in lines:
        line["testCase"] = {"vars": {"q": "same"}}
    repeated = read(write.write_lines(tmp_path / "all.jsonl", lines))
    assert repeated.n == 1
    assert repeated.responses is not None


def test_promptfoo_providers_of_one_name_stay_apart(tmp_path: Path) -> None:
    lines = promptfoo_results(1, provider={"id": "openai:gpt"})
    scores = read(write.write_lines(tmp_path / "out.jsonl", lines))
    assert scores.systems == ("openai:gpt · column 1", "openai:gpt · column 2")
    assert scores.responses is None


def test_promptfoo_keeps_what_answers_took(tmp_path: Path) -> None:
    path = write.write_lines(tmp_path / "out.jsonl", promptfoo_results(2))
    assert read(path).columns == ("pass",)
    tokens = read(path, metric="mean(total_tokens, lower_is_better)")
    assert tokens.columns == ("total_tokens",)
    assert tokens.values.mean(axis=(0, 2)).tolist() == [10.0, 20.0]
    assert read(path, metric="latency_ms").values.mean() == 100.5
    assert bt.read(path, columns={"score": "cost"}).values.mean(axis=(0, 2)).tolist() == [0.25, 0.5]
    with pytest.raises(UsageError, match="no metric 'output_tokens'"):
        read(path, metric="output_tokens")


def test_inspect_keeps_what_samples_took(tmp_path: Path) -> None:
    for name, tokens in (("base", 30), ("new", 20)):
        samples = [
            {
                "id": k,
                "epoch": 1,
                "input": f"q{k}",
                "scores": {"match": {"value": "C" if k % 2 else "I"}},
                "model_usage": {
                    f"openai/{name}": {"input_tokens": 5, "total_tokens": tokens + k},
                    "openai/judge": {"total_tokens": 1000},
                },
                "total_time": 1.5,
            }
            for k in range(6)
        ]
        log = {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": f"openai/{name}"},
            "samples": samples,
        }
        write.write_json(tmp_path / f"{name}.json", log)
    files = (tmp_path / "base.json", tmp_path / "new.json")
    assert read(*files).columns == ("match",)
    assert not any("total_tokens" in note for note in read(*files).notes)
    found = read(*files, metric=["match", "mean(total_tokens, lower_is_better)"])
    assert found.columns == ("match", "total_tokens")
    made = bt.compare(found, metric="mean(total_tokens, lower_is_better)")
    assert (made.delta, made.wins) == (10.0, 6)
    assert read(*files, metric="total_time").values.mean() == 1.5
    with pytest.raises(UsageError, match="no metric 'cost'"):
        read(*files, metric="cost")


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
    if version == 1:
        log: dict[str, object] = {"version": 1, "results": results, "stats": {}, "table": table}
    else:
        inner = {"version": 2, "results": results, "stats": {}, "table": table}
        log = {"results": inner, "config": {}, "shareableUrl": None}
    scores = read(write.write_json(tmp_path / "output.json", log))
    assert scores.systems == ("Q: {{q}}", "Answer as briefly as you possibly can, i ...")
    assert scores.responses is None
    made = bt.compare(scores)
    assert (made.wins, made.ties, made.losses) == (1, 3, 0)


def test_inspect_archives_whose_summaries_do_not_say_what_samples_took(tmp_path: Path) -> None:
    paths = [
        write.eval_archive(
            tmp_path / f"{name}.eval",
            write.inspect_header(name),
            [
                write.inspect_sample(
                    str(k), "C", model_usage={name: {"total_tokens": tokens}}, total_time=2.0
                )
                for k in range(5)
            ],
        )
        for name, tokens in (("base", 30), ("new", 20))
    ]
    assert read(*paths).columns == ("match",)
    tokens = read(*paths, metric="mean(total_tokens, lower_is_better)").values
    assert tokens.mean(axis=(0, 2)).tolist() == [30.0, 20.0]
    assert bt.read(*paths, columns={"score": "total_time"}).values.mean() == 2.0
