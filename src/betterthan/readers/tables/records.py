"""JSON: an array of records, one record per line, or an object of columns."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import msgspec

from betterthan.data.frames.foreign import from_list
from betterthan.errors import FormatError, first_few
from betterthan.readers.files import BOM
from betterthan.readers.json_bytes import FAULTS, decoded, spelled_surrogates
from betterthan.readers.tables.odd_json import refuse_constants, refuse_repeated

if TYPE_CHECKING:
    import polars as pl

HARMLESS = 10_000_000  # cells of a table
SPARSE = 100  # cells for each that is filled, beyond that
SHAPES = "an array of records, one record per line, or an object of equally long columns"


def read_json(
    data: bytes, where: str, asked: Iterable[str] = ()
) -> "tuple[pl.DataFrame, tuple[str, ...], tuple[str, ...]]":
    """Return the records as a frame, the columns left out as nested, and numbers inside of those.

    A column that is ``asked`` for may be a field of a nested one: ``scores.accuracy.value``.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    columns = _columns(data.removeprefix(BOM).strip(), where)
    series = {name: from_list(name, values) for name, values in columns.items()}
    nested = [name for name, column in series.items() if column is None]
    for path in asked:
        for name in nested:
            if path not in series and path.startswith(f"{name}."):
                steps = path.removeprefix(f"{name}.").split(".")
                found = [_field(value, steps) for value in columns[name]]
                if any(value is not None for value in found):
                    series[path] = from_list(path, found)
    frame = pl.DataFrame([column for column in series.values() if column is not None])
    inside = (path for name in nested for path in _numbers(name, columns[name][0]))
    return frame, tuple(nested), tuple(islice(inside, 5))


def _field(value: Any, steps: Sequence[str]) -> Any:
    """What is inside of nested values, or None where there is no such field."""
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _numbers(path: str, value: Any) -> Iterator[str]:
    """Paths to the numbers inside of a record's value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(f"{path}.{name}", inner)
    elif isinstance(value, bool | int | float):
        yield path


def record_of(data: bytes, row: int) -> str:
    """Name the line that a record is on, or its place where records are not a line each."""
    lines = enumerate(data.removeprefix(BOM).split(b"\n"), start=1)
    written = ((number, line.strip()) for number, line in lines if line.strip())
    until = list(islice(written, row + 1))
    alone = all(line.startswith(b"{") and line.endswith(b"}") for _, line in until)
    return f"line {until[row][0]:,}" if alone and len(until) > row else f"record {row + 1:,}"


def _columns(data: bytes, where: str) -> dict[str, list[Any]]:
    if data.startswith(b"["):
        return _transposed(_array(data, where), where, "record", data)
    try:
        whole = decoded(data)
    except msgspec.DecodeError:
        return _transposed(_lines(data, where), where, "line", data)
    refuse_repeated([whole], data, where, "record")
    indexed = [value for value in whole.values() if isinstance(value, dict) and value]
    if len(indexed) == len(whole) > 1 and all(
        value.keys() == indexed[0].keys() for value in indexed
    ):
        raise FormatError(
            f"{where} holds an object of rows for each column, as DataFrame.to_json() of pandas "
            "writes it, and no records: write it again with orient='records'"
        )
    if all(not isinstance(value, list) for value in whole.values()):
        return _transposed([whole], where, "record", data)
    inside = [name for name, value in whole.items() if _are_records(value)]
    if inside and not any(
        isinstance(value, list) and name not in inside for name, value in whole.items()
    ):
        raise FormatError(
            f"{where}: its records are inside of an object, under {first_few(inside)}: write them "
            f"by themselves, as jq '.[{json.dumps(inside[0])}]' does, or a record per line"
        )
    lengths = {len(value) if isinstance(value, list) else -1 for value in whole.values()}
    if len(lengths) != 1:
        raise FormatError(f"{where} is a JSON object but no table: write {SHAPES}")
    return dict(whole)


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) is dict for one in value)


def _array(data: bytes, where: str) -> list[Any]:
    try:
        records: list[Any] = decoded(data)
    except msgspec.DecodeError as error:
        refuse_constants(data, where)
        raise FormatError(f"{where} is not whole JSON ({error}): write it again") from error
    return records


def _lines(data: bytes, where: str) -> list[Any]:
    for text in (data, spelled_surrogates(data)):
        with suppress(*FAULTS):  # or find out where
            return msgspec.json.Decoder().decode_lines(text)
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                decoded(line)
        except msgspec.DecodeError as error:
            refuse_constants(line, f"{where}: line {number:,}")
            cut = number == len(lines) and "truncated" in str(error)
            what = "is cut off" if cut else f"is not JSON ({error})"
            raise FormatError(
                f"{where}: line {number:,} {what}: write the file again, or delete that line"
            ) from error
    raise FormatError(f"{where} is not JSON: write {SHAPES}")


def _transposed(records: list[Any], where: str, unit: str, data: bytes) -> dict[str, list[Any]]:
    """Columns of a list of records; a record without a name has None there."""
    if set(map(type, records)) - {dict}:
        number, record = next((k, r) for k, r in enumerate(records, 1) if type(r) is not dict)
        raise FormatError(
            f"{where}: {unit} {number:,} is a {type(record).__name__}, not a record of names and "
            f"values: write {SHAPES}"
        )
    refuse_repeated(records, data, where, unit)
    names = dict.fromkeys(chain.from_iterable(records))
    cells = len(records) * len(names)
    if cells > max(HARMLESS, SPARSE * sum(map(len, records))):  # a small file, a very large table
        raise FormatError(
            f"{where}: {len(records):,} records have {len(names):,} names, and hardly any in "
            f"common: write {SHAPES}"
        )
    return {name: [record.get(name) for record in records] for name in names}
