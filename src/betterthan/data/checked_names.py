"""Names of systems, columns and items: no two the same, and short enough to be names."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Literal

from betterthan.errors import (
    AlignmentError,
    FormatError,
    Remedy,
    UsageError,
    closest,
    first_few,
    quote,
)

LONGEST = 1000  # characters of a name; what is longer is text that was taken for one


def check_names(what: str, names: Collection[str]) -> None:
    """Refuse names that occur twice, and what is too long for a name."""
    if len(set(names)) < len(names):
        raise _twice(what, names)
    longest = max(names, key=len, default="")
    if len(longest) > LONGEST:
        raise FormatError(
            f"the name of a {what} has {len(longest):,} characters ({quote(longest)}): names have "
            f"at most {LONGEST:,}; rename it, or check that the columns are what they seem"
        )


def check_unique(what: str, names: Collection[str]) -> None:
    """Refuse names that occur twice."""
    if len(set(names)) < len(names):
        raise _twice(what, names)


def unknown_system(
    name: object,
    known: Collection[str],
    parameter: Literal["systems", "baseline", "candidate"] = "systems",
    named: Sequence[object] = (),
) -> UsageError:
    """Make the error for a system that there is not, among those ``named``.

    >>> unknown_system("nwe", ["base", "new"], named=["base", "nwe"]).remedy
    Remedy(does='', parameter='systems', value=['base', 'new'], command=None)
    """
    close = closest(name, known) if isinstance(name, str) else None
    remedies = []
    if close is not None:
        meant = [close if each == name else each for each in named or [name]]
        remedies = [Remedy("", parameter, meant if parameter == "systems" else close)]
    return UsageError(f"there is no system {quote(name)}; there are {first_few(known)}", *remedies)


def _twice(what: str, names: Collection[str]) -> AlignmentError:
    found = [name for name, times in Counter(names).items() if times > 1]
    return AlignmentError(
        f"{what} names must be unique, and {first_few(found)} occur more than once: remove the "
        "duplicates"
    )
