"""Nothing but a regression that is shown exits with 1."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from betterthan.cli import app
from betterthan.cli.shell import Ruled
from betterthan.errors import AlignmentError, BadValueError, FormatError, UsageError
from conftest import Run

Command = Callable[..., Run]


class Panic(BaseException):
    """What compiled libraries raise."""


ENDS: list[tuple[BaseException, int]] = [
    (Ruled(1), 1),
    (Ruled(3), 3),
    (Ruled(0), 0),
    (typer.Exit(1), 2),
    (SystemExit(1), 2),
    (SystemExit("words"), 2),
    (typer.Abort(), 130),
    (KeyboardInterrupt(), 130),
    (EOFError(), 130),
    (typer.BadParameter("odd"), 2),
    (UsageError("x"), 2),
    (FormatError("x"), 4),
    (AlignmentError("x"), 4),
    (BadValueError("x"), 4),
    (FileNotFoundError(2, "No such file", "x.csv"), 4),
    (OSError("odd"), 4),
    (MemoryError(), 4),
    (ValueError("x"), 70),
    (AssertionError(), 70),
    (RecursionError("deep"), 70),
    (UnicodeEncodeError("ascii", "ä", 0, 1, "no"), 70),
    (Panic("index out of bounds"), 70),
    (GeneratorExit(), 70),
]


@pytest.mark.parametrize(("end", "code"), ENDS, ids=lambda x: repr(x)[:40])
@pytest.mark.parametrize("debug", ["", "1"])
def test_only_a_ruling_exits_with_1(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch, end: BaseException, code: int, debug: str
) -> None:
    made = typer.Typer(pretty_exceptions_enable=False)

    @made.command()
    def end_so() -> None:
        raise end

    monkeypatch.setenv("BETTERTHAN_DEBUG", debug)
    monkeypatch.setattr(app, "app", made)
    assert betterthan().code == code


def test_a_file_that_panics_a_library_is_a_file_that_cannot_be_read(
    demo_folder: Path, betterthan: Command
) -> None:
    import polars as pl

    pl.DataFrame(
        {"item": [f"q{i}" for i in range(50)], "a": [1.0] * 50, "b": [0.5] * 50}
    ).write_parquet("good.parquet")
    good = Path("good.parquet").read_bytes()
    for at in range(4, len(good) - 4, 7):
        for change in (0xFF, 0x80, 0x01):
            bad = bytearray(good)
            bad[at] ^= change
            Path("bad.parquet").write_bytes(bad)
            run = betterthan("gate", "bad.parquet", "--margin", "5")
            assert run.code in (0, 2, 3, 4) or "REGRESSION" in run.out, f"{at}: {run.err}"


EVIL = "import sys\nsys.exit(0)\n"
LATE = """
import sys
from betterthan.metrics import blackbox
def scored(rows):
    sys.exit(0)
