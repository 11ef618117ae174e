"""The paired bootstrap: any metric from per-item sums, or all resamples at once.

Items (or clusters) are drawn with replacement, at full size, the same for all systems. The two
tests of Berg-Kirkpatrick, Burkett & Klein (2012) are ``variant="shift"`` (how often a resample
gains at least twice the observed gain) and ``variant="sign"`` (how often it gains nothing), both
with ``alternative="greater"``. Ties count, so identical systems get p = 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from betterthan.checks import check_choice, check_keywords
from betterthan.data.pair import Joint, Pair
from betterthan.data.pairing import joint_of
from betterthan.errors import Note, Remedy, UsageError
from betterthan.exact.probability import BRACKET, BudgetExceededError, Probability
from betterthan.metrics import Metric, parse
from betterthan.numeric import Alternative
from betterthan.resampling.generator import Rng
from betterthan.resampling.work import Sampling
from betterthan.results.tests import TestResult
from betterthan.testing.answer import answer
from betterthan.testing.contrasts import Contrasts, Event, sample_contrasts, sample_recentred
from betterthan.testing.engines import multiples
from betterthan.testing.ideal_law import CertifiedLaw, IdealLaw
from betterthan.testing.laws import law_of_resamples
from betterthan.testing.mean_error import degrees_of_freedom
from betterthan.testing.montecarlo import MINIMUM, Sampled
from betterthan.testing.request import Request
from betterthan.testing.values import Bootstrap, Resampling, Variant

FEW = 50
"""Fewer items or clusters than this are no likeness of a population: of 20 items the test rejects
up to 7 % of true nulls at a nominal 5 %, and 8 % where it counts signs (docs/calibration.md)."""

FEW_CLUSTERS = 20.0
"""Clusters, as degrees of freedom of their mean, with fewer of which the test rejects too often: 7
to 13 % of true nulls at a nominal 5 %, where 20 to 300 have 5 to 6.5 % (docs/calibration.md)."""

PATIENCE = 5_000_000_000
"""Nanoseconds that brackets of real-valued scores may take, or as long as sampling does."""

BRACKETING, PASSES, DRAWING = 30_000_000, 700, 4
"""Nanoseconds of a bracket and of its passes over a row, and of drawing a row into a resample."""

PERMUTE = Remedy("exact with any number of items or clusters", "test", "permutation")
STRICT = Note(
    "ties do not count, as published: p is too small, by much where scores are coarse",
    Remedy("counts ties", "test", "bootstrap"),
    beside_verdict=True,
)
NO_RESAMPLE = Note(
    "no resample at all is as extreme, so p is below the chance of any one of them: the bootstrap "
    "has nothing to go by here",
    PERMUTE,
)


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    metric: str | Metric = "mean",
    variant: Variant = "shift",
    alternative: Alternative = "two-sided",
    method: Resampling = "auto",
    *,
    clusters: ArrayLike | None = None,
    recentre: bool = False,
    strict: bool = False,
    alpha: float = 0.05,
    rng: Rng = None,
    **sampling: Unpack[Sampling],
) -> TestResult:
    """Test whether two systems differ, by resampling the items of the test set.

    Parameters
    ----------
    a, b, metric, alternative, alpha, rng
        As in :func:`permutation_test`.
    variant : {"shift", "sign"}
        ``"shift"`` compares how far resamples stray from the observed delta with the delta itself;
        ``"sign"`` asks how often delta changes sign.
    method : {"auto", "ideal", "sample"}
        ``"ideal"`` computes the law of all resamples; it exists for a mean, or a ratio with one
        denominator for both systems: exact for whole-number scores, else certified. ``"auto"`` uses
        it where it does, unless there are so many pairs of real scores that sampling is faster.
    clusters : array_like, optional
        A label per item; items of one cluster are drawn together.
    recentre : bool
        Move the resampled deltas so that their mean is the observed delta: for metrics whose
        resamples are biased (Berg-Kirkpatrick et al. 2012, footnote 3). Sampled only, by default
        20,000 times.
    strict : bool
        Count as Figure 1 of the 2012 paper prints it: resamples beyond twice delta alone, not those
        at it, and p is their share without the one that is added otherwise. Ties are then evidence,
        and p is too small, by much where scores are coarse; for comparison with published numbers.
    **sampling
        As in :class:`betterthan.resampling.work.Sampling`. By default there are at least 20,000
        resamples, and up to 1,280,000 while the 99 % interval of p contains ``alpha``.

    Returns
    -------
    TestResult
        ``pvalue_low`` and ``pvalue_high`` hold the Monte-Carlo error: a 99 % interval for the p
        of infinitely many resamples, valid for the way their number was chosen.

    Examples
    --------
    >>> result = bootstrap_test([0, 0, 1, 1], [1, 1, 1, 0], alternative="greater", variant="sign")
    >>> result.kind, result.pvalue  # 96 of the 256 resamples gain nothing
    ('exact', 0.375)
    """
    check_keywords(sampling, Sampling)
    check_choice(variant, "variant", get_args(Variant))
    check_choice(method, "method", get_args(Resampling))
    request = Request(alternative=alternative, alpha=alpha, rng=rng, **sampling)
    test = Bootstrap(variant, method, recentre, strict)
    joint = joint_of({"a": a, "b": b}, parse(metric), clusters)
    return Bootstrapping(request, test).run(joint, [(0, 1)])[0]


@dataclass(frozen=True, slots=True)
class Bootstrapping:
    """The bootstrap tests of one request."""

    request: Request
    test: Bootstrap

    def __post_init__(self) -> None:
        if self.test.recentre and self.test.method == "ideal":
            raise UsageError(
                "recentred resamples are sampled: method 'ideal' does not draw any",
                Remedy("", "method", "auto"),
            )

    @property
    def event(self) -> Event:
        """When a resample speaks against the claim."""
        return Event(self.test.variant, self.request.alternative, self.test.strict)

    def run(self, joint: Joint, places: Sequence[tuple[int, int]]) -> list[TestResult]:
        """Test pairs (baseline, candidate) of systems, given by their places in the joint rows.

        Pairs with an ideal law are not sampled unless ``method="sample"``. The others share one set
        of resamples, so that the sampling errors of their p-values are correlated
        (Berg-Kirkpatrick et al. 2012, footnote 5); each of them has its own interval. More is drawn
        while any p-value is unclear at ``alpha``, less far the more there is to draw.
        """
        pairs = [joint.pair(first, second) for first, second in places]
        results: dict[int, TestResult] = {}
        reasons: dict[int, str] = {}
        for k, pair in enumerate(pairs):
            if self.test.recentre or self.test.method == "sample":
                reasons[k] = "recentred, hence sampled" if self.test.recentre else "as asked"
                continue
            try:
                results[k] = self._ideal(pair, len(pairs))
            except BudgetExceededError as error:
                if self.test.method == "ideal":
                    raise UsageError(
                        f"method 'ideal' cannot be used here: {error}",
                        Remedy("samples instead", "method", "auto"),
                    ) from error
                reasons[k] = f"no ideal bootstrap: {error}"
        if reasons:
            n = len(reasons)
            shared = f"; {n:,} pairs share one set of resamples, so their errors correlate"
            contrasts = Contrasts.of(joint, [places[k] for k in reasons])
            draw = sample_recentred if self.test.recentre else sample_contrasts
            sampled = draw(contrasts, self.event, self.request)
            for (k, reason), p in zip(reasons.items(), sampled, strict=True):
                results[k] = self._result(pairs[k], p, reason + shared * (n > 1))
        return [results[k] for k in range(len(pairs))]

    def _ideal(self, pair: Pair, pairs: int) -> TestResult:
        try:
            p = self.event.probability(IdealLaw.of(pair))
        except BudgetExceededError as error:
            p = self._certified(pair, pairs, error)
            reason = "scores have no common unit: the law of all resamples is bracketed"
            return self._result(pair, p, reason)
        reason = f"scores are {multiples(pair.unit)}: the law of all resamples is computed"
        return self._result(pair, p, reason, law_of=partial(law_of_resamples, pair))

    def _certified(self, pair: Pair, pairs: int, why: BudgetExceededError) -> Probability:
        """Bracket of p from the law of real-valued sums, finer next to alpha.

        Many pairs are sampled together where that takes less time, unless they are to be ideal.
        """
        if self.test.method != "ideal":
            drawing = MINIMUM * (DRAWING + pairs) * len(pair.counts)
            if pairs * (BRACKETING + PASSES * len(pair.counts)) > max(drawing, PATIENCE):
                raise why
        tolerance = self.request.tolerance
        try:
            p = self.event.probability(CertifiedLaw.of(pair, tolerance))
            if not self.request.precision.met_by(p):
                p = self.event.probability(CertifiedLaw.of(pair, tolerance / 16.0))
        except BudgetExceededError as error:
            both = f"{why}, and {error}" if str(why) != str(error) else str(why)
            raise BudgetExceededError(both) from error
        return self.request.on_one_side(p)

    def _result(
        self, pair: Pair, p: Probability | Sampled, reason: str, **facts: Any
    ) -> TestResult:
        test, engine = self.test, "sampled" if isinstance(p, Sampled) else "ideal"
        if isinstance(p, Probability) and p.how == BRACKET:
            facts["kind"] = "certified"
        options = f"{'-recentred' * test.recentre}{'-strict' * test.strict}"
        words = f"{', recentred' * test.recentre}{', ties not counted' * test.strict}"
        return answer(
            pair,
            self.request.alternative,
            f"boot-{engine}-{test.variant}{options}",
            _at_least_one_resample(p, pair.units),
            rng=self.request.rng,
            test=test.name,
            engine=f"{engine} bootstrap, {test.variant} variant{words}",
            reason=reason,
            notes=(*_notes(pair, p), *([STRICT] if test.strict else ())),
            **facts,
        )


def check_clusters(joint: Joint) -> None:
    """Raise an error where clusters are too few, or too unequal, for the test to hold its level."""
    if joint.clusters is None:
        return
    worth = cluster_worth(joint)
    if worth < FEW_CLUSTERS:
        raise UsageError(
            f"{joint.clusters} clusters of such sizes count for {worth:.1f} (degrees of freedom) "
            f"and the bootstrap test needs {FEW_CLUSTERS:g}: with fewer it rejects 7 to 13 % of "
            "true nulls at 5 %",
            Remedy("holds its level with any number of clusters", "test", "permutation"),
        )


def cluster_worth(joint: Joint) -> float:
    """Satterthwaite's degrees of freedom of a mean over the clusters."""
    sizes, counts = joint.sizes, joint.counts
    if joint.opaque:
        sizes = np.bincount(joint.known_items.codes)  # type: ignore[arg-type]
        counts = np.ones_like(sizes)
    if sizes.min() == sizes.max():
        return joint.units - 1.0
    return degrees_of_freedom(sizes / joint.n, counts.astype(np.float64))


