"""Names and ids from files are text, wherever they are shown: no commands, markup or formulas."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

import betterthan as bt
from betterthan.results.escaping import inert
from betterthan.tables.cells import joined
from conftest import Run

Command = Callable[..., Run]
EVIL = {
    "escape": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "return": "good\rbad",
    "line": "new\n# PASS\n\nall well",
    "bidi": "a\u202eb\u2066c",
    "separator": "a\u2028b",
    "c1": "a\x9b31mb",
    "no character": "a\ufffeb\uffffc",
    "tag": "<img src=x onerror=alert(1)>",
    "link": "[click](http://evil.example)",
    "bars": "a|b|c",
    "ticks": "`code`",
    "formula": '=HYPERLINK("x")',
    "plus": "+1+cmd|' /C calc'!A0",
    "at": "@SUM(1)",
    "latex": r"\input{/etc/passwd}^_~%$#&{}",
    "math": r"$\\frac{$ and $x^2$",
    "dollar": "a $ b",
}
IN_MARKDOWN = {
    "escaped tag": "\\<img src=x onerror=alert(1)>",
    "entity": "&#64;user &lt;b&gt;",
    "mention": "@user and \u00e9@user, a@b.example",
    "address": "http://evil.example www.evil.example #1 GH-1",
    "reference": "[x]: http://evil.example",
    "filler": "a\u3164b\u115f",
    "command": "a\n::set-output name=x::y",
    "comment": "<script>alert(1)</script><!--",
}
ACTIVE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u115f\u2028-\u202e\u2066-\u2069\u3164\ud800-\udfff\ufffe\uffff]"
)
# What GitHub links or notifies in text that is no code
LIVE = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]|\w@[\w-]+\.\w|://|www\.|#\d|GH-\d")


def _shown_by_markdown(text: str) -> str:
    """The text of a page made of Markdown, after no markup but ours is found in it."""
    said = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        assert token.type != "html_block"
        for inner in token.children or ():
            assert inner.type not in ("link_open", "image")
            assert inner.type != "html_inline" or inner.content in ("<sup>", "</sup>")
            said.append(inner.content if inner.type == "text" else "\n")
    shown = "".join(said)
    assert not LIVE.search(shown)
    return shown.replace("\u200b", "")


def _scores(name: str) -> bt.Scores:
    first, second = [i % 2 for i in range(40)], [i % 3 > 0 for i in range(40)]
    return bt.Scores.from_arrays({"base": first, name: second})


@pytest.mark.parametrize("kind", EVIL)
def test_names_are_inert_in_every_form(kind: str, tmp_path: Path) -> None:
    name = EVIL[kind]
    for result in (bt.compare(_scores(name), "base", name), bt.rank(_scores(name))):
        for style in ("table", "md", "latex", "csv", "html"):
            text = result.rendered(style)
            assert not ACTIVE.search(text if style not in ("csv", "html") else ""), style
            assert "\n# PASS" not in text or style in ("csv", "html")
        assert inert(name) in _shown_by_markdown(result.rendered("md"))
        assert "<img" not in result.rendered("html")
        assert r"\input" not in result.rendered("latex")
        for row in csv.reader(io.StringIO(result.rendered("csv"))):
            assert not any(cell[:1] in ("=", "@") for cell in row)
            assert not any(cell.startswith("+1+") for cell in row)
        said = result.rendered("json").encode(errors="backslashreplace").decode()
        assert not ACTIVE.search(said)
        assert json.dumps(name) in json.dumps(json.loads(said))
        for form in ("png", "svg"):
            result.save(tmp_path / f"x.{form}")
        ET.parse(tmp_path / "x.svg")  # XML 1.0, which forbids more characters than UTF-8


@pytest.mark.parametrize("kind", IN_MARKDOWN)
def test_names_are_no_markup(kind: str) -> None:
    name = IN_MARKDOWN[kind]
    result = bt.compare(_scores(name), "base", name)
    assert not ACTIVE.search(result.rendered("md") + result.rendered("table"))
    assert inert(name) in _shown_by_markdown(result.rendered("md"))


def test_names_of_parts_are_inert_as_headings(tmp_path: Path, betterthan: Command) -> None:
    path, xml = tmp_path / "runs.jsonl", tmp_path / "gate.xml"
    parts = [*(EVIL | IN_MARKDOWN).values()]
    rows = [
        {"id": f"q{k} {i}", "part": name, "x": int(i % 3 > 0), "y": i % 2}
        for k, name in enumerate(parts)
        for i in range(6)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for words in (["rank"], ["compare", "--explain"]):
        for style in ("table", "md"):
            run = betterthan(words[0], str(path), "--by", "part", "-f", style, *words[1:])
            assert run.code == 0, run.err
            assert not ACTIVE.search(run.out)
            assert not re.search("^(::|# PASS)", run.out, re.MULTILINE)
            shown = _shown_by_markdown(run.out) if style == "md" else run.out
            assert [name for name in parts if f"part={inert(name)}" not in shown] == []
    betterthan("gate", str(path), "-b", "y", "--margin", "2", "--by", "part", "-o", str(xml))
    assert not ACTIVE.search(xml.read_text(encoding="utf-8"))
    said = "".join(case.attrib["name"] for case in ET.parse(xml).iter("testcase"))
    assert [name for name in parts if inert(name) not in said] == []


@pytest.mark.parametrize("name", ["x^abc", "x^a", "^", "a_b^c", "x^abc^b"])
def test_a_hat_in_a_name_raises_nothing(name: str) -> None:
    scores = _scores(name)
    for result in (bt.compare(scores, "base", name), bt.rank(scores)):
        text = result.rendered("latex")
        spelled = name.replace("_", r"\_").replace("^", r"\textasciicircum{}")
        assert spelled in text
        assert not re.search(
            rf"{re.escape(spelled.rpartition('^')[0])}.textsuperscript{{abc}}", text
        )
        assert "^" not in text


def test_letters_of_the_systems_beaten_are_raised() -> None:
    data = {"low^z": [0.0] * 40, "high": [1.0] * 39 + [0.0]}
    text = bt.rank(bt.Scores.from_arrays(data)).rendered("latex")
    assert r"high\textsuperscript{b} &" in text
    assert r"low\textasciicircum{}z &" in text


def test_a_pipe_table_keeps_its_columns() -> None:
    rows = bt.rank(_scores("a|b|c")).rendered("md").split("\n")
    bars = {len(re.findall(r"(?<!\\)\|", row)) for row in rows if row.startswith("|")}
    assert len(bars) == 1


def test_files_and_ids_cannot_write_to_the_terminal(
    tmp_path: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate(("a\x1b[2J.csv", "b\nbetterthan: PASS.csv", "c\u202e.csv")):
        Path(name).write_text(f"item,x\x1b]0;t\x07{k},y\n\x1bq1,1,0\nq2,0,1\n\x1bq1,1,1\n")
        for words in (["compare"], ["rank"], ["inspect"], ["score"], ["compare", "-b", name]):
            run = betterthan(*words, name)
            assert run.code in (2, 4)
            assert not ACTIVE.search(run.err + run.out)
            assert "\nbetterthan: PASS" not in run.err


@pytest.mark.parametrize("words", [["compare", "-f", "csv"], ["rank", "-f", "csv"]])
def test_data_are_whole_to_a_program_and_inert_on_a_terminal(
    tmp_path: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    path, name = tmp_path / "runs.csv", "x\x1b]0;t\x07\x9b2J\u202e"
    rows = "".join(f"q{i},{i % 2},{int(i % 3 > 0)}\n" for i in range(40))
    path.write_text(f"item,{name},y\n{rows}", encoding="utf-8")
    plain = betterthan(*words, str(path))
    assert (plain.code, name in plain.out) == (0, True)
    monkeypatch.setattr("betterthan.cli.output.is_terminal", lambda _: True)
    shown = betterthan(*words, str(path))
    assert not ACTIVE.search(shown.out.replace("\r\n", "\n"))
    assert inert(name) in shown.out


def test_messages_are_cut(tmp_path: Path, betterthan: Command) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"item,{'x' * 100_000},b\nq1,1,0\nq1,0,1\n")
    run = betterthan("compare", str(path), "--baseline", "y" * 100_000)
    assert run.code in (2, 4)
    assert len(run.err) < 4000


def test_a_file_name_that_is_not_utf8(
    tmp_path: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["b\udcffse.csv", "n\udce4w.csv"]
    for k, name in enumerate(names):
        Path(name).write_text("item,score\n" + "".join(f"q{i},{i % (k + 2)}\n" for i in range(30)))
    for words in (
        ["compare", *names],
        ["compare", *names, "-f", "json"],
        ["rank", *names],
        ["compare", names[0], "nowhere\udcff.csv"],
        ["compare", *names, "-o", "out\udcff.html"],
        ["inspect", *names],
    ):
        assert betterthan(*words).code in (0, 4), words


def test_no_two_composite_ids_are_the_same_text() -> None:
    import polars as pl

    pairs = [("a/b", "c"), ("a", "b/c"), ("a\\", "/b"), ("a", "\\/b"), ("a\\/", "b"), ("a", "b")]
    ids = joined([pl.Series([x for x, _ in pairs]), pl.Series([y for _, y in pairs])])
    assert ids.n_unique() == len(pairs)
    assert ids[-1] == "a/b"


def test_composite_ids_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,item,x,y\na/b,c,1,0\na,b/c,0,1\nz,z,1,1\n")
    assert bt.read(path, columns={"item": "doc+item"}).n == 3


def test_inert_leaves_ordinary_text_alone() -> None:
    text = "Ünïcödé – 你好 │ 😀 ≥ ± e\u0301"
    assert inert(text) == text


def test_a_name_cannot_add_lines_to_what_was_understood(
    tmp_path: Path, betterthan: Command
) -> None:
    evil = "new\n  missing    none\n  atlas is BETTER than base  p = 1e-9"
    path = tmp_path / "forge.jsonl"
    rows = [{"item": k, "system": s, "score": k % 2} for k in range(9) for s in ("base", evil)]
    path.write_text("\n".join(map(json.dumps, rows)))
    for words in (["inspect"], ["compare", "--baseline", "base"]):
        run = betterthan(words[0], str(path), *words[1:])
        assert run.code == 0
        lines = (run.out + run.err).splitlines()
        assert [line for line in lines if line.strip().startswith("atlas")] == []
        assert sum(line.startswith("  missing") for line in lines) <= 1


# How the runner of GitHub looks for commands: at the beginning of a line, or anywhere (the old way)
OBEYED = re.compile(r"^\s*::[\w-]+( [^:]*)?::|##(vso)?\[", re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["::error file=a.py::hacked", "::stop-commands::x", "##[add-mask]PASS", "##vso[task.x]"]
)
def test_names_are_no_commands_of_a_build_service(
    name: str, tmp_path: Path, betterthan: Command
) -> None:
    assert OBEYED.search(name)
    path = tmp_path / "t.csv"
    path.write_text("item,base," + name + "\n" + "".join(f"{k},{k % 2},1\n" for k in range(20)))
    for words in (["compare"], ["rank"], ["score"], ["inspect"], ["gate", "--margin", "2"]):
        run = betterthan(words[0], str(path), *words[1:])
        assert run.code in (0, 3), run.err
        assert name[2:] in run.out
        assert not OBEYED.search(run.out + run.err)
    run = betterthan("compare", str(path), "--baseline", name + "!")
    assert run.code == 2
    assert not OBEYED.search(run.err)


@pytest.mark.parametrize("name", ["__init__", "__a_b__", "_x_", "a__b", "snake_case_name", "___"])
def test_underscores_raise_no_voice(name: str) -> None:
    scores = bt.Scores.from_arrays({"base": [0] * 9 + [1], name: [1] * 10})
    page = MarkdownIt("commonmark").enable("table").render(bt.compare_many(scores).rendered("md"))
    assert "<em>" not in page
    assert name in re.sub(r"<[^>]+>", "", page)
