"""Tallies in files: distinct rows and counts, published where the items are not.

Parquet, CSV or JSON, told from other tables by a mark of their own: in the metadata of a Parquet
file, on the first line of a CSV file, in the first field of a JSON file. A line of the table is a
distinct row: its ``part`` where labels are told apart (empty for all items together), its ``unit``
(items or clusters), each system's columns, the ``items`` in it and its ``count``.
"""

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from io import SEEK_END, BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import numpy as np

from betterthan.data.arguments import among
from betterthan.data.frames.reader_options import Options
from betterthan.data.labels import whole_text
from betterthan.data.tallied import ClusterRows, Rows, Tallied
from betterthan.data.tally import Tally
from betterthan.errors import FormatError, TallyGivenError, UsageError, first_few
from betterthan.numeric import Floats, Ints
from betterthan.readers.examples import Example
from betterthan.readers.files import all_bytes
from betterthan.readers.json_bytes import FAULTS, decoded
from betterthan.readers.streams import Stream
from betterthan.readers.tables.parquet import MAGIC, quiet, read_parquet
from betterthan.results.escaping import from_spreadsheet, no_formula
from betterthan.results.json_text import plain_value
from betterthan.results.signature import fingerprint

if TYPE_CHECKING:
    import polars as pl

MARK = "betterthan-tally"
VERSION = 1
SUFFIXES = (".parquet", ".pq", ".csv", ".json")
FORMATS = ("tally",)
EXAMPLES = {
    "tally": Example(
        "a tally: distinct rows and counts, without items",
        "betterthan compare tally.csv",
        f'# {MARK} {{"{MARK}": 1, ...}}\npart,unit,base.score,new.score,items,count\n'
        ",item,0.0,1.0,1,52",
    ),
}
_UNIT = re.compile(r"0*[1-9]\d{0,400}(/0*[1-9]\d{0,400})?", re.ASCII)
LARGEST = 2**53  # whole numbers beyond it are not known to the last digit as doubles


def recognise(path: Path, head: bytes) -> bool:
    """Whether a file says of itself that it is a tally."""
    if head.startswith(MAGIC):
        return _metadata(path) is not None
    return head.startswith((f"# {MARK} ".encode(), f'{{"{MARK}"'.encode()))


def read(files: Sequence[Path], options: Options) -> NoReturn:
    """Say that a tally has no items to be read."""
    del options
    raise TallyGivenError(files)


def encode_tally(made: Tallied, suffix: str) -> bytes:
    """Return a tally as the bytes of a file with this suffix."""
    if suffix not in SUFFIXES:
        raise UsageError(f"a tally is written as {', '.join(SUFFIXES)}, not {suffix!r}")
    if "" in made.labelled:
        raise UsageError(f"a label of {made.by!r} is blank: name it")
    frame = _frame(made)
    facts = {
        MARK: VERSION,
        "systems": list(made.systems),
        "columns": list(made.columns),
        "metric": made.metric,
        "lower_is_better": made.lower_is_better,
        "lower": sorted(made.lower),
        "shuffled": made.shuffled,
        "by_rows": made.by_rows,
        "by": made.by,
        "cluster_unit": {
            part: str(rows.clusters.unit) for part, rows in _parts(made) if rows.clusters
        },
        "n": made.n,
        "source": whole_text(made.source),  # it names files, which may have no text for a name
        "notes": list(map(whole_text, made.notes)),
        "fingerprint": _fingerprint(made),
    }
    text = json.dumps(plain_value(facts), ensure_ascii=False)  # on one line, whatever the names are
    if suffix == ".csv":
        return f"# {MARK} {text}\n{_renamed(frame, no_formula).write_csv()}".encode()
    if suffix == ".json":
        rows = ",\n".join(json.dumps(list(row)) for row in frame.iter_rows())
        names = json.dumps(frame.columns)
        return f'{text.rstrip()[:-1]}, "names": {names}, "rows": [\n{rows}\n]}}\n'.encode()
    buffer = BytesIO()
    frame.write_parquet(buffer, metadata={MARK: text})
    return buffer.getvalue()


class _Version(msgspec.Struct):
    version: int = msgspec.field(name=MARK)


class Facts(msgspec.Struct):
    """What a tally says of itself; in JSON the rows stand here as well."""

    version: int = msgspec.field(name=MARK)
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    metric: str | None
    lower_is_better: bool
    lower: frozenset[str]
    shuffled: bool
    by: str | None
    cluster_unit: dict[str, str]
    n: int
    source: str
    notes: tuple[str, ...]
    fingerprint: str
    by_rows: bool = True  # of a tally that does not say it, nobody knows
    names: list[str] = []
    rows: list[list[str | float | None]] = []


