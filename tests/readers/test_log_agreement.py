"""Logs are compared by one filter, on the same samples, and by scores that are numbers."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import log_writers as write
import polars as pl
import pytest
from reading_ways import advice, advised

import betterthan as bt
from betterthan.errors import AlignmentError, BetterthanError, FormatError, UsageError
from betterthan.readers.item_texts import item_texts

Missing = Literal["error", "drop"]
STRICT, FLEXIBLE = "strict-match", "flexible-extract"
# What every document gets by each filter: by one filter both systems are alike.
RIGHT = {STRICT: [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], FLEXIBLE: [1.0] * 6}


def filtered(
    folder: Path,
    orders: Mapping[str, Iterable[str]],
    *,
    task: str = "gsm8k",
    by_filter: bool = True,
) -> list[Path]:
    """Samples of systems, whose lines go through the filters in these orders."""
    paths = []
    for name, filters in orders.items():
        pairs = [(kind, k) for kind in filters for k in range(6)]
        if not by_filter:
            pairs.sort(key=lambda pair: pair[1])
        records = [
            write.lm_eval_record(
                str(k), RIGHT.get(kind, RIGHT[STRICT])[k], filter=kind, filtered_resps=[kind]
            )
            for kind, k in pairs
        ]
        place = folder / name / f"samples_{task}_{write.DATE}.jsonl"
        paths.append(write.write_lines(place, records))
    return paths


@pytest.mark.parametrize("by_filter", [True, False])
def test_files_in_other_orders_are_compared_by_one_filter(tmp_path: Path, by_filter: bool) -> None:
    orders = {"base": [STRICT, FLEXIBLE], "new": [FLEXIBLE, STRICT]}
    paths = filtered(tmp_path, orders, by_filter=by_filter)
    for given in (paths, paths[::-1]):
        scores = bt.read(*given)
        # Files that differ in their order say nothing about which is the first: it is by name.
        assert scores.values[:, 0, 0].tolist() == scores.values[:, 1, 0].tolist() == [1.0] * 6
        assert f"exact_match ({FLEXIBLE})" in scores.source
        assert advice(scores.notes) == [("where", {"filter": STRICT})]
    strict = bt.read(*paths, where={"filter": STRICT})
    assert strict.values[:, 0, 0].tolist() == strict.values[:, 1, 0].tolist() == RIGHT[STRICT]


def test_the_first_filter_of_the_harness_stays_the_first(tmp_path: Path) -> None:
    for k, order in enumerate(([STRICT, FLEXIBLE], [FLEXIBLE, STRICT])):
        scores = bt.read(*filtered(tmp_path / str(k), {"base": order, "new": order}))
        assert scores.values[:, 1, 0].tolist() == RIGHT[order[0]]


def test_a_filter_that_only_some_files_have_is_not_chosen(tmp_path: Path) -> None:
    orders = {"base": ["regex", STRICT], "new": [STRICT], "third": ["other", STRICT]}
    scores = bt.read(*filtered(tmp_path, orders))
    assert f"exact_match ({STRICT})" in scores.source
    assert "filters that not all files have are not compared: other, regex" in scores.notes
    assert not any("of several" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("orders", "other"),
    [
        ({"a": [STRICT], "b": [FLEXIBLE]}, "b"),
        ({"a": [STRICT], "b": [STRICT, FLEXIBLE], "c": [FLEXIBLE]}, "c"),
        ({"a": [STRICT, FLEXIBLE], "b": [FLEXIBLE, "x"], "c": [STRICT, "x"]}, "c"),
    ],
)
def test_files_without_a_common_filter(
    tmp_path: Path, orders: dict[str, list[str]], other: str
) -> None:
    paths = filtered(tmp_path, orders)
    says = rf"(?s)a/samples.* of filter '{STRICT}'.*{other}/samples.* of '.*no filter is in all"
    with pytest.raises(AlignmentError, match=says):
        bt.read(*paths)
    with pytest.raises(UsageError, match=rf"has no filter '{STRICT}'"):
        bt.read(*paths, where={"filter": STRICT})


def test_a_file_that_names_no_task_has_the_filter_of_the_others(tmp_path: Path) -> None:
    base, new = filtered(tmp_path, {"base": [STRICT, FLEXIBLE], "new": [FLEXIBLE, STRICT]})
    scores = bt.read(base, new.rename(tmp_path / "new.jsonl"))
    assert scores.values[:, 0, 0].tolist() == scores.values[:, 1, 0].tolist()


def test_tasks_have_filters_of_their_own(tmp_path: Path) -> None:
    for task, order in (("gsm8k", [STRICT, FLEXIBLE]), ("math", ["none"])):
        filtered(tmp_path, {"base": order, "new": order}, task=task)
    scores = bt.read(tmp_path)
    assert scores.n == 12
    # A task that is left out is not asked for its filters.
    filtered(tmp_path, {"base": ["x"], "new": ["y"]}, task="odd")
    with pytest.raises(AlignmentError, match="no filter is in all 2 files"):
        bt.read(tmp_path)
    assert bt.read(tmp_path, where={"task": "gsm8k+math"}).n == 12


def test_the_texts_of_items_are_of_the_filter_that_is_compared(tmp_path: Path) -> None:
    paths = filtered(tmp_path, {"base": [STRICT, FLEXIBLE], "new": [FLEXIBLE, STRICT]})
    for where, shown in ((None, FLEXIBLE), ({"filter": STRICT}, STRICT)):
        found = item_texts(paths, ["0"], [0], where=where)["0"]
        assert (found["base: output"], found["new: output"]) == (shown, shown)


def unhashed(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Path:
    """Samples as versions before 0.4.4 wrote them, after a change of each."""
    records = [write.lm_eval_record(str(k), float(k % 2)) for k in range(5)]
    for record in records:
        for field in ("doc_hash", "prompt_hash", "target_hash"):
            del record[field]
        change(record)
    return write.write_lines(folder / f"{name}.jsonl", records)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["doc"].update(question="Something else?"),
        lambda record: record.update(target="other"),
        lambda record: (record.pop("doc"), record.update(target="other")),
        lambda record: record.update(doc_hash=None, doc={"question": ""}),
    ],
)
def test_documents_without_hashes_must_be_the_same(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    base = unhashed(tmp_path, "base", lambda record: None)
    new = unhashed(tmp_path, "new", change)
    with pytest.raises(AlignmentError, match=r"base.jsonl and .*new.jsonl hold .*5 of 5 differ"):
        bt.read(base, new)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(arguments=[["<|user|> chat", {}]]),
        lambda record: record.update(doc=dict(reversed(record["doc"].items()))),
        lambda record: record.update(target=int(record["target"])),
        lambda record: record.pop("doc"),
        lambda record: (record.pop("doc"), record.pop("target")),
    ],
)
def test_what_may_differ_without_hashes(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    base = unhashed(tmp_path, "base", lambda record: record["doc"].update(big=2**70, e="é"))
    new = unhashed(
        tmp_path, "new", lambda record: (record["doc"].update(big=2**70, e="é"), change(record))
    )
    assert bt.read(base, new).n == 5
    # However the file is indented, and whatever it escapes.
    records = [json.loads(line) for line in new.read_text().splitlines()]
    new.write_text(json.dumps(records, indent=2, ensure_ascii=False), encoding="utf-8")
    assert bt.read(base, new).n == 5


def test_versions_with_and_without_hashes_are_compared_by_documents(tmp_path: Path) -> None:
    records = [write.lm_eval_record(str(k), float(k % 2)) for k in range(5)]
    hashed = write.write_lines(tmp_path / "hashed.jsonl", records)
    old = unhashed(tmp_path, "old", lambda record: record.update(filter=STRICT))
    other = unhashed(tmp_path, "other", lambda record: record["doc"].update(question="Else?"))
    assert bt.read(hashed, old).n == bt.read(old, hashed).n == 5
    for pair in ((hashed, other), (other, hashed), (hashed, old, other)):
        with pytest.raises(AlignmentError, match="different samples under the same id: 5 of 5"):
            bt.read(*pair)


def test_logs_are_compared_with_all_before_them(tmp_path: Path) -> None:
    """The first may have nothing to go by, and the others must still agree."""
    bare = unhashed(tmp_path, "bare", lambda record: (record.pop("doc"), record.pop("target")))
    base = unhashed(tmp_path, "base", lambda record: None)
    new = unhashed(tmp_path, "new", lambda record: record["doc"].update(question="Else?"))
    with pytest.raises(AlignmentError, match=r"base.jsonl and .*new.jsonl hold different"):
        bt.read(bare, base, new)


# Inspect


def inspected(folder: Path, name: str, kind: str, samples: list[dict[str, Any]]) -> Path:
    header = write.inspect_header(name)
    if kind == "json":
        return write.write_json(folder / f"{name}.json", header | {"samples": samples})
    summaries = kind == "summaries"
    return write.eval_archive(folder / f"{name}.eval", header, samples, summaries=summaries)


KINDS = ("json", "summaries", "samples")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_letters_that_are_answers_are_no_grades(
    tmp_path: Path, kind: str, missing: Missing
) -> None:
    def letters(shift: int) -> list[dict[str, Any]]:
        return [write.inspect_sample(str(k), "ABCDE"[(k + shift) % 5]) for k in range(10)]

    paths = [inspected(tmp_path, name, kind, letters(k)) for k, name in enumerate(("a", "b"))]
    says = r"a\.\w+: the scores 'match' of 8 of its 10 samples are no numbers .'A', 'B', 'D', 'E'"
    with pytest.raises(FormatError, match=says):
        bt.read(*paths, missing=missing)


def test_words_of_a_scorer_that_is_not_compared_do_no_harm(tmp_path: Path) -> None:
    def samples(first: str, second: str) -> list[dict[str, Any]]:
        return [
            write.inspect_sample(str(k), "C")
            | {"scores": {first: {"value": "CABC"[k]}, second: {"value": float(k % 2)}}}
            for k in range(4)
        ]

    good = [inspected(tmp_path / "1", n, "json", samples("z", "right")) for n in ("a", "b")]
    with pytest.raises(FormatError, match=r"'z' of 2 of its 4 ") as caught:
        bt.read(*good)
    assert advised(caught) == [("metric", "right")]
    assert bt.read(*good, metric="right").values[:, 0, 0].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_a_sample_that_says_it_has_no_score_is_missing(tmp_path: Path) -> None:
    samples = [write.inspect_sample(str(k), grade) for k, grade in enumerate(("C", "I", "N/A"))]
    paths = [inspected(tmp_path, name, "json", samples) for name in ("a", "b")]
    assert bt.read(*paths, missing="drop").n == 2


LONG = "Answer the question with a number and say nothing else. " * 5  # more than a line


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ({"input": LONG + "2 + 2?"}, {"input": LONG + "3 + 3?"}),
        ({"target": "four"}, {"target": "five"}),
        ({"target": ["four", "4"]}, {"target": ["four", "5"]}),
        (
            {"input": [{"id": "x", "role": "user", "content": "2 + 2?"}]},
            {"input": [{"id": "y", "role": "user", "content": "3 + 3?"}]},
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "text", "text": "2 + 2?"}]}]},
            {"input": [{"role": "user", "content": [{"type": "text", "text": "3 + 3?"}]}]},
        ),
    ],
)
def test_inspect_samples_must_be_the_same(
    tmp_path: Path, first: str, second: str, asked: dict[str, Any], other: dict[str, Any]
) -> None:
    def samples(more: dict[str, Any]) -> list[dict[str, Any]]:
        return [write.inspect_sample(str(k), "C") | (more if k == 2 else {}) for k in range(4)]

    base = inspected(tmp_path, "base", first, samples(asked))
    assert bt.read(base, inspected(tmp_path, "same", second, samples(asked))).n == 4
    with pytest.raises(AlignmentError, match="1 of 4 differ on 'arithmetic'"):
        bt.read(base, inspected(tmp_path, "new", second, samples(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"target": "A"}, {"target": "C"}),  # shuffled choices
        ({"input": "attachment://0f3c"}, {"input": "a very long text"}),
        (
            {"input": [{"id": "x", "role": "user", "content": "q"}]},
            {"input": [{"id": "y", "role": "user", "content": "q"}]},
        ),
        (
            {
                "input": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "q"},
                ]
            },
            {"input": [{"role": "user", "content": "q"}]},
        ),
    ],
)
def test_what_may_differ_in_inspect(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any]
) -> None:
    base = inspected(tmp_path, "base", "json", [write.inspect_sample("1", "C") | one])
    new = inspected(tmp_path, "new", "json", [write.inspect_sample("1", "C") | other])
    assert bt.read(base, new).n == 1


# Others

RESULTS = {"a": dict.fromkeys("012345", 1.0), "b": dict.fromkeys("012345", 0.0)}


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def helm_instance(item: str, question: str, answer: str) -> dict[str, Any]:
    wrong = {"output": {"text": "wrong"}, "tags": []}
    right = {"output": {"text": answer}, "tags": ["correct"]}
    return {"id": f"id{item}", "input": {"text": question}, "references": [wrong, right]}


@pytest.mark.parametrize("brief", [True, False])
@pytest.mark.parametrize(("question", "answer"), [("2 + 3?", "4"), ("2 + 2?", "5")])
def test_helm_instances_must_be_the_same(
    tmp_path: Path, brief: bool, question: str, answer: str
) -> None:
    base, new = write.helm(RESULTS, tmp_path)
    told = [helm_instance(item, "2 + 2?", "4") for item in RESULTS["a"]]
    changed = dict(helm_instance("1", question, answer), perturbation={"name": "typos"})
    write.write_json(base / "instances.json", told)

    def write_new(instances: list[dict[str, Any]]) -> None:
        if brief:
            write.write_json(new / "instances.json", instances)
        else:
            states = [{"instance": one, "request": {"prompt": "Q"}} for one in instances]
            write.write_json(new / "scenario_state.json", {"request_states": states})

    for same in (told, [*told, changed]):
        write_new(same)
        assert bt.read(base, new).n == 6
    write_new([told[0], helm_instance("1", question, answer), *told[2:]])
    with pytest.raises(AlignmentError, match=r"1 of 6 differ .*'id1'"):
        bt.read(base, new)


def test_openai_evals_must_expect_the_same(tmp_path: Path) -> None:
    paths = write.openai_evals(RESULTS, tmp_path)
    assert bt.read(*paths).n == 6
    edited(paths[1], '"expected": "3"', '"expected": "4"')
    with pytest.raises(AlignmentError, match=r"1 of 6 differ .*'arithmetic.dev.3'"):
        bt.read(*paths)


@pytest.mark.parametrize("change", [{"raw": "Else?"}, {"reference": ["x"]}])
def test_every_eval_ever_without_hashes(tmp_path: Path, change: dict[str, Any]) -> None:
    (path,) = write.every_eval_ever(RESULTS, tmp_path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        del record["sample_hash"]
    write.write_lines(path, records)
    assert bt.read(path).n == 6
    records[-1]["input"]["reference"] = records[-1]["input"]["reference"][0]  # as it once was
    assert bt.read(write.write_lines(path, records)).n == 6
    records[-1]["input"] |= change
    with pytest.raises(AlignmentError, match=r"1 of 6 differ .*'gsm8k_5'"):
        bt.read(write.write_lines(path, records))


def test_comet_of_other_references(tmp_path: Path) -> None:
    (path,) = write.comet(RESULTS, tmp_path)
    found = json.loads(path.read_text())
    found["b.txt"][2]["ref"] = "Another translation."
    with pytest.raises(AlignmentError, match=r"1 of 6 differ .*'3'"):
        bt.read(write.write_json(path, found))


def test_langsmith_examples_must_be_the_same(tmp_path: Path) -> None:
    rows = {"inputs.q": ["x", "y"], "outputs.a": ["1", "2"], "reference.a": ["1", "2"]}
    rows |= {"feedback.right": ["1", "0"], "execution_time": ["1", "2"], "example_id": ["e1", "e2"]}
    base, new = tmp_path / "base.csv", tmp_path / "new.csv"
    pl.DataFrame(rows).write_csv(base)
    pl.DataFrame(dict(reversed(rows.items()))).write_csv(new)  # in another order of columns
    assert bt.read(base, new, input_format="langsmith").n == 2
    pl.DataFrame(rows | {"inputs.q": ["x", "z"]}).write_csv(new)
    with pytest.raises(BetterthanError, match=r"1 of 2 differ .*'e2'"):
        bt.read(base, new, input_format="langsmith")
