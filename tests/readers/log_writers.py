"""Small writers of every kind of log, with the structure that the harnesses give them.

Each takes scores by system and item and a folder, and returns the paths to give to ``read``.
"""

import csv
import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

Results = Mapping[str, Mapping[str, float]]
DATE = "2026-01-21T03-44-18.458309"
ANSWER = "Let us think step by step. " * 8


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_json(path: Path, value: Any, *, indent: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return path


Make = Callable[[str, Mapping[str, float]], Any]
Writer = Callable[[Results, Path], list[Path]]


def table_csv(path: Path, rows: Iterable[Iterable[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


def parquet(path: Path, rows: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_parquet(path)
    return path


def text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def each(name: str, write: Callable[..., Path] = write_json) -> Callable[[Make], Writer]:
    """A file for each system, of what a function makes of the system and its scores."""

    def decorated(make: Make) -> Writer:
        return lambda results, folder: [
            write(folder / name.format(s), make(s, scores)) for s, scores in results.items()
        ]

    return decorated


def wide_csv(results: Results, folder: Path) -> list[Path]:
    first = next(iter(results.values()))
    rows = [[item, *(repr(s[item]) for s in results.values())] for item in first]
    return [table_csv(folder / "equivalent.csv", [["item", *results], *rows])]


def lm_eval_record(item: str, value: float, **more: Any) -> dict[str, Any]:
    question = f"What is {item} plus {item}?"
    document = {"question": question, "answer": ANSWER}
    return {
        "doc_id": int(item),
        "doc": document,
        "target": item,
        "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["\n\n"]}}},
        "resps": [[ANSWER]],
        "filtered_resps": [item],
        "filter": "strict-match",
        "metrics": ["exact_match"],
        "doc_hash": digest(json.dumps(document, indent=2, ensure_ascii=False)),
        "prompt_hash": digest("Q: " + question),
        "target_hash": digest(item),
        "exact_match": value,
        **more,
    }


def lm_eval(results: Results, folder: Path, task: str = "gsm8k") -> list[Path]:
    paths = []
    for system, scores in results.items():
        home = folder / system.replace("/", "__")
        records = (lm_eval_record(item, value) for item, value in scores.items())
        paths.append(write_lines(home / f"samples_{task}_{DATE}.jsonl", records))
        write_json(
            home / f"results_{DATE}.json",
            {
                "results": {task: {"exact_match,strict-match": 0.5}},
                "configs": {task: {"task": task}},
                "config": {"model": "hf", "model_args": f"pretrained={system},dtype=bfloat16"},
                "model_name": system,
            },
            indent=2,
        )
    return paths


@each("{}.jsonl")
def lm_eval_old(system: str, scores: Mapping[str, float]) -> Any:
    """Before 0.4.2: an array, no names of metrics, no hashes, no filter."""
    gone = {"filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
    records = (lm_eval_record(item, value) for item, value in scores.items())
    return [{k: v for k, v in record.items() if k not in gone} for record in records]


def inspect_sample(item: str, value: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": int(item),
        "epoch": epoch,
        "input": f"What is {item}?",
        "target": item,
        "messages": [{"role": "user", "content": ANSWER}],
        "output": {"model": "m", "choices": [{"message": {"content": ANSWER}}]},
        "scores": {"match": {"value": value, "answer": item, "explanation": ANSWER}},
        "metadata": {"topic": f"t{int(item) % 7}", "nested": {"x": 1}},
        "events": [{"event": "sample_init", "sample": {"input": ANSWER}}],
        **more,
    }


def grade(value: float) -> Any:
    return {0.0: "I", 1.0: "C"}.get(value, value)


def inspect_header(system: str, task: str = "arithmetic") -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"run_id": "r", "task": task, "model": system, "dataset": {"samples": 2}},
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": 2, "scores": [{"name": "match"}]},
    }


def inspect_json(results: Results, folder: Path) -> list[Path]:
    return [
        write_json(
            folder / f"{system}.json",
            inspect_header(system)
            | {"samples": [inspect_sample(item, grade(v)) for item, v in scores.items()]},
            indent=2,
        )
        for system, scores in results.items()
    ]


def eval_archive(
    path: Path,
    header: dict[str, Any],
    samples: Iterable[dict[str, Any]],
    *,
    summaries: bool = True,
    zstd: bool = False,
    finished: bool = True,
) -> Path:
    samples = list(samples)
    members = {"_journal/start.json": {k: header[k] for k in ("version", "eval", "plan")}}
    members |= {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    short = ("id", "epoch", "input", "target", "metadata")
    if summaries:
        thin = [
            {k: s[k] for k in short if k in s}
            | {
                "scores": s.get("scores")
                and {n: {"value": v["value"]} for n, v in s["scores"].items()}
            }
            for s in samples
        ]
        members["summaries.json"] = thin  # type: ignore[assignment]
    if finished:
        members["header.json"] = header
    blobs = {name: json.dumps(value).encode() for name, value in members.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    if zstd:
        path.write_bytes(zstd_zip(blobs))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, blob in blobs.items():
            archive.writestr(name, blob)
    return path


def zstd_zip(blobs: Mapping[str, bytes]) -> bytes:
    """A zip of members compressed by Zstandard (method 93), which the library cannot write yet."""
    body, directory = b"", b""
    for name, blob in blobs.items():
        packed = zstandard.ZstdCompressor().compress(blob)
        # Version 6.3 needed; method 93; then CRC and both sizes (APPNOTE 4.3.7 and 4.4.5).
        common = struct.pack("<HHHHHIII", 63, 0, 93, 0, 0, zlib.crc32(blob), len(packed), len(blob))
        encoded = name.encode()
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + common
        directory += struct.pack("<HHHHHII", len(encoded), 0, 0, 0, 0, 0, len(body)) + encoded
        body += b"PK\x03\x04" + common + struct.pack("<HH", len(encoded), 0) + encoded + packed
    count = len(blobs)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def inspect_eval(
    results: Results, folder: Path, task: str = "arithmetic", **options: bool
) -> list[Path]:
    return [
        eval_archive(
            folder / f"{system}{f'-{task}' * (task != 'arithmetic')}.eval",
            inspect_header(system, task),
            (inspect_sample(item, grade(value)) for item, value in scores.items()),
            **options,
        )
        for system, scores in results.items()
    ]


def inspect_zstd(results: Results, folder: Path) -> list[Path]:
    return inspect_eval(results, folder, zstd=True, summaries=False)


def helm_stat(name: str, value: float) -> dict[str, Any]:
    return {"name": {"name": name, "split": "test"}, "count": 1, "sum": value, "mean": value}


def helm(results: Results, folder: Path) -> list[Path]:
    homes = []
    for system, scores in results.items():
        home = folder / f"mmlu-subject=law,model={system}"
        homes.append(home)
        write_json(
            home / "per_instance_stats.json",
            [
                {
                    "instance_id": f"id{item}",
                    "train_trial_index": 0,
                    "stats": [helm_stat("num_references", 4), helm_stat("exact_match", value)],
                }
                for item, value in scores.items()
            ],
            indent=2,
        )
        write_json(
            home / "run_spec.json",
            {"name": f"mmlu:subject=law,model={system}", "adapter_spec": {"model": system}},
        )
        write_json(home / "stats.json", [helm_stat("exact_match", 0.5)])
    return homes


def every_eval_ever(results: Results, folder: Path) -> list[Path]:
    records = (
        {
            "schema_version": "0.3.0",
            "evaluation_id": "gsm8k/1",
            "model_id": system,
            "evaluation_name": "gsm8k",
            "sample_id": f"gsm8k_{item}",
            "sample_hash": digest(item),
            "interaction_type": "single_turn",
            "input": {"raw": ANSWER, "reference": [item]},
            "output": {"raw": [ANSWER]},
            "evaluation": {"score": value, "is_correct": value == 1.0},
        }
        for system, scores in results.items()
        for item, value in scores.items()
    )
    return [write_lines(folder / "gsm8k_samples.jsonl", records)]


@each("2601_{}.jsonl", write_lines)
def openai_evals(system: str, scores: Mapping[str, float]) -> Any:
    yield {"spec": {"completion_fns": [system], "eval_name": "arithmetic.dev.v0", "split": "dev"}}
    for k, (item, value) in enumerate(scores.items()):
        common = {"run_id": "r", "sample_id": f"arithmetic.dev.{item}", "created_by": ""}
        said = {"prompt": ANSWER, "sampled": [item]}
        yield {**common, "event_id": 2 * k, "type": "sampling", "data": said}
        data = {"score": value, "expected": item, "picked": item}
        yield {**common, "event_id": 2 * k + 1, "type": "metrics", "data": data}
    yield {"final_report": {"accuracy": 0.5}}


def promptfoo(results: Results, folder: Path) -> list[Path]:
    listed = [
        {
            "promptIdx": 0,
            "testIdx": int(item),
            "provider": {"id": f"openai:{system}", "label": system},
            "prompt": {"raw": "Q: {{q}}", "label": "Q: {{q}}"},
            "vars": {"q": item},
            "response": {"output": ANSWER},
            "success": value > 0.5,
            "score": value,
            "namedScores": {"brevity": 1.0},
            "latencyMs": 100,
        }
        for system, scores in results.items()
        for item, value in scores.items()
    ]
    summary = {"version": 3, "timestamp": DATE, "prompts": [], "results": listed, "stats": {}}
    output = {"evalId": "eval-abc", "results": summary, "config": {}, "shareableUrl": None}
    return [write_json(folder / "results.json", output, indent=2)]


def comet(results: Results, folder: Path) -> list[Path]:
    segments = {
        f"{system}.txt": [
            {"src": item, "mt": ANSWER, "ref": ANSWER, "COMET": value}
            for item, value in scores.items()
        ]
        for system, scores in results.items()
    }
    return [write_json(folder / "comet.json", segments, indent=4)]


def mt_metrics(results: Results, folder: Path) -> list[Path]:
    lines = [f"{s}\t{value!r}\n" for s, scores in results.items() for value in scores.values()]
    return [text(folder / "human-scores" / "en-de.mqm.seg.score", "".join(lines))]


@each("{}.eval.txt", text)
def trec_eval(system: str, scores: Mapping[str, float]) -> Any:
    lines = [f"runid                 \tall\t{system}\n"]
    for item, value in scores.items():
        lines.append(f"num_ret               \t{item}\t100\n")
        lines.append(f"map                   \t{item}\t{value!r}\n")
    return "".join([*lines, "map                   \tall\t0.5\n"])


@each("{}.txt", text)
def ir_measures(system: str, scores: Mapping[str, float]) -> Any:
    lines = [f"{item}\tnDCG@10\t{value!r}\n" for item, value in scores.items()]
    return "".join(lines) + "all\tnDCG@10\t0.5\n"


def instance(item: str) -> str:
    return f"django__django-{10_000 + int(item)}"


@each("{}.json")
def swe_bench(system: str, scores: Mapping[str, float]) -> Any:
    """The report of a run, as the harness writes it (schema_version 2)."""
    resolved = [instance(item) for item, value in scores.items() if value]
    failed = [instance(item) for item, value in scores.items() if not value]
    return {
        "total_instances": len(scores),
        "submitted_instances": len(scores),
        "resolved_instances": len(resolved),
        "completed_ids": sorted([*resolved, *failed[:-2]]),
        "incomplete_ids": [],
        "empty_patch_ids": failed[-2:-1],
        "submitted_ids": [instance(item) for item in scores],
        "resolved_ids": sorted(resolved),
        "unresolved_ids": sorted(failed[:-2]),
        "error_ids": failed[-1:],
        "schema_version": 2,
    }


@each("{}/per_instance_details.json")
def swe_bench_details(system: str, scores: Mapping[str, float]) -> Any:
    """What submissions to the leaderboard of mini-SWE-agent hold."""
    return {
        instance(item): {"resolved": bool(value), "cost": 0.25 + int(item), "api_calls": 30}
        for item, value in scores.items()
    }


def swe_bench_instances(results: Results, folder: Path) -> list[Path]:
    """A report for every instance, in the folders of the harness's logs."""
    for system, scores in results.items():
        for item, value in scores.items():
            name = instance(item)
            report = {"patch_is_None": False, "patch_exists": True, "resolved": bool(value)}
            status = {"FAIL_TO_PASS": {"success": ["t"], "failure": []}}
            path = folder / system / name / "report.json"
            write_json(path, {name: {**report, "tests_status": status}})
    return [folder / system for system in results]


@each("{}.json")
def deepeval(system: str, scores: Mapping[str, float]) -> Any:
    cases = [
        {
            "name": f"test_case_{k}",
            "input": f"What is {item}?",
            "actualOutput": ANSWER,
            "expectedOutput": item,
            "success": value > 0.5,
            "metricsData": [
                {"name": "Answer Relevancy", "threshold": 0.5, "score": value},
                {"name": "Toxicity", "threshold": 0.5, "score": 1 - value},
            ],
            "runDuration": 1.5,
            "tokenCost": 0.001 * k,
            "order": k,
        }
        for k, (item, value) in enumerate(scores.items())
    ]
    averages = [{"metric": "Answer Relevancy", "scores": [0.5], "passes": 1}]
    run = {"testFile": "test_chatbot.py", "testCases": cases, "conversationalTestCases": []}
    return run | {"metricsScores": averages, "hyperparameters": {"temperature": 0.5}}


@each("{}.csv", table_csv)
def ragas(system: str, scores: Mapping[str, float]) -> Any:
    """What ``to_pandas().to_csv()`` writes, with its index."""
    names = ["", "user_input", "retrieved_contexts", "response", "reference", "faithfulness"]
    yield [*names, "answer_relevancy", "my_length"]
    for k, (item, value) in enumerate(scores.items()):
        yield [k, f"What is {item}?", f"['{ANSWER}']", ANSWER, item, repr(value), 0.5, 100]


@each("{}.csv", table_csv)
def langsmith(system: str, scores: Mapping[str, float]) -> Any:
    """What ``to_pandas().to_csv()`` writes, with its index."""
    names = ["", "inputs.question", "outputs.answer", "error", "reference.answer"]
    yield [*names, "feedback.correctness", "execution_time", "example_id", "id"]
    for k, (item, value) in enumerate(scores.items()):
        yield [k, "q", ANSWER, "", item, value, 0.5 + k, f"5f2c-{item}", f"{system}-{item}"]


@each("{}.csv", table_csv)
def braintrust(system: str, scores: Mapping[str, float]) -> Any:
    yield ["id", "span_id", "root_span_id", "input", "output", "expected", "scores", "metrics"]
    metrics = json.dumps({"start": 1.0, "end": 2.5, "prompt_tokens": 3, "tokens": 12})
    for item, value in scores.items():
        for span in (item, "of another"):
            asked = (f"{system}{item}", f"s{item}", f"s{span}", f"What is {item}?", ANSWER, item)
            yield [*asked, json.dumps({"Factuality": value} if span == item else {}), metrics]


def lighteval_columns(doc: str, metric: str, response: str) -> Writer:
    """The names of the columns in one of the versions."""

    @each(f"details/{{}}/{DATE}/details_gsm8k|5_{DATE}.parquet", parquet)
    def rows(system: str, scores: Mapping[str, float]) -> Any:
        return {
            doc: [{"id": item, "query": f"What is {item}?", "task_name": "g"} for item in scores],
            metric: [{"extractive_match": value, "other": None} for value in scores.values()],
            response: [{"text": [ANSWER]} for _ in scores],
        }

    return rows


lighteval = lighteval_columns("doc", "metric", "model_response")


@each(f"details/{{}}/{DATE}/details_leaderboard|arc|25_{DATE}.parquet", parquet)
def lighteval_old(system: str, scores: Mapping[str, float]) -> Any:
    """Every column as the text that Python prints."""
    return {
        "example": [f"What is {item}?" for item in scores],
        "full_prompt": [ANSWER for _ in scores],
        "num_asked_few_shots": ["0" for _ in scores],
        "metrics": [str({"acc": value}) for value in scores.values()],
    }


@each("results/{}/gsm8k.json")
def opencompass(system: str, scores: Mapping[str, float]) -> Any:
    details = {
        item: {
            "prompt": ANSWER,
            "origin_prediction": ANSWER,
            "predictions": item,
            "references": item,
            "correct": bool(value),
        }
        for item, value in scores.items()
    }
    return {"accuracy": 50.0, "details": {"type": "GEN", **details}}


@each("results/{}/gsm8k.json")
def opencompass_list(system: str, scores: Mapping[str, float]) -> Any:
    """Newer versions: a list, with lists of what the runs gave."""
    details = [
        {"example_abbr": f"gsm8k_{i}", "pred": [i], "answer": [i], "correct": [bool(value)]}
        for i, value in scores.items()
    ]
    return {"accuracy": 50.0, "details": details}


def promptfoo_table(results: Results, folder: Path) -> list[Path]:
    """A table alone, as versions before 3 have it beside the results."""
    prompts = [{"raw": "Q: {{q}}", "label": "Q: {{q}}", "provider": s} for s in results]
    body = [
        {
            "outputs": [
                {"pass": s[i] > 0.5, "score": s[i], "text": ANSWER, "latencyMs": 5, "cost": 0}
                for s in results.values()
            ],
            "vars": [i],
        }
        for i in next(iter(results.values()))
    ]
    table = {"head": {"prompts": prompts, "vars": ["q"]}, "body": body}
    whole = {"results": {"version": 2, "table": table, "stats": {}}, "shareableUrl": None}
    return [write_json(folder / "results.json", whole)]


def promptfoo_csv(results: Results, folder: Path) -> list[Path]:
    """What newer versions write: columns of the same name behind every prompt."""
    more = ["Status", "Score", "Named Scores", "Metric: brevity", "Grader Reason", "Comment"]
    rows = [["q", *(name for s in results for name in (f"[{s}] Q: {{{{q}}}}", *more))]]
    for i in next(iter(results.values())):
        rows.append([i])
        for s in results.values():
            rows[-1] += [f"{ANSWER}\n{ANSWER}", "PASS" if s[i] > 0.5 else "FAIL", f"{s[i]:.2f}"]
            rows[-1] += ['{"brevity":1}', "1.00", "", ""]
    return [table_csv(folder / "results.csv", rows)]


def promptfoo_old_csv(results: Results, folder: Path) -> list[Path]:
    """What older versions write: the verdict in front of the answer."""
    rows = [
        [i, *(f"[{'PASS' if s[i] > 0.5 else 'FAIL'}] ({s[i]:.2f}) hm" for s in results.values())]
        for i in next(iter(results.values()))
    ]
    return [table_csv(folder / "r.csv", [["q", *(f"[{s}] Q: {{{{q}}}}" for s in results)], *rows])]


@each("{}/annotations.json")
def alpaca_eval(system: str, scores: Mapping[str, float]) -> Any:
    """Annotations of one model each, all against the same reference."""
    return [
        {
            "instruction": f"What is {item}?",
            "generator_1": "gpt4_turbo",
            "output_1": ANSWER,
            "generator_2": system,
            "output_2": ANSWER,
            "annotator": "weighted_alpaca_eval_gpt4_turbo",
            "preference": 1.0 + value,
        }
        for item, value in scores.items()
    ]


WRITERS: dict[str, Writer] = {
    "lm-eval": lm_eval,
    "lm-eval, old": lm_eval_old,
    "inspect .json": inspect_json,
    "inspect .eval": inspect_eval,
    "inspect .eval, zstd": inspect_zstd,
    "helm": helm,
    "every-eval-ever": every_eval_ever,
    "openai-evals": openai_evals,
    "promptfoo": promptfoo,
    "comet": comet,
    "mt-metrics": mt_metrics,
    "trec": trec_eval,
    "ir-measures": ir_measures,
    "promptfoo, table": promptfoo_table,
    "promptfoo .csv": promptfoo_csv,
    "promptfoo .csv, old": promptfoo_old_csv,
    "swe-bench": swe_bench,
    "swe-bench, details": swe_bench_details,
    "deepeval": deepeval,
    "ragas": ragas,
    "langsmith": langsmith,
    "braintrust": braintrust,
    "lighteval": lighteval,
    "lighteval, 0.12": lighteval_columns("__doc__", "__metric__", "__model_response__"),
    "lighteval, old": lighteval_old,
    "opencompass": opencompass,
    "opencompass, list": opencompass_list,
    "alpaca-eval": alpaca_eval,
}
