"""Sheets for a terminal."""

from betterthan.results.inert import inert, inert_all
from betterthan.results.sheet import Sheet, Table

# Blank line first; spaces before headlines, and before everything else
_LAYOUTS = {"card": (True, 2, 2), "board": (False, 2, 1), "plain": (False, 0, 2)}


def text(sheet: Sheet) -> str:
    """Write headlines, details, tables or card, remarks and notes, and the signature."""
    stands_off, margin, indent = _LAYOUTS[sheet.layout]
    head = _lines((*sheet.headlines, *sheet.subheads), margin)
    notes = tuple(f"! {note}" for note in sheet.notes)
    body: list[tuple[str, ...] | Table] = [sheet.card + notes]
    if not sheet.card:
        body = [sheet.details, *sheet.tables, sheet.remarks + notes]
    blocks = [
        aligned(part, indent) if isinstance(part, Table) else _lines(part, indent)
        for part in body
        if (part.rows if isinstance(part, Table) else part)
    ]
    if head and sheet.layout == "plain" and blocks:
        blocks[0] = f"{head}\n{blocks[0]}"
    elif head:
        blocks.insert(0, head)
    for table in sheet.appendix:
        listed = f"\n{aligned(table, indent)}" if table.rows else ""
        blocks.append(_lines((table.caption,), indent) + listed)
    signed = f"\nsignature: {inert(sheet.signature)}" if sheet.signature else ""
    return "\n" * stands_off + "\n\n".join(blocks) + signed


def aligned(table: Table, indent: int = 1) -> str:
    """Write aligned columns.

    >>> print(aligned(Table(("system", "acc"), ("<", ">"), (("base", "65.3"), ("new", "71.0")))))
     system   acc
     base    65.3
     new     71.0
    """
    rows = len(table.rows) + 1
    columns = zip(table.headers, *table.rows, strict=True)
    cells = inert_all(cell for column in columns for cell in column)
    padded = []
    for k, align in enumerate(table.align):
        column = cells[k * rows : (k + 1) * rows]
        width = max(map(len, column))
        padded.append([f"{cell:{align}{width}}" for cell in column])
    return "\n".join((" " * indent + "  ".join(row)).rstrip() for row in zip(*padded, strict=True))


def _lines(lines: tuple[str, ...], indent: int) -> str:
    return "\n".join((" " * indent + line).rstrip() for line in inert_all(lines))
