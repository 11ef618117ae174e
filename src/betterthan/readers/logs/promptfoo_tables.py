"""promptfoo's tables: the grid of tests and prompts in older exports, and ``--output results.csv``.

A column of answers is a system. In CSV each is followed by its status and score, or, in older
versions, its cells begin with ``[PASS]`` or ``[FAIL] (0.50)``; scores there have two digits.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import BOM, all_bytes
from betterthan.readers.json_bytes import decoded
from betterthan.readers.logs.runs import Value, as_number
from betterthan.readers.tables.delimited import check_utf8
from betterthan.readers.tables.detect import numbered_rows

STATUS = ("Status", "Score")
CELL = re.compile(r"'?\[(PASS|FAIL|ERROR)\](?:\s*\((-?[\d.]+)(?:, ([^)]*))?\))?")
HEADER = re.compile(r"\[(?P<provider>[^\]]+)\]\s*(?P<prompt>.*)", re.DOTALL)
METRIC = "Metric: "


class GridCell(msgspec.Struct):
    """What became of one answer, in a table or a row of CSV."""

    passed: bool | None = msgspec.field(default=None, name="pass")
    score: float | None = None
    namedScores: dict[str, Any] | None = None  # noqa: N815 (their name)
    provider: str = ""
    latencyMs: float | None = None  # noqa: N815
    cost: float | None = None
    tokenUsage: dict[str, Any] | None = None  # noqa: N815


class TableRow(msgspec.Struct):
    """The answers to one test."""

    outputs: list[GridCell | str | None]  # texts in version 1
    vars: list[str] | None = None
    description: str | None = None
    testIdx: int | None = None  # noqa: N815


class HeadPrompt(msgspec.Struct):
    """A column: what was asked of whom."""

    raw: str = ""
    label: str | None = None
    display: str | None = None
    provider: str = ""


class TableHead(msgspec.Struct):
    """The columns."""

    prompts: list[HeadPrompt | str]
    vars: list[str] | None = None


class Grid(msgspec.Struct):
    """Tests and prompts, as the web page shows them."""

    head: TableHead
    body: list[TableRow]


def is_csv(head: bytes) -> bool:
    """Whether delimited text is a table of promptfoo."""
    if head.lstrip()[:1] in (b"{", b"[") or head.startswith(b"PAR1"):
        return False
    text = head.removeprefix(BOM).decode(errors="replace")
    try:
        rows = csv.reader(StringIO(text, newline=""))
        names, first = next(rows, []), next(rows, [])
    except csv.Error:
        return False
    return bool(_columns(names, first))


def from_csv(path: Path) -> Grid:
    """Read the table in a CSV file."""
    data = all_bytes(path)
    check_utf8(data, str(path))
    text = data.removeprefix(BOM).decode()
    try:
        rows = [(line, row) for line, row in numbered_rows(text, ",") if row]
    except csv.Error as error:
        raise FormatError(f"{path} cannot be read ({error}): export it again") from error
    (_, names), *body = rows
    for line, row in body:
        if len(row) != len(names):
            raise FormatError(
                f"{path}: line {line:,} has {len(row)} fields where line 1 has {len(names)}: "
                "export it again"
            )
    columns = _columns(names, body[0][1] if body else [])
    if not columns:
        raise FormatError(f"{path} has no column of answers: export it again")
    prompts: list[HeadPrompt | str] = [_prompt(names[k]) for k in columns]
    return Grid(
        head=TableHead(prompts=prompts, vars=names[: columns[0]]),
        body=[
            TableRow(
                outputs=[_cell(names, row, k, f"{path}: line {line:,}") for k in columns],
                vars=row[: columns[0]],
                testIdx=number,
            )
            for number, (line, row) in enumerate(body)
        ],
    )


def _columns(names: Sequence[str], row: Sequence[str]) -> list[int]:
    """Places of the columns of answers."""
    before = (k for k, name in enumerate(names[1:]) if name == STATUS[0])
    followed = [k for k in before if _has_status(names, k)]
    return followed or [k for k, cell in enumerate(row) if CELL.match(cell)]


def _has_status(names: Sequence[str], k: int) -> bool:
    """Whether a column is followed by what became of its answers."""
    after = names[k + 1 : k + 4]
    return tuple(after[:2]) == STATUS and after[2:] in (["Named Scores"], ["Grader Reason"])


def _prompt(name: str) -> HeadPrompt:
    found = HEADER.fullmatch(name)
    if found is None:
        return HeadPrompt(label=name)
    return HeadPrompt(label=found["prompt"], provider=found["provider"])


def _cell(names: Sequence[str], row: Sequence[str], k: int, where: str) -> GridCell | None:
    if not _has_status(names, k):
        told = of_text(row[k])
        if told.passed is None and row[k].strip():
            raise FormatError(f"{where} neither passed nor failed ({row[k][:40]!r}): correct it")
        return told if row[k].strip() else None
    status = row[k + 1].strip()
    if not status:
        return None
    if status not in ("PASS", "FAIL", "ERROR"):
        raise FormatError(f"{where} neither passed nor failed ({status[:40]!r}): correct it")
    named = dict(_named(names, row, k))
    return GridCell(passed=status == "PASS", score=as_number(row[k + 2]), namedScores=named)


def of_text(text: str) -> GridCell:
    """Read what a text begins with: ``[PASS] (0.50, brevity: 1.00)``.

    >>> of_text("[FAIL] (0.50, brevity: 1.00) no").namedScores, of_text("no").passed
    ({'brevity': 1.0}, None)
    """
    found = CELL.match(text)
    if found is None:
        return GridCell()
    named = dict(_pairs(found[3] or ""))
    return GridCell(passed=found[1] == "PASS", score=as_number(found[2]), namedScores=named)


def _named(names: Sequence[str], row: Sequence[str], k: int) -> Iterator[tuple[str, Value]]:
    """Scores that have names: in columns of their own, or in one as a record."""
    if names[k + 3 : k + 4] == ["Named Scores"] and row[k + 3]:
        try:
            found = decoded(row[k + 3].encode())
        except msgspec.DecodeError:
            found = None
        if isinstance(found, dict):
            yield from ((name, as_number(value)) for name, value in found.items())
    for at in range(k + 4, len(names)):
        if not names[at].startswith(METRIC):
            break
        yield names[at].removeprefix(METRIC), as_number(row[at])


def _pairs(text: str) -> Iterator[tuple[str, Value]]:
    for part in text.split(", "):
        name, mark, value = part.rpartition(": ")
        if mark:
            yield name, as_number(value)
