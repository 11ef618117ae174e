"""Sheets for a paper: booktabs tables that fit a column or a page.

A table takes the largest of four sizes of type in which it fits. What is still too wide has its
long texts broken into lines, or is scaled, and a comment says so.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from betterthan.errors import UsageError, not_one_of
from betterthan.render.tex_text import UNICODE_OR, escaped, known, pieces, typeset
from betterthan.results.escaping import inert
from betterthan.results.sheet import Sheet, Table

Width = Literal["column", "page"]

POINTS = {"column": 219.0, "page": 397.0}
"""What a table may take: a column of ACL's style, a page of NeurIPS's, the narrowest in use."""

ROWS = {"": 35, "\\small": 38, "\\footnotesize": 44, "\\scriptsize": 52}
"""Rows of a table that fit on a page below its caption, by size; more go on in another table."""

# Sizes of type, their em in points (cmr10, 9, 8, 7), and half of the space between columns
_SIZES = (("", 10.0, 6.0), ("\\small", 9.25, 5.0), ("\\footnotesize", 8.5, 4.0))
_SMALLEST = ("\\scriptsize", 8.0, 3.0)
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]/ "), frozenset("mwMWQOGHNDAUVXKRBCEFLPSTYZ%@—+-")
_POWER = re.compile(r"\de[+-]\d")
_LABEL = re.compile(r"[A-Za-z0-9:._/+-]+")
CAPTION = 8  # lines of a caption that the rows on a page leave room for
_CONTINUED = "(Continued.)"
_LONG = 24  # characters of a text that may be broken into lines


@dataclass(frozen=True, slots=True)
class _Fit:
    """How a table is set: in which environment and size, what is broken, whether it is scaled."""

    width: Width
    size: str
    gap: float
    broken: dict[int, float]
    scaled: bool = False


def latex(
    sheet: Sheet,
    *,
    width: Width | None = None,
    intervals: bool | None = None,
    label: str | None = None,
) -> str:
    """Write the tables; what has no caption of its own gets the headlines, as sentences.

    ``width`` is that of a column or of the page; by default a column's where the table fits.
    ``intervals`` adds intervals, or leaves them out. ``label`` is what a paper refers to.
    """
    if label is not None and not _LABEL.fullmatch(label):
        raise UsageError(
            f"label must be made of letters, digits and : . - _ / +, as in tab:main, got {label!r}"
        )
    if width not in (None, *POINTS):
        raise not_one_of("width", width, POINTS)
    lines = (" ".join(line.split()).removesuffix(".") for line in sheet.headlines + sheet.subheads)
    said = "".join(f"{line}. " for line in lines).rstrip()
    given = [t for t in (*(sheet.paper() or sheet.tables), *sheet.appendix) if t.rows]
    tables = [table.for_paper(intervals=intervals) for table in given]
    bare = [intervals is None and _breaks_names(table, width) for table in given]
    tables = [
        whole.for_paper(intervals=False) if left_out else table
        for whole, table, left_out in zip(given, tables, bare, strict=True)
    ]
    tables = [replace(table, caption=table.caption or said) for table in tables]
    if label is not None:
        tables = [replace(table, label=label) for table in tables]
    labels = Counter[str]()
    blocks, fits = [], []
    for table in tables:
        labels[table.label] += 1
        more = labels[table.label]
        fits.append(fit := _fit(table, width))
        named = replace(table, label=f"{table.label}-{more}") if more > 1 else table
        pages = (booktabs(page, fit) for page in _pages(named, fit))
        blocks.append("\n\\clearpage\n\n".join(pages))
    body = "\n\n".join(blocks)
    return "\n".join([*_preamble(sheet, body, fits, bare=any(bare)), body])


def _breaks_names(table: Table, width: Width | None) -> bool:
    """Whether names have to be broken, or all be scaled, for the intervals alone."""
    fit, bare = (_fit(table.for_paper(intervals=k), width) for k in (None, False))
    return bool(fit.broken or fit.scaled) and not (bare.broken or bare.scaled)


def _preamble(sheet: Sheet, body: str, fits: list[_Fit], *, bare: bool) -> Iterator[str]:
    if sheet.signature:
        yield f"% {inert(sheet.signature)}"
    needed = ["booktabs"] + ["graphicx"] * any(fit.scaled for fit in fits)
    yield "% Needs " + " and ".join(rf"\usepackage{{{name}}}" for name in needed)
    if bare:
        yield "% Without intervals, which would have to break names: ask for them if need be."
    if any(fit.scaled and fit.width == "column" for fit in fits):
        yield "% Wider than a column in the smallest type, and scaled: a page may suit it better."
    if r"\unicodeor" in body:
        yield "% pdfLaTeX has no letters for some of the names: LuaLaTeX and XeLaTeX set them, with"
        yield "% a font that has them; pdfLaTeX gets the second argument, which you may change."
        yield UNICODE_OR


def _pages(table: Table, fit: _Fit) -> Iterator[Table]:
    """Cut a table that no page holds into several; rows count as many lines as they take."""
    em = next(em for size, em, _ in (*_SIZES, _SMALLEST) if size == fit.size)
    heights = [
        max(1, *(_lines(row[k], points / em) for k, points in fit.broken.items()), 1)
        for row in table.rows
    ]
    caption = _lines(table.caption, POINTS[fit.width] / _SIZES[0][1])
    room = ROWS[fit.size] - max(0, caption - CAPTION)
    starts, used = [0], 0
    for i, height in enumerate(heights):
        if used + height > room and i > starts[-1]:
            starts.append(i)
            used, room = 0, ROWS[fit.size]
        used += height
    if len(starts) == 1:
        yield table
        return
    for page, (start, end) in enumerate(pairwise([*starts, len(table.rows)]), start=1):
        rows = range(start, end)
        yield replace(
            table,
            rows=tuple(table.rows[i] for i in rows),
            caption=table.caption if start == 0 else _CONTINUED,
            label=table.label + (f"-page-{page}" if start else ""),
            bold=[(i - start, k) for i, k in table.bold if i in rows],
            raised={(i - start, k): x for (i, k), x in table.raised.items() if i in rows},
            ruled=[i - start for i in table.ruled if i in rows],
        )


def _lines(text: str, ems: float) -> int:
    """Count the lines that a text takes which is broken where it may be.

    >>> _lines("meta-llama", 3.0), _lines("meta-llama", 6.0), _lines("", 3.0)
    (2, 1, 1)
    """
    lines, used = 1, 0.0
    for piece in pieces(text):
        width = _ems(piece)
        if used and used + width > ems:
            lines, used = lines + 1, 0.0
        used += width
    return lines


def booktabs(table: Table, fit: _Fit) -> str:
    """Write one table."""
    environment = "table*" if fit.width == "page" else "table"
    of_width = r"\textwidth" if fit.width == "page" else r"\columnwidth"
    columns = "".join(
        rf"p{{{fit.broken[k]:.0f}pt}}" if k in fit.broken else "r" if align == ">" else "l"
        for k, align in enumerate(table.align)
    )
    widest = {
        k: max((x for (_, j), x in table.raised.items() if j == k), key=_ems, default="")
        for k, align in enumerate(table.align)
        if align == ">"
    }
    lines = [rf"\begin{{{environment}}}", r"  \centering"]
    lines += [f"  {fit.size}"] * bool(fit.size)
    lines += [rf"  \setlength{{\tabcolsep}}{{{fit.gap:g}pt}}"] * (fit.gap != _SIZES[0][2])
    lines += [r"  \addtocounter{table}{-1}"] * (table.caption == _CONTINUED)
    lines += [rf"  \caption{{{escaped(table.caption)}}}", rf"  \label{{{table.label}}}"]
    if fit.scaled:
        shrunk = rf"\ifdim\width>{of_width}{of_width}\else\width\fi"
        lines.append(rf"  \resizebox{{{shrunk}}}{{!}}{{%")
    lines += [
        rf"  \begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"    \toprule",
        "    " + " & ".join(escaped(header) for header in table.headers) + r" \\",
        r"    \midrule",
    ]
    for i, row in enumerate(table.rows):
        cells = []
        for k, cell in enumerate(row):
            text = typeset(cell) if table.align[k] == ">" else escaped(cell, broken=k in fit.broken)
            text = rf"\textbf{{{text}}}" if (i, k) in table.bold else text
            cells.append(text + _raised(table.raised.get((i, k), ""), widest.get(k, "")))
        # After the end of a row TeX would take a bracket for an option.
        first = f"{{}}{cells[0]}" if cells[0][:1] in ("[", "*") else cells[0]
        lines.append("    " + " & ".join([first, *cells[1:]]) + r" \\")
        lines += [r"    \midrule"] * (i in table.ruled and i + 1 < len(table.rows))
    lines += [r"    \bottomrule", r"  \end{tabular}" + "}" * fit.scaled, rf"\end{{{environment}}}"]
    return "\n".join(lines)


def _raised(text: str, widest: str) -> str:
    r"""A superscript; in a column of numbers it takes the same room in every row.

    >>> print(_raised("a", "ab"))
    \rlap{\textsuperscript{a}}\hphantom{\textsuperscript{ab}}
    """
    if not widest:
        return rf"\textsuperscript{{{escaped(text)}}}" if text else ""
    shown = rf"\rlap{{\textsuperscript{{{escaped(text)}}}}}" if text and text != widest else ""
    if text == widest:
        return rf"\textsuperscript{{{escaped(text)}}}"
    return shown + rf"\hphantom{{\textsuperscript{{{escaped(widest)}}}}}"


def _fit(table: Table, width: Width | None) -> _Fit:
    ems = [
        max(
            _ems(header),
            *(
                _ems(row[k]) * (1.15 if (i, k) in table.bold else 1.0)
                + 0.85 * max((_ems(x) for (_, j), x in table.raised.items() if j == k), default=0.0)
                for i, row in enumerate(table.rows)
            ),
        )
        for k, header in enumerate(table.headers)
    ]
    long = [
        k
        for k, align in enumerate(table.align)
        if align == "<" and max(len(row[k]) for row in table.rows) > _LONG
    ]
    gaps = 2 * (len(ems) - 1)
    if width in (None, "column"):
        for size, em, gap in (*_SIZES, *([_SMALLEST] if width else [])):
            if em * sum(ems) + gap * gaps <= POINTS["column"]:
                return _Fit("column", size, gap, {})
    chosen: Width = width or "page"
    sizes = (*_SIZES, _SMALLEST)
    for size, em, gap in sizes if chosen == "page" else ():
        if em * sum(ems) + gap * gaps <= POINTS["page"]:
            return _Fit("page", size, gap, {})
    for size, em, gap in sizes[2:]:
        others = em * sum(x for k, x in enumerate(ems) if k not in long) + gap * gaps
        left = POINTS[chosen] - others
        if long and left >= len(long) * _LONG / 2 * em / 2:
            share = left / sum(ems[k] for k in long)
            return _Fit(chosen, size, gap, {k: ems[k] * share for k in long})
    size, _, gap = _SMALLEST
    return _Fit(chosen, size, gap, {}, scaled=True)


def _ems(text: str) -> float:
    """About how wide a text is set, in ems of Computer Modern; rather too wide than too narrow."""
    wide = sum(0.34 if c in _NARROW else 0.78 if c in _WIDE else 0.53 for c in text if c.isascii())
    other = sum(0.8 if known(c) else 4.0 for c in text if not c.isascii())  # U+4E00, in pdfLaTeX
    return wide + other + len(_POWER.findall(text))
