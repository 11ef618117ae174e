"""Whatever a file holds, a command that cannot use it says so: exit 2 or 4, never a defect."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run

Command = Callable[..., Run]

BAD = {
    "nowhere.csv": None,
    "empty.csv": b"",
    "blank.csv": b"\n\n\n",
    "junk.csv": bytes(range(256)) * 20,
    "latin.csv": "item,a,b\nä,1,0\n".encode("latin-1"),
    "names.csv": b"item,a,b\n",
    "words.csv": b"item,a,b\nq1,yes please,no thanks\n",
    "ragged.csv": b"item,a,b\nq1,1,0\nq2,1,0,1,1\n",
    "column.csv": b"item\nq1\nq2\n",
    "twice.csv": b"item,a,b\nq1,1,0\nq1,0,1\n",
    "nan.csv": b"item,a,b\nq1,nan,0\nq2,inf,1\n",
    "broken.json": b'{"item": [1, 2',
    "numbers.json": b"[1, 2, 3]",
    "text.parquet": b"item,a,b\n",
    "torn.parquet": b"PAR1 and no more",
    "torn.csv.gz": b"\x1f\x8b and no more",
}
READING = [
    ["compare"],
    ["compare", "--metric", "bleu", "--ref", "qa.csv"],
    ["estimate"],
    ["inspect"],
    ["study", "disagreement"],
    ["rank"],
    ["score", "--metric", "mean"],
    ["score", "--metric", "f1", "--ref", "qa.csv"],
    ["gate", "--margin", "2"],
    ["power"],
    ["study", "gains"],
    ["study", "calibration"],
    ["study", "aa"],
    ["study", "published", "--published", "50"],
    ["study", "gains", "qa.csv", "--groups"],
    ["compare", "outputs/base.txt", "--metric", "bleu", "--ref"],
    ["responses", "compare"],
    ["responses", "study"],
]


@pytest.fixture
def bad_folder(demo_folder: Path) -> Path:
    """The demonstration files, and files that nothing can be done with."""
    for name, content in BAD.items():
        if content is not None:
            (demo_folder / name).write_bytes(content)
    (demo_folder / "folder").mkdir()
    return demo_folder


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_bad_files_are_errors_of_the_data(
    bad_folder: Path, betterthan: Command, words: list[str]
) -> None:
    for name in [*BAD, "folder"]:
        run = betterthan(*words, name)
        assert run.code in (2, 4), f"{name}: {run.code}\n{run.out}{run.err}"
        assert run.err.splitlines()[-1].startswith("betterthan: "), name
        assert run.out == ""


def test_a_bad_plan_is_an_error_of_the_data(bad_folder: Path, betterthan: Command) -> None:
    for name in [*BAD, "folder"]:
        for words in (["qa.csv", "--candidate", "atlas"], ["--seal"]):
            run = betterthan("gate", *words, "--plan", name)
            assert run.code in (2, 4), f"{name}: {run.code}\n{run.err}"
