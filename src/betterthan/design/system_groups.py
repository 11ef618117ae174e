"""Which group (lab, base model) each system belongs to: from a table, its name, or a column."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from betterthan.blame import blames_arguments
from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import suggested
from betterthan.errors import FormatError, UsageError, first_few
from betterthan.readers.files import PathName, expand_paths
from betterthan.readers.tables.table_files import frame_of

if TYPE_CHECKING:
    import polars as pl

ALL_PAIRS = "all pairs"
SAME, DIFFERENT = "same", "different"

PairGroup = Callable[[str, str], str | None]
Groups = Mapping[str, str] | PairGroup
"""A label per system; or a function of two systems' names that names the group of their pair, or
returns None to leave it out."""


def read_groups(path: PathName) -> Groups:
    """Read a table of two columns, systems and their groups; or of three, see :func:`by_class`.

    In a third column systems of a special kind, such as combinations of others, have its name; the
    other systems have nothing there.
    """
    frame = _frame(path)
    if frame.width not in (2, 3):
        raise FormatError(
            f"{path} has {frame.width} column{'s' * (frame.width > 1)}: give two, system and "
            "group, or three: system, group and class"
        )
    found: dict[str, str] = {}
    system, group, *further = frame.columns
    _add(found, frame.select(system, group), str(path))
    if not further:
        return found
    special: dict[str, str] = {}
    marked = frame.filter(frame[further[0]].fill_null("") != "")
    _add(special, marked.select(system, further[0]), str(path))
    return by_class(found, special)


def by_class(groups: Mapping[str, str], classes: Mapping[str, str]) -> PairGroup:
    """Group pairs into those within a class, by its name, and others into same and different.

    As in Figure 4 of Berg-Kirkpatrick et al. (2012): combinations of systems are compared with each
    other, whoever entered them, and other systems with each other; pairs of unlike classes are
    left out. ``classes`` names the systems of a class; those without one are in none.

    >>> labs = {"a": "x", "b": "x", "c": "y", "ab": "x", "abc": "y"}
    >>> group = by_class(labs, {"ab": "combination", "abc": "combination"})
    >>> group("a", "b"), group("a", "c"), group("ab", "abc"), group("a", "ab")
    ('same', 'different', 'combination', None)
    """

    def group_of(first: str, second: str) -> str | None:
        kinds = classes.get(first, ""), classes.get(second, "")
        if kinds[0] != kinds[1]:
            return None
        return kinds[0] or pair_group(groups, (first, second))(first, second)

    return group_of


@blames_arguments
def groups_by_name(systems: Sequence[str], pattern: str) -> dict[str, str]:
    """Find each system's group in its name: what the last parenthesis matches, or all of it.

    >>> groups_by_name(["x-1", "x-2", "y-1"], "^[a-z]")
    {'x-1': 'x', 'x-2': 'x', 'y-1': 'y'}
    """
    try:
        finder = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{pattern!r} is no regular expression ({error}): correct it") from error
    found = {name: finder.search(name) for name in systems}
    lost = [name for name, match in found.items() if match is None]
    if lost:
        raise UsageError(f"{pattern!r} finds no group in {first_few(lost)}: widen it")
    return {name: match[match.lastindex or 0] for name, match in found.items() if match}


def groups_by_column(
    paths: Sequence[PathName], column: str, system: str | None = None
) -> dict[str, str]:
    """Read each system's group from a column of long tables."""
    found: dict[str, str] = {}
    for path in expand_paths(paths):
        frame = _frame(path)
        names = frame.columns
        key = system or next((name for name in names if "system" in suggested(name)), "system")
        for name in (key, column):
            if name not in names:
                raise UsageError(f"{path} has no column {name!r}; it has {first_few(names)}")
        if key == column:
            raise UsageError(f"{key!r} names the systems of {path}: name the column of groups")
        _add(found, frame.select(key, column), str(path))
    return found


def pair_group(groups: Groups | None, systems: Sequence[str]) -> PairGroup:
    """Return the function that names the group of a pair of systems."""
    if groups is None:
        return lambda first, second: ALL_PAIRS
    if callable(groups):
        return groups
    label = dict(groups)
    lacking = [name for name in systems if name not in label]
    if lacking:
        raise UsageError(f"system {lacking[0]!r} has no group: give every system a label")
    return lambda first, second: SAME if label[first] == label[second] else DIFFERENT


def _frame(path: PathName) -> "pl.DataFrame":
    files = expand_paths([path])
    if len(files) > 1:
        raise FormatError(f"{path} means {len(files):,} files: name one")
    frame, named = frame_of(files[0], Options(), as_text=True)
    if not named:
        raise FormatError(f"{path} has no line of names: put one above the data (system,group)")
    if not len(frame):
        raise FormatError(f"{path} has no rows below its line of names: fill it in")
    return frame


def _add(found: dict[str, str], frame: "pl.DataFrame", where: str) -> None:
    """Add the groups of a frame of two columns, systems and groups."""
    for row in frame.unique(maintain_order=True).iter_rows():
        for name, value in zip(frame.columns, row, strict=True):
            if value is None or value == "":
                raise FormatError(f"{where}: a row has no {name}: fill it in")
        system, group = map(str, row)
        if found.setdefault(system, group) != group:
            raise FormatError(
                f"{where}: system {system!r} has two groups, {found[system]!r} and {group!r}: give "
                "it one"
            )
