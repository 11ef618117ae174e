"""deepeval: a test run as it is saved, with the metrics of every test case.

Tests are told apart by what was asked, since their names count them. Whether a test passed is the
metric by default: of some metrics (bias, toxicity, hallucination) less is better.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError
from betterthan.readers.examples import Example
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, by_column, log_files, short_id

FORMATS = ("deepeval",)
EXAMPLES = {
    "deepeval": Example(
        "deepeval",
        "betterthan compare base.json new.json",
        """
{"testCases": [{"name": "test_case_0", "input": "...", "actualOutput": "...", "success": true,
  "metricsData": [{"name": "Answer Relevancy", "score": 0.9, "success": true, ...}]}], ...}
""",
    )
}


class MetricData(msgspec.Struct):
    """What a metric said of a test case."""

    name: str = ""
    metric: str = ""  # before it was called name
    score: float | None = None


class TestCase(msgspec.Struct):
    """A test case, or a conversation."""

    name: str = ""
    input: str = ""
    scenario: str = ""
    expectedOutput: str | None = None  # noqa: N815 (their name)
    success: bool | None = None
    metricsData: list[MetricData] | None = None  # noqa: N815
    metricsMetadata: list[MetricData] | None = None  # noqa: N815
    tokenCost: float | None = None  # noqa: N815
    inputTokenCount: float | None = None  # noqa: N815
    outputTokenCount: float | None = None  # noqa: N815
    completionTime: float | None = None  # noqa: N815

    @property
    def asked(self) -> str:
        """What tells this test from others."""
        return self.input or self.scenario or self.name


class TestRun(msgspec.Struct):
    """All test cases of a run."""

    testCases: list[TestCase] | None = None  # noqa: N815
    conversationalTestCases: list[TestCase] | None = None  # noqa: N815
    identifier: str | None = None
    hyperparameters: dict[str, Any] | None = None
    testRunData: "TestRun | None" = None  # noqa: N815 (around the others in .latest_test_run.json)


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the lists of test cases."""
    del path
    keys = json_logs.top_keys(head)
    return bool(keys & {"testCases", "conversationalTestCases", "testRunData"})


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the runs together."""
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "deepeval", item="input")


def _run(file: LogFile) -> Run:
    path = file.path
    file.refuse_suffix(FORMATS[0], "json")
    run = json_logs.decode_whole(path, TestRun)
    run = run.testRunData or run
    cases = [*(run.testCases or ()), *(run.conversationalTestCases or ())]
    if not cases:
        raise FormatError(f"{path} holds no test cases: run deepeval again")
    for number, case in enumerate(cases, start=1):
        if not case.asked:
            raise FormatError(f"{path}: test case {number:,} has neither input nor name")
    model = (run.hyperparameters or {}).get("model")
    items = [short_id(case.asked) for case in cases]
    return Run(
        system=file.system(run.identifier or (model if isinstance(model, str) else None)),
        task="",
        where=str(path),
        items=items,
        scores=by_column(map(_values, cases)),
        usage=by_column(map(_usage, cases)),
        prints={
            item: case.expectedOutput
            for item, case in zip(items, cases, strict=True)
            if case.expectedOutput
        },
    )


def _values(case: TestCase) -> dict[str, Value]:
    found: dict[str, Value] = {"pass": None if case.success is None else float(case.success)}
    for data in case.metricsData or case.metricsMetadata or ():
        found[data.name or data.metric] = data.score
    return found


def _usage(case: TestCase) -> dict[str, Value]:
    return {
        "cost": case.tokenCost,
        "input_tokens": case.inputTokenCount,
        "output_tokens": case.outputTokenCount,
        "completion_time": case.completionTime,
    }
