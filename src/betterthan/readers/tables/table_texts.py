"""What items of a table say, in columns that are called questions, targets or outputs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import plain
from betterthan.data.frames.typed_rows import TypedRows, typed_rows
from betterthan.readers.files import system_names
from betterthan.readers.logs.log_texts import QUESTIONS, ItemTexts, as_text
from betterthan.readers.tables.table_files import frame_of

if TYPE_CHECKING:
    import polars as pl

TARGETS = (
    *("target", "reference", "gold", "expected", "expected_output", "correct_answer"),
    *("ground_truth", "gold_answer", "label"),
)
OUTPUTS = (
    *("output", "prediction", "response", "completion", "generation", "pred", "hypothesis"),
    *("model_output", "model_answer", "generated_text", "answer"),
)
UNCLEAR = "answer"  # a system's where a row is one system's, else what was to be answered


def texts(files: Sequence[Path], options: Options, at: Mapping[str, int]) -> Iterator[ItemTexts]:
    """What some items ask, their targets and what was answered; ``at`` has their rows by id."""
    many = len(files) > 1
    for path, name in zip(files, system_names(files), strict=True):
        frame, named = frame_of(path, options)
        if named:
            table = typed_rows(frame, options, source=path.name, name=name, many=many)
            yield from _said(frame, table, at)


def _said(frame: "pl.DataFrame", table: TypedRows, at: Mapping[str, int]) -> Iterator[ItemTexts]:
    taken = {*table.roles.keys, *table.scored}
    columns = {plain(c): frame[c] for c in reversed(frame.columns) if c not in taken}
    wide = table.layout == "wide"
    outputs = (
        {s: _first(columns, [x for w in OUTPUTS for x in _of(s, w)]) for s in table.scored}
        if wide
        else {"": _first(columns, OUTPUTS)}
    )
    answers = [x for x in outputs.values() if x is not None and plain(x.name) != UNCLEAR]
    targets = (*TARGETS, *[UNCLEAR] * (wide or bool(answers)))
    question, target = _first(columns, QUESTIONS), _first(columns, targets)
    keys = table.keys
    ids = keys["item"].to_list() if "item" in keys.columns else None
    rows = {row: item for item, row in at.items()}
    for row in range(len(frame)):
        item = rows.get(row) if ids is None else ids[row]
        if item is None or item not in at:
            continue
        asked = _text(question, row), _text(target, row)
        owner = keys["system"][row] if "system" in keys.columns else table.name
        for system, output in outputs.items():
            yield ItemTexts(system or owner, item, *asked, _text(output, row))


def _of(system: str, word: str) -> tuple[str, str]:
    """How a column of one system's outputs may be called.

    >>> _of("GPT 4", "output")
    ('gpt_4_output', 'output_gpt_4')
    """
    return f"{plain(system)}_{word}", f"{word}_{plain(system)}"


def _first(columns: "Mapping[str, pl.Series]", names: Sequence[str]) -> "pl.Series | None":
    return next((columns[name] for name in names if name in columns), None)


def _text(column: "pl.Series | None", row: int) -> str:
    return "" if column is None else as_text(column[row])
