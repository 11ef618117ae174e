"""promptfoo: ``--output results.json`` (or ``.jsonl``), a result a test, provider and prompt.

A provider is a system; so is each prompt where there are several. Tests are items.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data import Scores
from betterthan.errors import FormatError
from betterthan.frames.roles import Options
from betterthan.readers import json_logs
from betterthan.readers.files import first_bytes, suffix, system_names
from betterthan.readers.gathering import gather
from betterthan.readers.runs import Run, Value, as_number, named_by_file, repeats

FORMATS = ("promptfoo",)
SAMPLE = """
{"evalId": "eval-...", "results": {"version": 3, "results": [{"provider": {"id": "openai:gpt-4o"},
  "promptIdx": 0, "testIdx": 0, "success": true, "score": 1, "namedScores": {}, ...}]}}
"""
LONGEST_PROMPT = 40


class Provider(msgspec.Struct):
    """Who answered."""

    id: str = ""
    label: str | None = None


class Prompt(msgspec.Struct):
    """What it was asked with."""

    raw: str = ""
    label: str | None = None


class Result(msgspec.Struct):
    """How one answer fared."""

    provider: Provider | str
    success: bool | None = None
    score: float | None = None
    namedScores: dict[str, Any] | None = None  # noqa: N815 (their name)
    testIdx: int | None = None  # noqa: N815
    promptIdx: int | None = None  # noqa: N815
    prompt: Prompt | None = None
    vars: msgspec.Raw = msgspec.Raw(b"")
    error: Any = None


class Summary(msgspec.Struct):
    """All results of an evaluation."""

    results: list[Result]


class Output(msgspec.Struct):
    """The file that promptfoo writes."""

    results: Summary


@dataclass(slots=True)
class _Rows:
    """The results of one provider and prompt."""

    items: list[str] = field(default_factory=list)
    prints: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Value]] = field(default_factory=list)


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the fields of the file, or of a line."""
    del path
    keys = json_logs.top_keys(head)
    return ("results" in keys and bool(keys & {"evalId", "shareableUrl"})) or (
        {"provider", "success", "promptIdx"} <= keys
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the evaluations together."""
    by_file = named_by_file(options)
    runs = [
        run
        for file, name in zip(files, system_names(files), strict=True)
        for run in _runs(file, name if by_file else None, options)
    ]
    return gather(runs, options, "promptfoo", response="repeat")


def _runs(path: Path, name: str | None, options: Options) -> list[Run]:
    if options.input_format is None:
        json_logs.refuse_name(path, suffix(path), ("jsonl", "json"), FORMATS[0])
    results = list(_results(path))
    if not results:
        raise FormatError(f"{path} holds no results: run promptfoo eval again")
    prompts = {_prompt(result) for result in results}
    found: defaultdict[str, _Rows] = defaultdict(_Rows)
    for result in results:
        system = _provider(result)
        if len(prompts) > 1:
            system += f" · {_prompt(result)}"
        rows = found[system]
        item = str(len(rows.items) if result.testIdx is None else result.testIdx)
        rows.items.append(item)
        rows.prints[item] = bytes(result.vars).decode()
        rows.rows.append(_values(result))
    return [
        Run(
            system=name if name and len(found) == 1 else f"{name} · {system}" if name else system,
            task="",
            where=str(path),
            items=rows.items,
            scores={metric: [row.get(metric) for row in rows.rows] for metric in _metrics(rows)},
            responses=repeats(rows.items),
            prints=rows.prints,
        )
        for system, rows in found.items()
    ]


def _results(path: Path) -> Iterable[Result]:
    head = first_bytes(path)
    if "results" in json_logs.top_keys(head):
        return json_logs.decode_whole(path, Output).results.results
    return (result for _, result in json_logs.decode_lines(path, Result))


def _values(result: Result) -> dict[str, Value]:
    """Scores of one answer: whether it passed, how well, and the named ones."""
    named = {name: as_number(value) for name, value in (result.namedScores or {}).items()}
    passed = None if result.success is None else float(result.success)
    return {"pass": passed, "score": result.score, **named}


def _metrics(rows: _Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows.rows for name in row))


def _provider(result: Result) -> str:
    who = result.provider
    return who if isinstance(who, str) else who.label or who.id


def _prompt(result: Result) -> str:
    """Name a prompt by its label, cut short, or by its number."""
    label = (result.prompt.label or result.prompt.raw) if result.prompt else ""
    short = " ".join(label.split())
    if short and len(short) <= LONGEST_PROMPT:
        return short
    return f"prompt {(result.promptIdx or 0) + 1}"
