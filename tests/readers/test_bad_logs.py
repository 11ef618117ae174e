"""Logs that cannot be used: what is wrong with which file, what to do, and exit code 4."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import pytest
from reading_ways import advised

import betterthan as bt
from betterthan.errors import AlignmentError, BetterthanError, FormatError, MissingScoresError
from betterthan.readers.sources import read
from conftest import Run

TWO = {"base": {str(i): float(i % 2) for i in range(6)}, "new": dict.fromkeys("012345", 1.0)}
SHORT = TWO | {"new": {"0": 1.0, "1": 0.0, "2": 1.0}}
IDS = [write.instance(str(i)) for i in range(6)]
MISSING = [("missing", "drop"), ("missing", "worst")]
Make = Callable[[Path], list[Path]]
Change = Callable[[Any], Any]


def cut(writer: Make, keep: int) -> Make:
    """The second file without its end."""

    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        paths[-1].write_bytes(paths[-1].read_bytes()[:keep])
        return paths

    return make


def of(writer: Callable[..., list[Path]], results: Any = TWO, **options: Any) -> Make:
    return lambda folder: writer(results, folder, **options)


def edited(writer: Make, change: Change) -> Make:
    """The JSON in the second file, or in each of its lines, changed in place."""

    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        path = next(paths[-1].glob("per_instance*")) if paths[-1].is_dir() else paths[-1]
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            records = [json.loads(line) for line in text.splitlines()]
            write.write_lines(path, map(change, records))
        else:
            write.write_json(path, change(json.loads(text)))
        return paths

    return make


def replaced(writer: Make, old: str, new: str) -> Make:
    """The text of the second file, changed."""

    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        text = paths[-1].read_text(encoding="utf-8")
        assert old in text
        paths[-1].write_text(text.replace(old, new), encoding="utf-8")
        return paths

    return make


def json_of(name: str, value: Any) -> Make:
    return lambda folder: [write.write_json(folder / name, value)]


def samples(**more: Any) -> Make:
    """Logs of both systems whose samples are alike."""

    def make(folder: Path) -> list[Path]:
        rows = [write.inspect_sample(i, None, **more) for i in "012"]
        return [inspected(folder, name, "summaries", rows) for name in TWO]

    return make


def inspected(folder: Path, name: str, kind: str, rows: list[dict[str, Any]]) -> Path:
    header = write.inspect_header(name)
    if kind == "json":
        return write.write_json(folder / f"{name}.json", header | {"samples": rows})
    summaries = kind == "summaries"
    return write.eval_archive(folder / f"{name}.eval", header, rows, summaries=summaries)


def inspect_ids(*lists: list[Any]) -> Make:
    """Logs of samples with these ids."""

    def make(folder: Path) -> list[Path]:
        rows = [
            [{"id": i, "input": f"q {str(i).strip()}", "scores": {"m": {"value": 1}}} for i in ids]
            for ids in lists
        ]
        return [inspected(folder, name, "json", x) for name, x in zip(TWO, rows, strict=True)]

    return make


def lines_of(value: float, **more: Any) -> Make:
    def make(folder: Path) -> list[Path]:
        rows = [write.lm_eval_record(i, value, **more) for i in "012"]
        return [write.write_lines(folder / f"{name}.jsonl", rows) for name in TWO]

    return make


def two_tasks(folder: Path) -> list[Path]:
    one = write.lm_eval({"base": TWO["base"]}, folder, "gsm8k")
    return one + write.lm_eval({"new": TWO["new"]}, folder, "mmlu")


def model_twice(folder: Path) -> list[Path]:
    return [write.lm_eval(TWO, folder / name)[0] for name in "ab"]


def corrupt_member(writer: Make) -> Make:
    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        with zipfile.ZipFile(paths[1]) as archive:
            place = archive.getinfo("samples/3_epoch_1.json").header_offset + 60
        data = paths[1].read_bytes()
        paths[1].write_bytes(data[:place] + b"\0" * 40 + data[place + 40 :])
        return paths

    return make


def exported(kind: str, column: str) -> Make:
    """An export whose ids are empty."""

    def make(folder: Path) -> list[Path]:
        (path, _) = write.WRITERS[kind](TWO, folder)
        head, *rows = path.read_text().splitlines()
        place = head.split(",").index(column)
        cells = [row.split(",") for row in rows]
        lines = [",".join([*row[:place], "", *row[place + 1 :]]) for row in cells]
        path.write_text("\n".join([head, *lines]))
        return [path]

    return make


lm_eval, inspect = of(write.lm_eval), of(write.inspect_json)
FAULTS: dict[str, tuple[Make, type[BetterthanError], Any]] = {
    # Cut off, damaged, not what it should be
    "lm-eval, cut off": (cut(lm_eval, -40), FormatError, []),
    "inspect, cut off": (cut(inspect, -300), FormatError, []),
    "archive, cut off": (cut(of(write.inspect_eval), -200), FormatError, []),
    "member": (corrupt_member(of(write.inspect_eval, summaries=False)), FormatError, []),
    "zstd": (corrupt_member(of(write.inspect_zstd)), FormatError, []),
    "trec, cut off": (cut(of(write.trec_eval), -30), FormatError, []),
    "mt-metrics, cut off": (cut(of(write.mt_metrics), -8), MissingScoresError, MISSING),
    "helm, other types": (
        edited(of(write.helm), lambda rows: [r | {"stats": "none"} for r in rows]),
        FormatError,
        [],
    ),
    "lm-eval, other types": (edited(lm_eval, lambda r: r | {"metrics": "acc"}), FormatError, []),
    "lm-eval, no ids": (lines_of(1.0, doc_id=None, filter=3), FormatError, []),
    "promptfoo, status": (replaced(of(write.promptfoo_csv), "PASS", "DONE"), FormatError, []),
    "promptfoo, fields": (replaced(of(write.promptfoo_csv), "\n0,", "\n1,2\n0,"), FormatError, []),
    "kinds": (lambda f: [lm_eval(f)[0], inspect(f)[1]], FormatError, [("input_format", "NAME")]),
    "exports of two kinds": (
        lambda f: [of(write.ragas)(f / "1")[0], of(write.langsmith)(f / "2")[1]],
        FormatError,
        [("input_format", "NAME")],
    ),
    # No scores of samples
    "lm-eval, averages": (
        lambda f: [next(p.parent.glob("results_*")) for p in lm_eval(f)], FormatError, []),
    "helm, averages": (lambda f: [x / "stats.json" for x in write.helm(TWO, f)], FormatError, []),
    "every-eval-ever, averages": (
        json_of("a.json", {"evaluation_id": "e", "evaluation_results": [{"x": 1}]}),
        FormatError,
        [],
    ),
    "lighteval, averages": (
        json_of("r.json", {"config_general": {}, "results": {"all": {"acc": 1}}}), FormatError, []),
    "opencompass, averages": (json_of("results/m/g.json", {"accuracy": 71.3}), FormatError, []),
    "opencompass, predictions": (
        json_of("g.json", {"0": {"origin_prompt": "q", "prediction": "a"}}), FormatError, []),
    "opencompass, other numbers": (
        json_of("results/m/b.json", {"details": {"0": {"references": "y", "rouge": 1}}}),
        FormatError,
        [("metric", "rouge")],
    ),
    "trec, averages": (
        lambda f: [write.text(f / "a.txt", "map\tall\t0.5\nP_10\tall\t0.4\n")], FormatError, []),
    "inspect, header": (json_of("a.json", write.inspect_header("a")), FormatError, []),
    "deepeval, none": (json_of("a.json", {"testCases": []}), FormatError, []),
    "inspect, unscored": (samples(scores=None), FormatError, []),
    "inspect, words": (samples(scores={"match": {"value": "splendid"}}), FormatError, []),
    "lm-eval, unscored": (lines_of(float("nan")), FormatError, []),
    "lm-eval, corpus": (lines_of(0, metrics=["bleu"], bleu=["a b", "a c"]), FormatError, []),
    "ragas, no ids": (exported("ragas", "user_input"), FormatError, []),
    "langsmith, no ids": (exported("langsmith", "example_id"), FormatError, []),
    "braintrust, no ids": (exported("braintrust", "input"), FormatError, []),
    # Runs that do not belong together
    "report of an instance twice": (
        lambda f: [p for d in "xy" for p in write.swe_bench_instances({"a": {"1": 1}}, f / d)],
        AlignmentError,
        [],
    ),
    "short": (of(write.lm_eval, SHORT), MissingScoresError, MISSING),
    "short archive": (of(write.inspect_eval, SHORT, finished=False), MissingScoresError, MISSING),
    "each lacks one": (inspect_ids([1, 2, 3], [2, 3, 4]), MissingScoresError, MISSING),
    "alpaca, other instructions": (
        of(write.alpaca_eval, TWO | {"new": {"0": 1.0, "40": 0.0}}), MissingScoresError, MISSING),
    "one has 1 and 01": (inspect_ids(["1", "2"], ["1", "01", "2"]), MissingScoresError, MISSING),
    "leading zeros": (inspect_ids([1, 2, 3], ["001", "002", "003"]), AlignmentError, None),
    "blanks": (inspect_ids([1, 2, 3], ["1", " 2", "3 "]), MissingScoresError, MISSING),
    "ids of two types": (inspect_ids([1, "1", 2], [1, 2]), AlignmentError, []),
    "a sample twice": (inspect_ids([1, 2, 2], [1, 2, 3]), AlignmentError, []),
    "a file twice": (
        lambda f: [write.text(p, p.read_text() * 2) for p in lm_eval(f)], AlignmentError, []),
    "tasks": (two_tasks, AlignmentError, []),
    "model twice": (model_twice, AlignmentError, [("columns", {"system": "file"})]),
    "two scorers": (replaced(inspect, '"match"', '"other"'), AlignmentError, []),
    # Other samples under the same ids
    "lm-eval, documents": (edited(lm_eval, lambda r: r | {"doc_hash": "x"}), AlignmentError, []),
    "openai, expected": (
        replaced(of(write.openai_evals), '"expected": "3"', '"expected": "4"'), AlignmentError, []),
    "comet, references": (edited(of(write.comet), lambda x: x | {
        "new.txt": [s | {"ref": "Another."} for s in x["new.txt"]]}), AlignmentError, []),
    "ragas, references": (replaced(of(write.ragas), ",5,", ",five,"), AlignmentError, []),
    "deepeval, expected": (
        replaced(of(write.deepeval), '"expectedOutput": "3"', '"expectedOutput": "4"'),
        AlignmentError, []),
}  # fmt: skip
REPORTS: list[tuple[Any, type[BetterthanError]]] = [  # of SWE-bench, that contradict themselves
    ({"resolved_ids": IDS, "error_ids": IDS[:1]}, FormatError),
    ({"resolved": IDS, "no_generation": IDS[:1]}, FormatError),
    ({"resolved_ids": IDS, "total_instances": 2}, FormatError),
    ({"resolved_ids": "all", "submitted_ids": IDS}, FormatError),
    ({"resolved_ids": [1], "submitted_ids": IDS}, FormatError),
    ({"submitted_ids": IDS}, FormatError),
    ({"resolved": IDS}, FormatError),
    ({IDS[0]: {"resolved": True}, IDS[1]: {"cost": 1}}, FormatError),
]
FAULTS |= {f"report {k}": (json_of("a.json", r), e, []) for k, (r, e) in enumerate(REPORTS)}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str, tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    make, error, remedies = FAULTS[fault]
    paths = make(tmp_path)
    with pytest.raises(BetterthanError) as caught:
        read(*paths, metric="win" if "alpaca" in fault else None)
    assert type(caught.value) is error, caught.value
    assert remedies is None or advised(caught) == remedies
    if "alpaca" not in fault:
        run = betterthan("compare", *map(str, paths))
        assert (run.code, run.out) == (4, "")
        assert run.err.startswith("error: ")
    if error is MissingScoresError:
        assert read(*paths, missing="drop", metric="win" if "alpaca" in fault else None).n > 0


def test_the_remedies_work(tmp_path: Path) -> None:
    assert read(*model_twice(tmp_path / "1"), columns={"system": "file"}).systems == ("a", "b")
    short = of(write.lm_eval, SHORT)
    assert read(*short(tmp_path / "2"), missing="drop").n == 3
    assert read(*short(tmp_path / "3"), missing="worst", metric="exact_match").n == 6


def test_contents_decide_not_suffixes(tmp_path: Path) -> None:
    for make, end in ((of(write.inspect_eval), ".json"), (lm_eval, ".csv")):
        assert read(*[path.rename(path.with_suffix(end)) for path in make(tmp_path / end)]).n == 6
    paths = inspect_ids([1, 2, 3], ["1", "2", "3"])(tmp_path)
    assert read(*paths).n == 3  # numbers and the same as text


def test_no_option_is_swallowed(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    paths: list[Any] = [str(path) for path in lm_eval(tmp_path)]
    for option in ("--where=task=x", "--where=filter=x", "--system=x", "--cluster=x", "--metric=x"):
        run = betterthan("compare", *paths, option)
        assert run.code == 2, option
        assert "x" in run.err
    with pytest.raises(bt.errors.UsageError, match="swe-bench"):
        read(*paths, input_format="nothing")


# Scores must be numbers


@pytest.mark.parametrize("kind", ["json", "summaries", "samples"])
def test_letters_that_are_answers_are_not_grades(tmp_path: Path, kind: str) -> None:
    paths = []
    for shift, name in enumerate(TWO):
        scores = [
            {"z": {"value": "CABDE"[(k + shift) % 5]}, "right": {"value": k % 2}} for k in range(10)
        ]
        rows = [write.inspect_sample(str(k), "C", scores=x) for k, x in enumerate(scores)]
        paths.append(inspected(tmp_path, name, kind, rows))
    found = bt.read(*paths)
    assert found.values[:, 0, 0].tolist() == [0.0, 1.0] * 5
    assert any("'z'" in note for note in found.notes)
    with pytest.raises(FormatError, match="'z'") as caught:
        bt.read(*paths, metric="z", missing="drop")
    assert advised(caught) == [("metric", "right")]
    grades = [write.inspect_sample(str(k), grade) for k, grade in enumerate(("C", "I", "N/A"))]
    missing = [inspected(tmp_path, name, kind, grades) for name in ("c", "d")]
    assert bt.read(*missing, missing="drop").n == 2


# Samples must be the same

LONG = "Answer the question with a number and say nothing else. " * 5  # more than a line
SAID = [{"id": "x", "role": "user", "content": "2 + 2?"}]
SYSTEM = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize("kinds", ["json json", "json samples", "summaries json"])
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"input": LONG + "2 + 2?"}, {"input": LONG + "3 + 3?"}, False),
        ({"target": ["four", "4"]}, {"target": ["four", "5"]}, False),
        ({"input": SAID}, {"input": [SAID[0] | {"content": "3 + 3?"}]}, False),
        (
            {"input": [{"content": [{"text": "2"}]}]},
            {"input": [{"content": [{"text": "3"}]}]},
            False,
        ),
        ({"target": "A"}, {"target": "C"}, True),  # shuffled choices
        ({"input": "attachment://0f3c"}, {"input": "a very long text"}, True),
        ({"input": SAID}, {"input": [SYSTEM, SAID[0] | {"id": "y"}]}, True),
    ],
)
def test_inspect_samples_must_be_the_same(
    tmp_path: Path, kinds: str, one: Any, other: Any, same: bool
) -> None:
    logs = [
        inspected(tmp_path, name, kind, [
            write.inspect_sample(str(k), "C") | (more if k == 2 else {}) for k in range(4)
        ])
        for name, kind, more in zip(TWO, kinds.split(), (one, other), strict=True)
    ]  # fmt: skip
    if same:
        assert bt.read(*logs).n == 4
    else:
        with pytest.raises(AlignmentError, match="1 of 4"):
            bt.read(*logs)


def unhashed(change: Change) -> Change:
    """A record as versions before 0.4.4 wrote it, after a change."""
    hashes = {"doc_hash", "prompt_hash", "target_hash"}
    return lambda r: change({k: v for k, v in r.items() if k not in hashes})


def without(*names: str) -> Change:
    return lambda record: {k: v for k, v in record.items() if k not in names}


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda r: r | {"doc": r["doc"] | {"question": "Something else?"}}, False),
        (lambda r: r | {"target": "other"}, False),
        (lambda r: without("doc")(r) | {"target": "other"}, False),
        (lambda r: r | {"doc_hash": None, "doc": {"question": ""}}, False),
        (lambda r: r | {"arguments": [["<|user|> chat", {}]]}, True),
        (lambda r: r | {"target": int(r["target"])}, True),
        (without("doc"), True),
        (without("doc", "target"), True),
    ],
)
def test_documents_of_lm_eval_without_hashes(tmp_path: Path, change: Change, same: bool) -> None:
    """They are compared by digests, also with those of versions that wrote hashes."""
    hashed, old = lm_eval(tmp_path / "1"), edited(lm_eval, unhashed(lambda r: r))(tmp_path / "2")
    new = edited(lm_eval, unhashed(change))(tmp_path / "3")[1]
    bare = edited(lm_eval, unhashed(without("doc", "target")))(tmp_path / "4")
    for first in (hashed[0], old[0]):
        if same:
            assert bt.read(first, new).n == 6
        else:
            for files in ((first, new), (bare[1], first, new)):  # the first may have nothing
                with pytest.raises(AlignmentError):
                    bt.read(*files, columns={"system": "file"})


@pytest.mark.parametrize("told", [("2 + 3?", "4"), ("2 + 2?", "5"), ("2 + 2?", "4")])
def test_helm_instances_must_be_the_same(tmp_path: Path, told: Any) -> None:
    homes = write.helm(TWO, tmp_path)
    for home, (question, answer) in zip(homes, (("2 + 2?", "4"), told), strict=True):
        wrong, right = (
            {"output": {"text": x}, "tags": t} for x, t in (("5", []), (answer, ["correct"]))
        )
        asked = [
            {"id": f"id{item}", "input": {"text": question}, "references": [wrong, right]}
            for item in TWO["base"]
        ]  # fmt: skip
        asked.append({"id": "id1", "input": "w", "perturbation": {"name": "typos"}})
        states = {"request_states": [{"instance": one, "request": {}} for one in asked]}
        write.write_json(home / "scenario_state.json", states)
    if told == ("2 + 2?", "4"):
        assert bt.read(*homes).n == 6
    else:
        with pytest.raises(AlignmentError, match="6 of 6"):
            bt.read(*homes)


@pytest.mark.parametrize("change", [{"raw": "Else?"}, {"reference": ["x"]}])
def test_every_eval_ever_without_hashes(tmp_path: Path, change: dict[str, Any]) -> None:
    (path,) = write.every_eval_ever(TWO, tmp_path)
    records = [without("sample_hash")(json.loads(x)) for x in path.read_text().splitlines()]
    assert bt.read(write.write_lines(path, records)).n == 6
    records[-1]["input"] |= change
    write.write_lines(path, records)
    with pytest.raises(AlignmentError, match="1 of 6"):
        bt.read(path)


def test_langsmith_examples_must_be_the_same(tmp_path: Path) -> None:
    head = "inputs.q,outputs.a,reference.a,feedback.right,execution_time,example_id"
    files = [
        write.text(tmp_path / "base.csv", f"{head}\nx,1,1,1,1,e1\ny,2,2,0,2,e2\n"),
        write.text(tmp_path / "new.csv", f"{head}\nx,3,1,1,1,e1\ny,4,2,1,2,e2\n"),
    ]
    assert bt.read(*files).n == 2
    write.text(files[1], files[1].read_text().replace("y,4", "z,4"))
    with pytest.raises(AlignmentError, match="1 of 2"):
        bt.read(*files)
