"""No output takes the place of an input, and a seal changes nothing but the seal."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.design.plan import seal
from betterthan.errors import FormatError
from conftest import Run

Command = Callable[..., Run]
TABLE = "item,a,b\n" + "".join(f"q{i},{i % 2},{i % 3 > 0:d}\n" for i in range(30))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and other names of it."""
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text(TABLE)
    Path("soft.csv").symlink_to("runs.csv")
    os.link("runs.csv", "hard.csv")
    return tmp_path


@pytest.mark.parametrize("read", ["runs.csv", "./runs.csv", "soft.csv", "hard.csv", "r*s.csv"])
@pytest.mark.parametrize("written", ["runs.csv", "./runs.csv", "soft.csv", "hard.csv"])
def test_an_input_is_not_overwritten(betterthan: Command, read: str, written: str) -> None:
    for words in (["compare"], ["rank"], ["gate", "--margin", "2"]):
        run = betterthan(*words, read, "-o", written)
        assert run.code == 2
        assert "overwritten" in run.err
    assert Path("runs.csv").read_text() == TABLE


def test_a_job_summary_is_an_output_too(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "hard.csv")
    assert betterthan("compare", "runs.csv").code == 2
    assert Path("runs.csv").read_text() == TABLE


def test_references_and_plans_are_inputs_too(betterthan: Command) -> None:
    Path("out.txt").write_text("a b c\n" * 9)
    Path("ref.txt").write_text("a b c\n" * 9)
    Path("plan.json").write_text("[gate]\nmargin = 2\n")
    for words in (
        ["compare", "out.txt", "--metric", "bleu", "--ref", "ref.txt", "-o", "ref.txt"],
        ["gate", "runs.csv", "--plan", "plan.json", "-o", "plan.json"],
        ["compare", "runs.csv", "-o", "new.png", "--plot", "./new.png"],
    ):
        Path("new.png").touch()
        assert betterthan(*words).code == 2


def test_a_result_is_written_again(betterthan: Command) -> None:
    for _ in range(2):
        assert betterthan("compare", "runs.csv", "-o", "new.csv").code == 0


PLAN = """# sealed = "in a comment"
title = "x"

[release]
sealed = "of another table"  # stays
[gate]  # ours
alpha = 0.05
sealed = "old"
[[gate.checks]]
metric = "mean"
margin = 2
[later]
sealed = true
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_seal_changes_nothing_else(ends: str) -> None:
    path = Path("betterthan.toml")
    path.write_bytes(PLAN.replace("\n", ends).encode())
    made = seal(path)
    wanted = PLAN.replace('sealed = "old"\n', "").replace(
        "[gate]  # ours\n", f'[gate]  # ours\nsealed = "{made}"\n'
    )
    assert path.read_bytes() == wanted.replace("\n", ends).encode()
    assert seal(path) == made
    assert tomllib.loads(path.read_text())["release"] == {"sealed": "of another table"}


@pytest.mark.parametrize(
    "text",
    [
        'gate = {margin = 2}\nx = """\n[gate]\n"""\n',
        '[gate]\nmargin = 2\nmetric = """mean\nsealed = 3\n"""\n',
        "[[gate.checks]]\nmargin = 2\n",
    ],
)
def test_a_plan_that_cannot_be_sealed_line_by_line_is_left_alone(text: str) -> None:
    path = Path("betterthan.toml")
    path.write_text(text)
    with pytest.raises(FormatError):
        seal(path)
    assert path.read_text() == text


def test_a_seal_is_written_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("betterthan.toml")
    path.write_text(PLAN)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        seal(path)
    assert path.read_text() == PLAN
    assert sorted(os.listdir()) == ["betterthan.toml", "hard.csv", "runs.csv", "soft.csv"]
