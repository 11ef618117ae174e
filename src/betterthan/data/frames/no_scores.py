"""What holds numbers and is no score: what systems answered, who won, what they are called."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from betterthan.data.frames import cells
from betterthan.data.frames.reader_options import Options
from betterthan.data.frames.roles import Roles, is_said_by, plain, suggested
from betterthan.errors import Choice, FormatError, Remedy, first_few

if TYPE_CHECKING:
    import polars as pl

# One of two columns that name the systems of a battle.
_SIDE = re.compile(
    r"(?P<stem>(model|system|sys|assistant|agent|player|llm|bot|engine|method|team)(_(name|id))?)"
    r"_?([ab12xy]|left|right)(_(name|id))?"
)

_PAIRS = (
    ("winner", "loser"),
    ("baseline", "candidate"),
    ("baseline", "challenger"),
    ("left", "right"),
    ("first", "second"),
    ("a", "b"),
)
_VERDICT = re.compile(
    r"winner|won|wins|prefer(red|ence)?|better|outcome|result|verdict|choice|chosen|judge?ment"
)
WINNERS = ("winner", "preferred", "preference")
FEW_SYSTEMS = 50  # that a column of numbers may name


def refuse_answers(
    scores: "dict[str, pl.Series]", roles: Roles, options: Options, *, where: str, wide: bool
) -> None:
    """Ask about numbers that are named as what systems answered: classes, options, estimates.

    Where a column is named as the score it is known what is compared.
    """
    said = [name for name in scores if "said" in suggested(name)]
    remedy = Remedy("these are scores", "columns", {"score": "+".join(said)})
    if wide and roles.system is None and options.input_format in (None, "wide"):
        # Beside systems, what is named like an answer is asked about as no system.
        others = [n for n in scores if suggested(n).isdisjoint(("property", "aside", "said"))]
        if len(others) > 1:
            said = others if all(map(is_said_by, others)) else []
            remedy = Remedy("these are scores", "systems", said)
    known = (suggested(name) for name in scores)
    if said and not any("score" in n and n.isdisjoint(("property", "said")) for n in known):
        raise FormatError(
            f"{where}: {first_few(said)} {'are' if len(said) > 1 else 'is'} named as what a system "
            "answered, not as how good that is: write 1 where it is the right answer and 0 where "
            "it is not",
            remedy,
            Remedy("score files of labels, one per system", "ref", Choice("FILE")),
        )


def refuse_numbered_systems(
    frame: "pl.DataFrame", names: Sequence[str], roles: Roles, where: str
) -> None:
    """Ask what numbers are of which every item has each once: temperatures, versions, tasks.

    Rows of one item that nothing else tells apart are refused in any case.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    keys = [name for name in roles.keys if frame[name].null_count() == 0]
    if roles.system is not None or not roles.item or len(keys) < len(roles.keys) or not names:
        return
    if any(kind.is_nested() or kind == pl.Object for kind in frame.select(keys).dtypes):
        return  # no ids, which is said later
    distinct = frame.select(keys).n_unique()
    if distinct in (1, len(frame)):  # one item proves nothing
        return
    for name in names:
        column = frame[name]
        many = column.n_unique()
        if column.null_count() or not 1 < many <= FEW_SYSTEMS or many * distinct != len(frame):
            continue
        if "score" in suggested(name) or frame.select(*keys, name).is_duplicated().any():
            continue
        remedies = [
            Remedy("they name the systems", "columns", {"system": name}),
            Remedy(
                "ids are unique within each", "columns", {"item": "+".join((name, *roles.item))}
            ),
        ]
        if len(names) > 2:  # so that other columns may be the systems
            remedies.reverse()
        if roles.response is None:
            remedies.append(Remedy("they number repeats", "columns", {"response": name}))
        some = first_few(cells.ids([column.unique(maintain_order=True)]).to_list())
        raise FormatError(
            f"{where}: every item has each of the {many} values of {name!r} once ({some}): what "
            "are they?",
            *remedies,
        )


def battles(names: Sequence[str], where: str) -> FormatError | None:
    """How to write judgments of two systems, where columns are called like such."""
    called = {plain(name): name for name in names}
    sides = [name for name in names if _SIDE.fullmatch(plain(name))]
    sides = sides if len(sides) == 2 else []
    for pair in _PAIRS:
        sides = sides or [called[name] for name in pair if {*pair} <= called.keys()]
    said = [name for name in names if _VERDICT.fullmatch(plain(name)) and name not in sides]
    if not sides or not (said or "loser" in called):
        return None
    return FormatError(
        f"{where}: {first_few([*sides, *said])} look like judgments of two systems, which are read "
        "as battles: call the columns model_a, model_b and winner, with the names of the two "
        "systems and, for who won, model_a, model_b or tie"
    )


def refuse_battles(frame: "pl.DataFrame", scores: list[str], labels: list[str], where: str) -> None:
    """Refuse rows that name two systems each: a column of scores is of another one in each row."""
    sides: dict[str, list[str]] = {}
    for name in labels:
        if side := _SIDE.fullmatch(plain(name)):
            sides.setdefault(side["stem"], []).append(name)
    for pair in sides.values():
        # Of one and the same two systems throughout, the columns are theirs.
        if len(pair) == 2 and any(frame[name].n_unique() > 1 for name in pair):
            raise FormatError(
                f"{where}: {first_few(pair)} say which two systems a row is about, so that "
                f"{first_few(scores)} are scores of other systems from row to row: write a row per "
                "item and system (item, system, score), or these rows as battles, with a column "
                f"'winner' in place of the scores ({pair[0]}, {pair[1]} or tie)"
            )
