"""Sheets for a README, a pull request or a job summary."""

import re

from betterthan.results.escaping import inert
from betterthan.results.sheet import Sheet, Table

_BLOCK = re.compile(r"^(\s*)(?=#|>|```|~~~|\[[^]]*\]:|=+\s*$|-+\s*$)")  # at the beginning of a line
# What GitHub would link or notify, though escaped: users and teams, addresses, issues
_LIVE = re.compile(
    r"(?<=(?<!\w)@)(?=\w)|(?<=@)(?=[\w-]+\.\w)|(?<=:)(?=//)|(?<=\bwww)(?=\.)"
    r"|(?<=#)(?=\d)|(?<=\bGH-)(?=\d)",
    re.ASCII | re.IGNORECASE,
)
_APART = "&#8203;"  # takes no room
# Tags, links, entities, code, formulas and emphasis anywhere, an underscore within a word is none;
# and what would escape the mark that follows
_INLINE = re.compile(
    r"<(?=[A-Za-z!/?])|(?<=\])\(|&(?=[#A-Za-z])|[`$*]|(?<![^\W_])_|_(?![^\W_])|~(?=~)"
    r"|\\(?=[!-/:-@\[-`{-~]|$)"
)


def markdown(sheet: Sheet, *, intervals: bool | None = None) -> str:
    """Write the headlines in bold, the tables, remarks, notes and the signature.

    A table of systems by metrics comes first, where the paper has one.
    """
    blocks = ["\n".join(f"**{escaped(line.strip())}**  " for line in sheet.headlines)]
    blocks += [_broken(sheet.subheads), _bullets(sheet.warnings)]
    blocks += [_broken(labelled(sheet.details))]
    paper = sheet.paper()
    for table in paper if any(table.crowded for table in paper) else ():
        blocks += [pipes(table.for_paper(intervals=intervals))]
    blocks += [pipes(table) for table in sheet.tables if table.rows]
    blocks += [_broken(sheet.remarks)]
    blocks += [_bullets(sheet.other_notes)]
    for table in sheet.appendix:
        blocks += [escaped(table.caption), pipes(table) if table.rows else ""]
    blocks += [f"`{inert(sheet.signature).replace('`', chr(39))}`"] if sheet.signature else []
    return "\n\n".join(block for block in blocks if block)


def labelled(details: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Write what is said of words where no columns of text can be aligned."""
    return tuple(f"{word}: {said}" for word, said in details)


def pipes(table: Table) -> str:
    """Write a pipe table, as GitHub reads it."""
    rule = tuple("---:" if a == ">" else ":---" for a in table.align)
    rows = (table.headers, rule, *table.rows)
    lines = []
    for i, row in enumerate(rows, start=-2):  # headers and rule are no rows
        cells = []
        for k, cell in enumerate(row):
            text = _cell(cell).replace("|", "\\|")
            text = f"**{text}**" if (i, k) in table.bold and text else text
            raised = table.raised.get((i, k))
            cells.append(f"{text}<sup>{_cell(raised)}</sup>" if raised else text)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _bullets(notes: tuple[str, ...]) -> str:
    return "\n".join(f"- {escaped(note)}" for note in notes)


def _broken(lines: tuple[str, ...]) -> str:
    """Write lines that stay lines: GitHub would join them."""
    return "  \n".join(map(escaped, lines))


def escaped(line: str) -> str:
    """Write a line so that names in it are no markup: no headings, tags or links."""
    return _BLOCK.sub(r"\1\\", _cell(line))


def _cell(text: str) -> str:
    return _LIVE.sub(_APART, _INLINE.sub(r"\\\g<0>", inert(text)))
