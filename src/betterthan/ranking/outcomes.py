"""From scores or judgments to outcomes: who beat whom, counted per independent unit.

What a Bradley-Terry fit needs of a unit is linear in it, so a resample is a product of weights and
a table. Under half-win and Davidson (1970) ties a unit counts by ``lead`` (half of wins minus
losses) of each *system* and its number of ties: with 50 systems that are 51 columns, not 3,675.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.data import Floats
from betterthan.errors import DataError, UsageError
from betterthan.ranking.judgments import Judgments
from betterthan.ranking.table import Ints, ScoreTable, Units, codes_of, signs_between

TieRule = Literal["davidson", "rao-kupper", "half-win", "drop"]
TIE_RULES: tuple[TieRule, ...] = ("davidson", "rao-kupper", "half-win", "drop")


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums over units, for one fit or a batch of them (leading axes).

    Attributes
    ----------
    lead : (..., systems) or (..., pairs) array
        Half of wins minus losses, per system or, under Rao-Kupper ties, per pair.
    tied : (..., 1) or (..., pairs) array
        Ties, all together or per pair.
    played : (..., 1) or (..., pairs) array
        Comparisons, per pair; one number where every pair has the same.
    """

    lead: Floats
    tied: Floats
    played: Floats

    @property
    def by_pair(self) -> bool:
        """Whether lead and ties are kept per pair rather than per system."""
        return bool(self.lead.shape[-1] == self.tied.shape[-1])

    def one(self) -> "Tally":
        """Return a single tally as a batch of one."""
        return Tally(self.lead[None], self.tied[None], self.played[None])

    def take(self, at: NDArray[Any]) -> "Tally":
        """Return the tallies of some of the fits."""
        if len(at) == len(self.lead):
            return self
        return Tally(self.lead[at], self.tied[at], self.played[at])


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Who beat whom, and what each unit contributed.

    Attributes
    ----------
    systems : tuple of str
        Names.
    left, right : (pairs,) array of int
        The pairs that were compared at least once, ``left < right``.
    wins, losses, ties : (pairs,) array
        Totals from the viewpoint of ``left``.
    rule : {"davidson", "rao-kupper", "half-win", "drop"}
        How ties count; under ``"drop"`` they are in ``ties`` and nowhere else.
    table : (kinds, columns) array or sparse matrix
        ``lead``, ``tied`` and ``played`` of one unit of each kind, side by side.
    widths : tuple of int
        Number of columns of ``lead`` and of ``tied``.
    units : Units
        What is resampled.
    """

    systems: tuple[str, ...]
    left: Ints
    right: Ints
    wins: Floats
    losses: Floats
    ties: Floats
    rule: TieRule
    table: Any
    widths: tuple[int, int]
    units: Units

    def tally(self, weights: NDArray[Any]) -> Tally:
        """Sum units with weights of shape ``(..., kinds)``."""
        return self.split(np.asarray(weights @ self.table, dtype=np.float64))

    def split(self, sums: Floats) -> Tally:
        """Cut rows of the table, or sums of them, into their parts."""
        lead, tied = self.widths
        return Tally(sums[..., :lead], sums[..., lead : lead + tied], sums[..., lead + tied :])

    def total(self) -> Tally:
        """Sum the units as they were observed."""
        return self.tally(self.units.multiplicity)

    def matrix(self, counts: Floats, mirrored: Floats) -> Floats:
        """Square matrix with ``counts`` above the diagonal and ``mirrored`` below."""
        square = np.zeros((len(self.systems),) * 2)
        square[self.left, self.right] = counts
        square[self.right, self.left] = mirrored
        return square


def check_rule(ties: str) -> TieRule:
    """Say which tie rules there are if this is none of them."""
    for rule in TIE_RULES:
        if rule == ties:
            return rule
    raise UsageError(f"ties are treated by {', '.join(TIE_RULES)}, not {ties!r}")


def outcomes_of(data: ScoreTable | Judgments, ties: TieRule = "davidson") -> Outcomes:
    """Outcomes of scores (every pair on every item both have) or of judgments."""
    if len(data.systems) < 2:
        raise DataError("there is nothing to rank: give at least two systems")
    return _from_judgments(data, ties) if isinstance(data, Judgments) else _from_scores(data, ties)


def _from_scores(table: ScoreTable, rule: TieRule) -> Outcomes:
    n, m = table.values.shape
    left, right = np.triu_indices(m, 1)
    pairs = len(left)
    by_pair = rule == "rao-kupper"
    ragged = rule == "drop" or not table.complete
    lead = np.zeros((n, pairs if by_pair else m))
    tied = np.zeros((n, pairs if by_pair else 1))
    played = np.zeros((n, pairs)) if ragged else np.ones((n, 1))
    wins, losses, ties = np.zeros((3, pairs))
    start = 0
    for i in range(m - 1):
        mine, others = table.values[:, i : i + 1], table.values[:, i + 1 :]
        sign = signs_between(mine, others)
        both = ~np.isnan(mine + others)
        even = both & (sign == 0)
        here = slice(start, start + m - 1 - i)
        wins[here] = table.weights @ (sign > 0)
        losses[here] = table.weights @ (sign < 0)
        ties[here] = table.weights @ even
        if by_pair:
            lead[:, here] = sign / 2
            tied[:, here] = even
        else:
            lead[:, i] += sign.sum(axis=1) / 2
            lead[:, i + 1 :] -= sign / 2
            tied[:, 0] += even.sum(axis=1)
        if ragged:
            played[:, here] = both & ~even if rule == "drop" else both
        start = here.stop
    if rule == "drop":
        tied[:] = 0.0
    if ragged:
        seen = played.any(axis=0)
        if not seen.any():
            raise _nothing_left(rule)
        played, left, right = played[:, seen], left[seen], right[seen]
        wins, losses, ties = wins[seen], losses[seen], ties[seen]
        if by_pair:
            lead, tied = lead[:, seen], tied[:, seen]
    columns = np.hstack([lead, tied, played])
    return Outcomes(
        systems=table.systems,
        left=left,
        right=right,
        wins=wins,
        losses=losses,
        ties=ties,
        rule=rule,
        table=_by_unit(columns, table),
        widths=(lead.shape[1], tied.shape[1]),
        units=table.units,
    )


def _by_unit(columns: Floats, table: ScoreTable) -> Floats:
    units = len(table.units.multiplicity)
    if units == len(columns) and bool((table.weights == 1).all()):
        return columns
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    rows = (table.weights, (table.unit_of, np.arange(len(columns))))
    return np.asarray(csr_array(rows, shape=(units, len(columns))) @ columns)


def _from_judgments(data: Judgments, rule: TieRule) -> Outcomes:
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    m = len(data.systems)
    # Two judgments of the same pair and outcome are of one kind: 3 (low m + high) + 0, 1 or 2.
    flipped = data.left > data.right
    code = np.where(flipped, data.right * m + data.left, data.left * m + data.right)
    result = (2 * data.outcome).astype(np.int64)
    kind = 3 * code + np.where(flipped, 2 - result, result)
    counted = np.bincount(kind, minlength=3 * m * m).astype(np.int64)
    losses, ties, wins = counted.reshape(m * m, 3).T
    pair_codes = np.flatnonzero(wins + losses + (0 if rule == "drop" else ties))
    pairs = len(pair_codes)
    if pairs == 0:
        raise _nothing_left(rule)
    labels = data.clusters if data.clusters is not None else data.items
    if labels is None:
        kind = np.flatnonzero(counted)
        unit = np.arange(len(kind))
        units = Units("judgments", counted[kind])
    else:
        unit, names = codes_of(labels.tolist())
        name = "clusters" if data.clusters is not None else "items"
        units = Units(name, np.ones(len(names), dtype=np.int64))
    code, lead = kind // 3, (kind % 3 - 1) / 2
    # A pair that only ever tied has no column where ties are dropped; its entries are zero.
    pair = np.minimum(np.searchsorted(pair_codes, code), pairs - 1)
    counts = lead != 0 if rule == "drop" else np.ones(len(lead), dtype=bool)
    by_pair = rule == "rao-kupper"
    widths = (pairs, pairs) if by_pair else (m, 1)
    even = (counts & (lead == 0)).astype(np.float64)
    start = sum(widths)
    if by_pair:
        entries = [(lead, pair), (even, widths[0] + pair)]
    else:
        entries = [(lead, code // m), (-lead, code % m), (even, np.full_like(pair, m))]
    entries.append((counts.astype(np.float64), start + pair))
    values = np.concatenate([value for value, _ in entries])
    columns = np.concatenate([column for _, column in entries])
    table = csr_array(
        (values, (np.tile(unit, len(entries)), columns)),
        shape=(len(units.multiplicity), start + pairs),
    )
    return Outcomes(
        systems=data.systems,
        left=pair_codes // m,
        right=pair_codes % m,
        wins=wins[pair_codes].astype(np.float64),
        losses=losses[pair_codes].astype(np.float64),
        ties=ties[pair_codes].astype(np.float64),
        rule=rule,
        table=table,
        widths=widths,
        units=units,
    )


def _nothing_left(rule: TieRule) -> DataError:
    if rule == "drop":
        return DataError("no comparison is left once ties are dropped: use ties='half-win'")
    return DataError("no two systems have an item in common: nothing can be compared")
