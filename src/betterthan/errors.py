"""What can go wrong, what to do about it, and how the command line exits.

::

    BetterthanError (ValueError)
    ├── UsageError            exit 2   an option, metric or system that does not exist or fit
    ├── WorkersLostError      exit 2   the workers of a pool died and cannot be replaced
    └── DataError             exit 4   the data cannot be used as they are
        ├── FormatError                a file cannot be read or its layout is not understood
        │   └── TooLargeError          it does not fit into the memory that is allowed
        ├── AlignmentError             items are missing, duplicated or do not pair
        │   └── MissingScoresError     a system has no score for some items
        └── BadValueError              NaN, infinite or mistyped scores

A message says what is wrong and where. What to do about it is data: :class:`Remedy`. Python shows a
remedy as a keyword (:func:`as_keyword`), the command line as an option.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self, cast, get_args

FIRST = 5
LONGEST = 200  # characters of a name that a message quotes

Parameter = Literal[
    "accuracy", "agreement", "all", "alpha", "alternative", "band", "baseline", "bounds", "budget",
    "by", "candidate", "cluster", "columns", "config", "copies", "correction", "data", "draws",
    "each", "effect", "eps", "eps_a", "eps_b", "format", "goal", "gold", "groups", "input_format",
    "items", "law", "limits", "lower_is_better", "margin", "method", "metric", "missing", "null",
    "output", "per_item", "percentile", "plan", "power", "quick", "published", "raters", "ref",
    "repeats", "resamples", "responses", "rng", "sampling", "save", "sd", "show", "similarity",
    "simulations", "sizes", "systems", "test", "test_sets", "threshold", "unit", "where", "workers",
]  # fmt: skip
"""Every keyword that a remedy may set; the options of the command line have the same names."""

Command = Literal[
    "compare", "rank", "score", "gate", "power", "responses compare", "responses study",
    "responses simulate", "study", "reproduce", "demo", "inspect", "list",
]  # fmt: skip  # fmt: skip
"""Commands that a remedy may send the reader to; in Python, the functions of the same name."""


class Choice(str):
    """A value that the reader has to fill in, such as ``Choice("FILE")``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


COLUMN = Choice("COLUMN")
"""The name of a column, for the reader to fill in."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do about an error or a note.

    Attributes
    ----------
    does : str
        What it does, in a few words: "leave these 11 items out for everyone".
    parameter : str or None
        The keyword to set; None where something has to be done by hand.
    value : object
        What to set it to; a :class:`Choice` is for the reader to fill in. A mapping of roles to
        columns, a sequence of names, a number or text are written as they are typed.
    command : str or None
        Another command that answers the question, and the function of that name.
    """

    does: str = ""
    parameter: Parameter | None = None
    value: object = None
    command: Command | None = None


def as_keyword(remedy: Remedy) -> str:
    """Write a remedy as it is typed in Python; empty where it is something to do by hand.

    >>> as_keyword(Remedy("leave them out", "missing", "drop"))
    'missing="drop"'
    >>> as_keyword(Remedy("", "ref", Choice("FILE")))
    'ref=FILE'
    >>> as_keyword(Remedy("", "columns", {"item": "id"}))
    'columns={"item": "id"}'
    >>> as_keyword(Remedy("its score, with an interval", command="score"))
    'bt.score(...)'
    """
    keyword = f"{remedy.parameter}={_literal(remedy.value)}" if remedy.parameter else ""
    if remedy.command is None:
        return keyword
    return f"bt.{remedy.command.replace(' ', '.')}({keyword or '...'})"


Advice = Callable[[Remedy], str]
"""Writes a remedy as it is typed: as a keyword of Python, or as an option of the command line."""


def _literal(value: object) -> str:
    """Write a value as Python does, with double quotation marks around text."""
    if isinstance(value, Choice):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"' if "'" not in repr(value)[1:-1] and '"' not in value else repr(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Where:
    """The place of an error, as far as it has one: a file, its line, a column, items."""

    file: Path | None = None
    line: int | None = None
    column: str | None = None
    items: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}" if self.line is None else f"{self.file}, line {self.line:,}"