def read_tally(path: Path) -> Tallied:
    """Read a tally that :func:`encode_tally` wrote; a damaged one is refused."""
    facts, made = decode_tally(path)
    if made.n != facts.n or _fingerprint(made) != facts.fingerprint:
        raise FormatError(
            f"{path}: the rows of the tally are not those that were written (fingerprint "
            f"{_fingerprint(made)}, not {facts.fingerprint}): write it again"
        )
    return replace(made, source=f"{path.name} · tally · {made.source}")


def decode_tally(path: Path) -> tuple[Facts, Tallied]:
    """Return what a tally says of itself, and what is in it."""
    import polars as pl  # noqa: PLC0415 (heavy)

    where, data = str(path), all_bytes(path)
    told, _, rest = data.partition(b"\n") if data.startswith(b"#") else (data, b"", b"")
    if data.startswith(MAGIC):
        told = (_metadata(path) or "").encode()
    told = told.removeprefix(f"# {MARK} ".encode())
    panic = pl.exceptions.PanicException
    try:
        version = decoded(told, _Version).version
        if version != VERSION:
            raise FormatError(
                f"{where} is a tally of version {version}, and this betterthan reads version "
                f"{VERSION}: use a newer one"
            )
        facts = decoded(told, Facts)
        if data.startswith(MAGIC):
            frame = read_parquet(data, where)
        elif data.startswith(b"#"):
            frame = _from_csv(rest)
        else:
            frame = pl.DataFrame(facts.rows, schema=facts.names, orient="row", strict=False)
        return facts, _made(facts, frame, where)
    except FormatError:
        raise
    except (
        ArithmeticError,
        ValueError,
        csv.Error,
        *FAULTS,
        pl.exceptions.PolarsError,
        panic,
    ) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{where} is a damaged tally ({reason}): write it again") from error


def _from_csv(data: bytes) -> "pl.DataFrame":
    """Read the rows; their names as Python reads them, which knows a quote within quotes."""
    import polars as pl  # noqa: PLC0415 (heavy)

    text = StringIO(data.decode(), newline="")
    names = next(csv.reader(text), [])
    rows = text.read().encode()
    frame = pl.read_csv(rows, has_header=False, new_columns=names, infer_schema=False)
    return _renamed(frame, from_spreadsheet)


def _renamed(frame: "pl.DataFrame", rename: Callable[[str], str]) -> "pl.DataFrame":
    """Change the names of columns and parts."""
    import polars as pl  # noqa: PLC0415 (heavy)

    names = frame["part"].drop_nulls().unique().to_list()
    changed = {name: said for name in names if (said := rename(name)) != name}
    found = frame.with_columns(pl.col("part").replace(changed))
    found.columns = list(map(rename, frame.columns))
    return found


def _metadata(path: Path) -> str | None:
    """What a Parquet file says of itself, where it is a tally."""
    import polars as pl  # noqa: PLC0415 (heavy)

    try:
        if MARK.encode() not in _footer(path):
            return None
        data = BytesIO(all_bytes(path))
        with quiet():
            return pl.read_parquet_metadata(data).get(MARK)
    except (Exception, pl.exceptions.PanicException):  # a damaged table is the tables' to refuse
        return None


def _footer(path: Path) -> bytes:
    """Return the end of a Parquet file, as long as it says that its footer is."""
    if isinstance(path, Stream):
        return all_bytes(path)
    with path.open("rb") as file:
        size = file.seek(0, SEEK_END)
        file.seek(max(size - 8, 0))
        length = int.from_bytes(file.read(4), "little") + 8
        file.seek(max(size - length, 0))
        return file.read()


def _parts(made: Tallied) -> list[tuple[str, Rows]]:
    """All items under the empty name, then each label's."""
    return [("", made.rows), *sorted(made.labelled.items())]


