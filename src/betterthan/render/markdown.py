"""Sheets for a README, a pull request or a job summary."""

import re

from betterthan.results.inert import inert
from betterthan.results.sheet import Sheet, Table

_BLOCK = re.compile(r"^(\s*)(?=#|>|```|~~~|=+\s*$|-+\s*$)")  # at the beginning of a line
_INLINE = re.compile(r"<(?=[A-Za-z!/?])|(?<=\])\(|`")  # tags, links and code anywhere


def markdown(sheet: Sheet) -> str:
    """Write the headlines in bold, the tables, remarks, notes and the signature."""
    blocks = ["\n".join(f"**{_said(line.strip())}**  " for line in sheet.headlines)]
    blocks += ["\n".join(map(_said, lines)) for lines in (sheet.subheads, sheet.sentences)]
    blocks += [pipes(table) for table in sheet.tables if table.rows]
    blocks += ["\n".join(map(_said, sheet.remarks))]
    blocks += ["\n".join(f"- {_said(note)}" for note in sheet.notes)]
    for table in sheet.appendix:
        blocks += [_said(table.caption), pipes(table) if table.rows else ""]
    blocks += [f"`{inert(sheet.signature).replace('`', chr(39))}`"] if sheet.signature else []
    return "\n\n".join(block for block in blocks if block)


def pipes(table: Table) -> str:
    """Write a pipe table, as GitHub reads it."""
    rule = tuple("---:" if a == ">" else ":---" for a in table.align)
    rows = (table.headers, rule, *table.rows)
    return "\n".join(
        "| " + " | ".join(_cell(cell).replace("|", "\\|") for cell in row) + " |" for row in rows
    )


def _said(line: str) -> str:
    """Write a line so that names in it are no markup: no headings, tags or links."""
    return _BLOCK.sub(r"\1\\", _cell(line))


def _cell(text: str) -> str:
    return _INLINE.sub(r"\\\g<0>", inert(text))
