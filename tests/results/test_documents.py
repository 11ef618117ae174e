"""Documents: flat rows with the columns of their kind, and a schema that follows from these."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import betterthan as bt
from betterthan.cli.listing import Entry, Listing
from betterthan.errors import UsageError
from betterthan.results.protocol import Result
from betterthan.results.schemas import KINDS, columns_of, json_schema
from betterthan.results.sheet import Sheet
from made_up_results import MADE_UP

ALL = Draft202012Validator(json_schema())
SHARED = (
    *("schema", "version", "rows", "alpha", "correction", "alternative"),
    *("source", "notes", "signature"),
)
SCORES = bt.Scores.from_arrays(
    {"base": [0, 1] * 20, "new": [1, 1] * 20}, groups={"kind": ["a", "b"] * 20}
)
RESULTS: dict[str, Result] = {
    **MADE_UP,
    "comparisons": bt.compare_many(SCORES, by="kind"),
    "list": Listing("metrics", [Entry("f1", "of spans", example="--metric f1")]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_document_is_what_its_schema_says(name: str) -> None:
    document = json.loads(RESULTS[name].to_json())
    kind = document["schema"].split("/")[1]
    for validator in (ALL, Draft202012Validator(json_schema(kind))):
        assert not [error.message for error in validator.iter_errors(document)]
    assert list(document)[:3] == ["schema", "version", "rows"]
    assert set(SHARED) <= set(document)


@pytest.mark.parametrize("name", RESULTS)
def test_rows_are_flat_and_have_the_columns_of_their_kind_in_every_form(name: str) -> None:
    result = RESULTS[name]
    document = result.to_dict()
    columns = columns_of(document["schema"].split("/")[1])
    for row in document["rows"]:
        assert tuple(row) == columns
        assert all(x is None or isinstance(x, str | bool | int | float) for x in row.values())
    frame, other, text = result.to_polars(), result.to_pandas(), result.to_csv().splitlines()
    assert tuple(frame.columns) == tuple(other.columns) == tuple(text[0].split(",")) == columns
    assert frame.to_dicts() == document["rows"]


def test_every_kind_is_tried() -> None:
    assert {result.to_dict()["schema"].split("/")[1] for result in RESULTS.values()} == set(KINDS)


def test_a_result_without_rows_keeps_its_columns() -> None:
    assert tuple(Sheet(title="", kind="scores", rows=()).columns) == columns_of("scores")


@pytest.mark.parametrize(
    "change", [{"alpha": "0.05"}, {"rows": [{}]}, {"schema": "betterthan/gate/2"}, {"notes": None}]
)
def test_other_documents_are_invalid(change: dict[str, Any]) -> None:
    document = json.loads(MADE_UP["gate"].to_json())
    assert ALL.is_valid(document)
    assert not ALL.is_valid(document | change)


def test_schemas_are_schemas_of_known_kinds() -> None:
    for kind in (None, *KINDS):
        Draft202012Validator.check_schema(json_schema(kind))
    with pytest.raises(UsageError):
        json_schema("gates")


def test_parts_of_the_items_stand_in_one_column() -> None:
    assert [row["subset"] for row in RESULTS["comparisons"].to_dict()["rows"]] == [
        *(None, "kind=a", "kind=b"),
    ]
    assert {row["subset"] for row in MADE_UP["boards"].to_dict()["rows"]} == {None, "domain=a|b"}
    board = MADE_UP["leaderboard"].to_dict()["rows"]
    assert [row["beats"] for row in board] == ["old_v2; base", None, None]
