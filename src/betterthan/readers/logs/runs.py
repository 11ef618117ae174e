"""Runs of evaluation harnesses: what every kind of log comes to, before it is Scores."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, inf, isnan
from pathlib import Path
from typing import TypeVar

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.errors import FormatError, Remedy, UsageError
from betterthan.readers.files import called, suffix, system_names

Value = float | None
Entry = TypeVar("Entry")
LONGEST_ID = 48
WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one log says about one system on one task, one row per scored sample.

    Attributes
    ----------
    system, task : str
        Names, as the log has them.
    where : str
        The file, for messages.
    groups : tuple of str
        Groups that the task belongs to, from the inmost to the outmost.
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
        the former, and it is said where they differ in the latter. A tuple has several kinds of
        fingerprints, those of what is asked in its first half and those of what is expected in
        its second, None where the log has not that kind.
    words : mapping of str to mapping
        Texts among the values of a metric that are no scores, and how many samples have each.
    lower : frozenset of str
        Metrics of which the log says that less is better.
    variant : str
        What was chosen among several, said in parentheses after the metric.
    notes : tuple of str
        What the reader should know.
    """

    system: str
    task: str
    where: str
    items: list[str]
    scores: Mapping[str, list[Value]]
    usage: Mapping[str, list[Value]] = field(default_factory=dict)
    responses: list[str] | None = None
    labels: Mapping[str, list[str | None]] = field(default_factory=dict)
    prints: Mapping[str, object] = field(default_factory=dict)
    prompts: Mapping[str, object] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    variant: str = ""
    notes: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The outmost group of the task, or the task itself."""
        return self.groups[-1] if self.groups else self.task

    def column(self, name: str) -> list[Value] | None:
        """Values of a metric or of what the answers took; None where the log has none."""
        found = self.scores.get(name, self.usage.get(name))
        return None if found is None or (name in self.usage and not any_known(found)) else found


def any_known(values: Iterable[Value]) -> bool:
    """Whether there is any value at all."""
    return any(value is not None for value in values)


def as_number(value: object) -> Value:
    """Read a score: a number, a truth value, or text that spells either; None where it is none.

    >>> as_number(True), as_number("0.5"), as_number("yes"), as_number(None)
    (1.0, 0.5, 1.0, None)
    """
    if isinstance(value, bool | int | float):
        try:
            return None if isnan(value) else float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return copysign(inf, value > 0 or -1)
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if word in WORDS:
        return WORDS[word]
    try:
        number = float(word)
    except ValueError:
        return None
    return None if isnan(number) else number


def digest(value: object) -> bytes:
    """Fingerprint of a decoded value: the same however the file is indented and what it escapes.

    >>> digest({"a": 1, "b": ["x"]}) == digest({"b": ["x"], "a": 1}), digest("1") == digest(1)
    (True, False)
    """
    try:
        spelled = msgspec.json.encode(value, order="sorted")
    except OverflowError:  # whole numbers of more than 64 bits
        spelled = json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(spelled).digest()


def short_id(text: str) -> str:
    """Cut what is a whole prompt down to an id; a digest keeps it unique."""
    if len(text) <= LONGEST_ID:
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{' '.join(text[: LONGEST_ID - 10].split())}… {digest}"


def repeats(items: Sequence[str]) -> list[str] | None:
    """Number the rows of each item, where a log tells repeats by their order alone.

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


BY_FILE = Remedy("name runs by their files", "columns", {"system": "file"})


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log, and what its system is called if it is called by the file."""

    path: Path
    name: str
    options: Options

    @property
    def names_system(self) -> bool:
        """Whether the user wants systems named by their files, not by what the logs say."""
        return self.options.system == "file" or called(self.path) != ""

    def system(self, own: str | None, *, several: bool = False) -> str:
        """Name a system: as the log does, unless it does not or the user wants otherwise.

        Where a file holds several, it needs their own names to tell them apart.
        """
        if not own or not self.names_system:
            return own or self.name
        return f"{self.name} · {own}" if several else self.name

    def refuse_suffix(self, kind: str, *allowed: str) -> None:
        """Refuse a file whose suffix promises something else than what it is."""
        promised = suffix(self.path)
        if self.options.input_format is None and promised and promised not in allowed:
            raise FormatError(
                f"{self.path} is named as {promised} and looks like a log of {kind}: correct its "
                "suffix",
                Remedy("read it as it looks", "input_format", kind),
            )


def log_files(files: Sequence[Path], options: Options) -> list[LogFile]:
    """Pair the files of logs with the names that their systems may have by them."""
    if options.system not in (None, "file", "model"):
        raise UsageError(
            f"logs name their systems themselves, or their files do, but no column, such as "
            f"{options.system!r}",
            BY_FILE,
        )
    names = system_names(files)
    return [LogFile(path, name, options) for path, name in zip(files, names, strict=True)]
