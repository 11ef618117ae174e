"""Which columns of a table hold the two systems that were compared, who won, and on what."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from shlex import quote

from betterthan.errors import COLUMN, FormatError, Remedy, first_few
from betterthan.readers.options import SIDES, Options
from betterthan.tables.names import plain, role_of
from betterthan.tables.roles import column_called

COUNT = "count"
"""How many judgments a row stands for, in tables that have nothing but the pair and the item."""
FORMS = {
    "preference": ("preference",),
    "one-hot": ("winner_model_a", "winner_tie", "winner_model_b"),
    "both orders": ("g1_winner", "g2_winner"),
}
"""How AlpacaEval, LMSYS on Kaggle and MT-Bench say who won, in place of a column of winners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The part of each column of judgments; ``form`` says how ``winners`` tell who won."""

    left: str
    right: str
    winners: tuple[str, ...]
    form: str = "words"
    item: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()
    count: str | None = None

    @property
    def typed(self) -> str:
        """The columns as they are typed to be read in the same way."""
        roles = {"item": self.item, "judge": self.judge, "cluster": self.cluster}
        if self.form == "words":
            roles |= {"left": (self.left,), "right": (self.right,), "winner": self.winners}
        pairs = ",".join(f"{role}={'+'.join(names)}" for role, names in roles.items() if names)
        return f"--columns {quote(pairs)}" if pairs else ""


def is_judged(names: Collection[str]) -> bool:
    """Whether columns are known as those of judgments: two systems, and who won.

    >>> is_judged(["model_a", "model_b", "winner"]), is_judged(["item", "left", "right"])
    (True, False)
    """
    roles = {role_of(name) for name in names}
    return {"left", "right"} <= roles and ("winner" in roles or _form(names) is not None)


def pair_of(names: Sequence[str], options: Options, where: str) -> Pair:
    """Find the columns of judgments by what was declared, and by known names.

    >>> names = ["question_id", "model_a", "model_b", "winner", "worker_id"]
    >>> found = pair_of(names, Options(), "t.csv")
    >>> found.left, found.winners, found.item, found.judge
    ('model_a', ('winner',), ('question_id',), ('worker_id',))
    """

    def known(*roles: str) -> str | None:
        found = [name for role in roles for name in names if role_of(name) == role]
        exact = [name for name in found if plain(name) in roles]
        return next(iter([*exact, *found]), None)

    def called(columns: Sequence[str], role: str) -> tuple[str, ...]:
        return tuple(column_called(name, names, role, where) for name in columns)

    declared, sides = options.declared(), options.sides
    side = {role: called([name], role)[0] for role, name in sides.items()}
    left, right, winner = (side.get(role) or known(role) for role in SIDES)
    form = "words" if winner else _form(names)
    if not (left and right and form):
        raise FormatError(
            f"{where} has no columns of two systems and a winner; it has {first_few(names)}",
            Remedy("name them", "columns", dict.fromkeys(SIDES, COLUMN)),
        )
    winners = (winner,) if winner else FORMS[form]
    judge = [x for x in (declared.response or known("judge", "response"),) if x]
    item = called(declared.item, "item") or _item(names)
    counted = {*names} - {*item} == {left, right, *winners, COUNT}
    return Pair(
        left=left,
        right=right,
        winners=winners,
        form=form,
        item=item,
        judge=called(judge, "judge"),
        cluster=called(declared.cluster, "cluster")
        or tuple(name for name in names if plain(name) == "cluster"),
        count=COUNT if counted else None,
    )


def _form(names: Collection[str]) -> str | None:
    return next((form for form, columns in FORMS.items() if {*columns} <= {*names}), None)


def _item(names: Sequence[str]) -> tuple[str, ...]:
    """What was judged: the prompt, or else an id; a column called id may number the judgments.

    >>> _item(["id", "prompt", "question_id"]), _item(["id", "question_id"]), _item(["left"])
    (('prompt',), ('question_id',), ())
    """
    texts = [name for name in names if role_of(name) == "text"]
    ids = sorted((x for x in names if role_of(x) == "item"), key=lambda x: plain(x) == "id")
    return tuple([*texts, *ids][:1])
