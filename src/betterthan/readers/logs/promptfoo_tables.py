"""promptfoo's tables: the grid of tests and prompts in older exports, and ``--output results.csv``.

A column of answers is a system. In CSV each is followed by its status and score, or, in older
versions, its cells begin with ``[PASS]`` or ``[FAIL] (0.50)``; scores there have two digits.
"""

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import BOM, all_bytes
from betterthan.readers.json_bytes import decoded
from betterthan.readers.logs.runs import as_number
from betterthan.tables.delimited import as_utf8, numbered_rows

CELL = re.compile(r"'?\[(PASS|FAIL|ERROR)\](?:\s*\((-?[\d.]+)(?:, ([^)]*))?\))?")
HEADER = re.compile(r"\[(?P<provider>[^\]]+)\]\s*(?P<label>.*)", re.DOTALL)
METRIC = "Metric: "


class TableHead(msgspec.Struct):
    """The columns: prompts, which were texts in version 1."""

    prompts: list[dict[str, Any] | str]
    vars: list[str] | None = None


class Grid(msgspec.Struct):
    """Tests and prompts, as the web page shows them; outputs were texts in version 1."""

    head: TableHead
    body: list[dict[str, Any]]


def is_csv(head: bytes) -> bool:
    """Whether delimited text is a table of promptfoo."""
    if head.lstrip()[:1] in (b"{", b"[") or head.startswith(b"PAR1"):
        return False
    rows = csv.reader(StringIO(head.removeprefix(BOM).decode(errors="replace"), newline=""))
    try:
        return bool(_columns(next(rows, []), next(rows, [])))
    except csv.Error:
        return False


def grid_of_csv(path: Path) -> Grid:
    """Read the table in a CSV file."""
    data = as_utf8(all_bytes(path), str(path))
    (_, names), *body = numbered_rows(data, ",", str(path))
    columns = _columns(names, body[0][1] if body else [])
    if not columns:
        raise FormatError(f"{path} has no column of answers: export it again")
    headers = ((names[k], HEADER.fullmatch(names[k])) for k in columns)
    prompts = [x.groupdict() if x else {"label": name} for name, x in headers]
    return Grid(
        TableHead([*prompts], names[: columns[0]]),
        [
            {
                "outputs": [_cell(names, row, k, f"{path}: line {line:,}") for k in columns],
                "vars": row[: columns[0]],
            }
            for line, row in body
        ],
    )


def _columns(names: Sequence[str], row: Sequence[str]) -> list[int]:
    """Places of the columns of answers."""
    followed = [k for k in range(len(names)) if _has_status(names, k)]
    return followed or [k for k, cell in enumerate(row) if CELL.match(cell)]


def _has_status(names: Sequence[str], k: int) -> bool:
    """Whether a column is followed by what became of its answers."""
    after = list(names[k + 1 : k + 4])
    return after in [["Status", "Score", last] for last in ("Named Scores", "Grader Reason")]


def _cell(names: Sequence[str], row: Sequence[str], k: int, where: str) -> dict[str, Any] | None:
    """Read an answer and the columns behind it; None where there was none."""
    if len(row) != len(names):
        raise FormatError(
            f"{where} has {len(row)} fields where line 1 has {len(names)}: export it again"
        )
    followed = _has_status(names, k)
    text = row[k + 1] if followed else row[k]
    cell = read_text(f"[{text.strip()}] ({row[k + 2]})" if followed else text)
    if text.strip() and not cell:
        raise FormatError(f"{where} neither passed nor failed ({text[:40]!r}): correct it")
    return cell | ({"namedScores": _named(names, row, k)} if followed else {}) if cell else None


def read_text(text: str) -> dict[str, Any]:
    """Read what a text begins with: ``[PASS] (0.50, brevity: 1.00)``; empty if it does not.

    >>> read_text("[FAIL] (0.50, brevity: 1.00) no")
    {'pass': False, 'score': 0.5, 'namedScores': {'brevity': '1.00'}}
    """
    match = CELL.match(text)
    if match is None:
        return {}
    pairs = (part.rpartition(": ") for part in (match[3] or "").split(", "))
    named = {name: value for name, mark, value in pairs if mark}
    return {"pass": match[1] == "PASS", "score": as_number(match[2]), "namedScores": named}


def _named(names: Sequence[str], row: Sequence[str], k: int) -> dict[str, Any]:
    """Scores that have names: in separate columns, or in one as a record."""
    scores: dict[str, Any] = {}
    if names[k + 3] == "Named Scores" and row[k + 3]:
        with suppress(msgspec.DecodeError):
            scores |= decoded(row[k + 3].encode(), dict[str, Any])
    for name, cell in zip(names[k + 4 :], row[k + 4 :], strict=True):
        if not name.startswith(METRIC):
            break
        scores[name.removeprefix(METRIC)] = cell
    return scores
