"""LangSmith: what ``to_pandas()`` of an experiment gives, as CSV.

Its files look like this::

    inputs.question,outputs.answer,error,reference.answer,feedback.correctness,execution_time,example_id
    When was ...,In 1969,,1969,1,2.31,5f2c...
    $ betterthan compare base.csv new.csv --metric correctness
"""

from betterthan.readers.logs import exports
from betterthan.readers.logs.runs import EXPECTED, Sample, numbers


def known(names: set[str]) -> bool:
    """Tell by the column of ids, next to any feedback."""
    return "example_id" in names and any(name.startswith("feedback.") for name in names)


def _sample(row: exports.Row) -> Sample:
    return Sample(
        exports.text_of(row, "example_id"),
        numbers(exports.entries_of(row, "feedback"), written=True),
        usage=numbers({"execution_time": row.get("execution_time")}, written=True),
        marks={
            "inputs": exports.entries_of(row, "inputs"),
            EXPECTED: exports.entries_of(row, "reference"),
        },
    )


HARNESS = exports.export(
    "langsmith", __doc__, known, _sample, item="example_id", response="repetition"
)
