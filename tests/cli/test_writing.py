"""Where results go: the screen, files that are written whole or not at all, never over an input."""

import errno
import io
import json
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from betterthan.cli.screen import busy
from conftest import Run

Command = Callable[..., Run]
TABLE = "item,a,b\n" + "".join(f"q{i},{i % 2},{i % 3 > 0:d}\n" for i in range(30))


@pytest.fixture(autouse=True)
def folder(demo_folder: Path) -> Path:
    """A folder with a table and other names of it."""
    Path("runs.csv").write_text(TABLE)
    Path("soft.csv").symlink_to("runs.csv")
    os.link("runs.csv", "hard.csv")
    return demo_folder


BEGINS = {
    "x.json": b"{",
    "x.csv": b"baseline,",
    "x.md": b"**",
    "x.tex": b"%",
    "x.html": b"<!doctype html",
    "x.txt": b"",
    "x.parquet": b"PAR1",
    "x.png": b"\x89PNG",
    "x.svg": b"<?xml",
    "null=x.pdf": b"%PDF",
    "forest=y.svg": b"<?xml",
}


def test_the_suffix_says_what_is_written_and_several_are(betterthan: Command) -> None:
    files = [word for name in BEGINS for word in ("-o", name)]
    run = betterthan("compare", "qa.csv", "-s", "base,atlas", *files)
    assert run.code == 0, run.err
    assert run.out == ""  # the verdict is said beside what was written
    assert "atlas is BETTER than base" in run.err
    for name, start in BEGINS.items():
        path = Path(name.rpartition("=")[2])
        assert path.read_bytes().startswith(start), name
        assert f"Wrote {path}" in run.err
    assert not [path.name for path in Path().iterdir() if path.name.startswith(".")]


def test_a_format_prints_beside_files_and_pictures_leave_the_result(betterthan: Command) -> None:
    run = betterthan("compare", "runs.csv", "-f", "csv", "-o", "x.json")
    assert run.out.startswith("baseline,")
    assert json.loads(Path("x.json").read_text())["rows"]
    assert "signature:" in betterthan("compare", "runs.csv", "-o", "x.png").out
    assert betterthan("compare", "runs.csv", "-o", "x.png", "-q").out.count("\n") == 1
    assert betterthan("compare", "runs.csv", "-o", "x.json", "-q").out.count("\n") == 1
    width = betterthan("compare", "qa.csv", "-f", "latex(width=column,label=tab:mine)")
    assert r"\label{tab:mine}" in width.out


def test_sentences_follow_what_people_read(betterthan: Command) -> None:
    for words in (["--show", "why,methods"], ["--explain", "--methods"]):
        run = betterthan("compare", "qa.csv", "-s", "base,atlas", *words)
        assert "Methods: " in run.out
        assert len(run.out.split("\n\n")) > 4
    latex = betterthan("compare", "qa.csv", "--methods", "-f", "latex")
    _, _, methods = latex.out.partition(r"\end{table}")
    assert r"97.5 to 98.3 \%" in methods
    items = betterthan("compare", "a=logs/base.jsonl", "b=logs/new.jsonl", "--show", "items=2")
    assert "Items of b against a" in items.out
    assert (
        items.out
        == betterthan("compare", "a=logs/base.jsonl", "b=logs/new.jsonl", "--items", "2").out
    )


@pytest.mark.parametrize("read", ["runs.csv", "./runs.csv", "soft.csv", "hard.csv", "r*s.csv"])
@pytest.mark.parametrize("written", ["runs.csv", "soft.csv", "hard.csv"])
def test_an_input_is_not_overwritten(betterthan: Command, read: str, written: str) -> None:
    for words in (["compare"], ["rank"], ["gate", "--margin", "2"], ["inspect"]):
        run = betterthan(*words, read, "-o", written)
        assert run.code == 2
        assert "overwritten" in run.err
    assert Path("runs.csv").read_text() == TABLE


