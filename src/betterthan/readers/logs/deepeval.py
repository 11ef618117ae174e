"""deepeval: a test run as it is saved, with the metrics of every test case.

Tests are distinguished by what was asked, since their names count them. Whether a test passed is
the metric by default: of some metrics (bias, toxicity, hallucination) lower is better.

Its files look like this::

    {"testCases": [{"name": "test_case_0", "input": "...", "actualOutput": "...", "success": true,
      "metricsData": [{"name": "Answer Relevancy", "score": 0.9, "success": true, ...}]}], ...}
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Run, Sample, run_of, short_id


class MetricData(msgspec.Struct):
    """What a metric said of a test case."""

    name: str = ""
    metric: str = ""  # before it was called name
    score: float | None = None


class TestCase(msgspec.Struct, rename="camel"):
    """A test case, or a conversation."""

    name: str = ""
    input: str = ""
    scenario: str = ""
    expected_output: str | None = None
    success: bool | None = None
    metrics_data: list[MetricData] | None = None
    metrics_metadata: list[MetricData] | None = None
    token_cost: float | None = None
    input_token_count: float | None = None
    output_token_count: float | None = None
    completion_time: float | None = None


class TestRun(msgspec.Struct, rename="camel"):
    """All test cases of a run."""

    test_cases: list[TestCase] | None = None
    conversational_test_cases: list[TestCase] | None = None
    identifier: str | None = None
    hyperparameters: dict[str, Any] | None = None
    test_run_data: "TestRun | None" = None  # around the others in .latest_test_run.json


def known(head: Head) -> bool:
    """Tell by the lists of test cases."""
    return bool(head.keys & {"testCases", "conversationalTestCases", "testRunData"})


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all files, one in each."""
    for file in files:
        run = file.decode(TestRun)
        run = run.test_run_data or run
        cases = [*(run.test_cases or ()), *(run.conversational_test_cases or ())]
        model = (run.hyperparameters or {}).get("model")
        yield run_of(
            file,
            [_sample(case, f"{file.path}: test case {k}") for k, case in enumerate(cases, 1)],
            system=file.system(run.identifier or (model if isinstance(model, str) else None)),
        )


def _sample(case: TestCase, where: str) -> Sample:
    asked = case.input or case.scenario or case.name
    if not asked:
        raise FormatError(f"{where} has neither input nor name")
    metrics = {
        x.name or x.metric: x.score for x in case.metrics_data or case.metrics_metadata or ()
    }
    return Sample(
        item=short_id(asked),
        scores={"pass": None if case.success is None else float(case.success), **metrics},
        usage={
            "cost": case.token_cost,
            "input_tokens": case.input_token_count,
            "output_tokens": case.output_token_count,
            "completion_time": case.completion_time,
        },
        mark=(None, case.expected_output or None),
    )


HARNESS = Harness(
    names=("deepeval",),
    title="deepeval",
    command="betterthan compare base.json new.json",
    about=__doc__,
    known=known,
    runs=runs,
    item="input",
)
