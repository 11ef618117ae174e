"""Every two systems: who is ahead, by how much, and whether that is more than chance.

Each aggregation has the test that asks its own question (Peyrard et al., 2021, section 3.2): the
mean a permutation or t-test, the median Mood's test, Bradley-Terry and its kin the sign test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from scipy.special import expit

from betterthan.checks import check_level
from betterthan.comparison.multiplicity import Correction, adjust
from betterthan.errors import UsageError
from betterthan.exact.binomial import sign_pvalues
from betterthan.grammar import value_of
from betterthan.metrics import Metric
from betterthan.numeric import Bools, Floats, Ints
from betterthan.ranking import elo, trueskill
from betterthan.ranking.aggregate import aggregate, check_pairs
from betterthan.ranking.methods import Aggregation, Method, method_of
from betterthan.ranking.outcome_tables import Signs
from betterthan.ranking.pair_tests import (
    BY_SIGN,
    PAIR_TESTS,
    BattlePairs,
    PairResults,
    ScorePairs,
)
from betterthan.ranking.prepared import Rankable, prepare, usual_method
from betterthan.ranking.result import Ranking
from betterthan.ranking.tables import BattleTable, Prepared, ScoreTable
from betterthan.resampling.generator import Rng, as_seed
from betterthan.resampling.work import Sampling, Work
from betterthan.results.protocol import Result
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import ITEM_BY_ITEM, MEANS
from betterthan.testing.request import Request
from betterthan.testing.values import PairedTest, Sign

MATCHING: dict[Aggregation, tuple[str, ...]] = {
    "mean": ("permutation", "t", "wilcoxon"),
    "median": ("mood", "sign", "permutation"),
    "bradley-terry": ("sign", "wilcoxon"),
    "elo": ("sign", "wilcoxon"),
    "trueskill": ("sign", "wilcoxon"),
}
"""Tests that fit each aggregation, the usual one first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairwise(Result):
    """All pairs of systems; every matrix reads *row against column*.

    Plots: ``matrix``, the effects; ``model``, the probabilities of the global model, if there is
    one.

    Attributes
    ----------
    method, test : str
        The aggregation and the test.
    names : tuple of str
        In the order of the ranking, best first.
    effect : (systems, systems) array
        Mean and median: difference in the direction of better. Bradley-Terry, Elo, TrueSkill: the
        share of this pair's comparisons that the row won, ties counting half. From the pair alone.
    favours : (systems, systems) array of int
        1 where the test speaks for the row, -1 for the column.
    ahead : (systems, systems) array of int
        1 where the metric puts the row ahead, -1 the column. A sign test counts items, which a mean
        weighs, so they may point different ways: then neither system beats the other.
    model : (systems, systems) array or None
        Probability that the row beats the column (rather than lose) under the global model, which
        uses all comparisons; it may differ from ``effect`` and even point the other way.
    pvalue, adjusted : (systems, systems) array
        Raw and adjusted p-values; NaN on the diagonal and for pairs that were never compared.
    log10_pvalue, log10_adjusted : (systems, systems) array
        Decimal logarithms of both, finite where they underflow to zero.
    wins, ties, losses : (systems, systems) array of int
        Counts, on the items both have.
    correction : str
        How p-values were adjusted.
    alpha : float
        Level of ``beats``.
    results : mapping of (str, str) to TestResult
        The tests themselves, under (better ranked, worse ranked); made when they are asked for,
        where the counts alone give all p-values.
    """

    method: Aggregation
    test: str
    names: tuple[str, ...]
    effect: Floats
    favours: Signs
    ahead: Signs
    model: Floats | None
    pvalue: Floats
    log10_pvalue: Floats
    adjusted: Floats
    log10_adjusted: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    correction: Correction
    alpha: float
    results: Mapping[tuple[str, str], TestResult]

    @property
    def n(self) -> Ints:
        """Comparisons of each pair."""
        return self.wins + self.ties + self.losses

    @property
    def lead(self) -> Floats:
        """Effect from the point of view of no difference: positive where the row is ahead."""
        return self.effect - (0.0 if self.method in ("mean", "median") else 0.5)

    @property
    def beats(self) -> Bools:
        """Whether the row is significantly better than the column."""
        return np.asarray(self._significant & (self.favours > 0) & (self.ahead > 0))

    @property
    def opposed(self) -> Bools:
        """Whether the row is ahead while the test, which is significant, speaks for the column."""
        return np.asarray(self._significant & (self.favours < 0) & (self.ahead > 0))

    @property
    def _significant(self) -> Bools:
        with np.errstate(invalid="ignore"):
            return np.asarray(self.adjusted <= self.alpha)


