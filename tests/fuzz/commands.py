"""Command lines that nobody meant: options of every command, and values of every kind."""

import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from typer.models import OptionInfo

from betterthan.cli import app
from betterthan.errors import BetterthanError
from betterthan.readers import read
from fuzz import uses
from fuzz.changes import NUMBERS, WORDS

# A quick way to run each command; what they write is read by nobody.
COMMANDS = [
    line.split()
    for line in """
compare small.csv
compare small.csv --baseline base --metric mean(score) --by topic
compare small.csv --tasks topic
compare tally.json --metric mean(score)
compare small.csv --scan --item item
compare base.txt new.txt --ref gold.txt --metric bleu
estimate small.csv --by topic
estimate base.txt --ref gold.txt --metric wer
rank small.csv --resamples 50 --method mean
rank small.csv --resamples 50 --interval bootstrap
inspect small.csv
score base.txt --ref gold.txt --metric chrf
tally small.csv --by topic
tally small.csv --scan --item item
gate small.csv --candidate new --margin 2
gate small.csv --candidate new --plan betterthan.toml
gate tally.json --candidate new --margin 2 --goal equivalent
power --accuracy 0.7 --agreement 0.85 --effect 5
power small.csv --candidate new --items 100 --simulations 5
simulate --items 5
reproduce --list
metrics
formats
study gains small.csv --test t
study calibration small.csv --size 20 --test-sets 2 --test t
study aa small.csv --simulations 5 --candidate new
study disagreement small.csv --size 10
study training gold.txt --copies 1 --output sets
study published --metric bleu --items 1000
responses compare ratings.csv --gold v1 --resamples 10
responses study --items 5 --resamples 5 --repeats 1
""".strip().splitlines()
]
VALUES = [
    *("fbeta(2)", "fbeta(1e999)", f"fbeta({'9' * 400})", f"fbeta({'9' * 5000})", "fbeta(-1)"),
    *("fbeta(nan)", "fbeta()", "fbeta(0)", "ratio(score / 0)", "ratio(1 / score)", "ratio(/)"),
    *("ratio(score / score - score)", f"ratio({'9' * 400}*score / score)", "mean(nosuch)"),
    *("mean(score, lower_is_better)", f"{'(' * 3000}", "f1(*)", "macro-f1", ".x:y", "os:path", ":"),
    *(
        "base",
        "new",
        "topic",
        "item",
        "score",
        "small.csv",
        "tally.json",
        "base.txt",
        "x=small.csv",
    ),
    *("0.5", "0.05", "1", "2", "20", "0,1", "1,0", "nan,nan", "0,inf", "-inf,inf", "a,b", ","),
    *("all", "holm", "none", "bootstrap", "exact", "bca", "percentile", "elo", "trueskill", "md"),
    *("latex", "json", "csv", "html", "drop", "worst", "greater", "equivalent", "superior"),
    *("500M", "1e999G", "-1G", "8", "0", "*.csv", "[", "~nosuchuser/x", "nowhere.csv", "."),
    *("\ud83d", "\udcff", "x\0y", "x" * 5000, "\x1b[31m", "a\nb", "$x_1^2$", "../small.csv"),
]
PLACES = [
    *("x.json", "x.html", "x.png", "x.svg", "x.tex", "x.csv", "x.md", "x.parquet", "x", "", "."),
    *("nowhere/x.json", "small.csv", "x\n.csv", "x\0.csv", f"{'x' * 300}.json", ".json", "sets"),
]
# Folders of the machine take as long to search as they are large.
INSIDE = [word for word in WORDS if word not in ("/", "../..", "~")]
WRITES = {"--output", "--plot", "--save"}
SAMPLING = {"study", "responses"}  # take as long as they are asked to
LONG = {"--all"}  # of reproduce and compare: hours, and a larger table
COUNTS = ["0", "-1", "1", "3", "1e3", "1_0", "9" * 5000, "9" * 25, "nan", "", "٣", "0x10", "1.0"]