class BetterthanError(ValueError):
    """Anything that the user can fix.

    ``message`` says what is wrong and where, ``remedies`` what to do about it: the first is
    ``remedy``. ``str(error)`` shows both. ``where`` is the place, for programs.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *remedies: Remedy, where: Where = Where()) -> None:
        super().__init__(message, *remedies)
        self.message = message
        self.remedies = remedies
        self.where = where

    @property
    def remedy(self) -> Remedy | None:
        """The first remedy, if there is any."""
        return self.remedies[0] if self.remedies else None

    def with_remedies(self, *remedies: Remedy) -> Self:
        """Return the same error with further remedies."""
        error = copy(self)
        error.remedies = (*self.remedies, *remedies)
        error.args = (self.message, *error.remedies)
        return error

    @property
    def details(self) -> tuple[str, ...]:
        """Lines that show what the message is about, such as the columns of a table."""
        return ()

    def __str__(self) -> str:
        shown = [(as_keyword(remedy), remedy.does) for remedy in self.remedies]
        tries = (f"try: {'   '.join(filter(None, words))}" for words in shown)
        return "\n".join([self.message, *self.details, *tries])


class UsageError(BetterthanError):
    """An option, metric or system that does not exist or does not fit the data."""


class NoKeywordError(TypeError):
    """A call has no such keyword; Python itself raises a TypeError."""


class WorkersLostError(BetterthanError):
    """The workers of a pool died, and cannot be replaced from here."""


class DataError(BetterthanError):
    """The data cannot be used as they are."""

    exit_code: ClassVar[int] = 4


class FormatError(DataError):
    """A file cannot be read, or its layout is not understood."""


class TooLargeError(FormatError):
    """A file does not fit into the memory that is allowed."""


class AlignmentError(DataError):
    """Items are missing, duplicated or do not pair."""


class MissingScoresError(AlignmentError):
    """A system has no score for some items."""


class BadValueError(DataError):
    """NaN, infinite or mistyped scores."""


PAIRWISE = Remedy("rank systems by the items that each two share", "missing", "pairwise")
"""What rankings can do about missing scores."""


class Note(str):
    """Something the reader should know, with what answers it.

    A note is text and behaves like it. ``remedy`` is what to add or change; ``beside_verdict``
    marks a warning that could overturn the verdict and therefore stands right under it.
    """

    __slots__ = ("beside_verdict", "remedy")
    remedy: Remedy | None
    beside_verdict: bool

    def __new__(
        cls, text: str, remedy: Remedy | None = None, *, beside_verdict: bool = False
    ) -> Self:
        """Make a note of its text and its remedy."""
        note = super().__new__(cls, text)
        note.remedy, note.beside_verdict = remedy, beside_verdict
        return note

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled_note, (str(self), self.remedy, self.beside_verdict)


def _unpickled_note(text: str, remedy: Remedy | None, beside_verdict: bool) -> Note:
    return Note(text, remedy, beside_verdict=beside_verdict)


def remedy_of(note: str) -> Remedy | None:
    """The remedy of a note, if it has any."""
    return note.remedy if isinstance(note, Note) else None


def how_many(n: int, noun: str, verb: str = "") -> str:
    """Write a number with its noun, and a verb that agrees with it.

    >>> how_many(1, "item"), how_many(1319, "item"), how_many(0, "empty line")
    ('1 item', '1,319 items', '0 empty lines')
    >>> how_many(1, "row", "have"), how_many(2, "row", "have")
    ('1 row has', '2 rows have')
    """
    one = {"are": "is", "have": "has", "do": "does", "differ": "differs"}
    agreed = one.get(verb, verb) if n == 1 else verb
    return f"{n:,} {noun}{'s' * (n != 1)} {agreed}".rstrip()


def closest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that a mistyped one probably stands for; None if none is close.

    Of words that are equally close, the first is returned.

    >>> closest("compre", ["compare", "rank"]), closest("acc", ["mcc", "accuracy"])
    ('compare', 'accuracy')
    >>> closest("BLEU", ["bleu", "ter"]), closest("x", ["compare", "rank"])
    ('bleu', None)
    """
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 (rarely needed)

    words = {each.lower(): each for each in reversed(list(known))}
    lower, order = str(word).lower(), list(words)[::-1]  # a caller may name anything
    begun = [each for each in order if len(lower) > 2 and each.startswith(lower)]
    close = begun or get_close_matches(lower, order, n=max(len(order), 1))
    close.sort(key=lambda each: (-SequenceMatcher(None, each, lower).ratio(), order.index(each)))
    return words[close[0]] if close else None


def not_one_of(name: str, value: object, known: Iterable[str]) -> UsageError:
    """Make the error for a value that an option does not take; its remedy is the closest one.

    >>> not_one_of("correction", "hom", ["holm", "none"]).remedy
    Remedy(does='', parameter='correction', value='holm', command=None)
    """
    words = list(known)
    close = closest(value, words) if isinstance(value, str) else None
    remedies = settings(name, close)
    return UsageError(f"{name} must be one of {', '.join(words)}, got {quote(value)}", *remedies)


def settings(name: str, value: object) -> list[Remedy]:
    """Return the remedy that sets an argument to a value, where there is a value and it may be set.

    >>> settings("alpha", 0.05), settings("alpha", None), settings("k", 3)
    ([Remedy(does='', parameter='alpha', value=0.05, command=None)], [], [])
    """
    known = value is not None and name in get_args(Parameter)
    return [Remedy("", cast("Parameter", name), value)] if known else []


def first_few(names: Iterable[object], of: int | None = None) -> str:
    """Quote the first five names, and count the rest, ``of`` so many in all.

    >>> first_few(["q1", "q2"])
    "'q1', 'q2'"
    >>> first_few(range(7))
    "'0', '1', '2', '3', '4' and 2 more"
    """
    return listing([quote(str(name), LONGEST) for name in names], FIRST, of)


def listing(names: Sequence[str], most: int = 6, of: int | None = None) -> str:
    """Join names with commas; of more than ``most``, the first and a count of the rest.

    >>> listing(["a", "b", "c"], 3), listing(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    shown = ", ".join(names[:most])
    rest = (len(names) if of is None else of) - most
    return shown if rest <= 0 else f"{shown} and {rest:,} more"


def quote(value: object, most: int = 80) -> str:
    """Quote a value, and shorten what is too long to read.

    >>> quote("x" * 10, most=8)
    "'xxxx..."
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        return f"a number of {value.bit_length():,} bits" if isinstance(value, int) else "?"
    return text if len(text) <= most else f"{text[: most - 3]}..."