def test_whatever_is_read_is_an_input(betterthan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.txt").write_text("a b c\n" * 9)
    Path("ref.csv").write_text("a b c\n" * 9)
    Path("plan.csv").write_text("[gate]\nmargin = 2\n")
    Path("betterthan.toml").write_text("[compare]\nalpha = 0.1\n")
    for name in ("base", "new"):
        Path(name).mkdir()
        Path(name, "samples_gsm_2024-01-01T00-00-00.jsonl").write_text("")
        Path(name, "results_2024-01-01T00-00-00.json").write_text("mine")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    words = [
        "compare out.txt --metric bleu --ref ref.csv -o ref.csv",
        "score out.txt --metric bleu --ref ref.csv --per-item ref.csv",
        "gate runs.csv --plan plan.csv -o plan.csv",
        "gate runs.csv --plan plan.csv@00000000 -o plan.csv",
        "study gains runs.csv --groups hard.csv -o soft.csv",
        "compare base new -o new/../new/results_2024-01-01T00-00-00.json",
        "compare runs.csv --config betterthan.toml -o x.csv -o ./x.csv",
        "compare runs.csv -o -",
        "compare runs.csv -o ~nosuchuser/x.csv",
    ]
    for line in words:
        run = betterthan(*line.split())
        assert run.code == 2, line
        assert "overwritten" in run.err or "~" in line or "-o -" in line or "twice" in run.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_whatever_step_fails_the_old_file_stays(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    old = {name: f"old {name}" for name in ("x.json", "x.csv", "x.parquet")}
    for name, content in old.items():
        Path(name).write_text(content)
    monkeypatch.setattr(call, fails)
    for words in (
        ["compare", "qa.csv", "-o", "x.json"],
        ["score", "qa.csv", "--per-item", "x.csv"],
        ["inspect", "qa.csv", "-o", "x.parquet"],
    ):
        run = betterthan(*words)
        assert run.code == 4, f"{words}: {run.err}"
        assert os.strerror(code) in run.err
    assert {name: Path(name).read_text() for name in old} == old
    assert not [path.name for path in Path().iterdir() if path.name.startswith(".")]


def test_what_is_written_again_is_as_private_as_before(betterthan: Command) -> None:
    Path("new.json").touch()
    Path("new.json").chmod(0o600)
    for _ in range(2):
        assert betterthan("compare", "runs.csv", "-o", "new.json").code == 0
    assert Path("new.json").stat().st_mode & 0o777 == 0o600


def test_a_gate_is_added_to_the_summary_of_a_job(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["gate", "qa.csv", "-s", "atlas,birch", "--margin", "2"]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    assert betterthan(*words, "-o", "x.xml").code == 1
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n")
    assert "REGRESSION" in summary
    assert "| :---" in summary
    assert re.search(r"<testsuite .*failures=\"1\"", Path("x.xml").read_text())
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/summary.md")
    run = betterthan(*words)
    assert run.code == 1
    assert "! no job summary" in run.err


def test_standard_input_is_read_once(betterthan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("compare -", "rank - --resamples 20", "score -", "inspect -", "power -"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
        run = betterthan(*words.split())
        assert run.code == 0, run.err
        assert "Read stdin" in run.err
        assert "Next:" not in run.err
    assert betterthan("compare", "-", "-").code == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[gate]\nmargin = 50\n")))
    assert betterthan("gate", "runs.csv", "--plan", "-").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_read_once(betterthan: Command) -> None:
    os.mkfifo("fifo")
    for words in ("compare --items 2", "inspect -o t.csv", "study gains"):
        writer = threading.Thread(target=Path("fifo").write_text, args=(TABLE,))
        writer.start()
        run = betterthan(*words.split(), "fifo")
        writer.join(timeout=60)
        assert run.code == 0, run.err
        assert "30 items" in run.err + run.out


def test_a_terminal_gets_its_width_and_colours_and_a_program_whole_lines(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in ("compare qa.csv --by domain", "rank qa.csv --resamples 50", "score qa.csv"):
        monkeypatch.setenv("COLUMNS", "60")
        run = betterthan(*words.split())
        lines = [line for line in run.out.splitlines() if not line.startswith("signature:")]
        assert max(map(len, lines)) <= 60
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\033[1;32m" in betterthan("compare", "qa.csv").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in betterthan("compare", "qa.csv").out
    Path("odd.csv").write_text("item,a\x1b[2J,b\n" + TABLE.partition("\n")[2])
    assert "\033" not in betterthan("compare", "odd.csv").out


def test_who_waits_sees_a_bar_and_a_program_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with busy("testing") as update:
        assert update is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with suppress(ValueError), busy("testing") as update:
        assert update is not None
        update(1, 2)
        raise ValueError
    assert capsys.readouterr().out == ""


DEFAULTS = [
    ("[compare]\nalpha = 0.2\n", "compare runs.csv", 0, "a:0.2"),
    ("[compare]\nalpha = 0.2\n", "compare runs.csv --alpha 0.1", 0, "a:0.1"),
    ("[compare]\nsystems = ['b', 'a']\n", "compare runs.csv", 0, "a "),
    ("[compare]\nhigher-is-better = true\n", "compare runs.csv", 0, "b"),
    ("[study.gains]\npercentile = 90\n", "study gains runs.csv", 0, "q:90"),
    ("[gate]\nmargin = 50\n", "gate runs.csv", 0, "PASS"),
    ("[compare]\nclustr = 'x'\n", "compare runs.csv", 2, "cluster"),
    ("[compar]\nalpha = 0.2\n", "compare runs.csv", 2, "compare"),
    ("compare = 3\n", "compare runs.csv", 2, "table"),
    ("[compare]\nalpha = true\n", "compare runs.csv", 2, "text or a number"),
    ("[compare]\nlower_is_better = 'no'\n", "compare runs.csv", 2, "true or false"),
    ("[compare]\nseed = 1.5\n", "compare runs.csv", 2, "whole number"),
    ("[compare\n", "compare runs.csv", 4, "TOML"),
]


@pytest.mark.parametrize(("text", "words", "code", "fact"), DEFAULTS)
def test_defaults_come_from_a_file(
    betterthan: Command, text: str, words: str, code: int, fact: str
) -> None:
    Path("betterthan.toml").write_text(text)
    run = betterthan(*words.split())
    assert run.code == code, run.err
    assert fact in run.out + run.err
    if code:
        assert "betterthan.toml" in run.err
    Path("betterthan.toml").rename("mine.toml")
    if "gate" not in words:
        assert betterthan(*words.split(), "--config", "mine.toml").code == code


@pytest.mark.parametrize(
    "line",
    [
        *("output = 'x.csv'", "ref = 'runs.csv'", "cluster = '@runs.csv'"),
        *("columns = 'cluster=@runs.csv'", "metric = 'evil:x'", "metric = ['mean', 'evil:x']"),
    ],
)
def test_a_file_that_no_one_named_names_no_files_and_no_code(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    Path("evil.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(".")
    Path("betterthan.toml").write_text(f"[compare]\n{line}\n")
    run = betterthan("compare", "runs.csv")
    assert run.code == 2
    error, remedy = run.err.splitlines()
    assert "betterthan.toml" in error
    assert "try:   betterthan compare runs.csv --config betterthan.toml" in remedy
    trusted = betterthan("compare", "runs.csv", "--config", "betterthan.toml")
    assert "found in this folder" not in trusted.err
    Path("betterthan.toml").write_text("[gate]\nmetric = 'evil:x'\nmargin = 2\n")
    assert "imported" not in betterthan("gate", "runs.csv").err
