"""Every two systems: their counts, their effects, their tests."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from betterthan.data.arrays import cluster_sums
from betterthan.data.items import Items
from betterthan.data.pair import Joint, Pair
from betterthan.data.pairing import joint_of
from betterthan.errors import Remedy, UsageError
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import Probability
from betterthan.metrics import MEDIAN, Metric, mean
from betterthan.numeric import Floats, Ints
from betterthan.ranking.averages import weighted_medians
from betterthan.ranking.methods import Aggregation
from betterthan.ranking.outcome_tables import Signs, signs_between
from betterthan.ranking.pair_counts import count_pairs, is_two_valued
from betterthan.ranking.tables import BattleTable, ScoreTable
from betterthan.resampling.work import HERE, Work
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.of_pairs import signs
from betterthan.testing.permutation import whole_pvalue
from betterthan.testing.request import Request
from betterthan.testing.values import Mood, PairedTest, Permutation, Sign, T, Wilcoxon

NOISE = 1e-14
"""Differences of scores that are smaller, relative to the largest score, are rounding noise."""

PAIR_TESTS: dict[str, type[PairedTest]] = {
    kind.name: kind for kind in (Permutation, T, Mood, Sign, Wilcoxon)
}
"""Tests of every two systems, by their names."""
BY_SIGN = Remedy("counts wins and losses", "test", Sign.name)
_SIGN = mean()


@dataclass(frozen=True, slots=True, repr=False)
class Model(PairedTest):
    """Differences of ratings, which use all comparisons, by Student's law."""

    name: ClassVar[str] = "model"


DECIDERS = PAIR_TESTS | {Model.name: Model}
"""What may decide who beats whom."""


class PairResults(Mapping[tuple[str, str], TestResult]):
    """Tests of pairs of systems by their names, each made when it is asked for."""

    def __init__(
        self, pairs: Mapping[tuple[str, str], tuple[int, int]], tested: "BattlePairs | ScorePairs"
    ) -> None:
        self._pairs, self._tested = pairs, tested
        self._made: dict[tuple[str, str], TestResult] = {}

    def __getitem__(self, names: tuple[str, str]) -> TestResult:
        if names not in self._made:
            self._made[names] = self._tested.result(*self._pairs[names])
        return self._made[names]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def pvalues(self, work: Work = HERE) -> tuple[Floats, Floats]:
        """P-values of all and their decimal logarithms, without a result where one can do."""
        p, log = np.empty((2, len(self._pairs)))
        tested = self._tested if work.executor is None else self._tested.lean()
        found = work.map(partial(_tested, tested), self._pairs.values(), len(self._pairs))
        for k, (names, made) in enumerate(zip(self._pairs, found, strict=True)):
            if isinstance(made, TestResult):
                self._made[names] = made
                p[k], log[k] = made.pvalue, made.log10_pvalue
            else:
                p[k], log[k] = made
        return p, log

    def favours(self) -> Floats:
        """Positive where a pair's test speaks for its first system, whatever the effect says."""
        return np.array(
            [
                self._tested.favours(*places) if made is None else made.favours
                for names, places in self._pairs.items()
                for made in [self._made.get(names)]
            ]
        )


def _tested(
    tested: "BattlePairs | ScorePairs", places: tuple[int, int]
) -> TestResult | tuple[float, float]:
    """The p-value of two systems and its logarithm, or a result where only that has them."""
    quick = tested.quick(*places)
    if quick is None:
        return tested.result(*places)
    return quick.fields["pvalue"], quick.fields["log10_pvalue"]


