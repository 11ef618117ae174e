"""The terminal: its width, its colours, defaults from a file, completion, what to do next."""

import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from betterthan.cli.app import app
from betterthan.cli.config import _ONLY_WHEN_NAMED
from betterthan.cli.progress import busy
from betterthan.render.table_text import fitted_columns, in_columns
from betterthan.results.sheet import Table
from betterthan.results.wrapping import cut_apart, lines_of, shown
from conftest import Run

Command = Callable[..., Run]
WIDE = Table.of(
    ("system", "subset", "n", "system score", "interval", "p (Holm)"),
    [
        ("a" * 40 + "-v1", "all", "480", "72.1", "[+4.8, +15.1]", "2.1e-05"),
        ("a" * 40 + "-v2", "domain=medicine", "480", "63.1", "[-4.0, +6.1]", "0.69"),
        ("系统", "all", "480", "66.0", "[-1.1, +9.0]", "0.15"),
    ],
    left=("system", "subset"),
)


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
def test_a_table_fits_and_loses_nothing(columns: int) -> None:
    text = fitted_columns(WIDE, 1, columns)
    assert max(map(shown, text.split("\n"))) <= columns
    numbers = {cell for row in WIDE.rows for cell in row[3:]}
    assert all(number in text for number in numbers)
    assert "480" in text
    cut = "a" * 40 + "-v1" not in text
    assert cut == ("…" in text)
    assert text.count("-v1") >= 1  # both ends of a name are kept
    assert (text == in_columns(WIDE, 1)) == (columns == 200)


@pytest.mark.parametrize("columns", [30, 40, 60])
def test_lists_go_on_in_further_lines(columns: int) -> None:
    beats = ["am au aw ax ay ba–bh", "", "bb bc bd be bf bg bh bi bj bk bl bm bn"]
    rows = [(f"system-{k}", f"7{k}.1", f"101{k}–1073", said) for k, said in enumerate(beats)]
    made = Table.of(("system", "mean", "95 % CI", "beats (Holm)"), rows, left=("beats (Holm)",))
    text = fitted_columns(replace(made, lists=("beats (Holm)",)), 1, columns)
    assert max(map(shown, text.split("\n"))) <= columns
    assert "…" not in text
    words = [word for word in text.split() if re.fullmatch(r"[ab]\w(–bh)?", word)]
    assert words == " ".join(beats).split()
    assert "\n\n\n" not in text  # further lines of a list leave no blank rows elsewhere


@pytest.mark.parametrize("columns", [10, 200])
def test_names_above_columns_are_inert(columns: int) -> None:
    odd = Table.of(("\x1b[31mbase\r", "new\x07"), [("1", "\x1b]0;x\x07")])
    for text in (in_columns(odd), fitted_columns(odd, 1, columns)):
        assert not {"\x1b", "\r", "\x07"} & {*text}


def test_columns_of_wide_letters_align() -> None:
    lines = in_columns(Table.of(("x", "y"), [("系统", "1"), ("ab", "2")], left=("x",))).split("\n")
    assert len({shown(line) for line in lines}) == 1


@pytest.mark.parametrize("columns", [40, 80])
def test_sentences_are_wrapped_where_a_reader_would(columns: int) -> None:
    said = "! a p of 0.03 at 95 % on 480 items, adjusted for three comparisons: --cluster document"
    lines = lines_of((said,), 1, columns).split("\n")
    assert all(len(line) <= columns for line in lines)
    assert " ".join(line.strip() for line in lines) == said
    assert any("95 %" in line for line in lines)
    assert any("--cluster document" in line for line in lines)
    assert all(line.startswith("   ") for line in lines[1:])


