"""The same ids, or the same lines, of other data: refused, but not what systems say themselves."""

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


def texts(prefix: str = "text") -> list[str]:
    return [f"{prefix} {k}" for k in range(N)]


def turned() -> list[str]:
    return texts()[1:] + texts()[:1]


@pytest.mark.parametrize(
    "name", "task dataset Benchmark split subset language lang suite task_name".split()
)
def test_other_data_under_the_same_ids(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, ["gsm8k"] * N, ["mmlu"] * N)
    for read in (bt.read, counted):
        with pytest.raises(AlignmentError, match=f"differ in '{name}'.*'gsm8k', 'mmlu'") as caught:
            read(*files)
        assert ("columns", {"item": "id"}) in advised(caught)
        assert read(*files, columns={"item": "id"}).n == N


@pytest.mark.parametrize(("ours", "theirs"), [("GSM8K", "gsm8k"), ("squad_v2", "squad-v2")])
def test_data_that_are_only_written_differently(ours: str, theirs: str, tmp_path: Path) -> None:
    files = pair(tmp_path, "task", [ours] * N, [theirs] * N)
    assert bt.read(*files).n == N
    assert bt.read(*files, items=False).n == N


def test_other_data_by_position(tmp_path: Path) -> None:
    files = pair(tmp_path, "dataset", ["squad1"] * N, ["squad2"] * N, ids=False)
    with pytest.raises(AlignmentError, match="leave that column out"):
        bt.read(*files)


@pytest.mark.parametrize("name", ["prompt", "source", "config", "commit", "hash"])
def test_one_value_a_system_may_be_its_own(name: str, tmp_path: Path) -> None:
    assert bt.read(*pair(tmp_path, name, ["v1"] * N, ["v2"] * N)).n == N


@pytest.mark.parametrize(
    "name",
    "sentence utterance passage claim article title url filename image audio doc_text "
    "document_text hash".split(),
)
def test_other_texts_under_the_same_ids(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, texts("one"), texts("another"))
    with pytest.raises(AlignmentError, match=f"differ in '{name}'") as error:
        bt.read(*files)
    assert ("columns", {"item": name}) not in advised(error)  # no item would be common
    assert bt.read(*files, columns={"item": "id"}).n == N


def test_pairing_by_a_text_is_offered_where_it_works(tmp_path: Path) -> None:
    files = pair(tmp_path, "prompt", texts(), turned())
    with pytest.raises(AlignmentError) as caught:
        bt.read(*files)
    assert advised(caught) == [("columns", {"item": name}) for name in ("prompt", "id")]
    assert bt.read(*files, columns={"item": "prompt"}).n == N


@pytest.mark.parametrize("name", ["filename", "audio", "image"])
def test_files_in_folders_of_their_own(name: str, tmp_path: Path) -> None:
    ours, theirs = ([f"{who}/{k}.wav" for k in range(N)] for who in ("base", "new"))
    assert bt.read(*pair(tmp_path, name, ours, theirs)).n == N


@pytest.mark.parametrize("name", ["label", "answer", "topic", "whatever"])
def test_the_same_texts_on_other_items(name: str, tmp_path: Path) -> None:
    files = pair(tmp_path, name, texts(), turned())
    with pytest.raises(AlignmentError, match=f"same values of '{name}', but on other items"):
        bt.read(*files)
    assert bt.read(*files, columns={"item": "id"}).n == N


@pytest.mark.parametrize("name", ["answer", "response_text", "output", "whatever"])
def test_systems_say_what_they_say(name: str, tmp_path: Path) -> None:
    assert bt.read(*pair(tmp_path, name, texts("one"), texts("another"))).n == N
    few = [*"abcd" * 5]
    assert bt.read(*pair(tmp_path, name, few, few[::-1])).n == N


def test_requests_come_back_in_any_order(tmp_path: Path) -> None:
    ours = [f"req-{k}" for k in range(N)]
    assert bt.read(*pair(tmp_path, "trace_key", ours, ours[::-1])).n == N


