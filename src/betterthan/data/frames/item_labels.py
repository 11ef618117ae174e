"""Labels that a table gives its items: clusters, and columns to break results down by."""

import re
from collections.abc import Sequence

import numpy as np

from betterthan.data.frames import cells, numbering
from betterthan.data.frames.roles import plain, suggested
from betterthan.data.frames.typed_rows import TypedRows
from betterthan.data.ids import Ids, Labels, names_at
from betterthan.errors import FIRST, AlignmentError, first_few, how_many
from betterthan.numeric import Ints

# What all systems were given, or should have said: the same for whoever answers an item.
GIVEN = re.compile(
    r"((question|query|problem|prompt|instruction|input|source|premise|reference|gold|target)"
    r"(_(text|answer|label|hash))?|src|ref|golden|truth|ground_truth|y_true|expected|doc_hash)"
)


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
        if wrong.size and not sure and GIVEN.fullmatch(plain(name)):
            owners = system[coded >= 0]
            _refuse_other_items(table, name, item=rows, value=kinds, system=owners, items=items)
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
                notes.append(
                    f"items share {len(values):,} values of {name!r} and may not be independent"
                    f' -> cluster="{name}"'
                )
    if differing:
        plural = "s" * (len(differing) > 1)
        notes.append(
            f"column{plural} {first_few(differing)} not used as labels: the rows of one item differ"
        )
    return groups, clusters, tuple(notes), distinct, differing


def _refuse_other_items(
    table: TypedRows, name: str, *, item: Ints, value: Ints, system: Ints, items: Ids | None
) -> None:
    """Refuse items of which no question is common to all systems that have them.

    Systems may be asked several ways (prompts as responses), as long as they share one. A value
    that a system has on all items is a name of its prompt or source, and no question.
    """
    values, systems = int(value.max()) + 1, int(system.max()) + 1
    if len(np.unique(value * systems + system)) == len(np.unique(system)):
        return
    asked = np.unique((item * values + value) * systems + system) // systems
    question, owners = np.unique(asked, return_counts=True)
    shared = np.zeros(int(item.max()) + 1, dtype=np.int64)
    np.maximum.at(shared, question // values, owners)
    present = np.bincount(np.unique(item * systems + system) // systems)
    if not (at := np.flatnonzero(shared < present)).size:
        return
    shown = first_few(names_at(items, at[:FIRST]), of=at.size)
    raise other_items(
        f"{table.origin}: paired by {'position' if items is None else 'id'}, "
        f"{how_many(at.size, 'item', 'differ')} in {name!r} between the systems ({shown})",
        name,
        table.roles.item,
    )


def other_items(found: str, name: str, item: Sequence[str]) -> AlignmentError:
    """Ask what names the items, where what the systems were given differs."""
    sure = "leave that column out if the lines are the same items"
    if item:
        sure = f'say item="{",".join(item)}" if the ids are right'
    return AlignmentError(
        f'{found}: are these the same items? Pair by it with item="{name}", or {sure}'
    )


def _several(name: str, wrong: Ints, items: Ids | None, n: int) -> str:
    """Say which items have several values; the ids of all would cost more than their reading."""
    at = np.flatnonzero(np.bincount(wrong, minlength=n))
    shown = first_few(names_at(items, at[:FIRST]), of=at.size)
    return (
        f"{how_many(at.size, 'item', 'have')} more than one {name!r} ({shown}): files, or rows of "
        "one, disagree; give every item one"
    )


def _check_clusters(table: TypedRows, label: Ints, wrong: Ints, items: Ids | None) -> None:
    for at, what, remedy in (
        (np.unique(wrong), "more than one", "give every item one cluster"),
        (np.flatnonzero(label < 0), "no", 'fill it in, or name another with cluster="COLUMN"'),
    ):
        if at.size:
            names = first_few(at + 1 if items is None else items[at])
            raise AlignmentError(
                f"{table.origin}: {how_many(at.size, 'item', 'have')} {what} cluster in "
                f"{table.roles.cluster!r} ({names}): {remedy}"
            )