class ScorePairs:
    """Tests of two systems of a score table, the first being the candidate.

    ``counts`` are wins, ties and losses of every two systems; ``binomial`` says whether the test
    rests on them alone.
    """

    def __init__(
        self, table: ScoreTable, method: Aggregation, test: PairedTest, request: Request
    ) -> None:
        self._table, self._method, self._test, self._request = table, method, test, request
        self._weights = None if table.units.strata is None else table.weights
        self._clusters = None if table.scores.clusters is None else table.unit_of
        self._by_sign = isinstance(test, Sign)
        permuted = isinstance(test, Permutation)
        self._metric = MEDIAN if permuted and method == "median" else table.metric
        if self._weights is not None and not self._by_sign:
            self._check_weighable()
        self._joint: Joint | None = None
        self._whole: Ints | None = None
        self.counts = count_pairs(table.values)
        alone = self._weights is None and self._clusters is None
        of_signs = test == Permutation() and self._metric.form == "mean"
        # Differences of one size follow the binomial law of their signs.
        self.binomial = alone and (self._by_sign or (of_signs and is_two_valued(table.values)))
        if (
            table.complete
            and not self.binomial
            and not (self._by_sign and self._weights is not None)
        ):
            self._joint = self._joint_of(np.arange(table.n), range(len(table.systems)))
            items = self._joint.items
            if alone and of_signs and self._joint.whole and items is not None:
                tested = self._joint.metric
                exact = [tested.project(x)[:, 0] for x in items.exact]
                self._whole = int(tested.sign) * np.stack(exact)

    def lean(self) -> Self:
        """Return the same without what tests of pairs do not need: it is sent to workers."""
        made, first = copy(self), np.arange(1)
        made._table = replace(
            self._table,
            scores=self._table.scores.only(first),
            parts=self._table.parts[first],
            given=None,
            content=(),
            _outcomes={},
        )
        made.counts = self.counts[:, :1, :1]
        if self._joint is not None and self._joint.items is not None:
            items = replace(self._joint.items, source=None)
            made._joint = replace(self._joint, items=items)
        return made

    def effects(self, rows: Ints, columns: Ints) -> Floats:
        """Effect of each row's system against that of its column, as the method sees it."""
        if self._method in ("mean", "median"):
            metric = MEDIAN if self._method == "median" else self._table.metric
            return self._differences(rows, columns, metric)
        if self._weights is None:
            return _shares(self.counts[:, rows, columns])
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array([self._share(i, j, self._both(i, j)) for i, j in pairs])

    def leads(self, rows: Ints, columns: Ints) -> Ints:
        """Sign of the difference that is tested, of each row's system from its column's."""
        gaps = self._differences(rows, columns, self._metric)
        noise = NOISE * max(float(np.abs(np.nan_to_num(self._table.values)).max()), 1e-300)
        return np.sign(np.where(np.abs(gaps) <= noise, 0.0, gaps)).astype(np.int64)

    def _differences(self, rows: Ints, columns: Ints, metric: Metric) -> Floats:
        """Differences of scores, higher better; over tasks, of what all their items weigh."""
        if self._table.complete:
            scores = [self._score(k, slice(None), metric) for k in range(len(self._table.systems))]
            return np.asarray(np.take(scores, rows) - np.take(scores, columns))
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        both = ((i, j, self._both(i, j)) for i, j in pairs)
        return np.array([self._score(i, b, metric) - self._score(j, b, metric) for i, j, b in both])

    def quick(self, i: int, j: int) -> Probability | None:
        """P-value of ``result(i, j)`` by itself, where whole-number differences give it."""
        if self._by_sign and self._weights is None:
            values = self._table.values  # the sign of what is missing is zero
            sign = signs_between(values[:, i], values[:, j]).astype(np.int64)
            return _sign_pvalue(sign, self._clusters)
        if self._whole is None:
            return None
        return whole_pvalue(self._whole[i] - self._whole[j])

    def favours(self, i: int, j: int) -> float:
        """Positive where what `quick` tests speaks for the first system."""
        if self._whole is not None and not self._by_sign:
            return float(self._whole[i].sum() - self._whole[j].sum())
        return float(self.counts[0, i, j] - self.counts[2, i, j])

    def result(self, i: int, j: int) -> TestResult:
        """Test system ``i`` against system ``j`` on the items both have."""
        ready, places = self._joint, (j, i)
        if ready is None:
            both = self._both(i, j)
            if self._by_sign:
                return self._sign_test(i, j, both)
            ready, places = self._joint_of(both, places), (0, 1)
        (result,) = run_tests(ready, [places], self._test, self._request)
        return result

    def _both(self, i: int, j: int) -> Ints:
        values = self._table.values
        return np.flatnonzero(~np.isnan(values[:, i] + values[:, j]))

    def _signs(self, i: int, j: int, both: Ints) -> Signs:
        values = self._table.values
        return signs_between(values[both, i], values[both, j])

    def _sign_test(self, i: int, j: int, both: Ints) -> TestResult:
        sign = self._signs(i, j, both)
        clusters = None if self._clusters is None else self._clusters[both]
        if self._weights is None:
            return _sign_test(sign.astype(np.int64), clusters)
        gains = self._weights[both] * sign  # wins have weights, and are swapped
        joint = joint_of({"other": np.zeros_like(gains), "this": gains}, _SIGN, clusters)
        asked = Request(rng=self._request.rng)
        (result,) = run_tests(joint, [(0, 1)], "permutation", asked)
        return result

    def _share(self, i: int, j: int, both: Ints) -> float:
        won = (self._signs(i, j, both) + 1) / 2
        return float(np.average(won, weights=self._table.weights[both]))

    def _score(self, k: int, items: Ints | slice, metric: Metric) -> float:
        """A system's score on some of the items, higher better."""
        table, own = self._table, self._table.values[items, k]
        if metric == MEDIAN:
            return float(weighted_medians(own, table.weights[None, items])[0])
        if self._weights is not None:
            return float(np.average(own, weights=self._weights[items]))
        return table.sign * float(metric.finish(table.parts[items, k].sum(axis=0), len(own)))

    def _check_weighable(self) -> None:
        """Check the test of items that count by their weight, swapped within tasks."""
        if isinstance(self._test, Permutation) and self._metric.form == "mean":
            return
        measured = "the median" if self._method == "median" else repr(self._table.metric)
        raise UsageError(
            "tasks of equal weight are tested by permutation of a mean, or by sign, and not by "
            f"the {self._test.name} test of {measured}",
            BY_SIGN,
        )

    def _joint_of(self, rows: Ints, places: Sequence[int]) -> Joint:
        """Some systems on some items, as they are compared elsewhere; or by the items' weights."""
        names = [self._table.systems[k] for k in places]
        if self._weights is None:
            scores = self._table.scores
            return (scores if len(rows) == scores.n else scores.only(rows)).joint(
                names, self._metric
            )
        gains = self._weights[rows, None] * self._table.values[rows]
        clusters = None if self._clusters is None else self._clusters[rows]
        return joint_of(
            {name: gains[:, k] for name, k in zip(names, places, strict=True)}, mean(), clusters
        )


