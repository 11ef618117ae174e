"""Tallies in files: distinct rows and their counts, published where the items are not.

A tally is a table: the numbers of the ``label`` and the ``cluster`` of a row's items (0 where there
are none), the columns of each system, and the ``count`` of the items. The first row also says what
the tally is of (:class:`Facts`, as JSON), in a column whose name marks the file.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from betterthan.data.arrays import as_counts
from betterthan.data.block import Order
from betterthan.data.judgments import Judgments
from betterthan.data.labels import Labels
from betterthan.data.scores import Scores
from betterthan.data.tallied import tally
from betterthan.errors import FormatError, UsageError
from betterthan.numeric import Floats, Ints
from betterthan.readers.examples import Example
from betterthan.readers.lazy_sources import names_in
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of
from betterthan.results.atomic_write import encode
from betterthan.results.signature import fingerprint

MARK, VERSION = "betterthan_tally", 4
FORMATS = ("tally",)
EXAMPLES = {
    "tally": Example(
        "a tally: distinct rows and counts, without items",
        "betterthan compare tally.csv",
        f"{MARK},label,cluster,v0,v1,count\n{{...}},0,0,0.0,1.0,52",
    ),
}
FAULTS = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""What damaged files can raise."""


class Facts(msgspec.Struct):
    """What a tally says of itself; rows have the number of their label among ``labels``."""

    systems: tuple[str, ...]
    columns: tuple[str, ...]
    metric: str | None
    lower_is_better: bool | None
    lower: frozenset[str]
    order: Order
    source: str
    notes: tuple[str, ...]
    by: str | None
    labels: tuple[str, ...]
    clustered: bool
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


OF_TALLY = Facts.__struct_fields__[:-5]
"""Facts that are attributes of a tally."""


def recognise(path: Path, head: bytes) -> bool:
    """Whether a file says of itself that it is a tally."""
    return MARK in names_in(path, head)


def read(files: Sequence[Path], options: Options) -> Scores:
    """Read a tally that was written, which says itself how its columns were understood."""
    if len(files) > 1 or options.items is True:
        raise UsageError(
            f"{files[0]} is a tally, and this needs the single items: compare, gate, power and "
            "rank take tallies"
        )
    counted = read_tally(files[0])
    if options.lower_is_better is not None:
        counted = replace(counted, lower_is_better=options.lower_is_better)
    return counted.select(*options.systems) if options.systems else counted


def encoded(data: Scores | Judgments, by: str | None, suffix: str) -> bytes:
    """Return the distinct rows of any data and their counts as the bytes of a file.

    Items are tallied for each value of the label ``by`` as well.
    """
    if isinstance(data, Judgments):
        return encode(pl.DataFrame(data.counted()), suffix)
    return encode_tally(tally(data, by=by) if data.counts is None else data, suffix)


def encode_tally(counted: Scores, suffix: str) -> bytes:
    """Return a tally as the bytes of a file with this suffix."""
    by, label = next(iter(counted.groups.items()), (None, None))
    labels, part = _numbered(label, len(counted.values))
    clusters, cluster = _numbered(counted.clusters, len(counted.values))
    known = {x: getattr(counted, x) for x in OF_TALLY}
    facts = Facts(**known, by=by, labels=tuple(labels), clustered=bool(clusters))
    values = counted.values.reshape(len(counted.values), -1)
    matrix = np.column_stack([part, cluster, values, counted.times])
    names = ["label", "cluster", *(f"v{k}" for k in range(values.shape[1])), "count"]
    frame = pl.DataFrame(matrix, schema=names).with_columns(pl.col("^[^v].*$").cast(pl.Int64))
    marks = pl.Series(MARK, [facts.signed(matrix).encoded(), *[None] * (len(frame) - 1)])
    return encode(frame.insert_column(0, marks), suffix)


def _numbered(labels: Labels | None, n: int) -> tuple[list[str], Ints]:
    """Distinct labels in order, and the number of each row's among them."""
    if labels is None:
        return [], np.zeros(n, dtype=np.int64)
    distinct, numbers = np.unique(labels, return_inverse=True)
    return distinct.tolist(), numbers


def read_tally(path: Path) -> Scores:
    """Read a tally that :func:`encode_tally` wrote; a damaged one is an error."""
    frame, _ = frame_of(path, Options())
    try:
        facts = msgspec.json.decode(frame[MARK][0], type=Facts)
        matrix = frame.drop(MARK).cast(pl.Float64, strict=False).to_numpy()
        if facts.signed(matrix) != facts:
            raise ValueError("it is not as it was written, or of another version")
        counted = _tally(facts, matrix)
    except (*FAULTS, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{path} is a damaged tally ({reason}): write it again") from error
    return replace(counted, source=f"{path.name} · tally · {counted.source}")


def _tally(facts: Facts, matrix: Floats) -> Scores:
    if not np.isfinite(matrix).all():
        raise ValueError("a cell is not a finite number")
    part, cluster = matrix[:, :2].T.astype(np.int64)
    names = np.array(facts.labels, dtype=object)
    padded = [f"{number:015}" for number in cluster.tolist()]  # in the order of the labels
    return Scores(
        **{x: getattr(facts, x) for x in OF_TALLY},
        values=matrix[:, 2:-1].reshape(len(matrix), len(facts.systems), len(facts.columns)),
        counts=as_counts(matrix[:, -1], len(matrix)),
        groups={} if facts.by is None else {facts.by: names[part]},
        clusters=np.array(padded, dtype=object) if facts.clustered else None,
    )
