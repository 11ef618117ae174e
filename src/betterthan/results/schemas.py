"""The published JSON Schema of every document that results are written as.

``schema.json`` beside this module is the contract: names may be added to a document, but one that
is there keeps its meaning as long as the number behind ``betterthan/NAME/`` stays.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from betterthan.errors import UsageError


@cache
def _whole() -> dict[str, Any]:
    text = (files("betterthan") / "results" / "schema.json").read_text(encoding="utf-8")
    known: dict[str, Any] = json.loads(text)
    return known


def kinds() -> dict[str, str]:
    """The kinds of documents, and what each of them is.

    >>> kinds()["gate"]
    'gate: may the candidate be released?'
    """
    definitions: dict[str, Any] = _whole()["$defs"]
    return {name: d["description"] for name, d in definitions.items() if "description" in d}


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of all documents, or of one kind.

    >>> json_schema("gate")["properties"]["exit_code"]
    {'enum': [0, 1, 3]}
    """
    whole = _whole()
    if kind is None:
        return whole
    if kind not in kinds():
        raise UsageError(f"there is no document {kind!r}; there are {', '.join(kinds())}")
    head = {"$schema": whole["$schema"], "$id": f"urn:betterthan:{kind}:1"}
    said = json.dumps(whole["$defs"][kind])
    shared = {
        name: d
        for name, d in whole["$defs"].items()
        if name not in kinds() or f'"#/$defs/{name}"' in said
    }
    return {**head, **whole["$defs"][kind], "$defs": shared}
