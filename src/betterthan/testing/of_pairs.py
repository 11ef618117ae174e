"""The classic tests of a pair: Student's, the sign test, McNemar's, Wilcoxon's and Mood's."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from betterthan.checks import check_choice
from betterthan.data.arrays import cluster_sums
from betterthan.data.pair import Pair
from betterthan.errors import BadValueError, Note, Remedy, UsageError
from betterthan.exact import real
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import LOG2, BudgetExceededError, Probability, check_alternative
from betterthan.exact.rational import Ratio
from betterthan.numeric import TIE, Alternative, Floats, Ints
from betterthan.results.tests import TestResult
from betterthan.testing.answer import answer, few_units
from betterthan.testing.laws import law_of_sum
from betterthan.testing.mean_error import mean_error
from betterthan.testing.ranks import doubled_midranks, pseudo_median
from betterthan.testing.tails import median_table_pvalue, normal_pvalue, t_pvalue

FEW_CLUSTERS = 20  # Cameron & Miller (2015): the cluster-robust t needs more
CERTIFIED = 1e-4  # relative width of the bracket where the exact lattice is too fine
UNPAIRED = Note(
    "Mood's test ignores the pairing of items", Remedy("uses the pairing", "test", "sign")
)
MID_P = "a mid-p test may exceed its level slightly; the exact variant never does"


def student(pair: Pair, alternative: Alternative) -> TestResult:
    """Student's test of a pair; see :func:`t_test`."""
    q = Question(pair, alternative)
    scale = max(float((np.abs(pair.values(k)[:, 0]) / pair.sizes).max()) for k in (0, 1))
    fit = mean_error(pair, scale=scale)
    if fit.standard_error == 0.0:
        sign = 0 if abs(fit.mean) <= TIE * scale else int(np.sign(fit.mean))
        reason = "there is no spread among the differences, so t does not exist"
        law = SignedSum.of([sign], [fit.units])
        return q.answer(
            "t",
            law.pvalue(sign * fit.units, alternative),
            delta=fit.mean if sign else 0.0,
            engine="sign flips",
            reason=reason,
            notes=(f"{reason}: p is that of {fit.units:,} equal signs",) if sign else (),
        )
    t = fit.mean / fit.standard_error
    few = Note(
        f"{fit.units} clusters are few for a cluster-robust t, whose p tends to be too small",
        Remedy("exact", "test", "permutation"),
        beside_verdict=True,
    )
    return q.answer(
        "t",
        t_pvalue(t, fit.df, alternative),
        delta=fit.mean,
        kind="asymptotic",
        engine=f"Student's t, {fit.df:,.6g} degrees of freedom",
        reason="right where the mean difference is nearly normal",
        statistic=t,
        notes=(few,) if pair.clusters is not None and fit.units < FEW_CLUSTERS else (),
    )


def signs(pair: Pair, alternative: Alternative, method: str = "sign") -> TestResult:
    """Exact test of wins against losses, under either of its names; see :func:`sign_test`."""
    q = Question(pair, alternative)
    return q.exact(
        method,
        q.signs,
        name="wins minus losses",
        engine="binomial law" if pair.clusters is None else "lattice of cluster sums",
        reason=f"{q.tally}; under the null each may change sides",
        statistic=float(pair.wins),
    )


def discordance(
    pair: Pair,
    alternative: Alternative,
    variant: Literal["exact", "mid-p", "chi2"] = "exact",
    *,
    continuity: bool = True,
) -> TestResult:
    """McNemar's test of a pair; see :func:`mcnemar`."""
    check_choice(variant, "variant", ("exact", "mid-p", "chi2"))
    if pair.clusters is not None and variant != "exact":
        raise UsageError(
            f"McNemar's {variant} variant cannot use clusters",
            Remedy("the exact variant can", "test", "mcnemar"),
        )
    q = Question(pair, alternative)
    if not pair.is_binary:
        raise BadValueError(
            "McNemar's test is for 0/1 scores",
            Remedy("compares means", "test", "permutation"),
            Remedy("counts wins and losses", "test", "sign"),
        )
    if variant == "exact":
        return signs(pair, alternative, "mcnemar")
    if variant == "chi2":
        variance = pair.wins + pair.losses
        return q.chi_square("mcnemar", q.excess, variance, continuity=continuity, reason=q.tally)
    return q.answer(
        "mcnemar:mid-p",
        _mid_p(SignedSum.of(q.signs, pair.item_gains.counts), q.excess, alternative),
        engine="mid-p of the binomial law",
        reason=q.tally,
        statistic=float(pair.wins),
        excess=q.excess,
        notes=(MID_P,),
    )


