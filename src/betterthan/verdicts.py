"""Verdicts: tested pairs, adjusted for their number, each with its effect and what it is worth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from betterthan.effect import (
    Deltas,
    Floats,
    detectable_effect,
    difference_interval,
    win_tie_loss,
)
from betterthan.errors import UsageError
from betterthan.intervals import Interval
from betterthan.metrics import Metric
from betterthan.montecarlo import MINIMUM, ORIENT
from betterthan.multiplicity import adjust, max_t_stepdown
from betterthan.pairs import Pair
from betterthan.results import Alternative, Kind, TestResult
from betterthan.sampling import Rng, swap_blocks
from betterthan.swaps import Swaps

Verdict = Literal["better", "worse", "can't tell"]
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system against one baseline on one metric: the claim and everything that defends it.

    ``delta`` and ``interval`` are oriented towards better, whatever the metric's direction; the two
    scores are as the metric prints them. The verdict rests on ``pvalue_adjusted``, which equals
    ``pvalue`` when there was one comparison.
    """

    baseline: str
    system: str
    metric: str
    n: int
    score_baseline: float
    score_system: float
    delta: float
    interval: Interval
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    log10_pvalue: float
    pvalue_adjusted: float
    log10_pvalue_adjusted: float
    alternative: Alternative
    alpha: float
    correction: str
    kind: Kind
    engine: str
    reason: str
    clusters: int | None
    wins: int | None
    ties: int | None
    losses: int | None
    mde: float | None
    verdict: Verdict
    notes: tuple[str, ...]
    signature: str
    subset: str | None = None
    percent: bool = False
    test: TestResult = field(repr=False, compare=False)

    def __str__(self) -> str:
        low, high = self.interval.low, self.interval.high
        return (
            f"{self.system} vs {self.baseline} ({self.metric}): {self.verdict}, "
            f"delta {self.delta:+.4g} [{low:+.4g}, {high:+.4g}]\n{self.test}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Several comparisons made together, and what was done about their number."""

    comparisons: tuple[Comparison, ...]
    correction: str
    alpha: float
    source: str
    notes: tuple[str, ...]
    signature: str

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, at: int) -> Comparison:
        return self.comparisons[at]


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """A tested pair whose verdict waits for the number of comparisons."""

    baseline: str
    system: str
    metric: Metric
    pair: Pair
    test: TestResult
    notes: tuple[str, ...]
    subset: str | None
    deltas: Callable[[float], Deltas]


def judge(
    tested: Sequence[Pending], *, alpha: float, correction: str, rng: Rng = None
) -> list[Comparison]:
    """Adjust for the number of comparisons, then decide each.

    One comparison needs no adjustment. Intervals hold together at ``1 - alpha``, whatever their
    dependence (Bonferroni).
    """
    if not tested:
        return []
    used = correction if len(tested) > 1 else "none"
    if used == "max-t":
        adjusted = shared_max_t(tested, rng)
        logs = np.log10(adjusted)
    else:
        adjusted = adjust([t.test.pvalue for t in tested], used)
        logs = adjust([t.test.log10_pvalue for t in tested], used, log10=True)
    level = 1.0 - alpha / (len(tested) if used != "none" else 1)
    return [
        _decide(t, (float(p), float(log10)), used, alpha=alpha, level=level)
        for t, p, log10 in zip(tested, adjusted, logs, strict=True)
    ]


def shared_max_t(tested: Sequence[Pending], rng: Rng = None) -> Floats:
    """Step-down max-T p-values from shared swaps (Westfall & Young, 1993).

    A unit is swapped in all pairs or in none, so that the dependence between comparisons is that of
    the data. Sums of differences are divided by their null standard deviation, which swaps leave
    as it is, and so have one scale. Each comparison's own law is exact; their joint law is right
    where the differences are jointly symmetric under the null, which for several systems says more
    than that their labels may be exchanged (Holm's correction assumes nothing of the kind).
    """
    if len({t.subset for t in tested}) > 1:
        raise UsageError("max-T needs the same items in every comparison: choose --correction holm")
    columns = []
    for t in tested:
        gains = Swaps.of(t.pair, t.metric).gains
        if gains is None:
            raise UsageError(f"max-T compares means, not {t.metric!r}: choose --correction holm")
        norm = float(np.sqrt(np.square(gains, dtype=np.float64).sum()))
        columns.append(gains / norm if norm else gains * 0.0)
    if len({len(c) for c in columns}) > 1:
        raise UsageError("max-T needs the same items in every comparison: choose --correction holm")
    gains = np.stack(columns, axis=1)
    orient = ORIENT[tested[0].test.alternative]
    draws = [orient(signs @ gains) for signs in swap_blocks(len(gains), MINIMUM, rng)]
    return max_t_stepdown(np.concatenate(draws), orient(gains.sum(axis=0)))


def _decide(
    t: Pending, adjusted: tuple[float, float], correction: str, *, alpha: float, level: float
) -> Comparison:
    metric, test = t.metric, t.test
    p, log10 = adjusted
    first, second = metric.score(t.pair.a), metric.score(t.pair.b)
    delta = metric.sign * (second - first)
    if abs(delta) <= ROUNDING * max(abs(first), abs(second)):
        delta = 0.0  # two sums of the same numbers in another order
    side = test.alternative
    interval = difference_interval(metric, t.pair, level=level, alternative=side, deltas=t.deltas)
    verdict = _verdict(p, delta, alpha, side)
    wins, ties, losses = win_tie_loss(metric, t.pair)
    return Comparison(
        baseline=t.baseline,
        system=t.system,
        metric=repr(metric),
        n=t.pair.n,
        score_baseline=first,
        score_system=second,
        delta=delta,
        interval=interval,
        pvalue=test.pvalue,
        pvalue_low=test.pvalue_low,
        pvalue_high=test.pvalue_high,
        log10_pvalue=test.log10_pvalue,
        pvalue_adjusted=p,
        log10_pvalue_adjusted=log10,
        alternative=side,
        alpha=alpha,
        correction=correction,
        kind=test.kind,
        engine=test.engine,
        reason=test.reason,
        clusters=test.clusters,
        wins=wins,
        ties=ties,
        losses=losses,
        mde=detectable_effect(metric, t.pair, alpha=alpha, alternative=side),
        verdict=verdict,
        notes=t.notes + _border(verdict, interval),
        signature=test.signature,
        subset=t.subset,
        percent=metric.percent or (metric.form == "mean" and t.pair.is_binary),
        test=test,
    )


def _verdict(p: float, delta: float, alpha: float, alternative: Alternative) -> Verdict:
    if p > alpha or (delta == 0 and alternative == "two-sided"):
        return "can't tell"
    if alternative == "two-sided":
        return "better" if delta > 0 else "worse"
    return "better" if alternative == "greater" else "worse"


def _border(verdict: Verdict, interval: Interval) -> tuple[str, ...]:
    """Say aloud when the interval and the p-value fall on different sides."""
    excludes_zero = interval.low > 0 or interval.high < 0
    if excludes_zero == (verdict != "can't tell"):
        return ()
    side = "excludes" if excludes_zero else "includes"
    return (
        f"border case: the {interval.method} interval {side} zero; the verdict follows the p-value",
    )
