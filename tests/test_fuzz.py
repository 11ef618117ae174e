"""A short campaign of the fuzzer with a fixed seed, and the fuzzer itself."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import changes
from fuzz.campaign import HangError, among, campaign, examined, tried
from fuzz.commands import reworded
from fuzz.grown import grown
from fuzz.keeping import FOUND, Finding, Shelf, listening, written
from fuzz.seeds import TALLIES, Seed, seeds
from fuzz.shrinking import search

CHANGES = [
    *(*changes.TEXTUAL, *changes.STRUCTURED, *changes.BINARY, *TALLIES),
    *(changes.rearchived, changes.compressed, changes.renamed, reworded),
]
TESTS = Path(__file__).parent


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that run tests are slow at times: `make fuzz` alone holds files to 5 seconds."""
    monkeypatch.setattr("fuzz.campaign.PATIENCE", 25.0)


def told(shelf: Shelf) -> str:
    return "\n".join(
        f"{f.seed}: {f.what}\n{f.trace}{str(f.content)[:5000]}" for f in shelf.findings.values()
    )


@pytest.mark.parametrize("change", dict.fromkeys(CHANGES), ids=lambda f: f.__name__)
def test_a_change_depends_on_its_seed_alone(change: changes.Change) -> None:
    data = b'{"a": [1, {"b": "x"}], "c": null}\n{"a": 2}\n'
    if change in (reworded, changes.renamed):
        data = b'["compare", "small.csv"]'
    for seed in range(50):
        first, second = (change(data, random.Random(seed)) for _ in range(2))
        assert first == second


def test_every_file_can_be_read_before_it_is_changed(tmp_path: Path) -> None:
    for name, seed in seeds(tmp_path).items():
        folder = tmp_path / "made" / name
        seed.read(folder, written(seed.beside | seed.files, folder))


@pytest.mark.parametrize("finding", sorted(FOUND.glob("*/*")), ids=lambda path: path.name)
def test_what_was_found_once(finding: Path, tmp_path: Path) -> None:
    seed = seeds(tmp_path / "seeds")[finding.parent.name]
    names = [name for name in (*seed.beside, *seed.files) if (finding / name).is_file()]
    assert names
    (tmp_path / "read").mkdir()
    with listening(tmp_path / "said"):
        content = {name: (finding / name).read_bytes() for name in names}
        assert tried(seed, content, tmp_path / "read") is None


def test_files_of_every_name_are_read_or_refused(tmp_path: Path) -> None:
    shelf = Shelf()
    seed = among(tmp_path, ["names"])["names"]
    with listening(tmp_path / "said"):
        for name, other in zip(changes.NAMES[::2], changes.NAMES[1::2], strict=True):
            names = {"names.json": json.dumps([name, other]).encode()}
            examined(seed, names, tmp_path / "names", shelf, f" of {name!r} and {other!r}")
    assert not shelf.findings, told(shelf)


def test_changed_files_are_read_or_refused(tmp_path: Path) -> None:
    shelf = Shelf()
    done = campaign(8, 20260101, None, tmp_path, shelf)
    assert not shelf.findings, told(shelf)
    assert len(done) > 30


def test_what_hypothesis_changes_is_read_or_refused(tmp_path: Path) -> None:
    shelf = Shelf()
    with listening(tmp_path / "said"):
        for name, seed in among(tmp_path, None).items():
            assert search({name: seed}, 20260101, tmp_path, shelf, 5 if seed.every == 1 else 1)
    assert not shelf.findings, told(shelf)


def test_files_of_a_megabyte_are_read_or_refused(tmp_path: Path) -> None:
    shelf = Shelf()
    done = grown(["csv", "metrics", "txt-ter"], tmp_path, shelf)
    assert not shelf.findings, told(shelf)
    assert min(done.values()) > 10


def broken_where(wrong: Callable[[bytes], bool], error: BaseException) -> Seed:
    """A format whose reader fails on some files."""

    def read(_: Path, files: list[Path]) -> None:
        if wrong(files[0].read_bytes()):
            raise error

    return Seed({"t": b"a line of text\n" * 9}, read, [changes.inserted])


@pytest.mark.parametrize("error", [ZeroDivisionError(), HangError()], ids=repr)
def test_a_defect_is_kept_and_made_small(error: BaseException, tmp_path: Path) -> None:
    seed = broken_where(lambda data: b"ne" in data, error)
    shelf = Shelf(tmp_path / "kept", "7")
    for name in ("some", "other"):
        (tmp_path / name).mkdir()
        examined(seed, seed.files, tmp_path / name, shelf)
        assert len((tmp_path / "kept" / name / "7-0" / "t").read_bytes()) < 10
    assert [seed for seed, _ in shelf.findings] == ["some", "other"]


def test_hypothesis_makes_a_defect_small(tmp_path: Path) -> None:
    seed = broken_where(lambda data: len(data) > 140, ZeroDivisionError())
    (tmp_path / "some").mkdir()
    shelf = Shelf(tmp_path / "kept", "7")
    search({"some": seed}, 1, tmp_path, shelf, 100)
    (finding,) = shelf.findings.values()
    assert len(finding.content["t"]) < 150
    assert (tmp_path / "kept" / "some" / "7-0" / "t").read_bytes() == finding.content["t"]


def test_a_defect_of_a_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("betterthan.readers.tables.table_files.typed_rows", broken)
    shelf = Shelf()
    campaign(1, 1, ["csv"], tmp_path, shelf)
    assert any("ZeroDivisionError" in what for _, what in shelf.findings)


def test_no_finding_is_written_over_another(tmp_path: Path) -> None:
    for data in (b"first", b"second"):
        Shelf(tmp_path, "7").put(Finding("csv", "hang", {"t.csv": data}, ""))
    kept = [path.read_bytes() for path in sorted(tmp_path.glob("csv/*/t.csv"))]
    assert kept == [b"first", b"second"]


def fuzz(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *words],
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_kills_the_process_is_kept(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if any(word.startswith('--place') for word in sys.argv + sys.orig_argv):\n"
        "    import betterthan.metrics as m\n"
        f"    m.parse = lambda _: os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(TESTS), *filter(None, sys.path)])
    run = fuzz("metrics", "--seed=7", f"--keep={tmp_path / 'kept'}", PYTHONPATH=paths)
    assert run.returncode == 1, run.stderr
    assert "metrics: crash" in run.stdout
    assert b"f1" in (tmp_path / "kept" / "metrics" / "7-0" / "metrics.txt").read_bytes()


def test_what_cannot_be_run_is_said() -> None:
    run = fuzz("--atheris", "csv", "tsv")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
