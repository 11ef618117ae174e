"""The command line: what it prints, where, and how it exits."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import betterthan as bt
from betterthan.cli import app, shell
from conftest import Run

Command = Callable[..., Run]


def test_compare_prints_data_on_stdout_and_notes_on_stderr(
    demo_folder: Path, betterthan: Command
) -> None:
    run = betterthan("compare", "qa.csv", "--systems", "atlas", "--cluster", "document")
    assert run.code == 0
    assert run.err.startswith("Read qa.csv")
    assert "atlas is BETTER than base" in run.out
    assert "signature: betterthan:" in run.out
    assert "\x1b" not in run.out


def test_json_has_the_documented_fields(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "--cluster", "document", "--format", "json")
    document = json.loads(run.out)
    assert document["schema"] == "betterthan/comparisons/1"
    fields = [
        "baseline",
        "candidate",
        "metric",
        "n",
        "score_baseline",
        "score_candidate",
        "delta",
        "interval",
        "pvalue",
        "pvalue_low",
        "pvalue_high",
        "log10_pvalue",
        "pvalue_adjusted",
        "alternative",
        "alpha",
        "correction",
        "kind",
        "engine",
        "reason",
        "clusters",
        "wins",
        "ties",
        "losses",
        "mde",
        "verdict",
        "notes",
    ]
    assert len(document["comparisons"]) == 3
    for comparison in document["comparisons"]:
        assert set(fields) <= set(comparison)
        assert set(comparison["interval"]) == {"low", "high", "confidence", "method", "error"}
    scores = bt.read("qa.csv", cluster="document")
    expected = bt.compare_many(scores)
    assert [c["pvalue"] for c in document["comparisons"]] == [c.pvalue for c in expected]
    assert document["signature"] == expected.signature


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".md", "**"),
        (".json", "{"),
        (".csv", "baseline,"),
        (".tex", "% betterthan:"),
        (".txt", ""),
    ],
)
def test_the_suffix_chooses_the_format(
    demo_folder: Path, betterthan: Command, suffix: str, start: str
) -> None:
    target = demo_folder / f"out{suffix}"
    run = betterthan("compare", "ner.csv", "-m", "f1", "-o", str(target))
    assert (run.code, run.out) == (0, "")
    assert target.read_text(encoding="utf-8").startswith(start)
    assert [p.name for p in demo_folder.iterdir() if p.name.startswith(".")] == []


def test_a_failed_run_leaves_no_file(demo_folder: Path, betterthan: Command) -> None:
    target = demo_folder / "out.json"
    target.write_text("old", encoding="utf-8")
    assert betterthan("compare", "ner.csv", "-m", "nonsense", "-o", str(target)).code == 2
    assert target.read_text(encoding="utf-8") == "old"


def test_breakdown_by_a_column(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "-s", "atlas", "--by", "domain", "--cluster", "document")
    assert run.code == 0
    for domain in ("code", "fiction", "law", "medicine", "news"):
        assert f"domain={domain}" in run.out


def test_methods_sentence(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "-s", "atlas", "--methods")
    assert "Zmigrod et al., 2022" in run.out
    assert "480 paired items" in run.out


def test_markdown_goes_to_the_job_summary(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = demo_folder / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    betterthan("compare", "qa.csv", "-s", "atlas")
    betterthan("compare", "qa.csv", "-s", "birch")
    text = summary.read_text(encoding="utf-8")
    assert "atlas" in text
    assert "birch" in text


def test_files_per_system(demo_folder: Path, betterthan: Command) -> None:
    (demo_folder / "old.csv").write_text("item,score\na,0\nb,1\nc,0\n", encoding="utf-8")
    (demo_folder / "new.csv").write_text("item,score\nc,1\nb,1\na,1\n", encoding="utf-8")
    run = betterthan("compare", "old.csv", "new.csv", "--format", "json")
    (found,) = json.loads(run.out)["comparisons"]
    assert (found["baseline"], found["candidate"], found["pvalue"]) == ("old", "new", 0.5)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["compare", "nowhere.csv"], 4, "nowhere.csv"),
        (["compare", "qa.csv", "--baseline", "nobody"], 2, "no system 'nobody'"),
        (["compare", "qa.csv", "--metric", "f3"], 2, "unknown metric 'f3'"),
        (["compare", "qa.csv", "--metric", "f1"], 2, "needs the columns"),
        (["compare", "qa.csv", "--metric", "f1(*)"], 2, "means every class"),
        (["compare", "qa.csv", "--cluster", "planet"], 2, "planet"),
        (["compare", "qa.csv", "--test", "magic"], 2, "test is one of"),
        (["compare", "qa.csv", "--alpha", "7"], 2, "alpha"),
        (["compare", "qa.csv", "--format", "odt"], 2, "odt"),
        (["compare", "qa.csv", "-o", "x.odt"], 2, ".odt"),
        (["compare", "qa.csv", "-o", "nowhere/x.md"], 2, "no folder nowhere"),
        (["compare", "qa.csv", "--bogus"], 2, "bogus"),
        (["compare"], 2, "FILES"),
        (["compare", "hole.csv"], 4, "'q2'"),
        (["compare", "word.csv"], 4, "oops"),
        (["compare", "empty.csv"], 4, "empty.csv"),
        (["compare", "junk.csv"], 4, "junk.csv"),
        (["compare", "twice.csv"], 4, "'q1'"),
        (["compare", "comma.csv"], 4, "'0,5' in line 2"),
        (["bogus"], 2, "bogus"),
    ],
)
def test_errors_are_one_message_and_an_exit_code(
    demo_folder: Path, betterthan: Command, words: list[str], code: int, message: str
) -> None:
    for name, text in {
        "hole.csv": "item,a,b\nq1,1,1\nq2,,0\n",
        "word.csv": "item,a,b\nq1,1,1\nq2,oops,0\nq3,1,0\n",
        "empty.csv": "",
        "comma.csv": "item;a;b;c\nq1;0,5;1;0\nq2;0,7;0;1\nq3;0,1;1;1\n",
        "twice.csv": "item,a,b\nq1,1,1\nq1,0,0\n",
    }.items():
        (demo_folder / name).write_text(text, encoding="utf-8")
    (demo_folder / "junk.csv").write_bytes(bytes(range(256)) * 20)
    run = betterthan(*words)
    assert run.code == code, run.err
    assert message in run.err
    assert "Traceback" not in run.err
    assert run.out == ""


def test_missing_scores_can_be_dropped_or_counted_as_wrong(
    demo_folder: Path, betterthan: Command
) -> None:
    Path("hole.csv").write_text("item,a,b\nq1,1,1\nq2,,0\nq3,0,1\n", encoding="utf-8")
    dropped = json.loads(betterthan("compare", "hole.csv", "--missing", "drop", "-f", "json").out)
    assert dropped["comparisons"][0]["n"] == 2
    assert "1 of 3 items dropped" in dropped["notes"][0]
    worst = json.loads(
        betterthan("compare", "hole.csv", "--missing", "worst", "-m", "accuracy", "-f", "json").out
    )
    assert worst["comparisons"][0]["n"] == 3
    assert worst["comparisons"][0]["score_baseline"] == pytest.approx(1 / 3)


def test_a_defect_of_our_own_is_no_traceback(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(app, "app", broken)
    run = betterthan("demo")
    assert run.code == 70
    assert "internal error, RuntimeError: boom" in run.err
    monkeypatch.setenv("BETTERTHAN_DEBUG", "1")
    run = betterthan("demo")
    assert run.code == 70
    assert "Traceback" in run.err
    assert "boom" in run.err


# As compiled modules do.
INTERRUPTED_IMPORT = """
try:
    raise KeyboardInterrupt