def signed_ranks(
    pair: Pair, alternative: Alternative, zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox"
) -> TestResult:
    """Wilcoxon's test of a pair; see :func:`wilcoxon`."""
    check_choice(zeros, "zeros", ("wilcox", "pratt", "zsplit"))
    q = Question(pair, alternative)
    gains = pair.item_gains
    d, counts, slack = gains.values, gains.counts, gains.slack
    ranked = d != 0 if zeros == "wilcox" else np.ones(d.size, dtype=np.bool_)
    ranks = np.zeros(d.size, dtype=np.int64)
    near = None if slack is None else slack[ranked]
    ranks[ranked] = doubled_midranks(np.abs(d[ranked]), counts[ranked], near)
    signed = np.sign(d).astype(np.int64) * ranks
    won = np.where(d > 0, 0.5, 0.25 * (d == 0) * (zeros == "zsplit"))
    return q.exact(
        f"wilcoxon:{zeros}",
        signed,
        scale=0.5,
        name="signed rank sum",
        engine="lattice of doubled mid-ranks",
        reason=f"{q.tally}; given the ranks only their signs are random",
        delta=pseudo_median(d, counts) * float(gains.unit),
        statistic=float(won @ (counts * ranks)),
        metric="pseudo-median",
    )


def medians(
    pair: Pair,
    alternative: Alternative,
    variant: Literal["exact", "chi2"] = "exact",
    *,
    continuity: bool = True,
) -> TestResult:
    """Mood's test of a pair; see :func:`mood_test`."""
    check_choice(variant, "variant", ("exact", "chi2"))
    if pair.clusters is not None:
        raise UsageError(
            "Mood's test cannot use clusters", Remedy("counts wins and losses", "test", "sign")
        )
    q = Question(pair, alternative)
    x, y, counts = pair.values(0)[:, 0], pair.values(1)[:, 0], pair.counts
    common = _median(np.concatenate((x, y)), np.concatenate((counts, counts)))
    above_x, above_y = (
        int(counts[v - common > pair.rounding * np.maximum(np.abs(v), abs(common))].sum())
        for v in (x, y)
    )
    better = int(pair.metric.sign)
    n, above, excess = pair.n, above_x + above_y, better * (above_y - above_x)
    differ = bool(pair.item_gains.values.any())
    facts: dict[str, Any] = {
        "delta": better * (_median(y, counts) - _median(x, counts)),
        "metric": "median",
        "reason": f"{above_x:,} and {above_y:,} of {n:,} scores lie above the common median",
        "notes": (UNPAIRED,),
    }
    if variant == "chi2":
        variance = above * (2 * n - above) / (2 * n) if differ else 0.0
        return q.chi_square("mood", excess, variance, continuity=continuity, **facts)
    return q.answer(
        "mood:exact",
        median_table_pvalue(n, above, excess, alternative) if differ else Probability.of(1.0),
        engine="hypergeometric law",
        statistic=float(above_y),
        excess=excess,
        **facts,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """What every test starts from: the pair, and what is asked of it."""

    pair: Pair
    alternative: Alternative

    def __post_init__(self) -> None:
        check_alternative(self.alternative)
        if self.pair.metric.form != "mean":
            raise UsageError(
                f"this test compares means, not {self.pair.metric!r}",
                Remedy("compares any metric", "test", "permutation"),
            )

    @property
    def tally(self) -> str:
        """Wins, losses and ties, in words."""
        wins, ties, losses = self.pair.outcomes
        return f"{wins:,} wins, {losses:,} losses, {ties:,} ties"

    @property
    def excess(self) -> int:
        """Wins minus losses."""
        return self.pair.wins - self.pair.losses

    @property
    def signs(self) -> Ints:
        """Who wins, of each item gain."""
        return np.sign(self.pair.item_gains.values).astype(np.int64)

    def exact(
        self, method: str, signed: Ints, *, name: str, scale: float = 1.0, **facts: Any
    ) -> TestResult:
        """Result of a test whose statistic is a sum of integers, one an item gain.

        Their signs are random; those of a cluster change as one.
        """
        pair, side = self.pair, self.alternative
        gains, counts = pair.item_gains, None
        observed = int(gains.counts @ signed)
        codes = None if pair.clusters is None else (pair.items or pair.known_items).codes
        if codes is None:
            counts = gains.counts
        else:
            signed = cluster_sums(signed * gains.counts, codes, pair.units)
        law = SignedSum.of(signed, counts)
        try:
            p = law.pvalue(observed, side)
        except BudgetExceededError:  # nearly a million ranks and barely a tie
            facts |= {"kind": "certified", "engine": "bracket of the rank sum's law"}
            each = signed.astype(np.float64)
            p = real.pvalue(each, counts=counts, alternative=side, tolerance=CERTIFIED)
        facts["notes"] = few_units(pair, side)
        facts["law_of"] = partial(law_of_sum, law, scale, observed * scale, name)
        return self.answer(method, p, excess=observed, **facts)

    def chi_square(
        self,
        test: str,
        excess: int,
        variance: float,
        *,
        continuity: bool,
        **facts: Any,
    ) -> TestResult:
        """Result of the normal law of an integer, which moves in steps of two.

        The correction moves it half a step towards the null.
        """
        if self.alternative == "two-sided":
            moved = max(abs(excess) - continuity, 0)
        else:
            moved = excess - continuity * (1 if self.alternative == "greater" else -1)
        z = moved / math.sqrt(variance) if variance else 0.0
        return self.answer(
            f"{test}:chi2{'+cc' * continuity}",
            normal_pvalue(z, self.alternative) if variance else Probability.of(1.0),
            kind="asymptotic",
            engine="chi-square, 1 degree of freedom",
            statistic=z * z,
            excess=excess,
            **facts,
        )

    def answer(
        self, method: str, p: Probability, *, metric: str = "mean", **facts: Any
    ) -> TestResult:
        """Result of a test of single items."""
        facts["delta"] = facts.get("delta", self.pair.delta) + 0.0  # no negative zero
        lower = "(lower_is_better)" * self.pair.metric.lower_is_better
        return answer(self.pair, self.alternative, method, p, metric=metric + lower, **facts)


def _mid_p(law: SignedSum, excess: int, alternative: Alternative) -> Probability:
    """Halfway between the p-value of ``excess`` and that of the next more extreme value."""
    if not law.n:
        return law.pvalue(excess)
    down = excess < 0 if alternative == "two-sided" else alternative == "less"
    outwards = excess + (-2 if down else 2)
    here, beyond = law.pvalue(excess, alternative), law.pvalue(outwards, alternative)
    if isinstance(here, Ratio) and isinstance(beyond, Ratio):
        return Ratio.of_fraction((here.fraction + beyond.fraction) / 2)
    logs = zip(*((p.log, p.log_low, p.log_high) for p in (here, beyond)), strict=True)
    return Probability(*(float(np.logaddexp(*both)) - LOG2 for both in logs))


def _median(values: Floats, counts: Ints) -> float:
    """Median of values that each occur as often as their count says."""
    order = np.argsort(values)
    upto = np.cumsum(counts[order])
    middle = np.searchsorted(upto, ((upto[-1] - 1) // 2, upto[-1] // 2), side="right")
    low, high = values[order[middle]].tolist()
    return float(low / 2.0 + high / 2.0)
