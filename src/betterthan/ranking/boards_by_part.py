"""Leaderboards of parts of the items, side by side."""

from dataclasses import dataclass

from betterthan.ranking.board import Leaderboard
from betterthan.results.protocol import Result

ALL = "all"
"""What the board of all items is called among those of parts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboards(Result):
    """A leaderboard for each part of the items, that of all items first where there is one.

    Plots, of all items: ``leaderboard``, ``ranks``, ``tiers``, ``matrix`` and ``critical``, as of a
    :class:`Leaderboard`.

    Attributes
    ----------
    boards : tuple of (str, Leaderboard)
        What each is of, such as ``domain=news``, and the board.
    """

    boards: tuple[tuple[str, Leaderboard], ...]