@pytest.mark.parametrize(
    "words",
    [
        "compare qa.csv",
        "compare qa.csv --by domain",
        "compare qa.csv --all --cluster document --explain --methods",
        "compare ner.csv --metric f1,precision,recall",
        "compare qa.csv -s atlas --items 2",
        "rank qa.csv --resamples 50",
        "estimate qa.csv --by domain",
        "gate qa.csv --candidate birch --margin 1 --explain",
        "power --accuracy 0.7 --agreement 0.85 --effect 5",
        "study published --metric bleu --items 1000",
        "study gains qa.csv",
        "responses compare ratings.csv --gold v1",
        "score ner.csv --metric f1,recall",
    ],
)
def test_eighty_columns_are_enough(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = betterthan(*words.split())
    lines = [line for line in run.out.split("\n") if not line.startswith("signature:")]
    assert max(map(shown, lines)) <= 80
    notes = run.err.partition("Next:")[0]
    assert max(map(shown, notes.split("\n"))) <= 80


def test_a_program_gets_whole_lines(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    run = betterthan("compare", "qa.csv")
    assert "n  baseline  system score" in run.out
    assert "\033" not in run.out


def test_colours_are_for_terminals(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = betterthan("compare", "qa.csv").out
    assert "atlas \033[1;32mis BETTER than\033[0m base" in text
    assert "\033[1;33mCAN'T TELL\033[0m birch" in text
    for style in ("md", "json", "latex", "csv"):
        assert "\033" not in betterthan("compare", "qa.csv", "--format", style).out
    monkeypatch.setenv("NO_COLOR", "1")
    plain = betterthan("compare", "qa.csv").out
    assert plain == re.sub("\033.*?m", "", text)


@given(
    st.lists(st.text("ab-系", min_size=1, max_size=40), min_size=1, max_size=6),
    st.integers(9, 30),
)
def test_names_that_are_cut_fit_and_stay_apart(names: list[str], most: int) -> None:
    short = cut_apart(names, most)
    made = {name: short.get(name, name) for name in names}
    assert all(shown(said) <= most for said in made.values())
    assert len(set(made.values())) == len(made)
    assert all(made[name] == name for name in names if shown(name) <= most)


def test_long_and_wide_names_keep_to_the_columns(
    tmp_path: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two names differ only in their middles, two are of letters that take two cells."""
    monkeypatch.chdir(tmp_path)
    names = ["y" * 50 + k + "z" * 50 for k in "AB"] + ["系统" * 22 + k for k in "甲乙"]
    rows = [",".join([f"q{i}", *(str((i * k) % 3 % 2) for k in range(1, 5))]) for i in range(12)]
    Path("runs.csv").write_text("\n".join([",".join(["item", *names]), *rows]), encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    for words in ("compare runs.csv --items 1", "rank runs.csv --resamples 9", "inspect runs.csv"):
        run = betterthan(*words.split())
        assert run.code == 0, run.err
        kept = [line for line in run.out.split("\n") if not line.startswith("signature")]
        assert max(map(shown, kept)) <= 80


DEFAULTS = """
[compare]
alpha = 0.5
cluster = "document"
systems = ["birch"]

[study.gains]
percentile = 90
"""


def test_defaults_come_from_the_folder_and_the_command_line_counts_more(
    demo_folder: Path, betterthan: Command
) -> None:
    Path("betterthan.toml").write_text(DEFAULTS)
    run = betterthan("compare", "qa.csv")
    said = "Defaults of betterthan.toml: alpha = 0.5, cluster = document, systems = ['birch']"
    assert said in run.err
    assert "a:0.5|" in run.out
    assert "c:160|" in run.out
    assert "atlas" not in run.out
    assert "a:0.01|" in betterthan("compare", "qa.csv", "--alpha", "0.01").out
    assert "Defaults" not in betterthan("estimate", "qa.csv").err
    assert "q:90|" in betterthan("study", "gains", "qa.csv").out
    # A file that says nothing about a gate is no plan of one.
    assert betterthan("gate", "qa.csv", "--candidate", "atlas", "--margin", "2").code == 0


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("[compare]\nalpa = 0.1\n", 2, "'alpa', which is no option here (did you mean 'alpha'?)"),
        ("[compare]\nqqq = 1\n", 2, "'qqq', which is no option here (known: all, alpha"),
        ("[comapre]\nalpha = 0.1\n", 2, "[comapre], which is no command (did you mean 'compare'?)"),
        ("[qqq]\nalpha = 0.1\n", 2, "[qqq], which is no command (known: compare, demo"),
        ("alpha = 0.1\n", 2, "sets alpha = 0.1 outside of a table"),
        ('[compare]\nalpha = "high"\n', 2, ".toml: [compare] alpha = 'high': it takes a number"),
        ("[compare]\nseed = 1.5\n", 2, "[compare] seed = 1.5: it takes a whole number"),
        ("[compare]\nalpha = 7\n", 2, "not 7.0 ("),
        ("[compare]\nalpha = 7\n", 2, ".toml: [compare] alpha = 7)"),
        ("[compare]\nall = 3\n", 2, ".toml: [compare] all = 3: "),
        ('[compare]\nmissing = "skip"\n', 2, "[compare] missing = 'skip': 'skip' is not one of"),
        ("[compare]\nalpha = 2024-01-01\n", 2, "is a text, a number or true or false"),
        ("compare = 3\n", 2, "[compare] is a table of options, not 3"),
        ("[compare\n", 4, "is not a TOML file"),
        (f"[compare]\n{'.'.join('a' * 60_000)} = 1\n", 4, ".toml: line 2 is nested too deeply"),
        ('[compare]\ntest = "nonsense"\n', 2, "[compare] test = 'nonsense')"),
    ],
)
def test_defaults_that_cannot_be_meant_are_errors(
    demo_folder: Path, betterthan: Command, text: str, code: int, told: str
) -> None:
    for options in ((), ("--config", "other.toml")):
        Path("other.toml" if options else "betterthan.toml").write_text(text)
        run = betterthan("compare", "qa.csv", *options)
        assert run.code == code
        assert told in " ".join(run.err.split())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[gat]\nmargin = 2\n", "[gat], which is no command (did you mean 'gate'?)"),
        ("[gate]\nmargin = 2\n[comapre]\nalpha = 0.1\n", "[comapre], which is no command"),
        ("margin = 9\n[gate]\nmargin = 2\n", "sets margin = 9 outside of a table"),
    ],
)
def test_what_belongs_to_no_command_is_refused_by_all(
    demo_folder: Path, betterthan: Command, text: str, told: str
) -> None:
    """A gate beside a plan with a slip of the pen would rule by other rules, and pass."""
    Path("betterthan.toml").write_text(text)
    named = [*("gate", "qa.csv", "--candidate", "atlas"), *("--plan", "other.toml")]
    words = [*named[:-2], "--margin", "50"]
    said = {" ".join(betterthan(*run).err.split()) for run in (words, ["compare", "qa.csv"])}
    assert all(told in one for one in said)
    assert betterthan(*words).code == betterthan("gate", "--seal").code == 2
    assert Path("betterthan.toml").read_text() == text
    Path("betterthan.toml").rename("other.toml")
    run = betterthan(*named)
    assert run.code == 2
    assert told in run.err


def test_a_plan_that_is_named_counts_alone(demo_folder: Path, betterthan: Command) -> None:
    Path("betterthan.toml").write_text("[gat]\nmargin = 2\n")
    Path("other.toml").write_text("[gate]\nmargin = 2\n[compare]\nalpha = 0.1\n")
    assert betterthan("gate", "qa.csv", "--candidate", "atlas", "--plan", "other.toml").code == 0


def test_what_the_command_line_says_wrong_is_not_blamed_on_the_file(
    demo_folder: Path, betterthan: Command
) -> None:
    Path("betterthan.toml").write_text("[compare]\nalpha = 0.1\n")
    run = betterthan("compare", "qa.csv", "--alpha", "high")
    assert run.code == 2
    assert "Invalid value for '--alpha': " in " ".join(run.err.split())
    assert "toml: [compare]" not in betterthan("compare", "qa.csv", "--baseline", "nobody").err


def test_a_file_of_defaults_that_is_none(demo_folder: Path, betterthan: Command) -> None:
    for name, told in (("nowhere.toml", "nowhere.toml"), ("/dev/zero", "/dev/zero")):
        run = betterthan("compare", "qa.csv", "--config", name)
        assert run.code == 4
        assert told in run.err
    words = ("gate", "qa.csv", "--candidate", "atlas", "--margin", "2")
    run = betterthan(*words, "--config", "x.toml")
    assert run.code == 2
    assert "name it with --plan x.toml" in run.err


@pytest.mark.parametrize(
    "key", sorted(_ONLY_WHEN_NAMED & {"output", "ref", "docs", "max_memory", "scheduler"})
)
def test_a_file_that_nobody_named_cannot_touch_others(
    demo_folder: Path, betterthan: Command, key: str
) -> None:
    Path("betterthan.toml").write_text(f'[compare]\n{key} = "stolen.md"\n')
    run = betterthan("compare", "qa.csv")
    assert run.code == 2
    assert f"sets {key} = 'stolen.md': if you trust it, name the file with --config" in run.err
    assert not Path("stolen.md").exists()
    if key == "output":
        assert betterthan("compare", "qa.csv", "--config", "betterthan.toml").code == 0
        assert Path("stolen.md").exists()


@pytest.mark.parametrize("metric", ['"evil:X"', '["f1", "evil:X"]'])
def test_a_file_that_nobody_named_cannot_run_code(
    demo_folder: Path, betterthan: Command, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("evil.py").write_text("open('ran', 'w').close()\n")
    monkeypatch.syspath_prepend(str(demo_folder))
    Path("betterthan.toml").write_text(f"[compare]\nmetric = {metric}\n")
    run = betterthan("compare", "qa.csv")
    assert run.code == 2
    assert "name the file with --config betterthan.toml" in run.err
    assert not Path("ran").exists()


def test_what_is_written_or_imported_is_on_the_list() -> None:
    """An option that takes a file is one that a file found by chance must not set."""
    commands = typer.main.get_command(app)
    found = set()

    def look(command: object) -> None:
        for below in getattr(command, "commands", {}).values():
            look(below)
        for parameter in getattr(command, "params", ()):
            if parameter.param_type_name == "option" and parameter.metavar == "FILE":
                found.add(parameter.name)

    look(commands)
    assert found - {"config"} <= _ONLY_WHEN_NAMED


def test_help_says_no_types_of_python(betterthan: Command) -> None:
    for words in ("compare", "rank", "gate", "study", "study gains", "responses compare", ""):
        text = betterthan(*words.split(), "--help").out
        assert "--help" in text
        assert not re.search(r"<bool>|<str>|list\[|<int>|<float>", text)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_printed(betterthan: Command, shell: str) -> None:
    run = betterthan("--completion", shell)
    assert run.code == 0
    assert "_BETTERTHAN_COMPLETE" in run.out
    assert "betterthan" in run.out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("betterthan comp", "compare"),
        ("betterthan compare --alp", "--alpha"),
        ("betterthan compare --metric ble", "bleu"),
        ("betterthan study ga", "gains"),
    ],
)
def test_a_shell_is_told_what_there_is(
    betterthan: Command, monkeypatch: pytest.MonkeyPatch, line: str, offered: str
) -> None:
    monkeypatch.setenv("_BETTERTHAN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert offered in betterthan().out.split("\n")


NEXT = [
    "compare qa.csv -s atlas --cluster document",
    "compare qa.csv --candidate birch --alpha 0.01 --alternative greater --label domain",
    "compare 'with space.csv' -s atlas --format table",
    "compare ratings.csv -b v1 --candidate v3",
    "compare ner.csv --metric f1 -s crf,bert",
    "compare qa.csv -s atlas --scan",
    "compare logs/base.jsonl logs/new.jsonl --filter strict-match",
]


@pytest.mark.parametrize("words", NEXT)
def test_what_comes_next_runs_as_it_stands(
    demo_folder: Path, betterthan: Command, words: str
) -> None:
    Path("with space.csv").write_bytes(Path("qa.csv").read_bytes())
    first = betterthan(*shlex.split(words))
    assert first.code == 0
    steps = first.err.partition("Next: ")[2].strip().split("\n")
    assert len(steps) >= 2
    for step in steps:
        run = betterthan(*shlex.split(step.strip())[1:])
        assert run.code == 0, (step, run.err)
    for option in re.findall(r"--(?:cluster|alpha|alternative|label|scan|filter)\b", words):
        assert all(option in step for step in steps)


def test_a_stream_is_not_there_again(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("qa.csv").open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream})())
        run = betterthan("compare", "-", "-s", "atlas")
    assert run.code == 0, run.err
    assert "Next:" not in run.err


def test_work_that_takes_long_is_seen_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("betterthan.cli.progress.PATIENCE", 0.0)
    with busy("scoring"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with pytest.raises(ValueError, match="in the middle"), busy("scoring"):
        raise ValueError("in the middle")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('quiet = "no"', "quiet = 'no': it takes true or false, without quotation marks"),
        ('alpha = "0.01"', "alpha = '0.01': it takes a number, without quotation marks"),
        ("seed = 1.5", "seed = 1.5: it takes a whole number"),
        ("alpha = true", "alpha = True: it takes a number"),
        ("cluster = true", "cluster = True: it takes a text"),
    ],
)
def test_defaults_of_another_kind_are_refused(
    demo_folder: Path, betterthan: Command, line: str, told: str
) -> None:
    Path("betterthan.toml").write_text(f"[compare]\n{line}\n")
    run = betterthan("compare", "qa.csv")
    assert run.code == 2
    assert run.err == f"betterthan: betterthan.toml: [compare] {told}\n"


def test_the_methods_of_a_paper_are_latex_too(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "--methods", "--format", "latex")
    table, _, methods = run.out.partition(r"\end{table}")
    assert r"\begin{tabular}" in table
    assert "Methods: Differences were tested with" in methods
    assert r"95 \%" in methods