def _notes(one: Pair, p: Probability | Sampled) -> tuple[str, ...]:
    notes: list[str] = [NO_RESAMPLE] if isinstance(p, Probability) and p.log == -math.inf else []
    if one.units < FEW:
        units = ("item" if one.clusters is None else "cluster") + "s" * (one.units > 1)
        notes.append(
            Note(
                f"only {one.units} {units}: the bootstrap test holds its level from about {FEW} "
                "on, or 200 if differences are skewed",
                PERMUTE,
            )
        )
    elif one.clusters is not None and (worth := cluster_worth(one)) < FEW_CLUSTERS:
        notes.append(
            Note(
                f"{one.clusters} clusters of such sizes count for {worth:.1f}: the bootstrap "
                "rejects too often with fewer than 20",
                PERMUTE,
                beside_verdict=True,
            )
        )
    return tuple(notes)


def _at_least_one_resample(p: Probability | Sampled, units: int) -> Probability | Sampled:
    """Raise a p-value to the chance of any one resample, where it is below that.

    All n**n resamples are equally likely, so that a smaller p is zero. But then the bootstrap says
    no more than that no resample it knows of is as extreme: one item, or items that are all alike,
    would be proof of anything.
    """
    log = -units * math.log(units)
    if isinstance(p, Probability):
        return p if p.log > -math.inf else Probability(log, p.log_low, log)
    least = math.exp(log)
    return Sampled(max(p.value, least), p.low, max(p.high, least), p.resamples)
