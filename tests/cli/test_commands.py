"""Every command on files as users have them: what it answers, how it exits, what goes where."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from surface import write_files

import betterthan as bt
from betterthan.cli.app import flags
from betterthan.errors import quote
from conftest import Run

Command = Callable[..., Run]
# A command line, its exit code, and what it prints; after ! on standard error.
ANSWERS = """
compare qa.csv -s base,atlas --cluster document | 0 | atlas is BETTER than base | ! ^Read qa.csv
compare qa.csv --cluster document | 0 | atlas is BETTER than base | Holm | ! Next: betterthan
compare qa.csv --all | 0 | cedar
compare qa.csv --by domain -s base,atlas | 0 | medicine
compare qa.csv -s base,atlas --test bootstrap(variant=sign) --alternative greater | 0 | bootstrap
compare ner.csv --metric f1 --baseline bilstm | 0 | crf is WORSE than bilstm
compare ratings.csv | 0 | responses
compare outputs/base.txt outputs/new.txt --ref outputs/gold.txt -m wer | 0 | wer
compare logs/base.jsonl logs/new.jsonl | 0 | new is BETTER than base
compare old=logs/base.jsonl now=logs/new.jsonl | 0 | now is BETTER than old
compare t.csv --where domain=d0 | 0 | new
compare battles.csv -b u | 0 | v
compare holes.csv --missing drop | 0 | new | ! 38
compare a.csv b.csv --show why,methods,items=3 | 0 | Methods: | b
rank qa.csv --cluster document --resamples 100 | 0 | atlas is BETTER than every other system
rank qa.csv --method elo(repeats=5) --resamples 5 | 0 | atlas
rank qa.csv --by domain --resamples 20 | 0 | domain=law
rank battles.csv --resamples 20 | 0 | Bradley-Terry
rank holes.csv --missing pairwise --resamples 20 | 0 | new
score qa.csv | 0 | base
score one.csv | 0 | base
score stars.csv --bounds 1,5 | 0 | new
score outputs/new.txt --ref outputs/gold.txt -m wer -m cer | 0 | wer | cer
gate logs/base.jsonl logs/new.jsonl --margin 2 | 0 | PASS
gate qa.csv -s atlas,birch --margin 2 | 1 | REGRESSION
gate qa.csv -s base,birch --margin 2 | 3 | CAN'T TELL
gate qa.csv -b atlas --candidate birch --margin 0 | 1 | REGRESSION
gate pair.csv --plan rules.toml | 3 | CAN'T TELL | ! Plan: [0-9a-f]{8}
power --accuracy 70 --agreement 85 --effect 2 | 0 | 3,028
power --accuracy 0.7 --agreement 85 --effect 2 | 0 | 3,028 | ! read as 70 %
power --accuracy 80 --agreement 97.5 --effect 2 --items 250,500 | 0 | 250 | 500
power --sd item=17,repeat=5 --items 2000 --effect 1 --alpha 0.05/10 | 0 | 2,000
power --sd item=17,repeat=40,rater=9 --raters 2 --budget 4000 --effect 1 | 0 | repeats
power qa.csv -s base,birch --effect 5 | 0 | items
responses compare ratings.csv --metric wins --resamples 500 | 0 | new | ! responses per item
responses compare ratings.csv --test published(sampling=all_items/sample(1)) | 0 | new
responses study --items 20 --eps 0,0.1 --metric mae --draws 50 | 0 | mae
responses simulate --items 3 --responses 2 | 0 | item,system
study gains qa.csv --sizes 200,400 | 0 | gain
study gains qa.csv --groups labs.csv --test permutation | 0 | different
study calibration qa.csv --sizes 100 --test-sets 3 --test t | 0 | 100
study calibration qa.csv --by domain=law --test t | 0 | law
study false-alarms qa.csv --test t,sign --simulations 50 -s base,atlas | 0 | sign
study aggregation qa.csv --by domain --method mean,median | 0 | median
study published --metric bleu --items 1000 | 0 | BLEU
study published one.csv --published 40 --threshold 2 | 0 | 45.00
study training gold.txt --copies 2 --sizes 10 -o sets | 0 | 2 training sets
reproduce | 0 | permutation-2022
reproduce permutation-2022 nosuch | 2 | ! Table
demo --check | 0 | numbers are right
inspect qa.csv | 0 | document \\(160\\)
inspect holes.csv | 0 | new lacks 2
inspect battles.csv | 0 | judgments
list metrics | 0 | bleu | any column of scores
list tests bootstrap | 0 | variant
list formats lm-eval | 0 | \\$ betterthan
list plots | 0 | forest
--version | 0 | betterthan \\d
nowhere | 2 | ! there is no command
compare nowhere.csv | 4 | ! nowhere.csv
compare one.csv | 4 | ! there is only one system
compare upper.csv a.csv | 4 | ! no item in common
"""
CASES = [tuple(part.strip() for part in line.split(" | ")) for line in ANSWERS.strip().splitlines()]


@pytest.fixture(autouse=True)
def folder(demo_folder: Path) -> Path:
    """The bundled files and those with faults."""
    write_files(demo_folder)
    Path("labs.csv").write_text("system,lab\nbase,x\natlas,x\nbirch,y\ncedar,y\n")
    return demo_folder


def test_every_command_is_tried() -> None:
    tried = " ".join(words for words, *_ in CASES)
    assert [name for name in flags() if name not in tried] == []


@pytest.mark.parametrize(("words", "code", "facts"), [(w, int(c), f) for w, c, *f in CASES])
def test_answers(betterthan: Command, words: str, code: int, facts: list[str]) -> None:
    run = betterthan(*words.split())
    assert run.code == code, run.err
    assert "Traceback" not in run.err
    assert (run.out == "") == (code in (2, 4))
    assert ("error: " in run.err) == (code in (2, 4))
    for fact in facts:
        shown = run.err if fact.startswith("! ") else run.out
        assert re.search(fact.removeprefix("! "), shown, re.MULTILINE), shown


RESULTS = [
    words
    for words, code, *_ in CASES
    if code in "013"
    and not words.startswith(("list", "inspect", "demo", "--", "reproduce", "study training"))
    and "--show" not in words
]


@pytest.mark.parametrize("words", RESULTS)
def test_all_forms_say_the_same(betterthan: Command, words: str) -> None:
    run = betterthan(*words.split(), "-f", "json", "-o", "x.csv", "-o", "x.parquet", "-q")
    assert run.err == ""
    document = json.loads(run.out)
    assert list(document)[:3] == ["schema", "version", "rows"]
    assert re.fullmatch(r"betterthan/[a-z-]+/1", document["schema"])
    rows = document["rows"]
    assert rows
    assert all(set(row) == set(rows[0]) for row in rows)
    assert not any(isinstance(cell, list | dict) for row in rows for cell in row.values())
    frame = pl.read_parquet("x.parquet")
    assert frame.columns == list(rows[0])
    assert Path("x.csv").read_text().splitlines()[0].split(",") == frame.columns
    told = {"notes"}  # they say what to type: in Python, or in a shell
    assert [{k: v for k, v in row.items() if k not in told} for row in frame.to_dicts()] == [
        {k: v for k, v in row.items() if k not in told} for row in rows
    ]


def test_every_plot_is_listed_and_drawn(betterthan: Command) -> None:
    listed = set(betterthan("list", "plots", "-q").out.split())
    comparison = bt.compare(bt.read("qa.csv", systems="base,atlas"))
    board = bt.rank(bt.read("qa.csv"), resamples=20)
    power = bt.power(bt.Rates(accuracy=0.7), effect=0.1)
    pairs = bt.compare_all(bt.read("qa.csv"))
    assert pairs.plots == ("forest", "wins", "matrix")
    assert pairs.plot("matrix").has_data()
    for result in (comparison, comparison.alone, pairs, board, power):
        assert set(result.plots) <= listed
    plots = [word for name in board.plots for word in ("-o", f"{name}={name}.png")]
    assert betterthan("rank", "qa.csv", "--resamples", "20", *plots).code == 0
    assert betterthan("rank", "qa.csv", "--resamples", "20", "-o", "nosuch=x.png").code == 2


def test_the_command_line_is_the_function(betterthan: Command) -> None:
    scores = bt.read("qa.csv", columns="cluster=document", systems=["base", "atlas", "birch"])
    printed = betterthan(*"compare qa.csv --cluster document -s base,atlas,birch -f json".split())
    assert json.loads(printed.out) == bt.compare_many(scores).to_dict()
    scores = bt.read("qa.csv", systems="atlas,birch")
    gate = json.loads(betterthan(*"gate qa.csv -s atlas,birch --margin 2 -f json".split()).out)
    python = bt.gate(scores, margin=0.02).to_dict()
    assert gate["rows"] == python["rows"]
    rates = bt.Rates(accuracy=0.7, agreement=0.85)
    power = json.loads(
        betterthan(*"power --accuracy 70 --agreement 85 --effect 2 -f json".split()).out
    )
    assert power["rows"] == bt.power(rates, effect=0.02).to_dict()["rows"]


def test_a_tally_and_counts_of_items_are_read_again(betterthan: Command) -> None:
    whole = betterthan(*"compare qa.csv -f json".split())
    assert betterthan("inspect", "qa.csv", "-o", "t.parquet", "-o", "t.json").code == 0
    for name in ("t.parquet", "t.json"):
        again = betterthan("compare", name, "-f", "json")
        assert json.loads(again.out)["rows"] == json.loads(whole.out)["rows"]
    outputs = "outputs/base.txt outputs/new.txt --ref outputs/gold.txt -m wer".split()
    assert betterthan("score", *outputs, "--per-item", "counts.csv").code == 0
    scored = betterthan("compare", *outputs, "-f", "json")
    counted = betterthan("compare", "counts.csv", "-m", "wer", "-f", "json")
    assert json.loads(counted.out)["rows"] == json.loads(scored.out)["rows"]
    assert betterthan(*"inspect battles.csv -o battles.parquet".split()).code == 0
    assert betterthan(*"rank battles.parquet --resamples 20".split()).code == 0


def test_a_gate_has_its_plan_in_the_folder_in_a_file_or_with_its_hash(betterthan: Command) -> None:
    words = ["gate", "qa.csv", "-s", "base,atlas"]
    typed = betterthan(*words, "--metric", "accuracy", "--margin", "9", "-f", "json")
    named = betterthan(*words, "--plan", "rules.toml", "-f", "json")
    assert json.loads(named.out) == json.loads(typed.out)
    found = re.search(r"Plan: (\w{8})", named.err)
    assert found is not None
    assert betterthan(*words, "--plan", f"rules.toml@{found[1]}").code == 0
    assert betterthan(*words, "--plan", "rules.toml@00000000").code == 2
    assert betterthan(*words, "--config", "rules.toml").code == 0
    Path("rules.toml").rename("betterthan.toml")
    assert json.loads(betterthan(*words, "-f", "json").out) == json.loads(typed.out)
    assert betterthan(*words, "--margin", "3").code == 2
    assert betterthan("compare", "qa.csv").code == 0  # its defaults are other tables


def test_an_address_of_a_table_is_opened(betterthan: Command) -> None:
    """Object storage, as polars opens it; a file has an address, too."""
    pl.read_csv("qa.csv").write_parquet("t.parquet")
    place = f"file://{Path.cwd()}"
    for command in ("compare", "inspect"):
        assert betterthan(command, f"{place}/t.parquet").code == 0
    assert betterthan("compare", f"{place}/none.parquet").code == 4


def test_quiet_prints_the_verdict_alone(betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "-s", "base,atlas", "-q")
    assert run.err == ""
    assert len(run.out.splitlines()) == 1
    assert "atlas is BETTER than base" in run.out


def test_a_suggestion_runs_as_it_stands(betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "-s", "base,atlas")
    *_, last = run.err.splitlines()
    words = last.removeprefix("Next: betterthan ").split()
    assert betterthan(*words).code == 0
    assert Path("report.html").read_text().startswith("<!doctype html")


def test_the_demo_tours_and_keeps_its_files(betterthan: Command, tmp_path: Path) -> None:
    Path("betterthan.toml").write_text("[rank]\nsystems = ['none']\n")  # the tour is elsewhere
    run = betterthan("demo", "--save", "tour")
    assert run.code == 0, run.err
    assert run.out.count("$ betterthan") == 6
    for word in ("BETTER", "PASS", "CAN'T TELL"):
        assert word in run.out
    assert Path("tour/logs/base.jsonl").is_file()
    Path("tour/qa.csv").write_text("mine")
    again = betterthan("demo", "--save", "tour")
    assert again.code == 2
    assert "try:   betterthan demo --save DIR" in again.err
    assert Path("tour/qa.csv").read_text() == "mine"


def test_a_metric_may_not_end_the_program(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ends.py").write_text("raise SystemExit(0)\n")
    monkeypatch.syspath_prepend(".")
    run = betterthan("gate", "qa.csv", "-s", "base,atlas", "--metric", "ends:x", "--margin", "2")
    assert run.code == 2
    assert run.err.count("error: ") == 1


def test_hostile_arguments_are_answered_or_refused(betterthan: Command) -> None:
    hostile = [
        "",
        " ",
        "-",
        "--",
        "nan",
        "-1",
        "1e999",
        "9" * 400,
        "\0",
        "a=b",
        "(",
        "é" * 300,
        "0",
    ]
    for flag in ("--metric", "--alpha", "--systems", "--columns", "--test", "--seed", "--by", "-o"):
        for value in hostile:
            run = betterthan("compare", "pair.csv", flag, value)
            assert run.code in (0, 2, 4), f"{flag} {value!r}: {run.err}"
            assert "internal error" not in run.err, quote(value)
