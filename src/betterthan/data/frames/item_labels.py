"""Labels that a table gives its items: clusters, and columns to break results down by."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from betterthan.data.frames import cells, numbering
from betterthan.data.frames.roles import plain, suggested
from betterthan.data.frames.typed_rows import TypedRows
from betterthan.data.labels import Ids, Labels, names_at
from betterthan.errors import (
    COLUMN,
    FIRST,
    AlignmentError,
    Note,
    Remedy,
    first_few,
    how_many,
    quote,
)
from betterthan.numeric import Ints

if TYPE_CHECKING:
    import polars as pl

    Folded = TypeVar("Folded", pl.Series, pl.Expr)

# What all systems were given, or should have said: the same for whoever answers an item.
GIVEN = re.compile(
    r"((question|query|problem|prompt|instruction|input|source|premise|reference|gold|target|"
    r"sentence|utterance|passage|claim|article)(_(text|answer|label|hash))?|"
    r"(doc|document)_(text|hash)|((text|content|item|sample|input)_)?hash|title|url|"
    r"file_?name|image|audio|(image|audio)_(file|path|url)|"
    r"src|ref|golden|truth|ground_truth|y_true|expected)"
)
# Of these only the end counts: the same file may be kept in a folder of each system.
_PATH = re.compile(r"url|file_?name|image|audio|(image|audio)_(file|path|url)")
# Which data these are, though a system may have one value throughout.
DATA = re.compile(
    r"(task|data_?set|benchmark|suite|corpus|test_?set|subset|split|language|lang)(_?name)?|"
    r"lang_?pair|language_pair|locale"
)
# What systems say and how that was judged, in which they may well have the same few values.
_SAID = re.compile(
    r"(.*_)?(answers?|responses?|outputs?|pred|preds|predictions?|predicted|labels?|generated|"
    r"generations?|completions?|hypothesis|hyp|verdict|judge?ment|choice|decision|outcome|winner|"
    r"status|reason|result|grade|class|error|stop)(_.*)?"
)
_NUMBERED = re.compile(r"(request|req|call|trace|span|run|job|batch|log|response)_?(id|no|key)")
ENOUGH = 8  # items from which the values of a label tell that they are in another order
DISTINCT, SAME = 0.95, 0.9  # share of values of one item each, and of values that systems share
SHOWN, BEFORE = 80, 20  # characters of texts that differ, and of what they have in common
MANY = 10  # values from which those of any label, as often in each system, are no chance


def item_labels(
    table: TypedRows, item: Ints, items: Ids | None, n: int, system: Ints, *, sure: bool
) -> tuple[dict[str, Labels], Labels | None, tuple[str, ...], int, dict[str, str]]:
    """Return labels of the items, their clusters, what is to be said, and how many clusters.

    Also returns why columns are no labels that might have been.

    ``item`` and ``system`` code the rows. A label is one value per item: a column whose values
    differ between the rows of an item, as answers of the systems do, is none. Questions that differ
    between systems are other items, unless the user is ``sure`` of what names them.
    """
    groups: dict[str, Labels] = {}
    differing: dict[str, str] = {}
    notes: list[str] = []
    clusters, distinct = None, 0
    for name in table.labels.columns:
        coded, values = numbering.codes(table.labels[name])
        rows, kinds = item, coded
        if (coded < 0).any():
            rows, kinds = item[coded >= 0], coded[coded >= 0]
        label = np.full(n, -1, dtype=np.int64)
        label[rows[::-1].copy()] = kinds[::-1].copy()  # an item's first row is written last: stays
        wrong = rows[kinds != label.take(rows)]
        if wrong.size and not sure:
            owners = system[coded >= 0]
            found = _Rows(rows, _as_told(name, kinds, values), owners, kinds)
            if GIVEN.fullmatch(plain(name)):
                _refuse_other_items(table, name, found, items)
            if DATA.fullmatch(plain(name)):
                _refuse_other_data(table, name, found, items)
            _refuse_other_order(table, name, found, items, values)
        if name == table.roles.cluster:
            _check_clusters(table, label, wrong, items)
            distinct = len(values)
            groups[name] = clusters = cells.labels(values, label)
        elif len(values) >= n and name not in table.roles.described:
            continue  # a value of its own for every item labels nothing, unless it was asked for
        elif wrong.size:
            differing[name] = _several(name, wrong, items, n)
        else:
            groups[name] = cells.labels(values, label)
            if "cluster" in suggested(name) and table.roles.cluster is None:
                notes.append(may_share(len(values), name))
    if differing:
        plural = "s" * (len(differing) > 1)
        notes.append(
            f"column{plural} {first_few(differing)} not used as labels: the rows of one item differ"
        )
    return groups, clusters, tuple(notes), distinct, differing


class _Rows(NamedTuple):
    """Rows of a table that have a label: of which item, with which value, of which system.

    Values that are ``written`` differently may be the same.
    """

    item: Ints
    value: Ints
    system: Ints
    written: Ints


def _as_told(name: str, kinds: Ints, values: "pl.Series") -> Ints:
    """Number alike what is only written differently: names of data, and files in other folders."""
    if DATA.fullmatch(plain(name)):
        told = values.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]", "")
    elif _PATH.fullmatch(plain(name)):
        told = values.str.strip_chars_end("/").str.extract(r"([^/\\]*)$")
    else:
        if not GIVEN.fullmatch(plain(name)):
            return kinds
        told = folded(values)
    return numbering.codes(told)[0][kinds]


def folded(texts: "Folded") -> "Folded":
    """Texts without what nobody sees: how accents are put together, line ends, runs of blanks."""
    return texts.str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()


def apart(one: str, other: str) -> str:
    """Quote two texts from where they begin to differ, or from a little before.

    >>> apart("What is 2 + 2?", "What is 2 + 3?")
    "'What is 2 + 2?' and 'What is 2 + 3?'"
    >>> apart("x" * 500 + "a", "x" * 500 + "b" * 500)[:26]
    "'...xxxxxxxxxxxxxxxxxxxxa'"
    """
    pairs = enumerate(zip(one, other, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = 0 if max(len(one), len(other)) <= SHOWN else max(same - BEFORE, 0)
    dots = "..." if start else ""
    return " and ".join(quote(dots + text[start:], SHOWN) for text in (one, other))


def _refuse_other_items(table: TypedRows, name: str, rows: _Rows, items: Ids | None) -> None:
    """Refuse items of which no question is common to all systems that have them.

    Systems may be asked several ways (prompts as responses), as long as they share one. A value
    that a system has on all items is a name of its prompt or source, and no question.
    """
    systems = int(rows.system.max()) + 1
    if len(np.unique(rows.value * systems + rows.system)) == len(np.unique(rows.system)):
        return
    at, _ = _differing(rows)
    if not at.size:
        return
    # Pairing by it finds each item in every system, once.
    pairs = len(np.unique(rows.written * systems + rows.system))
    alike = pairs == len(np.unique(rows.written)) * len(np.unique(rows.system))
    once = pairs == len(np.unique(rows.item * systems + rows.system))
    how, shown = _items(at, items, "differ")
    texts = _first_apart(table, name, rows, int(at[0]))
    raise other_items(
        f"{table.origin}: paired by {'position' if items is None else 'id'}, "
        f"{how} in {name!r} between the systems ({shown}; {texts})",
        name if alike and once else None,
        table.roles.item,
    )


def _first_apart(table: TypedRows, name: str, rows: _Rows, item: int) -> str:
    """Two values of an item that differ."""
    mine = np.flatnonzero(rows.item == item)
    other = mine[rows.value[mine] != rows.value[mine[0]]][0]
    texts = table.labels[name].drop_nulls()[[int(mine[0]), int(other)]].to_list()
    return apart(*texts)


def _items(at: Ints, items: Ids | None, verb: str) -> tuple[str, str]:
    """How many items do something, and the names of the first."""
    return how_many(at.size, "item", verb), first_few(names_at(items, at[:FIRST]), of=at.size)


def _differing(rows: _Rows) -> tuple[Ints, int]:
    """Items of which no value is common to all systems, and how many several systems have."""
    values, systems = int(rows.value.max()) + 1, int(rows.system.max()) + 1
    asked = np.unique((rows.item * values + rows.value) * systems + rows.system) // systems
    question, owners = np.unique(asked, return_counts=True)
    shared = np.zeros(int(rows.item.max()) + 1, dtype=np.int64)
    np.maximum.at(shared, question // values, owners)
    present = np.bincount(np.unique(rows.item * systems + rows.system) // systems)
    return np.flatnonzero(shared < present), int((present > 1).sum())


def _refuse_other_data(table: TypedRows, name: str, rows: _Rows, items: Ids | None) -> None:
    """Refuse systems whose tasks differ on most items: other data that are numbered alike."""
    at, common = _differing(rows)
    if 2 * at.size < common:
        return
    first = np.flatnonzero(rows.item == at[0]).tolist()
    told = dict.fromkeys(table.labels[name].drop_nulls()[first].to_list())
    how = how_many(at.size, "item", "differ")
    raise other_data(
        f"{table.origin}: paired by {'position' if items is None else 'id'}, "
        f"{how} in {name!r} between the systems ({first_few(told)})",
        name,
        table.roles.item,
    )


def _refuse_other_order(
    table: TypedRows, name: str, rows: _Rows, items: Ids | None, values: "pl.Series"
) -> None:
    """Refuse systems that have the same values of a label, but on other items.

    By id, only a value for nearly every item tells, and whoever wrote it: no two systems say the
    same things on other items. By position, it is enough that each value is there as often, if the
    label is known to describe items, or has many values.
    """
    if _NUMBERED.fullmatch(plain(name)) or not values.head(FIRST).str.contains(r"\p{L}").any():
        return  # numbers of rows, or of requests in the order in which they came back
    describes = "cluster" in suggested(name) or (
        "aside" in suggested(name) or DATA.fullmatch(plain(name)) is not None
    )
    said = _SAID.fullmatch(plain(name)) is not None
    shape = (int(rows.item.max()) + 1, int(rows.system.max()) + 1)
    cells = np.full(shape, -1, dtype=np.int64)
    cells[rows.item[::-1], rows.system[::-1]] = rows.value[::-1]
    for k in range(1, shape[1]):
        both = (cells[:, 0] >= 0) & (cells[:, k] >= 0)
        one, other = cells[both, 0], cells[both, k]
        if one.size < ENOUGH or 2 * np.count_nonzero(one != other) <= one.size:
            continue
        mine, theirs = np.unique(one), np.unique(other)
        least = DISTINCT * one.size
        named = min(mine.size, theirs.size) >= least and (
            np.intersect1d(mine, theirs).size >= SAME * max(mine.size, theirs.size)
        )
        often = items is None and not said and (describes or mine.size >= MANY)
        if named or (often and np.array_equal(np.sort(one), np.sort(other))):
            at = np.flatnonzero(both)[one != other]
            same = mine.size == theirs.size == one.size and np.array_equal(mine, theirs)
            how, shown = _items(at, items, "differ")
            raise other_items(
                f"{table.origin}: paired by {'position' if items is None else 'id'}, the systems "
                f"have the same values of {name!r}, but on other items ({how}: {shown})",
                name if same else None,
                table.roles.item,
            )


def may_share(number: int, name: str) -> Note:
    """The note on a label that looks like a cluster and is not used as one."""
    return Note(
        f"items share {number:,} values of {name!r} and may not be independent",
        Remedy("", "columns", {"cluster": name}),
        beside_verdict=True,
    )


def other_items(found: str, name: str | None, item: Sequence[str]) -> AlignmentError:
    """Ask what names the items, where what the systems were given differs.

    ``name`` is the column by whose values all items would be paired, if there is one.
    """
    pair = [Remedy("pair by it", "columns", {"item": name})] if name else []
    return AlignmentError(f"{found}: are these the same items?", *pair, *_the_same_items(item))


def other_data(found: str, name: str, item: Sequence[str]) -> AlignmentError:
    """Say that the systems were run on other data, whose items have the same ids."""
    return AlignmentError(
        f"{found}: compare scores of the same {plain(name)}", *_the_same_items(item)
    )


def _the_same_items(item: Sequence[str]) -> list[Remedy]:
    if item:
        return [Remedy("these are the same items", "columns", {"item": "+".join(item)})]
    return [Remedy("leave that column out if the lines are the same items")]


def _several(name: str, wrong: Ints, items: Ids | None, n: int) -> str:
    """Say which items have several values; the ids of all would cost more than their reading."""
    at = np.flatnonzero(np.bincount(wrong, minlength=n))
    shown = first_few(names_at(items, at[:FIRST]), of=at.size)
    return (
        f"{how_many(at.size, 'item', 'have')} more than one {name!r} ({shown}): files, or rows of "
        "one, disagree; give every item one"
    )


def _check_clusters(table: TypedRows, label: Ints, wrong: Ints, items: Ids | None) -> None:
    for at, what in ((np.unique(wrong), "more than one"), (np.flatnonzero(label < 0), "no")):
        if at.size:
            names = first_few(at + 1 if items is None else items[at])
            raise AlignmentError(
                f"{table.origin}: {how_many(at.size, 'item', 'have')} {what} cluster in "
                f"{table.roles.cluster!r} ({names}): write one for every item",
                Remedy("use another column", "columns", {"cluster": COLUMN}),
            )
