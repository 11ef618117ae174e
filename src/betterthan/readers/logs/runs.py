"""Runs of evaluation harnesses: what every kind of log comes to, before it is Scores.

A harness module reads a :class:`LogFile` and yields a :class:`Run` for each system and task in it,
with a :class:`Sample` for every scored answer.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isnan
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from betterthan.data.labels import whole_text
from betterthan.errors import FormatError
from betterthan.readers.files import called, mapped, opened
from betterthan.readers.logs.json_logs import FAULTS, decode_part, fault, is_array, top_keys
from betterthan.readers.options import Options

Value = float | None
Record = TypeVar("Record")
EXPECTED, PROMPT = "expected answer", "prompt"
"""Fingerprints that do not say which sample it is."""
LONGEST_ID = 48
TEXTUAL = (str, list, dict)
"""Types of what is not a missing number, unless it writes one."""
WORDS = {"true": 1.0, "false": 0.0}
_SORTED = json.JSONEncoder(sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log: its beginning, and how it is read.

    ``name`` is what its system is called if the log does not say it; ``texts`` are the ids of the
    samples whose texts are needed.
    """

    path: Path
    head: bytes
    name: str = ""
    options: Options = field(default_factory=Options)
    texts: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """Names of the fields of the first record; empty if the file is not JSON."""
        return top_keys(self.head)

    def has(self, *marks: bytes) -> bool:
        """Whether all of these bytes are in the beginning."""
        return all(mark in self.head for mark in marks)

    def system(self, own: str, *, several: bool = False) -> str:
        """Name a system: as the log does, unless it does not or the user wants otherwise.

        Where a file holds several, it needs their own names to distinguish them.
        """
        by_file = not own or self.options.columns.get("system") == "file" or called(self.path) != ""
        name = f"{self.name} · {own}" if several and own else self.name
        return whole_text(name if by_file else own)

    def decode(self, kind: type[Record]) -> Record:
        """Decode the file, which is one JSON value."""
        record: Record = decode_part(mapped(self.path), kind, self.path)
        return record

    def beside(self, name: str, kind: type[Record]) -> Record:
        """Decode another file of its folder; where there is none, everything has its default."""
        other = replace(self, path=self.path.absolute().with_name(name))
        return other.decode(kind) if other.path.exists() else kind()

    def records(self, kind: type[Record]) -> Iterator[tuple[int, Record]]:
        """Decode records, one a line or in one array, numbered from one."""
        if is_array(self.head):
            yield from enumerate(self.decode(list[kind]), start=1)  # type: ignore[valid-type]
            return
        decoder = msgspec.json.Decoder(kind)
        with opened(self.path) as file:
            for number, line in enumerate(file, start=1):
                if not line.isspace():
                    try:
                        yield number, decoder.decode(line)
                    except FAULTS:
                        yield number, decode_part(line, kind, self.path, number)

    def fault(self, text: str, line: int | None = None) -> FormatError:
        """Make the error for what is in the file."""
        return fault(self.path, text, line)


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


@dataclass
class Run:
    """What a log says about one system on one task.

    ``samples`` are only read, into ``rows``, if the task is asked for. ``system`` and ``task`` are
    empty where the log does not name them. ``groups`` are those of the task, from the innermost to
    the outermost; of the metrics in ``lower`` the log says that lower is better.
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
    def group(self) -> str:
        """The outermost group of the task, or the task itself."""
        return self.groups[-1] if self.groups else self.task

    @cached_property
    def metrics(self) -> dict[str, bool]:
        """Metrics in their order, and whether all of their values are numbers or missing."""
        metrics: dict[str, bool] = {}
        for row in self.rows:
            for name, value in row.scores.items():
                number = not isinstance(value, TEXTUAL) or as_number(value) is not None
                metrics[name] = number and metrics.get(name, True)
        return metrics

    @cached_property
    def numeric(self) -> list[str]:
        """What can be compared: metrics that are numbers, and what the answers took."""
        took = (name for row in self.rows for name, x in row.usage.items() if x is not None)
        return list(dict.fromkeys([*(name for name, x in self.metrics.items() if x), *took]))

    def values(self, name: str) -> Iterator[Value]:
        """Values of a metric, or of what the answers took; None where there is no number."""
        of_scores = self.metrics.get(name)
        return (as_number((x.scores if of_scores else x.usage).get(name)) for x in self.rows)


def as_number(value: Any) -> Value:
    """Read a score: a number, a boolean, or text that writes either; None for anything else.

    >>> as_number(True), as_number("0.5"), as_number("true"), as_number(None)
    (1.0, 0.5, 1.0, None)
    """
    word = value.strip().lower() if isinstance(value, str) else ""
    try:
        number = WORDS[word] if word in WORDS else float(value)
    except (TypeError, ValueError):
        return None
    except OverflowError:  # an integer of hundreds of digits
        return inf if value > 0 else -inf
    return None if isnan(number) else number


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

    Bytes are one already.

    >>> digest({"a": 1, "b": ["x"]}) == digest({"b": ["x"], "a": 1}), digest("1") == digest(1)
    (True, False)
    """
    if isinstance(value, bytes):
        return value
    return hashlib.sha256(_SORTED.encode(value).encode()).digest()


def short_id(text: str) -> str:
    """Cut what is a whole prompt down to an id; a digest keeps it unique."""
    if len(text) <= LONGEST_ID:
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{' '.join(text[: LONGEST_ID - 10].split())}… {digest}"
