"""One pair of systems at a time: its counts, its effect, its test."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from betterthan.classic import mood_test, sign_test, t_test, wilcoxon
from betterthan.data import Floats
from betterthan.errors import UsageError
from betterthan.metrics import MEDIAN
from betterthan.permutation import permutation_test
from betterthan.ranking.averages import weighted_medians
from betterthan.ranking.judgments import Judgments
from betterthan.ranking.result import Method
from betterthan.ranking.sequence import rows_by_unit
from betterthan.ranking.table import ScoreTable, signs_between
from betterthan.results import TestResult
from betterthan.sampling import Rng

PairTest = Literal["permutation", "t", "mood", "sign", "wilcoxon"]


@dataclass(frozen=True, slots=True)
class TestedPair:
    """One pair: wins, ties and losses of the first, its effect, and the test of it."""

    __test__ = False  # a result, not a test case

    counts: tuple[int, int, int]
    effect: float = np.nan
    mirrored: float = np.nan
    result: TestResult | None = None


@dataclass(frozen=True, slots=True)
class ScorePairs:
    """Test two systems of a score table, the first being the candidate."""

    table: ScoreTable
    method: Method
    test: PairTest
    weighted: bool
    rng: Rng

    def __call__(self, i: int, j: int) -> TestedPair:
        """Test system ``i`` against system ``j`` on the items both have."""
        values, table = self.table.values, self.table
        both = np.flatnonzero(~np.isnan(values[:, i] + values[:, j]))
        sign = signs_between(values[both, i], values[both, j])
        counts = int((sign > 0).sum()), int((sign == 0).sum()), int((sign < 0).sum())
        if both.size == 0:
            return TestedPair(counts)
        clusters = None if table.scores.clusters is None else table.unit_of[both]
        result = self._test(i, j, both, sign, clusters)
        if self.method in ("mean", "median"):
            effect = self._difference(i, j, both)
            return TestedPair(counts, effect, -effect, result)
        weights = table.weights[both]
        share = float(weights @ ((sign + 1) / 2) / weights.sum())
        return TestedPair(counts, share, 1 - share, result)

    def _difference(self, i: int, j: int, both: NDArray[Any]) -> float:
        if self.method == "median":
            weights = self.table.weights[None, both]
            medians = [weighted_medians(self.table.values[both, k], weights)[0] for k in (i, j)]
            return float(medians[0] - medians[1])
        metric, sign = self.table.metric, self.table.sign
        if self.weighted:
            weights = self.table.weights[both]
            gain = self.table.values[both, i] - self.table.values[both, j]
            return float(weights @ gain / weights.sum())
        parts = self.table.parts[both]
        mine, theirs = (float(metric.finish(parts[:, k].sum(0), len(both))) for k in (i, j))
        return sign * (mine - theirs)

    def _test(
        self,
        i: int,
        j: int,
        both: NDArray[Any],
        sign: NDArray[np.int8],
        clusters: NDArray[Any] | None,
    ) -> TestResult:
        a, b = self.table.values[both, j], self.table.values[both, i]
        if self.weighted:
            return self._weighted_test(a, b, sign, self.table.weights[both], clusters)
        if self.test == "sign":
            return sign_test(a, b, clusters=clusters)
        if self.test == "t":
            return t_test(a, b, clusters=clusters)
        if self.test == "wilcoxon":
            return wilcoxon(a, b, clusters=clusters)
        if self.test == "mood":
            if clusters is not None:
                raise UsageError("Mood's test cannot use clusters: take test='sign'")
            return mood_test(a, b)
        if self.method == "median":
            return permutation_test(a, b, MEDIAN, clusters=clusters, rng=self.rng)
        if self.table.metric.form == "mean":
            return permutation_test(a, b, clusters=clusters, rng=self.rng)
        metric, scores = self.table.metric, self.table.scores
        columns = [scores.columns.index(c) for c in metric.columns]
        whole = scores.values[both][:, :, columns]
        if scores.lower_is_better and not metric.lower_is_better:
            metric = metric.lowered()
        return permutation_test(whole[:, j], whole[:, i], metric, clusters=clusters, rng=self.rng)

    def _weighted_test(
        self,
        a: Floats,
        b: Floats,
        sign: NDArray[np.int8],
        weights: Floats,
        clusters: NDArray[Any] | None,
    ) -> TestResult:
        """Swap items within their tasks; each counts by its weight."""
        if self.test == "sign":
            zero = np.zeros(len(a))
            return permutation_test(zero, weights * sign, clusters=clusters, rng=self.rng)
        of_mean = self.table.metric.form == "mean" and self.method != "median"
        if self.test == "permutation" and of_mean:
            return permutation_test(weights * a, weights * b, clusters=clusters, rng=self.rng)
        measured = "the median" if self.method == "median" else repr(self.table.metric)
        raise UsageError(
            "tasks of equal weight are tested by permutation of a mean or by sign, "
            f"not test={self.test!r} of {measured}"
        )


class JudgmentPairs:
    """Test two systems by the judgments of both; a unit changes sides as one."""

    def __init__(self, data: Judgments) -> None:
        self._unit, _ = rows_by_unit(data)
        low, high = np.minimum(data.left, data.right), np.maximum(data.left, data.right)
        self._sign = np.sign(data.outcome - 0.5) * np.where(data.left == low, 1, -1)
        code = low * len(data.systems) + high
        self._order = np.argsort(code, kind="stable")
        self._codes = code[self._order]
        self._systems = len(data.systems)

    def __call__(self, i: int, j: int) -> TestedPair:
        """Test system ``i`` against system ``j`` on the judgments of both."""
        code = min(i, j) * self._systems + max(i, j)
        start, stop = np.searchsorted(self._codes, [code, code + 1])
        rows = self._order[start:stop]
        sign = (self._sign[rows] * (1 if i < j else -1)).astype(np.int64)
        counts = int((sign > 0).sum()), int((sign == 0).sum()), int((sign < 0).sum())
        if not rows.size:
            return TestedPair(counts)
        result = sign_test(np.zeros(len(sign)), sign, clusters=self._unit[rows])
        share = float((sign.mean() + 1) / 2)
        return TestedPair(counts, share, 1 - share, result)
