"""Options: declared once, listed in the help, read as typed, handed on under their keywords."""

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, get_args

import pytest
from surface import CALLS, keywords, keywords_of

import betterthan as bt
from betterthan.cli import options
from betterthan.cli.advice import retyped
from betterthan.cli.app import app, commands, flags
from betterthan.cli.reading import pair_of, read_keywords
from betterthan.errors import Choice, Parameter, Remedy
from conftest import Run

Command = Callable[..., Run]
EVERY = flags()
HIDDEN = {flag for flag, option in options.TABLE.items() if option.group == "Unlisted"}
# Options of the shell alone, and those that are a part of another keyword.
OF_THE_SHELL = set("output format show save check per_item plan all each".split())
PARTS = {"cluster": "columns", "sd": "item"}  # what is a part of another keyword


def listed(words: str) -> set[str]:
    """The options that the help of a command lists, by their usual names."""
    part = next(part for names, part in commands(app) if " ".join(names) == words)
    arguments = part.assemble_argument_collection()
    return {a.names[0] for a in arguments if a.show and a.names[0].startswith("--")}


def test_every_command_is_tried() -> None:
    assert set(CALLS) == set(EVERY)


@pytest.mark.parametrize("words", CALLS)
def test_help_is_a_page(betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = betterthan(*words.split(), "--help")
    assert page.code == 0
    lines = page.out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert len(listed(words)) <= 24
    shown = set(re.findall(r"^  (--[a-z-]+)", page.out, re.MULTILINE))
    assert shown == listed(words)
    assert not re.search(r"None|<[a-z]|\bstr\b|object at", page.out)


def test_the_first_help_names_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from betterthan.cli.app import run; run(['--help']); "
        "print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in {words.partition(" ")[0] for words in EVERY}:
        assert re.search(rf"^  {name}\b", done.stdout, re.MULTILINE)
    heavy = {"numpy", "polars", "scipy", "matplotlib", "jinja2", "msgspec", "narwhals"}
    assert not heavy & set(done.stderr.split())


@pytest.mark.parametrize("words", CALLS)
def test_every_option_is_a_keyword_of_what_is_called(words: str) -> None:
    known = keywords_of(words)
    for flag in EVERY[words] & options.TABLE.keys() - HIDDEN:
        option = options.TABLE[flag]
        keyword = option.keyword
        if keyword not in OF_THE_SHELL:
            assert {keyword, PARTS.get(keyword)} & known, f"{words} {flag}"


# What only Python has, where all else of a function is an option.
ONLY_IN_PYTHON = {
    "read": {"sources", "items", "limits"},
    "compare_many": {"data"},
    "compare_all": {"data"},
    "rank": {"data"},
    "score": {"data"},
    "gate": {"data", "candidate", "goal", "assume", "correction"},
    "power": {"assumed", "comparisons"},
}
SAMPLED = {"tolerance", "workers", "executor", "progress"}


@pytest.mark.parametrize("name", ONLY_IN_PYTHON)
def test_every_keyword_is_an_option_or_of_python_alone(name: str) -> None:
    of_command = name if name in EVERY else "compare"
    typed = {options.TABLE[f].keyword for f in EVERY[of_command] & options.TABLE.keys()}
    left = keywords(name) - typed - SAMPLED - ONLY_IN_PYTHON[name]
    assert left - {"resamples"} == set()


def test_every_parameter_of_a_remedy_is_an_option() -> None:
    known = {o.keyword for o in options.TABLE.values()}
    python_only = {"goal", "limits", "workers"}
    assert set(get_args(Parameter)) - known - python_only == set()


# A value of every kind of option, and what becomes of it.
VALUES: dict[str, tuple[str, str, object]] = {
    "--columns": ("item=id,score=acc", "columns", {"item": "id", "score": "acc"}),
    "--where": ("split=test,level=1", "where", {"split": "test", "level": "1"}),
    "--systems": ("base,atlas", "systems", ("base", "atlas")),
    "--cluster": ("document", "columns", {"cluster": "document"}),
    "--baseline": ("atlas", "baseline", "atlas"),
    "--ref": ("gold.txt", "ref", ["gold.txt"]),
    "--missing": ("drop", "missing", "drop"),
    "--input-format": ("csv(header=no)", "input_format", "csv(header=no)"),
    "--metric": ("mean", "metric", "mean"),
    "--lower-is-better": ("", "lower_is_better", True),
    "--higher-is-better": ("", "lower_is_better", False),
    "--by": ("domain", "by", "domain"),
    "--method": ("elo(k=20,order=file)", "method", "elo(k=20,order=file)"),
    "--test": ("bootstrap(variant=sign)", "test", "bootstrap(variant=sign)"),
    "--alternative": ("greater", "alternative", "greater"),
    "--alpha": ("0.1", "alpha", 0.1),
    "--correction": ("none", "correction", "none"),
    "--resamples": ("100", "resamples", 100),
    "--seed": ("3", "rng", 3),
    "--bounds": ("-1,5", "bounds", (-1.0, 5.0)),
    "--item": ("id", "columns", {"item": "id"}),
    "--system": ("model", "columns", {"system": "model"}),
    "--score": ("acc,f1", "columns", {"score": "acc+f1"}),
    "--response": ("seed", "columns", {"response": "seed"}),
    "--label": ("year", "columns", {"label": "year"}),
}


class Stopped(Exception):  # noqa: N818 (nothing is wrong)
    """What is asked for is known: nothing needs to be computed."""


@pytest.mark.parametrize(
    ("words", "flag"),
    [(w, flag) for w in ("compare", "rank", "score") for flag in VALUES if flag in EVERY[w]],
)
def test_every_value_reaches_its_keyword(
    demo_folder: object, betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: str, flag: str
) -> None:
    read, called = bt.read, {}

    def reads(*_: object, **given: Any) -> object:
        called.update(given)
        return read("qa.csv", columns={"label": "domain"})

    def computes(*_: object, **given: Any) -> None:
        called.update(given)
        raise Stopped

    monkeypatch.setattr("betterthan.read", reads)
    monkeypatch.setattr(f"betterthan.{CALLS[words][1]}", computes)
    typed, keyword, expected = VALUES[flag]
    run = betterthan(words, "qa.csv", flag, *([typed] if typed else []))
    assert "Stopped" in run.err, run.err
    assert called[keyword] in (expected, (expected,))


READ = [
    (["--systems", "b"], ("b",), (None, None)),
    (["--systems", "a,b", "-s", "c"], ("a", "b", "c"), ("a", "b")),
    (["-b", "a", "-s", "b"], ("a", "b"), ("a", "b")),
    (["-b", "a", "--candidate", "c"], ("a", "c"), ("a", "c")),
    (["-b", "b", "-s", "a,b"], ("b", "a"), ("b", "a")),
    (["-b", "b"], None, ("b", None)),
    (["--candidate", "c"], None, (None, "c")),
]


@pytest.mark.parametrize(("words", "systems", "pair"), READ)
def test_only_the_systems_that_were_named_count(
    words: list[str], systems: tuple[str, ...] | None, pair: tuple[str | None, str | None]
) -> None:
    _, bound, _ = app.parse_args(["compare", "x.csv", *words], exit_on_error=False)
    typed = {name: value for name, value in bound.arguments.items() if value is not None}
    assert read_keywords(typed).get("systems") == systems
    assert pair_of(typed) == pair


ADVICE = [
    (
        Remedy("", "missing", "drop"),
        ["rank", "a.csv", "--missing", "error"],
        "rank a.csv --missing drop",
    ),
    (
        Remedy("", "systems", ["x y", "z"]),
        ["compare", "a.csv", "-s", "q"],
        "compare a.csv --systems 'x y,z'",
    ),
    (
        Remedy("", "columns", {"score": "x"}),
        ["score", "a", "--columns", "item=id"],
        "score a --columns item=id,score=x",
    ),
    (Remedy("", "columns", {"cluster": "doc"}), ["score", "a"], "score a --cluster doc"),
    (Remedy("", "margin", 0.02), ["gate", "a"], "gate a --margin 2"),
    (Remedy("", "accuracy", 0.7), ["power"], "power --accuracy 70"),
    (Remedy("", "bounds", (1, 6)), ["score", "a"], "score a --bounds 1,6"),
    (Remedy("", "lower_is_better", False), ["score", "a"], "score a --higher-is-better"),
    (Remedy("", "ref", Choice("FILE")), ["score", "a"], "score a --ref FILE"),
    (Remedy("", "rng", 1), ["rank", "a", "--seed=3"], "rank a --seed 1"),
    (
        Remedy("", command="score"),
        ["compare", "a", "--all", "--by", "x", "-b", "y"],
        "score a --by x",
    ),
    (
        Remedy("", "metric", "f1", command="score"),
        ["compare", "a", "-m", "x"],
        "score a --metric f1",
    ),
]


@pytest.mark.parametrize(("remedy", "words", "expected"), ADVICE)
def test_a_remedy_is_put_into_what_was_typed(
    remedy: Remedy, words: list[str], expected: str
) -> None:
    assert retyped(words, remedy, EVERY.get(remedy.command or "", ())) == f"betterthan {expected}"


MISTYPED = [
    ("comprae a.csv", "betterthan compare a.csv"),
    ("study gans a.csv", "betterthan study gains a.csv"),
    ("compare a.csv --clster document", "betterthan compare a.csv --cluster document"),
    ("compare a.csv --clster=document", "betterthan compare a.csv --cluster=document"),
    ("compare a.csv --missing dropp", "betterthan compare a.csv --missing drop"),
    ("compare a.csv --alternative less-than", "betterthan compare a.csv --alternative less"),
    ("compare a.csv --alpha", "betterthan compare a.csv --alpha X"),
    ("compare", "betterthan compare --help"),
    ("compare a.csv --xyzzy 3", "betterthan compare --help"),
    ("rank a.csv --baseline x", "betterthan rank --help"),
    ("list metric", "betterthan list metrics"),
    ("list formats lm-evl", "betterthan list formats lm-eval"),
    ("compare a.csv -f jsn", "betterthan compare a.csv --format json"),
    ("compare a.csv --show whi", "betterthan compare a.csv --show why"),
]


@pytest.mark.parametrize(("typed", "meant"), MISTYPED)
def test_what_was_probably_meant_is_typed_out(betterthan: Command, typed: str, meant: str) -> None:
    run = betterthan(*typed.split())
    assert run.code == 2
    assert run.out == ""
    error, *tries = run.err.splitlines()
    assert error.startswith("error: ")
    assert [line.removeprefix("try:").strip() for line in tries] == [meant]


WRONG = """
compare a.csv --alpha ten | compare a.csv --resamples 1.5 | compare a.csv --seed none
compare a.csv --all=maybe | compare a.csv -b x -b y | compare a.csv --alpha none
score a.csv --lower-is-better --higher-is-better | score a.csv --bounds 1 | score a.csv --bounds x,y
gate a.csv --margin two | power --sd rows=3 | power --items many --sd 1 --effect 1
power --alpha 0.05/x --sd 1 --effect 1 | power | power --accuracy 70 --sd 3 --effect 1
 study training a.txt | responses study --eps 0,x
compare qa.csv --columns item | compare qa.csv --columns item=a,item=b | compare a.csv --config
score a.csv --per-item x.png | compare a.csv -o x.doc | compare a.csv -o -
compare a.csv -f csv(x=1)
compare a.csv --show items=many | compare a.csv --all -b base | compare a.csv -f csv --show why
nosuch | study | responses nosuch | list nothing | demo --save ~nosuchuser/x | reproduce nosuch
"""


@pytest.mark.parametrize(
    "words", [w.strip() for line in WRONG.split("\n") for w in line.split("|") if w.strip()]
)
def test_wrong_usage_is_two(demo_folder: object, betterthan: Command, words: str) -> None:
    run = betterthan(*words.split())
    if words == "study":  # its help
        assert run.code == 0
        return
    assert run.code == 2, run.err
    assert run.out == ""
    assert len([line for line in run.err.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in run.err
