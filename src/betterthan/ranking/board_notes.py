"""What the reader of a board should know: too few units, contradictions, orders that differ."""

import numpy as np

from betterthan.comparison.multiplicity import Correction
from betterthan.errors import Note, Remedy
from betterthan.numeric import Bools
from betterthan.ranking.aggregate import least_units
from betterthan.ranking.by_model import ENOUGH
from betterthan.ranking.decisions import JOINT
from betterthan.ranking.disagreement import compare_rankings
from betterthan.ranking.methods import Mean, TieRule
from betterthan.ranking.result import Ranking
from betterthan.ranking.structure import other_tie_rules, shortest_cycle
from betterthan.ranking.tables import Prepared


def too_few_units(table: Prepared, test: str, correction: Correction, alpha: float) -> list[str]:
    """Say how many units it takes before any pair can be decided, where these are fewer."""
    m, units = len(table.systems), table.units
    counted = test in ("permutation", "sign") or (test == "model" and units.count < ENOUGH)
    if not counted or correction not in JOINT:
        return []
    needed = least_units(m, alpha)
    if units.count >= needed:
        return []
    text = (
        f"{units.count} {units.name} decide nothing between {m} systems, whatever their scores: "
        f"at least {needed} are needed"
    )
    return [Note(text, beside_verdict=True)]


def contradictions(ranking: Ranking, beats: Bools) -> list[str]:
    """Significant wins that go round in a circle, or against the order of the rows."""
    names, notes = ranking.names, []
    circle = shortest_cycle(beats)
    if circle:
        listed = " beats ".join(names[k] for k in [*circle, circle[0]])
        notes.append(f"significant wins form a cycle: {listed}; no order of these systems is right")
    against = [(j, i) for i, j in zip(*np.triu_indices(len(names), 1), strict=True) if beats[j, i]]
    if against:
        j, i = against[0]
        more = len(against) - 1
        notes.append(
            f"{names[j]} beats {names[i]} although {ranking.method} puts {names[i]} above it"
            + (f" ({more} more such {'pair' if more == 1 else 'pairs'})" if more else "")
            + ": ranks follow who beats whom, rows the rating"
        )
    return notes


def disagreements(ranking: Ranking, averages: Ranking | None, ratings: Ranking | None) -> list[str]:
    """Say where the mean would order otherwise; on a board by the mean, where ratings would."""
    if averages is None:
        return []
    by_mean = averages is ranking
    other = ratings if by_mean else ranking
    if other is None:
        return []
    found = compare_rankings(other, averages)
    if not found.reversed_pairs:
        return []
    first, second = found.reversed_pairs[0]
    more = len(found.reversed_pairs) - 1
    return [
        Note(
            f"{other.method} puts {first} above {second}, the mean {second} above {first}"
            + (f" ({more} more {'pair differs' if more == 1 else 'pairs differ'})" if more else ""),
            Remedy("", "method", other.method if by_mean else Mean.name),
        )
    ]


def tie_rules(table: Prepared, ratings: Ranking, ties: TieRule) -> list[str]:
    """Say where another treatment of ties would order two systems otherwise."""
    strengths = ratings.scores[[ratings.names.index(name) for name in table.systems]]
    found = other_tie_rules(table.outcomes(ties), strengths, order_only=True)
    changed = [s for s in found if s.reversed_pairs]
    if not changed:
        return []
    listed = "; ".join(
        f"under {s.rule} {s.reversed_pairs[0][1]} passes {s.reversed_pairs[0][0]}"
        + (f" ({len(s.reversed_pairs)} pairs change)" if len(s.reversed_pairs) > 1 else "")
        for s in changed
    )
    return [f"how ties are treated ({ties}) matters: {listed}"]
