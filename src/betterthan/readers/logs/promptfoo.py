"""promptfoo: ``--output results.json`` (or ``.jsonl``, ``.csv``), one result per answer.

A provider is a system; so is each prompt where there are several. Tests are items. ``--repeat``
numbers every repeat as a separate test: those alike in all that makes a test are one item.
Versions 1 and 2 name neither provider nor test: there prompts are systems, and tests are
distinguished by their variables. Where an export has the table of the web page alone, its columns
are systems.

Its files look like this::

    {"evalId": "eval-...", "results": {"version": 3, "results": [
      {"provider": {"id": "openai:gpt-4o"}, "promptIdx": 0, "testIdx": 0, "success": true,
       "score": 1, "namedScores": {}, ...}]}}
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from betterthan.readers.logs import json_logs
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.promptfoo_tables import Grid, grid_of_csv, is_csv, read_text
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, as_number, run_of

LONGEST_PROMPT = 40


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


class Response(msgspec.Struct, rename="camel"):
    """What the provider gave."""

    token_usage: TokenUsage | None = None


class PromptResult(msgspec.Struct, rename="camel"):
    """How one answer fared."""

    provider: Provider | str = ""
    success: bool | None = None
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    test_idx: int | None = None
    prompt_idx: int | None = None
    prompt: Prompt | None = None
    vars: msgspec.Raw = msgspec.Raw(b"")
    test_case: TestCase | None = None
    response: Response | str | None = None
    cost: float | None = None
    latency_ms: float | None = None

    @property
    def asker(self) -> str:
        """Name the prompt: by its label where that is short, else by its number if it has one."""
        prompt = self.prompt or Prompt()
        short = " ".join((prompt.label or prompt.display or prompt.raw).split())
        if short and (len(short) <= LONGEST_PROMPT or self.prompt_idx is None):
            return short
        return f"prompt {(self.prompt_idx or 0) + 1}"

    @property
    def answerer(self) -> str:
        """Name the provider."""
        who = self.provider
        return who if isinstance(who, str) else who.label or who.id

    @property
    def test(self) -> str:
        """What makes the test: its variables, and what is asked of the answer."""
        if self.test_case is None and not self.vars:
            return ""
        asked = b"" if self.test_case is None else msgspec.json.encode(self.test_case)
        return (bytes(self.vars) + b" " + asked).decode(errors="backslashreplace")


class Summary(msgspec.Struct):
    """All results of an evaluation, or the table of those of an older version."""

    results: list[PromptResult] | None = None
    table: Grid | None = None


class ResultsFile(msgspec.Struct):
    """The file that promptfoo writes."""

    results: Summary | list[PromptResult] | None = None
    table: Grid | None = None


def known(head: Head) -> bool:
    """Tell by the fields of the file, or of a line."""
    keys = head.keys
    table = head.has(b'"table"', b'"head"', b'"prompts"', b'"outputs"')
    return (
        ("results" in keys and bool(keys & {"evalId", "shareableUrl"}))
        or ({"version", "results"} <= keys and head.has(b'"prompt"', b'"display"', b'"vars"'))
        or (table and ({"version", "table"} <= keys or keys == {"results"}))
        or (keys == {"head", "body"} and head.has(b'"prompts"'))
        or {"provider", "success", "promptIdx"} <= keys
        or is_csv(head.data)
    )


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all systems in all files."""
    for file in files:
        results = list(_results(file))
        if not results:
            raise file.averages("run promptfoo eval again")
        by_system: defaultdict[str, list[Sample]] = defaultdict(list)
        systems = _systems(results)
        for result, system, item in zip(results, systems, _items(results, systems), strict=True):
            by_system[system].append(_sample(result, item))
        for system, samples in by_system.items():
            name = file.system(system, several=len(by_system) > 1)
            yield run_of(file, samples, repeated=True, system=name)


def _results(file: LogFile) -> Iterable[PromptResult]:
    keys = file.head.keys
    if not keys:
        return _of_grid(grid_of_csv(file.path), file)
    if keys == {"head", "body"}:
        return _of_grid(file.decode(Grid), file)
    if not keys & {"results", "table"}:
        return (result for _, result in file.records(PromptResult))
    whole = file.decode(ResultsFile)
    summary = whole.results or Summary(table=whole.table)
    results = summary if isinstance(summary, list) else summary.results
    grid = None if isinstance(summary, list) else summary.table
    return results or () if results or grid is None else _of_grid(grid, file)