class Option(NamedTuple):
    """An option of a command, and what it takes."""

    name: str
    kind: Any


def leaves(typed: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command, as the words that call it and its function."""
    for command in typed.registered_commands:
        yield (*words, command.name), command.callback
    for group in typed.registered_groups:
        yield from leaves(group.typer_instance, (*words, group.name))


def options(callback: Any) -> Iterator[Option]:
    """Every option that a command has."""
    for name, parameter in signature(callback, eval_str=True).parameters.items():
        if get_origin(parameter.annotation) is Annotated:
            kind, said = get_args(parameter.annotation)[:2]
            if isinstance(said, OptionInfo):
                first = str(said.default)  # where typer keeps the first name
                yield Option(
                    first if first.startswith("--") else f"--{name.replace('_', '-')}", kind
                )


OPTIONS = {words: list(options(callback)) for words, callback in leaves(app.app)}


def reworded(data: bytes, rng: random.Random) -> bytes:
    """Take another command, or this one; add an option, change a word, move one."""
    words: list[str] = json.loads(data) if rng.random() < 0.3 else list(rng.choice(COMMANDS))
    own = OPTIONS.get(tuple(words[:2])) or OPTIONS.get(tuple(words[:1])) or []
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.random()
        if how < 0.7 and own:
            option = rng.choice(own)
            if option.name not in LONG:
                flag = option.kind is bool
                words.append(option.name if flag else f"{option.name}={_value(option, rng)}")
        elif how < 0.85 and len(words) > 2:
            words[rng.randrange(2, len(words))] = rng.choice((*VALUES, *INSIDE))
        elif len(words) > 1:
            words.insert(rng.randint(1, len(words)), words.pop(rng.randrange(1, len(words))))
    return json.dumps(words).encode()


def _value(option: Option, rng: random.Random) -> str:
    if option.name in WRITES:
        return rng.choice(PLACES)
    if "int" in str(option.kind):
        return rng.choice(COUNTS)
    choices = [one for one in get_args(option.kind) if isinstance(one, str)]
    if choices and rng.random() < 0.7:
        return rng.choice(choices)
    return rng.choice((*VALUES, *NUMBERS, *INSIDE))


def ruled(folder: Path, files: list[Path]) -> None:
    """Run a command line in this process; its exit code must say what happened."""
    del files
    run(json.loads((folder / "words.json").read_bytes()), folder)


def named(folder: Path, files: list[Path]) -> None:
    """Read files of such names, in Python and by a command line; which can be is the system's."""
    del folder
    names = json.loads(files[0].read_bytes())
    if any("/" in name or name == "~" for name in names):  # folders of the machine
        return
    with tempfile.TemporaryDirectory() as home:
        paths = []
        for number, name in enumerate(names):
            path = Path(home, name)
            try:
                path.write_text(f"item,score\nq1,{number}\nq2,1\nq3,0\n", encoding="utf-8")
            except (OSError, ValueError):  # too long, a folder, a zero
                return
            paths.append(path)
        with suppress(BetterthanError):
            uses.used(read(*paths))
        run(["compare", *names], Path(home))
        run(["rank", *map(str, paths), "--resamples", "10", "--output=x.html"], Path(home))


def run(words: list[str], folder: Path) -> None:
    """Run a command line in a folder, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    before, sys.argv = sys.argv, ["betterthan", *words]
    code = 0
    try:
        with (
            open(os.devnull, encoding="utf-8") as sys.stdin,
            chdir(folder),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            app.main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 2
    finally:
        sys.argv, sys.stdin = before, sys.__stdin__
    for stream in (out, err):
        stream.flush()
    said, complaint = (stream.buffer.getvalue().decode() for stream in (out, err))
    if "HangError" in complaint and words[0] in SAMPLING:
        return
    if code not in (0, 2, 3, 4) and not (code == 1 and "REGRESSION" in said):
        raise AssertionError(f"exit {code}: {complaint[-3000:]}")
    if "Traceback" in complaint:
        raise AssertionError(complaint[-3000:])
