"""A process of its own: streams that are closed, interruptions, a broken installation."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.cli import app
from conftest import Run

Command = Callable[..., Run]
GATE = ["gate", "qa.csv", "-s", "base,atlas", "--margin", "5"]


def start(*words: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "betterthan", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | environment,
    )


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    command = command.replace("betterthan", f"{sys.executable} -m betterthan")
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )


STREAMS = {
    ">&-": 0,
    "2>&-": 0,
    "<&- >&- 2>&-": 0,
    ">/dev/full": 4,
    "| head -c 1": 0,
    "-f json | { exec <&-; }; exit ${PIPESTATUS[0]}": 141,
}


@pytest.mark.parametrize("redirected", STREAMS)
def test_streams_that_are_closed_or_full(demo_folder: Path, redirected: str) -> None:
    run = shell(f"betterthan compare qa.csv {redirected}")
    assert run.returncode == STREAMS[redirected]
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr
    assert ("rror" in run.stderr) == (run.returncode == 4)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
def test_pipes_of_a_shell(demo_folder: Path) -> None:
    cut = "<(cut -d, -f1,{} qa.csv | sed 1s/{}/score/)"
    files = f"base={cut.format(4, 'base')} new={cut.format(5, 'atlas')}"
    run = shell(f"betterthan compare {files}")
    assert run.returncode == 0, run.stderr
    assert "new is BETTER than base" in run.stdout
    assert "Next:" not in run.stderr
    assert shell("cat qa.csv | gzip | betterthan rank - --resamples 20").returncode == 0
    written = shell("(betterthan compare qa.csv -q -f csv -o /dev/stdout; echo last) >> log")
    assert written.returncode == 0
    *rows, last = Path("log").read_text().splitlines()
    assert last == "last"
    assert all(row.count(",") == rows[0].count(",") for row in rows)
    same = shell("betterthan compare qa.csv -f md -o /dev/stdout >> qa.csv")
    assert same.returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_locale_shows_a_result(demo_folder: Path, encoding: str) -> None:
    for words in (["compare", "qa.csv"], ["--help"], ["compare", "nö\udcff"]):
        run = subprocess.run(
            [sys.executable, "-m", "betterthan", *words],
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONIOENCODING": encoding, "LC_ALL": "C.UTF-8"},
        )
        assert run.returncode == (4 if "ö" in words[-1] else 0), run.stderr
        run.stdout.decode(encoding)


def test_settings_that_lie_in_the_folder_run_nothing(demo_folder: Path) -> None:
    Path("matplotlibrc").write_bytes(b"text.usetex: True\nbackend: module://evil\n")
    program = start("compare", "qa.csv", "-o", "x.svg", COLUMNS="abc", TERM="", MPLBACKEND="evil")
    _, told = program.communicate(timeout=120)
    assert program.returncode == 0, told
    assert Path("x.svg").read_text().startswith("<?xml")


LONG = {
    "compare": ["compare", "qa.csv", "--test", "permutation(method=monte-carlo)", "--resamples"],
    "rank": ["rank", "qa.csv", "--resamples"],
}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux")
@pytest.mark.parametrize("name", LONG)
def test_a_long_command_is_interrupted(demo_folder: Path, name: str) -> None:
    program = start(*LONG[name], "20000000", "-o", "out.csv")
    while program.poll() is None:
        fields = Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 1.5:
            break
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130, said
    assert said.endswith("error: interrupted\n")
    assert "Traceback" not in said
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("library", ["numpy", "polars", "cyclopts"])
@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("raise ImportError('libx.so: failed to map')", 4, "cannot be loaded (libx.so"),
        ("raise KeyboardInterrupt", 130, "interrupted"),
    ],
)
def test_a_library_that_cannot_be_loaded(
    demo_folder: Path, library: str, code: str, exit_code: int, words: str
) -> None:
    Path("lib", library).mkdir(parents=True)
    Path("lib", library, "__init__.py").write_text(code)
    program = start(*GATE, PYTHONPATH="lib")
    _, said = program.communicate(timeout=60)
    assert program.returncode == exit_code, said
    assert words in said
    assert "Traceback" not in said


def test_too_little_memory_and_too_small_a_disk_are_no_regressions(demo_folder: Path) -> None:
    run = shell(f"ulimit -v 1000000 && betterthan {' '.join(GATE)}")
    assert run.returncode == 4
    assert "allow at least 1,536 MB" in run.stderr
    Path("out.svg").write_text("the old one")

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    words = [sys.executable, "-B", "-m", "betterthan", *GATE, "-o", "out.svg"]
    small_disk = subprocess.run(
        words, preexec_fn=small, capture_output=True, text=True, check=False
    )
    assert small_disk.returncode == 4, small_disk.stderr
    assert Path("out.svg").read_text() == "the old one"


def test_a_defect_of_our_own_is_no_traceback(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(app, "run", broken)
    run = betterthan("demo")
    assert run.code == 70
    assert "internal error, RuntimeError: boom" in run.err
    monkeypatch.setenv("BETTERTHAN_DEBUG", "1")
    assert "Traceback" in betterthan("demo").err


def test_shells_learn_commands_and_options(demo_folder: Path) -> None:
    program = start("--install-completion", "--shell", "bash", "--output", "completion", HOME=".")
    program.communicate(timeout=60)
    assert program.returncode == 0
    script = Path("completion").read_text()
    for word in ("compare", "--correction", "false-alarms"):
        assert re.search(rf"(?<![\w-]){word}\b", script)
