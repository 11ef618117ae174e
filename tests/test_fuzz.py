"""A short campaign of the fuzzer with a fixed seed, and the fuzzer itself."""

import random
from pathlib import Path

import pytest

from fuzz import changes
from fuzz.campaign import FOUND, campaign, listening, tried, written
from fuzz.commands import reworded
from fuzz.grown import grown
from fuzz.seeds import TALLIES, seeds

CHANGES = [
    *(*changes.TEXTUAL, *changes.STRUCTURED, *changes.BINARY, *TALLIES),
    *(changes.rearchived, changes.compressed, reworded),
]


@pytest.mark.parametrize("change", dict.fromkeys(CHANGES), ids=lambda f: f.__name__)
def test_a_change_depends_on_its_seed_alone(change: changes.Change) -> None:
    data = b'{"a": [1, {"b": "x"}], "c": null}\n{"a": 2}\n'
    if change is reworded:
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


def test_changed_files_are_read_or_refused() -> None:
    done, findings = campaign(seconds=12, number=20260101)
    assert not findings, "\n".join(f"{f.seed}: {f.what}\n{f.trace}" for f in findings)
    assert len(done) > 30


def test_files_of_a_megabyte_are_read_or_refused() -> None:
    done, findings = grown(["csv", "metrics", "txt-ter"])
    assert not findings, "\n".join(f"{f.seed}: {f.what}\n{f.trace}" for f in findings)
    assert min(done.values()) > 10


def test_a_defect_is_found_and_made_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("betterthan.readers.tables.table_files.typed_rows", broken)
    _, findings = campaign(seconds=1, number=1, only=["csv"])
    assert any("ZeroDivisionError" in finding.what for finding in findings)
