"""A short campaign of the fuzzer with a fixed seed, what it found once, and the fuzzer itself."""

import random
from contextlib import suppress
from pathlib import Path

import pytest

import betterthan as bt
from fuzz import uses
from fuzz.campaign import FOUND, Findings, campaign, tried
from fuzz.commands import COMMANDS, run
from fuzz.seeds import Seed, seeds, written

# Of files; those with a lone surrogate are bytes on disk that are no UTF-8.
NAMES = [
    *("new.csv", "a b.csv", " .csv", "a\nb.csv", "a=b.csv", "=.csv", "=x", "-x.csv", "--help", "-"),
    *("--", "x" * 250 + ".csv", "é" * 120 + ".csv", "caf\udce9.csv", "a.csv\udcff", "*.csv"),
    *("[a].csv", "a\\b.csv", "~x.csv", "%s.csv", "$x$.csv", "\x1b[31m.csv", "'.csv", '".csv'),
    *("a:b.csv", "a,b.csv", ".csv", "...", "x.csv.gz", "http:x.csv", "{x}.csv", "&#0;.csv"),
]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that run tests are slow at times: `make fuzz` alone holds files to 5 seconds."""
    monkeypatch.setattr("fuzz.campaign.PATIENCE", 25.0)


@pytest.mark.parametrize(("name", "seed"), seeds().items(), ids=list(seeds()))
def test_every_file_can_be_read_before_it_is_changed(name: str, seed: Seed, tmp_path: Path) -> None:
    seed.read(tmp_path, written(seed.beside | seed.files, tmp_path))
    for change in dict.fromkeys(seed.changes):
        for data in seed.files.values():
            first, second = (change(data, random.Random(7)) for _ in range(2))
            assert first == second


def test_every_command_runs_before_it_is_changed(tmp_path: Path) -> None:
    written(seeds()["commands"].beside, tmp_path)
    assert {run(words, tmp_path) for words in COMMANDS} == {0, 3}


@pytest.mark.parametrize("finding", sorted(FOUND.glob("*/*")), ids=lambda path: path.name)
def test_what_was_found_once(finding: Path, tmp_path: Path) -> None:
    files = [path for path in finding.rglob("*") if path.is_file()]
    content = {str(path.relative_to(finding)): path.read_bytes() for path in files}
    assert content
    assert tried(seeds()[finding.parent.name], content, tmp_path / "read") is None


def test_changed_files_are_read_or_rejected(tmp_path: Path) -> None:
    findings = Findings(tmp_path)
    done = campaign(8, 20260101, findings)
    assert not findings.traces
    assert len(done) > 30


@pytest.mark.parametrize("name", NAMES)
def test_files_of_every_name_are_read_or_rejected(name: str, tmp_path: Path) -> None:
    for number, path in enumerate(paths := [tmp_path / name, tmp_path / "other.csv"]):
        path.write_text(f"item,score\nq1,{number}\nq2,1\nq3,0\n", encoding="utf-8")
    with suppress(bt.BetterthanError):
        uses.used(bt.read(*paths))
    run(["compare", name, "other.csv"], tmp_path)
    run(["rank", *map(str, paths), "--resamples", "10", "--output=x.html"], tmp_path)


def test_a_defect_is_found_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("betterthan.readers.table_files.typed", broken)
    findings = Findings(tmp_path)
    campaign(1, 1, findings, ["csv"])
    assert any("ZeroDivisionError" in what for _, what in findings.traces)
    assert len([*tmp_path.glob("csv/found-*/t.csv")]) == len(findings.traces)
