"""Items that got worse or better are listed, with their texts, in every form."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from betterthan.comparison.comparing import compare_many
from betterthan.data.scores import Scores
from conftest import Run

OLD = [1, 1, 0, 0, 1, 0, 1, 1]
NEW = [1, 0, 1, 1, 1, 1, 0, 1]
# broke: 1 and 6; fixed: 2, 3 and 5


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    questions = [f"Is {k} even, and if not, why?" for k in range(8)]
    frame = pl.DataFrame({"id": list("abcdefgh"), "question": questions, "old": OLD, "new": NEW})
    frame.write_csv("runs.csv")
    return tmp_path / "runs.csv"


@pytest.mark.parametrize("style", ["table", "md", "latex", "html", "json"])
def test_flipped_items_in_every_form(
    table: Path, betterthan: Callable[..., Run], style: str
) -> None:
    words = ("compare", "runs.csv", "--label", "question", "-f", style)
    run = betterthan(*words, "--items", "2")
    assert run.code == 0, run.err
    for k in (1, 6, 2, 3):
        assert f"Is {k} even, and if not, why?" in run.out
    for k in (0, 4, 5, 7):  # no change, or one too many
        assert f"Is {k} even" not in run.out
    if style == "html":  # a report lists items of its own, by their ids alone
        return
    assert "Is 1 even" not in betterthan(*words).out


def test_json_and_csv_tell_who(table: Path, betterthan: Callable[..., Run]) -> None:
    words = ("compare", "runs.csv", "--items", "9")
    (found,) = json.loads(betterthan(*words, "-f", "json").out)["comparisons"]
    assert [(r["change"], r["item"]) for r in found["items"]] == [
        ("broke", "b"), ("broke", "g"), ("fixed", "c"), ("fixed", "d"), ("fixed", "f"),
    ]  # fmt: skip
    header, row = betterthan(*words, "-f", "csv").out.splitlines()
    assert header.endswith(",items_worse,items_better")
    assert row.endswith(",b; g,c; d; f")


def test_scores_get_worse_by_most_first() -> None:
    scores = Scores.from_arrays({"old": [1.0, 2.0, 3.0, 4.0], "new": [0.5, 4.0, 1.0, 5.0]})
    text = replace(compare_many(scores), items=1).rendered()
    assert "2 got worse (1 shown), 2 got better (1 shown)." in text
    listed = [line.split() for line in text.splitlines()]
    assert ["worse", "row", "3", "3", "1"] in listed
    assert ["better", "row", "2", "2", "4"] in listed
    assert not any(words[1:3] in (["row", "1"], ["row", "4"]) for words in listed)


def test_no_parts_of_single_items(table: Path, betterthan: Callable[..., Run]) -> None:
    run = betterthan("compare", "runs.csv", "--by", "question")
    assert run.code == 2
    assert "a value of its own for every item" in run.err


@pytest.mark.parametrize("style", ["table", "md", "latex", "html", "json"])
def test_a_gate_lists_items_too(table: Path, betterthan: Callable[..., Run], style: str) -> None:
    words = ("gate", "runs.csv", "--margin", "20", "-f", style)
    run = betterthan(*words, "--items", "2")
    assert run.code == betterthan(*words).code, run.err
    shown = re.sub(r"(?s)<script.*?</script>", "", run.out)  # what a reader sees of a page
    for k in (1, 6, 2, 3):
        assert f"Is {k} even, and if not, why?" in shown
    for k in (0, 4, 5, 7):
        assert f"Is {k} even" not in run.out
    if style != "json":
        counts = "2 got worse, 3 got better (2 shown)."
        assert counts in re.sub(r"\s+", " ", shown).replace("\\", "")
    assert "Is 1 even" not in betterthan(*words).out
    if style == "json":
        listed = json.loads(run.out)["items"]
        assert [(r["metric"], r["change"], r["item"]) for r in listed] == [
            ("mean", "broke", "b"), ("mean", "broke", "g"), ("mean", "fixed", "c"),
            ("mean", "fixed", "d"),
        ]  # fmt: skip


def test_a_page_says_that_no_item_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Callable[..., Run]
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"id": list("abcdefgh"), "old": OLD, "new": OLD}).write_csv("same.csv")
    page = betterthan("gate", "same.csv", "--margin", "20", "--items", "2", "-f", "html").out
    assert "0 got worse, 0 got better." in re.sub(r"(?s)<script.*?</script>", "", page)


@pytest.mark.parametrize("options", [("-o", "x.xml"), ("-f", "csv"), ("--scan",)])
def test_what_cannot_list_items_says_so(
    table: Path, betterthan: Callable[..., Run], options: tuple[str, ...]
) -> None:
    run = betterthan("gate", "runs.csv", "--margin", "20", "--items", "1", *options)
    assert (run.code, "--items" in run.err) == (2, True)


def test_items_are_on_the_scale_of_the_table_above_them() -> None:
    """F1 is printed in points, of all items and of single ones."""
    columns = ("tp", "fp", "fn")
    counts = {"old": [[1, 1, 2], [2, 1, 1], [3, 0, 0]], "new": [[2, 0, 1], [3, 0, 0], [3, 0, 0]]}
    scores = Scores.from_arrays(counts, columns=columns)
    text = replace(compare_many(scores, metrics=["f1"]), items=1).rendered()
    (row,) = [line for line in text.splitlines() if line.split()[:1] == ["better"]]
    assert row.split()[-2:] == ["40", "80"]  # 2 * 1 / (2 * 1 + 1 + 2), 2 * 2 / (2 * 2 + 0 + 1)
