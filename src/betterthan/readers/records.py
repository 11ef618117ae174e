"""JSON: an array of records, a record a line, or an object of columns."""

from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from betterthan.errors import FormatError
from betterthan.frames.cells import from_list

if TYPE_CHECKING:
    import polars as pl

SHAPES = "an array of records, a record a line, or an object of equally long columns"


def read_json(data: bytes, where: str) -> "pl.DataFrame":
    """Return the records as a frame; values that are nested are left out."""
    import polars as pl  # noqa: PLC0415 (heavy)

    columns = _columns(data.removeprefix(b"\xef\xbb\xbf").strip(), where)
    series = (from_list(name, values) for name, values in columns.items())
    return pl.DataFrame([column for column in series if column is not None])


def _columns(data: bytes, where: str) -> dict[str, list[Any]]:
    if data.startswith(b"["):
        return _transposed(_array(data, where), where, "record")
    try:
        whole = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return _transposed(_lines(data, where), where, "line")
    if all(not isinstance(value, list) for value in whole.values()):
        return _transposed([whole], where, "record")
    lengths = {len(value) if isinstance(value, list) else -1 for value in whole.values()}
    if len(lengths) != 1:
        raise FormatError(f"{where} is a JSON object but no table: write {SHAPES}")
    return dict(whole)


def _array(data: bytes, where: str) -> list[Any]:
    try:
        decoded: list[Any] = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise FormatError(f"{where} is not whole JSON ({error}): write it again") from error
    return decoded


def _lines(data: bytes, where: str) -> list[Any]:
    try:
        return msgspec.json.Decoder().decode_lines(data)
    except msgspec.DecodeError:
        pass  # find out where
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            cut = number == len(lines) and "truncated" in str(error)
            what = "is cut off" if cut else f"is not JSON ({error})"
            raise FormatError(
                f"{where}: line {number:,} {what}: write the file again, or delete that line"
            ) from error
    raise FormatError(f"{where} is not JSON: write {SHAPES}")


def _transposed(records: list[Any], where: str, unit: str) -> dict[str, list[Any]]:
    """Columns of a list of records; a record without a name has None there."""
    if set(map(type, records)) - {dict}:
        number, record = next((k, r) for k, r in enumerate(records, 1) if type(r) is not dict)
        raise FormatError(
            f"{where}: {unit} {number:,} is a {type(record).__name__}, not a record of names and "
            f"values: write {SHAPES}"
        )
    names = dict.fromkeys(chain.from_iterable(records))
    return {name: [record.get(name) for record in records] for name in names}