def _of_grid(grid: Grid, file: LogFile) -> Iterator[PromptResult]:
    """Yield the results of a table, row by row."""
    columns = [{"raw": x} if isinstance(x, str) else x for x in grid.head.prompts]
    for number, row in enumerate(grid.body):
        names = zip(grid.head.vars or (), row.get("vars") or (), strict=False)
        test = {"vars": [*names, row.get("description")], "testIdx": row.get("testIdx", number)}
        for k, (column, output) in enumerate(zip(columns, row.get("outputs") or (), strict=False)):
            cell = read_text(output) if isinstance(output, str) else output
            if cell is not None:
                result = {
                    **(cell | test),
                    "promptIdx": k,
                    "prompt": column,
                    "provider": column.get("provider") or cell.get("provider") or "",
                    "success": cell.get("pass"),
                    "response": {"tokenUsage": cell.get("tokenUsage")},
                }
                where = f"{file.path}: row {number + 1:,} of the table"
                yield json_logs.decode_part(msgspec.json.encode(result), PromptResult, where)


def _systems(results: Sequence[PromptResult]) -> list[str]:
    """Name the system of each result: its provider, and its prompt where there are several."""
    prompts = list(dict.fromkeys(result.asker for result in results))
    starts = Counter(prompt[:LONGEST_PROMPT] for prompt in prompts)
    short = {
        prompt: prompt
        if len(prompt) <= LONGEST_PROMPT
        else f"prompt {k}"
        if starts[prompt[:LONGEST_PROMPT]] > 1
        else f"{prompt[:LONGEST_PROMPT].rstrip()} ..."
        for k, prompt in enumerate(prompts, 1)
    }
    asked = [short[result.asker] if len(prompts) > 1 else "" for result in results]
    both = [(result.answerer, prompt) for result, prompt in zip(results, asked, strict=True)]
    names = [" · ".join(filter(None, pair)) for pair in both]
    columns: defaultdict[str, set[int | None]] = defaultdict(set)
    for name, result in zip(names, results, strict=True):
        columns[name].add(result.prompt_idx)
    return [
        f"{name} · column {(result.prompt_idx or 0) + 1}" if len(columns[name]) > 1 else name
        for name, result in zip(names, results, strict=True)
    ]


def _items(results: Sequence[PromptResult], systems: Sequence[str]) -> list[str]:
    """Name the test of each result: by its number, or where some are repeats, by their order."""
    seen: Counter[str] = Counter()
    numbers: list[int] = []
    for result, system in zip(results, systems, strict=True):
        numbers.append(seen[system] if result.test_idx is None else result.test_idx)
        seen[system] += 1
    tests = [result.test or str(n) for result, n in zip(results, numbers, strict=True)]
    first: dict[str, int] = {}
    for test, number in zip(tests, numbers, strict=True):
        first[test] = min(number, first.get(test, number))
    numbered = all(result.test_idx is not None for result in results)
    if len(first) == len(set(numbers)) and (numbered or not any(r.test for r in results)):
        return [str(number) for number in numbers]
    place = {test: str(k) for k, test in enumerate(sorted(first, key=first.__getitem__))}
    return [place[test] for test in tests]


def _sample(result: PromptResult, item: str) -> Sample:
    """How one answer fared: whether it passed, how well, named scores; and what it took."""
    named = {name: as_number(value) for name, value in (result.named_scores or {}).items()}
    passed = None if result.success is None else float(result.success)
    tokens = result.response.token_usage if isinstance(result.response, Response) else None
    tokens = tokens or TokenUsage()
    return Sample(
        item=item,
        scores={"pass": passed, "score": result.score, **named},
        usage={
            "cost": result.cost,
            "latency_ms": result.latency_ms,
            "input_tokens": tokens.prompt,
            "output_tokens": tokens.completion,
            "total_tokens": tokens.total,
        },
        mark=(bytes(result.vars), None),
    )


HARNESS = Harness(
    names=("promptfoo",),
    title="promptfoo",
    command="betterthan compare results.json",
    about=__doc__,
    known=known,
    runs=runs,
    item="test",
    response="repeat",
)
