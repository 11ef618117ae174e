"""Tables on a terminal: columns that align, and that fit the width there is.

Nothing is lost where a table is too wide. Long headers take two lines; columns that say the same
in every row are said once, below; long lists go on in further lines; long names lose their middle,
with a mark where; and what is still too wide goes on below, under the same names.
"""

from dataclasses import replace
from textwrap import wrap

from betterthan.render.wrapping import cut_apart, shown
from betterthan.results.escaping import inert_all
from betterthan.results.sheet import Table

_Heads = list[tuple[str, ...]]

_GAP = 2  # blanks between columns
_SHORTEST = 14  # letters of a name that are left at least


def in_columns(table: Table, indent: int = 1) -> str:
    """Write aligned columns.

    >>> print(in_columns(Table(("system", "acc"), ("<", ">"), (("base", "65.3"), ("new", "71.0")))))
     system   acc
     base    65.3
     new     71.0
    """
    table = _inert(table)
    return _written(table, indent, [(header,) for header in table.headers])


def fitted_columns(table: Table, indent: int, columns: int) -> str:
    """Write aligned columns that are no wider than ``columns``, as far as one cell allows.

    >>> made = Table.of(("system", "n", "system score"), [("base", "9", "1"), ("x" * 30, "9", "2")])
    >>> print(fitted_columns(made, 1, 30))
                            system
                    system   score
                      base       1
     xxxxxxxxxx…xxxxxxxxxx       2
     every row: n 9
    """
    table = _inert(table)
    room = columns - indent
    heads: _Heads = [(header,) for header in table.headers]
    if _wide(table, heads) <= room:
        return _written(table, indent, heads)
    said = ""
    short = cut_apart(
        (name for name in table.headers if " " not in name), max(room // 4, _SHORTEST)
    )
    table = replace(table, headers=tuple(short.get(name, name) for name in table.headers))
    heads = _in_two_lines(table)
    if _wide(table, heads) > room and len(table.rows) > 1:
        same = [
            k
            for k in range(1, len(table.headers))
            if table.align[k] == ">" and len({row[k] for row in table.rows}) == 1
        ]
        told = [f"{table.headers[k]} {table.rows[0][k]}" for k in same if table.rows[0][k]]
        said = f"\n{' ' * indent}every row: {', '.join(told)}" if told else ""
        table = replace(table, intervals=same).for_paper(intervals=False)
        heads = _in_two_lines(table)
    table = _in_lines(table, heads, room)
    fits = _shortened(table, heads, room)
    if _wide(fits, _in_two_lines(fits)) > room:  # it will be folded: names need less room
        fits = _shortened(table, heads, room, share=min(room // 3, room - 32))
    table, heads = fits, _in_two_lines(fits)
    blocks = [
        _written(block, indent, _in_two_lines(block)) for block in _folded(table, heads, room)
    ]
    return "\n\n".join(blocks) + said


def _inert(table: Table) -> Table:
    """Write active characters as what they are, in all cells at once."""
    width = len(table.headers)
    cells = inert_all(cell for row in (table.headers, *table.rows) for cell in row)
    rows = [cells[k : k + width] for k in range(0, len(cells), width)]
    return replace(table, headers=rows[0], rows=tuple(rows[1:]))


def _written(table: Table, indent: int, heads: _Heads) -> str:
    height = max(map(len, heads))
    padded = []
    for k, align in enumerate(table.align):
        column = [*[""] * (height - len(heads[k])), *heads[k], *(row[k] for row in table.rows)]
        widths = [len(cell) if cell.isascii() else shown(cell) for cell in column]
        most = max(widths)
        blanks = [" " * (most - width) for width in widths]
        padded.append(
            [
                cell + blank if align == "<" else blank + cell
                for cell, blank in zip(column, blanks, strict=True)
            ]
        )
    gap = " " * _GAP
    return "\n".join((" " * indent + gap.join(row)).rstrip() for row in zip(*padded, strict=True))


def _in_two_lines(table: Table) -> _Heads:
    """Break headers that are wider than all their cells, at a blank."""
    heads: _Heads = []
    for k, header in enumerate(table.headers):
        cells = max((shown(row[k]) for row in table.rows), default=0)
        first, blank, second = header.rpartition(" ")
        heads.append((first, second) if blank and shown(header) > cells else (header,))
    return heads


def _widths(table: Table, heads: _Heads) -> list[int]:
    return [
        max(map(shown, (*heads[k], *(row[k] for row in table.rows))))
        for k in range(len(table.headers))
    ]


def _wide(table: Table, heads: _Heads) -> int:
    widths = _widths(table, heads)
    return sum(widths) + _GAP * (len(widths) - 1)


def _in_lines(table: Table, heads: _Heads, room: int) -> Table:
    """Break lists that are too wide at blanks; further lines are rows with nothing else in them."""
    for k, header in enumerate(table.headers):
        if header not in table.lists or (over := _wide(table, heads) - room) <= 0:
            continue
        most = max(_SHORTEST, _widths(table, heads)[k] - over)
        rows = []
        for row in table.rows:
            lines = wrap(row[k], most, break_long_words=False, break_on_hyphens=False) or [""]
            blank = ("",) * len(row)
            rows += [
                (*kept[:k], line, *kept[k + 1 :])
                for kept, line in zip((row, *[blank] * (len(lines) - 1)), lines, strict=True)
            ]
        table = replace(table, rows=tuple(rows), bold=(), raised={}, ruled=())
    return table


def _shortened(table: Table, heads: _Heads, room: int, share: int = 0) -> Table:
    """Take letters from the middle of the longest texts, as many as are too many.

    A text keeps at least its ``share`` of the room.
    """
    least = max(share, min(_SHORTEST, room // 4))
    rows = [list(row) for row in table.rows]
    while (over := _wide(table, heads) - room) > 0:
        widths = _widths(table, [("",)] * len(table.headers))
        named = [k for k, header in enumerate(table.headers) if header not in table.lists]
        longest = max(named, key=lambda k: widths[k])
        if widths[longest] <= least or not any(c.isalpha() for r in rows for c in r[longest]):
            break
        most = max(least, widths[longest] - over)
        short = cut_apart((row[longest] for row in rows), most)
        for row in rows:
            row[longest] = short.get(row[longest], row[longest])
        cut = replace(table, rows=tuple(map(tuple, rows)))
        if _wide(cut, heads) == _wide(table, heads):
            break
        table = cut
    return table


def _folded(table: Table, heads: _Heads, room: int) -> list[Table]:
    """Cut a table into several side by side, each with the names in front."""
    widths = _widths(table, heads)
    start = next((k for k, align in enumerate(table.align) if align == "<"), 0)
    end = next((k for k in range(start, len(widths)) if table.align[k] == ">"), start + 1)
    keys = list(range(end)) if 0 < end < len(widths) else [0]
    taken = sum(widths[k] + _GAP for k in keys)
    blocks: list[list[int]] = [[]]
    used = taken
    for k in range(len(widths)):
        if k in keys:
            continue
        if blocks[-1] and used + widths[k] > room:
            blocks.append([])
            used = taken
        blocks[-1].append(k)
        used += widths[k] + _GAP
    return [
        replace(
            table,
            headers=tuple(table.headers[k] for k in (*keys, *block)),
            align=tuple(table.align[k] for k in (*keys, *block)),
            rows=tuple(
                made
                for row in table.rows
                if any(made := tuple(row[k] for k in (*keys, *block))) or not any(row)
            ),
            bold=(),
            raised={},
            intervals=(),
        )
        for block in blocks
    ]
