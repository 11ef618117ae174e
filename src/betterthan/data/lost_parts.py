"""Parts of the data, values of a label column, of which dropped items leave nothing."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from betterthan.data.ids import Labels
from betterthan.errors import first_few, how_many, listing

MOST = 3  # systems whose lacking items are told


def lost_parts(
    groups: Mapping[str, Labels], systems: Sequence[str], holes: NDArray[np.bool_]
) -> dict[str, str]:
    r"""Say of each label column which of its values are gone, and who has no score there.

    ``holes`` says which items lack a score of which systems; an item that lacks any is dropped.

    >>> domain = np.array(["a", "a", "b"], dtype=object)
    >>> holes = np.array([[False, True], [False, True], [False, False]])
    >>> lost_parts({"domain": domain}, ("base", "new"), holes)["domain"].split("; ")[0]
    "no item of domain 'a' is left: 'new' has no score for 2 of 2 items"
    """
    dropped = holes.any(axis=1)
    found = {}
    for name, labels in groups.items():
        gone = set(labels[dropped].tolist()) - set(labels[~dropped].tolist())
        if not gone:
            continue
        there = np.array([label in gone for label in labels.tolist()])
        items = how_many(int(there.sum()), "item")
        lacking = [
            f"{system!r} has no score for {lacks:,} of {items}"
            for system, lacks in zip(systems, holes[there].sum(axis=0).tolist(), strict=True)
            if lacks
        ]
        found[name] = (
            f"no item of {name} {first_few(sorted(gone))} is left: "
            f"{listing(lacking, MOST)}; complete them, or leave those values of {name!r} out of "
            "the data"
        )
    return found
