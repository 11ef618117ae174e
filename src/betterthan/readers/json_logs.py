"""JSON logs: records decoded one by one, only the fields that are needed, with precise complaints.

A type of msgspec says which fields those are; everything else in a record, which may be megabytes
of prompts and answers, is skipped over and never becomes a Python object.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from betterthan.errors import FormatError
from betterthan.readers.files import mapped, opened

Record = TypeVar("Record")
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"|[{}\[\]:]')


@lru_cache(maxsize=4)  # every family of formats asks about the same file
def top_keys(head: bytes) -> frozenset[str]:
    """Names in the first record of a JSON file, or of an array of records, cut off or not.

    >>> sorted(top_keys(b'[{"id": 1, "doc": {"x": 2}, "sco'))
    ['doc', 'id']
    """
    body = head.removeprefix(BOM).lstrip()
    if body[:1] not in (b"{", b"["):
        return frozenset()
    level = 2 if body[:1] == b"[" else 1
    depth, last, keys = 0, b"", set()
    for token in _TOKEN.finditer(body):
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


def is_array(head: bytes) -> bool:
    """Whether a JSON file holds an array."""
    return head.removeprefix(BOM).lstrip()[:1] == b"["


def refuse_name(path: Path, promised: str, allowed: Iterable[str], kind: str) -> None:
    """Refuse a file whose name promises something else than what it is."""
    if promised and promised not in allowed:
        raise FormatError(
            f"{path} is named as {promised} and looks like a log of {kind}: correct the suffix, or "
            f"say what it is with --input-format {kind}"
        )


def decode_lines(path: Path, kind: type[Record]) -> Iterator[tuple[int, Record]]:
    """Records of a file with one a line, and the numbers of their lines."""
    decoder = msgspec.json.Decoder(kind)
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                yield number, decoder.decode(line)
            except msgspec.DecodeError as error:
                text = line.removeprefix(BOM) if number == 1 else line
                yield number, _again(text, kind, f"{path}: line {number:,}", error)


def decode_records(path: Path, head: bytes, kind: type[Record]) -> Iterator[tuple[int, Record]]:
    """Records of a file, one a line or in one array, numbered from one."""
    if is_array(head):
        return enumerate(decode_whole(path, list[kind]), start=1)  # type: ignore[valid-type]
    return decode_lines(path, kind)


def decode_whole(path: Path, kind: type[Record]) -> Record:
    """Decode a file that is one JSON value."""
    data = mapped(path)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        return _again(bytes(data).removeprefix(BOM), kind, str(path), error)


def decode_part(data: bytes, kind: type[Record], where: str) -> Record:
    """Decode a JSON value that is part of something: a member of an archive."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        return _again(data, kind, where, error)


def _again(data: bytes, kind: type[Record], where: str, error: msgspec.DecodeError) -> Record:
    """Decode by the standard library, which knows the NaN that Python writes; or complain."""
    if isinstance(error, msgspec.ValidationError):
        raise FormatError(_unlike(where, error)) from error
    try:
        loaded: Any = json.loads(data, parse_constant=lambda _: None)
    except ValueError as fault:
        if "truncated" in str(error) or not data.rstrip().endswith((b"}", b"]")):
            raise FormatError(
                f"{where} is cut off, as by a run that stopped while writing: run it again, or "
                "delete what is incomplete and choose --missing"
            ) from fault
        raise FormatError(f"{where} is not JSON ({error}): write it again") from fault
    try:
        return msgspec.json.decode(msgspec.json.encode(loaded), type=kind)
    except msgspec.ValidationError as fault:
        raise FormatError(_unlike(where, fault)) from fault


def _unlike(where: str, fault: object) -> str:
    return f"{where} is not what such a log holds ({fault}): write it again"
