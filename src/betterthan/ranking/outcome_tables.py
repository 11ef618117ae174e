"""Counting outcomes: every pair of systems on every item both have, or battle by battle."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from betterthan.numeric import TIE, Floats, Ints
from betterthan.ranking.likelihood import Likelihood
from betterthan.ranking.methods import TieRule
from betterthan.ranking.outcomes import Outcomes, compared_pairs
from betterthan.ranking.pair_counts import count_pairs, ranks_within
from betterthan.ranking.units import Units

Signs = NDArray[np.int8]


def signs_between(x: Floats, y: Floats) -> Signs:
    """Sign of ``x - y``, zero where they differ by no more than rounding, or one is missing.

    Item means of several responses may differ in the last bits; that is a tie, not a win.
    """
    difference = x - y
    noise = TIE * np.maximum(np.abs(x), np.abs(y))
    won = difference > noise
    return won.view(np.int8) - (difference < -noise).view(np.int8)


def outcomes_of_scores(
    systems: tuple[str, ...],
    values: Floats,
    weights: Floats,
    *,
    units: Units,
    unit_of: Ints,
    rule: TieRule,
) -> Outcomes:
    """Outcomes of (items, systems) values, higher better and NaN where missing."""
    n, m = values.shape
    alike = bool((weights == 1.0).all())
    if rule in ("davidson", "half-win") and alike and not np.isnan(values).any():
        ranks = ranks_within(values)
        if ranks is not None:
            kinds = _counted_pairs(values)
            table = by_unit(_leads(ranks), weights, units, unit_of)
            return Outcomes.of(compared_pairs(kinds, rule, m), systems, kinds, table, units)
    left, right = np.triu_indices(m, 1)
    ragged = rule == "drop" or bool(np.isnan(values).any())
    lead, tied = np.zeros((n, m)), np.zeros((n, 1))
    played = np.zeros((n, len(left))) if ragged else np.ones((n, 1))
    counted = np.zeros((m * m, 3))
    start = 0
    for i in range(m - 1):
        mine, others = values[:, i : i + 1], values[:, i + 1 :]
        sign = signs_between(mine, others)
        both = ~np.isnan(mine + others)
        even = both & (sign == 0)
        here = slice(start, start + m - 1 - i)
        at = slice(i * m + i + 1, (i + 1) * m)
        for column, found in enumerate((sign < 0, even, sign > 0)):
            counted[at, column] = weights @ found
        lead[:, i] += sign.sum(axis=1) / 2
        lead[:, i + 1 :] -= sign / 2
        tied[:, 0] += even.sum(axis=1)
        if ragged:
            played[:, here] = both & ~even if rule == "drop" else both
        start = here.stop
    likelihood = compared_pairs(counted, rule, m)
    if rule == "drop":
        tied[:] = 0.0
    if ragged:
        seen = np.isin(left * m + right, likelihood.left * m + likelihood.right)
        played = played[:, seen]
    table = by_unit(np.hstack([lead, tied, played]), weights, units, unit_of)
    return Outcomes.of(likelihood, systems, counted, table, units)


def _counted_pairs(values: Floats) -> Ints:
    """Losses, ties and wins of every two systems, at ``first * systems + second``."""
    m = values.shape[1]
    counted = np.moveaxis(count_pairs(values)[::-1], 0, 2).astype(np.int64)
    counted[np.tril_indices(m)] = 0
    return counted.reshape(m * m, 3)


def _leads(ranks: Ints) -> Floats:
    """Lead of every system, ties and comparisons of each item, from the ranks of its values.

    With so many values below one's own and so many above, the lead is half of what they differ by.
    """
    n, m = ranks.shape
    table = np.empty((n, m + 2))
    for row in range(n):
        size = np.bincount(ranks[row])  # ranks begin at one
        below = np.cumsum(size) - size
        table[row, :m] = (below - (m - below - size))[ranks[row]]
        table[row, m] = (size * (size - 1)).sum()
    table[:, : m + 1] /= 2
    table[:, m + 1] = 1.0
    return table


def outcomes_of_battles(
    systems: tuple[str, ...],
    left: Ints,
    right: Ints,
    outcome: Floats,
    counts: Ints,
    *,
    units: Units,
    unit_of: Ints | None,
    rule: TieRule,
) -> Outcomes:
    """Outcomes of rows of so many battles; every battle is a unit where ``unit_of`` is None."""
    m = len(systems)
    flipped = left > right
    code = np.where(flipped, right * m + left, left * m + right)
    result = (2 * outcome).astype(np.int64)
    kind = 3 * code + np.where(flipped, 2 - result, result)
    counted = np.bincount(kind, counts, minlength=3 * m * m)  # exact below 2^53
    counted = counted.astype(np.int64).reshape(m * m, 3)
    if unit_of is None:
        return _outcomes_of_kinds(systems, counted, rule, units.name)
    likelihood = compared_pairs(counted, rule, m)
    table = _kinds_table(kind, unit_of, likelihood, counts)
    return Outcomes.of(likelihood, systems, counted, table, units)


def under(outcomes: Outcomes, rule: TieRule) -> Outcomes:
    """Return the same counts under another tie rule: enough for a fit, not for resampling.

    Comparisons of one pair and result are taken for one kind of unit, whatever units they are of.
    """
    return _outcomes_of_kinds(outcomes.systems, outcomes.counted, rule, "comparisons")


def _outcomes_of_kinds(
    systems: tuple[str, ...], counted: NDArray[Any], rule: TieRule, name: str
) -> Outcomes:
    """Outcomes whose units are single comparisons: two of the same pair and result are alike."""
    likelihood = compared_pairs(counted, rule, len(systems))
    kind = np.flatnonzero(counted)
    table = _kinds_table(kind, np.arange(len(kind)), likelihood)
    units = Units(name, counted.ravel()[kind])
    return Outcomes.of(likelihood, systems, counted, table, units)


def _kinds_table(kind: Ints, unit: Ints, likelihood: Likelihood, times: Ints | None = None) -> Any:
    """Table of units, from ``3 * pair + result`` of so many comparisons and the unit of each."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    rule, m = likelihood.rule, likelihood.systems
    pairs = likelihood.left * m + likelihood.right
    code, lead = kind // 3, (kind % 3 - 1) / 2
    # A pair that only ever tied has no column where ties are dropped; its entries are zero.
    pair = np.minimum(np.searchsorted(pairs, code), len(pairs) - 1)
    counts = lead != 0 if rule == "drop" else np.ones(len(lead), dtype=bool)
    even = (counts & (lead == 0)).astype(np.float64)
    entries = [
        (lead, code // m),
        (-lead, code % m),
        (even, np.full_like(pair, m)),
        (counts.astype(np.float64), m + 1 + pair),
    ]
    some = [np.flatnonzero(value) for value, _ in entries]
    times = np.ones_like(kind) if times is None else times
    values = np.concatenate(
        [value[k] * times[k] for (value, _), k in zip(entries, some, strict=True)]
    )
    places = [
        np.concatenate([at[k].astype(np.int32) for at, k in zip(whose, some, strict=True)])
        for whose in ([unit] * len(entries), [column for _, column in entries])
    ]
    return csr_array((values, places), shape=(int(unit.max()) + 1, m + 1 + len(pairs)))


def by_unit(columns: Floats, weights: Floats, units: Units, unit_of: Ints) -> Floats:
    """Sum the columns of items, under their weights, over the items of each unit."""
    count = len(units.multiplicity)
    if count == len(columns) and bool((weights == 1).all()):
        return columns
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    rows = (weights, (unit_of, np.arange(len(columns))))
    return np.asarray(csr_array(rows, shape=(count, len(columns))) @ columns)
