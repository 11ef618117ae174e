"""Output stands once: what one command can write, all can."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import betterthan as bt
from conftest import Run

Command = Callable[..., Run]
COMMANDS = [
    "compare qa.csv --systems atlas",
    "rank qa.csv --resamples 20",
    "gate qa.csv --candidate atlas --margin 2",
    "power --agreement 0.9 --mde 3",
    "power --sd 2 --effect 1 --budget 100",
    "study gains qa.csv",
    "study aa qa.csv --simulations 20",
    "study published",
    "study published qa.csv --candidate atlas --published 70",
    "score qa.csv --metric mean",
    "simulate --items 3",
]
PLOTLESS = ("study published", "score", "simulate")


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_writes_every_format(
    demo_folder: Path, betterthan: Command, words: str
) -> None:
    for style in ("table", "md", "json", "latex", "csv", "html"):
        run = betterthan(*words.split(), "--format", style)
        assert run.code == 0, run.err
        if style == "json":
            json.loads(run.out)
        if style == "html":
            assert run.out.lstrip().startswith("<!doctype html>")
            assert f"betterthan {words}" in run.out  # how to repeat it


@pytest.mark.parametrize("words", COMMANDS)
def test_a_suffix_and_a_format_that_disagree_are_refused(
    demo_folder: Path, betterthan: Command, words: str
) -> None:
    for name, style, told in [
        ("x.tex", "md", "would be latex by its suffix, and --format says md"),
        ("x.md", "json", "would be md by its suffix, and --format says json"),
        ("x.png", "latex", "would be a picture by its suffix, and --format says latex"),
    ]:
        run = betterthan(*words.split(), "-o", name, "--format", style)
        assert (run.code, told in run.err) == (2, True), run.err
        assert not Path(name).exists()


def test_a_suffix_and_a_format_that_agree_are_written(
    demo_folder: Path, betterthan: Command
) -> None:
    words = ("compare", "qa.csv", "--systems", "atlas")
    for name, style in (("x.TEX", "latex"), ("x.table", "json"), ("y.json", "json")):
        assert betterthan(*words, "-o", name, "-f", style).code == 0
    assert "tabular" in Path("x.TEX").read_text()
    assert json.loads(Path("x.table").read_text())
    # The columns that are kept go into the file, the scores to the screen.
    run = betterthan("score", "qa.csv", "--metric", "mean", "-o", "kept.csv", "-f", "json")
    assert json.loads(run.out)
    assert "item" in Path("kept.csv").read_text()


@pytest.mark.parametrize("words", COMMANDS)
def test_the_suffix_says_what_is_written(
    demo_folder: Path, betterthan: Command, words: str
) -> None:
    if not words.startswith("score"):  # there it is the columns that are kept
        assert betterthan(*words.split(), "-o", "x.parquet").code == 0
        assert len(pl.read_parquet("x.parquet")) > 0
    run = betterthan(*words.split(), "-o", "x.svg")
    if words.startswith(PLOTLESS):
        assert (run.code, "no plot" in run.err) == (2, True), run.err
    else:
        assert run.code == 0, run.err
        assert "<svg" in Path("x.svg").read_text(encoding="utf-8")
    assert betterthan(*words.split(), "-o", "x.odt").code == 2
    xml = betterthan(*words.split(), "-o", "x.xml")
    assert xml.code == (0 if words.startswith("gate") else 2), xml.err


def test_the_command_line_prints_what_the_result_says(
    demo_folder: Path, betterthan: Command
) -> None:
    scores = bt.read("ner.csv", metric="f1")
    found = bt.compare_many(scores, metrics=["f1"])
    assert betterthan("compare", "ner.csv", "-m", "f1").out == f"{found}\n"
    shown = betterthan("compare", "ner.csv", "-m", "f1", "-f", "json").out
    assert json.loads(shown) == json.loads(json.dumps(found.to_dict()))


def test_what_cannot_be_written_is_found_before_the_work(
    demo_folder: Path, betterthan: Command
) -> None:
    for words in (["rank", "nowhere.csv", "--plot", "x.gif"], ["rank", "nowhere.csv", "-o", "x"]):
        run = betterthan(*words)
        assert run.code == 2
        assert "suffix" in run.err


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("compare qa.csv --systems atlas", "atlas is BETTER than base   +10.0 points"),
        ("rank qa.csv --resamples 20", "atlas is BETTER than every other system."),
        ("gate qa.csv --candidate atlas --margin 2", "PASS   atlas against base: "),
    ],
)
def test_a_file_does_not_hide_the_verdict(
    demo_folder: Path, betterthan: Command, words: str, verdict: str
) -> None:
    run = betterthan(*words.split(), "-o", "x.json")
    assert verdict in run.err
    assert run.out == ""


def test_a_gate_says_that_lower_is_better(demo_folder: Path, betterthan: Command) -> None:
    Path("slow.csv").write_text(
        "item,old,new\n" + "".join(f"{i},0.{i % 4 + 2},0.{i % 4 + 1}\n" for i in range(60)),
        encoding="utf-8",
    )
    words = ("gate", "slow.csv", "--margin", "0.2", "--bound", "0,1")
    run = betterthan(*words, "--lower-is-better")
    assert (
        "PASS   new against old: mean 0.350 -> 0.250, lower is better: better by 0.100" in run.out
    )
    assert "lower is better" not in betterthan(*words).out


@pytest.mark.parametrize("command", ["compare", "rank", "gate", "power", "score"])
def test_help_does_not_speak_python(betterthan: Command, command: str) -> None:
    options = betterthan(command, "--help").out.partition("Input")[2]
    assert "COLUMN" in options
    for word in ("<str>", "list[", "<int", "<float>", "<path>", "<bool>"):
        assert word not in options, word


def test_comparisons_are_drawn(demo_folder: Path, betterthan: Command) -> None:
    one = ["compare", "qa.csv", "-s", "atlas", "--width", "column"]
    for kind in ("forest", "wins", "law", "differences", "scatter"):
        run = betterthan(*one, "--plot", f"{kind}.svg", "--draw", kind)
        assert (run.code, f"Wrote {kind}.svg" in run.err) == (0, True), run.err
        picture = (demo_folder / f"{kind}.svg").read_text(encoding="utf-8")
        assert 'width="237.6pt"' in picture  # 3.3 inches
    several = betterthan("compare", "qa.csv", "--plot", "law.svg", "--draw", "law")
    assert (several.code, "forest or wins" in several.err) == (2, True)
