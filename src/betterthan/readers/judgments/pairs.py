"""Which columns of a table hold the two systems that were compared, who won, and on what."""

from collections.abc import Collection, Mapping, Sequence
from shlex import quote

from betterthan.errors import COLUMN, FormatError, Remedy, first_few
from betterthan.readers.options import SIDES, Options
from betterthan.tables.declared import column_called
from betterthan.tables.names import plain, role_of

COUNT = "count"
"""How many judgments a row stands for, in tables that have nothing but the pair and the item."""
PREFERENCE = "preference"
"""AlpacaEval's column of winners: 1 for the first system, 2 for the second, or between them."""
LABELS = ("item", "judge", "cluster")
INSTEAD = {"item": ("text", "item"), "judge": ("judge", "response")}
"""Roles of tables that are known as one of judgments, the best first: the prompt, or else an id."""

Pair = Mapping[str, tuple[str, ...]]
"""The columns of each part of a judgment; none where a table does not have it."""


def is_judged(names: Collection[str]) -> bool:
    """Whether columns are known as those of judgments: two systems, and who won.

    >>> is_judged(["model_a", "model_b", "winner"]), is_judged(["item", "left", "right"])
    (True, False)
    """
    return all(_known(names, side) for side in SIDES)


def pair_of(names: Sequence[str], options: Options, where: str) -> Pair:
    """Find the columns of judgments by what was declared, and by known names.

    >>> names = ["question_id", "model_a", "model_b", "winner", "worker_id"]
    >>> pair = pair_of(names, Options(), "t.csv")
    >>> pair["left"], pair["winner"], pair["item"], pair["judge"]
    (('model_a',), ('winner',), ('question_id',), ('worker_id',))
    """
    pair = {}
    for role in (*LABELS, *SIDES):
        declared = options.columns_of(role)
        if role == "judge":
            declared = declared or options.columns_of("response")
        called = tuple(column_called(name, names, role, where) for name in declared)
        pair[role] = called or _known(names, role)
    if not all(pair[side] for side in SIDES):
        raise FormatError(
            f"{where} has no columns of two systems and a winner; it has {first_few(names)}",
            Remedy("name them", "columns", dict.fromkeys(SIDES, COLUMN)),
        )
    others = {*names} - {name for role in ("item", *SIDES) for name in pair[role]}
    return pair | {COUNT: (COUNT,) if others == {COUNT} else ()}


def typed(pair: Pair) -> str:
    """The columns as they are typed to be read in the same way."""
    roles = {role: "+".join(pair[role]) for role in (*LABELS, *SIDES) if pair[role]}
    return f"--columns {quote(','.join(f'{role}={names}' for role, names in roles.items()))}"


def _known(names: Collection[str], role: str) -> tuple[str, ...]:
    """The column that is known to have a role, first of all the one that is called so.

    A column called id may number the judgments; of clusters, only ``cluster`` is known.

    >>> _known(["id", "prompt", "question_id"], "item"), _known(["id", "question_id"], "item")
    (('prompt',), ('question_id',))
    """
    roles = INSTEAD.get(role, (role,))
    known = [name for each in roles for name in names if role_of(name) == each]
    known += [PREFERENCE] * (role == "winner" and PREFERENCE in names)
    if role == "item":
        known.sort(key=lambda name: plain(name) == "id")
    else:
        known.sort(key=lambda name: plain(name) != role)
    return tuple(name for name in known[:1] if role != "cluster" or plain(name) == role)
