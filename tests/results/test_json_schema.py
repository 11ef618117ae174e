"""The published JSON Schema holds for every document, and leaves no name of them out."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from betterthan.errors import UsageError
from betterthan.results.schemas import json_schema, kinds
from made_up_results import MADE_UP


def strict(schema: Any) -> Any:
    """The same schema, where a name that it does not know is an error."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if "properties" in made and "required" in made and "allOf" not in made:
        made.setdefault("additionalProperties", False)
    return made


VALIDATOR = Draft202012Validator(strict(json_schema()))


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema())
    for kind in kinds():
        Draft202012Validator.check_schema(json_schema(kind))
    with pytest.raises(UsageError, match="there is no document 'gates'; there are comparisons"):
        json_schema("gates")


@pytest.mark.parametrize("name", [name for name in MADE_UP if name != "simulation"])
def test_made_up_results_are_as_it_says(name: str) -> None:
    document = json.loads(MADE_UP[name].to_json())
    errors = [error.message for error in VALIDATOR.iter_errors(document)]
    assert not errors
    kind = document["schema"].split("/")[1]
    assert Draft202012Validator(json_schema(kind)).is_valid(document)


def test_every_kind_is_tried() -> None:
    made = {MADE_UP[name].to_dict().get("schema") for name in MADE_UP}
    assert {f"betterthan/{kind}/1" for kind in kinds()} - made == {"betterthan/comparisons/1"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"exit_code": 2}, "2 is not one of"),
        ({"ruling": "FAIL"}, "'FAIL' is not one of"),
        ({"news": 1}, "'news' was unexpected"),
        ({"schema": "betterthan/gate/2"}, "is not one of"),
        ({"alpha": "0.05"}, "is not of type 'number'"),
    ],
)
def test_what_is_not_as_it_says_is_found(change: dict[str, Any], complaint: str) -> None:
    document = json.loads(MADE_UP["gate"].to_json()) | change
    assert any(complaint in error.message for error in VALIDATOR.iter_errors(document))


def test_a_name_that_is_missing_is_found() -> None:
    document = json.loads(MADE_UP["leaderboard"].to_json())
    del document["rows"][0]["p_best"]
    messages = [error.message for error in VALIDATOR.iter_errors(document)]
    assert messages == ["'p_best' is a required property"]
