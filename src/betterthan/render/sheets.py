"""A sheet: what a study found, as headline, table, notes and signature, in any of the formats."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from betterthan.render.tables import Align, Table, to_csv, to_latex, to_markdown, to_text


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that is written about one result.

    Attributes
    ----------
    schema : str
        Name and version of the JSON document.
    headlines : tuple of str
        What was found, first.
    table : Table or None
        The rows, for people.
    records : sequence of mappings
        The same rows, unrounded, for programs; at least one.
    facts : mapping
        What holds for all rows, for JSON.
    notes : tuple of str
        What the reader should know.
    signature : str
        One line from which the run can be repeated.
    """

    schema: str
    headlines: tuple[str, ...]
    table: Table | None
    records: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any]
    notes: tuple[str, ...]
    signature: str


def write(sheet: Sheet, style: str) -> str:
    """Write a sheet in one of the styles ``table``, ``md``, ``json``, ``csv``, ``latex``."""
    return {
        "table": _text,
        "md": _markdown,
        "json": _json,
        "csv": lambda s: to_csv([_flat(r) for r in s.records]),
        "latex": _latex,
    }[style](sheet)


def _text(sheet: Sheet) -> str:
    blocks = ["", *(f"  {line}".rstrip() for line in sheet.headlines)]
    if sheet.table is not None:
        blocks += ["", to_text(sheet.table, indent="  ")]
    if sheet.notes:
        blocks += ["", *(f"  ! {note}" for note in sheet.notes)]
    return "\n".join([*blocks, f"signature: {sheet.signature}"])


def _markdown(sheet: Sheet) -> str:
    blocks = ["\n".join(f"**{line}**  " for line in sheet.headlines[:1])]
    blocks += ["\n".join(sheet.headlines[1:])]
    if sheet.table is not None:
        blocks.append(to_markdown(sheet.table))
    blocks.append("\n".join(f"- {note}" for note in sheet.notes))
    blocks.append(f"`{sheet.signature}`")
    return "\n\n".join(block for block in blocks if block)


def _latex(sheet: Sheet) -> str:
    table = sheet.table
    if table is None:
        names = tuple(sheet.records[0])
        rows = tuple(tuple(str(r[name]) for name in names) for r in sheet.records)
        align: tuple[Align, ...] = tuple("<" for _ in names)
        table = Table(names, align, rows)
    return to_latex(table, caption=" ".join(sheet.headlines), label="tab:betterthan")


def _json(sheet: Sheet) -> str:
    document = {
        "schema": sheet.schema,
        **{name: plain(value) for name, value in sheet.facts.items()},
        "rows": [{name: plain(value) for name, value in r.items()} for r in sheet.records],
        "notes": list(sheet.notes),
        "signature": sheet.signature,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold; infinities are null."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, tuple | list):
        return [plain(x) for x in value]
    return value


def _flat(record: Mapping[str, Any]) -> dict[str, object]:
    """Flatten one level of mappings into columns of their own."""
    flat: dict[str, object] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{key}": x for key, x in value.items()}
        elif isinstance(value, tuple | list):
            flat[name] = "; ".join(map(str, value))
        else:
            flat[name] = value
    return flat
