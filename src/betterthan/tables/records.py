"""Records: JSON, JSON Lines, and the objects that hold them."""

import io
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from betterthan.errors import FormatError, first_few, quote
from betterthan.tables.cells import Place

FAULTS = (ValueError, RecursionError)
"""What JSON that is not whole raises."""
NESTED = {dict, list, tuple, set, frozenset}


def read_json(
    data: bytes, where: str, declared: Collection[str] = ()
) -> tuple[pl.DataFrame, Place]:
    """Read a list of records, a record a line, or an object of columns or of records by id.

    Of nested records only the fields that were ``declared`` are columns: ``meta.topic``.
    """
    if (frame := _flat_lines(data)) is not None:
        return frame, Place(where, lambda k: f"line {k + 1:,}")
    places, records = _records(data, where)
    for place, record in zip(places, records, strict=True):
        if not isinstance(record, dict):
            raise FormatError(
                f"{where}: {place} is {quote(record)}, not a record of names and values"
            )
    return _frame(records, declared), Place(where, lambda k: places[k])


def _flat_lines(data: bytes) -> pl.DataFrame | None:
    """Read records of plain values, a line each; None where there is anything else to see to."""
    first, _, rest = data.partition(b"\n")
    if not rest.strip() or b"\n\n" in data or not first.rstrip().endswith(b"}"):
        return None
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    plain = {*frame.dtypes} <= {pl.String, pl.Int64, pl.Float64, pl.Boolean}
    rows = data.count(b"\n") + (not data.endswith(b"\n"))
    once = all(data.count(f'"{name}"'.encode()) <= rows for name in frame.columns)
    return frame if plain and once and len(frame) == rows else None


def _records(data: bytes, where: str) -> tuple[list[str], list[Any]]:
    """Decode what is there, and say where: a list, what an object holds, or a record a line."""
    try:
        value = _decoded(data)
    except FAULTS as whole:
        lines = [(k, line) for k, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
        records: list[Any] = []
        for number, line in lines:
            try:
                records.append(_decoded(line))
            except FAULTS as error:
                fault = f"line {number:,} is not JSON ({error})" if records else str(whole)
                raise FormatError(f"{where} is not whole JSON: {fault}") from error
        return [f"line {number:,}" for number, _ in lines], records
    records = _of_object(value, where) if isinstance(value, dict) else value
    records = records if isinstance(records, list) else [records]
    return [f"record {k:,}" for k in range(1, len(records) + 1)], records


def _decoded(data: bytes) -> Any:
    """Decode JSON; NaN and Infinity, which Python writes, are numbers."""
    return json.loads(data, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"it has {first_few(x for x in record if names.count(x) > 1)} twice")
    return record


def _of_object(value: Mapping[str, Any], where: str) -> list[Any]:
    """Return the records in an object: its columns, records by id, or the one list of records."""
    parts = list(value.values())
    if parts and all(isinstance(part, dict) and part for part in parts):
        rows = list(parts[0])
        if all(list(part) == rows for part in parts) and all(map(str.isdigit, rows)):
            # Columns of values by row, as pandas writes them.
            return [{name: part[row] for name, part in value.items()} for row in rows]
        return [{"id": key, **part} for key, part in value.items()]
    lists = [part for part in parts if isinstance(part, list) and part]
    tables = [part for part in lists if isinstance(part[0], dict)]
    if len(tables) == 1:
        return tables[0]
    if lists and not tables and len(lists) == len(parts) and len({*map(len, parts)}) == 1:
        return [dict(zip(value, row, strict=True)) for row in zip(*parts, strict=True)]
    if parts and not any(isinstance(part, dict | list) for part in parts):
        return [value]
    raise FormatError(
        f"{where}: its records are inside an object ({first_few(value)}): write the list of "
        "records into a file of its own"
    )


def _frame(records: Sequence[Mapping[str, Any]], declared: Collection[str]) -> pl.DataFrame:
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [record.get(name) for record in records] for name in names}
    for path in declared:
        outer, dot, inner = path.partition(".")
        if dot and path not in columns and outer in columns:
            inside = [_inside(x, inner) for x in columns[outer]]
            columns |= {path: inside} if any(x is not None for x in inside) else {}
    return pl.DataFrame([series(name, cells) for name, cells in columns.items()])


def _inside(value: Any, path: str) -> Any:
    """Return the field of a nested record: ``acc.value``."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def series(name: str, cells: list[Any]) -> pl.Series:
    """Give a column the one type that all its values have; text where they have several."""
    name = encodable(name)
    kinds = {type(x) for x in cells if x is not None}
    if kinds & NESTED:
        return pl.Series(name, [[]] * len(cells), dtype=pl.List(pl.Int8))
    small = all(abs(x) < 2**63 for x in cells if isinstance(x, int))
    if kinds <= {int} and small:
        return pl.Series(name, cells, dtype=pl.Int64)
    if kinds <= {int, float} and small:
        return pl.Series(name, cells, dtype=pl.Float64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, cells, dtype=pl.Boolean)
    return pl.Series(name, [_text(x) for x in cells], dtype=pl.String)


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else encodable(str(value))


def encodable(text: str) -> str:
    r"""Write halves of surrogate pairs, which no file can hold, as ``\ud83d``."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
