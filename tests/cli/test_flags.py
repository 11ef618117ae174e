"""What Python advises, in the words of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.cli.flags import ARGUMENTS, as_flags
from conftest import Run

Command = Callable[..., Run]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('choose missing="drop" or missing="worst"', "choose --missing drop or --missing worst"),
        ('name it with item="my column"', "name it with --item 'my column'"),
        ("null='seeds' needs responses (response=)", "--null seeds needs responses (--response)"),
        ("say lower_is_better=True, or metric=...", "say --lower-is-better, or --metric"),
        ("rng='x'", "--seed x"),
        ("system 'top_p=.95' has no score", "system 'top_p=.95' has no score"),
        ("systems top_p=.9, alpha=.05", "systems top_p=.9, alpha=.05"),
        ("""system "metric='b'" lacks""", """system "metric='b'" lacks"""),
        ("'metric=' and 'item=;', metric=", "'metric=' and 'item=;', --metric"),
        ("the systems' ids: item='a b'.", "the systems' ids: --item 'a b'."),
        ("Rates(baseline=0.7) and domain=news stay", "Rates(baseline=0.7) and domain=news stay"),
    ],
)
def test_arguments_become_options(said: str, shown: str) -> None:
    assert as_flags(said) == shown


def test_every_argument_is_an_option() -> None:
    known = (Path(__file__).parent / "options.txt").read_text(encoding="utf-8")
    for name in ARGUMENTS:
        assert f"{as_flags(f'{name}=')}" in known, name


def test_errors_and_notes_speak_of_options(demo_folder: Path, betterthan: Command) -> None:
    Path("hole.csv").write_text("item,a,b\nq1,1,1\nq2,,0\nq3,0,1\n", encoding="utf-8")
    assert "--missing drop" in betterthan("compare", "hole.csv").err
    assert "-> --cluster document" in betterthan("compare", "qa.csv", "-s", "atlas").out
    few = betterthan("compare", "qa.csv", "--correction", "max-t", "--resamples", "100").out
    assert "(--resamples) may settle it, --correction holm needs none" in " ".join(few.split())


def test_an_option_that_takes_one_value_is_not_given_two(
    betterthan: Command, demo_folder: Path
) -> None:
    for words in (
        ("rank", "qa.csv", "--method", "mean", "--method", "median"),
        ("rank", "ner.csv", "-m", "f1", "--metric", "recall"),
        ("rank", "ner.csv", "-m", "f1,recall"),
    ):
        run = betterthan(*words)
        assert run.code == 2, run.err
        assert "one value" in run.err or "one metric" in run.err
    assert betterthan("compare", "ner.csv", "-m", "f1", "-m", "recall", "-b", "crf").code == 0
