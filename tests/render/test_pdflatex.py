"""Tables for papers compile under pdfLaTeX, whatever they hold, and fit what they say they fit."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import Comparisons
from betterthan.render.latex import POINTS, _Fit, booktabs, latex
from betterthan.render.tex_text import UNICODE_OR, escaped, typeset
from betterthan.results.sheet import Sheet, Table
from made_up_results import MADE_UP

needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="no pdflatex: apt-get install texlive-latex-base"
)
HOSTILE = (
    r"\input{/etc/passwd}^_~%$#&{}",
    "[a] -- b",
    "*x* ?`!`",
    "naïve Ångström Łódź ąęğőșž",
    "β-net ΑΩ µ ² ≤ ≠ → … “q” ‘r’ — ° †",
    "系统-一 Тест 시스템 🙂 ① ﬁ",
    "e\u0301 combining",
    "",
    " ",
)


def compiled(folder: Path, body: str, *, points: float, options: str = "") -> str:
    """Compile a document whose columns are so wide, and return the log."""
    (folder / "paper.tex").write_text(
        rf"\documentclass[10pt,{options}]{{article}}"
        rf"\usepackage{{booktabs,graphicx}}"
        rf"\setlength{{\textwidth}}{{{points * (2 if 'twocolumn' in options else 1) + 20}pt}}"
        rf"\setlength{{\columnsep}}{{20pt}}\setlength{{\columnwidth}}{{{points}pt}}"
        rf"\setlength{{\textheight}}{{23cm}}\setlength{{\topmargin}}{{-2cm}}"
        rf"\begin{{document}}{body}\end{{document}}",
        encoding="utf-8",
    )
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = (folder / "paper.log").read_text(encoding="latin-1")
    assert run.returncode == 0, re.findall(r"(?m)^!.*\n(?:.*\n){0,8}", log)
    return log


def hostile() -> Comparisons:
    rows = [[(i * k) % (k + 2) > 0 for i in range(40)] for k in range(1, 10)]
    names = dict(zip((*HOSTILE[:7], "base", "x" * 60), rows, strict=True))
    return bt.compare_all(bt.Scores.from_arrays(names))


@needs_tex
def test_every_result_compiles_and_nothing_sticks_out(tmp_path: Path) -> None:
    parts = [made.rendered("latex") for made in MADE_UP.values()]
    wide: dict[str, Any] = {"width": "page", "intervals": True}
    parts += [hostile().rendered("latex", **options) for options in (dict[str, Any](), wide)]
    parts = [part + "\n\\clearpage\n" for part in parts]
    log = compiled(tmp_path, "\n".join(parts), points=POINTS["page"] - 20)
    assert not re.findall(r"Overfull \\hbox.*", log)
    labels = re.findall(r"\\label\{(.*?)\}", "".join(parts))
    assert len(labels) >= len(MADE_UP)


@needs_tex
def test_a_column_is_kept_to(tmp_path: Path) -> None:
    parts = [made.rendered("latex", width="column") for made in MADE_UP.values()]
    parts.append(hostile().rendered("latex", width="column", intervals=True))
    parts = [part + "\n\\clearpage\n" for part in parts]
    assert not any("table*" in part for part in parts)
    log = compiled(tmp_path, "\n".join(parts), points=POINTS["column"], options="twocolumn")
    assert not re.findall(r"Overfull \\hbox.*", log)


@needs_tex
@pytest.mark.parametrize("width", ["column", "page"])
def test_rows_of_broken_names_fit_their_pages(tmp_path: Path, width: str) -> None:
    names = [f"meta-llama_Llama-3.{k}-Instruct-finetuned_on-task-{k:02d}_step" for k in range(60)]
    rows = {name: [(i * k) % 7 > 2 for i in range(12)] for k, name in enumerate(names)}
    text = bt.compare_many(bt.Scores.from_arrays(rows)).to_latex(width=width)
    points = POINTS[width]
    options = "twocolumn" if width == "column" else ""
    log = compiled(tmp_path, text, points=points - (20 if not options else 0), options=options)
    assert "Float too large" not in log
    assert not re.findall(r"Overfull \\[hv]box.*", log)


@needs_tex
@pytest.mark.parametrize("columns", [2, 7, 9])
def test_a_long_table_fits_its_pages(tmp_path: Path, columns: int) -> None:
    rows = [tuple(f"{i}.{k:04d}" for k in range(columns)) for i in range(130)]
    caption = "What was done, and how. " * 12
    made = Table.of([f"number {k}" for k in range(columns)], rows, caption=caption)
    text = latex(Sheet(title="", kind="items", rows=(), tables=(made,)))
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[twocolumn]{{article}}\usepackage{{booktabs,graphicx}}"
        rf"\begin{{document}}{text}\end{{document}}"
    )
    subprocess.run(["pdflatex", "-interaction=batchmode", "paper.tex"], cwd=tmp_path, check=True)
    assert "too large for page" not in (tmp_path / "paper.log").read_text(encoding="latin-1")


@needs_tex
def test_every_letter_of_europe_compiles(tmp_path: Path) -> None:
    letters = "".join(map(chr, [*range(0xA0, 0x180), *range(0x391, 0x3CA), *range(0x1E00, 0x1EFF)]))
    compiled(tmp_path, f"{UNICODE_OR}{escaped(letters)}", points=300.0)


def test_numbers_are_set_as_numbers_and_names_as_names() -> None:
    table = Table.of(("system", "delta"), [("run-1e-05", "-1.5e-05"), ("a-2", "[-1.0, +2.0]")])
    text = booktabs(Table(table.headers, ("<", ">"), table.rows), _Fit("column", "", 6.0, {}))
    assert r"run-1e-05 & $-1.5\times10^{-5}$" in text
    assert r"a-2 & [$-$1.0, +2.0]" in text
    assert typeset("1,319") == "1,319"


def test_a_long_table_goes_on_and_labels_differ() -> None:
    rows = [(f"q{i}", str(i)) for i in range(120)]
    made = Table.of(("item", "score"), rows, left=("item",), caption="All.", label="tab:x")
    text = latex(Sheet(title="", kind="items", rows=(), tables=(made, made)))
    assert re.findall(r"\\label\{(.*?)\}", text) == [
        *("tab:x", "tab:x-page-2", "tab:x-page-3", "tab:x-page-4"),
        *("tab:x-2", "tab:x-2-page-2", "tab:x-2-page-3", "tab:x-2-page-4"),
    ]
    assert all(text.count(f"q{i} &") == 2 for i in range(120))
    assert text.count(r"\addtocounter{table}{-1}") == 6  # one number for all its pages


def test_a_board_of_many_long_names_breaks_none_of_them() -> None:
    rng = np.random.default_rng(0)
    names = [f"meta-llama/Meta-Llama-3.1-{k}B-Instruct-reward-tuned-v2" for k in range(30)]
    scores = bt.Scores.from_arrays({n: rng.random(40) < 0.5 for n in names})
    board = bt.rank(scores, resamples=100)
    plain, whole = board.to_latex(), board.to_latex(intervals=True)
    assert "allowbreak" not in plain
    assert "% Without intervals, which would have to break names" in plain
    assert all(name in plain for name in names)
    assert plain.count(r"\begin{table") == 1
    assert "allowbreak" in whole
    assert whole.count("95 ") > plain.count("95 ")
