"""Which group (lab, base model) each system belongs to."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from betterthan.errors import Choice, FormatError, Remedy, UsageError, first_few
from betterthan.readers.files import PathName, expand_paths
from betterthan.readers.options import Options
from betterthan.readers.table_files import frame_of

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
            f"{path} must have two columns, system and group, or three, system, group and class; "
            f"it has {frame.width}"
        )
    groups: dict[str, str] = {}
    system, group, *further = frame.columns
    _add(groups, frame.select(system, group), str(path))
    if not further:
        return groups
    special: dict[str, str] = {}
    marked = frame.filter(frame[further[0]].fill_null("") != "")
    _add(special, marked.select(system, further[0]), str(path))
    return by_class(groups, special)


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


def pair_group(groups: Groups | PathName | None, systems: Sequence[str]) -> PairGroup:
    """Return the function that names the group of a pair of systems."""
    if groups is None:
        return lambda first, second: ALL_PAIRS
    if isinstance(groups, str | PathLike):
        groups = read_groups(groups)
    if callable(groups):
        return groups
    label = dict(groups)
    lacking = [name for name in systems if name not in label]
    if lacking:
        raise UsageError(
            f"{first_few(lacking)} {'have' if len(lacking) > 1 else 'has'} no group",
            Remedy("a table with a line for every system", "groups", Choice("FILE")),
        )
    return lambda first, second: SAME if label[first] == label[second] else DIFFERENT


def _frame(path: PathName) -> "pl.DataFrame":
    files = expand_paths([path])
    if len(files) > 1:
        raise FormatError(f"{path} must be one file, and it names {len(files):,}")
    frame, _ = frame_of(files[0], Options())
    if not len(frame):
        raise FormatError(f"{path} has no rows below its header")
    return frame


def _add(groups: dict[str, str], frame: "pl.DataFrame", where: str) -> None:
    """Add the groups of a frame of two columns, systems and groups."""
    for row in frame.unique(maintain_order=True).iter_rows():
        for name, value in zip(frame.columns, row, strict=True):
            if value is None or value == "":
                raise FormatError(f"{where}: a row has no {name}", Remedy("fill it in"))
        system, group = map(str, row)
        if groups.setdefault(system, group) != group:
            raise FormatError(
                f"{where}: system {system!r} has two groups, {groups[system]!r} and {group!r}"
            )
