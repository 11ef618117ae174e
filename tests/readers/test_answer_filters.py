"""Logs of lm-evaluation-harness with several answer filters are compared by one of them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import log_writers as write
import pytest
from reading_ways import advice, advised

import betterthan as bt
from betterthan.errors import AlignmentError, UsageError
from betterthan.readers.item_texts import item_texts

STRICT, FLEXIBLE = "strict-match", "flexible-extract"
RIGHT = {STRICT: [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], FLEXIBLE: [1.0] * 6}
"""What every document gets by each filter: by one filter both systems are alike."""


def filtered(
    folder: Path, orders: Mapping[str, Iterable[str]], *, task: str = "gsm8k", mixed: bool = False
) -> list[Path]:
    """Samples of systems, whose lines go through the filters in these orders."""
    paths = []
    for name, filters in orders.items():
        pairs = [(kind, k) for kind in filters for k in range(6)]
        records = [
            write.lm_eval_record(
                str(k), RIGHT.get(kind, RIGHT[STRICT])[k], filter=kind, filtered_resps=[kind],
                metrics=["exact_match", "f1"], f1=k / 10,
            )
            for kind, k in (sorted(pairs, key=lambda pair: pair[1]) if mixed else pairs)
        ]  # fmt: skip
        place = folder / name / f"samples_{task}_{write.DATE}.jsonl"
        paths.append(write.write_lines(place, records))
    return paths


@pytest.mark.parametrize("mixed", [True, False])
def test_files_in_other_orders_are_compared_by_one_filter(tmp_path: Path, mixed: bool) -> None:
    orders = {"base": [STRICT, FLEXIBLE], "new": [FLEXIBLE, STRICT]}
    base, new = filtered(tmp_path, orders, mixed=mixed)
    for files in ((base, new), (new, base)):
        scores = bt.read(*files)
        # Files that differ in their order do not say which is the first: it is by name.
        assert scores.values[:, :, 0].tolist() == [[1.0, 1.0]] * 6
        assert f"--where filter={FLEXIBLE}" in scores.source
        assert ("where", {"filter": STRICT}) in advice(scores.notes)
    strict = bt.read(base, new, where={"filter": STRICT}, metric=["exact_match", "f1"])
    assert strict.values[:, 0, :].tolist() == [[x, k / 10] for k, x in enumerate(RIGHT[STRICT])]
    for where, shown in ((None, FLEXIBLE), ({"filter": STRICT}, STRICT)):
        found = item_texts([base, new], ["0"], [0], where=where)["0"]
        assert (found["base: output"], found["new: output"]) == (shown, shown)
    unnamed = bt.read(base, new.rename(tmp_path / "new.jsonl"))  # of no task
    assert unnamed.values[:, :, 0].tolist() == [[1.0, 1.0]] * 6


def test_the_first_filter_that_all_files_have(tmp_path: Path) -> None:
    for k, order in enumerate(([STRICT, FLEXIBLE], [FLEXIBLE, STRICT])):
        scores = bt.read(*filtered(tmp_path / str(k), {"base": order, "new": order}))
        assert scores.values[:, 1, 0].tolist() == RIGHT[order[0]]
    orders = {"base": ["regex", STRICT], "new": [STRICT], "third": ["other", STRICT]}
    scores = bt.read(*filtered(tmp_path, orders))
    assert f"--where filter={STRICT}" in scores.source
    assert any("regex, other" in note for note in scores.notes)
    assert advice(scores.notes) == [("metric", "f1")]


@pytest.mark.parametrize(
    "orders",
    [
        {"a": [STRICT], "b": [FLEXIBLE]},
        {"a": [STRICT], "b": [STRICT, FLEXIBLE], "c": [FLEXIBLE]},
        {"a": [STRICT, FLEXIBLE], "b": [FLEXIBLE, "x"], "c": [STRICT, "x"]},
    ],
)
def test_files_without_a_common_filter(tmp_path: Path, orders: dict[str, list[str]]) -> None:
    paths = filtered(tmp_path, orders)
    with pytest.raises(AlignmentError, match="filter"):
        bt.read(*paths)
    with pytest.raises(UsageError, match=STRICT):
        bt.read(*paths, where={"filter": STRICT})


def test_filters_without_answers_to_all_documents(tmp_path: Path) -> None:
    rows = [write.lm_eval_record(str(k), 1.0) for k in range(3)]
    more = [write.lm_eval_record(str(k), 1.0, filter="x") for k in range(1, 5)]
    paths = [write.write_lines(tmp_path / f"{name}.jsonl", rows + more) for name in "ab"]
    with pytest.raises(AlignmentError) as caught:
        bt.read(*paths)
    assert ("where", {"filter": "x"}) in advised(caught)
    assert bt.read(*paths, where={"filter": "x"}).n == 4
    more += [write.lm_eval_record("0", 1.0, filter="x")]
    for path in paths:
        write.write_lines(path, rows + more)
    assert bt.read(*paths).n == 5


def test_each_task_has_a_filter_and_tasks_left_out_need_none(tmp_path: Path) -> None:
    for task, order in (("gsm8k", [STRICT, FLEXIBLE]), ("math", ["none"])):
        filtered(tmp_path, {"base": order, "new": order}, task=task)
    assert bt.read(tmp_path).n == 12
    filtered(tmp_path, {"base": ["x"], "new": ["y"]}, task="odd")
    with pytest.raises(AlignmentError, match="filter"):
        bt.read(tmp_path)
    assert bt.read(tmp_path, where={"task": "gsm8k+math"}).n == 12
