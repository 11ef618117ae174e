"""Exports with a row per sample: ragas, LangSmith and Braintrust, in CSV, JSON or Parquet.

Which columns are scores is told by their names, as the exports write them; other numbers are
compared only where they are asked for. A file is a system, named by the file.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import suggested
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, first_few
from betterthan.readers.column_names import names_in
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes
from betterthan.readers.json_bytes import decoded
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import (
    LogFile,
    Run,
    Value,
    any_known,
    as_number,
    by_column,
    log_files,
    repeats,
    short_id,
)
from betterthan.readers.tables.table_files import frame_of

FORMATS = ("ragas", "langsmith", "braintrust")
EXAMPLES = {
    "ragas": Example(
        "ragas, to_pandas().to_csv()",
        "betterthan compare base.csv new.csv --metric faithfulness",
        """
user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy
When was ...,['...'],In 1969,1969,1.0,0.93
""",
    ),
    "langsmith": Example(
        "LangSmith experiment, to_pandas().to_csv()",
        "betterthan compare base.csv new.csv --metric correctness",
        """
inputs.question,outputs.answer,error,reference.answer,feedback.correctness,execution_time,example_id
When was ...,In 1969,,1969,1,2.31,5f2c...
""",
    ),
    "braintrust": Example(
        "Braintrust experiment",
        "betterthan compare base.csv new.csv --metric Factuality",
        """
id,input,output,expected,scores,metrics
9f3c...,When was ...,In 1969,1969,"{""Factuality"": 1}","{""tokens"": 118, ""duration"": 1.2}"
""",
    ),
}
ExportRow = Mapping[str, Any]

# The metrics that ragas comes with of which more is better; some are followed by (mode=...).
RAGAS = re.compile(
    r"(faithfulness.*|.*(relevancy|relevance|precision|recall|correctness|similarity|accuracy|"
    r"groundedness|f1)|answer_.*|bleu_score|rouge_score|chrf_score|exact_match|string_present|"
    r"summary_score|topic_adherence|.*equivalence.*|conciseness|coherence|helpfulness.*|"
    r"rubrics?_score.*|.*_rubrics?)(\(.*\))?"
)
RAGAS_TEXTS = {
    *("user_input", "response", "reference", "retrieved_contexts", "reference_contexts"),
    *("retrieved_context_ids", "reference_context_ids", "multi_responses", "rubrics"),
    *("question", "answer", "contexts", "ground_truth", "ground_truths", "reference_tool_calls"),
}
BRAINTRUST_USAGE = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "tokens": "total_tokens",
    "estimated_cost": "cost",
}


@dataclass(frozen=True, slots=True)
class ExportLayout:
    """How the rows of one kind of export are read."""

    title: str
    known: Callable[[set[str]], bool]
    item: str
    items: Callable[[ExportRow], str | None]
    gold: Callable[[ExportRow], str]
    values: Callable[[ExportRow], tuple[dict[str, Value], dict[str, Value]]]
    kept: Callable[[ExportRow], bool] = lambda row: True
    repeated: bool = True


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the names of the columns."""
    return _layout(set(names_in(path, head))) is not None


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the exports together."""
    runs: list[Run] = []
    layouts: dict[str, ExportLayout] = {}  # by their titles
    for file in log_files(files, options):
        names = set(names_in(file.path, first_bytes(file.path)))
        layout = LAYOUTS.get(options.input_format or "") or _layout(names)
        if layout is None or not layout.known(names):
            raise FormatError(
                f"{file.path} has not the columns of such an export ({first_few(sorted(names))}): "
                "export it again, or leave out input_format"
            )
        layouts[layout.title] = layout
        if len(layouts) > 1:
            raise FormatError(
                f"{files[0]} and {file.path} are exports of {' and '.join(layouts)}: give "
                "files of one kind"
            )
        runs.append(_run(file, layout))
    (layout,) = layouts.values()
    return gather(runs, options, layout.title, item=layout.item, response="repetition")


def _run(file: LogFile, layout: ExportLayout) -> Run:
    rows = [row for row in _rows(file.path) if layout.kept(row)]
    items: list[str] = []
    prints: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        item = layout.items(row)
        if not item:
            raise FormatError(
                f"{file.path}: row {number:,} has no {layout.item}, which tells samples apart: "
                "export it again"
            )
        items.append(short_id(item))
        gold = layout.gold(row)
        if prints.setdefault(items[-1], gold) != gold:
            raise FormatError(
                f"{file.path}: row {number:,} asks {items[-1]!r} as a row before it does, and "
                "expects another answer: give every sample an input of its own"
            )
    values = [layout.values(row) for row in rows]
    others = by_column(other for _, other in values)
    return Run(
        system=file.name,
        task="",
        where=str(file.path),
        items=items,
        scores=_measured(by_column(score for score, _ in values)),
        usage=_measured(others),
        responses=repeats(items) if layout.repeated and _evenly(items) else None,
        prints={item: gold for item, gold in prints.items() if gold},
    )


def _evenly(items: Sequence[str]) -> bool:
    """Whether all samples are there equally often: some that are there twice were run again."""
    return len(set(Counter(items).values())) == 1


def _measured(columns: Mapping[str, list[Value]]) -> dict[str, list[Value]]:
    """Columns that hold any number."""
    return {name: column for name, column in columns.items() if any_known(column)}


def _rows(path: Path) -> list[ExportRow]:
    head = first_bytes(path)
    if json_logs.is_json(head):
        found = json_logs.decode_records(path, head, dict[str, Any])
        rows: list[ExportRow] = [record for _, record in found]
    else:
        frame, _ = frame_of(path, Options(), as_text=True)
        rows = list(frame.iter_rows(named=True))
    if not rows:
        raise FormatError(f"{path} has no rows: there is nothing to compare")
    return rows


def _text(value: Any) -> str:
    """Spell a cell: text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value, order="sorted").decode()


