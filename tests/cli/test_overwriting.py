"""No output takes the place of an input, and a seal changes nothing but the seal."""

import errno
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.design.plan import seal
from betterthan.errors import FormatError
from betterthan.results.whole_files import write_whole
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


def test_the_home_of_a_user_is_found_for_outputs_too(
    betterthan: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "home").mkdir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    Path("home/runs.csv").write_text(TABLE)
    made = ["compare", "runs.csv", "-o", "~/x.json", "--plot", "~/x.png"]
    assert betterthan(*made).code == 0
    assert betterthan("tally", "~/runs.csv", "-o", "~/tally.csv").code == 0
    assert betterthan("demo", "--save", "~/demo", "-q").code == 0
    names = {"demo", "runs.csv", "tally.csv", "x.json", "x.png"}
    assert {path.name for path in Path("home").glob("[!.]*")} == names
    run = betterthan("compare", "~/runs.csv", "-o", "~/runs.csv")
    assert run.code == 2
    assert "overwritten" in run.err
    for words in (["compare", "runs.csv", "-o"], ["demo", "--save"]):
        run = betterthan(*words, "~nosuchuser/x.json")
        assert run.code == 2
        assert "a user who does not exist" in run.err
    assert not list(folder.glob("~*"))


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


def test_two_outputs_are_two_files_even_where_neither_is_there_yet(betterthan: Command) -> None:
    run = betterthan("compare", "runs.csv", "-o", "x.svg", "--plot", "./x.svg")
    assert run.code == 2
    assert "x.svg is asked for twice: write to two files" in run.err
    assert not Path("x.svg").exists()


def test_a_dash_is_no_file_to_write(betterthan: Command) -> None:
    for words in (["compare"], ["compare", "-f", "json"], ["tally"]):
        run = betterthan(*words, "runs.csv", "-o", "-")
        assert run.code == 2
        assert "leave it out to print" in run.err
    assert not Path("-").exists()


