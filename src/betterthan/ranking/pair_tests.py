"""One pair of systems at a time: its counts, its effect, its test."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from betterthan.data.arrays import cluster_sums
from betterthan.data.pair import Items, Joint, Pair, joint_of
from betterthan.data.tally import Tally
from betterthan.errors import UsageError
from betterthan.metrics import MEDIAN, Metric, mean
from betterthan.numeric import Floats, Ints, Numbers
from betterthan.ranking.averages import weighted_medians
from betterthan.ranking.outcome_tables import signs_between
from betterthan.ranking.prepared import BattleTable, ScoreTable
from betterthan.ranking.result import Aggregation
from betterthan.resampling.generator import Rng
from betterthan.results.tests import TestResult
from betterthan.testing.by_name import run_tests
from betterthan.testing.classic import signs
from betterthan.testing.request import Request

PairTest = Literal["permutation", "t", "mood", "sign", "wilcoxon"]
_SIGN = mean()


@dataclass(frozen=True, slots=True)
class TestedPair:
    """One pair: wins, ties and losses of the first, its effect, and the test of it."""

    __test__ = False  # a result, not a test case

    counts: tuple[int, int, int]
    effect: float = np.nan
    result: TestResult | None = None


class ScorePairs:
    """Test two systems of a score table, the first being the candidate."""

    def __init__(self, table: ScoreTable, method: Aggregation, test: PairTest, rng: Rng) -> None:
        self._table, self._method, self._test, self._rng = table, method, test, rng
        self._weights = None if table.units.strata is None else table.weights
        self._clusters = None if table.scores.clusters is None else table.unit_of
        self._joint: Joint | None = None
        if test == "sign":
            return
        self._metric, self._columns = self._question()
        if table.complete:
            self._joint = self._joint_of(np.arange(table.n), range(len(table.systems)))

    def __call__(self, i: int, j: int) -> TestedPair:
        """Test system ``i`` against system ``j`` on the items both have."""
        values = self._table.values
        both = np.flatnonzero(~np.isnan(values[:, i] + values[:, j]))
        sign = signs_between(values[both, i], values[both, j])
        if both.size == 0:
            return TestedPair(_counts(sign))
        if self._test == "sign":
            clusters = None if self._clusters is None else self._clusters[both]
            if self._weights is None:
                result = _sign_test(sign.astype(np.int64), clusters)
            else:  # wins have weights, and are swapped
                gains = self._weights[both] * sign
                joint = joint_of({"other": np.zeros_like(gains), "this": gains}, _SIGN, clusters)
                (result,) = run_tests(joint, [(0, 1)], "permutation", Request(rng=self._rng))
        else:
            ready, places = self._joint, (j, i)
            if ready is None:
                ready, places = self._joint_of(both, places), (0, 1)
            (result,) = run_tests(ready, [places], self._test, Request(rng=self._rng))
        if self._method in ("mean", "median"):
            return TestedPair(_counts(sign), self._difference(i, j, both), result)
        share = np.average((sign + 1) / 2, weights=self._table.weights[both])
        return TestedPair(_counts(sign), float(share), result)

    def _difference(self, i: int, j: int, both: Ints) -> float:
        table = self._table
        if self._method == "median":
            weights = table.weights[None, both]
            first, second = (weighted_medians(table.values[both, k], weights)[0] for k in (i, j))
            return float(first - second)
        if self._weights is not None:
            gain = table.values[both, i] - table.values[both, j]
            return float(np.average(gain, weights=self._weights[both]))
        parts = table.parts[both]
        mine, theirs = (float(table.metric.finish(parts[:, k].sum(0), len(both))) for k in (i, j))
        return table.sign * (mine - theirs)

    def _question(self) -> tuple[Metric, Floats]:
        """What is tested, and the (items, systems, k) columns that it reads."""
        table, metric = self._table, self._table.metric
        values = table.values[:, :, None]
        of_mean = metric.form == "mean" and self._method != "median"
        if self._weights is not None:  # items are swapped within tasks, and count by their weight
            if self._test == "permutation" and of_mean:
                return mean(), self._weights[:, None, None] * values
            measured = "the median" if self._method == "median" else repr(metric)
            raise UsageError(
                "tasks of equal weight are tested by permutation of a mean or by sign, "
                f"not test={self._test!r} of {measured}"
            )
        if self._test != "permutation" or of_mean:
            return mean(), values
        if self._method == "median":
            return MEDIAN, values
        columns = [table.scores.columns.index(c) for c in metric.columns]
        lowered = table.scores.lower_is_better and not metric.lower_is_better
        return metric.lowered() if lowered else metric, table.scores.values[:, :, columns]

    def _joint_of(self, rows: Ints, places: Sequence[int]) -> Joint:
        clusters = None if self._clusters is None else self._clusters[rows]
        arrays = {self._table.systems[k]: self._columns[rows, k] for k in places}
        return joint_of(arrays, self._metric, clusters)


class BattlePairs:
    """Test two systems by the judgments of both; a unit changes sides as one."""

    def __init__(self, table: BattleTable) -> None:
        left, right = table.judgments.left, table.judgments.right
        self._unit = None if table.units.name == "judgments" else table.unit_of
        low, high = np.minimum(left, right), np.maximum(left, right)
        self._sign = np.sign(table.judgments.outcome - 0.5) * np.where(left == low, 1, -1)
        self._systems = len(table.systems)
        code = low * self._systems + high
        self._order = np.argsort(code, kind="stable")
        self._codes = code[self._order]

    def __call__(self, i: int, j: int) -> TestedPair:
        """Test system ``i`` against system ``j`` on the judgments of both."""
        code = min(i, j) * self._systems + max(i, j)
        start, stop = np.searchsorted(self._codes, [code, code + 1])
        rows = self._order[start:stop]
        sign = (self._sign[rows] * (1 if i < j else -1)).astype(np.int64)
        if not rows.size:
            return TestedPair(_counts(sign))
        clusters = None if self._unit is None else self._unit[rows]
        result = _sign_test(sign, clusters)
        return TestedPair(_counts(sign), float((sign.mean() + 1) / 2), result)


def _counts(sign: Numbers) -> tuple[int, int, int]:
    return int((sign > 0).sum()), int((sign == 0).sum()), int((sign < 0).sum())


def _sign_test(sign: Ints, clusters: Ints | None) -> TestResult:
    """Test wins against losses, which are tallied as they are: there is nothing to check."""
    items, number = None, None
    if clusters is None:
        times = np.bincount(sign + 1, minlength=3)
        seen = np.flatnonzero(times)
        rows = np.stack([np.zeros_like(seen), seen - 1, np.ones_like(seen)], axis=1)
        tally = Tally(rows, times[seen])
    else:
        distinct, codes = np.unique(clusters, return_inverse=True)
        number = len(distinct)
        sums, sizes = cluster_sums(sign, codes, number), np.bincount(codes)
        tally = Tally.of([np.zeros_like(sums), sums, sizes])
        values = (np.zeros_like(sign)[:, None], sign[:, None])
        items = Items(values, codes)
    pair = Pair(
        metric=_SIGN,
        systems=("other", "this"),
        tally=tally,
        unit=Fraction(1),
        noise=0.0,
        n=len(sign),
        clusters=number,
        items=items,
    )
    return signs(pair, "two-sided")
