"""Files, folders and systems whose names are not UTF-8, through every command."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_every_command import EVERY, SLOW

import betterthan as bt
from betterthan.errors import AlignmentError, FormatError, UsageError
from betterthan.readers.logs.agreement import spelled
from betterthan.readers.logs.runs import Run as LoggedRun
from conftest import Run

Command = Callable[..., Run]
ODD = "caf\udce9"  # as Python has the byte 0xe9, which is no UTF-8
SPELLED = "caf\\udce9"  # as terminals and reports have it
TABLES = ("small.csv", "ratings.csv")
SAMPLES = "samples_task_2024-01-01T00-00-00.000000.jsonl"
RECORD = '{{"doc_id": {}, "doc": {{}}, "filter": "none", "metrics": ["acc"], "acc": {:d}}}\n'


@pytest.fixture
def folder(demo_folder: Path) -> Path:
    """The bundled files, and some under names that are no text."""
    try:
        (demo_folder / ODD).mkdir()
    except (OSError, UnicodeEncodeError):
        pytest.skip("names of files are text here")
    rows = [(i % 5 > 0, i % 3 > 0, i % 8 == 0) for i in range(40)]
    wide = (f"q{i},{a:d},{b:d},{c:d}\n" for i, (a, b, c) in enumerate(rows))
    Path("small.csv").write_text("item,base,new,bad\n" + "".join(wide))
    for k, name in enumerate(("base", f"one{ODD}", f"two{ODD}")):
        lines = (f"q{i},{row[k]:d}\n" for i, row in enumerate(rows))
        Path(f"{name}.csv").write_text("item,score\n" + "".join(lines))
    for k, name in enumerate(("run", f"run{ODD}")):
        Path(name).mkdir()
        records = (RECORD.format(i, row[k]) for i, row in enumerate(rows))
        Path(name, SAMPLES).write_text("".join(records))
    battles = (f"q{i},a,b,model_{'ab'[i % 3 > 0]}\n" for i in range(30))
    Path(f"{ODD}-battles.csv").write_text("item,model_a,model_b,winner\n" + "".join(battles))
    for name in TABLES:
        shutil.copy(name, f"{ODD}/{name}")
    shutil.copytree("outputs", f"{ODD}/outputs")
    shutil.copy("outputs/base.txt", f"{ODD}.txt")
    return demo_folder


@pytest.mark.parametrize("words", [words for words in EVERY if words not in SLOW])
def test_every_command_takes_files_of_such_names(
    folder: Path, betterthan: Command, words: str
) -> None:
    given = [f"{ODD}/{w}" if w in TABLES or w.startswith("outputs/") else w for w in EVERY[words]]
    run = betterthan(*words.split(), *given)
    assert run.code == (1 if words == "gate" else 0), run.err
    run.out.encode()


ONE_EACH = ["base.csv", f"one{ODD}.csv", f"two{ODD}.csv"]
CALLED = ["base.csv", f"{ODD}=one{ODD}.csv", f"{ODD}\udcfe=two{ODD}.csv"]
RUNS = ["run", f"run{ODD}"]
TEXTS = ["outputs/new.txt", f"{ODD}.txt"]
CALLED_TEXTS = ["\udcff=outputs/new.txt", f"{ODD}.txt"]
SCORED = ["-m", "bleu", "--ref", "outputs/gold.txt"]
WAYS: dict[str, list[str]] = {
    "tables": ["compare", *ONE_EACH],
    "called": ["compare", *CALLED],
    "items": ["compare", *ONE_EACH, "--items", "3"],
    "folders": ["compare", *RUNS],
    "logs": ["compare", *(f"{run}/{SAMPLES}" for run in RUNS)],
    "logs by file": ["compare", *RUNS, "--system", "file"],
    "called logs": ["compare", "run", f"{ODD}=run{ODD}/{SAMPLES}"],
    "estimated": ["estimate", *ONE_EACH],
    "ranked": ["rank", *ONE_EACH],
    "ranked folders": ["rank", *RUNS],
    "battles": ["rank", f"{ODD}-battles.csv"],
    "tallied": ["tally", *ONE_EACH],
    "tallied wide": ["tally", f"{ODD}/small.csv"],
    "tallied folders": ["tally", *RUNS],
    "tallied logs": ["tally", *(f"{run}/{SAMPLES}" for run in RUNS)],
    "tallied battles": ["tally", f"{ODD}-battles.csv"],
    "gate": ["gate", *CALLED[:2], "--margin", "2"],
    "pilot": ["power", *ONE_EACH[:2], "--effect", "5"],
    "texts": ["compare", *SCORED, *TEXTS],
    "called texts": ["compare", *SCORED, *CALLED_TEXTS],
    "estimated texts": ["estimate", *SCORED, *CALLED_TEXTS],
    "scored": ["score", *SCORED, *TEXTS],
    "scored as called": ["score", *SCORED, *CALLED_TEXTS],
}


@pytest.mark.parametrize("way", WAYS)
def test_systems_of_such_names(folder: Path, betterthan: Command, way: str) -> None:
    said = betterthan(*WAYS[way])
    assert said.code in (0, 1, 3), said.err
    said.out.encode()
    for suffix in ("csv", "parquet") if way.startswith("scored") else ("json", "csv", "parquet"):
        run = betterthan(*WAYS[way], "-o", f"made.{suffix}")
        assert run.code == said.code, f"{suffix}: {run.err}"
    if "battles" not in way and "wide" not in way and way not in ("gate", "pilot"):
        assert "\\udc" in Path("made.csv").read_text()


def test_folders_of_such_names_are_inspected(folder: Path, betterthan: Command) -> None:
    run = betterthan("inspect", *RUNS)
    assert run.code == 0, run.err
    assert f"run, run{SPELLED}" in run.out


@pytest.mark.parametrize(
    "words",
    [
        ["compare", f"{ODD}/small.csv"],
        ["compare", *ONE_EACH],
        ["tally", f"{ODD}/small.csv"],
        ["rank", f"{ODD}-battles.csv"],
        ["tally", f"{ODD}-battles.csv"],
    ],
)
def test_a_scan_of_such_a_name_is_refused_with_a_remedy(
    folder: Path, betterthan: Command, words: list[str]
) -> None:
    run = betterthan(*words, "--scan")
    assert run.code == 4, run.err
    assert SPELLED in run.err
    assert "rename it" in run.err


def test_scans_in_python_say_the_same(folder: Path) -> None:
    with pytest.raises(FormatError, match="rename it"):
        bt.scan(f"{ODD}/small.csv")
    with pytest.raises(FormatError, match="rename it"):
        bt.scan_judgments(f"{ODD}-battles.csv")


def test_two_such_systems_stay_two(folder: Path, betterthan: Command) -> None:
    names, *lines = Path("base.csv").read_text().splitlines(keepends=True)
    Path("n\udce9.csv").write_text("".join([names, *lines[:20]]))
    Path("n\udce8.csv").write_text("".join([names, *lines[20:]]))
    for halves in (["n\udce9.csv", "n\udce8.csv"], ["\udcff=n\udce9.csv", "\udcfe=n\udce8.csv"]):
        run = betterthan("compare", "base.csv", *halves, "-q")
        assert run.code == 4, run.out
        assert "has no score for 20 of 40 items" in run.err


def test_names_that_clash_once_they_are_spelled_are_refused(
    folder: Path, betterthan: Command
) -> None:
    both = [f"{ODD}.csv", f"{SPELLED}.csv"]
    for name in both:
        shutil.copy("base.csv", name)
    run = betterthan("compare", *both)
    assert run.code == 2, run.err
    assert "would both be called" in run.err
    with pytest.raises(UsageError, match="would both be called"):
        bt.read(*both)
    assert betterthan("compare", both[0], f"other={both[1]}").code == 0


def _log(folder: Path, task: str = "task", every: int = 2) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / f"samples_{task}_2024-01-01T00-00-00.000000.jsonl"
    path.write_text("".join(RECORD.format(i, i % every == 0) for i in range(40)))
    return str(path)


@pytest.mark.parametrize("kind", ["system", "task"])
def test_runs_of_logs_that_clash_once_they_are_spelled_are_refused(kind: str) -> None:
    made = LoggedRun(system="s", task="t", where="0.json", items=["1"], scores={"acc": [1.0]})
    named: dict[str, Any] = {kind: ODD}
    one = replace(made, **named)
    assert [getattr(run, kind) for run in spelled([one])] == [SPELLED]
    named = {kind: SPELLED, "where": "1.json"}
    with pytest.raises(AlignmentError, match=f"0.json and 1.json would both be of the {kind}"):
        spelled([one, replace(made, **named)])


def test_such_a_task_is_chosen_by_its_name(folder: Path, betterthan: Command) -> None:
    logs = [_log(Path(f"m{k}"), task, k) for k in (2, 3) for task in (ODD, "other")]
    for task in (ODD, SPELLED):
        run = betterthan("compare", *logs, "--task", task)
        assert run.code == 0, run.err
        assert "40 items" in run.out + run.err


def test_such_a_system_is_chosen_by_its_name(folder: Path, betterthan: Command) -> None:
    for name in (f"two{ODD}", f"two{SPELLED}"):
        run = betterthan("compare", *ONE_EACH, "--baseline", name, "--systems", "base")
        assert run.code == 0, run.err


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_a_tally_of_such_files_is_read_back(folder: Path, betterthan: Command, suffix: str) -> None:
    made = f"{ODD}-tally.{suffix}"
    assert betterthan("tally", *ONE_EACH, "-o", made).code == 0
    assert bt.scan(made).systems == bt.read(*ONE_EACH).systems
    direct, again = (betterthan("compare", *files, "-q") for files in (ONE_EACH, [made]))
    assert (direct.code, direct.out) == (again.code, again.out)
