"""Runs of evaluation harnesses: what every kind of log comes to, before it is Scores.

A harness module makes a :class:`Sample` of every scored answer, and :func:`run_of` those of one
system on one task.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, inf, isnan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from betterthan.errors import AlignmentError, FormatError
from betterthan.readers.files import called, first_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.options import Options

Value = float | None
Mark = tuple[object, ...]
"""Fingerprints of a sample: of what it asks, and in the last place of what it expects; None where
the log has none."""
Entry = TypeVar("Entry")
Record = TypeVar("Record")
LONGEST_ID = 48
WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


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
    """A file of a log.

    ``name`` is what its system is called if it is called by the file; ``texts`` are the ids of the
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

    def decode(self, kind: type[Record]) -> Record:
        """Decode the file, which is one JSON value."""
        return json_logs.decode_whole(self.path, kind)

    def records(self, kind: type[Record]) -> Iterator[tuple[int, Record]]:
        """Decode records, one a line or in one array, numbered from one."""
        return json_logs.decode_records(self.path, self.head.data, kind)

    @property
    def names_system(self) -> bool:
        """Whether the user wants the system named by the file, not by what the log says."""
        return self.options.system == "file" or called(self.path) != ""

    def system(self, own: str | None, *, several: bool = False) -> str:
        """Name a system: as the log does, unless it does not or the user wants otherwise.

        Where a file holds several, it needs their own names to distinguish them.
        """
        if not own or not self.names_system:
            return own or self.name
        return f"{self.name} · {own}" if several else self.name

    def averages(self, instead: str) -> FormatError:
        """Make the error for a file without scores of samples; ``instead`` says what has them."""
        return FormatError(f"{self.path} has no scores of single samples: {instead}")


class Sample(msgspec.Struct):
    """One scored answer: values by metric, and by name what the answer took (tokens, time)."""

    item: str
    scores: Mapping[str, Value]
    usage: Mapping[str, Value] = {}
    mark: Mark = ()
    response: str | None = None
    labels: Mapping[str, str | None] = {}


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What one log says about one system on one task, one row per scored sample.

    Attributes
    ----------
    system, task : str
        Names, as the log has them.
    where : str
        The file, for messages.
    items : list of str
        The sample of each row.
    scores : mapping of str to list
        Values by metric, None where a sample has no score; the first is the metric by default.
    usage : mapping of str to list
        What the answers took (cost, tokens, time), to be compared where asked for by name.
    responses : list of str or None
        Which repeat (epoch, trial) of its sample a row is.
    labels : mapping of str to list
        Further labels of the rows.
    prints, prompts : mapping of str to object
        Fingerprints of each sample and of its prompt, where the log has any: runs must agree on
        the former, and a note says where they differ in the latter.
    words : mapping of str to str
        Metrics among whose values are texts that are not scores, and a few of these.
    texts : mapping of str to tuple
        Input, target and output of the items whose texts are needed.
    groups : tuple of str
        Groups that the task belongs to, from the innermost to the outermost.
    lower : frozenset of str
        Metrics of which the log says that lower is better.
    variant : str
        What was chosen among several, in parentheses after the metric.
    notes : tuple of str
        What the reader should know.
    """

    system: str
    task: str = ""
    where: str
    items: list[str]
    scores: Mapping[str, list[Value]]
    usage: Mapping[str, list[Value]] = {}
    responses: list[str] | None = None
    labels: Mapping[str, list[str | None]] = {}
    prints: Mapping[str, Mark] = {}
    prompts: Mapping[str, object] = {}
    words: Mapping[str, str] = {}
    texts: Mapping[str, tuple[str, str, str]] = {}
    groups: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    variant: str = ""
    notes: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The outermost group of the task, or the task itself."""
        return self.groups[-1] if self.groups else self.task

    def column(self, name: str) -> list[Value] | None:
        """Values of a metric or of what the answers took; None where the log has none."""
        if name in self.scores:
            return self.scores[name]
        return self.usage[name] if any_known(self.usage.get(name, ())) else None


def run_of(
    file: LogFile, samples: Sequence[Sample], *, repeated: bool = False, **fields: Any
) -> Run:
    """Return the run of samples in a file; ``repeated`` numbers those of one id by their order."""
    items = [sample.item for sample in samples]
    prints: dict[str, Mark] = {}
    for sample in samples:
        if sample.mark and differ(prints.setdefault(sample.item, sample.mark), sample.mark):
            raise AlignmentError(
                f"{file.path} holds different samples under the id {sample.item!r}: give "
                "every sample its own id"
            )
    responses = [sample.response or "1" for sample in samples]
    numbered = any(response != "1" for response in responses)
    return Run(
        where=str(file.path),
        items=items,
        scores=by_column(sample.scores for sample in samples),
        usage=by_column(sample.usage for sample in samples),
        labels=by_column(sample.labels for sample in samples),
        responses=responses if numbered else repeats(items) if repeated else None,
        prints=prints,
        **fields,
    )


def differ(mark: Mark | None, other: Mark | None) -> bool:
    """Whether fingerprints differ in a place that both have.

    >>> differ(("asked", None), ("asked", "expected")), differ(("a",), ("b",)), differ((), ("b",))
    (False, True, False)
    """
    pairs = zip(mark or (), other or (), strict=False)
    return any(a != b and a is not None and b is not None for a, b in pairs)


def any_known(values: Iterable[Value]) -> bool:
    """Whether there is any value at all."""
    return any(value is not None for value in values)


def as_number(value: object) -> Value:
    """Read a score: a number, a boolean, or text that writes either; None for anything else.

    >>> as_number(True), as_number("0.5"), as_number("yes"), as_number(None)
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


def unless_text(value: object) -> Value:
    """Read a score where text is an answer, never a score."""
    return None if isinstance(value, str) else as_number(value)


def numbers(record: object, read: Callable[[object], Value] = unless_text) -> dict[str, Value]:
    """Numbers among the values of a record; none of what is not a record.

    >>> numbers({"correct": True, "picked": "B", "score": None})
    {'correct': 1.0}
    """
    entries = record.items() if isinstance(record, dict) else ()
    return {str(name): value for name, x in entries if (value := read(x)) is not None}


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


def repeats(items: Sequence[str]) -> list[str] | None:
    """Number the rows of each item, where a log distinguishes repeats by their order alone.

    >>> repeats(["a", "b", "a"]), repeats(["a", "b"])
    (['1', '1', '2'], None)
    """
    if len(set(items)) == len(items):
        return None
    seen: dict[str, int] = {}
    numbered = []
    for item in items:
        seen[item] = seen.get(item, 0) + 1
        numbered.append(str(seen[item]))
    return numbered


def by_column(rows: Iterable[Mapping[str, Entry | None]]) -> dict[str, list[Entry | None]]:
    """Turn records into columns; None where a record lacks a name.

    >>> by_column([{"a": 1, "b": 2}, {"b": 3}])
    {'a': [1, None], 'b': [2, 3]}
    """
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
