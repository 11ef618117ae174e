"""Logs that cannot be used: the message names file, line or sample, and what to do; exit 4."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import pytest

from betterthan.errors import BetterthanError
from betterthan.readers.sources import read
from conftest import Run

TWO = {"base": {str(i): float(i % 2) for i in range(6)}, "new": dict.fromkeys("012345", 1.0)}


def cut_last_line(folder: Path) -> list[Path]:
    paths = write.lm_eval(TWO, folder)
    paths[1].write_bytes(paths[1].read_bytes()[:-40])
    return paths


def truncated_run(folder: Path) -> list[Path]:
    return write.lm_eval(TWO | {"new": {"0": 1.0, "1": 0.0, "2": 1.0}}, folder)


def truncated_archive_run(folder: Path) -> list[Path]:
    return write.inspect_eval(TWO | {"new": {"0": 1.0, "1": 0.0}}, folder, finished=False)


def two_tasks(folder: Path) -> list[Path]:
    one = write.lm_eval({"base": TWO["base"]}, folder, "gsm8k")
    return one + write.lm_eval({"new": TWO["new"]}, folder, "mmlu")


def other_documents(folder: Path) -> list[Path]:
    paths = write.lm_eval(TWO, folder)
    rows = [write.lm_eval_record(i, 1.0, doc_hash=f"other{i}") for i in "012345"]
    return [paths[0], write.write_lines(paths[1], rows)]


def other_inputs(folder: Path) -> list[Path]:
    paths = write.inspect_json(TWO, folder)
    log = json.loads(paths[1].read_text(encoding="utf-8"))
    log["samples"][3]["input"] = "Something else?"
    return [paths[0], write.write_json(paths[1], log)]


def model_twice(folder: Path) -> list[Path]:
    return write.lm_eval(TWO, folder / "a")[:1] + write.lm_eval(TWO, folder / "b")[:1]


def nothing_scored(folder: Path) -> list[Path]:
    rows = [write.inspect_sample(i, None, scores=None) for i in "012"]
    return [
        write.eval_archive(folder / f"{name}.eval", write.inspect_header(name), rows)
        for name in TWO
    ]


def scored_in_words(folder: Path) -> list[Path]:
    rows = [write.inspect_sample(i, "splendid") for i in "012"]
    return [
        write.eval_archive(folder / f"{name}.eval", write.inspect_header(name), rows)
        for name in TWO
    ]


def two_scorers(folder: Path) -> list[Path]:
    paths = write.inspect_json(TWO, folder)
    text = paths[1].read_text(encoding="utf-8").replace('"match"', '"other"')
    paths[1].write_text(text, encoding="utf-8")
    return paths


def nothing_scored_by_lm_eval(folder: Path) -> list[Path]:
    rows = [write.lm_eval_record(i, float("nan")) for i in "012"]
    return [write.write_lines(folder / f"{name}.jsonl", rows) for name in TWO]


def corrupt_zip(folder: Path) -> list[Path]:
    paths = write.inspect_eval(TWO, folder)
    paths[1].write_bytes(paths[1].read_bytes()[:-200])
    return paths


def corrupt_member(folder: Path) -> list[Path]:
    paths = write.inspect_eval(TWO, folder, summaries=False)
    with zipfile.ZipFile(paths[1]) as archive:
        at = archive.getinfo("samples/3_epoch_1.json").header_offset
    data = bytearray(paths[1].read_bytes())
    data[at + 80 : at + 120] = b"\0" * 40
    paths[1].write_bytes(bytes(data))
    return paths


def corrupt_zstd(folder: Path) -> list[Path]:
    paths = write.inspect_zstd(TWO, folder)
    data = paths[1].read_bytes()
    at = data.index(b"samples/3_epoch_1.json") + 40
    paths[1].write_bytes(data[:at] + b"\0" * 20 + data[at + 20 :])
    return paths


def zip_named_json(folder: Path) -> list[Path]:
    return [p.rename(p.with_suffix(".json")) for p in write.inspect_eval(TWO, folder)]


def log_named_csv(folder: Path) -> list[Path]:
    return [p.rename(p.with_suffix(".csv")) for p in write.lm_eval(TWO, folder)]


def text_named_eval(folder: Path) -> list[Path]:
    for name in TWO:
        (folder / f"{name}.eval").write_text("not a log at all", encoding="utf-8")
    return [folder / f"{name}.eval" for name in TWO]


def averages_only(folder: Path) -> list[Path]:
    return [next(p.parent.glob("results_*")) for p in write.lm_eval(TWO, folder)]


def helm_averages(folder: Path) -> list[Path]:
    return [home / "stats.json" for home in write.helm(TWO, folder)]


def aggregate_only(folder: Path) -> list[Path]:
    value = {"schema_version": "0.3.0", "evaluation_id": "e", "evaluation_results": [{"x": 1}]}
    return [write.write_json(folder / f"{name}.json", value) for name in TWO]


def header_only(folder: Path) -> list[Path]:
    return [write.write_json(folder / f"{n}.json", write.inspect_header(n)) for n in TWO]


def corpus_metric(folder: Path) -> list[Path]:
    rows = [write.lm_eval_record(i, 0.0, metrics=["bleu"], bleu=["a b", "a c"]) for i in "012"]
    return [write.write_lines(folder / f"{name}.jsonl", rows) for name in TWO]


def document_twice(folder: Path) -> list[Path]:
    paths = write.lm_eval(TWO, folder)
    paths[1].write_bytes(paths[1].read_bytes() * 2)
    return paths


def cut_off_json(folder: Path) -> list[Path]:
    paths = write.inspect_json(TWO, folder)
    paths[1].write_bytes(paths[1].read_bytes()[:-300])
    return paths


def not_a_log(folder: Path) -> list[Path]:
    paths = write.helm(TWO, folder)
    rows = json.loads((paths[1] / "per_instance_stats.json").read_text(encoding="utf-8"))
    rows[2]["stats"] = "none"
    write.write_json(paths[1] / "per_instance_stats.json", rows)
    return paths


def two_kinds(folder: Path) -> list[Path]:
    return write.lm_eval(TWO, folder)[:1] + write.inspect_json(TWO, folder)[1:]


def uneven_segments(folder: Path) -> list[Path]:
    path = write.mt_metrics(TWO, folder)[0]
    path.write_text(path.read_text(encoding="utf-8").rpartition("new")[0], encoding="utf-8")
    return [path]


def trec_cut_off(folder: Path) -> list[Path]:
    paths = write.trec_eval({n: {str(i): 0.5 for i in range(200)} for n in TWO}, folder)
    paths[1].write_text(paths[1].read_text(encoding="utf-8")[:-30], encoding="utf-8")
    return paths


def trec_averages(folder: Path) -> list[Path]:
    for name in TWO:
        (folder / f"{name}.txt").write_text("map\tall\t0.5\nP_10\tall\t0.4\n", encoding="utf-8")
    return [folder / f"{name}.txt" for name in TWO]


def unknown_winner(folder: Path) -> list[Path]:
    path = folder / "battles.csv"
    path.write_text("id,model_a,model_b,winner\n1,x,y,model_a\n2,x,y,z\n", encoding="utf-8")
    return [path]


CASES: list[tuple[Callable[[Path], list[Path]], str]] = [
    (cut_last_line, r"new.samples_gsm8k\S+: line 6 is cut off.*run it again, or delete"),
    (truncated_run, r"new.samples_gsm8k\S+ .'new'. lacks 3 of the 6 .*'3', '4', '5'.*missing="),
    (truncated_archive_run, r"new.eval .'new'. lacks 4 of the 6 .*'2', '3'.*missing="),
    (two_tasks, r"base.samples\S+ .'base'. is of 'gsm8k', .*of 'mmlu': give logs of the same"),
    (other_documents, r"hold different samples under the same id: 6 of 6 .*same version"),
    (other_inputs, r"base.json and .*new.json hold different samples .*1 of 6 .*'3'"),
    (model_twice, r"are both of 'base' on 'gsm8k'.*system.*file"),
    (nothing_scored, r"base.eval: none of its 3 samples has a score .sample 0.*inspect score"),
    (scored_in_words, r"base.eval: no score of its 3 samples is a number or a grade .sample 0"),
    (two_scorers, r"base.json is scored by 'match', .*by 'other': score both runs by the same"),
    (nothing_scored_by_lm_eval, r"base.jsonl: none of its 3 samples has a score.*'0', '1', '2'"),
    (corrupt_zip, r"new.eval is a damaged archive.*copy it again"),
    (corrupt_member, r"new.eval.*damaged archive|new.eval: samples/3_epoch_1.json"),
    (corrupt_zstd, r"new.eval is a damaged archive .samples/3_epoch_1.json"),
    (zip_named_json, r"base.json is named as json and .*input_format=.inspect"),
    (log_named_csv, r"\.csv is named as csv and looks like .*lm-eval: .*input_format=.lm-eval"),
    (text_named_eval, r"base.eval is neither an archive nor JSON"),
    (averages_only, r"results_\S+ holds averages only: read the samples_"),
    (helm_averages, r"stats.json has no scores of instances: give the folder"),
    (aggregate_only, r"base.json holds averages only: give the instance-level"),
    (header_only, r"base.json holds no samples .*'success'"),
    (corpus_metric, r"base.jsonl: 'bleu' is a metric of the whole corpus"),
    (document_twice, r"samples\S+: line 7: doc_id 0 was there before"),
    (cut_off_json, r"new.json is cut off"),
    (not_a_log, r"per_instance_stats.json is not what such a log holds .*stats"),
    (two_kinds, r"are of different kinds .lm-eval, inspect"),
    (uneven_segments, r"'new' has 5 segments and 'base' has 6"),
    (trec_cut_off, r"new.eval.txt: line \d+ has \d fields|lacks 1 of"),
    (trec_averages, r"base.txt holds averages only: write it with -q"),
    (unknown_winner, r"battles.csv: row 2: cannot tell from 'z' whether 'x' or 'y' won"),
]


@pytest.mark.parametrize(("make", "says"), CASES, ids=[make.__name__ for make, _ in CASES])
def test_bad_logs(
    make: Callable[[Path], list[Path]],
    says: str,
    tmp_path: Path,
    betterthan: Callable[..., Run],
) -> None:
    paths = make(tmp_path)
    with pytest.raises(BetterthanError, match=f"(?s){says}"):
        read(*paths)
    run = betterthan("compare", *map(str, paths))
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("error: ")
    assert "Traceback" not in run.err


def test_the_remedies_work(tmp_path: Path) -> None:
    assert read(*model_twice(tmp_path / "1"), columns={"system": "file"}).systems == ("a", "b")
    assert read(*log_named_csv(tmp_path / "2"), input_format="lm-eval").n == 6
    assert read(*truncated_run(tmp_path / "3"), missing="drop").n == 3
    assert read(*truncated_run(tmp_path / "4"), missing="worst", metric="exact_match").n == 6
    assert read(*zip_named_json(tmp_path / "5"), input_format="inspect").n == 6


def test_no_option_is_swallowed(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    paths: list[Any] = [str(path) for path in write.lm_eval(TWO, tmp_path)]
    for option in ("--where=task=x", "--where=filter=x", "--system=x", "--cluster=x"):
        run = betterthan("compare", *paths, option)
        assert run.code == 2, option
        assert "'x'" in run.err


def inspect_of(folder: Path, name: str, ids: list[Any], epochs: list[int] | None = None) -> Path:
    samples = [
        {"id": i, "epoch": e, "input": f"question {str(i).strip()}", "scores": {"m": {"value": 1}}}
        for i, e in zip(ids, epochs or [1] * len(ids), strict=True)
    ]
    log = {"status": "success", "eval": {"task": "t", "model": name}, "plan": {}}
    return write.write_json(folder / f"{name}.json", log | {"samples": samples})


def refused(*paths: Path) -> str:
    with pytest.raises(BetterthanError) as caught:
        read(*paths)
    return str(caught.value)


def test_a_log_with_a_sample_twice_says_so(tmp_path: Path) -> None:
    twice = inspect_of(tmp_path, "base", [1, 2, 2])
    said = refused(twice, inspect_of(tmp_path, "new", [1, 2, 3]))
    assert "base.json ('base') holds 1 samples more than once ('2')" in said
    assert 'response="COLUMN"' not in said  # a log has no columns
    said = refused(
        inspect_of(tmp_path, "base", [1, 1, 1], [1, 2, 2]),
        inspect_of(tmp_path, "new", [1, 1], [1, 2]),
    )
    assert "'1, epoch 2'" in said


def test_ids_of_one_log_that_differ_only_by_type(tmp_path: Path) -> None:
    said = refused(inspect_of(tmp_path, "base", [1, "1", 2]), inspect_of(tmp_path, "new", [1, 2]))
    assert 'the ids 1 and "1" differ only by their type' in said


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        (["001", "002", "003"], "'1' and '001', which differ only in blanks"),
        (["1.0", "2.0", "3.0"], "'1' and '1.0', which differ only"),
        (["1", " 2", "3 "], "'2' and ' 2', which differ only"),
    ],
)
def test_ids_that_two_logs_spell_differently(ids: list[str], shown: str, tmp_path: Path) -> None:
    said = refused(inspect_of(tmp_path, "base", [1, 2, 3]), inspect_of(tmp_path, "new", ids))
    assert shown in said
    assert "stopped early" not in said


def test_numbers_and_text_that_are_the_same_pair(tmp_path: Path) -> None:
    paths = inspect_of(tmp_path, "base", [1, 2, 3]), inspect_of(tmp_path, "new", ["1", "2", "3"])
    assert read(*paths).n == 3


def test_ids_alike_that_both_logs_have_are_no_spelling(tmp_path: Path) -> None:
    said = refused(
        inspect_of(tmp_path, "base", ["1", "2"]), inspect_of(tmp_path, "new", ["1", "01", "2"])
    )
    assert "lacks 1 of the 3 samples of 't' ('01')" in said


def test_both_logs_that_lack_samples_are_named(tmp_path: Path) -> None:
    said = refused(
        inspect_of(tmp_path, "base", ["q1", "q2", "q3"]),
        inspect_of(tmp_path, "new", ["q2", "q3", "q4"]),
    )
    assert "base.json ('base') lacks 1 of the 4 samples of 't' ('q4')" in said
    assert "new.json ('new') lacks 1 of the 4 samples of 't' ('q1')" in said
