"""Sizes that a Parquet file declares, held against what is there before anything is allocated.

Reading a file with a damaged size can end the process, and no exception tells of it. The footer and
the headers of the pages are written in Thrift's compact protocol; the numbers below are those of
the fields in parquet.thrift.
"""

from collections import Counter
from collections.abc import Iterator
from mmap import mmap
from typing import Any

from betterthan.errors import FormatError, first_few
from betterthan.readers.streams import check_ratio

DEEPEST = 20
LONGEST_HEADER = 1 << 20
Bytes = bytes | mmap
Fields = dict[int, Any]


class DamagedError(Exception):
    """The file contradicts itself."""


def checked_size(data: Bytes, where: str) -> int:
    """Refuse a file whose declared sizes cannot be; return how many bytes it will take."""
    footer = int.from_bytes(data[-8:-4], "little")
    end = len(data) - 8 - footer
    file, _ = _struct(data, end, len(data) - 8)
    _refuse_twice(_columns(_list(file, 2)), where)
    rows, total = 0, 0
    for group in _list(file, 4):
        rows += _size(group, 3)
        for chunk in _list(group, 1):
            if 1 in chunk or 3 not in chunk:
                continue  # in another file, or encrypted: the library will say so
            total += _check_chunk(data, end, chunk[3], where)
    if rows != _size(file, 3):
        raise DamagedError("rows")
    return total


def _columns(schema: list[Fields]) -> list[str]:
    """Names of columns: below the root each is followed by what is in it."""
    names, at = [], 1
    for _ in range(_size(schema[0], 5)):
        names.append(schema[at][4].decode())
        inside = 1
        while inside:
            inside += _size(schema[at], 5) - 1
            at += 1
    return names


def _refuse_twice(names: list[str], where: str) -> None:
    """Refuse two columns of one name, of which the library may take one without a word."""
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise FormatError(f"{where} names {first_few(twice)} more than once: rename the columns")


def _check_chunk(data: Bytes, end: int, meta: Fields, where: str) -> int:
    """Check the pages of one column of one row group, and return how many bytes they will take."""
    stored, values = _size(meta, 7), _size(meta, 5)
    # Of no rows there may be no page of values, or none at all.
    start = min((_size(meta, k) for k in (9, 11) if meta.get(k) or (k == 9 and values)), default=4)
    if start < 4 or start + stored > end:
        raise DamagedError("offset")
    total = 0
    for header in _pages(data, start, start + stored):
        plain = _size(header, 2)
        check_ratio(plain, _size(header, 3), where)
        total += plain
        kind = header.get(5) or header.get(8) or {}
        if _size(header.get(7) or {}, 1) > plain:  # every entry takes a byte at least
            raise DamagedError("dictionary")
        if _size(kind, 1) > values or any(_size(kind, k) > plain for k in (5, 6) if 8 in header):
            raise DamagedError("values")
    return total


def _pages(data: Bytes, at: int, end: int) -> Iterator[Fields]:
    while at < end:
        header, at = _struct(data, at, min(end, at + LONGEST_HEADER))
        at += _size(header, 3)
        if at > end:
            raise DamagedError("page")
        yield header


def _size(fields: Fields, number: int) -> int:
    found = fields.get(number, 0)
    if not isinstance(found, int) or found < 0:
        raise DamagedError("size")
    return found


def _list(fields: Fields, number: int) -> list[Fields]:
    found = fields.get(number, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise DamagedError("list")
    return found


def _varint(data: Bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise DamagedError("number")


def _struct(data: Bytes, at: int, end: int, depth: int = 0) -> tuple[Fields, int]:
    fields: Fields = {}
    number = 0
    while at < end:
        head = data[at]
        at += 1
        kind = head & 0x0F
        if not kind:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(data, at, end)
        fields[number], at = _value(kind, data, at, end, depth)
    raise DamagedError("end")


def _zigzag(data: Bytes, at: int, end: int) -> tuple[int, int]:
    value, at = _varint(data, at, end)
    return (value >> 1) ^ -(value & 1), at


def _value(kind: int, data: Bytes, at: int, end: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise DamagedError("depth")
    if kind in (1, 2):  # the kind is the truth value
        return kind == 1, at
    if kind == 3:
        return None, at + 1
    if kind in (4, 5, 6):
        return _zigzag(data, at, end)
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _varint(data, at, end)
        return bytes(data[at : min(at + length, end)]), at + length
    if kind in (9, 10):
        return _elements(data, at, end, depth)
    if kind == 12:
        return _struct(data, at, end, depth + 1)
    raise DamagedError("kind")


def _elements(data: Bytes, at: int, end: int, depth: int) -> tuple[list[Any], int]:
    if at >= end:
        raise DamagedError("end")
    head = data[at]
    at += 1
    count = head >> 4
    if count == 15:
        count, at = _varint(data, at, end)
    if count > end - at:  # every element takes a byte at least
        raise DamagedError("count")
    found = []
    for _ in range(count):
        if head & 0x0F in (1, 2):  # truth values in a list are a byte each
            value, at = None, at + 1
        else:
            value, at = _value(head & 0x0F, data, at, end, depth + 1)
        found.append(value)
    return found, at
