"""JSON: one writer for all documents, and one way with numbers that JSON does not have.

Infinities and NaN are null; whole numbers stay whole; arrays are lists; a fraction is the string
that ``fractions.Fraction`` reads back. Nothing is rounded.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from betterthan.errors import Advice, Note, as_keyword, remedy_of
from betterthan.results.escaping import ACTIVE

_CLOSING = re.compile(f"[<>&]|#(?=#)|{ACTIVE.pattern}")  # ## begins commands of build services
_WHOLE = re.compile(ACTIVE.pattern.replace("\ud800-\udfff", ""))  # halves are spelled by streams


def to_json(document: object) -> str:
    r"""Write a document, without a character that a terminal acts on.

    >>> print(to_json({"a\u202eb": 0.5, "high": float("inf"), "exact": Fraction(1, 3)}))
    {
      "a\u202eb": 0.5,
      "high": null,
      "exact": "1/3"
    }
    """
    return indented(plain_value(document))


def indented(document: object) -> str:
    """Write a document of plain values."""
    from msgspec.json import format as indent  # noqa: PLC0415 (slow to import)

    # The encoder is fast only without indentation, which is added without reading the numbers.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    seen = _WHOLE.sub(_spelled, text).encode(errors="surrogatepass")
    return indent(seen, indent=2).decode(errors="surrogatepass")


def embedded(document: object, advice: Advice = as_keyword) -> str:
    r"""Write a document into a page: short, and without a character that a page acts on.

    >>> print(embedded({"name": "</script>", "p": 0.5}))
    {"name":"\u003c/script\u003e","p":0.5}
    """
    plain = plain_value(document, advice)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _CLOSING.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def plain_value(value: Any, advice: Advice = as_keyword) -> Any:
    """Turn a value into what JSON can hold; ``advice`` writes the remedies of notes."""
    if value is None or isinstance(value, bool | int | str):
        return noted(value, advice) if isinstance(value, Note) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(x, advice) for key, x in value.items()}
    if isinstance(value, Sequence):
        return [plain_value(x, advice) for x in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain_value(getattr(value, f.name), advice) for f in fields(value)}
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain_value(value.tolist())
    raise TypeError(f"a {type(value).__name__} has no place in a JSON document: {value!r}")


def noted(note: str, advice: Advice = as_keyword) -> str:
    """Write a note with what answers it; one that belongs to the verdict stays one."""
    remedy = remedy_of(note)
    advised = advice(remedy) if remedy is not None else ""
    text = f"{note} -> try: {advised}" if advised else str(note)
    return Note(text, beside_verdict=True) if belongs_to_verdict(note) else text


def belongs_to_verdict(note: str) -> bool:
    """Whether a note could overturn the verdict, and appears right below it."""
    return isinstance(note, Note) and note.beside_verdict