LATE = blackbox(scored, ("a",))
"""


def run_in(folder: Path, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "betterthan", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | env,
    )


def test_a_plan_that_lies_about_imports_nothing(demo_folder: Path) -> None:
    (demo_folder / "evil.py").write_text(EVIL)
    (demo_folder / "polars.py").write_text("open('run', 'w')\n" + EVIL)
    (demo_folder / "betterthan.toml").write_text('[gate]\nmargin = 2\nmetric = "evil:X"\n')
    words = ["gate", "qa.csv", "--candidate", "atlas"]
    run = run_in(demo_folder, *words)
    assert run.returncode == 2
    assert "--plan betterthan.toml" in run.stderr
    run = run_in(demo_folder, *words, "--plan", "betterthan.toml")
    assert run.returncode == 2
    assert "cannot import" in run.stderr
    run = run_in(
        demo_folder,
        *words,
        "--plan",
        "betterthan.toml",
        # An empty entry would mean the working folder itself.
        PYTHONPATH=os.pathsep.join(
            filter(None, [os.environ.get("PYTHONPATH"), str(demo_folder / "modules")])
        ),
    )
    assert run.returncode == 2
    assert not (demo_folder / "run").exists()


def test_a_module_that_exits_is_an_error(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (demo_folder / "evil_metric.py").write_text(EVIL)
    monkeypatch.syspath_prepend(str(demo_folder))
    run = betterthan("compare", "qa.csv", "--metric", "evil_metric:X")
    assert run.code == 2
    assert "cannot import" in run.err


@pytest.mark.parametrize("name", [".x:y", ":y", "x:", "..:", "a b:c", "os:path", "os:name(x)"])
def test_a_metric_that_cannot_be_imported(
    demo_folder: Path, betterthan: Command, name: str
) -> None:
    assert betterthan("compare", "qa.csv", "--metric", name).code == 2


def test_code_of_a_metric_cannot_end_the_program(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object, **__: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("betterthan.readers.read", ends)
    run = betterthan("gate", "qa.csv", "--margin", "2")
    assert run.code == 2
    assert "ended the program" in run.err


STREAMS = {
    "stdout closed": (">&-", (4,)),
    "stderr closed": ("2>&-", (0,)),
    "both closed": (">&- 2>&-", (4,)),
    "all closed": ("<&- >&- 2>&-", (4,)),
    "stdin closed": ("<&-", (0,)),
    "full": (">/dev/full", (4,)),
    "full stderr": ("2>/dev/full", (0, 4)),
    "stopped reading": ("| head -1", (0,)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_that_are_closed_or_full(demo_folder: Path, name: str) -> None:
    redirected, codes = STREAMS[name]
    command = f"{sys.executable} -m betterthan compare qa.csv {redirected}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert run.returncode in codes, run.stderr
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_locale_shows_a_result(demo_folder: Path, encoding: str) -> None:
    for words in (["compare", "qa.csv"], ["rank", "qa.csv"], ["--help"], ["compare", "nö\udcff"]):
        run = subprocess.run(
            [sys.executable, "-m", "betterthan", *words],
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONIOENCODING": encoding, "LC_ALL": "C.UTF-8"},
        )
        assert run.returncode in (0, 4), run.stderr
        text = run.stdout.decode(encoding)
        assert "\\u" not in text
    assert "nowhere" not in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("COLUMNS", value) for value in ("0", "-5", "abc", "1", "9" * 20, "", "٣")],
        *[("LINES", "0"), ("SOURCE_DATE_EPOCH", "abc"), ("SOURCE_DATE_EPOCH", f"-{'9' * 20}")],
        *[("TERM", "dumb"), ("TERM", ""), ("TZ", "../../etc"), ("HOME", "/nowhere")],
    ],
)
def test_odd_variables_of_the_environment(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    for words in (["--help"], ["compare", "qa.csv", "-o", "x.pdf"], ["compare", "qa.csv"]):
        monkeypatch.setenv(name, value)
        run = betterthan(*words)
        assert run.code == 0, run.err


@pytest.mark.parametrize("value", ["0", "nonsense"])
def test_variables_that_polars_would_fall_over(demo_folder: Path, value: str) -> None:
    names = ("MAX_THREADS", "IDEAL_MORSEL_SIZE", "ENGINE_AFFINITY", "FMT_MAX_ROWS", "TEMP_DIR")
    odd = {f"POLARS_{name}": value for name in names} | {"RAYON_NUM_THREADS": value}
    words = [sys.executable, "-m", "betterthan", "compare", "qa.csv"]
    run = subprocess.run(words, capture_output=True, check=False, env=os.environ | odd)
    assert run.returncode == 0, run.stderr


RC = {
    "LaTeX": b"text.usetex: True\npgf.preamble: \\input{evil}\n",
    "backend": b"backend: module://evil\n",
    "damaged": b"font.size: \xff\n",
}


@pytest.mark.parametrize("name", RC)
def test_settings_of_matplotlib_in_this_folder_are_not_used(
    demo_folder: Path, betterthan: Command, name: str
) -> None:
    assert betterthan("compare", "qa.csv", "-o", "x.svg").code == 0
    expected = (demo_folder / "x.svg").read_bytes()
    (demo_folder / "matplotlibrc").write_bytes(RC[name])
    run = run_in(demo_folder, "compare", "qa.csv", "-o", "x.svg", MPLBACKEND="nonsense")
    assert run.returncode == 0, run.stderr
    assert (demo_folder / "x.svg").read_bytes() == expected


def test_settings_of_matplotlib_that_cannot_be_read(demo_folder: Path) -> None:
    (demo_folder / "settings").write_bytes(RC["damaged"])
    asked = ("compare", "qa.csv", "-o", "x.svg")
    run = run_in(demo_folder, *asked, MATPLOTLIBRC=str(demo_folder / "settings"))
    assert run.returncode == 2, run.stderr
    assert "matplotlib cannot read its settings" in run.stderr


def test_an_unwritable_job_summary_is_a_warning(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(demo_folder / "nowhere" / "summary.md"))
    run = betterthan("compare", "qa.csv")
    assert run.code == 0
    assert "no job summary" in run.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_job_summary_that_is_a_pipe_is_not_waited_for(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("summary.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    run = betterthan("compare", "qa.csv")
    assert run.code == 0
    assert "no job summary: cannot write summary.md (it is no file" in run.err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", os.devnull)
    assert "no job summary" not in betterthan("compare", "qa.csv").err
