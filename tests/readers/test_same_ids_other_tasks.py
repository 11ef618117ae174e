"""The same ids, or the same lines, of other data are an error; what systems answer is not."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from reading_ways import advised, counted

import betterthan as bt
from betterthan.errors import AlignmentError, BetterthanError

N = 20
BASE = [k % 3 > 0 for k in range(N)]
NEW = [k % 4 > 0 for k in range(N)]
ONE, OTHER = ([f"{word} {k}" for k in range(N)] for word in ("one", "another"))
TURNED = ONE[1:] + ONE[:1]
LETTERS = [*"ab" * (N // 2)]
FOLDERS = [[f"{who}/{k}.wav" for k in range(N)] for who in ("base", "new")]


def pair(
    folder: Path, name: str, ours: Sequence[str], theirs: Sequence[str], *, ids: bool = True
) -> list[Path]:
    """Files of two systems, with a column of texts."""
    paths = []
    for system, texts, scores in (("base", ours, BASE), ("new", theirs, NEW)):
        rows = [
            ({"id": k} if ids else {}) | {name: text, "score": int(score)}
            for k, (text, score) in enumerate(zip(texts, scores, strict=True))
        ]
        paths.append(folder / f"{system}.jsonl")
        pl.DataFrame(rows).write_ndjson(paths[-1])
    return paths


@pytest.mark.parametrize("name", ["task", "dataset", "Benchmark", "split", "lang", "task_name"])
def test_other_data_under_the_same_ids(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, ["gsm8k"] * N, ["mmlu"] * N)
    for read in (bt.read, counted):
        with pytest.raises(AlignmentError, match=name) as caught:
            read(*files)
        assert ("columns", {"item": "id"}) in advised(caught)
        assert read(*files, columns={"item": "id"}).n == N
    with pytest.raises(AlignmentError):
        bt.read(*pair(tmp_path, name, ["squad1"] * N, ["squad2"] * N, ids=False))
    assert bt.read(*pair(tmp_path, name, ["GSM8K"] * N, ["gsm8k"] * N)).n == N


@pytest.mark.parametrize("name", ["sentence", "passage", "claim", "url", "image", "hash"])
def test_other_texts_under_the_same_ids(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, ONE, OTHER)
    with pytest.raises(AlignmentError, match=name) as caught:
        bt.read(*files)
    assert ("columns", {"item": name}) not in advised(caught)  # no item would be common
    assert bt.read(*files, columns={"item": "id"}).n == N


@pytest.mark.parametrize("name", ["prompt", "label", "answer", "whatever"])
def test_the_same_texts_on_other_items(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, ONE, TURNED)
    with pytest.raises(AlignmentError, match=name) as caught:
        bt.read(*files)
    assert advised(caught)[-1] == ("columns", {"item": "id"})
    assert bt.read(*files, columns={"item": "id"}).n == N
    if name == "prompt":
        assert bt.read(*files, columns={"item": name}).n == N


@pytest.mark.parametrize("name", ["document", "category", "topic"])
def test_labels_in_another_order_by_position(name: str, tmp_path: Path) -> None:
    with pytest.raises(AlignmentError, match=name):
        bt.read(*pair(tmp_path, name, LETTERS, LETTERS[::-1], ids=False))
    assert bt.read(*pair(tmp_path, name, LETTERS, LETTERS, ids=False)).n == N


@pytest.mark.parametrize(
    ("names", "ours", "theirs", "ids"),
    [
        ("prompt source config commit hash", ["v1"] * N, ["v2"] * N, True),
        ("filename audio image", *FOLDERS, True),
        ("answer response_text output whatever", ONE, OTHER, True),
        ("answer output", LETTERS, LETTERS[::-1], True),
        ("trace_key", FOLDERS[0], FOLDERS[0][::-1], True),
        ("prediction predicted_label finish_reason tag", LETTERS, LETTERS[::-1], False),
    ],
)
def test_what_systems_say_themselves(
    names: str, ours: list[str], theirs: list[str], ids: bool, tmp_path: Path
) -> None:
    for name in names.split():
        assert bt.read(*pair(tmp_path, name, ours, theirs, ids=ids)).n == N


def table(folder: Path, rows: list[tuple[str, float | None, float | None]]) -> Path:
    path = folder / "t.csv"
    pl.DataFrame(rows, schema=["item", "base", "new"], orient="row").write_csv(path)
    return path


def items(prefix: str = "q") -> list[tuple[str, float | None, float | None]]:
    return [(f"{prefix}{k}", int(BASE[k]), int(NEW[k])) for k in range(N)]


@pytest.mark.parametrize("name", ["subtotal", "Sub-Total", "news subtotal", "GRAND TOTAL"])
def test_subtotals_between_items(name: str, tmp_path: Path) -> None:
    rows = items()
    for mixed in (
        [*rows[:10], (name, 6, 7), *rows[10:]],
        [*rows[:8], (name, 5, 6), *rows[8:16], (name + "s", 5, 6), *rows[16:]],
    ):
        with pytest.raises(BetterthanError, match="delete"):
            bt.read(table(tmp_path, mixed))


@pytest.mark.parametrize("name", ["total", "average", "sum", "Mean"])
def test_items_called_so_and_last_rows_that_are_totals(name: str, tmp_path: Path) -> None:
    rows, mean = items("fn"), sum(BASE) / N
    assert bt.read(table(tmp_path, [*rows[:10], (name, 1, 0), *rows[10:]])).n == N + 1
    assert bt.read(table(tmp_path, [*rows, (name, 1, 1)])).n == N + 1
    assert bt.read(table(tmp_path, [(name, 0, 0), *rows])).n == N + 1
    for last in ((sum(BASE), sum(NEW)), (mean, 1), (1, None), (0.5, 0.5)):
        with pytest.raises(BetterthanError, match=name):
            bt.read(table(tmp_path, [*rows, (name, *last)]), missing="drop")


@pytest.mark.parametrize(("score", "marks"), [(-9, True), (999, True), (-1, False), (98, False)])
def test_marks_of_missing_scores(score: int, marks: bool, tmp_path: Path) -> None:
    rows = items()
    rows[3] = ("q3", rows[3][1], score)
    path = table(tmp_path, rows)
    for read in (bt.read, counted):
        if marks:
            with pytest.raises(BetterthanError, match="missing"):
                read(path, systems="base,new")
        else:
            assert read(path, systems="base,new").n == N
