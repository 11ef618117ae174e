"""The classic tests of a pair: Student's, the sign test, McNemar's, Wilcoxon's and Mood's."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from betterthan.data.arrays import cluster_sums
from betterthan.data.pair import Pair
from betterthan.errors import BadValueError, Note, Remedy, UsageError, how_many, not_one_of
from betterthan.exact import real
from betterthan.exact.lattice import SignedSum
from betterthan.exact.probability import LOG2, Probability, check_alternative
from betterthan.exact.rational import Ratio
from betterthan.numeric import TIE, Alternative, Ints
from betterthan.results.signature import signature
from betterthan.results.tests import Kind, TestResult
from betterthan.testing.mean_error import mean_error
from betterthan.testing.null_law import NullLaw
from betterthan.testing.ranks import doubled_midranks, pseudo_median
from betterthan.testing.tails import median_table_pvalue, normal_pvalue, t_pvalue

FEW_CLUSTERS = 20  # Cameron & Miller (2015): the cluster-robust t needs more
FEWEST_CLUSTERS = 10  # fewer and the least possible p is worth knowing
CERTIFIED = 1e-4  # relative width of the bracket where the exact lattice is too fine
CHI_SQUARE = "chi-square, 1 degree of freedom"
UNPAIRED = Note(
    "Mood's test ignores the pairing of items", Remedy("uses the pairing", "test", "sign")
)


def student(pair: Pair, alternative: Alternative) -> TestResult:
    """Student's test of a pair; see :func:`t_test`."""
    q = Question(pair, alternative)
    per_item = (np.abs(pair.values(k)[:, 0]) / pair.sizes for k in (0, 1))
    scale = max(float(x.max()) for x in per_item)
    fit = mean_error(pair, scale=scale)
    if fit.standard_error == 0.0:
        observed = 0 if abs(fit.mean) <= TIE * scale else int(np.sign(fit.mean)) * fit.units
        law = SignedSum.of(np.full(fit.units, np.sign(observed)))
        reason = "there is no spread among the differences, so t does not exist"
        note = f"{reason}: p is that of {fit.units:,} equal signs"
        return q.answer(
            "t",
            law.pvalue(observed, alternative),
            fit.mean if observed else 0.0,
            kind="exact",
            engine="sign flips",
            reason=reason,
            notes=(note,) if observed else (),
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
        fit.mean,
        kind="asymptotic",
        engine=f"Student's t, {fit.df:,.6g} degrees of freedom",
        reason="right where the mean difference is nearly normal",
        statistic=t,
        notes=(few,) if pair.clusters is not None and fit.units < FEW_CLUSTERS else (),
    )


def signs(pair: Pair, alternative: Alternative) -> TestResult:
    """Sign test of a pair; see :func:`sign_test`."""
    return Question(pair, alternative).sign_test("sign")


def discordance(
    pair: Pair,
    alternative: Alternative,
    variant: Literal["exact", "mid-p", "chi2"] = "exact",
    *,
    continuity: bool = True,
) -> TestResult:
    """McNemar's test of a pair; see :func:`mcnemar`."""
    if variant not in ("exact", "mid-p", "chi2"):
        raise not_one_of("variant", variant, ("exact", "mid-p", "chi2"))
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
        return q.sign_test("mcnemar")
    wins, _, losses = pair.outcomes
    differing, excess = wins + losses, wins - losses
    if variant == "mid-p":
        return q.answer(
            "mcnemar:mid-p",
            _mid_p(q.sign_law(), excess, alternative) if differing else Ratio.of_counts(1, 1),
            pair.delta,
            kind="exact",
            engine="mid-p of the binomial law",
            reason=q.tally,
            statistic=q.pair.wins,
            excess=excess,
            notes=("a mid-p test may exceed its level slightly; the exact variant never does",),
        )
    z = _continued(excess, alternative, continuity) / math.sqrt(differing) if differing else 0.0
    return q.answer(
        f"mcnemar:chi2{'+cc' if continuity else ''}",
        normal_pvalue(z, alternative) if differing else Probability.of(1.0),
        pair.delta,
        kind="asymptotic",
        engine=CHI_SQUARE,
        reason=q.tally,
        statistic=z * z,
        excess=excess,
    )


