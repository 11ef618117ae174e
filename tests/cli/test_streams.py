"""Pipes, standard input and devices: read once, to the end, or refused."""

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run

Command = Callable[..., Run]
ITEMS = 20_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with scores of more than the 64 KiB that fit into a pipe."""
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate(("a.txt", "b.txt")):
        Path(name).write_text("".join(f"{(i * 7 + k) % 5 < 3:d}\n" for i in range(ITEMS)))
    rows = (f"question-{i:06},{i % 3 > 0:d},{i % 5 > 0:d}\n" for i in range(ITEMS))
    Path("wide.csv").write_text("item,a,b\n" + "".join(rows))
    return tmp_path


def shell(command: str, **more: object) -> "subprocess.CompletedProcess[str]":
    command = command.replace("betterthan", f"{sys.executable} -m betterthan")
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )


def test_process_substitution_gives_every_item(folder: Path) -> None:
    run = shell("betterthan compare <(cat a.txt) <(cat b.txt) --format json")
    assert run.returncode == 0, run.stderr
    assert f"{ITEMS:,} items" in run.stderr


@pytest.mark.parametrize("name", ["/dev/stdin", "-"])
@pytest.mark.parametrize("how", ["cat wide.csv |", "gzip -c wide.csv |"])
def test_standard_input_is_read_to_its_end(folder: Path, name: str, how: str) -> None:
    run = shell(f"{how} betterthan gate {name} --margin 2")
    assert f"{ITEMS:,} items" in run.stderr, run.stderr


def test_a_fifo_is_read_once(folder: Path, betterthan: Command) -> None:
    os.mkfifo("fifo")
    content = Path("wide.csv").read_bytes()
    for words in (["compare"], ["rank"], ["inspect"], ["study", "gains", "--group-by", "."]):
        writer = threading.Thread(target=Path("fifo").write_bytes, args=(content,))
        writer.start()
        run = betterthan(*words, "fifo")
        writer.join(timeout=60)
        assert run.code == 0, run.err
        assert f"{ITEMS:,} items" in run.err + run.out


@pytest.mark.parametrize(
    "words", [["compare"], ["rank"], ["inspect"], ["power"], ["score", "-mmean"]]
)
def test_a_dash_is_standard_input(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    content = io.BytesIO(Path("wide.csv").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    run = betterthan(*words, "-")
    assert run.code == 0, run.err
    assert "Read stdin" in run.err + run.out


def test_a_plan_can_be_piped(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[gate]\nmargin = 50\n")))
    assert betterthan("gate", "wide.csv", "--plan", "-").code == 0


def test_standard_input_cannot_be_two_systems(folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "-", "-")
    assert run.code == 2
    assert "given twice" in run.err


def test_a_bad_stream_is_called_what_the_user_called_it(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"item,a,b\nq1,1\n")))
    run = betterthan("compare", "-")
    assert run.code == 4
    assert "stdin" in run.err
    assert "/tmp" not in run.err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_what_never_ends_is_refused_at_once(folder: Path, betterthan: Command) -> None:
    for name in ("/dev/zero", "/dev/urandom", "/dev/full"):
        run = betterthan("compare", name)
        assert run.code == 4
        assert "never ends" in run.err
    assert betterthan("compare", "/dev/null").code == 4


def test_a_loop_of_links_and_a_user_who_is_not(folder: Path, betterthan: Command) -> None:
    Path("loop").symlink_to("loop")
    scored = ["wide.csv", "--docs", "loop", "--ref", "loop", "--metric", "bleu"]
    for words in (["loop"], ["~nosuchuser/x.csv"], scored):
        assert betterthan("compare", *words).code == 4
    assert betterthan("compare", "wide.csv", "-o", "loop", "-f", "md").code in (2, 4)
