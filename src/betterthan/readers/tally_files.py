"""Tallies in files: distinct rows and their counts, published where the items are not.

A tally is a table: the ``part`` (0 for all items, then the labels in order), ``clusters`` (1 where
the row is a sum over a cluster), the columns of each system, the ``items`` in the row and its
``count``. The first row also says what the tally is of (:class:`Facts`, as JSON), in a column whose
name marks the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from betterthan.data.judgments import Judgments
from betterthan.data.named_systems import Order
from betterthan.data.scores import Scores
from betterthan.data.tallied import Rows, Tallied
from betterthan.data.tally import Tally
from betterthan.errors import FormatError, UsageError
from betterthan.numeric import Floats
from betterthan.readers.column_names import names_in
from betterthan.readers.examples import Example
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of
from betterthan.results.atomic_write import encode
from betterthan.results.signature import fingerprint

MARK, VERSION = "betterthan_tally", 3
FORMATS = ("tally",)
EXAMPLES = {
    "tally": Example(
        "a tally: distinct rows and counts, without items",
        "betterthan compare tally.csv",
        f"{MARK},part,clusters,v0,v1,items,count\n{{...}},0,0,0.0,1.0,1,52",
    ),
}
FAULTS = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""What damaged files can raise."""
LARGEST = 2**53
"""Whole numbers beyond it are not known to the last digit as doubles."""


class Facts(msgspec.Struct):
    """What a tally says of itself; ``units`` are of each part's sums of clusters, if it has any."""

    systems: tuple[str, ...]
    columns: tuple[str, ...]
    by: str | None
    metric: str | None
    lower_is_better: bool | None
    lower: frozenset[str]
    order: Order
    source: str
    notes: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[tuple[int, int] | None, ...]
    version: int = VERSION
    fingerprint: str = ""

    def encoded(self) -> str:
        """The facts as JSON: notes as text, booleans of NumPy as what they are."""

        def plain(value: object) -> object:
            return getattr(value, "item", value.__str__)()

        return msgspec.json.encode(self, order="deterministic", enc_hook=plain).decode()

    def signed(self, matrix: Floats) -> "Facts":
        """The facts with a fingerprint of them and of the rows."""
        bare = msgspec.structs.replace(self, version=VERSION, fingerprint="")
        digits = fingerprint(np.array([bare.encoded()]), matrix)
        return msgspec.structs.replace(bare, fingerprint=digits)


OF_TALLY = Facts.__struct_fields__[:-4]
"""Facts that are attributes of a tally."""


def recognise(path: Path, head: bytes) -> bool:
    """Whether a file says of itself that it is a tally."""
    return MARK in names_in(path, head)


def read(files: Sequence[Path], options: Options) -> Tallied:
    """Read a tally that was written, which says itself how its columns were understood."""
    if len(files) > 1 or options.items is True:
        raise UsageError(
            f"{files[0]} is a tally, and this needs the single items: compare, gate, power and "
            "rank take tallies"
        )
    tally = read_tally(files[0])
    if options.lower_is_better is not None:
        tally = replace(tally, lower_is_better=options.lower_is_better)
    return tally.select(*options.systems) if options.systems else tally


def encoded(data: Scores | Judgments | Tallied, by: str | None, suffix: str) -> bytes:
    """Return the distinct rows of any data and their counts as the bytes of a file.

    Items are tallied for each value of the label ``by`` as well.
    """
    if isinstance(data, Judgments):
        return encode(pl.DataFrame(data.counted()), suffix)
    return encode_tally(Tallied.of(data, by=by) if isinstance(data, Scores) else data, suffix)


def encode_tally(tally: Tallied, suffix: str) -> bytes:
    """Return a tally as the bytes of a file with this suffix."""
    labels = tuple(sorted(tally.labelled))
    parts = [tally.rows, *(tally.labelled[label] for label in labels)]
    units = tuple(x.unit.as_integer_ratio() if x.clusters else None for x in parts)
    facts = Facts(**{x: getattr(tally, x) for x in OF_TALLY}, labels=labels, units=units)
    matrix = np.vstack([block for k, rows in enumerate(parts) for block in _blocks(k, rows)])
    names = ["part", "clusters", *(f"v{k}" for k in range(matrix.shape[1] - 4)), "items", "count"]
    frame = pl.DataFrame(matrix, schema=names).with_columns(pl.col("^[^v].*$").cast(pl.Int64))
    told = pl.Series(MARK, [facts.signed(matrix).encoded(), *[None] * (len(frame) - 1)])
    return encode(frame.insert_column(0, told), suffix)


def _blocks(part: int, rows: Rows) -> Iterator[Floats]:
    """Distinct rows of one part, then those of its clusters."""
    counts = rows.items.counts
    key = np.full((len(counts), 2), [part, 0])
    yield np.column_stack([key, rows.items.rows, np.ones_like(counts), counts])
    if (of := rows.clusters) is not None:
        if np.abs(of.rows).max() > LARGEST:
            raise UsageError("sums of clusters are too large to be written: rescale the scores")
        key = np.full((len(of.counts), 2), [part, 1])
        yield np.column_stack([key, of.rows, of.counts])


def read_tally(path: Path) -> Tallied:
    """Read a tally that :func:`encode_tally` wrote; a damaged one is an error."""
    frame, _ = frame_of(path, Options())
    try:
        facts = msgspec.json.decode(frame[MARK][0], type=Facts)
        matrix = frame.drop(MARK).cast(pl.Float64, strict=False).to_numpy()
        if facts.signed(matrix) != facts:
            raise ValueError("it is not as it was written, or of another version")
        tally = _tally(facts, matrix)
    except (*FAULTS, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{path} is a damaged tally ({reason}): write it again") from error
    return replace(tally, source=f"{path.name} · tally · {tally.source}")


def _tally(facts: Facts, matrix: Floats) -> Tallied:
    items, counts = matrix[:, -2:].T
    fits = matrix.shape[1] == 4 + len(facts.systems) * len(facts.columns)
    sound = np.isfinite(matrix).all() and min(items.min(), counts.min()) >= 1
    if not (fits and sound) or items @ counts > LARGEST:
        raise ValueError("rows must be finite numbers of each system, and counts at least 1")
    first, *others = [_rows(matrix[matrix[:, 0] == k, 1:], x) for k, x in enumerate(facts.units)]
    labelled = dict(zip(facts.labels, others, strict=True))
    return Tallied(**{x: getattr(facts, x) for x in OF_TALLY}, rows=first, labelled=labelled)


def _rows(matrix: Floats, unit: tuple[int, int] | None) -> Rows:
    """Distinct rows of one part, and those of its clusters."""
    items, clusters = matrix[matrix[:, 0] == 0, 1:], matrix[matrix[:, 0] == 1, 1:]
    tally = Tally.of(list(items[:, :-2].T), items[:, -1].astype(np.int64))
    if unit is None:
        return Rows(tally)
    held = clusters[:, -2] @ clusters[:, -1]
    if min(unit) < 1 or np.abs(clusters).max() > LARGEST or held != tally.units:
        raise ValueError("its clusters do not hold its items")
    whole = clusters.astype(np.int64)
    return Rows(tally, Tally(whole[:, :-1], whole[:, -1]), Fraction(*unit))
