"""What can go wrong, and how the command line exits.

::

    BetterthanError (ValueError)
    ├── UsageError            exit 2   an option, metric or system that does not exist or fit
    │   └── TallyGivenError            a tally where single items are needed
    ├── WorkersLostError      exit 2   those who shared the work are gone, and cannot be replaced
    └── DataError             exit 4   the data cannot be used as they are
        ├── FormatError                a file cannot be read or its layout is not understood
        │   └── TooLargeError          it does not fit into the memory that is allowed
        ├── AlignmentError             items are missing, duplicated or do not pair
        │   └── MissingScoresError     a system has no score for some items
        └── BadValueError              NaN, infinite or mistyped scores

Every message names what was wrong and where, and ends with what to do about it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

FIRST = 5
LONGEST = 200  # characters of a name that a message quotes


class BetterthanError(ValueError):
    """Anything the user can put right."""

    exit_code: ClassVar[int] = 2


class UsageError(BetterthanError):
    """An option, metric or system that does not exist or does not fit the data."""


class TallyGivenError(UsageError):
    """Files are tallies, where single items are needed; ``files`` are those that were opened."""

    def __init__(self, files: Sequence[Path]) -> None:
        super().__init__(
            f"{files[0]} is a tally, and this needs the single items: compare, gate, power and "
            "rank take tallies (in Python, bt.scan(FILE) reads them)"
        )
        self.files = tuple(files)


class NoKeywordError(TypeError):
    """A keyword that a call does not have, as Python itself would say."""


class WorkersLostError(BetterthanError):
    """Those who shared the work are gone, and cannot be replaced from here."""


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
    """A system has no score for some items; ``to_rank`` adds what rankings can do about it."""

    def to_rank(self) -> "MissingScoresError":
        """Return the same error where data are to be ranked."""
        return type(self)(f'{self}; rankings also take missing="pairwise"')


class BadValueError(DataError):
    """NaN, infinite or mistyped scores."""


def how_many(n: int, noun: str, verb: str = "") -> str:
    """Write how many there are of something, and what they are, have or do.

    >>> how_many(1, "item"), how_many(1319, "item"), how_many(0, "empty line")
    ('1 item', '1,319 items', '0 empty lines')
    >>> how_many(1, "row", "have"), how_many(2, "row", "have")
    ('1 row has', '2 rows have')
    """
    one = {"are": "is", "have": "has", "do": "does", "differ": "differs"}
    said = one.get(verb, verb) if n == 1 else verb
    return f"{n:,} {noun}{'s' * (n != 1)} {said}".rstrip()


def no_truth_value(name: str, value: object) -> UsageError:
    """Say that an option is true or false and nothing else: any text would count as true.

    >>> no_truth_value("lower_is_better", "false")
    UsageError("lower_is_better is True or False, not 'false'")
    """
    return UsageError(f"{name} is True or False, not {quote(value)}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Say which of the known words may have been meant, or else which there are.

    >>> did_you_mean("compre", ["compare", "rank"])
    "did you mean 'compare'?"
    >>> did_you_mean("acc", ["mcc", "accuracy"])
    "did you mean 'accuracy'?"
    >>> did_you_mean("x", ["compare", "rank"])
    'known: compare, rank'
    """
    from difflib import get_close_matches  # noqa: PLC0415 (seldom needed)

    words = sorted(known)
    begun = [w for w in words if len(word) > 2 and w.lower().startswith(word.lower())]
    close = begun[:1] or get_close_matches(word, words, n=1)
    return f"did you mean {quote(close[0])}?" if close else f"known: {', '.join(words)}"


def first_few(names: Iterable[object], of: int | None = None) -> str:
    """Quote the first five names of many, and say how many more there are, ``of`` all.

    >>> first_few(["q1", "q2"])
    "'q1', 'q2'"
    >>> first_few(range(7))
    "'0', '1', '2', '3', '4' and 2 more"
    """
    return listing([quote(str(name), LONGEST) for name in names], FIRST, of)


def listing(names: Sequence[str], most: int = 6, of: int | None = None) -> str:
    """Names with commas between them; of more than so many, the first.

    >>> listing(["a", "b", "c"], 3), listing(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    shown = ", ".join(names[:most])
    rest = (len(names) if of is None else of) - most
    return shown if rest <= 0 else f"{shown} and {rest:,} more"


def quote(value: object, most: int = 80) -> str:
    """Quote a value that may be longer than anybody wants to read, or too long to be written.

    >>> quote("x" * 10, most=8)
    "'xxxx..."
    """
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        return f"a number of {value.bit_length():,} bits" if isinstance(value, int) else "?"
    return text if len(text) <= most else f"{text[: most - 3]}..."
