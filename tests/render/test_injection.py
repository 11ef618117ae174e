"""Names and ids from files are text, wherever they are shown: no commands, markup or formulas."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.data.frames.cells import ids
from betterthan.results.inert import inert
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
    "surrogate": "half \ud83d",
}
ACTIVE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _scores(name: str) -> bt.Scores:
    first, second = [i % 2 for i in range(40)], [i % 3 > 0 for i in range(40)]
    return bt.Scores.from_arrays({"base": first, name: second})


@pytest.mark.parametrize("kind", EVIL)
def test_names_are_inert_in_every_form(kind: str, tmp_path: Path) -> None:
    name = EVIL[kind]
    for result in (bt.compare(_scores(name), "base", name), bt.leaderboard(_scores(name))):
        for style in ("table", "md", "latex", "csv", "html"):
            text = result.rendered(style)
            assert not ACTIVE.search(text if style not in ("csv", "html") else ""), style
            assert "\n# PASS" not in text or style in ("csv", "html")
        assert not re.search(r"(?<!\\)<img", result.rendered("md"))
        assert "<img" not in result.rendered("html")
        assert r"\input" not in result.rendered("latex")
        for row in csv.reader(io.StringIO(result.rendered("csv"))):
            assert not any(cell[:1] in ("=", "@") for cell in row)
            assert not any(cell.startswith("+1+") for cell in row)
        result.rendered("json").encode(errors="backslashreplace")
        for form in ("png", "svg"):
            result.save(tmp_path / f"x.{form}")


@pytest.mark.parametrize("name", ["x^abc", "x^a", "^", "a_b^c", "x^abc^b"])
def test_a_hat_in_a_name_raises_nothing(name: str) -> None:
    scores = _scores(name)
    for result in (bt.compare(scores, "base", name), bt.leaderboard(scores)):
        text = result.rendered("latex")
        spelled = name.replace("_", r"\_").replace("^", r"\textasciicircum{}")
        assert spelled in text
        assert not re.search(
            rf"{re.escape(spelled.rpartition('^')[0])}.textsuperscript{{abc}}", text
        )
        assert "^" not in text


def test_letters_of_the_systems_beaten_are_raised() -> None:
    data = {"low^z": [0.0] * 40, "high": [1.0] * 39 + [0.0]}
    text = bt.leaderboard(bt.Scores.from_arrays(data)).rendered("latex")
    assert r"high\textsuperscript{b} &" in text
    assert r"low\textasciicircum{}z &" in text


def test_a_pipe_table_keeps_its_columns() -> None:
    rows = bt.leaderboard(_scores("a|b|c")).rendered("md").split("\n")
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
    joined = ids([pl.Series([x for x, _ in pairs]), pl.Series([y for _, y in pairs])])
    assert joined.n_unique() == len(pairs)
    assert joined[-1] == "a/b"


def test_composite_ids_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,item,x,y\na/b,c,1,0\na,b/c,0,1\nz,z,1,1\n")
    assert bt.read(path, item=["doc", "item"]).n == 3


def test_inert_leaves_ordinary_text_alone() -> None:
    text = "Ünïcödé – 你好 │ 😀 ≥ ± e\u0301"
    assert inert(text) == text
