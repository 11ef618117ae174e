"""Does a Bradley-Terry maximum exist? Look before fitting.

Ford (1957): the strengths are finite and unique if and only if the systems cannot be split in two
groups of which one never lost to the other. A tie counts as half a win for both. With a tie
parameter one more way to infinity opens: all of it and the strengths growing together.
"""

import numpy as np

from betterthan.errors import DataError, Remedy, first_few
from betterthan.numeric import Bools, Ints
from betterthan.ranking.methods import BradleyTerry, other
from betterthan.ranking.outcomes import Outcomes


def why_separated(outcomes: Outcomes) -> str | None:
    """Say why the likelihood has no finite maximum; None where it has one.

    Raises where systems are not linked by comparisons, not even through others.
    """
    beats = _beats(outcomes)
    groups = _groups(beats, connection="strong")
    if len(groups) > 1:
        check_connected(outcomes)
        return _describe(beats, groups, outcomes.systems)
    if outcomes.likelihood.has_tie and outcomes.ties.any() and _ties_outgrow(outcomes):
        return (
            "decided comparisons form no cycle and ties fit between them, so the model can give "
            "every observed outcome probability one"
        )
    return None


def comparable(outcomes: Outcomes) -> Bools:
    """Whether the difference of each two strengths is finite without a fallback.

    It is within a group of systems each of which lost, if through others, to every other.
    """
    m = len(outcomes.systems)
    beats = _beats(outcomes)
    found = np.zeros((m, m), dtype=bool)
    if outcomes.likelihood.has_tie and outcomes.ties.any() and _ties_outgrow(outcomes):
        return found
    for group in _groups(beats, connection="strong"):
        found[np.ix_(group, group)] = True
    return found


def _beats(outcomes: Outcomes) -> Bools:
    """Who ever won against whom; a tie that counts is half a win of either."""
    half = 0.0 if outcomes.rule == "drop" else 0.5 * outcomes.ties
    return np.asarray(outcomes.matrix(outcomes.wins + half, outcomes.losses + half) > 0)


def check_connected(outcomes: Outcomes) -> None:
    """Check that comparisons link all systems, if through others."""
    groups = _groups(_beats(outcomes), connection="weak")
    if len(groups) > 1:
        listed = " | ".join(first_few(outcomes.systems[k] for k in group) for group in groups[:5])
        cause = " once ties are dropped" if outcomes.rule == "drop" else ""
        remedies = [other(BradleyTerry(), ties="half-win")] if outcomes.rule == "drop" else []
        remedies += [
            Remedy("rank a group on its own", "systems", [outcomes.systems[k] for k in group])
            for group in groups
            if len(group) > 1
        ]
        raise DataError(
            f"the systems fall into {len(groups)} groups that were never compared with each "
            f"other{cause} ({listed})",
            *remedies[:2],
            Remedy("add comparisons between the groups"),
        )


def _groups(beats: Bools, connection: str) -> list[Ints]:
    """Components of the graph of losses, those who never lost to the rest first."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    count, label = connected_components(
        csr_array(beats), directed=True, connection=connection, return_labels=True
    )
    groups = [np.flatnonzero(label == g) for g in range(count)]
    losses = [int(beats[:, group].sum() - beats[np.ix_(group, group)].sum()) for group in groups]
    return [groups[g] for g in np.argsort(losses, kind="stable")]


def _describe(beats: Bools, groups: list[Ints], names: tuple[str, ...]) -> str:
    undefeated = [g for g in groups if not np.delete(beats[:, g], g, axis=0).any()]
    winless = [g for g in groups if not np.delete(beats[g], g, axis=1).any()]
    found = [("won", undefeated[0]), ("lost", winless[0])]
    if len(groups) == 2:  # either says it all: name the smaller one
        found = [min(found, key=lambda named: len(named[1]))]
    return " and ".join(
        f"{first_few(names[k] for k in group)} {verb} every comparison with the others"
        for verb, group in found
    )


def _ties_outgrow(outcomes: Outcomes) -> bool:
    """Whether wins and ties fit ``u_i - u_j >= 1`` and ``|u_i - u_j| <= 1`` for some ``u``.

    Then log-strengths ``c u`` with log tie parameter ``c/2`` give every observed outcome a
    probability that grows with ``c``. These are difference constraints: they have a solution if and
    only if their graph has no negative cycle.
    """
    won = outcomes.matrix(outcomes.wins, outcomes.losses)
    if ((won > 0) & (won.T > 0)).any():  # either would have to be above the other
        return False
    tied = outcomes.matrix(outcomes.ties, outcomes.ties)
    # u_j <= u_i + bound[i, j]
    bound = np.where(tied > 0, 1.0, np.inf)
    bound = np.where(won > 0, -1.0, bound)
    np.fill_diagonal(bound, 0.0)
    for k in range(len(bound)):
        np.minimum(bound, bound[:, k : k + 1] + bound[k : k + 1], out=bound)
    return bool((np.diagonal(bound) >= 0).all())
