"""A disk that is full, a folder that is closed, a program that is killed, a place abroad."""

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.results.whole_files import write_whole
from conftest import Run

Command = Callable[..., Run]
LONG = {
    "compare": ["compare", "qa.csv", "--method", "monte-carlo", "--resamples", "100000000"],
    "responses": ["responses", "study", "--items", "2000", "--resamples", "100000"],
    "rank": ["rank", "qa.csv", "--resamples", "20000000"],
    "aa": ["study", "aa", "qa.csv", "--simulations", "1000000"],
    "calibration": ["study", "calibration", "qa.csv", "--size", "400", "--test-sets", "100000"],
    "gains": ["study", "gains", "qa.csv", "--method", "sample", "--resamples", "100000000"],
    "disagreement": ["study", "disagreement", "qa.csv", "--size", "400", "--repeats", "100000"],
    "simulate": ["simulate", "--items", "6000000"],
    "reproduce": ["reproduce", "--all"],
    "demo": ["demo"],
}
OFTEN = ("compare", "responses")  # the others when there is time
TICKS = os.sysconf("SC_CLK_TCK")
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux")


def started(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "betterthan", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def worked(program: "subprocess.Popen[str]", seconds: float) -> None:
    """Wait until a program and its workers have used so much time of a processor."""
    while program.poll() is None:
        used = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[2]) == program.pid:
                    used += int(fields[11]) + int(fields[12])
        if used / TICKS >= seconds:
            return
        time.sleep(0.05)


def gone(group: int) -> bool:
    """Whether no process of a group is left, after a while."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@ON_LINUX
@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow) for name in LONG]
)
def test_a_long_command_is_interrupted(demo_folder: Path, name: str) -> None:
    written = [] if name in ("demo", "reproduce") else ["-o", "out.csv"]
    program = started(*LONG[name], *written)
    worked(program, 6.0 if name == "reproduce" else 2.0)  # it starts others, which start anew
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130, said
    assert said.count("interrupted") == 1
    assert said.endswith("betterthan: interrupted\n")
    assert "Traceback" not in said
    assert not Path("out.csv").exists()
    assert not [path.name for path in demo_folder.iterdir() if path.name.startswith(".")]
    assert gone(program.pid)


@ON_LINUX
def test_an_interruption_before_the_start_is_one_as_well(demo_folder: Path) -> None:
    program = started(*LONG["compare"])
    worked(program, 0.25)  # it is still importing
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130, said
    assert said.endswith("betterthan: interrupted\n")


DEAF = {
    "finaliser": """
class Careless:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
Careless()
""",
    "compiled": """
class Careless:
    def __getattr__(self, name):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
ctypes.pythonapi.PyObject_HasAttrString(ctypes.py_object(Careless()), b"anything")
""",
    "for long": """
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt:
    time.sleep(600)
