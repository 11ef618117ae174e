"""JSON logs: records decoded one by one, only the fields that are needed.

A type of msgspec says which fields those are; everything else in a record, which may be megabytes
of prompts and answers, is skipped over and never becomes a Python object. Python writes NaN, and
half a pair of surrogates where a text was cut: both are read.
"""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import FormatError, Where
from betterthan.readers.files import BOM

Raws = dict[str, msgspec.Raw]
"""Values of a record by name, not yet decoded."""
FAULTS = (msgspec.DecodeError, ValueError, RecursionError)
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"?|[{}\[\]:]', re.DOTALL)


def fault(file: Path, text: str, line: int | None = None) -> FormatError:
    """Make the error for what is in a file: the place comes first, and is data as well."""
    place = f"{file}: line {line:,}" if line else str(file)
    return FormatError(f"{place} {text}", where=Where(file, line))


@lru_cache(maxsize=4)  # every harness asks about the same file
def top_keys(head: bytes) -> frozenset[str]:
    """Names in the first record of a JSON file, or of an array of records, cut off or not.

    >>> sorted(top_keys(b'[{"id": 1, "doc": {"x": 2}, "sco'))
    ['doc', 'id']
    """
    if not is_json(head):
        return frozenset()
    level = 2 if is_array(head) else 1
    depth, last, keys = 0, b"", set()
    for token in _TOKEN.finditer(head):
        mark = token[0]
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if depth < level:
                break
        elif mark == b":":
            if depth == level:
                keys.add(last.decode(errors="replace"))
        else:
            last = token[1]
    return frozenset(keys)


def is_json(head: bytes) -> bool:
    """Whether a file begins as JSON does that holds records."""
    return head.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")


def is_array(head: bytes) -> bool:
    """Whether a JSON file holds an array."""
    return head.removeprefix(BOM).lstrip()[:1] == b"["


def decode_part(data: Any, kind: Any, file: Path, line: int | None = None, part: str = "") -> Any:
    """Decode bytes that are one JSON value: a file, a line, a member of an archive or a field.

    What msgspec does not know, NaN and half of a pair of surrogates, the standard library does.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except FAULTS:
        try:
            loaded = json.loads(bytes(data).removeprefix(BOM), parse_constant=lambda _: None)
            plain = json.dumps(loaded, ensure_ascii=False).encode(errors="xmlcharrefreplace")
            return msgspec.json.decode(plain, type=kind)
        except FAULTS as error:
            text = f"is cut off, or not what such a log holds ({error}): run it again, or delete "
            place = f"({part}) " if part else ""
            raise fault(file, f"{place}{text}what is incomplete", line) from error
