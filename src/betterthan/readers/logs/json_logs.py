"""JSON logs: records decoded one by one, only the fields that are needed.

A type of msgspec says which fields those are; everything else in a record, which may be megabytes
of prompts and answers, is skipped over and never becomes a Python object.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import BOM, mapped, opened
from betterthan.readers.json_bytes import FAULTS, decoded, spelled_surrogates

Record = TypeVar("Record")
Raws = dict[str, msgspec.Raw]
"""Values of a record by name, not yet decoded."""
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*+)"?|[{}\[\]:]', re.DOTALL)


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


def decode_lines(path: Path, kind: type[Record]) -> Iterator[tuple[int, Record]]:
    """Records of a file with one a line, and the numbers of their lines."""
    decoder = msgspec.json.Decoder(kind)
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                yield number, decoder.decode(line)
            except FAULTS as error:
                yield number, _decode_again(line, kind, f"{path}: line {number:,}", error)


def decode_records(path: Path, head: bytes, kind: type[Record]) -> Iterator[tuple[int, Record]]:
    """Records of a file, one a line or in one array, numbered from one."""
    if is_array(head):
        return enumerate(decode_whole(path, list[kind]), start=1)  # type: ignore[valid-type]
    return decode_lines(path, kind)


def decode_whole(path: Path, kind: type[Record]) -> Record:
    """Decode a file that is one JSON value."""
    return decode_part(mapped(path), kind, str(path))


def decode_part(data: Any, kind: type[Record], where: str) -> Record:
    """Decode bytes that are one JSON value: a file, or a member of an archive."""
    try:
        return msgspec.json.decode(data, type=kind)
    except FAULTS as error:
        return _decode_again(bytes(data), kind, where, error)


def _decode_again(data: bytes, kind: type[Record], where: str, error: Exception) -> Record:
    """Decode by the standard library, which knows the NaN that Python writes, or raise an error."""
    try:
        if isinstance(error, msgspec.ValidationError):
            raise error
        plain = spelled_surrogates(data.removeprefix(BOM))
        loaded: Any = json.loads(plain, parse_constant=lambda _: None)
        whole: Record = decoded(json.dumps(loaded).encode(), kind)
        return whole
    except msgspec.DecodeError as fault:
        raise FormatError(
            f"{where} is not what such a log holds ({fault}): write it again"
        ) from fault
    except (ValueError, RecursionError) as fault:
        raise FormatError(
            f"{where} is cut off or not JSON ({fault}): run it again, or delete what is incomplete"
        ) from fault