def pairwise(
    data: Rankable,
    method: Method | str | None = None,
    *,
    test: PairedTest | str | None = None,
    metric: str | Metric | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    ranking: Ranking | None = None,
    rng: Rng = 0,
    **sampling: Unpack[Sampling],
) -> Pairwise:
    """Compare all pairs of systems with the test that matches the aggregation.

    P-values and who beats whom are those of :func:`betterthan.compare_all` by the same test.

    Parameters
    ----------
    data : Scores or Judgments
        Where cells are missing, each pair uses the items both have. With tasks, items weigh so
        that tasks weigh the same.
    method : str or value of ``bt.methods``, optional
        The aggregation, as in :func:`rank`.
    test : str or value of ``bt.tests``, optional
        ``"permutation"``, ``"t"``, ``"mood"``, ``"sign"`` or ``"wilcoxon"``; by default the first
        of ``MATCHING[method]``. Mood's test ignores the pairing, as the median does; the sign test
        is its paired alternative. Judgments have the sign test only.
    metric : str or Metric, optional
        As in :func:`rank`.
    correction : {"holm", "bonferroni", "hochberg", "sidak", "bh", "by", "none"}
        Adjustment over all pairs.
    alpha : float
        Level of ``beats``.
    ranking : Ranking, optional
        Gives order and global model; made with the method where it is not at hand.
    rng : None, int or Generator
        Seed, should sampling be needed.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`; wins and losses of
        independent items are all counted at once.

    Examples
    --------
    >>> from betterthan import Scores
    >>> scores = Scores.from_arrays({"a": [1, 2, 3, 1], "b": [2, 3, 1, 4]})
    >>> pairs = pairwise(scores, "bradley-terry")
    >>> pairs.names, float(pairs.effect[0, 1]), float(pairs.pvalue[0, 1])
    (('b', 'a'), 0.75, 0.625)
    """
    work = Work.of(sampling)
    check_level(alpha)
    table = prepare(data, metric=metric)
    method = usual_method(table) if method is None else method_of(method)
    check_pairs(table)
    seed = as_seed(rng)
    chosen = value_of(test or matching_test(table, method), PAIR_TESTS, "test")
    if isinstance(table, ScoreTable) and chosen.name in ITEM_BY_ITEM:
        table.scores.check_even(f"the {chosen.name} test", MEANS)
    if ranking is None:
        ranking = aggregate(table, method, rng=seed, resamples=2)
    if isinstance(table, BattleTable):
        if not isinstance(chosen, Sign):
            raise UsageError(f"judgments have no scores to test, as {chosen.name} does", BY_SIGN)
        compare: BattlePairs | ScorePairs = BattlePairs(table)
    else:
        tolerance = sampling.get("tolerance", Request().tolerance)
        request = Request(alpha=alpha, rng=seed, tolerance=tolerance)
        compare = ScorePairs(table, method.name, chosen, request)
    names = ranking.names
    at = np.array([table.systems.index(name) for name in names])
    m = len(names)
    wins, ties, losses = (counted[np.ix_(at, at)] for counted in compare.counts)
    left, right = np.nonzero(np.triu(wins + ties + losses > 0, 1))
    places = list(zip(at[left].tolist(), at[right].tolist(), strict=True))
    keys = ((names[i], names[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True))
    results = PairResults(dict(zip(keys, places, strict=True)), compare)
    if compare.binomial:
        p, log = sign_pvalues(wins[left, right], losses[left, right])
        towards = np.sign((wins - losses)[left, right])
    else:
        p, log = results.pvalues(work)
        towards = np.sign(results.favours())
    effect, pvalue, log10 = (np.full((m, m), np.nan) for _ in range(3))
    favours, leads = np.zeros((2, m, m), dtype=np.int8)
    whole = 0.0 if method.name in ("mean", "median") else 1.0  # differences, or shares of all
    effect[left, right] = above = compare.effects(at[left], at[right])
    effect[right, left] = whole - above
    leads[left, right] = ahead = compare.leads(at[left], at[right])
    leads[right, left] = -ahead
    favours[left, right], favours[right, left] = towards, -towards
    pvalue[left, right] = pvalue[right, left] = p
    log10[left, right] = log10[right, left] = log
    log10_adjusted = np.full((m, m), np.nan)
    if left.size:
        log10_adjusted[left, right] = adjust(log, correction, log10=True)
        log10_adjusted[right, left] = log10_adjusted[left, right]
    return Pairwise(
        method=method.name,
        test=repr(chosen),
        names=names,
        effect=effect,
        favours=favours,
        ahead=leads,
        model=win_matrix(ranking),
        pvalue=pvalue,
        log10_pvalue=log10,
        adjusted=np.power(10.0, log10_adjusted),
        log10_adjusted=log10_adjusted,
        wins=wins,
        ties=ties,
        losses=losses,
        correction=correction,
        alpha=alpha,
        results=results,
    )


def matching_test(table: Prepared, method: Method) -> str:
    """Test that fits an aggregation and the data: Mood's knows neither clusters nor tasks.

    >>> from betterthan import Scores
    >>> scores = Scores.from_arrays({"a": [1, 2], "b": [2, 3]}, clusters=[0, 0])
    >>> matching_test(prepare(scores), method_of("median"))
    'sign'
    """
    grouped = table.units.name == "clusters" or table.units.strata is not None
    return next(test for test in MATCHING[method.name] if not (grouped and test == "mood"))


def win_matrix(ranking: Ranking) -> Floats | None:
    """Probability that row beats column under the ranking's global model, given no tie.

    None for mean and median, which have no such model.
    """
    difference = ranking.scores[:, None] - ranking.scores
    if ranking.method == "bradley-terry":
        matrix = np.asarray(expit(difference))
    elif ranking.method == "elo":
        matrix = elo.win_probability(difference)
    elif ranking.method == "trueskill" and ranking.sigma is not None:
        variance = ranking.sigma**2
        matrix = trueskill.win_probability(difference, variance[:, None], variance)
    else:
        return None
    np.fill_diagonal(matrix, np.nan)
    return matrix
