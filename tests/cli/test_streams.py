"""Pipes, standard input and devices: read once, to the end, or refused."""

import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from betterthan.errors import UsageError
from betterthan.readers.streams import CHUNK, Stream, as_stream
from betterthan.results import whole_files
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
    found = json.loads(run.stdout)["comparisons"][0]
    assert (found["baseline"], found["candidate"]) == ("first", "second")
    said = " ".join(run.stderr.split())
    assert "called by their places, first, second ...: NAME=<(command) names one" in said


def test_pipes_can_be_named_and_are_not_there_again(folder: Path) -> None:
    run = shell("betterthan compare base=<(cat a.txt) <(cat b.txt)")
    assert "second" in run.stdout
    assert "base" in run.stdout
    assert "Next:" not in run.stderr


@pytest.mark.parametrize("name", ["/dev/stdin", "-"])
@pytest.mark.parametrize("how", ["cat wide.csv |", "gzip -c wide.csv |"])
def test_standard_input_is_read_to_its_end(folder: Path, name: str, how: str) -> None:
    run = shell(f"{how} betterthan gate {name} --margin 2")
    assert f"{ITEMS:,} items" in run.stderr, run.stderr


def test_a_fifo_is_read_once(folder: Path, betterthan: Command) -> None:
    os.mkfifo("fifo")
    content = Path("wide.csv").read_bytes()
    gains = ["study", "gains", "--group-by", "."]
    for words in (["compare"], ["rank"], ["inspect"], ["tally", "-ot.csv"], gains):
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
    for name in ("/dev/zero", "/dev/urandom", "/dev/full", "/dev/ptmx", "/proc/kmsg"):
        if not os.access(name, os.R_OK):
            continue
        run = betterthan("compare", name)
        assert run.code == 4
        assert "never ends" in run.err
    assert betterthan("compare", "/dev/null").code == 4


def test_bytes_that_are_no_text_are_refused_by_their_beginning(folder: Path) -> None:
    for endless in ("cat /dev/zero", "cat /dev/urandom"):  # which nobody waits for the end of
        run = shell(f"{endless} | betterthan compare -")
        assert run.returncode == 4
        assert "stdin is a binary file of unknown format" in run.stderr


def test_a_stray_nul_in_a_long_pipe_is_no_reason_to_stop(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"a line\0 of many\n" + b"a line of many\n" * (CHUNK // 10)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert as_stream(Path("-")).read_bytes() == data
    parquet = b"PAR1" + bytes(2 * CHUNK)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(parquet)))
    assert as_stream(Path("-")).read_bytes() == parquet


def test_a_socket_is_called_one(folder: Path, betterthan: Command) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s.sock")
    run = betterthan("compare", "s.sock")
    assert run.code == 4
    assert "s.sock is a socket" in run.err


def test_a_pipe_that_a_pattern_matches_is_not_waited_for(folder: Path) -> None:
    Path("d").mkdir()
    os.mkfifo("d/a.csv")
    for more in ("", "--scan"):
        run = shell(f"betterthan compare 'd/*.csv' wide.csv {more}")
        assert run.returncode == 4
        assert "matches d/a.csv, which is a pipe" in run.stderr