def signed_ranks(
    pair: Pair, alternative: Alternative, zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox"
) -> TestResult:
    """Wilcoxon's test of a pair; see :func:`wilcoxon`."""
    if zeros not in ("wilcox", "pratt", "zsplit"):
        raise not_one_of("zeros", zeros, ("wilcox", "pratt", "zsplit"))
    q = Question(pair, alternative)
    gains = pair.item_gains
    d, counts, slack = gains.values, gains.counts, gains.slack
    ranked = d != 0 if zeros == "wilcox" else np.ones(d.size, dtype=np.bool_)
    ranks = np.zeros(d.size, dtype=np.int64)
    if ranked.any():
        near = None if slack is None else slack[ranked]
        ranks[ranked] = doubled_midranks(np.abs(d[ranked]), counts[ranked], near)
    ranks_signed = np.sign(d).astype(np.int64) * ranks
    observed = int(counts @ ranks_signed)
    signed, units = q.per_unit(ranks_signed, counts)
    law = SignedSum.of(signed, units)
    kind: Kind
    try:
        p, kind = law.pvalue(observed, alternative), "exact"
        engine = "lattice of doubled mid-ranks"
    except ValueError:  # nearly a million ranks and hardly a tie: too fine a lattice
        each = signed.astype(np.float64)
        p = real.pvalue(each, counts=units, alternative=alternative, tolerance=CERTIFIED)
        kind, engine = "certified", "bracket of the rank sum's law"
    rank_sum = (counts * ranks)[d > 0].sum() / 2
    if zeros == "zsplit":
        rank_sum += (counts * ranks)[d == 0].sum() / 4
    return q.answer(
        f"wilcoxon:{zeros}",
        p,
        pseudo_median(d, counts) * float(gains.unit),
        kind=kind,
        engine=engine,
        reason=f"{q.tally}; given the ranks only their signs are random",
        statistic=rank_sum,
        excess=observed,
        metric="pseudo-median",
        law=NullLaw(law, 0.5, observed / 2, "signed rank sum"),
    )


