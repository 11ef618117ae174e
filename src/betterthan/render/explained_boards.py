"""Who beats whom on a board, and what it assumes: for readers who are no statisticians."""

from betterthan.ranking.board import Leaderboard
from betterthan.ranking.decisions import JOINT

PARTS = (
    "The boards of parts: each is adjusted for its own pairs, and not for those of the other "
    "boards. The more parts one looks at, the more claims are found by chance."
)


def of_board(board: Leaderboard) -> tuple[str, ...]:
    """Explain a leaderboard in plain words, a paragraph each."""
    ranking, pairs = board.ranking, board.pairs
    level = f"{100 * (1 - pairs.alpha):g} %"
    averaged = ranking.method in ("mean", "median")
    scale_of = "scores" if averaged else "Bradley-Terry ratings"
    how = (
        f"the difference of their {scale_of}, which rest on all comparisons, or, where a "
        "system has too few of them (a note says so), by a test of those that both took part in"
        if board.decided_by == "model"
        else f"a {board.decided_by} test on the items that both have"
    )
    joint = (
        f"In about {level} of evaluations no such claim on the whole board is wrong."
        if pairs.correction in JOINT
        else "Single claims may be wrong more often than the level says, since there are many."
    )
    return (
        f"Who beats whom: every two systems are compared by {how}. {joint}",
        "Ranks: a system ranks below all that beat it, and below those that beat these. What is "
        "left open is a range; a wide one means that the items do not tell, not that systems are "
        "equal.",
        f"Comes first: the share of {len(ranking.resamples):,} test sets, drawn from yours with "
        "repeats, in which a system came first. It is not the chance that it is the best.",
        f"What it assumes: the {ranking.units:,} {ranking.unit_name} are independent of one "
        "another."
        + (
            ""
            if ranking.unit_name == "clusters"
            else " If items share a document or a user, name that column as the cluster."
        ),
        f"What would change it: more {ranking.unit_name}; fewer systems, since every pair is "
        "adjusted for; and, for ratings, which other systems are on the board.",
    )
