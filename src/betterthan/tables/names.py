"""The names of columns that are known; no other name means anything.

``betterthan inspect`` and ``docs/formats.md`` print this list. A name is looked up as it is, then
without ``_id`` or ``_name`` at its end: ``worker_id`` is ``worker``. What a user declares is never
looked up.
"""

from functools import cache

from betterthan.metrics.costs import COSTS, plain
from betterthan.metrics.named import LAYOUTS

KNOWN: dict[str, tuple[str, ...]] = {
    "item": (
        *("item", "id", "instance"),
        *(f"{x}_id" for x in "doc sample question sentence task".split()),
    ),
    "system": ("system", "model"),
    "metric": ("metric",),
    "response": ("response", "run", "seed", "trial", "epoch", "rater", "worker"),
    "score": ("score", "value", "reward"),
    "cluster": ("cluster", "document", "dialogue", "passage"),
    "label": ("label", "level", "length", "turn", "grade"),
    "text": ("question", "prompt", "input", "instruction", "task", "dataset", "split"),
    "target": ("target", "reference", "gold"),
    "summary": ("mean", "average", "total"),
    "cost": COSTS,
    "left": ("left", "model_a", "generator_1"),
    "right": ("right", "model_b", "generator_2"),
    "winner": ("winner",),
    "judge": ("judge", "annotator"),
}
"""What a column is by its name. ``cluster`` itself is used; the other clusters earn a warning.
A ``text`` must be the same for all systems; a ``target`` is a right answer, not a score. Of a
``cost`` less is better. A ``summary`` is the id of a first or last row that is not an item.
``left``, ``right`` and ``winner`` together are judgments."""

METRICS = frozenset(
    plain(name)
    for metric, layouts in LAYOUTS.items()
    for name in (metric, *(column for layout in layouts for column in layout.columns))
)
"""Names of metrics and of the columns that they read: the metrics' own registry."""
_ROLE_OF = {name: role for role, names in KNOWN.items() for name in names}


@cache
def role_of(name: str) -> str | None:
    """Return the role that a column's name gives it, if it is known.

    >>> role_of("Doc ID"), role_of("worker_id"), role_of("model_name"), role_of("atlas")
    ('item', 'response', 'system', None)
    """
    known = plain(name)
    return _ROLE_OF.get(known) or _ROLE_OF.get(known.removesuffix("_id").removesuffix("_name"))


def is_measure(name: str) -> bool:
    """Whether a column is called as scores, costs or metrics are."""
    return role_of(name) in ("score", "cost") or plain(name) in METRICS


def known_names() -> list[str]:
    """Lay out the list of known names as lines, a role each."""
    return ["known names", *(f"{role:<9} {' '.join(names)}" for role, names in KNOWN.items())]


def is_index(name: str) -> bool:
    """Whether a column has no name of its own, as the index of a data frame that was written out.

    >>> is_index(""), is_index("Unnamed: 0"), is_index("__index_level_0__"), is_index("index")
    (True, True, True, False)
    """
    return not name.strip() or name.startswith(("Unnamed: ", "__index_level_"))
