"""JSON: one writer for all documents, and one way with numbers that JSON does not have.

Infinities and NaN are null; whole numbers stay whole; arrays are lists; a fraction is the string
that ``fractions.Fraction`` reads back. Nothing is rounded.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any


def to_json(document: object) -> str:
    """Write a document.

    >>> print(to_json({"p": 0.5, "high": float("inf"), "exact": Fraction(1, 3)}))
    {
      "p": 0.5,
      "high": null,
      "exact": "1/3"
    }
    """
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, tuple | list):
        return [plain(x) for x in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain(value.tolist())
    raise TypeError(f"a {type(value).__name__} has no place in a JSON document: {value!r}")
