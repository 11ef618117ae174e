"""Methods that systems are ranked by, and their options: values that print as they are typed.

``bt.methods.BradleyTerry(ties="drop")`` and the text ``"bradley-terry(ties=drop)"`` are the same
wherever a method is asked for.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from betterthan.checks import check_number
from betterthan.errors import Remedy, UsageError
from betterthan.grammar import Spelled, value_of

__all__ = ["BradleyTerry", "Elo", "Mean", "Median", "TrueSkill"]

Aggregation = Literal["mean", "median", "bradley-terry", "elo", "trueskill"]
TieRule = Literal["davidson", "half-win", "drop"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)
Separation = Literal["ghost", "error"]
GameOrder = Literal["random", "file"]
LEAST_REPEATS = 2  # orders of the games that it takes to see what the order does


@dataclass(frozen=True, slots=True, repr=False)
class _Method(Spelled):
    parameter: ClassVar[str] = "method"


@dataclass(frozen=True, slots=True, repr=False)
class Mean(_Method):
    """The metric itself, whatever it is."""

    name: ClassVar[Aggregation] = "mean"


@dataclass(frozen=True, slots=True, repr=False)
class Median(_Method):
    """The median of the items' scores."""

    name: ClassVar[Aggregation] = "median"


@dataclass(frozen=True, slots=True, repr=False)
class BradleyTerry(_Method):
    """Strengths from wins, ties and losses on the items that both systems have.

    Attributes
    ----------
    ties : {"davidson", "half-win", "drop"}
        Ties are modelled (Davidson, 1970), count as half a win for both, or are left out.
    solver : {"newton", "mm"}
        ``"mm"`` is the iteration of Peyrard et al. (2021), which needs half-wins or no ties.
    separation : {"ghost", "error"}
        Where a system won or lost everything and no finite strengths exist: add an item on which
        every pair draws, and say so in a note, or raise an error.
    interval : {"resample", "sandwich"}
        Refits of resampled units, or robust normal-theory errors.
    """

    name: ClassVar[Aggregation] = "bradley-terry"
    ties: TieRule = "davidson"
    solver: Literal["newton", "mm"] = "newton"
    separation: Separation = "ghost"
    interval: Literal["resample", "sandwich"] = "resample"


@dataclass(frozen=True, slots=True, repr=False)
class _Played(_Method):
    order: GameOrder = "random"
    repeats: int = 100

    def __post_init__(self) -> None:
        Spelled.__post_init__(self)
        if self.repeats < LEAST_REPEATS:
            raise UsageError(
                f"repeats must be at least {LEAST_REPEATS}, to show what the order of the games "
                f"does, got {self.repeats}",
                Remedy("", "method", f"{self.name}(repeats={LEAST_REPEATS})"),
            )


@dataclass(frozen=True, slots=True, repr=False)
class Elo(_Played):
    """Elo ratings, averaged over orders of the games.

    Attributes
    ----------
    k : float
        How far one game moves a rating.
    order : {"random", "file"}
        Random orders, or that of the data; games on one item of scores have none of their own and
        are drawn either way.
    repeats : int
        Number of orders.
    """

    name: ClassVar[Aggregation] = "elo"
    k: float = 20.0

    def __post_init__(self) -> None:
        _Played.__post_init__(self)
        check_number(self.k, "k of elo", above=0.0)


@dataclass(frozen=True, slots=True, repr=False)
class TrueSkill(_Played):
    """TrueSkill ratings, averaged over orders of the games; ``order`` and ``repeats`` as of Elo."""

    name: ClassVar[Aggregation] = "trueskill"


Method = Mean | Median | BradleyTerry | Elo | TrueSkill
Online = Elo | TrueSkill
"""Methods that play game after game."""

KINDS: dict[str, type[Method]] = {
    kind.name: kind for kind in (Mean, Median, BradleyTerry, Elo, TrueSkill)
}
"""Every method by its name."""


def method_of(given: Method | str) -> Method:
    """Return the method that a value, a name, or a name with options means.

    >>> method_of("bradley-terry(ties=drop)"), method_of("elo(k=10)").repeats
    (bradley-terry(ties=drop), 100)
    """
    return value_of(given, KINDS, "method")


def other(method: Method, does: str = "", **changes: Any) -> Remedy:
    """Return the remedy that takes the same method with other options.

    >>> other(BradleyTerry(solver="mm"), ties="half-win").value
    'bradley-terry(ties=half-win,solver=mm)'
    """
    return Remedy(does, "method", repr(replace(method, **changes)))
