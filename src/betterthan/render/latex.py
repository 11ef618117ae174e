"""Sheets for a paper: booktabs tables."""

from betterthan.results.inert import inert
from betterthan.results.sheet import Sheet, Table

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "|": r"\textbar{}",
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


def latex(sheet: Sheet) -> str:
    """Write the tables; what has no caption of its own gets the headlines, as sentences."""
    lines = (" ".join(line.split()).removesuffix(".") for line in sheet.headlines + sheet.subheads)
    said = "".join(f"{line}. " for line in lines).rstrip()
    tables = (*(sheet.latex or sheet.tables), *sheet.appendix)
    return "\n\n".join(booktabs(table, table.caption or said) for table in tables if table.rows)


def booktabs(table: Table, caption: str) -> str:
    """Write one table."""
    columns = "".join("r" if a == ">" else "l" for a in table.align)
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escaped(caption)}}}",
        f"  \\label{{{table.label}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(escaped(h) for h in table.headers) + r" \\",
        r"    \midrule",
    ]
    for i, row in enumerate(table.rows):
        cells = [
            _cell(cell, table.raised.get((i, j), ""), bold=(i, j) in table.bold)
            for j, cell in enumerate(row)
        ]
        lines.append("    " + " & ".join(cells) + r" \\")
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Escape what LaTeX would take for markup."""
    return "".join(_ESCAPED.get(character, character) for character in inert(text))


def _cell(cell: str, raised: str, *, bold: bool) -> str:
    text = escaped(cell) + (rf"\textsuperscript{{{escaped(raised)}}}" if raised else "")
    return rf"\textbf{{{text}}}" if bold else text
