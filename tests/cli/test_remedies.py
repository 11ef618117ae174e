"""An error says what to type instead, and that takes the error away."""

import pickle
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from surface import keywords_of, write_files

from betterthan.cli.advice import as_flag
from betterthan.cli.app import flags, run
from betterthan.errors import BetterthanError, Choice, Remedy, Where
from conftest import Run

Command = Callable[..., Run]
EVERY = flags()
# What is typed, and what a reader would put for the words in capitals. What only a person can do
# ends in a sentence, and is not among these.
ERRORS: dict[str, dict[str, str]] = {
    "compare one.csv": {},
    "compare holes.csv": {},
    "rank holes.csv": {},
    "score one.csv --metric acuracy": {},
    "compare t.csv --metric acuracy --metric mean": {},
    "compare mixed.csv": {},
    "compare commas.csv": {},
    'compare commas.csv -s "a,c",new --columns label=words': {},
    "compare shuffled.csv": {},
    "compare t.csv -b bse": {},
    "compare t.csv -s base,nwe": {},
    "compare t.csv --candidate nwe": {},
    "compare t.csv --cluster documnt": {},
    "compare t.csv --by domian": {},
    "compare t.csv --columns itm=item": {},
    "compare t.csv --columns item=itm": {},
    "compare t.csv --where domian=d0": {},
    "compare t.csv --where topic=d0,document=doc0": {"COLUMN": "domain"},
    "compare t.csv --where domain=d7": {"VALUE": "d1"},
    "compare t.csv --input-format wied": {},
    "compare t.csv --test permutaton": {},
    "compare t.csv --test bootstrap(variant=sgn)": {},
    "compare t.csv --test bootstrap(varant=sign)": {},
    "compare t.csv --correction hom": {},
    "compare t.csv --test wilcoxon --correction max-t": {},
    "compare pair.csv --test wilcoxon --correction max-t": {},
    "compare t.csv --alternative grater": {},
    "compare t.csv --missing dropp": {},
    "compare t.csv --show whi": {},
    "compare t.csv -f jso": {},
    "compare t.csv -f latex(widht=column)": {},
    "compare t.csv --alpha 5": {},
    "power --accuracy 70 --effect 4 --power 80": {},
    "compare t.csv -f csv --show why": {},
    "compare a.txt b.txt --ref gold.txt": {"METRIC": "wer"},
    "rank t.csv --method elow": {},
    "rank t.csv --method bradley-terry(ties=dropp)": {},
    "rank battles.csv --method mean": {},
    "score stars.csv --bounds 1,4": {},
    "gate pair.csv": {"X": "5"},
    "gate t.csv --margin 20": {},
    "gate shuffled.csv --margin 20": {},
    "gate pair.csv --margin 0.05": {},
    "power --effect 5": {"X": "70"},
    "power --accuracy 70": {"X": "5", "N": "100"},
    "power --accuracy 70 --effect 40": {},
    "power --accuracy 70 --agreement 100 --effect 2": {},
    "power --sd 17 --effect 0": {"X": "5"},
    "responses compare ratings.csv --gold golf": {"SYSTEM": "gold"},
    "responses compare ratings.csv --metric maee": {},
    "responses compare ratings.csv --test sharpp": {},
    "responses simulate --items 5 --law normall": {},
    "study gains one.csv": {},
    "study published one.csv": {"X": "50"},
    "study training gold.txt": {"DIR": "sets"},
    "inspect holes.csv -o tally.parquet": {},
    "inspect a.txt b.txt --ref gold.txt": {"METRIC": "wer"},
    "list formats lm-evl": {},
}


def error_of(words: list[str]) -> BetterthanError:
    """Run a command that goes wrong."""
    with pytest.raises(BetterthanError) as caught:
        run(words)
    return caught.value


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files that have faults."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)


@pytest.mark.parametrize("typed", ERRORS)
def test_a_remedy_is_an_option_and_a_keyword_and_takes_the_error_away(
    betterthan: Command, typed: str
) -> None:
    words = typed.split()
    error = error_of(words)
    for remedy in error.remedies:
        command: str = remedy.command or next(name for name in EVERY if typed.startswith(name))
        if remedy.parameter is not None:
            assert as_flag(remedy).partition(" ")[0] in EVERY[command], remedy
            shell = {"output", "format", "show", "sd", "published"}
            assert remedy.parameter in keywords_of(command) | shell, remedy
    failed = betterthan(*words)
    assert failed.code == error.exit_code
    message, *tries = failed.err.splitlines()[failed.err.startswith("Read") :]
    assert message == f"error: {error.message}"
    tries = tries[len(error.details) :]
    assert tries
    for line in tries:
        assert line.startswith(("try:   betterthan ", "       betterthan "))
        pasted, _, _ = line[len("try:   betterthan ") :].partition("     ")
        again = shlex.split(pasted)
        for choice, value in ERRORS[typed].items():
            again = [re.sub(rf"\b{choice}(?=$|=)", value, word) for word in again]
        found = betterthan(*again)
        assert found.code in (0, 1, 3), f"{again}: {found.err}"
        assert found.out


BY_HAND = {
    "compare bad.csv": 4,
    "compare a.csv upper.csv": 4,
    "compare nosuch.csv": 4,
    "gate pair.csv --margin 200": 2,
    "gate pair.csv --plan rules.toml@00000000": 2,
    "gate pair.csv --plan rules.toml --margin 3": 2,
    "gate pair.csv --plan pair.csv": 4,
    "study gains t.csv --groups nosuch.csv": 4,
}


@pytest.mark.parametrize("typed", BY_HAND)
def test_what_can_only_be_done_by_hand_is_said(betterthan: Command, typed: str) -> None:
    failed = betterthan(*typed.split())
    assert failed.code == BY_HAND[typed], failed.err
    assert failed.out == ""
    assert failed.err.count("error: ") == 1


def test_choices_are_for_the_reader_to_fill_in() -> None:
    error = error_of(["gate", "pair.csv"])
    assert error.remedy is not None
    assert isinstance(error.remedy.value, Choice)


def test_an_error_knows_its_place_also_elsewhere() -> None:
    Path("betterthan.toml").write_text("[compare]\nclustr = 'x'\n")
    error = error_of(["compare", "t.csv"])
    assert error.where == Where(file=Path("betterthan.toml"))
    assert pickle.loads(pickle.dumps(error)).where == error.where
    assert error.with_remedies(Remedy("by hand")).where == error.where