def _number(value: Any) -> Value:
    """Read a cell that may be a number; words are none, but for truth values."""
    if isinstance(value, str) and value.strip().lower() in ("yes", "no"):
        return None
    return as_number(value)


def _first(row: ExportRow, names: Iterable[str]) -> str:
    return next((_text(row[name]) for name in names if row.get(name) is not None), "")


def _starting(row: ExportRow, *starts: str) -> str:
    """All cells of the columns that start so, whatever the order of the columns."""
    return " ".join(_text(row[name]) for name in sorted(row) if name.startswith(starts))


def _ragas(row: ExportRow) -> tuple[dict[str, Value], dict[str, Value]]:
    numbers: dict[str, Value] = {
        name: number
        for name, value in row.items()
        if name not in RAGAS_TEXTS
        and "unnamed" not in suggested(name)
        and (number := _number(value)) is not None
    }
    known = {name: number for name, number in numbers.items() if RAGAS.fullmatch(name)}
    return known, {name: number for name, number in numbers.items() if name not in known}


def _langsmith(row: ExportRow) -> tuple[dict[str, Value], dict[str, Value]]:
    scores = {
        name.removeprefix("feedback."): _number(value)
        for name, value in row.items()
        if name.startswith("feedback.")
    }
    return scores, {"execution_time": _number(row.get("execution_time"))}


def _braintrust(row: ExportRow) -> tuple[dict[str, Value], dict[str, Value]]:
    scores = {name: _number(value) for name, value in _record(row, "scores").items()}
    metrics = {name: _number(value) for name, value in _record(row, "metrics").items()}
    start, end = metrics.pop("start", None), metrics.pop("end", None)
    if start is not None and end is not None:
        metrics.setdefault("duration", end - start)
    return scores, {BRAINTRUST_USAGE.get(name, name): value for name, value in metrics.items()}


def _record(row: ExportRow, name: str) -> dict[str, Any]:
    """Return a record: of one column, as JSON or as it is, or of columns called ``name.entry``."""
    found = {
        key[len(name) + 1 :]: value for key, value in row.items() if key.startswith(f"{name}.")
    }
    value = row.get(name)
    if isinstance(value, str) and value.strip():
        try:
            value = decoded(value.encode(errors="surrogatepass"))
        except msgspec.DecodeError:
            value = None
    return {**found, **(value if isinstance(value, dict) else {})}


def _is_root(row: ExportRow) -> bool:
    """Whether a row of Braintrust is of a sample, not of a step within."""
    root = row.get("is_root")
    if root is not None and root != "":
        return str(root).lower() in ("true", "1")
    return not row.get("root_span_id") or row.get("root_span_id") == row.get("span_id")


LAYOUTS: dict[str, ExportLayout] = {
    "ragas": ExportLayout(
        title="ragas",
        known=lambda names: (
            (
                {"user_input", "response"} <= names
                or {"question", "answer", "contexts"} <= names
                or {"user_input", "retrieved_contexts"} <= names
            )
            and any(name not in RAGAS_TEXTS and RAGAS.fullmatch(name) for name in names)
        ),
        item="user_input",
        items=partial(_first, names=("user_input", "question")),
        gold=partial(_first, names=("reference", "ground_truth", "ground_truths")),
        values=_ragas,
        repeated=False,
    ),
    "langsmith": ExportLayout(
        title="LangSmith",
        known=lambda names: (
            "example_id" in names and any(name.startswith("feedback.") for name in names)
        ),
        item="example_id",
        items=partial(_first, names=("example_id",)),
        gold=lambda row: _starting(row, "inputs.", "reference."),
        values=_langsmith,
    ),
    "braintrust": ExportLayout(
        title="Braintrust",
        known=lambda names: (
            {"input", "output"} <= names
            and bool(names & {"metrics", "span_id", "root_span_id", "experiment_id", "created"})
            and ("scores" in names or any(name.startswith("scores.") for name in names))
        ),
        item="input",
        items=partial(_first, names=("input",)),
        gold=partial(_first, names=("expected",)),
        values=_braintrust,
        kept=_is_root,
    ),
}


def _layout(names: set[str]) -> ExportLayout | None:
    found = next((layout for layout in LAYOUTS.values() if layout.known(names)), None)
    if found is not None and any("system" in suggested(name) for name in names):
        return None  # a table with a row per item and system
    return found
