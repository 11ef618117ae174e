"""promptfoo's answers, and its tables: of older exports, and of ``--output results.csv``.

A column of answers is a system. In CSV each is followed by its status and score, or, in older
versions, its cells begin with ``[PASS]`` or ``[FAIL] (0.50)``; scores there have two digits.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import all_bytes
from betterthan.readers.logs.runs import as_number, digest
from betterthan.tables.delimited import as_utf8, numbered_rows

CELL = re.compile(r"'?\[(PASS|FAIL|ERROR)\](?:\s*\((-?[\d.]+))?")
HEADER = re.compile(r"(?:\[([^\]]+)\]\s*)?(.*)", re.DOTALL)
IN_CSV = re.compile(rb"Status,Score,(Named Scores|Grader Reason)|[,\"'\n]\[(PASS|FAIL|ERROR)\]")
STATUS = [["Status", "Score", last] for last in ("Named Scores", "Grader Reason")]


class Named(msgspec.Struct):
    """A provider or prompt; before version 3 the template of a prompt was ``display``."""

    label: str | None = None
    display: str | None = None
    raw: str = ""
    id: str = ""
    provider: str | None = None

    def __str__(self) -> str:
        """Its name on one line."""
        return " ".join((self.label or self.display or self.raw or self.id).split())


class Response(msgspec.Struct, rename="camel"):
    """What the provider answered; only its tokens are read."""

    token_usage: dict[str, Any] | None = None


class Answer(msgspec.Struct, rename="camel"):
    """How one answer fared; in a table ``success`` is called ``pass``."""

    provider: Named | str | None = None
    prompt: Named | str | None = None
    prompt_idx: int | None = None
    test_idx: int | None = None
    vars: Any = None
    test_case: dict[str, Any] | None = None
    success: bool | None = None
    passed: bool | None = msgspec.field(default=None, name="pass")
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    response: Response | str | None = None
    cost: float | None = None
    latency_ms: float | None = None

    @property
    def test(self) -> bytes:
        """Fingerprint of the test: its variables, and what is asked of the answer."""
        asked = [(self.test_case or {}).get(x) for x in ("description", "assert", "threshold")]
        return digest([self.vars, asked, self.test_idx if self.vars is None else None])


class Row(msgspec.Struct):
    """A test, and its answers to all prompts, which were texts in version 1."""

    outputs: list[Answer | str | None] = []
    vars: Any = None


class Table(msgspec.Struct):
    """Prompts and tests, as the web page shows them."""

    head: dict[str, list[Named | str]] = {}
    body: list[Row] = []


def answers_of(table: Table, path: Path) -> Iterator[Answer]:
    """Yield the answers of a table, row by row."""
    prompts = [Named(raw=x) if isinstance(x, str) else x for x in table.head.get("prompts", ())]
    for number, row in enumerate(table.body):
        for k, (prompt, output) in enumerate(zip(prompts, row.outputs, strict=False)):
            cell = _read(output, path) if isinstance(output, str) else output
            if cell:
                cell.provider = prompt.provider or cell.provider
                cell.prompt, cell.prompt_idx = prompt, k
                cell.test_idx, cell.vars, cell.success = number, row.vars, cell.passed
                yield cell


def _read(text: str, path: Path) -> Answer | None:
    """Read what the text of an answer begins with, ``[PASS] (0.50)``; None if there is none."""
    match = CELL.match(text)
    if not match and text.strip():
        raise FormatError(f"{path}: an answer neither passed nor failed ({text[:40]!r})")
    return match and Answer(passed=match[1] == "PASS", score=as_number(match[2]))


def csv_table(path: Path) -> Table:
    """Read the table in a CSV file, its answers as older versions write them."""
    data = as_utf8(all_bytes(path), str(path))
    (_, names), *rows = [*numbered_rows(data, ",", str(path))] or [(1, [])]
    followed = [k for k in range(len(names)) if names[k + 1 : k + 4] in STATUS]
    columns = followed or [k for _, row in rows[:1] for k, x in enumerate(row) if CELL.match(x)]
    body = []
    for line, row in rows:
        if len(row) != len(names):
            raise FormatError(
                f"{path}: line {line:,} has {len(row)} fields, line 1 {len(names)}: export it again"
            )
        cells: list[Answer | str | None] = [
            f"[{row[k + 1]}] ({row[k + 2]})" if followed and row[k + 1] else row[k] for k in columns
        ]
        body.append(Row(cells, row[: min(columns, default=0)]))
    headers = [HEADER.fullmatch(names[k]) for k in columns]
    return Table({"prompts": [Named(x[2], provider=x[1]) for x in headers if x]}, body)
