"""Is one scale enough? Cycles, irrelevant alternatives, tie rules, and the fit of Bradley-Terry."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from betterthan.data.judgments import Judgments
from betterthan.data.scores import Scores
from betterthan.errors import DataError, UsageError
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking import bradley_terry as bt
from betterthan.ranking.aggregate import aggregate
from betterthan.ranking.methods import TIE_RULES, BradleyTerry, Method, TieRule, method_of
from betterthan.ranking.outcome_tables import by_unit, signs_between, under
from betterthan.ranking.outcomes import Outcomes
from betterthan.ranking.prepared import Rankable, prepare
from betterthan.ranking.result import POINTS
from betterthan.ranking.tables import Prepared, ScoreTable
from betterthan.ranking.uncertainty import rounded
from betterthan.ranking.units import Draws
from betterthan.resampling.generator import Rng, as_seed
from betterthan.resampling.work import Sampling, Work
from betterthan.tables.accepted import Frame, as_scores

_BY_POINTS: set[TieRule] = {"davidson", "half-win"}


@dataclass(frozen=True, slots=True)
class Cycles:
    """Majorities that go round in circles.

    Attributes
    ----------
    triples : tuple of (str, str, str)
        Each beats the next on most items, and the last the first.
    condorcet_winner : str or None
        The system that beats every other on most items, if there is one.
    """

    triples: tuple[tuple[str, str, str], ...]
    condorcet_winner: str | None


def cycles(data: Rankable, *, metric: str | Metric | None = None) -> Cycles:
    """Find all triples whose majorities form a cycle.

    Examples
    --------
    >>> cycles(Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]})).triples
    (('a', 'c', 'b'),)
    """
    outcomes = prepare(data, metric=metric).outcomes("half-win")
    lead = outcomes.matrix(outcomes.wins - outcomes.losses, outcomes.losses - outcomes.wins)
    ahead = lead > 0
    names = outcomes.systems
    triples = []
    for i, j, k in combinations(range(len(names)), 3):
        for a, b, c in ((i, j, k), (i, k, j)):
            if ahead[a, b] and ahead[b, c] and ahead[c, a]:
                triples.append((names[a], names[b], names[c]))
    winners = np.flatnonzero(ahead.sum(axis=1) == len(names) - 1)
    return Cycles(tuple(triples), names[winners[0]] if winners.size else None)


def shortest_cycle(beats: Bools) -> tuple[int, ...]:
    """Shortest circle in which each system beats the next, from its first member; empty if none.

    >>> shortest_cycle(np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0] * 4], dtype=bool))
    (0, 1, 2)
    """
    best: tuple[int, ...] = ()
    for start in _on_circles(beats):
        paths: dict[int, tuple[int, ...]] = {start: (start,)}
        edge = [start]
        while edge and not (best and len(paths[edge[0]]) >= len(best)):
            reached = []
            for at in edge:
                if beats[at, start] and (not best or len(paths[at]) < len(best)):
                    best = paths[at]
                for then in np.flatnonzero(beats[at]).tolist():
                    if then not in paths:
                        paths[then] = (*paths[at], then)
                        reached.append(then)
            edge = reached
    return best


def _on_circles(beats: Bools) -> list[int]:
    """Systems that may be on a circle: whoever has no win, or no loss, among the rest is not."""
    left = np.ones(len(beats), dtype=bool)
    for wins in (beats, beats.T):
        number = np.count_nonzero(wins[:, left], axis=1)
        gone = np.flatnonzero(left & (number == 0)).tolist()
        while gone:
            one = gone.pop()
            left[one] = False
            number -= wins[:, one]
            gone += np.flatnonzero(wins[:, one] & left & (number == 0)).tolist()
    return np.flatnonzero(left).tolist()


@dataclass(frozen=True, slots=True)
class Flip:
    """Two systems whose order depends on whether a third takes part.

    Attributes
    ----------
    without : str
        The system left out.
    first, second : str
        The one ahead in the full ranking, and the one ahead (or level) without the third.
    """

    without: str
    first: str
    second: str


def leave_one_out(
    data: Scores | Frame | Judgments,
    method: Method | str = "bradley-terry",
    *,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> tuple[Flip, ...]:
    """Leave out each system in turn and report pairs of others that change their order.

    Mean and median never flip; Bradley-Terry may (Peyrard et al., 2021, Appendix F). Systems level
    in the full ranking and apart without the third count, and the other way round. ``workers`` and
    ``executor`` rank the rest.

    Examples
    --------
    >>> scores = Scores.from_arrays({"a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]})
    >>> leave_one_out(scores)[0]
    Flip(without='a', first='b', second='c')
    """
    work, method = Work.of(sampling), method_of(method)
    data = data if isinstance(data, Judgments) else as_scores(data, metric=metric)
    if len(data.systems) < 3:
        raise UsageError(f"leaving one out needs at least three systems, got {len(data.systems)}")
    ranked = _Ranked(data, method, metric, as_seed(rng))
    whole, flips = ranked.signs(data), []
    rest = work.map(ranked, data.systems, len(data.systems))
    for out, some in zip(data.systems, rest, strict=True):
        for (a, b), now in some.items():
            then = whole[a, b]
            if then != now:
                first, second = (a, b) if then > 0 or now < 0 else (b, a)
                flips.append(Flip(out, first, second))
    return tuple(flips)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Ranks systems without one of them."""

    data: Scores | Judgments
    method: Method
    metric: str | Metric | None
    seed: int

    def __call__(self, out: str) -> dict[tuple[str, str], int]:
        """Who of every two others is ahead; nothing where the rest falls apart without this one."""
        others = (name for name in self.data.systems if name != out)
        try:
            return self.signs(self.data.select(*others))
        except DataError:
            return {}

    def signs(self, some: Scores | Judgments) -> dict[tuple[str, str], int]:
        table = prepare(some, metric=self.metric)
        ranking = aggregate(table, self.method, rng=self.seed, resamples=2)
        score = dict(zip(ranking.names, ranking.sign * rounded(ranking.scores), strict=True))
        return {(a, b): int(np.sign(score[a] - score[b])) for a, b in combinations(some.systems, 2)}


@dataclass(frozen=True, slots=True)
class TieSensitivity:
    """What another treatment of ties would change.

    Attributes
    ----------
    rule : str
        The other treatment.
    reversed_pairs : tuple of (str, str)
        Pairs whose order it changes: the one now ahead, then the other.
    largest_shift : float
        Largest change of a rating, in Elo points; scales differ between models.
    """

    rule: TieRule
    reversed_pairs: tuple[tuple[str, str], ...]
    largest_shift: float


def tie_sensitivity(
    data: Rankable, ties: TieRule = "davidson", *, metric: str | Metric | None = None
) -> tuple[TieSensitivity, ...]:
    """Refit Bradley-Terry under the other tie rules and report what changes.

    A rule that leaves nothing to compare, or no connection, is left out.
    """
    method = BradleyTerry(ties)
    outcomes = prepare(data, metric=metric).outcomes(method.ties)
    return other_tie_rules(outcomes, bt.fit(outcomes, separation="ghost")[0].theta)


def other_tie_rules(
    outcomes: Outcomes, strengths: Floats, *, order_only: bool = False
) -> tuple[TieSensitivity, ...]:
    """What the other tie rules make of log-strengths that were fitted to the outcomes.

    Every rule is a model of its own and has to be fitted: its order does not follow from another's
    strengths. But for one case, which is left out where the ``order_only`` matters: with every pair
    compared equally often, half-wins and Davidson's ties both order systems by their points, a win
    and half of every tie (Davidson, 1970, section 4).
    """
    level, names = rounded(strengths, 1.0), outcomes.systems
    own = outcomes.rule
    others = [rule for rule in TIE_RULES if rule != own]
    if order_only and own in _BY_POINTS and _balanced(outcomes):
        others = [rule for rule in others if rule not in _BY_POINTS]
    if not outcomes.counted[:, 1].any():  # without ties all models are one
        return tuple(TieSensitivity(rule, (), 0.0) for rule in others)
    found = []
    for rule in others:
        try:
            there = bt.fit(under(outcomes, rule), separation="ghost", start=strengths)[0].theta
        except DataError:
            continue
        other = rounded(there, 1.0)
        pairs = [
            (i, j) if level[i] > level[j] else (j, i)
            for i, j in combinations(range(len(names)), 2)
            if (level[i] - level[j]) * (other[i] - other[j]) < 0
        ]
        shift = float(POINTS * np.abs(strengths - there).max())
        found.append(TieSensitivity(rule, tuple((names[i], names[j]) for i, j in pairs), shift))
    return tuple(found)


def _balanced(outcomes: Outcomes) -> bool:
    """Whether every two systems were compared, and all pairs equally often."""
    m, played = len(outcomes.systems), outcomes.losses + outcomes.ties + outcomes.wins
    return len(played) == m * (m - 1) // 2 and bool((played == played[0]).all())


@dataclass(frozen=True, slots=True, eq=False)
class GoodnessOfFit:
    """Whether one strength per system explains all pairs.

    Attributes
    ----------
    left, right : tuple of str
        The pairs, worst fitting first.
    observed, expected : (pairs,) array
        Share of comparisons the left one won (ties half), and what the strengths predict.
    error : (pairs,) array
        Standard error of their difference, from resampled units.
    statistic : float
        Largest studentised difference.
    pvalue : float
        Share of resamples whose largest deviation from the observed difference reaches it, with one
        added above and below; small values say that Bradley-Terry does not fit.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    observed: Floats
    expected: Floats
    error: Floats
    statistic: float
    pvalue: float


def goodness_of_fit(
    data: Rankable,
    *,
    metric: str | Metric | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> GoodnessOfFit:
    """Test Bradley-Terry (ties half a win) against a probability of its own for every pair.

    The usual chi-square takes comparisons on one item for independent. Here whole units are
    resampled, 1,000 times by default, and differences of observed and expected shares are judged by
    how they vary.
    """
    draws, table = Draws.of(sampling, rng, 1000), prepare(data, metric=metric)
    outcomes = table.outcomes("half-win")
    if len(outcomes.systems) < 3:
        raise UsageError("two systems always fit: the test needs at least three")
    fitted, reason = bt.fit(outcomes, separation="ghost")
    if reason is not None:
        raise DataError(f"{reason}: there is no fit to judge")
    leads, weights = _leads_of_pairs(table, outcomes), outcomes.units.multiplicity[None]
    left, right = outcomes.likelihood.left, outcomes.likelihood.right
    expected = expit(fitted.theta[left] - fitted.theta[right])
    observed = _shares(outcomes, leads, weights)[0]
    residual = observed - expected
    deviations = _Deviations(outcomes, leads, fitted, residual)
    moved = np.concatenate(list(outcomes.units.resampled(deviations, draws)))
    error = moved.std(axis=0, ddof=1)
    usable = error > 1e-12
    studentised = np.where(usable, np.abs(residual) / np.where(usable, error, 1.0), 0.0)
    largest = (np.abs(moved[:, usable]) / error[usable]).max(axis=1, initial=0.0)
    statistic = float(studentised.max())
    order = np.argsort(-studentised, kind="stable")
    return GoodnessOfFit(
        left=_names(outcomes, left[order]),
        right=_names(outcomes, right[order]),
        observed=observed[order],
        expected=expected[order],
        error=error[order],
        statistic=statistic,
        pvalue=float((1 + (largest >= statistic).sum()) / (1 + len(largest))),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Deviations:
    """Refits resamples, and tells how far observed less expected shares moved."""

    outcomes: Outcomes
    leads: Any
    fitted: bt.Strengths
    residual: Floats

    def __call__(self, weights: Floats) -> Floats:
        theta = bt.fit_resamples(self.outcomes, weights, self.fitted)[0].theta
        left, right = self.outcomes.likelihood.left, self.outcomes.likelihood.right
        own = expit(theta[:, left] - theta[:, right])
        # A pair that a resample does not have deviates by nothing there.
        observed = _shares(self.outcomes, self.leads, weights)
        return np.asarray(np.nan_to_num(observed - own - self.residual))


def _leads_of_pairs(table: Prepared, outcomes: Outcomes) -> Any:
    """Half of wins minus losses of every compared pair, for one unit of each kind."""
    left, right = outcomes.likelihood.left, outcomes.likelihood.right
    if isinstance(table, ScoreTable):
        signs = signs_between(table.values[:, left], table.values[:, right])
        return by_unit(signs / 2, table.weights, table.units, table.unit_of)
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    m, single = len(table.systems), table.units.name == "judgments"
    pair = np.searchsorted(left * m + right, table.left * m + table.right)
    lead = (table.outcome - 0.5) * (1 if single else table.counts)
    shape = len(table.units.multiplicity), len(left)
    return csr_array((lead, (table.unit_of, pair)), shape=shape)


def _shares(outcomes: Outcomes, leads: Any, weights: NDArray[Any]) -> Floats:
    """Share of its comparisons that the left system of each pair won, a tie being half of one."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(0.5 + weights @ leads / outcomes.sums(weights).played)


def _names(outcomes: Outcomes, at: Ints) -> tuple[str, ...]:
    return tuple(outcomes.systems[k] for k in at)
