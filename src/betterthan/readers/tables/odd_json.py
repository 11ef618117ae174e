"""What passes for JSON elsewhere: a name twice in a record, and numbers that JSON lacks."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NoReturn

import msgspec
import numpy as np

from betterthan.errors import FormatError, quote
from betterthan.readers.json_bytes import FAULTS

CHUNK = 1 << 24
_APART = re.compile(rb'"[ \t\r\n]+:')


def refuse_repeated(records: Sequence[Any], data: bytes, where: str, unit: str) -> None:
    """Refuse records that give a name twice, of which a decoder keeps the last.

    ``data`` are the bytes that were decoded. Where they hold no more ends of names than there are
    names in the records, none was lost; only else is each record looked at.
    """
    try:
        written = _ends_of_names(data)
        if written == sum(map(len, records)) or written == sum(map(_names, records)):
            return
        _look_at_each(data, where, unit)
    except RecursionError as error:
        raise FormatError(f"{where} is nested too deeply: write it again") from error


def _look_at_each(data: bytes, where: str, unit: str) -> None:
    texts = data.split(b"\n") if unit == "line" else [data]
    for number, text in enumerate(texts, start=1):
        if text.strip():
            place = _Place(where, f"line {number:,}" if unit == "line" else "")
            check = json.JSONDecoder(  # numbers of thousands of digits are none of our business
                object_pairs_hook=place.checked, parse_int=str, parse_float=str, strict=False
            )
            check.decode(text.decode())


def _ends_of_names(data: bytes) -> int:
    """How many names there are: colons behind a quote that is not part of a text; -1 in doubt."""
    text, total, apart = np.frombuffer(data, np.uint8), 0, False
    for start in range(0, len(data), CHUNK):
        colons = start + np.flatnonzero(text[start : start + CHUNK] == ord(":"))
        before = text[colons - 1]
        quoted = colons[before == ord('"')]
        escaped = text[quoted - 2] == ord("\\")
        if (text[quoted[escaped] - 3] == ord("\\")).any():  # the end of a name, or of a text in one
            return -1
        total += len(quoted) - int(escaped.sum())
        apart = apart or bool((before <= ord(" ")).any())
    return -1 if apart and _APART.search(data) else total


def refuse_repeated_in_head(head: bytes, where: str) -> None:
    """Refuse records that give a name twice among the first lines of a file that is scanned."""
    text = head[: head.rfind(b"\n") + 1]
    with suppress(*FAULTS):  # the engine will say so
        records = msgspec.json.Decoder().decode_lines(text)
        if set(map(type, records)) == {dict}:
            refuse_repeated(records, text, where, "line")


class _Place:
    """Where records are, which are counted as they are met."""

    def __init__(self, where: str, line: str) -> None:
        self.where, self.line = where, line

    def checked(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            name, times = Counter(name for name, _ in pairs).most_common(1)[0]
            told = self.line or f"the record that begins with {_beginning(made)}"
            raise FormatError(
                f"{self.where}: {told} gives {quote(name)} {times} times: which is meant? Delete "
                "the others"
            )
        return made


def _beginning(record: dict[str, Any]) -> str:
    return ", ".join(
        f"{quote(name, 40)}: {quote(value, 40)}" for name, value in islice(record.items(), 2)
    )


def _names(value: Any) -> int:
    """How many names a value has, with those inside of it."""
    if isinstance(value, dict):
        return len(value) + sum(map(_names, value.values()))
    return sum(map(_names, value)) if isinstance(value, list) else 0


def refuse_constants(text: bytes, where: str) -> None:
    """Refuse NaN and infinities, which Python writes; what else is wrong is passed over."""

    def refuse(name: str) -> NoReturn:
        raise FormatError(
            f"{where} holds {name}, which is no JSON: write null, and say what becomes of items "
            'without a score with missing="drop" or missing="worst"; or write the number it was'
        )

    try:
        json.loads(text, parse_constant=refuse, strict=False)
    except FormatError:
        raise
    except (ValueError, RecursionError):
        return
