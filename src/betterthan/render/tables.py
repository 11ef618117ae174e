"""A table of text cells, and the four ways to write it down."""

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

Align = Literal["<", ">"]
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "<": r"$<$",
    ">": r"$>$",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Headers, how each column is aligned, and rows of finished text."""

    headers: tuple[str, ...]
    align: tuple[Align, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        width = len(self.headers)
        if len(self.align) != width or any(len(row) != width for row in self.rows):
            raise ValueError(f"every row and the alignment need {width} cells")


def to_text(table: Table, indent: str = " ") -> str:
    """Write aligned columns for a terminal.

    >>> print(to_text(Table(("system", "acc"), ("<", ">"), (("base", "65.3"), ("new", "71.0")))))
     system   acc
     base    65.3
     new     71.0
    """
    widths = [
        max(len(cell) for cell in column) for column in zip(table.headers, *table.rows, strict=True)
    ]
    lines = (
        "  ".join(f"{cell:{a}{w}}" for cell, a, w in zip(row, table.align, widths, strict=True))
        for row in (table.headers, *table.rows)
    )
    return "\n".join((indent + line).rstrip() for line in lines)


def to_markdown(table: Table) -> str:
    """Write a pipe table, as GitHub reads it."""
    rule = tuple("---:" if a == ">" else ":---" for a in table.align)
    rows = (table.headers, rule, *table.rows)
    return "\n".join("| " + " | ".join(map(_pipe, row)) + " |" for row in rows)


def to_latex(
    table: Table, *, caption: str, label: str, bold: Collection[tuple[int, int]] = ()
) -> str:
    """Write a booktabs table; the cells ``(row, column)`` in ``bold`` are set in bold.

    A cell may end in ``^abc``, which becomes a superscript: the letters of the systems beaten.
    """
    columns = "".join("r" if a == ">" else "l" for a in table.align)
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape_latex(caption)}}}",
        f"  \\label{{{label}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(escape_latex(h) for h in table.headers) + r" \\",
        r"    \midrule",
    ]
    for i, row in enumerate(table.rows):
        cells = [
            rf"\textbf{{{_latex_cell(cell)}}}" if (i, j) in bold else _latex_cell(cell)
            for j, cell in enumerate(row)
        ]
        lines.append("    " + " & ".join(cells) + r" \\")
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def to_csv(rows: Sequence[dict[str, object]]) -> str:
    """Write records with a header; nothing is rounded, None is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def escape_latex(text: str) -> str:
    """Escape what LaTeX would take for markup."""
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_cell(cell: str) -> str:
    body, mark, letters = cell.rpartition("^")
    if mark and letters.isalpha():
        return rf"{escape_latex(body)}\textsuperscript{{{letters}}}"
    return escape_latex(cell)


def _pipe(cell: str) -> str:
    return cell.replace("|", "\\|")
