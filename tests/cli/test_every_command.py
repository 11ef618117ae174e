"""What holds for every command: absurd counts, outputs that fail, codes that mean things."""

import errno
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator

from betterthan.cli.app import app
from betterthan.results.schemas import json_schema
from betterthan.results.version import __version__
from conftest import Run

Command = Callable[..., Run]


class Panic(BaseException):
    """What compiled libraries raise."""


# One quick way to run each command, with a result on standard output.
EVERY = {
    "demo": [],
    "compare": ["small.csv"],
    "estimate": ["small.csv"],
    "rank": ["small.csv", "--resamples", "50"],
    "formats": [],
    "inspect": ["small.csv"],
    "metrics": [],
    "schema": ["gate"],
    "score": ["outputs/base.txt", "--metric", "bleu", "--ref", "outputs/gold.txt"],
    "tally": ["small.csv"],
    "gate": ["small.csv", "--candidate", "bad", "--margin", "2"],
    "power": ["--accuracy", "0.7", "--agreement", "0.85", "--effect", "5"],
    "simulate": ["--items", "5"],
    "reproduce": ["--list"],
    "selftest": [],
    "study gains": ["small.csv"],
    "study calibration": ["small.csv", "--size", "20", "--test-sets", "2"],
    "study aa": ["small.csv", "--simulations", "20"],
    "study disagreement": ["small.csv", "--size", "10"],
    "study training": ["outputs/gold.txt", "--copies", "1", "-o", "sets"],
    "study published": ["--metric", "bleu", "--items", "1000"],
    "responses compare": ["ratings.csv", "--gold", "v1"],
    "responses study": ["--items", "20", "--resamples", "20"],
}
SLOW = ("demo", "selftest", "responses study")  # to be ended once, not for every failure
UNFORMATTED = ("tally", "reproduce", "study training")  # data, or a folder
FAILURES = {
    "full": (OSError(errno.ENOSPC, "No space left on device"), 4),
    "gone": (OSError(errno.EIO, "Input/output error"), 4),
    "pipe": (BrokenPipeError(errno.EPIPE, "Broken pipe"), 2),
    "memory": (MemoryError(), 4),
    "stopped": (KeyboardInterrupt(), 130),
    "defect": (ZeroDivisionError(), 70),
    "panic": (Panic(), 70),
    "exit": (SystemExit(1), 2),
}


