"""Runs of evaluation harnesses: what every kind of log comes to, before it is Scores.

A harness module reads a :class:`LogFile` and yields a :class:`Run` for each system and task in it,
with a :class:`Sample` for every scored answer.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import copysign, inf, isnan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from betterthan.data.labels import whole_text
from betterthan.errors import FormatError
from betterthan.readers.files import called, first_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.options import Options

Value = float | None
Record = TypeVar("Record")
EXPECTED, PROMPT = "expected answer", "prompt"
"""Fingerprints that do not say which sample it is."""
LONGEST_ID = 48
ROOM, SPARSE = 1_000_000, 100
"""Scores that a table always has room for, and how many times those that a log holds."""
WORDS = {"true": 1.0, "false": 0.0}


class Head(NamedTuple):
    """What tells the format of a file: its name, its beginning, and the fields if it is JSON."""

    path: Path
    data: bytes

    @property
    def keys(self) -> frozenset[str]:
        """Names of the fields of the first record; empty if the file is not JSON."""
        return json_logs.top_keys(self.data)

    def has(self, *marks: bytes) -> bool:
        """Whether all of these bytes are in the beginning."""
        return all(mark in self.data for mark in marks)


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log, and how it is read.

    ``name`` is what its system is called if the log does not say it; ``texts`` are the ids of the
    samples whose texts are needed.
    """

    path: Path
    name: str
    options: Options
    texts: frozenset[str] = frozenset()

    @property
    def head(self) -> Head:
        """The beginning of the file."""
        return Head(self.path, first_bytes(self.path))

    def system(self, own: str, *, several: bool = False) -> str:
        """Name a system: as the log does, unless it does not or the user wants otherwise.

        Where a file holds several, it needs their own names to distinguish them.
        """
        by_file = not own or self.options.columns.get("system") == "file" or called(self.path) != ""
        name = f"{self.name} · {own}" if several and own else self.name
        return whole_text(name if by_file else own)

    def decode(self, kind: type[Record]) -> Record:
        """Decode the file, which is one JSON value."""
        return json_logs.decode_whole(self.path, kind)

    def beside(self, name: str, kind: type[Record]) -> Record:
        """Decode another file of its folder; where there is none, everything has its default."""
        path = self.path.absolute().with_name(name)
        return json_logs.decode_whole(path, kind) if path.exists() else kind()

    def fault(self, text: str, line: int | None = None) -> FormatError:
        """Make the error for what is in the file."""
        return json_logs.fault(self.path, text, line)

    def records(self, kind: type[Record]) -> Iterator[tuple[int, Record]]:
        """Decode records, one a line or in one array, numbered from one."""
        return json_logs.decode_records(self.path, self.head.data, kind)


class Sample(msgspec.Struct, gc=False):
    """One scored answer.

    Attributes
    ----------
    item : str
        The id of the sample.
    scores : mapping of str to object
        Values by metric; the first is the metric by default.
    usage : mapping of str to float or None
        What the answer took (cost, tokens, time), to be compared where asked for by name.
    marks : mapping of str to object
        What makes it the same sample in another log: its hash, what it asks. Logs must agree on
        these where they have them, except for the prompt: a note says where that differs.
    response : str or None
        Which repeat (epoch, trial) of the sample it is, where the log numbers them.
    variant : str
        How the answer was extracted, where a log has several variants of all samples.
    labels : mapping of str to str or None
        What else describes the sample.
    texts : tuple of str or None
        Input, target and output, if they are needed.
    """

    item: str
    scores: Mapping[str, Any]
    usage: Mapping[str, Value] = {}
    marks: Mapping[str, Any] = {}
    response: str | None = None
    variant: str = ""
    labels: Mapping[str, str | None] = {}
    texts: tuple[str, str, str] | None = None


@dataclass(kw_only=True)
class Run:
    """What a log says about one system on one task.

    ``samples`` are only read if the task is asked for. ``system`` and ``task`` are empty where the
    log does not name them. ``groups`` are those of the task, from the innermost to the outermost;
    of the metrics in ``lower`` the log says that lower is better.
    """

    file: LogFile
    samples: Iterable[Sample]
    system: str = ""
    task: str = ""
    groups: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    rows: list[Sample] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file."""
        return self.file.path

    @property
    def group(self) -> str:
        """The outermost group of the task, or the task itself."""
        return self.groups[-1] if self.groups else self.task

    @cached_property
    def scores(self) -> dict[str, list[Value] | None]:
        """Values by metric; none of a metric that has other values than numbers."""
        known = sum(len(row.scores) for row in self.rows)
        metrics = {name for row in self.rows for name in row.scores}
        if len(metrics) * len(self.rows) > max(ROOM, SPARSE * known):
            text = f"has {len(metrics):,} metrics of {len(self.rows):,} samples, and few scores"
            raise self.file.fault(text)
        columns = by_column(row.scores for row in self.rows)
        return {name: _as_numbers(values) for name, values in columns.items()}

    @cached_property
    def usage(self) -> dict[str, list[Value]]:
        """What the answers took, as far as it is known."""
        columns = by_column(row.usage for row in self.rows)
        return {n: x for n, x in columns.items() if any(value is not None for value in x)}

    def column(self, name: str) -> list[Value] | None:
        """Values of a metric or of what the answers took; None where the log has none."""
        return self.scores.get(name) or self.usage.get(name)


def _as_numbers(values: Sequence[Any]) -> list[Value] | None:
    """Numbers among values; None where others are there, apart from those that are missing."""
    read = list(map(as_number, values))
    blank = (value for value, x in zip(values, read, strict=True) if x is None)
    return None if any(isinstance(value, str | list | dict) for value in blank) else read


def as_number(value: object) -> Value:
    """Read a score: a number, a boolean, or text that writes either; None for anything else.

    >>> as_number(True), as_number("0.5"), as_number("true"), as_number(None)
    (1.0, 0.5, 1.0, None)
    """
    if isinstance(value, str):
        word = value.strip().lower()
        try:
            value = WORDS[word] if word in WORDS else float(word)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float):
        return None
    try:
        return None if isnan(value) else float(value)
    except OverflowError:  # an integer of hundreds of digits
        return copysign(inf, value > 0 or -1)


def numbers(record: object, *, written: bool = False) -> dict[str, Value]:
    """Numbers among the values of a record; also those ``written`` as text, in tables.

    >>> numbers({"correct": True, "picked": "1", "score": None})
    {'correct': 1.0}
    """
    entries = record.items() if isinstance(record, dict) else ()
    values = {str(name): as_number(x) for name, x in entries if written or not isinstance(x, str)}
    return {name: x for name, x in values.items() if x is not None}


def digest(value: object) -> bytes:
    """Fingerprint of a decoded value: the same however the file is indented and what it escapes.

    >>> digest({"a": 1, "b": ["x"]}) == digest({"b": ["x"], "a": 1}), digest("1") == digest(1)
    (True, False)
    """
    try:
        text = msgspec.json.encode(value, order="sorted")
    except OverflowError:  # integers of more than 64 bits
        text = json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(text).digest()


def short_id(text: str) -> str:
    """Cut what is a whole prompt down to an id; a digest keeps it unique."""
    if len(text) <= LONGEST_ID:
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{' '.join(text[: LONGEST_ID - 10].split())}… {digest}"


def by_column(records: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn records into columns; None where a record lacks a name.

    >>> by_column([{"a": 1, "b": 2}, {"b": 3}])
    {'a': [1, None], 'b': [2, 3]}
    """
    rows = list(records)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