def medians(
    pair: Pair,
    alternative: Alternative,
    variant: Literal["exact", "chi2"] = "exact",
    *,
    continuity: bool = True,
) -> TestResult:
    """Mood's test of a pair; see :func:`mood_test`."""
    if variant not in ("exact", "chi2"):
        raise not_one_of("variant", variant, ("exact", "chi2"))
    if pair.clusters is not None:
        raise UsageError(
            "Mood's test cannot use clusters", Remedy("counts wins and losses", "test", "sign")
        )
    q = Question(pair, alternative)
    x, y = (np.repeat(pair.values(k)[:, 0], pair.counts) for k in (0, 1))
    common = float(np.median(np.concatenate((x, y))))
    above_x, above_y = (
        int(np.count_nonzero(v - common > pair.rounding * np.maximum(np.abs(v), abs(common))))
        for v in (x, y)
    )
    better = int(pair.metric.sign)
    n, above, excess = pair.n, above_x + above_y, better * (above_y - above_x)
    statistic = float(above_y)
    if not pair.item_gains.values.any():  # nothing to tell apart, on either side
        p, statistic = Probability.of(1.0), statistic if variant == "exact" else 0.0
    elif variant == "exact":
        p = median_table_pvalue(n, above, excess, alternative)
    else:
        variance = above * (2 * n - above) / (2 * n)
        z = _continued(excess, alternative, continuity) / math.sqrt(variance) if variance else 0.0
        p = normal_pvalue(z, alternative) if variance else Probability.of(1.0)
        statistic = z * z
    return q.answer(
        f"mood:{variant}{'+cc' if variant == 'chi2' and continuity else ''}",
        p,
        better * (float(np.median(y)) - float(np.median(x))),
        kind="exact" if variant == "exact" else "asymptotic",
        engine="hypergeometric law" if variant == "exact" else CHI_SQUARE,
        reason=f"{above_x:,} and {above_y:,} of {n:,} scores lie above the common median",
        statistic=statistic,
        excess=excess,
        notes=(UNPAIRED,),
        metric="median",
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
                Remedy("takes any metric", "test", "permutation"),
            )

    @property
    def tally(self) -> str:
        """Wins, losses and ties, in words."""
        wins, ties, losses = self.pair.outcomes
        return f"{wins:,} wins, {losses:,} losses, {ties:,} ties"

    def per_unit(self, signed: Ints, counts: Ints) -> tuple[Ints, Ints | None]:
        """Signed whole numbers per item, or sums of those that change as one, without counts."""
        pair = self.pair
        codes = None if pair.clusters is None else (pair.items or pair.known_items).codes
        if codes is None:
            return signed, counts
        return cluster_sums(signed * counts, codes, pair.units), None

    def sign_law(self) -> SignedSum:
        """Law of wins minus losses, of each unit that changes sides as one."""
        gains = self.pair.item_gains
        return SignedSum.of(*self.per_unit(np.sign(gains.values).astype(np.int64), gains.counts))

    def sign_test(self, name: str) -> TestResult:
        """The exact test of wins against losses, under either of its names."""
        law, (wins, _, losses) = self.sign_law(), self.pair.outcomes
        return self.answer(
            name,
            law.pvalue(wins - losses, self.alternative),
            self.pair.delta,
            kind="exact",
            engine="binomial law" if self.pair.clusters is None else "lattice of cluster sums",
            reason=f"{self.tally}; under the null each may change sides",
            statistic=wins,
            excess=wins - losses,
            law=NullLaw(law, 1.0, wins - losses, "wins minus losses"),
        )

    def answer(
        self,
        method: str,
        p: Probability,
        delta: float,
        *,
        kind: Kind,
        engine: str,
        reason: str,
        metric: str = "mean",
        statistic: float | None = None,
        excess: float | None = None,
        notes: tuple[str, ...] = (),
        law: NullLaw | None = None,
    ) -> TestResult:
        """Say it all."""
        clusters = self.pair.clusters
        lower = self.pair.metric.lower_is_better
        spelling = f"{metric}(lower_is_better)" if lower else metric
        if clusters is not None and kind == "exact" and clusters <= FEWEST_CLUSTERS:
            least = f"{2.0 ** ((self.alternative == 'two-sided') - clusters):.3g}"
            notes = (
                *notes,
                f"only {how_many(clusters, 'cluster')}: no p below {least} is possible",
            )
        return TestResult(
            test=method.partition(":")[0],
            **p.fields,
            delta=float(delta) + 0.0,  # no negative zero
            kind=kind,
            engine=engine,
            reason=reason,
            n=self.pair.n,
            clusters=clusters,
            alternative=self.alternative,
            metric=spelling,
            statistic=None if statistic is None else float(statistic),
            excess=excess,
            resamples=None,
            fraction=p.fraction if isinstance(p, Ratio) else None,
            notes=notes,
            signature=signature(
                method,
                data=self.pair.hashed,
                n=self.pair.n,
                alternative=self.alternative,
                metric=spelling,
                clusters=clusters,
            ),
            law_of=None if law is None else partial(_itself, law),
        )


def _itself(law: NullLaw) -> NullLaw:
    return law


def _continued(excess: int, alternative: Alternative, continuity: bool) -> float:
    """Half a step towards the null, for an integer whose law moves in steps of two."""
    if not continuity:
        return excess
    if alternative == "two-sided":
        return math.copysign(max(abs(excess) - 1, 0), excess)
    return excess - 1 if alternative == "greater" else excess + 1


def _mid_p(law: SignedSum, excess: int, alternative: Alternative) -> Probability:
    """Halfway between the p-value of ``excess`` and that of the next more extreme value."""
    up = excess > 0 or (excess == 0 and alternative != "less")
    outwards = {"two-sided": 2 if up else -2, "greater": 2, "less": -2}[alternative]
    here, beyond = law.pvalue(excess, alternative), law.pvalue(excess + outwards, alternative)
    if isinstance(here, Ratio) and isinstance(beyond, Ratio):
        return Ratio.of_fraction((here.fraction + beyond.fraction) / 2)
    pairs = (
        (here.log, beyond.log),
        (here.log_low, beyond.log_low),
        (here.log_high, beyond.log_high),
    )
    return Probability(*(float(np.logaddexp(x, y)) - LOG2 for x, y in pairs))
