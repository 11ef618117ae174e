"""Which columns of a table hold the two systems that were compared, who won, and on what."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from shlex import quote

from betterthan.errors import COLUMN, FormatError, Remedy, first_few
from betterthan.readers.options import SIDES, Options
from betterthan.tables.declared import column_called
from betterthan.tables.names import plain, role_of

COUNT = "count"
"""How many judgments a row stands for, in tables that have nothing but the pair and the item."""
PREFERENCE = "preference"
"""AlpacaEval's column of winners: 1 for the first system, 2 for the second, or between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The column of each part of a judgment."""

    left: str
    right: str
    winner: str
    item: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()
    count: str | None = None

    @property
    def typed(self) -> str:
        """The columns as they are typed to be read in the same way."""
        roles = {"item": self.item, "judge": self.judge, "cluster": self.cluster}
        roles |= {side: (getattr(self, side),) for side in SIDES}
        pairs = ",".join(f"{role}={'+'.join(names)}" for role, names in roles.items() if names)
        return f"--columns {quote(pairs)}"


def is_judged(names: Collection[str]) -> bool:
    """Whether columns are known as those of judgments: two systems, and who won.

    >>> is_judged(["model_a", "model_b", "winner"]), is_judged(["item", "left", "right"])
    (True, False)
    """
    return all(_known(names, side) for side in SIDES)


def pair_of(names: Sequence[str], options: Options, where: str) -> Pair:
    """Find the columns of judgments by what was declared, and by known names.

    >>> names = ["question_id", "model_a", "model_b", "winner", "worker_id"]
    >>> found = pair_of(names, Options(), "t.csv")
    >>> found.left, found.winner, found.item, found.judge
    ('model_a', 'winner', ('question_id',), ('worker_id',))
    """

    def called(columns: Sequence[str], role: str) -> tuple[str, ...]:
        return tuple(column_called(name, names, role, where) for name in columns)

    declared, sides = options.declared(), options.columns
    left, right, winner = (
        called([sides[side]], side)[0] if side in sides else _known(names, side) for side in SIDES
    )
    if not (left and right and winner):
        raise FormatError(
            f"{where} has no columns of two systems and a winner; it has {first_few(names)}",
            Remedy("name them", "columns", dict.fromkeys(SIDES, COLUMN)),
        )
    judge = declared.response or _known(names, "judge") or _known(names, "response")
    item = called(declared.item, "item") or _item(names)
    return Pair(
        left=left,
        right=right,
        winner=winner,
        item=item,
        judge=called([judge], "judge") if judge else (),
        cluster=called(declared.cluster, "cluster")
        or tuple(name for name in names if plain(name) == "cluster"),
        count=COUNT if {*names} - {*item} == {left, right, winner, COUNT} else None,
    )


def _known(names: Collection[str], role: str) -> str | None:
    """The column that is known to have a role, first of all the one that is called so."""
    known = [name for name in names if role_of(name) == role]
    if role == "winner" and PREFERENCE in names:
        known.append(PREFERENCE)
    return min(known, key=lambda name: plain(name) != role, default=None)


def _item(names: Sequence[str]) -> tuple[str, ...]:
    """What was judged: the prompt, or else an id; a column called id may number the judgments.

    >>> _item(["id", "prompt", "question_id"]), _item(["id", "question_id"]), _item(["left"])
    (('prompt',), ('question_id',), ())
    """
    texts = [name for name in names if role_of(name) == "text"]
    ids = sorted((x for x in names if role_of(x) == "item"), key=lambda x: plain(x) == "id")
    return tuple([*texts, *ids][:1])
