"""OpenCompass: ``results/MODEL/DATASET.json`` with the details of every sample.

Details are there where the evaluation was run with ``--dump-eval-details``. They say of a sample
whether it is correct, or have numbers; repeated runs have a list of them.

Its files look like this::

    {"accuracy": 71.3, "details": {"type": "GEN", "0": {"prompt": "...", "origin_prediction": "...",
      "predictions": "18", "references": "18", "correct": true}, ...}}
    $ betterthan compare results/base/gsm8k.json results/new/gsm8k.json
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from betterthan.readers.files import plain_name
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample, numbers

RIGHT = ("correct", "is_correct")
MARKS = (b'"origin_prediction"', b'"references"', b'"example_abbr"', b'"correct"', b'"pred"')
GOLD = ("references", "answer", "gold", "answers")
Detail = dict[str, Any]


class CompassResults(msgspec.Struct):
    """The details among the averages; a text among them names their type."""

    details: dict[str, Detail | str] | list[Detail] | None = None


def known(file: LogFile) -> bool:
    """Tell by the details."""
    return "details" in file.keys and any(mark in file.head for mark in MARKS)


def averages(file: LogFile) -> bool:
    """Tell raw predictions by their fields, averages by where their file lies."""
    results = file.path.absolute().parent.parent.name == "results"
    predictions = "0" in file.keys and file.has(b'"origin_prompt"', b'"prediction"')
    return predictions or (results and "accuracy" in file.keys and "details" not in file.keys)


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a file."""
    details = file.decode(CompassResults).details or {}
    entries = details.items() if isinstance(details, dict) else enumerate(details)
    samples = [s for name, x in entries if isinstance(x, dict) for s in _samples(str(name), x)]
    yield Run(file, samples, file.path.absolute().parent.name, plain_name(file.path).stem)


def _samples(name: str, detail: Detail) -> Iterator[Sample]:
    """Yield a sample for each run: for one, or for as many as the lists have entries."""
    gold = next((str(detail[key]) for key in GOLD if key in detail), None)
    count = next((len(x) for key in RIGHT if isinstance(x := detail.get(key), list)), 1)
    for k in range(count):
        lists = {n: x[k] for n, x in detail.items() if isinstance(x, list) and len(x) == count}
        values = numbers(detail | lists)
        yield Sample(
            str(detail.get("example_abbr", name)),
            {key: values.pop(key) for key in RIGHT if key in values},
            usage=values,
            marks={EXPECTED: gold},
            response=str(k + 1),
        )


HARNESS = Harness(
    "opencompass",
    __doc__,
    known,
    runs,
    averages=averages,
    instead="run the evaluation with --dump-eval-details, and pass its results/",
    item="sample",
    response="run",
)