def _names(systems: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Each system's columns, as the table calls them: with a point, which no key has."""
    names = [f"{system}.{column}" for system in systems for column in columns]
    if len({*names}) < len(names):
        raise UsageError(f"{first_few(names)} do not tell the systems apart: rename one of them")
    return names


def _frame(made: Tallied) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (heavy)

    names = _names(made.systems, made.columns)
    frames = []
    for part, rows in _parts(made):
        units: list[tuple[str, Floats | Ints, Ints, Ints]] = [
            ("item", rows.items.rows, np.ones_like(rows.items.counts), rows.items.counts)
        ]
        if rows.clusters is not None:
            of = rows.clusters
            if int(np.abs(of.sums).max()) > LARGEST:
                raise UsageError("sums of clusters are too large to be written: rescale the scores")
            units.append(("cluster", of.sums, of.sizes, of.counts))
        for unit, block, sizes, counts in units:
            frame = pl.DataFrame(
                {name: block[:, k].astype(np.float64) for k, name in enumerate(names)}
            )
            key = pl.lit(part).alias("part"), pl.lit(unit).alias("unit")
            frames.append(
                frame.select(*key, pl.all(), pl.Series("items", sizes), pl.Series("count", counts))
            )
    return pl.concat(frames)


def _made(facts: Facts, frame: "pl.DataFrame", where: str) -> Tallied:
    import polars as pl  # noqa: PLC0415 (heavy)

    names = _names(facts.systems, facts.columns)
    expected = ["part", "unit", *names, "items", "count"]
    if frame.columns != expected:
        raise FormatError(
            f"{where}: the columns of the tally are {first_few(frame.columns)}, not "
            f"{first_few(expected)}: write it again"
        )
    for name in ("part", "unit"):
        if (kind := frame.schema[name]) in (pl.Binary, pl.Object) or kind.is_nested():
            raise FormatError(f"{where}: the column {name} holds {kind}, not text: write it again")
    numbers = frame.select(
        pl.col(names).cast(pl.Float64, strict=False),
        pl.col("items", "count").cast(pl.Int64, strict=False),
    )
    fine = pl.all_horizontal(
        *(pl.col(name).is_not_null() & pl.col(name).is_finite() for name in names),
        *(pl.col(name).is_not_null() & (pl.col(name) >= 1) for name in ("items", "count")),
    )
    bad = numbers.select((~fine).arg_true()).to_series()
    if len(bad):
        _refuse(where, int(bad[0]), frame.row(int(bad[0])))
    items = (pl.col("items").cast(pl.Float64) * pl.col("count").cast(pl.Float64)).sum()
    if numbers.select(items).item() > LARGEST:
        raise FormatError(f"{where}: the tally counts more items than there can be: write it again")
    keys = frame.select(pl.col("part").fill_null(""), "unit")
    labels = keys["part"].unique(maintain_order=True).to_list()
    found = {
        part: _rows(
            numbers.filter((keys["part"] == part) & (keys["unit"] == "item")),
            numbers.filter((keys["part"] == part) & (keys["unit"] == "cluster")),
            facts.cluster_unit.get(part),
        )
        for part in labels
    }
    if "" not in found:
        raise FormatError(f"{where}: the tally has no rows of all items: write it again")
    known = {**msgspec.structs.asdict(facts), "rows": found.pop(""), "labelled": found}
    return among(Tallied, known)


def _rows(items: "pl.DataFrame", clusters: "pl.DataFrame", unit: str | None) -> Rows:
    if items.is_empty():
        raise ValueError("a part of it has no items")
    values, counts = items.to_numpy()[:, :-2], items["count"].to_numpy()
    tally = Tally.of(list(values.T.astype(np.float64)), counts)
    if unit is None:
        return Rows(tally)
    sums, sizes = np.rint(clusters.to_numpy()[:, :-2]), clusters["items"].to_numpy()
    times = clusters["count"].to_numpy()
    if not _UNIT.fullmatch(unit) or np.abs(sums).max(initial=0) > LARGEST:
        raise ValueError("sums of clusters are beyond all measure")
    if int(sizes @ times) != int(counts.sum()):
        raise ValueError("its clusters hold other items than its items")
    return Rows(tally, ClusterRows(sums.astype(np.int64), sizes, times, Fraction(unit)))


def _refuse(where: str, at: int, row: tuple[Any, ...]) -> NoReturn:
    raise FormatError(
        f"{where}: row {at + 1:,} of the tally is damaged ({first_few(row)}): values are finite "
        "numbers, items and counts whole numbers of at least 1; write it again"
    )


def _fingerprint(made: Tallied) -> str:
    arrays: list[Any] = []
    for part, rows in _parts(made):
        arrays += [np.array([part]), rows.items.rows, rows.items.counts]
        if (of := rows.clusters) is not None:
            arrays += [of.sums, of.sizes, of.counts, np.array([str(of.unit)])]
    return fingerprint(*arrays)