class BattlePairs:
    """Tests of two systems by the judgments of both; a unit changes sides as one.

    ``counts`` and ``binomial`` are as in `ScorePairs`.
    """

    def __init__(self, table: BattleTable) -> None:
        self._systems = m = len(table.systems)
        self._unit = None if table.units.name == "judgments" else table.unit_of
        self.binomial = self._unit is None
        self._code, self._times = table.left * m + table.right, table.counts
        self._sign = (2 * table.outcome).astype(np.int64) - 1
        kinds = np.bincount(3 * self._code + 1 + self._sign, self._times, minlength=3 * m * m)
        losses, ties, wins = np.moveaxis(kinds.astype(np.int64).reshape(m, m, 3), 2, 0)
        self.counts = np.stack([wins + losses.T, ties + ties.T, losses + wins.T])

    def lean(self) -> Self:
        """Return what tests of pairs need, which is all that there is."""
        return self

    def leads(self, rows: Ints, columns: Ints) -> Ints:
        """Sign of wins less losses of each row's system against its column's."""
        wins, _, losses = self.counts[:, rows, columns]
        return np.asarray(np.sign(wins - losses))

    def effects(self, rows: Ints, columns: Ints) -> Floats:
        """Share of its judgments with the column's system that the row's won."""
        return _shares(self.counts[:, rows, columns])

    def quick(self, i: int, j: int) -> Probability | None:
        """P-value of ``result(i, j)`` by itself."""
        sign, units, _ = self._signs(i, j)
        return None if units is None else _sign_pvalue(sign, units)

    def favours(self, i: int, j: int) -> float:
        """Positive where the first system won more often."""
        return float(self.counts[0, i, j] - self.counts[2, i, j])

    def result(self, i: int, j: int) -> TestResult:
        """Test system ``i`` against system ``j`` on the judgments of both."""
        return _sign_test(*self._signs(i, j))

    def _signs(self, i: int, j: int) -> tuple[Ints, Ints | None, Ints | None]:
        """Wins less losses of single judgments and their units, or of rows and their counts."""
        order, codes = self._sorted
        code = min(i, j) * self._systems + max(i, j)
        start, stop = np.searchsorted(codes, [code, code + 1])
        rows = order[start:stop]
        turn = 1 if i < j else -1
        if self._unit is None:
            return self._sign[rows] * turn, None, self._times[rows]
        rows = np.repeat(rows, self._times[rows])
        return self._sign[rows] * turn, self._unit[rows], None

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        order = np.argsort(self._code, kind="stable")
        return order, self._code[order]


def _shares(counts: NDArray[Any]) -> Floats:
    wins, ties, losses = counts
    return np.asarray((wins + ties / 2) / (wins + ties + losses))


def _sign_pvalue(sign: Ints, clusters: Ints | None) -> Probability:
    """The p-value of `_sign_test` without what tells of it."""
    units = sign
    if clusters is not None:
        distinct, codes = np.unique(clusters, return_inverse=True)
        units = cluster_sums(sign, codes, len(distinct))
    return SignedSum.of(units).pvalue(int(sign.sum()))


def _sign_test(sign: Ints, clusters: Ints | None, times: Ints | None = None) -> TestResult:
    """Test wins against losses, which are tallied as they are: there is nothing to check."""
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    items = Items((np.zeros_like(sign)[:, None], sign[:, None]), codes, times)
    return signs(Pair.from_items(items, _SIGN, ("other", "this")), "two-sided")
