"""Outputs that are streams are written to, where they stand, and never replaced."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.errors import UsageError
from betterthan.results.whole_files import add_to, is_stdout, stream_of, write_whole
from conftest import Run

Command = Callable[..., Run]
pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rows = (f"q{i},{i % 2},{i % 3 > 0:d}\n" for i in range(30))
    Path("runs.csv").write_text("item,a,b\n" + "".join(rows))
    return tmp_path


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    command = command.replace("betterthan", f"{sys.executable} -m betterthan")
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )


def test_standard_output_goes_where_the_shell_sent_it() -> None:
    Path("log").write_text("old\n")
    before = Path("log").stat().st_ino
    run = shell("(betterthan compare runs.csv -q -f csv -o /dev/stdout; echo last) >> log")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    old, *result, last = Path("log").read_text().splitlines()
    assert (old, last) == ("old", "last")
    assert result[0].startswith("baseline,")
    assert len(result) == 2  # no verdict below, which is no CSV
    assert Path("log").stat().st_ino == before


def test_standard_output_may_be_a_pipe_behind_a_link() -> None:
    Path("link.csv").symlink_to("/dev/fd/1")
    run = shell("betterthan compare runs.csv -o link.csv")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("baseline,")
    assert "Wrote" not in run.stderr


def test_notes_on_standard_error_stay_in_their_order() -> None:
    run = shell("betterthan compare runs.csv -f csv -o /dev/stderr 2> notes")
    assert run.returncode == 0
    said = Path("notes").read_text().splitlines()
    places = [
        next(k for k, line in enumerate(said) if line.startswith(start))
        for start in ("Read runs.csv", "baseline,", "Wrote /dev/stderr")
    ]
    assert places == sorted(places)


def test_a_shell_that_reads_gets_all_of_it() -> None:
    run = shell("betterthan compare runs.csv -f json -o >(sed s/^/read:/)")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("read:{")


@pytest.mark.parametrize("name", ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"])
def test_frames_and_pictures_follow_links_to_streams(betterthan: Command, name: str) -> None:
    if not Path(name).exists():
        pytest.skip(f"no {name}")
    for suffix, words, start in (
        (".csv", ["tally", "runs.csv", "-o"], b"# betterthan-tally"),
        (".png", ["compare", "runs.csv", "--plot"], b"\x89PNG"),
        (".html", ["compare", "runs.csv", "-o"], b"<!doctype"),
    ):
        with Path("log").open("wb", buffering=0) as log:
            link = Path(f"link{suffix}")
            link.symlink_to(f"{name}/{log.fileno()}")
            log.write(b"first\n")
            assert betterthan(*words, str(link)).code == 0
            log.write(b"last\n")
        written = Path("log").read_bytes()
        assert written.startswith(b"first\n" + start)
        assert written.endswith(b"last\n")
        assert link.is_symlink()
        link.unlink()


def test_a_reader_that_ends_is_an_error_of_ours() -> None:
    run = shell("betterthan compare runs.csv -f html -o >(true)")
    assert run.returncode == 2
    assert "ended before all was written" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_named_pipe_whose_reader_ends() -> None:
    os.mkfifo("fifo")

    def some() -> None:
        with Path("fifo").open("rb", buffering=0) as stream:
            stream.read(1)

    reader = threading.Thread(target=some)
    reader.start()
    with pytest.raises(UsageError, match="who reads fifo ended"):
        write_whole(Path("fifo"), b"x" * 10_000_000)
    reader.join(timeout=60)


def test_what_is_not_open_to_be_written_to_is_said() -> None:
    with Path("runs.csv").open("rb") as file, pytest.raises(UsageError, match="is not open to be"):
        write_whole(Path(f"/dev/fd/{file.fileno()}"), b"x")
    with pytest.raises(UsageError, match="/dev/fd/987 is not open to be written to"):
        write_whole(Path("/dev/fd/987"), b"x")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_what_another_process_writes_to_is_not_replaced() -> None:
    with Path("log").open("wb") as log:
        words = [sys.executable, "-c", "input()"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=log) as other:
            theirs = Path(f"/proc/{other.pid}/fd/1")
            with pytest.raises(UsageError, match="is open in another process"):
                write_whole(theirs, b"x")
            with pytest.raises(UsageError, match="no file that can be added to"):
                add_to(theirs, "x")
            write_whole(Path(f"/proc/{other.pid}/fd/0"), b"\n")  # a pipe takes it
    assert other.returncode == 0
    assert Path("log").read_bytes() == b""


def test_a_job_summary_may_be_a_stream(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("log").open("wb", buffering=0) as log:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", f"/dev/fd/{log.fileno()}")
        assert betterthan("compare", "runs.csv").code == 0
        log.write(b"last\n")
    said = Path("log").read_text().splitlines()
    assert said[-1] == "last"
    assert any(line.startswith("| :---") for line in said)


def test_names_that_lead_to_streams() -> None:
    Path("loop").symlink_to("loop")
    Path("one").symlink_to("two")
    Path("two").symlink_to("/dev/stdout")
    Path("1").touch()
    assert is_stdout(Path("one"))
    assert not is_stdout(Path("/dev/stderr"))
    for name in ("loop", "1", "runs.csv", "not/there", "/dev/null"):
        assert stream_of(Path(name)) is None
