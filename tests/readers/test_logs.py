"""Logs of evaluation harnesses give the verdict that a plain table of the same scores gives."""

import gzip
from pathlib import Path

import log_writers as write
import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import UsageError
from betterthan.readers import FAMILIES, read


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
    found = bt.compare_many(scores, metrics=[metric] if metric else None)
    expected = bt.compare_many(table)
    for one, other in zip(found, expected, strict=True):
        assert (one.pvalue, one.verdict, one.n) == (other.pvalue, other.verdict, other.n)
        assert (one.score_baseline, one.score_system) == (other.score_baseline, other.score_system)
        assert (one.wins, one.ties, one.losses) == (other.wins, other.ties, other.losses)


@pytest.mark.parametrize("kind", write.WRITERS)
def test_two_models_give_the_verdict_of_the_equivalent_table(kind: str, tmp_path: Path) -> None:
    results = made_up(2, 1319)
    paths = write.WRITERS[kind](results, tmp_path)
    scores = read(*paths)
    assert scores.source.split(" · ")[0].endswith(FRIENDLY[kind])
    assert scores.source.endswith("1,319/1,319 items paired")
    same_verdicts(scores, read(*write.wide_csv(results, tmp_path)))


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


# lm-evaluation-harness


def test_lm_eval_says_what_it_read(tmp_path: Path) -> None:
    paths = write.lm_eval(made_up(2, 5), tmp_path)
    assert read(*paths).source == (
        "2 x lm-eval · gsm8k · exact_match (strict-match) · 5/5 items paired"
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
    assert any("-> --filter flexible-extract" in note for note in scores.notes)
    assert any("-> --metric f1" in note for note in scores.notes)
    other = read(*paths, filter="flexible-extract", metric="f1")
    assert other.values[:2, 0, 0].tolist() == [1.0, 1.1]
    assert "f1 (flexible-extract)" in other.source
    assert read(*paths, metric=["exact_match", "f1"]).columns == ("exact_match", "f1")
    with pytest.raises(UsageError, match=r"no filter 'strict'.*'strict-match', 'flexible-extract'"):
        read(*paths, filter="strict")
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
    assert read(tmp_path, task="geometry").n == 6
    with pytest.raises(UsageError, match=r"no task 'law'.*'algebra', 'geometry'"):
        read(tmp_path, task="law")


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
        scores = read(*paths, cluster="metadata.topic")
        assert scores.responses is not None
        assert scores.responses[0, :, 0].tolist() == [[1.0, 0.0, 0.5, 0.0], [1.0, 1.0, 0.0, 0.5]]
        assert scores.values[0, :, 0].tolist() == [0.375, 0.625]
        assert scores.clusters is not None
        assert len(set(scores.clusters)) == 7
        assert "4 epochs an item · cluster=metadata.topic (7)" in scores.source
        with pytest.raises(UsageError, match=r"no label 'metadata.x'.*'metadata.topic'"):
            read(*paths, cluster="metadata.x")


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
    assert read(*homes, cluster="instance").clusters is not None
    assert any("--by perturbation" in note for note in scores.notes)


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
    assert any("-> --cluster document" in note for note in found.notes)
    assert found.labels("domain").tolist() == ["news", "social", "social"]
    clustered = read(path, cluster="document").clusters
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
