"""OpenCompass: ``results/MODEL/DATASET.json`` with the details of every sample.

Details are there where the evaluation was run with ``--dump-eval-details``. They say of a sample
whether it is correct, or have numbers of their own; repeated runs have a list of them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes, plain_name
from betterthan.readers.json_bytes import value_of
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, as_number, by_column, log_files

FORMATS = ("opencompass",)
EXAMPLES = {
    "opencompass": Example(
        "OpenCompass, --dump-eval-details",
        "betterthan compare results/base/gsm8k.json results/new/gsm8k.json",
        """
{"accuracy": 71.3, "details": {"type": "GEN", "0": {"prompt": "...", "origin_prediction": "...",
  "predictions": "18", "references": "18", "correct": true}, ...}}
""",
    )
}
RIGHT = ("correct", "is_correct")
MARKS = (b'"origin_prediction"', b'"references"', b'"example_abbr"', b'"correct"', b'"pred"')
GOLD = ("references", "answer", "gold", "answers")


class CompassResults(msgspec.Struct):
    """The details among the averages."""

    details: dict[str, msgspec.Raw] | list[msgspec.Raw] | None = None


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the details, by raw predictions, or by where a file of averages lies."""
    keys = json_logs.top_keys(head)
    details = "details" in keys and any(mark in head for mark in MARKS)
    averages = "accuracy" in keys and path.absolute().parent.parent.name == "results"
    return details or averages or _predictions(keys, head)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the files together."""
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "OpenCompass", item="sample", response="run")


def _run(file: LogFile) -> Run:
    path = file.path
    head = first_bytes(path)
    if _predictions(json_logs.top_keys(head), head):
        raise FormatError(
            f"{path} holds predictions and no scores: give the file of the same name under results/"
        )
    file.refuse_suffix(FORMATS[0], "json")
    details = json_logs.decode_whole(path, CompassResults).details
    if not details:
        raise FormatError(
            f"{path} holds averages only: evaluate again with --dump-eval-details, which writes "
            "the scores of every sample"
        )
    items: list[str] = []
    responses: list[str] = []
    scores: list[dict[str, Value]] = []
    others: list[dict[str, Value]] = []
    prints: dict[str, str] = {}
    for name, detail in _details(details, path):
        gold = next((str(detail[key]) for key in GOLD if key in detail), "")
        if gold:
            prints[name] = gold
        for number, values in enumerate(_runs_of(detail), start=1):
            items.append(name)
            responses.append(str(number))
            scores.append({key: value for key, value in values.items() if key in RIGHT})
            others.append({key: value for key, value in values.items() if key not in RIGHT})
    return Run(
        system=file.system(path.absolute().parent.name),
        task=plain_name(path).stem,
        where=str(path),
        items=items,
        scores=by_column(scores),
        usage=by_column(others),
        responses=responses if any(number != "1" for number in responses) else None,
        prints=prints,
    )


def _details(
    details: dict[str, msgspec.Raw] | list[msgspec.Raw], path: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Samples by their names: as they are called, or numbered as they stand."""
    entries = details.items() if isinstance(details, dict) else enumerate(details)
    for name, raw in entries:
        detail = value_of(raw, f"{path}: sample {name}")
        if isinstance(detail, dict):
            yield str(detail.get("example_abbr", name)), detail
        elif name != "type":
            raise FormatError(f"{path}: sample {name} has no details: evaluate again")


def _runs_of(detail: dict[str, Any]) -> list[dict[str, Value]]:
    """Numbers of a sample in each run: of one, or of as many as the lists have entries."""
    lists = {name: value for name, value in detail.items() if isinstance(value, list)}
    count = len(next((lists[name] for name in RIGHT if name in lists), ())) or 1
    return [
        {
            name: number
            for name, value in detail.items()
            if (number := _number(value, k, count)) is not None
        }
        for k in range(count)
    ]


def _number(value: Any, k: int, count: int) -> Value:
    """Read a number or a truth value; text is what was predicted, never a score."""
    if isinstance(value, list):
        value = value[k] if len(value) == count else None
    return None if isinstance(value, str) else as_number(value)


def _predictions(keys: frozenset[str], head: bytes) -> bool:
    return "0" in keys and b'"origin_prompt"' in head and b'"prediction"' in head
