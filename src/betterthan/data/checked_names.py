"""Names of systems, columns and items: no two the same, and short enough to be names."""

from collections import Counter
from collections.abc import Collection

from betterthan.errors import AlignmentError, FormatError, first_few, quote

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


def _twice(what: str, names: Collection[str]) -> AlignmentError:
    found = [name for name, times in Counter(names).items() if times > 1]
    repeats = ', or name the column that tells repeats apart with response="COLUMN"'
    return AlignmentError(
        f"{what} names must be unique, and {first_few(found)} occur more than once: remove the "
        f"duplicates{repeats if what == 'item' else ''}"
    )
