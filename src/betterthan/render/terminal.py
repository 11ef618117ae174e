"""Sheets for a terminal."""

import re

from betterthan.render.table_text import fitted_columns, in_columns
from betterthan.render.wrapping import lines_of
from betterthan.results.escaping import inert
from betterthan.results.sheet import Line, Sheet, Table

# Blank line first; spaces before headlines, and before everything else
_LAYOUTS = {"card": (True, 2, 2), "board": (False, 2, 1), "plain": (False, 0, 2)}

_GOOD, _BAD, _OPEN, _FAINT, _BOLD = "32", "31", "33", "2", "1"
_WORDS = {
    "is BETTER than": _GOOD,
    "PASS": _GOOD,
    "is WORSE than": _BAD,
    "REGRESSION": _BAD,
    "CAN'T TELL": _OPEN,
}
_VERDICT = re.compile("|".join(map(re.escape, _WORDS)))


def text(sheet: Sheet, *, columns: int | None = None, colour: bool = False) -> str:
    """Write headlines, details, tables or card, remarks and notes, and the signature.

    ``columns`` is how wide a line may be: sentences are wrapped, tables folded. ``colour`` sets
    verdicts off with the codes of a terminal.
    """
    stands_off, margin, indent = _LAYOUTS[sheet.layout]
    warnings, notes = (
        tuple(f"! {note}" for note in notes) for notes in (sheet.warnings, sheet.other_notes)
    )
    head = lines_of((*sheet.headlines, *sheet.subheads, *warnings), margin, columns)
    body: list[tuple[Line, ...] | Table] = [sheet.card + notes]
    if not sheet.card:
        body = [sheet.details, *sheet.tables, sheet.remarks + notes]
    blocks = [
        _table(part, indent, columns)
        if isinstance(part, Table)
        else lines_of(part, indent, columns)
        for part in body
        if (part.rows if isinstance(part, Table) else part)
    ]
    head = _coloured(head) if colour else head
    if head and sheet.layout == "plain" and blocks:
        blocks[0] = f"{head}\n{blocks[0]}"
    elif head:
        blocks.insert(0, head)
    for table in sheet.appendix:
        listed = f"\n{_table(table, indent, columns)}" if table.rows else ""
        blocks.append(lines_of((table.caption,), indent, columns) + listed)
    signed = inert(f"signature: {sheet.signature}") if sheet.signature else ""
    signed = f"\033[{_FAINT}m{signed}\033[0m" if colour and signed else signed
    return "\n" * stands_off + "\n\n".join(blocks) + ("\n" + signed if signed else "")


def _table(table: Table, indent: int, columns: int | None) -> str:
    return in_columns(table, indent) if columns is None else fitted_columns(table, indent, columns)


def _coloured(head: str) -> str:
    """Set off the verdict of each line."""
    return "\n".join(
        _VERDICT.sub(lambda found: f"\033[{_BOLD};{_WORDS[found[0]]}m{found[0]}\033[0m", line, 1)
        for line in head.split("\n")
    )