@pytest.mark.parametrize("name", ["document", "category", "topic"])
def test_labels_in_another_order_by_position(name: str, tmp_path: Path) -> None:
    ours = [*"ab" * (N // 2)]
    with pytest.raises(AlignmentError, match=f"by position.*same values of '{name}'"):
        bt.read(*pair(tmp_path, name, ours, ours[::-1], ids=False))
    assert bt.read(*pair(tmp_path, name, ours, ours, ids=False)).n == N


@pytest.mark.parametrize("name", ["prediction", "predicted_label", "finish_reason", "tag"])
def test_labels_that_systems_give_by_position(name: str, tmp_path: Path) -> None:
    ours = [*"ab" * (N // 2)]
    assert bt.read(*pair(tmp_path, name, ours, ours[::-1], ids=False)).n == N


def table(folder: Path, rows: list[tuple[str, float | None, float | None]]) -> Path:
    path = folder / "t.csv"
    pl.DataFrame(rows, schema=["item", "base", "new"], orient="row").write_csv(path)
    return path


def items(prefix: str = "q") -> list[tuple[str, float | None, float | None]]:
    return [(f"{prefix}{k}", int(BASE[k]), int(NEW[k])) for k in range(N)]


@pytest.mark.parametrize(
    "name", ["subtotal", "Sub-Total", "sub total", "news subtotal", "Subtotal news", "GRAND TOTAL"]
)
def test_subtotals_between_items(name: str, tmp_path: Path) -> None:
    rows = items()
    path = table(tmp_path, [*rows[:10], (name, 6, 7), *rows[10:]])
    with pytest.raises(BetterthanError, match=f"called '{name}'.*delete that row"):
        bt.read(path)
    path = table(tmp_path, [*rows[:8], (name, 5, 6), *rows[8:16], (name + "s", 5, 6), *rows[16:]])
    with pytest.raises(BetterthanError, match="delete that row"):
        bt.read(path)


@pytest.mark.parametrize("name", ["compute_subtotal", "find subtotal", "total", "average"])
def test_items_between_items(name: str, tmp_path: Path) -> None:
    rows = items()
    assert bt.read(table(tmp_path, [*rows[:10], (name, 1, 0), *rows[10:]])).n == N + 1


@pytest.mark.parametrize("name", ["average", "sum", "total", "Mean"])
def test_words_at_the_ends(name: str, tmp_path: Path) -> None:
    rows = items("fn")
    assert bt.read(table(tmp_path, [*rows, (name, 1, 1)])).n == N + 1
    assert bt.read(table(tmp_path, [(name, 0, 0), *rows])).n == N + 1
    mean = sum(BASE) / N
    for ours, theirs in ((sum(BASE), sum(NEW)), (mean, 1), (1, None), (0.5, 0.5)):
        with pytest.raises(BetterthanError, match=f"'{name}'"):
            bt.read(table(tmp_path, [*rows, (name, ours, theirs)]), missing="drop")


def test_few_rows_tell_nothing(tmp_path: Path) -> None:
    with pytest.raises(BetterthanError, match="'total'"):
        bt.read(table(tmp_path, [*items()[:6], ("total", 1, 1)]))


@pytest.mark.parametrize("mark", [-9, -99, -999, -9999, 99, 999, 9999])
def test_marks_of_missing_scores(mark: int, tmp_path: Path) -> None:
    rows = items()
    rows[3] = ("q3", rows[3][1], mark)
    with pytest.raises(BetterthanError, match=f"'new' .* 1 of {mark}, as missing"):
        bt.read(table(tmp_path, rows), systems="base,new")
    with pytest.raises(BetterthanError, match="as missing"):
        bt.read(table(tmp_path, rows), items=False, systems="base,new")
    rows[3] = ("q3", rows[3][1], None)
    assert bt.read(table(tmp_path, rows), missing="drop").n == N - 1


@pytest.mark.parametrize("score", [-1, 2, 98, 5])
def test_other_numbers_are_scores(score: int, tmp_path: Path) -> None:
    rows = items()
    rows[3] = ("q3", rows[3][1], score)
    assert bt.read(table(tmp_path, rows), systems="base,new").n == N
