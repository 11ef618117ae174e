"""promptfoo: ``--output results.json`` (or ``.jsonl``, ``.csv``), one result per answer.

A provider is a system; so is each prompt where there are several. Tests are items. ``--repeat``
numbers every repeat as a test of its own: those alike in all that makes a test are one item.
Versions 1 and 2 name neither provider nor test: there prompts are systems, and tests are told apart
by their variables. Where an export has the table of the web page alone, its columns are systems.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.promptfoo_tables import Grid, HeadPrompt, from_csv, is_csv, of_text
from betterthan.readers.logs.runs import (
    LogFile,
    Run,
    Value,
    as_number,
    by_column,
    log_files,
    repeats,
)

FORMATS = ("promptfoo",)
EXAMPLES = {
    "promptfoo": Example(
        "promptfoo",
        "betterthan compare results.json",
        """
{"evalId": "eval-...", "results": {"version": 3, "results": [{"provider": {"id": "openai:gpt-4o"},
  "promptIdx": 0, "testIdx": 0, "success": true, "score": 1, "namedScores": {}, ...}]}}
""",
    )
}
LONGEST_PROMPT = 40
_OLD_MARKS = (b'"prompt"', b'"display"', b'"vars"')


class Provider(msgspec.Struct):
    """Who answered."""

    id: str = ""
    label: str | None = None


class Prompt(msgspec.Struct):
    """What it was asked with."""

    raw: str = ""
    label: str | None = None
    display: str | None = None  # before version 3; raw was then what the variables made of it


class TestCase(msgspec.Struct):
    """What makes a test, apart from the variables."""

    description: Any = None
    assertions: Any = msgspec.field(default=None, name="assert")
    threshold: Any = None


class TokenUsage(msgspec.Struct):
    """Tokens of one answer."""

    prompt: float | None = None
    completion: float | None = None
    total: float | None = None


class Response(msgspec.Struct):
    """What the provider gave."""

    tokenUsage: TokenUsage | None = None  # noqa: N815 (their name)


class PromptResult(msgspec.Struct):
    """How one answer fared."""

    provider: Provider | str = ""
    success: bool | None = None
    score: float | None = None
    namedScores: dict[str, Any] | None = None  # noqa: N815 (their name)
    testIdx: int | None = None  # noqa: N815
    promptIdx: int | None = None  # noqa: N815
    prompt: Prompt | None = None
    vars: msgspec.Raw = msgspec.Raw(b"")
    testCase: TestCase | None = None  # noqa: N815
    response: Response | str | None = None
    cost: float | None = None
    latencyMs: float | None = None  # noqa: N815
    error: Any = None


class Summary(msgspec.Struct):
    """All results of an evaluation."""

    results: list[PromptResult] | None = None
    table: msgspec.Raw = msgspec.Raw(b"null")


class ResultsFile(msgspec.Struct):
    """The file that promptfoo writes."""

    results: Summary | list[PromptResult] | None = None
    table: msgspec.Raw = msgspec.Raw(b"null")


@dataclass(slots=True)
class _Rows:
    """The results of one provider and prompt."""

    items: list[str] = field(default_factory=list)
    prints: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Value]] = field(default_factory=list)
    usage: list[dict[str, Value]] = field(default_factory=list)


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the fields of the file, or of a line."""
    del path
    keys = json_logs.top_keys(head)
    old = {"version", "results"} <= keys and all(mark in head for mark in _OLD_MARKS)
    grid = keys == {"head", "body"} and b'"prompts"' in head
    marks = all(mark in head for mark in (b'"table"', b'"head"', b'"prompts"', b'"outputs"'))
    table = marks and ({"version", "table"} <= keys or keys == {"results"})
    return (
        ("results" in keys and bool(keys & {"evalId", "shareableUrl"}))
        or old
        or grid
        or table
        or is_csv(head)
        or {"provider", "success", "promptIdx"} <= keys
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the evaluations together."""
    runs = [run for file in log_files(files, options) for run in _runs(file)]
    return gather(runs, options, "promptfoo", item="test", response="repeat")


def _runs(file: LogFile) -> list[Run]:
    path = file.path
    file.refuse_suffix(FORMATS[0], "jsonl", "json", "csv")
    results = list(_results(path))
    if not results:
        raise FormatError(f"{path} holds no results: run promptfoo eval again")
    systems = _systems(results)
    found: defaultdict[str, _Rows] = defaultdict(_Rows)
    for result, system, item in zip(results, systems, _items(results, systems), strict=True):
        rows = found[system]
        rows.items.append(item)
        rows.prints[item] = bytes(result.vars).decode(errors="backslashreplace")
        rows.rows.append(_values(result))
        rows.usage.append(_usage(result))
    return [
        Run(
            system=file.system(system, several=len(found) > 1),
            task="",
            where=str(path),
            items=rows.items,
            scores=by_column(rows.rows),
            usage=by_column(rows.usage),
            responses=repeats(rows.items),
            prints=rows.prints,
        )
        for system, rows in found.items()
    ]


def _results(path: Path) -> Iterable[PromptResult]:
    head = first_bytes(path)
    keys = json_logs.top_keys(head)
    if is_csv(head):
        return _of_table(from_csv(path))
    if keys == {"head", "body"}:
        return _of_table(json_logs.decode_whole(path, Grid))
    if "results" in keys or "table" in keys:
        file = json_logs.decode_whole(path, ResultsFile)
        summary = file.results or Summary(table=file.table)
        results = summary if isinstance(summary, list) else summary.results
        if results or isinstance(summary, list) or bytes(summary.table)[:1] != b"{":
            return results or ()
        where = f"{path}: the table"
        return _of_table(json_logs.decode_part(bytes(summary.table), Grid, where))
    return (result for _, result in json_logs.decode_lines(path, PromptResult))


def _of_table(table: Grid) -> Iterator[PromptResult]:
    """Yield the results of a table, row by row."""
    columns = [HeadPrompt(raw=c) if isinstance(c, str) else c for c in table.head.prompts]
    for number, row in enumerate(table.body):
        told = msgspec.json.encode(
            [*zip(table.head.vars or (), row.vars or (), strict=False), row.description]
        )
        for k, (column, output) in enumerate(zip(columns, row.outputs, strict=False)):
            cell = of_text(output) if isinstance(output, str) else output
            if cell is None:
                continue
            used = cell.tokenUsage or {}
            yield PromptResult(
                provider=column.provider or cell.provider,
                prompt=Prompt(raw=column.raw, label=column.label, display=column.display),
                promptIdx=k,
                testIdx=number if row.testIdx is None else row.testIdx,
                vars=msgspec.Raw(told),
                success=cell.passed,
                score=cell.score,
                namedScores=cell.namedScores,
                latencyMs=cell.latencyMs,
                cost=cell.cost,
                response=Response(
                    TokenUsage(*(as_number(used.get(n)) for n in ("prompt", "completion", "total")))
                ),
            )


def _systems(results: Sequence[PromptResult]) -> list[str]:
    """Name the system of each result: its provider, and its prompt where there are several."""
    prompts = list(dict.fromkeys(map(_prompt, results)))
    starts = Counter(prompt[:LONGEST_PROMPT] for prompt in prompts)
    short = {
        prompt: prompt
        if len(prompt) <= LONGEST_PROMPT
        else f"prompt {k}"
        if starts[prompt[:LONGEST_PROMPT]] > 1
        else f"{prompt[:LONGEST_PROMPT].rstrip()} ..."
        for k, prompt in enumerate(prompts, 1)
    }
    names = [
        " · ".join(filter(None, (_provider(r), short[_prompt(r)] if len(prompts) > 1 else "")))
        for r in results
    ]
    columns: defaultdict[str, set[int | None]] = defaultdict(set)
    for name, result in zip(names, results, strict=True):
        columns[name].add(result.promptIdx)
    return [
        f"{name} · column {(result.promptIdx or 0) + 1}" if len(columns[name]) > 1 else name
        for name, result in zip(names, results, strict=True)
    ]


def _items(results: Sequence[PromptResult], systems: Sequence[str]) -> list[str]:
    """Name the test of each result: by its number, or where some are repeats, by their order."""
    seen: Counter[str] = Counter()
    numbers: list[int] = []
    for result, system in zip(results, systems, strict=True):
        numbers.append(seen[system] if result.testIdx is None else result.testIdx)
        seen[system] += 1
    tests = [_test(result) or str(number) for result, number in zip(results, numbers, strict=True)]
    first: dict[str, int] = {}
    for test, number in zip(tests, numbers, strict=True):
        first[test] = min(number, first.get(test, number))
    numbered = all(result.testIdx is not None for result in results)
    if len(first) == len(set(numbers)) and (numbered or not any(map(_test, results))):
        return [str(number) for number in numbers]
    order = sorted(first, key=lambda test: first[test])
    place = {test: str(k) for k, test in enumerate(order)}
    return [place[test] for test in tests]


def _test(result: PromptResult) -> str:
    """Spell what makes a test: its variables and what is asked of the answer."""
    case = result.testCase
    if case is None and not result.vars:
        return ""
    asked = b"" if case is None else msgspec.json.encode(case)
    return (bytes(result.vars) + b" " + asked).decode(errors="backslashreplace")


def _values(result: PromptResult) -> dict[str, Value]:
    """Scores of one answer: whether it passed, how well, and the named ones."""
    named = {name: as_number(value) for name, value in (result.namedScores or {}).items()}
    passed = None if result.success is None else float(result.success)
    return {"pass": passed, "score": result.score, **named}


def _usage(result: PromptResult) -> dict[str, Value]:
    """What one answer took."""
    answer = result.response
    tokens = answer.tokenUsage if isinstance(answer, Response) else None
    tokens = tokens or TokenUsage()
    return {
        "cost": result.cost,
        "latency_ms": result.latencyMs,
        "input_tokens": tokens.prompt,
        "output_tokens": tokens.completion,
        "total_tokens": tokens.total,
    }


def _provider(result: PromptResult) -> str:
    who = result.provider
    return who if isinstance(who, str) else who.label or who.id


def _prompt(result: PromptResult) -> str:
    """Name a prompt: by its label where that is short, else by its number where it has one."""
    prompt = result.prompt or Prompt()
    short = " ".join((prompt.label or prompt.display or prompt.raw).split())
    if short and (len(short) <= LONGEST_PROMPT or result.promptIdx is None):
        return short
    return f"prompt {(result.promptIdx or 0) + 1}"
