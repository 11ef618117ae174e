"""Logs of evaluation harnesses give the verdict that a plain table of the same scores gives."""

import bz2
import gzip
import json
import lzma
import shlex
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
from betterthan.errors import BetterthanError, FormatError, UsageError
from betterthan.readers import streams
from betterthan.readers.families import FAMILIES
from betterthan.readers.logs.harness import Harness
from betterthan.readers.outputs.samples import EXAMPLES as OUTPUTS
from betterthan.readers.sources import read
from conftest import Run

Command = Callable[..., Run]
Results = dict[str, dict[str, float]]
METRICS = {"alpaca-eval": "win"}
RESULTS: Results = {
    "base": {str(i): float(i % 3 == 0) for i in range(12)},
    "new": {str(i): float(i % 3 < 2) for i in range(12)},
}
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "logs.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Small logs of every kind, with what is read of them or the error that they end in."""
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
    lines = [x.source.partition("--")[2] for x in (before, after)]
    assert lines[0] == lines[1]
    assert after.values.tolist() == before.values.tolist()
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


def found(*paths: str, **options: Any) -> dict[str, Any]:
    """What is read of files, or the error."""
    try:
        scores = bt.read(*paths, **options)
    except BetterthanError as error:
        remedies = [[x.parameter, x.value] for x in error.remedies if x.parameter]
        return {"source": "", "error": type(error).__name__, "advice": remedies}
    depth = None if scores.responses is None else scores.responses.shape[-1]
    return {
        "source": scores.source,
        "systems": [*scores.systems],
        "columns": [*scores.columns],
        "items": [*(scores.items or ())],
        "values": scores.values.tolist(),
        "responses": depth,
        "clusters": None if scores.clusters is None else scores.clusters.tolist(),
        "labels": {name: values.tolist() for name, values in scores.groups.items()},
        "advice": [[*pair] for pair in advice(scores.notes)],
    }


def pasted(source: str) -> dict[str, Any]:
    """The options in a Read line."""
    words = shlex.split(source[source.index("--columns") :])
    flags = [k for k, word in enumerate(words) if word.startswith("--")]
    taken = {words[k]: words[k + 1] for k in flags}
    return {
        name[2:].replace("-", "_"): x if x[0] not in "-·" else True for name, x in taken.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_small_logs(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in case["files"].items():
        write.text(Path(name), content)
    for call in case["reads"]:
        options = {name: x for name, x in call.items() if name not in ("paths", "found")}
        outcome = found(*call["paths"], **options)
        if "error" not in outcome:  # the Read line, pasted back, gives the same
            others = {name: x for name, x in options.items() if name == "missing"}
            again = found(*call["paths"], **pasted(outcome["source"]), **others)
            assert {**again, "advice": []} == {**outcome, "advice": []}
        del outcome["source"]
        assert {name: x for name, x in outcome.items() if x not in (None, {}, [])} == call["found"]


# What the commands say about logs


@pytest.mark.parametrize("kind", [kind for kind in write.WRITERS if kind != "alpaca-eval"])
def test_the_read_line_can_be_pasted_back(kind: str, tmp_path: Path) -> None:
    plain = kind in ("helm", "mt-metrics", "trec")  # which names no system so
    names = ("model0", "model1") if plain else ("a b", "b, (c)")
    paths = write.WRITERS[kind](dict(zip(names, made_up(2, 12).values(), strict=True)), tmp_path)
    ways: list[dict[str, Any]] = [{}, {"columns": "system=file"}, {"where": "task=*"}]
    for options in ways:
        scores = bt.read(*paths, **options)
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
    ways: list[tuple[Path, dict[str, Any]]] = [
        (tmp_path / "tasks", {}),
        (tmp_path / "tasks", {"where": "task=algebra", "systems": "model1"}),
        (log, {"columns": "cluster=metadata.topic"}),
    ]
    for path, options in ways:
        scores = bt.read(path, **options)
        again = bt.read(path, **pasted(scores.source))
        assert again.source == scores.source
        assert (again.tasks, again.values.tolist()) == (scores.tasks, scores.values.tolist())


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


# lm-evaluation-harness


def test_lm_eval_names_what_it_read(tmp_path: Path) -> None:
    paths = write.lm_eval(made_up(2, 5), tmp_path)
    assert read(*paths).source == (
        "2 x lm-eval · --columns item=doc_id,system=model,score=exact_match "
        "--systems model0,model1 --where filter=strict-match · gsm8k · 5 items, paired by id"
    )
    for source in (tmp_path, tmp_path / "*" / "samples_*.jsonl"):
        assert read(source).systems == ("model0", "model1")
    for path in tmp_path.rglob("results_*.json"):
        path.unlink()
    assert read(*paths).systems == ("model0", "model1")  # by folder
    plain = [path.rename(tmp_path / f"{k}.jsonl") for k, path in enumerate(paths)]
    assert read(*plain).systems == ("0", "1")  # by file


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


def test_reports_of_instances(tmp_path: Path) -> None:
    homes = write.swe_bench_instances(RESULTS, tmp_path / "logs")
    expected = {s: {write.instance(i): x for i, x in r.items()} for s, r in RESULTS.items()}
    assert by_item(read(*homes)) == expected


# The others


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