@pytest.mark.parametrize("failing", ["mkstemp", "fsync"])
def test_errors_of_the_system_name_the_file_that_was_meant(
    failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", ".new.json.6l5v68qe")

    monkeypatch.setattr(tempfile if failing == "mkstemp" else os, failing, fail)
    with pytest.raises(OSError, match="No space left") as raised:
        write_whole(Path("new.json"), "{}")
    assert raised.value.filename == "new.json"
    assert {path.name for path in Path().iterdir()} == {"runs.csv", "soft.csv", "hard.csv"}


def test_defaults_are_inputs_whether_named_or_found(betterthan: Command) -> None:
    for text, words in (
        ("[gate]\nmargin = 2\n", ["gate", "runs.csv", "-o", "betterthan.toml"]),
        ("[compare]\nalpha = 0.01\n", ["compare", "runs.csv", "-o", "betterthan.toml"]),
    ):
        Path("betterthan.toml").write_text(text)
        assert "overwritten" in betterthan(*words, "--format", "json").err
        assert Path("betterthan.toml").read_text() == text
    Path("betterthan.toml").rename("c.toml")
    run = betterthan("compare", "runs.csv", "--config", "c.toml", "-o", "c.toml", "-fjson")
    assert "overwritten" in run.err
    assert Path("c.toml").read_text() == text


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="no /dev/stdin")
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_file_that_a_shell_makes_standard_input_is_not_overwritten(name: str) -> None:
    words = [sys.executable, "-m", "betterthan", "compare", name, "-o", "hard.csv"]
    with Path("runs.csv").open("rb") as file:
        run = subprocess.run(words, stdin=file, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "hard.csv is read (as /dev/stdin)" in run.stderr
    assert Path("runs.csv").read_text() == TABLE


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
@pytest.mark.parametrize(
    "command",
    [
        "compare runs.csv -f md -o /dev/stdout >> hard.csv",
        "compare /dev/fd/3 -f md -o /dev/fd/3 3<> hard.csv",
    ],
)
def test_an_input_that_is_open_as_a_stream_is_not_written_to(command: str) -> None:
    words = ["bash", "-c", f"{sys.executable} -m betterthan {command}"]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "overwritten" in run.stderr
    assert Path("runs.csv").read_text() == TABLE


@pytest.mark.skipif(os.name != "posix", reason="permissions are the operating system's")
def test_what_is_written_again_is_as_private_as_before(betterthan: Command) -> None:
    Path("new.json").touch()
    Path("new.json").chmod(0o600)
    assert betterthan("compare", "runs.csv", "-o", "new.json").code == 0
    assert Path("new.json").stat().st_mode & 0o777 == 0o600


def test_a_result_is_written_again(betterthan: Command) -> None:
    for _ in range(2):
        assert betterthan("compare", "runs.csv", "-o", "new.csv").code == 0


PLAN = """# sealed = "in a comment"
title = "x"

[release]
sealed = "of another table"  # stays
[gate]  # ours
alpha = 0.05
sealed = "old"  # by whom
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
    wanted = PLAN.replace('sealed = "old"  # by whom\n', "").replace(
        "[gate]  # ours\n", f'[gate]  # ours\nsealed = "{made}"  # by whom\n'
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
        '[gate]\nmargin = 2\nsealed = """a\nb"""\n',
        '[gate]\nmargin = 2\n"seal\\u0065d" = "old"\n',
    ],
)
def test_a_plan_that_cannot_be_sealed_line_by_line_is_left_alone(text: str) -> None:
    path = Path("betterthan.toml")
    path.write_text(text)
    with pytest.raises(FormatError, match="was left as it is, since no line") as raised:
        seal(path)
    assert "not a TOML file" not in str(raised.value)
    assert path.read_text() == text


@pytest.mark.parametrize("name", ["sealed", '"sealed"', "'sealed'"])
def test_a_seal_is_found_under_a_quoted_name_and_its_table_behind_texts(name: str) -> None:
    path = Path("betterthan.toml")
    text = '[a]\nof = """\n[gate]\nsealed = "x"\n"""\n[b]\nin = [\n["gate"]\n]\n[ "gate" ]\n'
    path.write_text(f'{text}margin = 2\n{name} = "old"  # by whom\n')
    made = seal(path)
    assert path.read_text() == f'{text}sealed = "{made}"  # by whom\nmargin = 2\n'
    assert tomllib.loads(path.read_text())["a"] == {"of": '[gate]\nsealed = "x"\n'}


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
def test_a_stream_is_not_sealed() -> None:
    path = Path("betterthan.toml")
    path.write_text(PLAN)
    with path.open("r+b") as file, pytest.raises(FormatError, match="is a stream"):
        seal(f"/dev/fd/{file.fileno()}")
    assert path.read_text() == PLAN


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


@pytest.mark.parametrize(
    "more",
    [["base.csv", "new.csv"], ["--margin", "50"], ["--plan-hash", "123"], ["--bound", "0,1"]],
)
def test_a_seal_comes_alone(betterthan: Command, more: list[str]) -> None:
    path = Path("betterthan.toml")
    path.write_text("[gate]\nmargin = 2\n")
    run = betterthan("gate", "--seal", *more)
    assert run.code == 2
    assert "rules on nothing: leave out" in run.err
    assert path.read_text() == "[gate]\nmargin = 2\n"
    assert betterthan("gate", "--seal").code == 0


@pytest.mark.parametrize(
    ("log", "beside"),
    [
        ("samples_gsm_2024-01-01T00-00-00.jsonl", "results_2024-01-01T00-00-00.json"),
        ("per_instance_stats.json", "run_spec.json"),
        ("per_instance_stats.json", "stats.json"),
    ],
)
def test_what_lies_beside_a_log_is_read_too(betterthan: Command, log: str, beside: str) -> None:
    for name in ("base", "new"):
        Path(name).mkdir()
        Path(name, log).write_text("")
        Path(name, beside).write_text("mine")
    for given in (["base", "new"], [f"base/{log}", f"new/{log}"]):
        run = betterthan("compare", *given, "-o", f"new/../new/{beside}")
        assert run.code == 2
        assert f"{beside} belongs to new/{log}, and would be overwritten" in run.err
        assert Path("new", beside).read_text() == "mine"
    run = betterthan("compare", "base", "new", "-o", f"elsewhere-{beside}")
    assert "belongs to" not in run.err


def test_an_empty_name_is_no_folder(betterthan: Command) -> None:
    for words in (["compare", ""], ["gate", "", "new", "--margin", "2"], ["rank", "--scan", ""]):
        run = betterthan(*words)
        assert run.code == 2
        assert "a file name is empty" in run.err