except BaseException as stop:
    raise ImportError from stop
"""


@pytest.mark.parametrize("library", ["numpy", "scipy", "polars", "typer"])
def test_a_library_that_cannot_be_loaded_is_named(
    demo_folder: Path, tmp_path: Path, library: str
) -> None:
    (tmp_path / library).mkdir()
    reason = "libx.so: failed to map segment from shared object"
    (tmp_path / library / "__init__.py").write_text(f"raise ImportError('{reason}')")
    places = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "betterthan", "gate", "qa.csv", "--margin", "5"],
        check=False,
        cwd=demo_folder,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 4
    assert f"cannot be loaded ({reason}): allow more memory" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("library", ["numpy", "scipy", "typer"])
@pytest.mark.parametrize("how", ["raise KeyboardInterrupt", INTERRUPTED_IMPORT])
def test_an_import_that_is_interrupted_is_no_fault_of_the_library(
    demo_folder: Path, tmp_path: Path, library: str, how: str
) -> None:
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text(how)
    places = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "betterthan", "gate", "qa.csv", "--margin", "5"],
        check=False,
        cwd=demo_folder,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 130
    assert run.stderr == "betterthan: interrupted\n"


@pytest.mark.parametrize("limit", [100_000, 200_000, 1_000_000])
def test_too_little_memory_is_no_regression(demo_folder: Path, limit: int) -> None:
    program = f"{sys.executable} -m betterthan gate qa.csv --margin 5"
    run = subprocess.run(
        ["bash", "-c", f"ulimit -v {limit} && {program}"],
        check=False,
        cwd=demo_folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 4, run.stderr
    assert f"limited to {limit / 1024:,.0f} MB (ulimit -v)" in run.stderr
    assert "allow at least 1,536 MB" in run.stderr


def test_a_library_without_its_compiled_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    polars: dict[str, Any] = {"__name__": "polars.io"}
    exec("def read_csv(): return PyLazyFrame", polars)
    with pytest.raises(NameError) as caught:
        polars["read_csv"]()
    assert shell.explain(caught.value) == 4
    assert "polars cannot be loaded (name 'PyLazyFrame' is not defined)" in capsys.readouterr().err


def test_the_demo_tours_and_saves(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("demo", "--save", "copies")
    assert run.code == 0
    assert run.out.count("$ betterthan") >= 4
    assert {p.name for p in Path("copies").iterdir()} == {
        "qa.csv",
        "ner.csv",
        "ratings.csv",
        "logs",
        "outputs",
    }


@pytest.mark.parametrize("name", ["qa.csv", "outputs/new.txt", "logs"])
def test_demo_writes_over_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = Path("copies", name)
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    run = betterthan("demo", "--save", "copies")
    assert run.code == 2
    assert f"{mine} is there already, and is not the demonstration's: nothing was" in run.err
    assert [path for path in Path("copies").rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == "mine\n"
    assert betterthan("demo", "--save", str(mine)).code == 2


def test_a_plan_that_lies_about_is_none_of_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, betterthan: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = betterthan("demo").out
    Path("betterthan.toml").write_text("[gate]\nmargin = 9\n[compare]\nalpha = 0.5\n")
    run = betterthan("demo")
    assert (run.code, run.out) == (0, expected)
    assert "betterthan.toml" not in run.err
    assert Path.cwd() == tmp_path


def test_demo_adds_what_is_not_there_yet(demo_folder: Path, betterthan: Command) -> None:
    Path("ner.csv").unlink()
    before = Path("qa.csv").stat().st_ino
    assert betterthan("demo", "--save", ".").code == 0
    assert Path("ner.csv").is_file()
    assert Path("qa.csv").stat().st_ino == before


def test_version_and_help(betterthan: Command) -> None:
    assert betterthan("--version").out.startswith("betterthan 0.1")
    for words in (["--help"], ["-h"], ["compare", "--help"]):
        run = betterthan(*words)
        assert run.code == 0
        assert "Usage" in run.out


def test_help_imports_nothing_heavy() -> None:
    heavy = ["numpy", "scipy", "polars", "matplotlib", "narwhals", "msgspec", "jinja2"]
    commands = [
        *("compare", "rank", "score", "gate", "power", "inspect", "formats", "demo", "simulate"),
        *("study gains", "study calibration", "study aa", "study published"),
        *("responses compare", "responses study", ""),
    ]
    program = (
        "import sys\n"
        "from betterthan.cli import main\n"
        f"for words in {commands}:\n"
        "    sys.argv = ['betterthan', *words.split(), '--help']\n"
        "    try: main()\n"
        "    except SystemExit as stop: assert not stop.code\n"
        f"print('HEAVY', [m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_a_closed_pipe_is_no_error(demo_folder: Path) -> None:
    line = f'"{sys.executable}" -m betterthan compare qa.csv -f json | head -c 1'
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 141)  # 141: ended by the closed pipe, as any other program
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_output_through_links_and_pipes(demo_folder: Path, betterthan: Command) -> None:
    real, link = demo_folder / "real.md", demo_folder / "link.md"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    assert betterthan("compare", "qa.csv", "-s", "atlas", "-o", str(link)).code == 0
    assert link.is_symlink()
    assert "atlas is BETTER" in real.read_text(encoding="utf-8")
    pipe = demo_folder / "pipe.md"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert betterthan("compare", "qa.csv", "-s", "atlas", "-o", str(pipe)).code == 0
    assert "atlas is BETTER" in reader.communicate(timeout=10)[0]
    assert not pipe.is_file()


def test_a_board_for_each_part(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("rank", "qa.csv", "--cluster", "document", "--by", "domain")
    assert run.code == 0, run.err
    for domain in ("code", "fiction", "law", "medicine", "news"):
        assert f"\ndomain={domain}\n" in run.out
    assert run.out.count("signature:") == 6
    words = ("rank", "qa.csv", "--by", "domain", "--resamples", "20")
    boards = json.loads(betterthan(*words, "-f", "json").out)["boards"]
    parts = ["all", *(f"domain={x}" for x in ("code", "fiction", "law", "medicine", "news"))]
    assert [board["part"] for board in boards] == parts
    latex = betterthan(*words, "-f", "latex").out
    assert len(set(re.findall(r"\\label\{(.*?)\}", latex))) == 6
    assert all(rf"\caption{{{part}. Best in bold." in latex for part in parts)
    frame = pl.read_csv(betterthan(*words, "-f", "csv").out.encode())
    assert frame["part"].unique(maintain_order=True).to_list() == parts
    page = betterthan(*words, "-f", "html").out
    assert all(page.count(f">{part}</td>") == 4 for part in parts)
    assert betterthan(*words, "-o", "board.png").code == 0
