"""What passes for JSON elsewhere: a name twice in a record, and numbers that JSON lacks."""

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np

from betterthan.errors import FormatError, quote
from betterthan.readers.json_bytes import FAULTS, decoded, spelled_surrogates
from betterthan.readers.remedies import READ_ITEMS

CHUNK = 1 << 24
_APART = re.compile(rb'"[ \t\r\n]+:')
_HALF = re.compile("[\ud800-\udfff]")
_BLANK = re.compile(r"[ \t\r\n]+")


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
    """Decode record after record, which may take several lines each, as ``jq`` writes them."""
    text, at, line = data.decode(), 0, 1
    while (begins := _blank(text, at)) < len(text):
        line += text.count("\n", at, begins)
        place = _Place(where, f"line {line:,}" if unit == "line" else "")
        check = json.JSONDecoder(  # numbers of thousands of digits are none of our business
            object_pairs_hook=place.checked, parse_int=str, parse_float=str, strict=False
        )
        _, at = check.raw_decode(text, begins)
        line += text.count("\n", begins, at)


def _blank(text: str, at: int) -> int:
    """Where what is blank from here on ends."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


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


def refuse_in_head(head: bytes, where: str) -> None:
    """Refuse a scan whose first lines are no records, or give a name twice."""
    text = head[: head.rfind(b"\n") + 1]
    first = next((line for line in text.split(b"\n") if line.strip()), b"{}")
    try:
        decoded(first)
    except msgspec.DecodeError as error:
        raise FormatError(
            f"{where}: its first line is no record by itself ({error}), and only lines are "
            "scanned: read it, or write a record a line (jq -c .)"
        ) from error
    with suppress(*FAULTS):  # the engine will say so
        records = msgspec.json.Decoder().decode_lines(text)
        if set(map(type, records)) == {dict}:
            refuse_repeated(records, text, where, "line")


def refuse_halves(path: Path, keys: Collection[str]) -> None:
    """Refuse a scan of ids and names with halves of emojis: to an engine all of them are one."""
    before = 0
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            block += file.readline(4 * CHUNK)
            if _may_hold_halves(block) and spelled_surrogates(block) != block:
                for number, line in enumerate(block.split(b"\n"), start=before + 1):
                    for name in _with_halves(line, keys):
                        raise FormatError(
                            f"{path}: line {number:,}, {name!r}: half of an emoji, which an engine "
                            "does not tell from another",
                            READ_ITEMS,
                        )
            before += block.count(b"\n")


def _with_halves(line: bytes, keys: Collection[str]) -> list[str]:
    """Fields among some that hold half an emoji."""
    if spelled_surrogates(line) == line:
        return []
    with suppress(ValueError, RecursionError):  # the engine will say so
        if isinstance(record := json.loads(line), dict):
            return [name for name in keys if _HALF.search(str(record.get(name)))]
    return []


def _may_hold_halves(block: bytes) -> bool:
    r"""Whether there is a `\ud`, whole emojis among them."""
    if b"\\u" not in block:
        return False
    text = np.frombuffer(block, np.uint8)
    begun = (text[:-2] == ord("\\")) & (text[1:-1] == ord("u"))
    return bool((begun & ((text[2:] | 32) == ord("d"))).any())


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
            f"{where} holds {name}, which is no JSON: write the number it was, or null"
        )

    try:
        json.loads(text, parse_constant=refuse, strict=False)
    except FormatError:
        raise
    except (ValueError, RecursionError):
        return