""",
}


@pytest.mark.parametrize("how", DEAF)
def test_an_interruption_that_is_dropped_on_the_way_is_none_the_less_one(
    demo_folder: Path, how: str
) -> None:
    Path("deaf.py").write_text(
        "import ctypes, os, signal, time\nfrom betterthan.metrics import mean\n"
        f"{DEAF[how]}\nMEAN = mean()\n"
    )
    words = ["gate", "qa.csv", "--metric", "deaf:MEAN", "--systems", "base,atlas", "--margin", "20"]
    program = subprocess.run(
        [sys.executable, "-m", "betterthan", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([".", *sys.path])},
    )
    assert program.returncode == 130, program.stderr
    assert program.stderr.endswith("betterthan: interrupted\n")
    assert "Traceback" not in program.stderr


WRITES = """
import sys
from pathlib import Path
from betterthan.results.whole_files import write_whole
print("ready", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_whole(Path(sys.argv[1]), letter * 3_000_000)
"""


def test_a_file_is_the_old_one_or_the_new_one_when_the_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"a" * 3_000_000)
    for pause in (0.0, 0.003, 0.01, 0.03, 0.06):
        program = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        time.sleep(pause)
        program.kill()
        program.wait()
        program.stdout.close()
        content = path.read_bytes()
        assert content in (b"a" * 3_000_000, b"b" * 3_000_000)


def smaller_files() -> None:
    """Let this process write files of 10 kB and no more, as a disk that is nearly full does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def test_a_file_that_does_not_fit_is_not_written(demo_folder: Path) -> None:
    Path("out.svg").write_text("the old one")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "betterthan",
            "rank",
            "qa.csv",
            "--resamples",
            "50",
            "-o",
            "out.svg",
        ],
        preexec_fn=smaller_files,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert run.returncode == 4, run.stderr
    assert "too large" in run.stderr
    assert Path("out.svg").read_text() == "the old one"
    assert "Traceback" not in run.stderr
    assert not [path.name for path in demo_folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace", "tempfile.mkstemp"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_whatever_step_fails_the_old_file_stays(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    old = {name: f"old {name}" for name in ("x.json", "x.csv", "betterthan.toml")}
    old["betterthan.toml"] = "[gate]\nmargin = 2\n"
    for name, content in old.items():
        Path(name).write_text(content)
    monkeypatch.setattr(call, fails)
    for words in (
        ["compare", "qa.csv", "-o", "x.json"],
        ["score", "outputs/base.txt", "-m", "bleu", "--ref", "outputs/gold.txt", "-o", "x.csv"],
        ["simulate", "--items", "5", "-o", "x.csv"],
        ["gate", "--seal"],
    ):
        run = betterthan(*words)
        assert run.code == 4, f"{words}: {run.err}"
        assert os.strerror(code) in run.err
    assert {name: Path(name).read_text() for name in old} == old
    assert not [path.name for path in demo_folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("place", ["/proc/betterthan.json", "/sys/betterthan.json", "/dev/full"])
def test_places_where_nobody_may_write(demo_folder: Path, betterthan: Command, place: str) -> None:
    if not Path(place).parent.is_dir():
        pytest.skip("no such folder")
    run = betterthan("compare", "qa.csv", "-o", place, "--format", "json")
    assert run.code == 4, run.err
    assert run.err.count("\n") == 2  # what was read, and what went wrong
    with pytest.raises(OSError, match=r"."):
        write_whole(Path(place), b"x" * 100_000)


ABROAD = {
    "plain": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "German": {"LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "12345"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "TZ": "Europe/Istanbul", "SOURCE_DATE_EPOCH": "0"},
}


def test_results_do_not_depend_on_the_place_or_the_time(demo_folder: Path) -> None:
    made: dict[str, dict[str, bytes]] = {}
    for name, variables in {"here": {}, **ABROAD}.items():
        forms = ("svg", "pdf", "tex")
        code = (
            "import betterthan as bt; s = bt.read('qa.csv'); "
            "r = bt.compare(s, 'base', 'atlas'); "
            f"[r.save(f'x.{{form}}') for form in {forms}]; print(r.rendered('json'))"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"} | variables,
        )
        assert run.returncode == 0, run.stderr
        made[name] = {form: Path(f"x.{form}").read_bytes() for form in forms}
        made[name]["json"] = run.stdout
    assert {name: found == made["here"] for name, found in made.items()} == dict.fromkeys(
        made, True
    )


def test_a_locale_of_the_calling_program_changes_nothing(tmp_path: Path) -> None:
    import locale

    scores = bt.Scores.from_arrays({"a": [0.25] * 2000, "b": [0.5, 0.75] * 1000})
    here = bt.compare(scores, "a", "b").rendered("table")
    before = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", ""):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        try:
            assert bt.compare(scores, "a", "b").rendered("table") == here
        finally:
            locale.setlocale(locale.LC_ALL, before)


@pytest.mark.parametrize("words", ["simulate --items 2000", "formats"])
def test_a_reader_that_has_seen_enough_ends_us_quietly(demo_folder: Path, words: str) -> None:
    command = f"{sys.executable} -m betterthan {words} | head -1; echo ${{PIPESTATUS[0]}} >&2"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    *said, code = run.stderr.splitlines()
    assert int(code) in (0, 128 + signal.SIGPIPE)
    assert not [line for line in said if "rror" in line or "Traceback" in line]