def leaves(typed: Any = app, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for command in typed.registered_commands:
        yield " ".join((*words, command.name)), command.callback
    for group in typed.registered_groups:
        yield from leaves(group.typer_instance, (*words, group.name))


def counts() -> Iterator[tuple[str, str]]:
    """Every option of every command that takes a whole number."""
    for words, callback in leaves():
        for name, parameter in signature(callback, eval_str=True).parameters.items():
            if get_origin(parameter.annotation) is Annotated:
                kind, option = get_args(parameter.annotation)[:2]
                if "int" in str(kind) and name != "seed":
                    spelled = str(option.default)  # where typer keeps the first name
                    named = spelled.startswith("--")
                    yield words, spelled if named else f"--{name.replace('_', '-')}"


@pytest.fixture
def folder(demo_folder: Path) -> Path:
    """The bundled files, and a small table with a system that is plainly worse."""
    rows = (f"q{i},{i % 5 > 0:d},{i % 3 > 0:d},{i % 8 == 0:d}\n" for i in range(40))
    (demo_folder / "small.csv").write_text("item,base,new,bad\n" + "".join(rows))
    return demo_folder


def test_every_command_is_tried_here() -> None:
    assert set(EVERY) == {words for words, _ in leaves()}


@pytest.mark.parametrize("words", [words for words in EVERY if words not in SLOW])
def test_a_command_as_it_is_tried_here(folder: Path, betterthan: Command, words: str) -> None:
    run = betterthan(*words.split(), *EVERY[words])
    assert run.code == (1 if words == "gate" else 0), run.err
    assert run.out
    assert words != "gate" or "REGRESSION" in run.out


@pytest.mark.parametrize(("words", "option"), list(counts()))
@pytest.mark.parametrize("number", [str(10**20), str(10**400), "0", "nan"])
def test_absurd_counts_are_refused_or_answered(
    folder: Path, betterthan: Command, words: str, option: str, number: str
) -> None:
    more = ["--method", "monte-carlo"] if words == "compare" else []
    run = betterthan(*words.split(), *EVERY[words], *more, f"{option}={number}")
    # A list of items ends with the items, and a size beyond the data with a word on it.
    unlimited = option == ("--items" if words in ("compare", "gate") else "--size")
    unlimited &= words != "study training"
    allowed = (0, 2) if words in ("study published", "power") or unlimited else (2,)
    allowed = (1, *allowed) if words == "gate" and unlimited else allowed  # its ruling
    assert run.code in allowed, run.err
    assert "No such option" not in run.err
    assert len(run.err) < 3000


class Failing(io.StringIO):
    """Standard output that cannot be written to."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("words", [words for words in EVERY if words != "responses study"])
def test_a_result_that_cannot_be_shown_is_no_regression(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: str, failure: str
) -> None:
    error, code = FAILURES[failure]
    monkeypatch.setattr(sys, "stdout", Failing(error))
    run = betterthan(*words.split(), *EVERY[words])
    assert run.code == code, run.err
    assert "Traceback" not in run.err


BAD = {
    "nowhere.csv": None,
    "empty.csv": b"",
    "names.csv": b"item,base,bad\n",
    "words.csv": b"item,base,bad\nq1,yes,\nq2,perhaps,1e999\n",
    "twice.csv": b"item,base,bad\nq1,1,0\nq1,1,0\n",
    "holes.csv": b"item,base,bad\nq1,1,\nq2,,0\n",
    "damaged.parquet": b"PAR1" + b"\xff" * 40 + b"PAR1",
    "damaged.csv.gz": b"\x1f\x8b\x08\x00" + b"\xff" * 40,
    "damaged.json": b'{"systems": [1, {"a": ',
    "bytes.txt": b"\xff\xfe\x00\x01\n" * 3,
}
WAYS = {  # BAD is the file that cannot be read
    **{
        words: [words, "BAD", *EVERY[words][1:]]
        for words in EVERY
        if EVERY[words][:1] in (["small.csv"], ["ratings.csv"])
    },
    "wer": ["compare", "outputs/base.txt", "BAD", "-m", "wer", "--ref", "outputs/gold.txt"],
    "references": ["estimate", "outputs/base.txt", "-m", "wer", "--ref", "BAD"],
    "pilot": ["power", "BAD", "--effect", "5"],
    "pilot in place": ["power", "BAD", "--effect", "5", "--scan"],
    "flipped items": ["compare", "BAD", "--items", "3"],
    "explained": ["gate", "BAD", "--candidate", "bad", "--margin", "2", "--explain"],
    "plan": ["gate", "qa.csv", "--candidate", "birch", "--plan", "BAD"],
    "seal": ["gate", "--seal", "--plan", "BAD"],
    "config": ["compare", "qa.csv", "--config", "BAD"],
    "gate with config": [
        "gate",
        "qa.csv",
        "--candidate",
        "atlas",
        "--margin",
        "2",
        "--config",
        "BAD",
    ],
    "compare in place": ["compare", "BAD", "--scan"],
    "gate in place": ["gate", "BAD", "--candidate", "bad", "--margin", "2", "--scan"],
    "tally in place": ["tally", "BAD", "--scan"],
}
READ = {("inspect", "holes.csv"), ("config", "empty.csv")}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_cannot_be_read_is_a_regression(
    folder: Path, betterthan: Command, way: str
) -> None:
    first, *rest = WAYS[way]
    for name, content in BAD.items():
        if content is not None:
            Path(name).write_bytes(content)
        run = betterthan(*first.split(), *(name if word == "BAD" else word for word in rest))
        assert run.code in ((0,) if (way, name) in READ else (2, 4)), f"{name}: {run.err}"
        assert "Traceback" not in run.err


@pytest.mark.parametrize("words", EVERY)
def test_words_that_mean_nothing_are_errors_of_usage(
    folder: Path, betterthan: Command, words: str
) -> None:
    assert betterthan(*words.split(), *EVERY[words], "--nonsense").code == 2
    if "-o" in str(dict(leaves())[words].__doc__) or words in ("compare", "rank", "gate"):
        folders = words == "study training"  # any name is that of a folder
        for place in ("nowhere/x.json", ".", "small.csv" if folders else "x.nonsense"):
            run = betterthan(*words.split(), *EVERY[words], "-o", place)
            assert run.code in (2, 4), run.err
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("words", [words for words in EVERY if words not in SLOW])
def test_json_is_as_its_schema_says(folder: Path, betterthan: Command, words: str) -> None:
    if "output" not in signature(dict(leaves())[words]).parameters or words in UNFORMATTED:
        return
    run = betterthan(*words.split(), *EVERY[words], "--format", "json")
    document = json.loads(run.out)
    assert isinstance(document, list) is (words == "simulate")  # data, which read back
    if words != "simulate":
        errors = [
            error.message for error in Draft202012Validator(json_schema()).iter_errors(document)
        ]
        assert not errors


@pytest.mark.parametrize("words", [words for words in EVERY if words not in SLOW])
def test_quiet_says_nothing_beside_the_result(
    folder: Path, betterthan: Command, words: str
) -> None:
    def run(*more: str) -> Run:
        shutil.rmtree("sets", ignore_errors=True)  # a folder is not written into twice
        return betterthan(*words.split(), *EVERY[words], *more)

    loud, quiet, verbose = run(), run("-q"), run("-v")
    assert (quiet.code, quiet.err) == (loud.code, "")
    assert quiet.out
    assert len(quiet.out) <= len(loud.out)
    assert "signature:" not in quiet.out
    assert verbose.code == loud.code
    assert verbose.err.endswith(f" s · betterthan {__version__}\n")
    assert run("-q", "-v").code == 2