def test_a_folder_whose_files_are_gone_is_named(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = os.scandir

    def gone(path: Any) -> Any:
        if Path(path).name == "16391":
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return there(path)

    monkeypatch.setattr(os, "scandir", gone)
    Path("proc", "16391").mkdir(parents=True)
    run = betterthan("compare", "wide.csv", "proc")
    assert run.code == 4
    assert "proc is a folder that cannot be searched (No such file" in run.err
    assert "16391" not in run.err


def test_pipes_are_not_scanned(folder: Path) -> None:
    os.mkfifo("ff")
    for command in ("compare", "rank", "power"):
        run = shell(f"betterthan {command} <(cat wide.csv) --scan")
        assert run.returncode == 2
        assert "a pipe cannot be scanned, only read: write it to a file" in run.stderr
    run = shell("betterthan compare ff --scan")
    assert run.returncode == 2
    assert "ff cannot be scanned" in run.stderr


def test_standard_input_is_not_the_reference_too(folder: Path) -> None:
    run = shell("betterthan compare --metric wer --ref - - b.txt < a.txt")
    assert run.returncode == 2
    assert "stdin is given twice, and can be read but once" in run.stderr


def test_pipes_of_responses_are_called_by_their_places(folder: Path) -> None:
    pipes = "<(cat a.txt) <(cat a.txt) <(cat b.txt)"
    run = shell(f"betterthan responses compare {pipes} --format json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["baseline"], found["candidate"]) == ("second", "third")
    assert "called by their places" in run.stderr
    run = shell("betterthan responses compare a.txt old=<(cat a.txt) new.v2=<(cat b.txt)")
    assert "old 1, new.v2 1" in run.stderr


def test_a_terminal_is_no_file(folder: Path, betterthan: Command) -> None:
    ours, theirs = os.openpty()
    try:
        plan = ["gate", "wide.csv", "--plan", os.ttyname(theirs)]
        for words in (["compare", os.ttyname(theirs)], plan):
            run = betterthan(*words)
            assert run.code == 4
            assert f"{os.ttyname(theirs)} is a device" in run.err
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux")
def test_a_file_that_claims_to_be_empty_is_read(folder: Path) -> None:
    made_up = as_stream(Path("/proc/self/status"))
    assert isinstance(made_up, Stream)
    assert made_up.held.startswith(b"Name:")
    Path("empty").touch()
    assert as_stream(Path("empty")) == Path("empty")


def test_an_output_that_is_a_pipe_or_a_device(
    folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert betterthan("compare", "wide.csv", "-o", "/dev/null", "-f", "json").code == 0
    monkeypatch.setattr(whole_files, "PATIENCE", 0.1)
    os.mkfifo("fifo")
    run = betterthan("compare", "wide.csv", "-o", "fifo", "-f", "json")
    assert run.code == 2
    assert "fifo is a pipe that nobody reads" in run.err
    monkeypatch.setattr(Path, "is_block_device", lambda _: True)
    with pytest.raises(UsageError, match="is a disk: name a file"):
        whole_files.write_whole(Path("fifo"), b"x")


def test_a_loop_of_links_and_a_user_who_is_not(folder: Path, betterthan: Command) -> None:
    Path("loop").symlink_to("loop")
    scored = ["wide.csv", "--docs", "loop", "--ref", "loop", "--metric", "bleu"]
    for words in (["loop"], ["~nosuchuser/x.csv"], scored):
        assert betterthan("compare", *words).code == 4
    assert betterthan("compare", "wide.csv", "-o", "loop", "-f", "md").code in (2, 4)


@pytest.mark.parametrize("given", ["<(cat said.csv)", "- < said.csv"])
def test_items_of_a_pipe_say_what_they_ask_and_it_has_no_number(folder: Path, given: str) -> None:
    Path("said.csv").write_text("item,prompt,a,b\nq1,hello there,1,0\nq2,what is it,0,1\n")
    run = shell(f"betterthan compare {given} --items 1")
    assert "q1    1  0  hello there" in run.stdout
    assert run.stderr.startswith(("Read pipe · wide", "Read stdin · wide"))
    run = shell(f"betterthan gate {given} --margin 2 --items 1")
    assert "q1    1  0  hello there" in run.stdout


def test_a_piped_reference_is_read_once_and_not_there_again(folder: Path) -> None:
    for name, lines in (("ref", "a b\nc d\n"), ("x", "a\nc d\n"), ("y", "a b\nc\n")):
        Path(f"{name}.txt").write_text(lines)
    run = shell("betterthan compare x.txt y.txt --metric wer --ref <(cat ref.txt) --items 1")
    assert "gold pipe" in run.stderr
    assert "Next:" not in run.stderr
    assert "c d" in run.stdout.split("target")[1]


def test_an_empty_pipe_is_called_by_its_place(folder: Path) -> None:
    run = shell("betterthan compare <(cat a.txt) <(true)")
    assert "second pipe is empty" in run.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_standard_output_that_takes_nothing_is_named(folder: Path) -> None:
    for command, said in (
        ("betterthan inspect wide.csv > /dev/full", "standard output: No space left"),
        ("betterthan inspect wide.csv >&-", "standard output: not writable"),
    ):
        run = shell(command)
        assert (run.returncode, said in run.stderr) == (4, True), run.stderr
