"""Exports of further harnesses: what is an item, what is a score, and what is refused.

The files are made to the formats that the harnesses' own sources write.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import numpy as np
import polars as pl
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import AlignmentError, BetterthanError, FormatError, UsageError
from betterthan.readers.sources import read
from conftest import Run

Command = Callable[..., Run]
RESULTS = {
    "base": {str(i): float(i % 3 == 0) for i in range(12)},
    "new": {str(i): float(i % 3 < 2) for i in range(12)},
}
IDS = [write.instance(str(i)) for i in range(6)]


def by_item(scores: bt.Scores, column: int = 0) -> dict[str, dict[str, float]]:
    assert scores.items is not None
    return {
        system: dict(zip(scores.items, scores.values[:, k, column].tolist(), strict=True))
        for k, system in enumerate(scores.systems)
    }


# SWE-bench: who counts


def report(path: Path, resolved: list[str], submitted: list[str], total: int | None) -> Path:
    found: dict[str, Any] = {"submitted_ids": submitted, "resolved_ids": resolved}
    return write.write_json(path, found | ({} if total is None else {"total_instances": total}))


def test_what_was_not_submitted_is_unresolved_where_the_reports_say_how_many_there_are(
    tmp_path: Path,
) -> None:
    a = report(tmp_path / "a.json", IDS[:2], IDS[:4], 6)
    b = report(tmp_path / "b.json", IDS[1:5], IDS[1:6], 6)
    scores = read(a, b)
    assert by_item(scores) == {
        "a": {name: float(name in IDS[:2]) for name in IDS},
        "b": {name: float(name in IDS[1:5]) for name in IDS},
    }
    assert "2 instances that a did not submit are unresolved" in scores.notes
    assert "1 instances that b did not submit are unresolved" in scores.notes


@pytest.mark.parametrize(
    ("totals", "both"),
    [((None, None), IDS[1:4]), ((6, None), IDS[1:6]), ((6, 7), IDS[1:4]), ((4, 5), IDS[1:4])],
)
def test_else_it_is_refused_and_both_are_named(
    tmp_path: Path, totals: tuple[int | None, int | None], both: list[str]
) -> None:
    a = report(tmp_path / "a.json", IDS[:2], IDS[:4], totals[0])
    b = report(tmp_path / "b.json", IDS[1:5], IDS[1:6], totals[1])
    with pytest.raises(AlignmentError, match=rf"(a\.json.*{IDS[4]}.*)?b\.json.*{IDS[0]}"):
        read(a, b)
    assert set(by_item(read(a, b, missing="drop"))["a"]) == set(both)


def test_instances_that_nobody_submitted_are_said(tmp_path: Path) -> None:
    paths = [report(tmp_path / f"{n}.json", IDS[:k], IDS[:4], 300) for n, k in (("a", 1), ("b", 3))]
    scores = read(*paths)
    assert scores.n == 4
    assert "296 of 300 instances stand in no list" in scores.notes


def test_lists_of_the_leaderboard_need_to_know_all_instances(tmp_path: Path) -> None:
    paths = [
        write.write_json(
            tmp_path / name / "results" / "results.json",
            {"no_generation": IDS[5:], "no_logs": [], "resolved": IDS[:count]},
        )
        for name, count in (("20240402_a", 2), ("20240612_b", 4))
    ]
    with pytest.raises(FormatError, match="JSON array of all instance ids"):
        read(*paths)
    every = write.write_json(tmp_path / "instances.json", IDS)
    scores = read(*paths, every)
    assert scores.systems == ("20240402_a", "20240612_b")
    assert scores.values[:, :, 0].sum(axis=0).tolist() == [2, 4]
    assert scores.n == 6
    few = write.write_json(tmp_path / "few.json", IDS[:3])
    with pytest.raises(AlignmentError, match="not among the 3 instances"):
        read(*paths, few)
    with pytest.raises(FormatError, match="lists instances alone"):
        read(every)


def test_older_lists_say_all_instances_themselves(tmp_path: Path) -> None:
    paths = [
        write.write_json(
            tmp_path / f"{name}.json",
            {"no_generation": IDS[5:], "generated": IDS[:5], "applied": IDS, "resolved": IDS[:k]},
        )
        for name, k in (("a", 1), ("b", 3))
    ]
    assert read(*paths).values[:, :, 0].sum(axis=0).tolist() == [1, 3]


def test_reports_of_instances_are_put_together(tmp_path: Path) -> None:
    homes = write.swe_bench_instances(RESULTS, tmp_path)
    scores = read(*homes)
    found = by_item(scores)
    assert found == {
        system: {write.instance(item): value for item, value in values.items()}
        for system, values in RESULTS.items()
    }
    (homes[0] / write.instance("3") / "report.json").unlink()
    with pytest.raises(AlignmentError, match=write.instance("3")):
        read(*homes)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"resolved_ids": IDS, "unresolved_ids": IDS[:1]}, "resolved_ids and in unresolved_ids"),
        ({"resolved_ids": [*IDS, IDS[0]], "submitted_ids": IDS}, "more than once"),
        ({"resolved_ids": IDS, "submitted_ids": IDS, "total_instances": 2}, "there are 2"),
        ({"resolved_ids": "all", "submitted_ids": IDS}, "no list of instance ids"),
        ({"resolved_ids": [1, 2], "submitted_ids": IDS}, "no list of instance ids"),
        ({"submitted_ids": IDS}, "does not say what was resolved"),
        ({"resolved": IDS, "no_generation": IDS[:1]}, "resolved without a patch"),
        ({"resolved": IDS}, "JSON array of all"),
        ({IDS[0]: {"resolved": True}, IDS[1]: {"cost": 1}}, f'{IDS[1]} does not say "resolved"'),
        ({IDS[0]: {"resolved": True}, IDS[1]: 7}, f'{IDS[1]} does not say "resolved"'),
    ],
)
def test_reports_that_contradict_themselves(tmp_path: Path, record: Any, said: str) -> None:
    path = write.write_json(tmp_path / "a.json", record)
    with pytest.raises(BetterthanError, match=said) as caught:
        read(path)
    assert "a.json" in str(caught.value)


def test_what_instances_cost(tmp_path: Path) -> None:
    paths = write.swe_bench_details(RESULTS, tmp_path)
    scores = read(*paths, metric="mean(cost, lower_is_better)")
    assert scores.systems == ("base", "new")
    assert by_item(scores)["new"][write.instance("3")] == 3.25


# AlpacaEval, through the common opponent


def test_models_are_compared_through_their_common_opponent(
    tmp_path: Path, betterthan: Command
) -> None:
    shades = {
        name: {item: value * 0.75 + 0.1 for item, value in values.items()}
        for name, values in RESULTS.items()
    }
    paths = write.alpaca_eval(shades, tmp_path)
    scores = read(*paths, metric="win")
    assert scores.systems == ("base", "new")
    for system, values in by_item(scores).items():
        expected = {f"What is {item}?": value for item, value in shades[system].items()}
        assert values == pytest.approx(expected)
    assert scores.source.startswith("2 x judgments against gpt4_turbo · --columns item=instruction")
    assert any("wins against gpt4_turbo" in note for note in scores.notes)
    table = read(*write.wide_csv(shades, tmp_path))
    one, other = bt.compare(scores, "base", "new"), bt.compare(table, "base", "new")
    assert one.pvalue == pytest.approx(other.pvalue)
    against = bt.read(*paths, metric="win", systems=["gpt4_turbo"])
    assert against.systems == ("gpt4_turbo", "base", "new")
    run = betterthan("compare", *map(str, paths))
    assert "new from base   +0.25 " in run.out
    assert "gpt4_turbo" in run.err + run.out
    ranked = betterthan("rank", *map(str, paths), "--resamples", "99")
    assert ranked.code == 0, ranked.err
    assert "gpt4_turbo" in ranked.out


def test_models_with_different_instructions_or_opponents(tmp_path: Path) -> None:
    few = RESULTS | {"new": {"0": 1.0, "40": 0.0}}
    with pytest.raises(AlignmentError, match="11 of 13 items"):
        read(*write.alpaca_eval(few, tmp_path), metric="win")
    path = tmp_path / "new" / "annotations.json"
    path.write_text(path.read_text().replace("gpt4_turbo", "davinci", 1))
    with pytest.raises(BetterthanError):
        read(tmp_path / "base" / "annotations.json", path, metric="win")


# deepeval


def test_deepeval_passes_and_metrics(tmp_path: Path, betterthan: Command) -> None:
    paths = write.deepeval(RESULTS, tmp_path)
    scores = read(*paths)
    assert scores.systems == ("base", "new")
    assert scores.columns == ("pass",)
    assert scores.items is not None
    assert scores.items[3] == "What is 3?"
    assert "not compared: Answer Relevancy, Toxicity, cost" in scores.source
    run = betterthan("compare", *map(str, paths), "-m", "Toxicity")
    assert run.code == 2
    assert "lower_is_better" in run.err
    run = betterthan("compare", *map(str, paths), "-m", "mean(Toxicity, lower_is_better)")
    assert "better by 33.3 points" in run.out


def test_deepeval_names_and_older_files(tmp_path: Path) -> None:
    case = {"name": "test_case_0", "input": "q", "success": True}
    old = [{"metric": "Bias", "score": 0.25, "minimumScore": 0.5}]
    talk = {"name": "c", "scenario": "a refund", "success": False, "metricsData": [], "turns": []}
    a = {"testCases": [case | {"metricsMetadata": old}], "conversationalTestCases": [talk]}
    more: dict[str, Any] = {"hyperparameters": {"model": "gpt-x"}}
    scores = read(
        write.write_json(tmp_path / "a.json", a | {"identifier": "first"}),
        write.write_json(tmp_path / "b.json", a | more),
        metric=["pass"],
    )
    assert scores.systems == ("first", "gpt-x")
    latest = write.write_json(tmp_path / ".latest_test_run.json", {"testRunData": a | more})
    assert read(latest).systems == ("gpt-x",)
    assert by_item(scores)["first"] == {"q": 1.0, "a refund": 0.0}
    with pytest.raises(FormatError, match=r"e\.json holds no test cases"):
        read(write.write_json(tmp_path / "e.json", {"testCases": []}))
    with pytest.raises(FormatError, match="test case 1 has neither input nor name"):
        read(write.write_json(tmp_path / "f.json", {"testCases": [{"success": True}]}))
    twice = write.write_json(tmp_path / "t.json", {"testCases": [case, case]})
    with pytest.raises(AlignmentError, match=r"t\.json.*more than once.*'q'"):
        read(twice)


# ragas, LangSmith, Braintrust


def test_ragas_takes_known_metrics_and_no_other_number(tmp_path: Path, betterthan: Command) -> None:
    paths = write.ragas(RESULTS, tmp_path)
    scores = read(*paths)
    assert scores.columns == ("faithfulness",)
    assert "not compared: answer_relevancy, my_length" in scores.source
    assert "my_length" not in " ".join(scores.notes)
    assert read(*paths, metric="my_length").columns == ("my_length",)
    frame = pl.read_csv(paths[0]).rename({"faithfulness": "noise_sensitivity"})
    noisy = [tmp_path / f"n{k}.csv" for k in range(2)]
    for path in noisy:
        frame.write_csv(path)
    run = betterthan("compare", *map(str, noisy), "-m", "noise_sensitivity")
    assert run.code == 2
    assert "lower_is_better" in run.err


def test_ragas_older_names_json_and_parquet(tmp_path: Path) -> None:
    rows = [
        {"question": f"q{k}", "answer": "x", "contexts": ["c"], "ground_truth": str(k)}
        | {"answer_correctness": k / 4}
        for k in range(4)
    ]
    one = write.write_json(tmp_path / "one.json", rows)
    pl.DataFrame(rows).write_parquet(tmp_path / "two.parquet")
    write.write_lines(tmp_path / "three.jsonl", rows)
    scores = read(one, tmp_path / "two.parquet", tmp_path / "three.jsonl")
    assert scores.systems == ("one", "two", "three")
    assert np.array_equal(scores.values[:, 0], scores.values[:, 1])
    assert scores.values[:, 2, 0].tolist() == [0, 0.25, 0.5, 0.75]


def test_ragas_questions_must_be_the_same_samples(tmp_path: Path) -> None:
    base, new = write.ragas(RESULTS, tmp_path)
    text = new.read_text()
    new.write_text(text.replace(",7,", ",eight,"))
    with pytest.raises(AlignmentError, match="different samples under the same id"):
        read(base, new)
    lines = text.splitlines(keepends=True)
    new.write_text("".join([*lines, lines[-1]]))
    with pytest.raises(AlignmentError, match=r"new\.csv.*more than once"):
        read(base, new)


def test_a_long_table_of_answers_is_no_export(tmp_path: Path) -> None:
    rows = [
        {"item": k, "system": s, "user_input": "q", "response": "a", "faithfulness": k % 2}
        for s in "ab"
        for k in range(4)
    ]
    path = write.write_lines(tmp_path / "t.jsonl", rows)
    assert bt.read(path, columns={"score": "faithfulness"}).systems == ("a", "b")


def test_langsmith_repetitions_and_usage(tmp_path: Path) -> None:
    paths = write.langsmith(RESULTS, tmp_path)
    assert read(*paths, metric="mean(execution_time, lower_is_better)").values[3, 0, 0] == 3.5
    for path in paths:
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([*lines, *lines[1:]]))
    scores = read(*paths)
    assert scores.n == 12
    assert scores.responses is not None
    assert "2 repetitions an item" in scores.source
    paths[0].write_text("".join([*lines, lines[3]]))
    with pytest.raises(AlignmentError, match=r"base\.csv.*more than once"):
        read(*paths)


def test_braintrust_counts_samples_and_not_their_steps(tmp_path: Path) -> None:
    paths = write.braintrust(RESULTS, tmp_path)
    scores = read(*paths)
    assert scores.n == 12
    assert scores.columns == ("Factuality",)
    assert read(*paths, metric="mean(duration, lower_is_better)").values[0, 0, 0] == 1.5
    assert read(*paths, metric="mean(total_tokens, lower_is_better)").values[0, 0, 0] == 12
    rows = [
        {"id": k, "created": "2026", "input": {"q": k}, "output": "x", "scores": {"F": k % 2}}
        for k in range(4)
    ]
    flat = [
        {"id": k, "created": "2026", "input": {"q": k}, "output": "x", "scores.F": k % 2}
        for k in range(4)
    ]
    one = write.write_json(tmp_path / "one.json", rows)
    two = write.write_lines(tmp_path / "two.jsonl", flat)
    assert by_item(read(one, two))["two"] == {f'{{"q":{k}}}': k % 2 for k in range(4)}


@pytest.mark.parametrize("kind", ["ragas", "langsmith", "braintrust"])
def test_exports_without_what_tells_samples_apart(kind: str, tmp_path: Path) -> None:
    path = write.WRITERS[kind](RESULTS, tmp_path)[0]
    column = {"ragas": "user_input", "langsmith": "example_id", "braintrust": "input"}[kind]
    frame = pl.read_csv(path, infer_schema=False)
    frame.with_columns(pl.lit(None, pl.String).alias(column)).write_csv(path)
    with pytest.raises(FormatError, match=rf"base\.csv: row 1 has no {column}"):
        read(path)
    with pytest.raises(FormatError, match="has not the columns of such an export"):
        read(*write.wide_csv(RESULTS, tmp_path), input_format=kind)


def test_exports_of_two_kinds(tmp_path: Path) -> None:
    one = write.ragas(RESULTS, tmp_path / "one")[0]
    two = write.langsmith(RESULTS, tmp_path / "two")[1]
    with pytest.raises(FormatError, match=r"base\.csv and .*new\.csv are exports of ragas and L"):
        read(one, two)


# lighteval


def test_lighteval_names_models_by_their_folders(tmp_path: Path) -> None:
    results = {f"org/{name}": values for name, values in RESULTS.items()}
    write.lighteval(results, tmp_path)
    scores = read(tmp_path)
    assert scores.systems == ("org/base", "org/new")
    assert "gsm8k|5 · item=doc · score extractive_match" in scores.source


def test_lighteval_averages_and_metrics_of_the_corpus(tmp_path: Path) -> None:
    path = write.write_json(
        tmp_path / "results_x.json", {"config_general": {}, "results": {"all": {"acc": 1}}}
    )
    with pytest.raises(FormatError, match=r"results_x\.json holds averages only.*--save-details"):
        read(path)
    rows = {
        "doc": [{"id": str(k), "query": "q"} for k in range(3)],
        "metric": [{"bleu": [1.0, 2.0], "f1": k / 2} for k in range(3)],
        "model_response": [""] * 3,
    }
    pl.DataFrame(rows).write_parquet(tmp_path / "details_x.parquet")
    scores = read(tmp_path / "details_x.parquet")
    assert scores.columns == ("f1",)
    assert "metrics of the whole corpus not used: bleu" in scores.notes
    rows["metric"] = ["{'a': __import__('os')}"] * 3
    pl.DataFrame(rows).write_parquet(tmp_path / "details_y.parquet")
    with pytest.raises(FormatError, match=r"details_y\.parquet: row 1: its metrics are no record"):
        read(tmp_path / "details_y.parquet")


# OpenCompass


def test_opencompass_runs_are_responses(tmp_path: Path) -> None:
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
    assert "aime · item=sample · 4 runs an item · score correct" in scores.source
    assert scores.responses is not None
    expected = [
        [np.mean([(k + j + s) % 3 > 0 for j in range(4)]) for s in (0, 1)] for k in range(5)
    ]
    assert np.array_equal(scores.values[:, :, 0], expected)


def test_opencompass_files_without_scores_of_samples(tmp_path: Path) -> None:
    home = tmp_path / "results" / "m"
    with pytest.raises(FormatError, match=r"averages only: .*--dump-eval-details"):
        read(write.write_json(home / "gsm8k.json", {"accuracy": 71.3}))
    said = {"0": {"origin_prompt": "q", "prediction": "a", "gold": "b"}}
    with pytest.raises(FormatError, match="holds predictions and no scores"):
        read(write.write_json(tmp_path / "predictions" / "m" / "gsm8k.json", said))
    plain = {"predictions": "x", "references": "y", "origin_prediction": "z"}
    path = write.write_json(home / "a.json", {"accuracy": 1, "details": {"0": plain}})
    with pytest.raises(FormatError, match=r"a\.json holds no scores"):
        read(path)
    path = write.write_json(
        home / "b.json", {"score": 1, "details": {str(k): plain | {"rouge": k} for k in range(3)}}
    )
    with pytest.raises(FormatError, match=r"numbers \('rouge'\) is known") as caught:
        read(path)
    assert advised(caught) == [("metric", "rouge")]
    assert read(path, metric="rouge").columns == ("rouge",)


# promptfoo's tables


def test_promptfoo_csv_groups_repeats_and_knows_named_scores(tmp_path: Path) -> None:
    (path,) = write.promptfoo_csv(RESULTS, tmp_path)
    scores = read(path)
    assert scores.systems == ("base", "new")
    assert "not compared: score, brevity" in scores.source
    assert read(path, metric="brevity").values.tolist() == [[[1.0], [1.0]]] * 12
    rows = path.read_text()
    head, body = rows.split("\n", 1)
    path.write_text(head + "\n" + body + body)
    assert "2 repeats an item" in read(path).source
    path.write_text(rows.replace(",PASS,", ",DONE,", 1))
    with pytest.raises(FormatError, match=r"results\.csv: line 2 neither passed nor failed"):
        read(path)
    path.write_text(rows + "1,2\r\n")
    with pytest.raises(FormatError, match=r"line \d+ has 2 fields where line 1 has 15"):
        read(path)


def test_promptfoo_tables_of_the_first_version(tmp_path: Path) -> None:
    body = [
        {"outputs": ["[PASS] yes", "[FAIL] Expected x\n---\nno"], "vars": [str(k)]}
        for k in range(3)
    ]
    table = {"head": {"prompts": ["Ask: {{q}}", "Say: {{q}}"], "vars": ["q"]}, "body": body}
    path = write.write_json(tmp_path / "a.json", {"version": 1, "table": table, "stats": {}})
    scores = read(path)
    assert scores.systems == ("Ask: {{q}}", "Say: {{q}}")
    assert scores.values[:, :, 0].tolist() == [[1, 0]] * 3
    grid = write.write_json(tmp_path / "b.json", table)
    assert np.array_equal(read(grid).values, scores.values)


# What answers took


def test_usage_of_inspect_and_promptfoo_beside_the_score(
    tmp_path: Path, betterthan: Command
) -> None:
    usage = {"m": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
    paths = []
    for name, more in (("a", 0), ("b", 5)):
        samples = [
            write.inspect_sample(str(k), "C" if k % 2 else "I", total_time=1.0 + k + more)
            | {"model_usage": {name: {**usage["m"], "total_tokens": 15 + k + more}}}
            for k in range(8)
        ]
        paths.append(
            write.eval_archive(tmp_path / f"{name}.eval", write.inspect_header(name), samples)
        )
    words = ["-m", "match", "-m", "mean(total_tokens, lower_is_better)", "--format", "json"]
    found = json.loads(betterthan("compare", *map(str, paths), *words).out)["rows"]
    assert [one["score_candidate"] for one in found] == [0.5, 15 + 3.5 + 5]
    assert [one["verdict"] for one in found] == ["can't tell", "worse"]
    source = read(*paths).source
    assert "label metadata.topic" in source


def test_lm_eval_has_no_usage(tmp_path: Path, betterthan: Command) -> None:
    paths = write.lm_eval(RESULTS, tmp_path)
    run = betterthan("compare", *map(str, paths), "-m", "mean(total_tokens, lower_is_better)")
    assert run.code == 2
    assert "total_tokens" in run.err


def test_unknown_formats_name_the_formats(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="swe-bench"):
        read(*write.wide_csv(RESULTS, tmp_path), input_format="nothing")


def test_trec_eval_output_may_be_called_eval(tmp_path: Path) -> None:
    results = {"bm25": {"301": 0.5, "302": 0.25}, "dense": {"301": 0.5, "302": 0.75}}
    paths = [
        path.rename(path.with_name(path.name.removesuffix(".txt")))
        for path in write.trec_eval(results, tmp_path)
    ]
    assert [path.suffix for path in paths] == [".eval", ".eval"]
    scores = read(*paths)
    assert scores.systems == ("bm25", "dense")
    assert scores.n == 2
