"""deepeval: a test run as it is saved, with the metrics of every test case.

Tests are distinguished by what was asked, since their names count them. Whether a test passed is
the metric by default; of bias, toxicity and hallucination lower is better.

Its files look like this::

    {"testCases": [{"name": "test_case_0", "input": "...", "actualOutput": "...", "success": true,
      "metricsData": [{"name": "Answer Relevancy", "score": 0.9, "success": true, ...}]}], ...}
    $ betterthan compare base.json new.json
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample, short_id

LOWER = frozenset({"Bias", "Toxicity", "Hallucination"})
"""Metrics of deepeval of which less is better."""


class MetricData(msgspec.Struct):
    """What a metric gave a test case; its name was once called metric."""

    name: str = ""
    metric: str = ""
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


class TestRun(msgspec.Struct, rename="camel"):
    """All test cases of a run."""

    test_cases: list[TestCase] | None = None
    conversational_test_cases: list[TestCase] | None = None
    identifier: str | None = None
    hyperparameters: dict[str, Any] | None = None
    test_run_data: "TestRun | None" = None  # around the others in .latest_test_run.json


def known(file: LogFile) -> bool:
    """Tell by the lists of test cases."""
    return bool(file.keys & {"testCases", "conversationalTestCases", "testRunData"})


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a file."""
    run = file.decode(TestRun)
    run = run.test_run_data or run
    cases = [*(run.test_cases or ()), *(run.conversational_test_cases or ())]
    model = (run.hyperparameters or {}).get("model") or ""
    yield Run(file, map(_sample, cases), run.identifier or str(model), lower=LOWER)


def _sample(case: TestCase) -> Sample:
    metrics = case.metrics_data or case.metrics_metadata or ()
    return Sample(
        short_id(case.input or case.scenario or case.name),
        {"pass": case.success, **{x.name or x.metric: x.score for x in metrics}},
        marks={EXPECTED: case.expected_output or None},
    )


HARNESS = Harness("deepeval", __doc__, known, runs, item="input")
